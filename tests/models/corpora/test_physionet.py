"""PhysioNet's files: the notes in one, what locates PHI in others."""

import gzip
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.core.label_maps import load_map
from scrubline.models.corpora import (
    AnnotatedDocument,
    Annotation,
    CorpusError,
    read_annotated,
    remap,
    write_annotated,
)
from scrubline.models.corpora.physionet import parse, render

from .conftest import shown

SECRET = "Abernathy"
TEXTS = (
    b"\nSTART_OF_RECORD=7||||1||||\nSeen by Dr. Who\n\n||||END_OF_RECORD\n\n"
    b"START_OF_RECORD=7||||12||||\nquiet night\n||||END_OF_RECORD\n"
)
SPAN = (Annotation(12, 15, "HCPName"),)


def spans_of(text, phrases=None, locations=None):
    """The spans of one note, 7-1."""
    content = f"START_OF_RECORD=7||||1||||\n{text}\n||||END_OF_RECORD\n".encode()
    lines = [None if x is None else "\n".join(x).encode() for x in (phrases, locations)]
    (document,) = parse([content, *lines])
    assert (document.doc_id, document.text) == ("7-1", text)
    return document.spans


def fault_of(*contents):
    with pytest.raises(CorpusError) as caught:
        parse([c if c is None or isinstance(c, bytes) else c.encode() for c in contents])
    assert SECRET not in str(caught.value)
    return caught.value.line, caught.value.fault


# -- notes


@pytest.mark.parametrize("locations", [None, b"", b"Patient 7\tNote 1\n12\t12\t15\n"])
def test_notes_and_their_spans(locations):
    located = b"" if locations == b"" else b"7 1 12 15 HCPName Who\n"
    first, second = parse([TEXTS, located, locations])
    assert (first.doc_id, first.text) == ("7-1", "Seen by Dr. Who\n")
    assert first.spans == (() if locations == b"" else SPAN)
    assert (second.doc_id, second.text, second.spans) == ("7-12", "quiet night", ())


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        (b"", []),
        (b"\n \r\n\t\n", []),
        (b"START_OF_RECORD=1||||2||||\n||||END_OF_RECORD", [""]),
        (b"START_OF_RECORD=1||||2||||\n\n||||END_OF_RECORD\n", [""]),
        (b"START_OF_RECORD=1||||2||||\n\n\n||||END_OF_RECORD\n", ["\n"]),
        (b"START_OF_RECORD=1||||2||||\na\r\n||||END_OF_RECORD\n", ["a\r"]),
        (b"START_OF_RECORD=1||||2||||\n a START_OF_RECORD=3\n||||END_OF_RECORD\n", None),
        (b"START_OF_RECORD=1||||2||||\n||||\n||||END\n||||END_OF_RECORD\n", ["||||\n||||END"]),
        ("START_OF_RECORD=1||||2||||\n\ufeffé\n||||END_OF_RECORD\n".encode(), ["\ufeffé"]),
    ],
)
def test_what_a_note_is(content, texts):
    found = [document.text for document in parse([content, b"", None])]
    assert found == (texts if texts is not None else [" a START_OF_RECORD=3"])


GOOD = "START_OF_RECORD=7||||1||||\nDr.\n||||END_OF_RECORD\n"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (f"\ufeff{GOOD}", (1, "ByteOrderMark")),
        (GOOD.replace("\n", "\r\n"), (1, "BadLine")),
        (GOOD.replace("RECORD\n", "RECORD\r\n"), (3, "BadLine")),
        (f"{GOOD}\n{SECRET}\n{GOOD}", (5, "BadLine")),
        (f"{GOOD}\n\n{GOOD}", (6, "DuplicateDocId")),
        (GOOD[:-16], (1, "BadLine")),
        (GOOD[:-3], (1, "BadLine")),
        (GOOD + GOOD.replace("7", "8")[:26], (4, "BadLine")),
        (GOOD.replace("Dr.\n", "Dr."), (2, "BadLine")),
        (GOOD.replace("RECORD\n", f"RECORD {SECRET}\n"), (3, "BadLine")),
        (GOOD.replace("Dr.", "START_OF_RECORD=8||||1||||"), (1, "BadLine")),
        (GOOD.replace("Dr.", "a\n\nSTART_OF_RECORD=8||||1||||"), (1, "BadLine")),
        (GOOD.replace("7", ""), (1, "BadLine")),
        (GOOD.replace("7", "x7"), (1, "BadLine")),
        (GOOD.replace("7", "-7"), (1, "BadLine")),
        (GOOD.replace("7", "9" * 10_000), (1, "BadLine")),
        (GOOD.replace("7", "\u0667"), (1, "BadLine")),
        (GOOD.replace("||||\n", "|||| \n"), (1, "BadLine")),
        (GOOD.replace("1||||", "1||||x||||"), (1, "BadLine")),
        (GOOD.encode() + GOOD.replace("7", "8").encode().replace(b"r", b"r\n\xff"), (6, "BadUtf8")),
    ],
)
def test_faults_of_the_texts_are_told_by_line(content, expected):
    assert fault_of(content, b"", None) == expected


