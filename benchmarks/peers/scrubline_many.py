"""Scrubline, all notes at once: `Scrubber().scrub_many(texts)`, which makes batches of 64."""

from __future__ import annotations

from scrubline import Scrubber

from .measured import Program
from .scrubline import DISTRIBUTION, VERSION, program

__all__ = ["DISTRIBUTION", "VERSION", "opened"]


def opened() -> Program:
    """With `en-default` and all rules."""
    return program(Scrubber(), many=True)
