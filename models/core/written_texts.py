"""Texts that are written within markup or escapes: read as a reader sees them, replaced in place.

A layer opens a *source* (HTML, RTF, the escapes of HL7) and gives the text that is read, with the
place in the source of each of its characters: a `View`, as of texts in disguise. Detectors see the
text alone; what they have replaced becomes edits of the source, and all else in it stays.
"""

from __future__ import annotations

import dataclasses
import itertools
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from .errors import DocumentError
from .views import Edit, View, applied

Removed = tuple[int, int]
"""A range of a source that is left out whatever is found: a comment, the value of an attribute."""

UNMAPPED = "UnmappedMarkup"
"""The error class of a source of which not every character can be placed."""


class OpenedText(Protocol):
    """A source that a layer has opened."""

    @property
    def text(self) -> str:
        """What is read."""

    @property
    def joins(self) -> Sequence[int]:
        """Offsets of characters of the text that stand for what must stay, in order.

        A paragraph, a cell of a table, the sign between two repetitions. No edit covers one.
        """

    def edits(self, edits: Sequence[Edit]) -> list[Edit]:
        """Edits of the text as edits of the source, with what is left out of it anyway.

        Args:
            edits: in order and disjoint; a replacement may have any length, no range is empty.

        Raises:
            DocumentError: if something of a range has no place of its own in the source.
        """


Layer = Callable[[str], OpenedText]
"""Opens a source in linear time.

Raises DocumentError `UNMAPPED` for a source that is not written as its grammar says, so that what
it shows is uncertain; OverBudget "depth" for one that is nested too deeply.
"""

Writer = Callable[[str, int], str]
"""Gives a text as it is written at an offset of the source."""


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Mapped:
    """An opened source, each character of whose text has a place in it.

    Attributes:
        view: of the source.
        write: how replacements are written.
        joins: see `OpenedText`.
        removed: disjoint ranges of the source, in order; nothing of them is in the view.
        names: what its author named in it and what stays, such as elements of XML, as words.
    """

    view: View
    write: Writer
    joins: Sequence[int] = ()
    removed: Sequence[Removed] = ()
    names: Sequence[str] = ()

    @property
    def text(self) -> str:
        """What is read."""
        return self.view.text

    def edits(self, edits: Sequence[Edit]) -> list[Edit]:
        """See `OpenedText`: markup within a range stays, the replacement stands before it."""
        found: list[Edit] = [(low, high, "") for low, high in self.removed]
        for start, end, replacement in edits:
            first, *others = self._places(start, end)
            found.append((*first, self.write(replacement, first[0])))
            found += [(*place, "") for place in others]
        found.sort()
        if any(end > start for (_, end, _), (start, _, _) in itertools.pairwise(found)):
            raise DocumentError(UNMAPPED)
        return found

    def _places(self, start: int, end: int) -> list[tuple[int, int]]:
        """Where the characters [start, end) of the text stand, neighbours as one."""
        places: list[tuple[int, int]] = []
        starts, ends = self.view.starts[start:end].tolist(), self.view.ends[start:end].tolist()
        for low, high in zip(starts, ends, strict=True):
            if places and low <= places[-1][1]:
                places[-1] = (places[-1][0], max(high, places[-1][1]))
            else:
                places.append((low, high))
        return places


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Stack:
    """A source opened by one layer after another: base64 within JSON, HTML within base64.

    Attributes:
        source: as it is written.
        levels: from the outermost on.
    """

    source: str
    levels: tuple[OpenedText, ...]

    @classmethod
    def of(cls, source: str, layers: Sequence[Layer]) -> Stack:
        """Opens a source.

        Raises:
            DocumentError: see `Layer`; also if what must stay of an outer layer lies within an
                inner one.
        """
        levels: list[OpenedText] = []
        text = source
        for layer in layers:
            if levels and levels[-1].joins:
                raise DocumentError(UNMAPPED)
            levels.append(layer(text))
            text = levels[-1].text
        return cls(source, tuple(levels))

    @property
    def text(self) -> str:
        """What is read."""
        return self.levels[-1].text if self.levels else self.source

    @property
    def joins(self) -> Sequence[int]:
        """See `OpenedText`."""
        return self.levels[-1].joins if self.levels else ()

    @property
    def names(self) -> list[str]:
        """What is in no text and stays; see `Mapped`."""
        return [name for one in self.levels if isinstance(one, Mapped) for name in one.names]

    def replaced(self, edits: Sequence[Edit]) -> str:
        """The source with edits of its text.

        Raises:
            DocumentError: if an edit cannot be brought to its place.
        """
        for level in reversed(self.levels):
            edits = level.edits(edits)
        return applied(self.source, edits)

    def placed(self, replacements: Sequence[tuple[int, int, str | None]]) -> list[tuple[int, int]]:
        """Where in the source after `replaced` each range of the text came to lie.

        A replacement lies there as its source writes it; where that is more than itself, it is
        looked for within.

        Args:
            replacements: start, end and what stands there now, None for what stood there before;
                in order and disjoint. The source has one layer, with places.
        """
        (level,) = self.levels
        assert isinstance(level, Mapped)
        edits = level.edits(
            [(low, high, new) for low, high, new in replacements if new is not None]
        )
        lows, highs = [low for low, _, _ in edits], [high for _, high, _ in edits]
        longer = [0, *itertools.accumulate(len(text) - (high - low) for low, high, text in edits)]
        starts, ends = level.view.starts, level.view.ends

        def moved(place: int) -> int:
            return place + longer[bisect_right(highs, place)]

        found = []
        for low, high, new in replacements:
            first = int(starts[low])
            begin = moved(first)
            if new is None:
                found.append((begin, moved(int(ends[high - 1]))))
                continue
            text = edits[bisect_right(lows, first) - 1][2] if new else ""
            within = max(text.find(new), 0)
            size = len(new) if text.startswith(new, within) else len(text)
            found.append((begin + within, begin + within + size))
        return found


