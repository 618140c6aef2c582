"""Half-open stretches of one text: unions, differences, overlaps."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence

Stretch = tuple[int, int]
"""Start, and one past the end, in code points."""


def union(stretches: Iterable[Stretch]) -> tuple[Stretch, ...]:
    """The same characters as the fewest disjoint stretches, left to right: touching ones join."""
    joined: list[Stretch] = []
    for start, end in sorted(stretches):
        if joined and start <= joined[-1][1]:
            if end > joined[-1][1]:
                joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return tuple(joined)


def subtract(stretches: Sequence[Stretch], holes: Sequence[Stretch]) -> list[tuple[int, int, int]]:
    """What disjoint holes leave of disjoint stretches, left to right: (start, end, which one)."""
    left: list[tuple[int, int, int]] = []
    hole = 0
    for index, (start, end) in enumerate(stretches):
        while hole < len(holes) and holes[hole][1] <= start:
            hole += 1
        at = hole
        while at < len(holes) and holes[at][0] < end:
            if start < holes[at][0]:
                left.append((start, holes[at][0], index))
            start = holes[at][1]
            at += 1
        if start < end:
            left.append((start, end, index))
        # The last hole may reach into the next stretch.
        hole = max(hole, at - 1)
    return left


def touched(stretches: Sequence[Stretch]) -> Callable[[int, int], tuple[int, int]]:
    """A function from [start, end) to the index range of the disjoint stretches that overlap it."""
    starts = [start for start, _ in stretches]
    ends = [end for _, end in stretches]
    return lambda start, end: (bisect_right(ends, start), bisect_left(starts, end))


def overlap_counter(stretches: Iterable[Stretch]) -> Callable[[int, int], int]:
    """A function from [start, end) to how many of the stretches overlap it."""
    stretches = list(stretches)
    starts = sorted(start for start, _ in stretches)
    ends = sorted(end for _, end in stretches)
    # All that begin before its end, less those that end before its start.
    return lambda start, end: bisect_left(starts, end) - bisect_right(ends, start)


def any_set(flags: bytearray, low: int, high: int) -> bool:
    """Whether a leaf in [low, high) is set, by the largest subtrees that make up the range."""
    while low < high:
        if low & 1:
            if flags[low]:
                return True
            low += 1
        if high & 1:
            high -= 1
            if flags[high]:
                return True
        low >>= 1
        high >>= 1
    return False
