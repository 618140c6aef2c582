"""Scrubline without a model, all notes at once: most peers have rules alone, too."""

from __future__ import annotations

from scrubline import Scrubber

from .measured import Program
from .scrubline import DISTRIBUTION, VERSION, program

__all__ = ["DISTRIBUTION", "VERSION", "opened"]


def opened() -> Program:
    """With all rules."""
    return program(Scrubber(models=None), many=True)
