"""Raw notes: placeholders and names are replaced, lines that nothing explains are left out."""

import json

import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.synth.raw import mix_in, read_raw

NOTE = """HISTORY
The patient was seen by Dr. XYZ and by Dr. X for Parkinson disease. He takes metoprolol daily.
Mr. A denies chest pain since March 2014.
He walked with Quorblax to the store and came back.
No murmur. Lungs are clear to auscultation bilaterally.
"""


def texts_of(note, label):
    return [note.text[s.start : s.end] for s in note.spans if s.label == label]


def test_placeholders_and_dates_are_replaced_and_labelled():
    for seed in range(6):
        (note,) = mix_in([NOTE], seed=seed)
        low = note.text.lower()
        assert "dr. xyz" not in low
        assert "mr. a denies" not in low
        assert "parkinson" in low
        assert len(texts_of(note, "DOCTOR")) >= 2
        assert texts_of(note, "PATIENT")
        assert texts_of(note, "DATE")
        assert "quorblax" not in low


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("617-555-0142", "call 617-555-0142 with any question"),
        ("078-05-1120", "SSN 078-05-1120 on file"),
        ("4471882", "his MRN: 4471882 was checked"),
        ("jo.roe@mail.example", "write to jo.roe@mail.example soon"),
        ("80 Elder Street", "lives at 80 Elder Street with a cat"),
        ("10.1.2.3", "from IP 10.1.2.3 of the ward"),
        ("99-1234", "account number: 99-1234 is open"),
    ],
)
def test_numbers_and_addresses_are_replaced_too(words, line):
    (note,) = mix_in([f"The patient was seen for chest pain today and is well.\n{line}\n"], seed=3)
    assert words not in note.text.replace("\n", " ")


@pytest.mark.parametrize("name", ["J. Halvorsen", "A Jones", "WONG-KAMINSKI", "ANN KOWALCZYK"])
def test_an_initial_before_a_name_is_no_placeholder(name):
    line = f"The patient was referred by Dr. {name} for follow up of pain in the left knee."
    for note in mix_in([line], seed=2):
        assert name.replace("-", " ").split(" ")[-1].lower() not in note.text.lower()


def test_the_same_seed_gives_the_same_notes():
    assert list(mix_in([NOTE] * 3, seed=1)) == list(mix_in([NOTE] * 3, seed=1))
    assert list(mix_in([NOTE] * 3, seed=1)) != list(mix_in([NOTE] * 3, seed=2))


def test_a_note_of_which_nothing_is_left_is_left_out():
    assert (
        list(mix_in(["short", "He met Quorblax Zemph in the hall of the large house."], seed=1))
        == []
    )


def test_texts_are_read_and_dialogues_left_out(tmp_path):
    rows = [{"text": "one note"}, {"text": "[doctor] hello\n[patient] hello"}]
    (tmp_path / "raw.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    (tmp_path / "other.txt").write_text("another note")
    (tmp_path / "README.md").write_text("no note")
    assert read_raw(str(tmp_path)) == ["another note", "one note"]


@pytest.mark.parametrize(
    "content",
    [b"\xff", b"{", b"[1]", b'{"body": "x"}', b'{"text": null}', b'{"text": ["a"]}', b"[" * 99_999],
)
def test_what_is_no_note_is_refused_by_its_ordinal(tmp_path, content):
    (tmp_path / "raw.jsonl").write_bytes(content)
    with pytest.raises(UsageError, match="raw file 1"):
        read_raw(str(tmp_path))


@pytest.mark.parametrize("text", ["x" * 6_000_000, "a note with \ud800 half a pair in it"])
def test_a_note_that_cannot_be_read_is_named_by_its_ordinal(text):
    with pytest.raises(UsageError, match="raw note 2: (OverBudget|LoneSurrogate)"):
        list(mix_in([NOTE, text], seed=1))


def test_a_folder_without_notes_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("x")
    with pytest.raises(UsageError, match="no raw notes"):
        read_raw(str(tmp_path))
