"""What a decoder is: it gives the edits of a text that lead to what a reader sees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..core.views import Edit


class TextDecoder(Protocol):
    """What a module of this package offers for `table.DECODERS`."""

    def edits(self, text: str) -> list[Edit]:
        """The edits of a text, left to right and disjoint, in linear time; never raises."""
        ...


def disjoint(edits: Sequence[Edit]) -> list[Edit]:
    """Those of sorted edits that do not overlap one before."""
    kept: list[Edit] = []
    for edit in edits:
        if not kept or edit[0] >= kept[-1][1]:
            kept.append(edit)
    return kept