# -- what locates PHI


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("Dr. Who", "7 1 4 7 HCPName Who", [(4, 7)]),
        ("Dr. Who", "7\t1\t4\t7\tHCPName\tWho\r", [(4, 7)]),
        ("Dr. Who", "7 1  4 7 HCPName  Dr. Who ".replace("4", "0"), [(0, 7)]),
        ("Dr.\r\nWho", "7 1 0 8 HCPName Dr. Who", [(0, 8)]),
        ("Dr. Who", "7 1 4 7 HCPName", [(4, 7)]),
        ("🙂é Who", "7 1 3 6 HCPName Who", [(3, 6)]),
        ("Who\n", "7 1 0 4 HCPName Who", [(0, 4)]),
    ],
)
def test_phrases_that_are_read(text, line, expected):
    assert spans_of(text, ["", line, " "]) == tuple(
        Annotation(*span, "HCPName") for span in expected
    )


def test_spans_may_overlap_and_come_twice():
    lines = ["7 1 0 3 PTName Who", "7 1 1 2 Other h", "7 1 0 3 PTName Who"]
    found = spans_of("Who", lines, ["Patient 7 Note 1", "0 0 3", "0 0 3", "1 1 2"])
    assert [(s.start, s.end, s.label) for s in found] == [
        (0, 3, "PTName"),
        (1, 2, "Other"),
        (0, 3, "PTName"),
    ]


@pytest.mark.parametrize(
    "lines",
    [
        ("Patient 7\tNote 1", "4\t4\t7"),
        ("", "patient 7 NOTE 1\r", "  4 4 7\r", ""),
        ("Patient  7   Note  1", "4  4\t7"),
    ],
)
def test_offsets_without_types(lines):
    assert spans_of("Dr. Who", None, lines) == (Annotation(4, 7, "PHI"),)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("7 1 1 9 PTName Abernathy", "SpanTextsDiffer"),
        ("7 1 0 9 PTName abernathy", "SpanTextsDiffer"),
        ("7 1 0 9 PTName Aber nathy", "SpanTextsDiffer"),
        ("7 1 0 10 PTName Abernathy", "OffsetOutsideText"),
        ("7 1 0 999999999999999999 PTName Abernathy", "OffsetOutsideText"),
        ("7 1 3 3 PTName", "EmptySpan"),
        ("7 1 9 0 PTName Abernathy", "EmptySpan"),
        ("7 2 0 9 PTName Abernathy", "UnknownRecord"),
        ("07 1 0 9 PTName Abernathy", "UnknownRecord"),
        ("7 1 0 9", "BadLine"),
        ("7 1 -1 9 PTName Abernathy", "BadLine"),
        ("7 1 0 9.0 PTName Abernathy", "BadLine"),
        ("7 1 0 \u0669 PTName Abernathy", "BadLine"),
        (f"7 1 0 {'9' * 10_000} PTName Abernathy", "BadLine"),
        ("7||||1 0 9 PTName Abernathy", "BadLine"),
        ("Abernathy", "BadLine"),
        ("7 1 0 0 9 PTName", "EmptySpan"),
    ],
)
def test_faults_of_phrases_are_told_by_line(line, fault):
    texts = GOOD.replace("Dr.", SECRET)
    assert fault_of(texts, f"7 1 0 9 PTName {SECRET}\n{line}\n", None) == (2, fault)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("0 0 9", (1, "BadLine")),
        ("Patient 7\tNote 1\n0\t1\t9", (2, "BadLine")),
        ("Patient 7\tNote 1\n0\t9", (2, "BadLine")),
        ("Patient 7\tNote 1\n0 0 9 9", (2, "BadLine")),
        ("Patient 7\tNote 1\n0 0 10", (2, "OffsetOutsideText")),
        ("Patient 7\tNote 1\n5 5 5", (2, "EmptySpan")),
        ("Patient 7\tNote 1\n\nPatient 7\tNote 1\n", (3, "DuplicateDocId")),
        ("Patient 7\tNote 2\n", (1, "UnknownRecord")),
        ("Patient 7\tNote 1 x\n", (1, "BadLine")),
        (f"Patient {SECRET}\tNote 1\n", (1, "BadLine")),
        ("\ufeffPatient 7\tNote 1\n", (1, "ByteOrderMark")),
    ],
)
def test_faults_of_offsets_are_told_by_line(lines, expected):
    assert fault_of(GOOD.replace("Dr.", SECRET), None, lines) == expected


