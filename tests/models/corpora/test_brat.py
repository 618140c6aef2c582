"""brat's pairs of files."""

import pytest
from scrubline.models.corpora import AnnotatedDocument, Annotation, CorpusError
from scrubline.models.corpora.brat import parse, render

SECRET = "Abernathy"


def spans_of(text: str, *lines: str) -> tuple[Annotation, ...]:
    (document,) = parse(text.encode(), "".join(f"{line}\n" for line in lines).encode(), "1")
    assert document.text == text
    return document.spans


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("Dr. Who", "T1\tDOCTOR 4 7\tWho", [(4, 7)]),
        ("Dr. Who", "T99\tDOCTOR 0 7\tDr. Who", [(0, 7)]),
        ("\ufeffWho", "T1\tDOCTOR 1 4\tWho", [(1, 4)]),
        ("🙂é Who", "T1\tDOCTOR 3 6\tWho", [(3, 6)]),
        ("a\r\nWho", "T1\tDOCTOR 3 6\tWho", [(3, 6)]),
        ("Dr\nWho", "T1\tDOCTOR 0 6\tDr Who", [(0, 6)]),
        ("Dr\tWho", "T1\tDOCTOR 0 6\tDr\tWho", [(0, 6)]),
        ("Dr Who", "T1\tDOCTOR 0 6\tDr Who\r", [(0, 6)]),
        # Discontinuous: a span for each part.
        ("left and right arm", "T1\tDOCTOR 0 4;15 18\tleft arm", [(0, 4), (15, 18)]),
        ("Dr\nWho", "T1\tDOCTOR 0 2;3 6\tDr Who", [(0, 2), (3, 6)]),
    ],
)
def test_lines_that_are_read(text, line, expected):
    assert spans_of(text, line) == tuple(Annotation(*span, "DOCTOR") for span in expected)


def test_other_lines_are_counted():
    lines = (
        "T1\tDOCTOR 0 3\tWho",
        "R1\tSame Arg1:T1 Arg2:T1",
        "E1\tDOCTOR:T1",
        "A1\tNegation T1",
        "M1\tNegation T1",
        "N1\tReference T1 db:7\tWho",
        "#1\tAnnotatorNotes T1\tsee above",
        "*\tEquiv T1 T1",
        "",
    )
    (document,) = parse(b"Who", "\n".join(lines).encode(), "1")
    assert document.spans == (Annotation(0, 3, "DOCTOR"),)
    assert document.meta == {"brat_ignored": 7}


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("T1\tDOCTOR 1 9\tAbernathy", "SpanTextsDiffer"),
        ("T1\tDOCTOR 0 9\tabernathy", "SpanTextsDiffer"),
        ("T1\tDOCTOR 0 9\tAbernathy ", "SpanTextsDiffer"),
        ("T1\tDOCTOR 0 9\t", "SpanTextsDiffer"),
        ("T1\tDOCTOR 0 4;5 9\tAbernathy", "SpanTextsDiffer"),
        ("T1\tDOCTOR 0 10\tAbernathy", "OffsetOutsideText"),
        ("T1\tDOCTOR 0 999999999999999999\tAbernathy", "OffsetOutsideText"),
        ("T1\tDOCTOR 0 4;5 10\tAber athy", "OffsetOutsideText"),
        ("T1\tDOCTOR 3 3\t", "EmptySpan"),
        ("T1\tDOCTOR 9 0\tAbernathy", "EmptySpan"),
        ("T1\tDOCTOR 0 9", "BadLine"),
        ("T1\tDOCTOR -1 9\tAbernathy", "BadLine"),
        ("T1\tDOCTOR 0 9.0\tAbernathy", "BadLine"),
        (f"T1\tDOCTOR 0 {'9' * 10_000}\tAbernathy", "BadLine"),
        ("T1\tDOCTOR 0 \u0669\tAbernathy", "BadLine"),
        ("T1 DOCTOR 0 9 Abernathy", "BadLine"),
        ("T1\tTHE DOCTOR 0 9\tAbernathy", "BadLine"),
        ("T1\t 0 9\tAbernathy", "BadLine"),
        ("T\tDOCTOR 0 9\tAbernathy", "BadLine"),
        ("X1\tDOCTOR 0 9\tAbernathy", "BadLine"),
        ("Abernathy", "BadLine"),
        (" ", "BadLine"),
        ("T0\tDOCTOR 0 9\tAbernathy", "DuplicateId"),
    ],
)
def test_faults_are_told_by_line(line, fault):
    with pytest.raises(CorpusError) as caught:
        spans_of(SECRET, f"T0\tDOCTOR 0 9\t{SECRET}", line)
    assert (caught.value.line, caught.value.fault) == (2, fault)
    assert SECRET not in str(caught.value)


def test_a_byte_order_mark_of_the_annotations_is_refused():
    with pytest.raises(CorpusError, match="ByteOrderMark"):
        parse(b"Who", b"\xef\xbb\xbfT1\tDOCTOR 0 3\tWho\n", "1")


def test_bytes_that_are_no_text_are_told_by_line():
    for pair in ((b"a\nb\xff", b""), (b"", b"#1\n\xff")):
        with pytest.raises(CorpusError, match="corpus line 2: BadUtf8"):
            parse(*pair, "1")


def test_what_is_written():
    spans = (Annotation(3, 8, "DATE"), Annotation(0, 8, "A"), Annotation(0, 2, "é"))
    assert render([AnnotatedDocument("a/1", "Dr\r\nWho\t!", spans)]) == {
        "a/1.txt": b"Dr\r\nWho\t!",
        "a/1.ann": "T1\tA 0 8\tDr  Who \nT2\té 0 2\tDr\nT3\tDATE 3 8\t Who \n".encode(),
    }
    assert render([]) == {}


@pytest.mark.parametrize("label", ["A B", "A\n", "\u2028", "A\tB"])
def test_labels_with_white_space_are_refused(label):
    with pytest.raises(CorpusError, match="BadLabel"):
        render([AnnotatedDocument("1", "x", (Annotation(0, 1, label),))])
