"""Known cases of each label: what the English model and the rules must find, and what they miss.

`<LABEL>.txt` has a case a line, all its PHI marked (docs/annotation.md). Anyone can add lines. A
line that begins with `? ` is a known failure, and must keep failing: when it passes, the sign is
taken away. `pytest tests/models/cases --update-golden` sets and takes away the signs; look at the
difference before you commit it.
"""

from pathlib import Path

import pytest
from scrubline.models.core.labels import LABELS, UNKNOWN_KIND
from scrubline.models.corpora.inline import parse_marked
from scrubline.models.scrubber import Scrubber

FOLDER = Path(__file__).parent
OF_KNOWN_KIND = [label for label in LABELS if label != UNKNOWN_KIND]
"""The English model and the rules say of what kind all PHI is."""

MODEL = "en-default"
KNOWN_FAILURE = "? "
LEAST = 8


@pytest.fixture(scope="module")
def scrubber():
    return Scrubber(MODEL)


def lines_of(label):
    return (FOLDER / f"{label}.txt").read_text("utf-8").rstrip("\n").split("\n")


def is_case(line):
    return bool(line.strip()) and not line.startswith("#")


def passes(scrubber, line):
    """Whether just what is marked is found, with its labels."""
    text, spans = parse_marked(line.removeprefix(KNOWN_FAILURE))
    (found,) = scrubber.entities(text)
    return [(s.start, s.end, s.label) for s in spans] == [(f.start, f.end, f.label) for f in found]


@pytest.mark.parametrize("label", OF_KNOWN_KIND)
def test_known_cases(scrubber, label, request):
    lines = lines_of(label)
    wrong = []
    for number, line in enumerate(lines, 1):
        if not is_case(line):
            continue
        known = line.startswith(KNOWN_FAILURE)
        if passes(scrubber, line) == known:
            wrong.append(number)
            lines[number - 1] = line.removeprefix(KNOWN_FAILURE) if known else KNOWN_FAILURE + line
    if wrong and request.config.getoption("--update-golden"):
        (FOLDER / f"{label}.txt").write_text("\n".join(lines) + "\n", "utf-8")
        return
    assert wrong == [], f"{label}.txt, lines that changed: {wrong}"


@pytest.mark.parametrize("label", OF_KNOWN_KIND)
def test_every_label_has_cases(label):
    cases = [
        parse_marked(line.removeprefix(KNOWN_FAILURE)) for line in lines_of(label) if is_case(line)
    ]
    assert sum(any(s.label == label for s in spans) for _, spans in cases) >= LEAST
    assert {s.label for _, spans in cases for s in spans} <= set(LABELS)
