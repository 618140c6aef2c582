"""The notes of all sets: what is committed is what their sources say."""

import hashlib
import re

import pytest
from scrubline.models.core.labels import LABELS, UNKNOWN_KIND

from benchmarks.notes.build import HERE, SETS, read_note, read_notes, to_gold

LEAST = {
    **{"development": 150, "practice": 150, "review": 60},
    **{"world": 60, "world-unread": 60},
    **dict.fromkeys(("traps", "traps-unread", "spanish", "spanish-unread"), 30),
}


@pytest.mark.parametrize("name", SETS)
def test_the_gold_is_built_from_the_sources(name):
    notes = read_notes(HERE / name)
    gold = "".join(to_gold(note) + "\n" for note in notes)
    assert (HERE / f"{name}.jsonl").read_text("utf-8") == gold
    assert len(notes) >= LEAST[name]


def test_frozen_notes_are_as_they_were_before_they_were_scored():
    for line in (HERE / "frozen.sha256").read_text("utf-8").splitlines():
        digest, name = line.split()
        assert hashlib.sha256((HERE / name).read_bytes()).hexdigest() == digest, name


@pytest.mark.parametrize("name", ["traps", "traps-unread"])
def test_notes_of_traps_have_no_phi(name):
    assert not any(note.spans for note in read_notes(HERE / name))


def test_all_labels_occur_in_the_development_notes():
    found = {span.label for note in read_notes(HERE / "development") for span in note.spans}
    assert found == set(LABELS) - {UNKNOWN_KIND}


@pytest.mark.parametrize("name", SETS)
def test_numbers_and_addresses_belong_to_nobody(name):
    for note in read_notes(HERE / name):
        for span in note.spans:
            words = note.text[span.start : span.end]
            if span.label == "SSN" and re.fullmatch(r"\d{3}[- ]?\d\d[- ]?\d{4}", words):
                assert re.match(r"000|666|9|\d{3}[- ]?00", words), note.doc_id
            if span.label == "EMAIL":
                assert words.lower().endswith(".example"), note.doc_id


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("no header", "expected '#kind"),
        ("#kind: x\n\n⟦NAME:Ann⟧", "unknown labels"),
        ("#kind: x\n\n⟦DATE:1", "line 1: a mark is not closed"),
    ],
)
def test_a_wrong_source_is_named(tmp_path, source, message):
    path = tmp_path / "n1.txt"
    path.write_text(source)
    with pytest.raises(ValueError, match=r"n1\.txt: .*" + message):
        read_note(path)
