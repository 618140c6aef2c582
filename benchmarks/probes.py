"""Clinical phrases in context that must stay: read, and which of them a scrubber removes.

`tests/models/utility/probes.txt` has a line a context, the phrases that must stay marked
`⟦KEEP:...⟧`, under headings of their kinds. Anyone can add lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from scrubline.models.corpora import Annotation
from scrubline.models.corpora.inline import parse_marked
from scrubline.models.scrubber import Scrubber

PROBES = Path(__file__).resolve().parents[1] / "tests" / "models" / "utility" / "probes.txt"


class Probe(NamedTuple):
    """One context.

    Attributes:
        kind: its heading.
        line: in the file, from 1.
        text: without marks.
        phrases: that must stay.
    """

    kind: str
    line: int
    text: str
    phrases: tuple[Annotation, ...]


def read_probes() -> list[Probe]:
    """All probes, in the order of the file."""
    kind, probes = "", []
    for number, line in enumerate(PROBES.read_text("utf-8").split("\n"), 1):
        if line.startswith("#"):
            kind = line.lstrip("# ")
        elif line.strip():
            probes.append(Probe(kind, number, *parse_marked(line)))
    return probes


def lost(scrubber: Scrubber, probes: Sequence[Probe]) -> list[Probe]:
    """For each phrase of which something would be removed its probe."""
    removed = scrubber.candidates(*(probe.text for probe in probes))
    return [
        probe
        for probe, found in zip(probes, removed, strict=True)
        for phrase in probe.phrases
        if any(one.start < phrase.end and phrase.start < one.end for one in found)
    ]
