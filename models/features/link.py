"""Links of a grammar: the words that the item's word is linked to in its sentence."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from .base import Column, Items, Property, one_each, require_int, require_name, require_one_of

SIDES = ("left", "right")
NEAREST = 2
"""Links a side that the column holds."""


@dataclasses.dataclass(frozen=True, slots=True)
class Link(Property):
    """The name of one of the item's links, a blank, and the word at its other end.

    The column of tags holds for each fine token the two nearest links to its left and the two to
    its right, nearest first, each followed by a line feed; one that is missing is empty. Items take
    them as they take a `Tag`.

    Attributes:
        name: of the column.
        side: "left" or "right" of the item.
        place: 1 for the nearest link of the side, 2 for the next.
    """

    KIND: ClassVar[str] = "link"

    name: str
    side: str
    place: int = 1

    def __post_init__(self) -> None:
        require_name(self.KIND, "name", self.name)
        require_one_of(self.KIND, "side", self.side, SIDES)
        require_int(self.KIND, "place", self.place, 1, NEAREST)

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return f"link.{self.side}{self.place}.{self.name}"

    @property
    def needs(self) -> tuple[tuple[str, str], ...]:
        """See `Property.needs`."""
        return (("tag", self.name),)

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        place = SIDES.index(self.side) * NEAREST + self.place - 1
        links = (tag.split("\n") for tag in items.tags[self.name])
        found = (own[place] if place < len(own) else "" for own in links)
        column = one_each((link or None for link in found), by_word=False)
        return items.of_tokens(column.ids, column.values)
