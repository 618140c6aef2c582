"""Scrubbing: the text with its spans replaced, and the map between offsets before and after."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Literal, cast

import numpy as np
import numpy.typing as npt

from ..core.arrays import Ints, code_points, require_equal_lengths
from ..core.spans import Span

Side = Literal["start", "end"]


Replacement = tuple[int, int, str | None]
"""Start, end and replacement of a span."""


def scrub(text: str, spans: Sequence[Span]) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    """Replaces each span; all text between spans is the input, code point for code point.

    Args:
        text: the untouched text.
        spans: as `merging.merge` gives them: left to right, disjoint. A replacement of None leaves
            the text.

    Returns:
        scrubbed: the text after.
        out_starts, out_ends: where each span's replacement lies in it, in code points.

    Raises:
        ValueError: if a span is empty, out of order, overlaps the one before, or ends after the
            text.
    """
    out, starts, ends = replace_ranges(text, [(s.start, s.end, s.replacement) for s in spans])
    return out, tuple(starts), tuple(ends)


def replace_ranges(
    text: str, replacements: Iterable[Replacement]
) -> tuple[str, list[int], list[int]]:
    """What `scrub` does, by the columns of the spans that it needs."""
    pieces: list[str] = []
    out_starts: list[int] = []
    out_ends: list[int] = []
    position = out = 0
    for start, end, replacement in replacements:
        if not position <= start < end <= len(text):
            raise ValueError(
                f"scrub: span [{start}, {end}) after {position} in {len(text)} characters"
            )
        if replacement is None:
            replacement = text[start:end]
        pieces += (text[position:start], replacement)
        out += start - position
        out_starts.append(out)
        out += len(replacement)
        out_ends.append(out)
        position = end
    pieces.append(text[position:])
    return "".join(pieces), out_starts, out_ends


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class OffsetMap:
    """Maps offsets of one document between the untouched and the scrubbed text, in code points.

    A character outside the replaced ranges maps to itself in its new place. Inside a replaced range
    nothing corresponds: an offset there is moved outward to the range's edge, a `start` to its
    start and an `end` to its end, so that an annotation that cuts into a range comes to hold all
    of it.

    Attributes:
        starts, ends: the replaced ranges in the untouched text, left to right, disjoint. Kept
            spans must not be among them: their text did not change.
        out_starts, out_ends: the same ranges in the scrubbed text; empty where nothing took
            their place.

    Raises:
        ValueError: if the columns differ in length, are out of order, or the text between does not
            keep its length.
    """

    starts: Ints
    ends: Ints
    out_starts: Ints
    out_ends: Ints

    def __post_init__(self) -> None:
        rows = require_equal_lengths(
            "OffsetMap",
            starts=self.starts,
            ends=self.ends,
            out_starts=self.out_starts,
            out_ends=self.out_ends,
        )
        if rows == 0:
            return
        between = self.starts - np.concatenate(([0], self.ends[:-1]))
        between_out = self.out_starts - np.concatenate(([0], self.out_ends[:-1]))
        if (
            (between < 0).any()
            or (self.ends <= self.starts).any()
            or (self.out_ends < self.out_starts).any()
        ):
            raise ValueError("OffsetMap: replaced ranges must be disjoint, left to right")
        if (between != between_out).any():
            raise ValueError("OffsetMap: the text between replaced ranges must keep its length")

    @classmethod
    def of(
        cls, spans: Sequence[Span], out_starts: Iterable[int], out_ends: Iterable[int]
    ) -> OffsetMap:
        """The map of one scrubbed document, from what `scrub` took and gave."""
        rows = [
            (span.start, span.end, out_start, out_end)
            for span, out_start, out_end in zip(spans, out_starts, out_ends, strict=True)
            if span.replacement is not None
        ]
        columns = np.array(rows, np.int64).reshape(-1, 4).T
        return cls(*columns)

    def to_scrubbed(self, offsets: npt.ArrayLike, side: Side = "start") -> Ints:
        """Where offsets of the untouched text lie in the scrubbed text.

        Args:
            offsets: any shape, also a plain int; those past the last range are shifted, whatever
                the length.
            side: whether they are starts or ends of something; matters only inside a replaced
                range.

        Raises:
            ValueError: if an offset is negative.
        """
        given = _offsets(offsets)
        if len(self.starts) == 0:
            return given
        # The last range that begins at or before the offset.
        at = np.searchsorted(self.starts, given, side="right") - 1
        near = np.maximum(at, 0)
        edge = self.out_starts if side == "start" else self.out_ends
        moved = np.where(given == self.starts[near], self.out_starts[near], edge[near])
        after = given >= self.ends[near]
        moved = np.where(after, self.out_ends[near] + given - self.ends[near], moved)
        return cast(Ints, np.where(at < 0, given, moved))

    def to_original(self, offsets: npt.ArrayLike, side: Side = "start") -> Ints:
        """Where offsets of the scrubbed text come from in the untouched text.

        Where a replaced range left nothing, one place in the scrubbed text stands for several in
        the untouched one: a `start` goes to the last of them and an `end` to the first, so that an
        annotation does not come to hold what its scrubbed text does not show.

        Args:
            offsets: any shape, also a plain int.
            side: whether they are starts or ends of something.

        Raises:
            ValueError: if an offset is negative.
        """
        given = _offsets(offsets)
        rows = len(self.starts)
        if rows == 0:
            return given
        if side == "start":
            at = np.searchsorted(self.out_starts, given, side="right") - 1
            near = np.maximum(at, 0)
            after = given >= self.out_ends[near]
            moved = np.where(
                after, self.ends[near] + given - self.out_ends[near], self.starts[near]
            )
            return cast(Ints, np.where(at < 0, given, moved))
        at = np.searchsorted(self.out_ends, given, side="left")
        near = np.minimum(at, rows - 1)
        before = given <= self.out_starts[near]
        moved = np.where(before, self.starts[near] + given - self.out_starts[near], self.ends[near])
        return cast(Ints, np.where(at == rows, self.ends[-1] + given - self.out_ends[-1], moved))


def utf8_offsets(text: str) -> Ints:
    """The UTF-8 byte offset of every code point offset of a text: one more than code points.

    A lone surrogate counts three bytes, as with the error handler "surrogatepass".
    """
    points = code_points(text)
    widths = 1 + (points >= 0x80).astype(np.int64) + (points >= 0x800) + (points >= 0x10000)
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(widths)))


def utf16_offsets(text: str) -> Ints:
    """The UTF-16 offset (JavaScript, Java, C#) of every code point offset of a text."""
    widths = 1 + (code_points(text) >= 0x10000).astype(np.int64)
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(widths)))


def from_units(table: Ints, units: npt.ArrayLike) -> Ints:
    """The code point offsets of offsets in other units; one inside a code point goes to its start.

    Args:
        table: what `utf8_offsets` or `utf16_offsets` gave for the text. The other way is
            `table[offsets]`.
        units: any shape, also a plain int.

    Raises:
        ValueError: if a unit offset is negative or past the end of the text.
    """
    given = _offsets(units)
    if given.size and int(given.max()) > int(table[-1]):
        raise ValueError(f"offset past the end of the text of {int(table[-1])} units")
    return cast(Ints, (np.searchsorted(table, given, side="right") - 1).astype(np.int64))


def _offsets(offsets: npt.ArrayLike) -> Ints:
    given = np.asarray(offsets, np.int64)
    if given.size and int(given.min()) < 0:
        raise ValueError("offsets must not be negative")
    return given
