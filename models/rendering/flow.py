"""The text of markup as it flows: characters with their places, blanks that collapse, joins.

A scanner says what it meets, from left to right; a `Flow` keeps it as *runs*, of which the view is
made at once. Blanks and boundaries wait until text follows: a boundary takes in the blanks around
it, and none stands at the beginning or end of the text.
"""

from __future__ import annotations

import array
import dataclasses
from collections.abc import Callable, Sequence

import numpy as np

from ..core.arrays import Flags, Ints
from ..core.errors import DocumentError
from ..core.views import Edit, View
from ..core.written_texts import UNMAPPED, Mapped, Removed, Writer

Filler = Callable[[int, int], str]
"""What must stand where a range of the source is left out, lest its neighbours become one."""


def _unfilled(low: int, high: int) -> str:
    return ""


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Flowing(Mapped):
    """A source with characters that stand in several places, and gaps that may have to be filled.

    Attributes:
        owners: offsets of characters of the text, in order, one for each of `more`.
        more: further ranges of the source that they stand for, which go when they go.
        fill: see `Filler`.
    """

    owners: Ints = dataclasses.field(default_factory=lambda: np.zeros(0, np.int64))
    more: Sequence[Removed] = ()
    fill: Filler = _unfilled

    def edits(self, edits: Sequence[Edit]) -> list[Edit]:
        """See `Mapped.edits`; what is left out may be filled."""
        return [
            (low, high, text or (self.fill(low, high) if high > low else ""))
            for low, high, text in Mapped.edits(self, edits)
        ]

    def _places(self, start: int, end: int) -> list[tuple[int, int]]:
        places = Mapped._places(self, start, end)
        first, last = np.searchsorted(self.owners, (start, end))
        return sorted(places + list(self.more[first:last])) if last > first else places


class Flow:
    """What a scanner has met so far.

    Attributes:
        size: characters so far.
        joins: see `OpenedText`.
        removed: see `Mapped`; a scanner appends to it, in order.
    """

    __slots__ = (
        *("_boundary", "_gap", "_line", "_more", "_owners", "_pieces", "_runs"),
        *("joins", "removed", "size"),
    )

    def __init__(self) -> None:
        self.size = 0
        self.joins: list[int] = []
        self.removed: list[Removed] = []
        self._pieces: list[str] = []
        # Characters, place of the first, by how much it moves with each, and how wide each is.
        self._runs = array.array("q")
        self._boundary: tuple[str, int] | None = None
        self._gap: list[Removed] = []
        self._line = True
        self._owners: list[int] = []
        self._more: list[Removed] = []

    @property
    def glued(self) -> bool:
        """Whether the next character would stand right behind text, in the same word perhaps."""
        return not (self._line or self._gap or self._boundary)

    @property
    def in_line(self) -> bool:
        """Whether the next character would stand on a line with text before it."""
        return not (self._line or self._boundary)

    def text(self, piece: str, low: int) -> None:
        """Text that stands in the source as it is, from `low` on."""
        if self._boundary or self._gap:
            self._settle(low)
        self._pieces.append(piece)
        self._runs.extend((len(piece), low, 1, 1))
        self.size += len(piece)
        self._line = False

    def char(self, decoded: str, low: int, high: int) -> None:
        """One character or two for which the range [low, high) stands; none is nothing."""
        if not decoded:
            return
        if self._boundary or self._gap:
            self._settle(low)
        self._pieces.append(decoded)
        self._runs.extend((len(decoded), low, 0, high - low))
        self.size += len(decoded)
        self._line = False

    def also(self, low: int, high: int) -> None:
        """A further range that the last character stands for."""
        self._owners.append(self.size - 1)
        self._more.append((low, high))

    def blank(self, low: int, high: int) -> None:
        """Blanks that collapse."""
        if self._line or self._boundary:
            return
        if self._gap and self._gap[-1][1] == low:
            self._gap[-1] = (self._gap[-1][0], high)
        else:
            self._gap.append((low, high))

    def boundary(self, sign: str, low: int) -> None:
        """The edge of a block or cell, at `low`; of several together one is read, a line's first.

        Args:
            sign: a line feed or a tab.
            low: where it stands.
        """
        self._gap.clear()
        if self._boundary is None:
            self._boundary = (sign, low)
        elif sign == "\n":
            self._boundary = ("\n", self._boundary[1])

    def hard(self, sign: str, low: int, high: int) -> None:
        """A join that is always read: a line break, the end of a paragraph."""
        self._gap.clear()
        if self._boundary:
            self._settle(low)
        self._join(sign, low, high)

    def mapped(self, write: Writer, fill: Filler, names: Sequence[str] = ()) -> Flowing:
        """The source, opened. Ranges that were removed are put in order and joined."""
        runs = np.frombuffer(self._runs, np.int64).reshape(-1, 4)
        counts, lows, steps, widths = runs.T
        firsts = np.cumsum(counts) - counts
        starts = np.repeat(lows - firsts * steps, counts)
        moved = np.repeat(steps, counts)
        starts += np.arange(self.size) * moved
        ends = starts + np.repeat(widths, counts)
        changed: Flags = moved == 0
        apart = ends[:-1] != starts[1:]
        changed[:-1] |= apart
        changed[1:] |= apart
        return Flowing(
            View("".join(self._pieces), starts, ends, changed),
            write,
            self.joins,
            _disjoint(self.removed),
            names,
            np.array(self._owners, np.int64),
            self._more,
            fill,
        )

    def _settle(self, position: int) -> None:
        if self._boundary:
            (sign, low), self._boundary = self._boundary, None
            if self.size:
                self._join(sign, low, position)
            return
        (low, high), *others = self._gap
        self._gap.clear()
        self._owners += [self.size] * len(others)
        self._more += others
        self._pieces.append(" ")
        self._runs.extend((1, low, 0, high - low))
        self.size += 1

    def _join(self, sign: str, low: int, high: int) -> None:
        self.joins.append(self.size)
        self._pieces.append(sign)
        self._runs.extend((1, low, 0, high - low))
        self.size += 1
        self._line = True


def _disjoint(ranges: Sequence[Removed]) -> list[Removed]:
    """Ranges without the empty ones; those that touch are one, for `fill` looks at what follows.

    Raises:
        DocumentError: if two overlap or are out of order.
    """
    found: list[Removed] = []
    for low, high in ranges:
        if high <= low:
            continue
        if found and low <= found[-1][1]:
            if low < found[-1][1]:
                raise DocumentError(UNMAPPED)
            low = found.pop()[0]
        found.append((low, high))
    return found
