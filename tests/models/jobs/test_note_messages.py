"""Laws of notes as messages: what is read in one is what was written, whatever the note says."""

import base64
import json
import xml.etree.ElementTree as etree

import hl7
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree as lxml_etree
from scrubline.models.core.budgets import Budgets
from scrubline.models.core.errors import UsageError
from scrubline.models.formats import FORMATS, Chunk
from scrubline.models.formats.column_roles import Columns
from scrubline.models.jobs.note_messages import NoteWriter, require_message_roles
from scrubline.models.jobs.note_rows import NoteReader
from scrubline.models.messages.plain import PLAIN_MESSAGES
from scrubline.models.messages.plain_notes import PlainNote

from ...examples import examples

CDA = "{urn:hl7-org:v3}"
NO_TEXT = set(map(chr, {*range(32), 127} - {9, 10, 11, 12, 13, 27}))
_SIGNS = st.sampled_from(
    ["\r", "\n", "\r\n", "|", "^", "~", "\\", "&", "\\.br\\", "\\X0D\\", "\\T\\", '""', "MSH|^~\\&"]
    + ["BTS|1", "FHS|", "\x0b", "\x1c", "\x0c", "\x01", "\x7f", "\x85", "\u2028", "\ufeff", "🙂"]
    + ["é", "<p>", "</p>", "<b>x</b>", "&amp;", "{\\rtf1 x}", "<?xml", "]]>", " ", "\t", "Dr. Who"]
)
TEXTS = st.lists(_SIGNS | st.text(st.characters(exclude_categories=["Cs"]), max_size=4)).map(
    "".join
)
IDS = st.text("abcXYZ019.-", min_size=1, max_size=20)
ANY_ID = TEXTS.map(str.strip).filter(bool)
DATES = st.sampled_from(
    ["2019", "2019-02", "2019-02-11", "2019-02-11T06:52:07+01:00", "2019-02-11T06:52:07.25-05:00"]
)


def read_as_table(texts):
    """Notes of a table with a column of texts, as `scrub` reads it."""
    table = pa.table({"id": [str(n) for n in range(len(texts))], "text": texts})
    columns = Columns.parse([("id", "id"), ("text", "text")])
    return NoteReader(columns, Budgets()).notes(FORMATS["parquet"], Chunk(table, {}), {})


def read_as_messages(grammar, records):
    columns = Columns.of_record(grammar, ()).resolved(())
    table = pa.table({grammar: pa.array(records, pa.string())})
    return NoteReader(columns, Budgets()).notes(FORMATS[grammar], Chunk(table, {}), {})


@pytest.mark.parametrize("grammar", PLAIN_MESSAGES)
@examples(150)
@given(text=TEXTS, own=IDS, patient=st.none() | IDS, visit=st.none() | IDS, date=st.none() | DATES)
def test_a_row_that_becomes_a_message_is_read_as_it_was(grammar, text, own, patient, visit, date):
    read = read_as_table([text])
    if read.failures:
        return  # of broken markup, as in a run
    note = read.notes[0]._replace(doc_id=own, patient=patient, visit=visit, date=date)
    made = NoteWriter(grammar).messages([note])
    held = "\0" not in text if grammar == "hl7" and not note.markup else NO_TEXT.isdisjoint(text)
    if not made.records:
        lines_differ = grammar == "hl7" and not NO_TEXT.isdisjoint(text)
        assert not held or lines_differ
        assert set(made.failures.values()) == {"BadCharacter"}
        return
    (again,) = read_as_messages(grammar, made.records).notes
    expected = own if grammar != "fhir" else f"DocumentReference/{own}"
    assert (again.doc_id, again.patient, again.visit) == (expected, patient, visit)
    assert (again.date, again.text) == (date, note.text if grammar == "hl7" else note.text or None)


@examples(150)
@given(own=ANY_ID, patient=st.none() | ANY_ID, kind=st.none() | TEXTS)
def test_any_id_is_one_of_hl7_or_is_refused(own, patient, kind):
    note = PlainNote(0, "text", own, patient, None, kind, None, None, "a", "a")
    made = NoteWriter("hl7").messages([note])
    if made.records:
        (again,) = read_as_messages("hl7", made.records).notes
        assert (again.doc_id, again.patient) == (own, patient)
    else:
        assert made.failures[0] in ("BadCharacter", "NotReadBack")


