"""Places in a hierarchy: what kinds of thing the phrase means that the item is in."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from .base import Column, Items, Property, require_int, require_name, several_of

DEEPEST = 11
"""Components of a tree number that are seen; see `Tree`."""


@dataclasses.dataclass(frozen=True, slots=True)
class Tree(Property):
    """Every level above the item's places in a hierarchy, and the places themselves.

    The column of tags holds tree numbers such as "C14.280.067", several of them joined by ";". The
    values of that one are "C", "C14", "C14.280" and "C14.280.067". A character has the values of
    its token.

    Attributes:
        name: of the column.
        depth: most components of a value; 0 for the first character alone.
    """

    KIND: ClassVar[str] = "tree"

    name: str
    depth: int = DEEPEST

    def __post_init__(self) -> None:
        require_name(self.KIND, "name", self.name)
        require_int(self.KIND, "depth", self.depth, 0, DEEPEST)

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return f"tree{self.depth}.{self.name}"

    @property
    def many(self) -> bool:
        """See `Property.many`."""
        return True

    @property
    def needs(self) -> tuple[tuple[str, str], ...]:
        """See `Property.needs`."""
        return (("tag", self.name),)

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        table: dict[str, int] = {}
        places = (table.setdefault(tag, len(table)) for tag in items.tags[self.name])
        ids = np.fromiter(places, np.int64, len(items.tokens))
        spread = items.under_tokens(ids, tuple(table))
        # The last set is of the items that are in no token.
        sets = [(*dict.fromkeys(_levels(numbers, self.depth)),) for numbers in (*table, "")]
        rows = np.where(spread.ids >= 0, spread.ids, len(table))
        return several_of(sets, rows, by_word=False)


def _levels(numbers: str, depth: int) -> Iterator[str]:
    for number in numbers.split(";") if numbers else ():
        yield number[:1]
        components = number.split(".")
        for level in range(1, min(depth, len(components)) + 1):
            yield ".".join(components[:level])
