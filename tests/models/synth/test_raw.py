"""Raw notes: placeholders and names are replaced, lines that nothing explains are left out."""

import json

import pytest
from scrubline.models.errors import UsageError
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


@pytest.mark.parametrize("content", [b"\xff", b"{", b"[1]", b'{"body": "x"}'])
def test_what_is_no_note_is_refused_by_its_ordinal(tmp_path, content):
    (tmp_path / "raw.jsonl").write_bytes(content)
    with pytest.raises(UsageError, match="raw file 1"):
        read_raw(str(tmp_path))


def test_a_folder_without_notes_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("x")
    with pytest.raises(UsageError, match="no raw notes"):
        read_raw(str(tmp_path))
