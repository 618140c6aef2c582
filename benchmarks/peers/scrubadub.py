"""scrubadub with its default detectors, which look for no names of people and no dates."""

from __future__ import annotations

from collections.abc import Sequence

from scrubadub import Scrubber

from .measured import Program, Stretch

VERSION, DISTRIBUTION = "", "scrubadub"


def opened() -> Program:
    """As `scrubadub.clean` does, opened once."""
    scrubber = Scrubber()

    def scrub(texts: Sequence[str]) -> list[str]:
        return [scrubber.clean(text) for text in texts]

    def found(text: str) -> list[Stretch]:
        return [(one.beg, one.end) for one in scrubber.iter_filth(text)]

    return Program(scrub, found)
