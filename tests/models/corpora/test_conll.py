"""CoNLL: what others write, and the dialect that loses nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.corpora import AnnotatedDocument, Annotation, CorpusError
from scrubline.models.corpora.conll import parse, render

SECRET = "Abernathy"
HEAD = "# global.columns = FORM NER MISC\n"


def read(text: str) -> list[AnnotatedDocument]:
    return parse(text.encode(), "eng.testa")


def covered(document: AnnotatedDocument) -> list[tuple[str, str]]:
    return [(document.text[s.start : s.end], s.label) for s in document.spans]


CONLL_2003 = """\
-DOCSTART- -X- -X- O

EU NNP B-NP B-ORG
rejects VBZ B-VP O
German JJ B-NP B-MISC

Peter NNP B-NP B-PER
Blackburn NNP I-NP I-PER

-DOCSTART- -X- -X- O

BRUSSELS NNP B-NP B-LOC
"""


def test_a_file_of_2003():
    first, second = read(CONLL_2003)
    assert (first.doc_id, second.doc_id) == ("eng.testa-1", "eng.testa-2")
    assert first.text == "EU rejects German\nPeter Blackburn"
    assert covered(first) == [("EU", "ORG"), ("German", "MISC"), ("Peter Blackburn", "PER")]
    assert (second.text, covered(second)) == ("BRUSSELS", [("BRUSSELS", "LOC")])
    assert parse(CONLL_2003.encode(), "")[1].doc_id == "2"


@pytest.mark.parametrize(
    ("text", "expected", "spans"),
    [
        ("a O\nb O\n", "a b", []),
        ("a\tO\nb\tO", "a b", []),
        ("a  O  \nb  O\n", "a b", []),
        ("a O\r\n\r\nb O\r\n", "a\nb", []),
        ("\n\na O\n\n\nb O\n\n\n", "a\nb", []),
        ("# O\na O\n", "# a", []),
        ("# N O\n", "#", []),
        ("# sent_id = 7\n# text = a\na O\n", "a", []),
        ("# newdoc\n# id 7 domain=en\na _ _ O\n", "a", []),
        ("New York\tB-LOC\n", "New York", [("New York", "LOC")]),
        ("a\xa0b B-X\n", "a\xa0b", [("a\xa0b", "X")]),
        # BIO, IOB1 (I- begins, B- only parts), BIOES
        ("a B-X\nb I-X\nc B-X\n", "a b c", [("a b", "X"), ("c", "X")]),
        ("a I-X\nb I-X\nc B-X\nd I-Y\n", "a b c d", [("a b", "X"), ("c", "X"), ("d", "Y")]),
        ("a B-X\nb I-X\nc E-X\nd S-X\n", "a b c d", [("a b c", "X"), ("d", "X")]),
        ("a S-X\nb S-X\nc O\n", "a b c", [("a", "X"), ("b", "X")]),
        ("a I-X\n\nb I-X\n", "a\nb", [("a", "X"), ("b", "X")]),
        ("a B-creative-work\n", "a", [("a", "creative-work")]),
    ],
)
def test_other_manners(text, expected, spans):
    (document,) = read(text)
    assert document.text == expected
    assert covered(document) == spans


def test_documents_without_tokens():
    assert read("") == read("\n\n") == []
    assert [d.text for d in read("-DOCSTART- O\n\n-DOCSTART-\n\na O\n")] == ["", "a"]
    assert [d.doc_id for d in read("-DOCSTART- O\n# doc_id = x 7 \\\\\n")] == ["x 7 \\"]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("Abernathy", "BadColumns"),
        ("Abernathy B-X", "BadColumns"),
        ("Abernathy N N B-X", "BadColumns"),
        ("Abernathy N X", "BadTag"),
        ("Abernathy N B-", "BadTag"),
        ("Abernathy N U-X", "BadTag"),
        ("Abernathy N b-X", "BadTag"),
        ("Abernathy N o", "BadTag"),
        ("Abernathy\tN\tB-X Y", "BadTag"),
        ("\tN\tO", "BadLine"),
        ("# doc_id = Abernathy", "BadLine"),
        ("# doc_id = \\x", "BadEscape"),
    ],
)
def test_faults_are_told_by_line(line, fault):
    with pytest.raises(CorpusError) as caught:
        read(f"first N O\n{line}\n")
    assert (caught.value.line, caught.value.fault) == (2, fault)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ("Abernathy\tO\n", "BadColumns"),
        ("Abernathy O _\n", "BadColumns"),
        ("Abernathy\t_\tO\n", "BadTag"),
        ("Abernathy\tO\tSpacesAfter=x\n", "BadEscape"),
        ("Abernathy\tO\tSpacesAfter=\\u00e9\n", "BadEscape"),
        ("Abernathy\tO\tSpacesAfter=\\\n", "BadEscape"),
        ("Abernathy\tO\tSpacesAfter=\\ud800\n", "LoneSurrogate"),
        ("Abernathy\tB-X\tSpanBefore=1\n", "OffsetOutsideText"),
        ("Abernathy\tB-X\tSpaceAfter=No|SpanAfter=1\n", "OffsetOutsideText"),
        ("Abernathy\tB-X\tSpanAfter=2\n", "OffsetOutsideText"),
        ("Abernathy\tB-X\tSpanAfter=-1\n", "OffsetOutsideText"),
        (f"Abernathy\tB-X\tSpanAfter={'9' * 10_000}\n", "OffsetOutsideText"),
        ("# doc_id = \\ud800\n", "LoneSurrogate"),
        ("# spaces_before = a\n", "BadEscape"),
    ],
)
def test_faults_of_the_dialect_are_told_by_line(lines, fault):
    with pytest.raises(CorpusError) as caught:
        read(f"{HEAD}-DOCSTART-\tO\t_\n{lines}")
    assert (caught.value.line, caught.value.fault) == (3, fault)
    assert SECRET not in str(caught.value)


def test_ids_that_come_twice_are_refused():
    with pytest.raises(CorpusError, match="corpus document 2: DuplicateDocId"):
        read("-DOCSTART- O\n# doc_id = x\n\n-DOCSTART- O\n# doc_id = x\n")


def test_a_byte_order_mark_is_refused():
    with pytest.raises(CorpusError, match="ByteOrderMark"):
        parse(b"\xef\xbb\xbfa O\n", "1")


def test_what_is_written():
    text = "\nSeen by Dr.\u00a0Who  \n\nMRN:77|ab\r\n"
    spans = (Annotation(13, 18, "DOCTOR"), Annotation(24, 26, "ID"), Annotation(27, 28, "X"))
    assert render([AnnotatedDocument("é 7 ", text, spans)]).decode() == (
        f"{HEAD}-DOCSTART-\tO\t_\n\n"
        "# doc_id = é 7\\s\n# spaces_before = \\n\n"
        "Seen\tO\t_\n"
        "by\tO\t_\n"
        "Dr\tO\tSpaceAfter=No\n"
        ".\tO\tSpacesAfter=\\u00a0\n"
        "Who\tB-DOCTOR\tSpacesAfter=\\s\\s\\n\\n|SpanAfter=2\n"
        "\n"
        "MRN\tO\tSpaceAfter=No\n"
        ":\tO\tSpaceAfter=No\n"
        "77\tB-ID\tSpaceAfter=No\n"
        "|\tO\tSpaceAfter=No\n"
        "a\tB-X\tSpaceAfter=No\n"
        "b\tO\tSpacesAfter=\\r\\n\n"
        "\n"
    )


def test_a_sentence_does_not_end_inside_of_a_span():
    text = "He left. The nurse left. She came."
    lines = render([AnnotatedDocument("1", text, (Annotation(3, 12, "X"),))]).decode().split("\n\n")
    assert [part.split("\t")[0] for part in lines[2:]] == ["She", ""]
    assert "left\tB-X" in lines[1] and "The\tI-X" in lines[1]


@pytest.mark.parametrize(
    ("span", "fault"),
    [
        (Annotation(2, 3, "X"), "BlankSpan"),
        (Annotation(0, 1, "A B"), "BadLabel"),
        (Annotation(0, 1, "A\0"), "BadLabel"),
        (Annotation(0, 1, "\n"), "BadLabel"),
        (Annotation(0, 1, "\ud800"), "LoneSurrogate"),
    ],
)
def test_spans_that_have_no_tokens_or_tags_are_refused(span, fault):
    with pytest.raises(CorpusError) as caught:
        render([AnnotatedDocument("0", ""), AnnotatedDocument("1", "Dr Who", (span,))])
    assert (caught.value.line, caught.value.fault) == (2, fault)


@given(st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from(" \\|\t\n\r\x85\u2028")))
def test_any_id_survives(doc_id):
    document = AnnotatedDocument(doc_id, "x")
    assert read(render([document]).decode()) == [document]
    assert len(render([document]).splitlines()) == 6


@given(st.text(st.sampled_from(" \t\n\r\x0b\x85\xa0\u2028\u3000ab.")))
def test_other_readers_see_the_same_lines(text):
    # Nothing that some library takes for the end of a line is left in one.
    written = render([AnnotatedDocument("1", text)]).decode()
    assert written.splitlines() == written.removesuffix("\n").split("\n")
