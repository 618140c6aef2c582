"""Which of several consecutive things, such as archive members, a sample takes."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Sequence


def run_at(sizes: Sequence[int], at: int, most_bytes: int) -> tuple[int, int, int]:
    """The thing that holds a byte, and those after it that fit.

    Args:
        sizes: in bytes, of one thing or more.
        at: offset from the beginning of the first.
        most_bytes: of all that are taken; one is taken whatever its size.

    Returns:
        Index of the first, how many there are, and their size in bytes.
    """
    ends = list(itertools.accumulate(sizes))
    first = min(bisect.bisect_right(ends, at), len(sizes) - 1)
    before = ends[first] - sizes[first]
    count = max(1, bisect.bisect_right(ends, before + most_bytes) - first)
    return first, count, ends[first + count - 1] - before
