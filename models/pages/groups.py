"""Counts as a page for people shows them: rounded, and of no group so small as to be one person's.

Every count is rounded by itself, totals too: this is how statistics offices publish tables
(rounding to base 5, small cells suppressed). A total less its parts then does not tell what is
left, but where every part happens to lie as far as it can from what is shown, in one direction.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Generic, TypeVar

K = TypeVar("K")

LEAST = 5
"""The smallest group that is shown by itself, and what counts are rounded to."""


def rounded(count: int) -> int:
    """The nearest multiple of 5; 5 for what is less and not zero."""
    return max((count + LEAST // 2) // LEAST * LEAST, LEAST) if count > 0 else 0


def told(count: int) -> str:
    """A count in words: `85`, `fewer than 5`, `0`."""
    return f"fewer than {LEAST}" if is_small(count) else f"{rounded(count):,}"


def is_small(count: int) -> bool:
    """Whether that few may be one person's."""
    return 0 < count < LEAST


@dataclasses.dataclass(frozen=True, slots=True)
class Groups(Generic[K]):
    """Groups with counts, the small ones made one.

    Attributes:
        shown: those that are shown by themselves, in the order in which they were given; rounded.
        merged: how many were merged.
        rest: counts of the merged ones together, not rounded; empty where none was.
    """

    shown: Mapping[K, tuple[int, ...]]
    merged: int
    rest: tuple[int, ...]


def merge_small(groups: Mapping[K, tuple[int, ...]]) -> Groups[K]:
    """Merges the groups with a count from 1 to 4.

    Args:
        groups: name -> counts.
    """
    small = {name for name, counts in groups.items() if any(map(is_small, counts))}
    shown = {
        name: tuple(map(rounded, counts)) for name, counts in groups.items() if name not in small
    }
    rest = tuple(map(sum, zip(*(groups[name] for name in small), strict=True)))
    return Groups(shown, len(small), rest)
