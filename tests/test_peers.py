"""Peers beside Scrubline: what is counted of them, and the tables; no peer is set up here."""

import argparse
import json
import sys
from pathlib import Path

import pytest

from benchmarks.peers import __main__ as peers
from benchmarks.peers import environments
from benchmarks.peers.measured import counted, touched

OURS, THEIRS = peers.PEERS[0], next(peer for peer in peers.PEERS if peer.name == "presidio")
COUNTS = {
    **{"names": 4, "names_touched": 3, "marked": 10, "touched": 5},
    **{"removed": 40, "needless": 10},
}


def run(spent, **others):
    about = {"notes": 10, "words": 1_000, "opening": 2.0, "counts": None, "version": "1.2"}
    return {**about, "spent": spent, "yardstick": [0.1, 0.3], "load": [0.5, 0.6], **others}


@pytest.mark.parametrize(
    ("found", "expected"),
    [([], False), ([(0, 4)], False), ([(0, 5)], True), ([(7, 8)], True), ([(8, 9)], False)],
)
def test_one_character_of_a_stretch_touches_it(found, expected):
    assert touched(found, 4, 8) is expected


def test_names_marks_and_needless_characters_are_counted_without_blanks():
    note = {
        "text": "Seen by Ann Poe on 3/4.",
        "spans": [
            {"start": 8, "end": 15, "label": "DOCTOR"},
            {"start": 19, "end": 22, "label": "DATE"},
        ],
    }
    assert counted([note], lambda text: [(5, 11), (10, 12)]) == {
        **{"names": 1, "names_touched": 1, "marked": 2, "touched": 1},
        **{"removed": 5, "needless": 2},
    }


def test_speed_is_told_beside_that_of_the_first_of_ours():
    rows = peers.rows_of({OURS: [run(2.0), run(4.0)], THEIRS: [run(60.0), run(60.0)]})
    assert rows[0] == (*(OURS.title, "15.0 (10.0)", "3.3", "333", "1 times as fast", "2.0 s"),)
    assert rows[1][1] == "300.0 (300.0)"
    assert rows[1][4] == "0.05 times as fast"


def test_speed_without_ours_is_beside_nothing():
    assert peers.rows_of({THEIRS: [run(2.0)]})[0][4] == ""


def test_what_is_found_is_told_of_the_runs_that_read_gold():
    rows = peers.found_of({OURS: [run(1.0, counts=COUNTS), run(1.0)], THEIRS: [run(1.0)]})
    assert rows == [(OURS.title, "75.0%", "50.0%", "25.0%")]


def test_notes_are_the_same_each_time_and_none_is_frozen(tmp_path):
    first, again = peers.notes_of(None, 5), peers.notes_of(tmp_path, 5)
    assert first == again
    assert {name: len(notes) for name, notes in first.items()} == {"notes dense in PHI": 5}
    frozen = (peers.NOTES / "frozen.sha256").read_text("utf-8")
    assert "practice" not in frozen
    assert "review" not in frozen


def test_each_peer_has_a_module_and_frozen_versions_of_its_own():
    for peer in peers.PEERS:
        assert (environments.HERE / f"{peer.name}.py").is_file()
        frozen = environments.HERE / f"requirements/{peer.name}.txt"
        assert frozen.is_file() is not peer.is_ours
        if not peer.is_ours:
            lines = frozen.read_text("utf-8").splitlines()
            assert all("==" in line for line in lines)


def test_a_peer_sees_nothing_of_this_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONPATH", "somewhere")
    variables = environments.variables_of("philter", tmp_path)
    assert "PYTHONPATH" not in variables
    assert variables["OMP_NUM_THREADS"] == "1"
    assert variables["NLTK_DATA"] == str(tmp_path / "nltk_data")


def test_an_environment_is_made_once_for_what_is_frozen(monkeypatch, tmp_path):
    asked = []
    done = argparse.Namespace(returncode=0)
    monkeypatch.setattr(environments.venv, "create", lambda own, **_: own.mkdir(parents=True))
    monkeypatch.setattr(
        environments.subprocess, "run", lambda words, **_: asked.append(words) or done
    )
    first = environments.python_of("scrubadub", tmp_path)
    assert (
        environments.python_of("scrubadub", tmp_path) == first == tmp_path / "scrubadub/bin/python"
    )
    assert len(asked) == 1


def test_a_peer_that_cannot_be_installed_is_left_out(monkeypatch, tmp_path, capsys):
    failed = argparse.Namespace(returncode=1)
    monkeypatch.setattr(environments.venv, "create", lambda own, **_: own.mkdir(parents=True))
    monkeypatch.setattr(environments.subprocess, "run", lambda words, **_: failed)
    found = peers.pythons_of([OURS, THEIRS], tmp_path, None)
    assert found == {OURS: Path(sys.executable)}
    assert "left out: presidio" in capsys.readouterr().err


def test_the_tagger_of_philter_needs_a_corpus(tmp_path):
    with pytest.raises(environments.NotThere, match="SCRUBLINE_CORPORA"):
        environments.prepare("philter", Path(sys.executable), tmp_path, tmp_path)


def test_the_last_line_of_a_peer_is_what_it_says(monkeypatch, tmp_path):
    said = f"a peer may greet\n{json.dumps(run(1.0))}\n".encode()
    done = argparse.Namespace(returncode=0, stdout=said)
    monkeypatch.setattr(peers.subprocess, "run", lambda *_, **__: done)
    assert peers.process(THEIRS, Path("python"), Path("notes"), tmp_path, True) == run(1.0)


def test_a_peer_that_ends_badly_is_left_out_and_the_others_go_on(monkeypatch, tmp_path, capsys):
    def process(peer, *_):
        if peer is THEIRS:
            raise peers.NotThere("it ended with 1")
        return run(1.0)

    monkeypatch.setattr(peers, "process", process)
    options = argparse.Namespace(repeats=2, folder=tmp_path)
    pythons = {OURS: Path("ours"), THEIRS: Path("theirs")}
    assert peers.measure(pythons, ["a note"], options, False) == {OURS: [run(1.0)] * 2}
    assert "left out: presidio: it ended with 1" in capsys.readouterr().err
