"""Scrubline, note by note as the others go; `scrubline_many` and `scrubline_rules` vary it."""

from __future__ import annotations

from collections.abc import Sequence

from scrubline import Scrubber, __version__

from .measured import Program, Stretch

VERSION, DISTRIBUTION = __version__, "scrubline"


def program(scrubber: Scrubber, *, many: bool) -> Program:
    """A scrubber as a program; `many` hands it all notes at once."""

    def scrub(texts: Sequence[str]) -> list[str]:
        if many:
            return [str(text) for text in scrubber.scrub_many(texts)]
        return [scrubber.scrub(text) for text in texts]

    def found(text: str) -> list[Stretch]:
        return [(span.start, span.end) for span in scrubber.spans(text) if span.action != "keep"]

    return Program(scrub, found)


def opened() -> Program:
    """With `en-default` and all rules, one note at a time."""
    return program(Scrubber(), many=False)
