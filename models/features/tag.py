"""Tags from outside: part of speech, general named entities, predictions of another model."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from .base import Column, Items, Property, one_each, require_name

FOUND = "found"
"""The column of what an earlier pass of the same recipe found; no auxiliary model is called so."""


@dataclasses.dataclass(frozen=True, slots=True)
class Tag(Property):
    """The item's entry in a named column of tags, one for each fine token; "" means no tag.

    A coarse item has the tag of its first fine token; a character that of its token, with its place
    there.

    Attributes:
        name: of the column.
    """

    KIND: ClassVar[str] = "tag"

    name: str

    def __post_init__(self) -> None:
        require_name(self.KIND, "name", self.name)

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return f"tag.{self.name}"

    @property
    def needs(self) -> tuple[tuple[str, str], ...]:
        """See `Property.needs`."""
        return (("tag", self.name),)

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        column = one_each((tag or None for tag in items.tags[self.name]), by_word=False)
        return items.of_tokens(column.ids, column.values)
