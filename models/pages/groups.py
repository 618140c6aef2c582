"""Groups of which none is so small that it points at a person."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Generic, TypeVar

K = TypeVar("K")

LEAST = 5
"""The smallest group that is shown by itself."""


@dataclasses.dataclass(frozen=True, slots=True)
class Groups(Generic[K]):
    """Groups with counts, the small ones made one.

    Attributes:
        shown: those that are shown by themselves, in the order in which they were given.
        merged: how many were merged.
        rest: counts of the merged ones together; empty where none was.
    """

    shown: Mapping[K, tuple[int, ...]]
    merged: int
    rest: tuple[int, ...]

    @property
    def is_few(self) -> bool:
        """Whether even all merged groups together are too few to be told."""
        return any(0 < count < LEAST for count in self.rest)


def merge_small(groups: Mapping[K, tuple[int, ...]]) -> Groups[K]:
    """Merges the groups with a count from 1 to 4.

    Where these together are still so few, the next smallest group joins them: else the total of all
    groups less those that are shown would tell the count after all.

    Args:
        groups: name -> counts, of which the first says how large a group is.
    """
    small = [name for name, counts in groups.items() if _is_small(counts)]
    left = sorted(
        (name for name, counts in groups.items() if not _is_small(counts) and any(counts)),
        key=lambda name: (groups[name], repr(name)),
    )
    while small and left and _is_small(_total(groups, small)):
        small.append(left.pop(0))
    gone = set(small)
    shown = {name: counts for name, counts in groups.items() if name not in gone}
    return Groups(shown, len(small), _total(groups, small))


def _is_small(counts: tuple[int, ...]) -> bool:
    return any(0 < count < LEAST for count in counts)


def _total(groups: Mapping[K, tuple[int, ...]], names: list[K]) -> tuple[int, ...]:
    return tuple(map(sum, zip(*(groups[name] for name in names), strict=True)))