class TextPiece(NamedTuple):
    """A part of a document, and where it stands.

    Attributes:
        place: column, or place within one, of the row.
        stack: its source, opened.
        layers: by which it was opened.
    """

    place: str
    stack: Stack
    layers: Sequence[Layer]


JOIN = "\n"
"""Between the parts of a document; no character of the input, and never removed."""


def joins_between(starts: Sequence[int]) -> tuple[int, ...]:
    """Offsets of the joins of parts that begin at `starts`."""
    return tuple(start - len(JOIN) for start in starts[1:])


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class WrittenText:
    """A document as it is written in its row: one piece or more, each with its own source.

    Attributes:
        pieces: in the order in which they are read.
        recognised: the kind of markup, where nobody declared it; else empty.
    """

    pieces: tuple[TextPiece, ...]
    recognised: str = ""

    @property
    def text(self) -> str:
        """What is read."""
        return JOIN.join(piece.stack.text for piece in self.pieces)

    @property
    def joins(self) -> tuple[int, ...]:
        """Offsets of characters that no span may cover, in order; see `OpenedText`."""
        found: list[int] = []
        for start, piece in zip(self._starts(), self.pieces, strict=True):
            found += joins_between((0, start)) if start else ()
            found += [start + at for at in piece.stack.joins]
        return tuple(found)

    @property
    def names(self) -> list[str]:
        """What is in no text and stays; see `Mapped`."""
        return [name for piece in self.pieces for name in piece.stack.names]

    def replaced(self, edits: Sequence[Edit]) -> list[tuple[str, str]]:
        """The place and the new source of each piece.

        Args:
            edits: of the text, in order and disjoint; none covers one of `joins`.

        Raises:
            DocumentError: `UNMAPPED`, if the new sources do not read as the text with the edits.
        """
        starts = self._starts()
        of_piece: list[list[Edit]] = [[] for _ in self.pieces]
        for start, end, replacement in edits:
            at = bisect_right(starts, start) - 1
            of_piece[at].append((start - starts[at], end - starts[at], replacement))
        found: list[tuple[str, str]] = []
        for piece, own in zip(self.pieces, of_piece, strict=True):
            source = piece.stack.replaced(own)
            is_as_it_was = not own and source == piece.stack.source
            if not is_as_it_was and (
                Stack.of(source, piece.layers).text != applied(piece.stack.text, own)
            ):
                raise DocumentError(UNMAPPED)
            found.append((piece.place, source))
        return found

    def _starts(self) -> list[int]:
        sizes = (len(piece.stack.text) + len(JOIN) for piece in self.pieces)
        return [0, *itertools.accumulate(sizes)][:-1]
