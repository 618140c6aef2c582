"""A view: a range of a text as a reader sees it, and where in the text each character came from.

What systems write between or instead of letters (entities, escapes, joiners, codes of terminals)
hides identifiers from detectors. Decoders (`models.views`) take it away by *edits*; no edit makes a
text longer.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from .arrays import Flags, Ints, code_points, require_equal_lengths
from .spans import Candidate

Edit = tuple[int, int, str]
"""Start, end and replacement; the replacement is not longer than the range, and may be empty."""


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class View:
    """A range of a text, decoded.

    Attributes:
        text: as decoded.
        starts, ends: for each of its characters the range of the original that it stands for, in
            code points of the document. Both never fall from one character to the next.
        changed: whether the character was decoded, or stands beside something that was left out.
    """

    text: str
    starts: Ints
    ends: Ints
    changed: Flags

    def __post_init__(self) -> None:
        rows = require_equal_lengths(
            "View", starts=self.starts, ends=self.ends, changed=self.changed
        )
        if rows != len(self.text):
            raise ValueError("View: expected a place for each character of the text")

    @classmethod
    def of(cls, text: str, low: int, high: int) -> View:
        """The range [low, high) of a text as it is."""
        places = np.arange(low, high, dtype=np.int64)
        return cls(text[low:high], places, places + 1, np.zeros(high - low, np.bool_))

    def edited(self, edits: Sequence[Edit]) -> View:
        """The view after edits of its text.

        Raises:
            ValueError: if edits overlap, are out of order or make the text longer.
        """
        if not edits:
            return self
        size = len(self.text)
        lows, highs = np.array([edit[:2] for edit in edits], np.int64).T
        lengths = np.array([len(edit[2]) for edit in edits], np.int64)
        bounds = np.stack((lows, highs), axis=1).ravel()
        if bounds[0] < 0 or bounds[-1] > size or (np.diff(bounds) < 0).any():
            raise ValueError("View: edits must be disjoint, left to right")
        if (lengths > highs - lows).any():
            raise ValueError("View: an edit must not make the text longer")
        starts, ends, changed = self.starts.copy(), self.ends.copy(), self.changed.copy()
        # A replacement takes the first places of what it replaces, the others are left out.
        taken = np.repeat(lows, lengths) + _counted(lengths)
        starts[taken] = np.repeat(self.starts[lows], lengths)
        ends[taken] = np.repeat(self.ends[highs - 1], lengths)
        changed[taken] = True
        changed[np.maximum(lows - 1, 0)] = True
        changed[np.minimum(highs, size - 1)] = True
        left = highs - lows - lengths
        kept = np.ones(size, np.bool_)
        kept[np.repeat(lows + lengths, left) + _counted(left)] = False
        return View(applied(self.text, edits), starts[kept], ends[kept], changed[kept])

    def changed_lines(self) -> Flags:
        """For each character, whether something was changed on its line."""
        lines = np.cumsum(code_points(self.text) == ord("\n"))
        hit = np.zeros(int(lines[-1]) + 1 if len(lines) else 1, np.bool_)
        hit[lines[self.changed]] = True
        found: Flags = hit[lines]
        return found

    def original(self, candidate: Candidate) -> Candidate:
        """A candidate of the view's text as one of the document."""
        return candidate._replace(
            start=int(self.starts[candidate.start]), end=int(self.ends[candidate.end - 1])
        )


def applied(text: str, edits: Sequence[Edit]) -> str:
    """A text after edits, which are in order and disjoint."""
    pieces: list[str] = []
    position = 0
    for start, end, replacement in edits:
        pieces += (text[position:start], replacement)
        position = end
    return "".join((*pieces, text[position:]))


def _counted(lengths: Ints) -> Ints:
    """0, 1, ... for each length, one after another."""
    found: Ints = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return found