def test_other_faults_of_annotations():
    assert fault_of(GOOD, "\ufeff7 1 0 2 PTName Dr", None) == (1, "ByteOrderMark")
    assert fault_of(GOOD, b"\n\xff", None) == (2, "BadUtf8")
    assert fault_of(GOOD, None, None) == (1, "MissingText")
    assert fault_of(None, b"", b"") == (1, "MissingText")


@pytest.mark.parametrize(
    "lines", ["", "Patient 7 Note 1\n0 0 1\n", "Patient 7 Note 1\n0 0 2\n" * 1]
)
def test_files_that_locate_other_spans_are_refused(lines):
    phrases = "7 1 0 2 PTName Dr\n7 1 0 2 Other Dr\n"
    assert fault_of(GOOD, phrases, lines) == (1, "FilesDiffer")


def test_offsets_that_nothing_confirms_are_refused_beyond_ascii():
    texts = GOOD.replace("Dr.", "é Who")
    assert fault_of(texts, None, "Patient 7 Note 1\n2 2 5\n") == (1, "NotAscii")
    assert fault_of(texts, "7 1 2 5 PTName\n", None) == (1, "NotAscii")
    # Counted in bytes.
    assert fault_of(texts, "7 1 3 6 PTName Who\n", None) == (1, "OffsetOutsideText")
    assert fault_of(texts.replace("Who", "Who."), "7 1 3 6 PTName Who\n", None) == (
        1,
        "SpanTextsDiffer",
    )
    assert parse([texts.encode(), b"7 1 2 5 PTName Who\n", b"Patient 7 Note 1\n2 2 5\n"])[0].spans
    assert parse([texts.encode(), None, b"Patient 7 Note 1\n"])[0].spans == ()


@pytest.mark.parametrize(
    ("contents", "where"),
    [
        ((GOOD[:-3], "", None), r"\.text line 1: BadLine"),
        ((GOOD, "7 1\n", None), r"-phi\.phrase line 1: BadLine"),
        ((GOOD, None, "Patient 7 Note 1\n1\n"), r"\.deid line 2: BadLine"),
        ((GOOD.replace("Dr.", "é"), "7 1 0 1 A\n", None), r"\.text line 1: NotAscii"),
    ],
)
def test_errors_say_in_which_of_the_files(contents, where):
    with pytest.raises(CorpusError, match=where):
        parse([None if content is None else content.encode() for content in contents])


# -- writing


def test_what_is_written():
    spans = (Annotation(4, 8, "HCPName"), Annotation(0, 8, "A"))
    documents = [AnnotatedDocument("7-1", "Dr.\nWho\t", spans), AnnotatedDocument("7-02", "", ())]
    assert render(documents) == {
        "id.text": b"START_OF_RECORD=7||||1||||\nDr.\nWho\t\n||||END_OF_RECORD\n\n"
        b"START_OF_RECORD=7||||02||||\n\n||||END_OF_RECORD\n\n",
        "id-phi.phrase": b"7 1 0 8 A Dr. Who \n7 1 4 8 HCPName Who \n",
        "id.deid": b"Patient 7\tNote 1\n0\t0\t8\n4\t4\t8\n\n",
    }
    assert set(render([]).values()) == {b""}


@pytest.mark.parametrize(
    "doc_id", ["", "7", "7-", "-1", "7-1-1", "a-1", "7/1", "7-\u0661", "7-1\n"]
)
def test_ids_that_are_not_two_numbers_are_refused(doc_id):
    with pytest.raises(CorpusError, match="document 1: BadDocId"):
        render([AnnotatedDocument(doc_id, SECRET)])


@pytest.mark.parametrize(
    "text",
    ["||||END_OF_RECORD", f"{SECRET}||||END_OF_RECORD", "START_OF_RECORD=", "a\nSTART_OF_RECORD=1"],
)
def test_texts_with_marks_are_refused(text):
    with pytest.raises(CorpusError, match="document 2: RecordMark") as caught:
        render([AnnotatedDocument("1-1", ""), AnnotatedDocument("1-2", text)])
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("label", ["A B", "A\n", "\u2028", "A\tB", " A"])
def test_labels_with_white_space_are_refused(label):
    with pytest.raises(CorpusError, match="BadLabel"):
        render([AnnotatedDocument("1-1", "x", (Annotation(0, 1, label),))])