@examples(100)
@given(text=TEXTS.filter(lambda one: "\0" not in one))
def test_another_reader_of_hl7_reads_the_same_text(text):
    note = PlainNote(0, "text", "7", "p", None, "t", "2019", None, text, text)
    if not (records := NoteWriter("hl7").messages([note]).records):
        return
    message = hl7.parse(records[0])
    assert (message["MSH.F10"], message["PID.F3"]) == ("7", "p")
    lines = []
    for segment in message.segments("OBX"):
        if str(segment[2]) == "ED":
            data = str(segment[5]).split("^")[4]
            assert base64.b64decode(data).decode() == text
            return
        # It knows `\.br\` and `\Xhh\` of pairs of digits, and the escapes of delimiters.
        lines.append(message.unescape(str(segment[5])))
    assert "\n".join(lines) == text


@examples(100)
@given(text=TEXTS)
def test_another_reader_of_xml_and_json_reads_the_same_text(text):
    if not NO_TEXT.isdisjoint(text) or not text:
        return
    note = PlainNote(0, "text", "7", "p", None, None, "2019", None, text, text)
    document = lxml_etree.fromstring(PLAIN_MESSAGES["ccda"].make(note, as_data=True).encode())
    assert (
        etree.fromstring(PLAIN_MESSAGES["ccda"].make(note, as_data=True)).tag
        == f"{CDA}ClinicalDocument"
    )
    assert base64.b64decode(document.findtext(f".//{CDA}nonXMLBody/{CDA}text")).decode() == text
    resource = json.loads(PLAIN_MESSAGES["fhir"].make(note, as_data=True))
    assert base64.b64decode(resource["content"][0]["attachment"]["data"]).decode() == text


@pytest.mark.parametrize("text", ["a\n<p>b</p>", 'a\n""\nb', '""', "a\n{\\rtf1 b}"])
def test_lines_that_would_be_read_otherwise_alone_are_encoded(text):
    (note,) = read_as_table([text]).notes
    (record,) = NoteWriter("hl7").messages([note]).records
    assert "|ED|" in record
    (again,) = read_as_messages("hl7", [record]).notes
    assert again.text == text


def test_markup_stays_markup():
    (note,) = read_as_table(["<p>Seen by <b>Dr.</b> Who</p>"]).notes
    assert (note.text, note.markup) == ("Seen by Dr. Who", "html")
    for grammar in PLAIN_MESSAGES:
        (record,) = NoteWriter(grammar).messages([note]).records
        assert base64.b64encode(b"<p>Seen by <b>Dr.</b> Who</p>").decode() in record
        assert read_as_messages(grammar, [record]).notes[0].text == note.text


def test_what_cannot_be_a_message_is_told_by_row():
    notes = [
        PlainNote(0, "text", "a", text="x", source="x"),
        PlainNote(1, "text", "b", date="3/4/2019"),
        PlainNote(2, "text", "c", text="\0", source="\0"),
        PlainNote(3, "text", '""', text="x", source="x"),
        PlainNote(4, "text", "e", text="y", source="y"),
    ]
    made = NoteWriter("hl7").messages(notes)
    assert made.failures == {1: "BadDate", 2: "BadCharacter", 3: "NotReadBack"}
    assert [record.split("|")[9] for record in made.records] == ["a", "e"]


def test_lone_surrogates_of_a_table_are_refused_when_it_is_read():
    form, columns = FORMATS["jsonl"], Columns.parse([("id", "id"), ("text", "text")])
    table = pa.table({"id": ['"1"', '"2"'], "text": ['"\\ud83d"', '"\\ud83d\\ude42"']})
    read = NoteReader(columns, Budgets()).notes(form, Chunk(table, {}), {})
    assert read.failures == {0: "LoneSurrogate"}
    assert [note.text for note in read.notes] == ["🙂"]


@pytest.mark.parametrize(
    ("roles", "grammar", "said"),
    [
        ([("a", "pass"), ("b", "known:name")], "hl7", "no place for the columns ['a', 'b']"),
        ([("a", "birth")], "fhir", "no place for the columns ['a']"),
        ([("a", "text")], "hl7", "one column may have role text"),
        ([("a", "date"), ("b", "date")], "hl7", "one column may have role date"),
        ([("a", "hash"), ("b", "hash")], "ccda", "one column may have role hash"),
    ],
)
def test_roles_without_a_place(roles, grammar, said):
    columns = Columns.parse([("id", "id"), ("text", "text"), *roles])
    with pytest.raises(UsageError) as refused:
        require_message_roles(columns, grammar)
    assert said in str(refused.value)


def test_lists_of_texts_are_refused():
    columns = Columns.parse([("id", "id"), ("notes[].text", "text")]).resolved(["id", "notes"])
    with pytest.raises(UsageError, match="one text a row"):
        require_message_roles(columns, "hl7")
