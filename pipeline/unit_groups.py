"""Groups of units: what one pipeline of Beam runs at a time.

A pipeline costs about 0.2 s, whatever it does. Groups are small all the same, so that workers end
together, little is repeated after a failure, and progress is seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..models.jobs.plan import Plan

GROUP_UNITS, GROUP_BYTES = 64, 8_000_000
"""A group ends with the unit that brings it to either."""


def group_length(sizes: Iterable[int], most_units: int = GROUP_UNITS) -> int:
    """How many of the units that come next make up a group; at least one, if there is one.

    Args:
        sizes: bytes of the units, in order.
        most_units: a lower cap than `GROUP_UNITS`.
    """
    count = total = 0
    for size in sizes:
        count, total = count + 1, total + size
        if count >= min(most_units, GROUP_UNITS) or total >= GROUP_BYTES:
            break
    return count


def groups_of(plan: Plan, units: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yields some units of a plan in groups, in order."""
    first = 0
    while first < len(units):
        sizes = (plan.units[unit].bytes for unit in units[first:])
        last = first + group_length(sizes)
        yield units[first:last]
        first = last


def most_groups(units: int, total_bytes: int) -> int:
    """The most groups that so many units with so many bytes make."""
    return min(units, -(-units // GROUP_UNITS) + total_bytes // GROUP_BYTES)