@given(text=st.text(st.sampled_from("|aSTEND_OFRC=\n\r 1"), max_size=30))
def test_texts_of_pieces_of_marks_come_back(text):
    (document,) = parse(list(render([AnnotatedDocument("1-1", text)]).values()))
    assert document.text == text


# -- files


@pytest.fixture
def folder(tmp_path):
    spans = (Annotation(0, 3, "PTName"),)
    documents = [AnnotatedDocument("1-1", "Who left.", spans), AnnotatedDocument("1-2", "x")]
    write_annotated(documents, tmp_path / "gold", "physionet")
    assert sorted(p.name for p in (tmp_path / "gold").iterdir()) == [
        "id-phi.phrase",
        "id.deid",
        "id.text",
    ]
    return tmp_path / "gold"


def labels_of(place, form=None):
    return [span.label for document in read_annotated(place, form) for span in document.spans]


def test_a_corpus_is_found_by_its_folder_or_any_of_its_files(folder):
    for form in (None, "physionet"):
        for place in (folder, folder / "id.text", folder / "id-phi.phrase", f"{folder}/id*"):
            assert labels_of(place, form) == ["PTName"]
        assert labels_of(folder / "id.deid", form) == ["PHI"]


def test_one_of_the_files_that_locate_is_enough(folder):
    (folder / "id.deid").unlink()
    assert labels_of(folder) == labels_of(folder / "id.text") == ["PTName"]
    (folder / "id-phi.phrase").rename(folder / "id.deid")
    (folder / "id.deid").write_text("Patient 1\tNote 1\n0\t0\t3\n4\t4\t8\n")
    assert labels_of(folder) == labels_of(folder / "id.text") == ["PHI", "PHI"]


def test_files_that_locate_other_spans_are_refused_in_a_folder(folder):
    (folder / "id.deid").write_text("Patient 1\tNote 1\n4\t4\t8\n")
    with pytest.raises(CorpusError, match="FilesDiffer"):
        labels_of(folder)
    assert labels_of(folder / "id-phi.phrase") == ["PTName"]


def test_what_the_software_found_is_read_only_if_it_is_named(folder, caplog):
    (folder / "id.phi").write_text("Patient 1\tNote 1\n4\t4\t8\n\nPatient 1\tNote 2\n")
    with caplog.at_level(logging.WARNING):
        assert labels_of(folder) == ["PTName"]
    assert "1 files are left out" in caplog.text
    for form in (None, "physionet"):
        (document, _) = read_annotated(folder / "id.phi", form)
        assert document.spans == (Annotation(4, 8, "PHI"),)


def test_compressed_files(folder):
    for path in list(folder.iterdir()):
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    assert labels_of(folder) == labels_of(folder / "id.text.gz") == ["PTName"]


def test_half_a_corpus_is_refused(folder):
    (folder / "id.text").rename(folder / "other.text")
    for place in (folder, folder / "id.deid", folder / "other.text"):
        for form in (None, "physionet"):
            with pytest.raises(UsageError, match="one is missing"):
                labels_of(place, form)


def test_a_lone_text_beside_another_corpus_is_left_out(folder, tmp_path, caplog):
    (tmp_path / "mixed").mkdir()
    write_annotated([AnnotatedDocument("1", "x")], tmp_path / "mixed/a.jsonl")
    (tmp_path / "mixed/readme.text").write_text("no corpus")
    with caplog.at_level(logging.WARNING):
        assert len(list(read_annotated(tmp_path / "mixed"))) == 1
    assert "1 files are left out" in caplog.text


def test_a_file_with_another_ending_is_refused(folder):
    (folder / "id.text").rename(folder / "notes.dat")
    with pytest.raises(UsageError, match=r"\.text -phi\.phrase \.deid \(physionet\)"):
        labels_of(folder / "notes.dat", "physionet")


def test_types_are_mapped_to_native_labels_and_back():
    (document,) = parse([GOOD.encode(), b"7 1 0 2 HCPName Dr\n", None])
    native = remap(document, load_map("physionet").apply)
    assert [span.label for span in native.spans] == ["DOCTOR"]
    back = remap(native, load_map("physionet", "from_native").apply)
    assert shown([back]) == shown([document])
