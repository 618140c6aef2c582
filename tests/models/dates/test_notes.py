"""The dates of this project's own notes: how many are read, and that none is moved wrongly."""

import subprocess
import sys

import pytest
from scrubline.models.corpora import read_annotated

from benchmarks.dates import dates_of, score

from ...conftest import BENCHMARKS

NOTES = BENCHMARKS / "notes"


def scored(names, language):
    return score(
        (dates_of(note) for name in names for note in read_annotated(NOTES / f"{name}.jsonl")),
        language,
        None,
    )


@pytest.mark.parametrize(
    ("names", "language", "least"),
    [
        (("review", "world", "practice"), "en", 0.97),
        (("development",), "en", 0.97),
        # With feasts, months and weekdays of languages that have no grammar here.
        (("world-unread",), "en", 0.93),
        (("spanish", "spanish-unread"), "es", 0.90),
    ],
    ids=str,
)
def test_dates_of_notes_are_read_and_none_is_moved_wrongly(names, language, least):
    scores = scored(names, language)
    assert scores["dates"] > 100
    assert scores["share_read"] >= least
    assert scores["wrong"] == 0


@pytest.mark.slow
def test_the_command_prints_a_table_and_a_line_without_any_date():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.dates", NOTES / "review.jsonl", "--language", "en"],
        check=True,
        capture_output=True,
        text=True,
        cwd=BENCHMARKS.parent,
    )
    assert done.stdout.startswith("| precision | read | moved | wrong |")
    assert '"wrong": 0' in done.stdout
    assert "2024" not in done.stdout
