"""Tags from outside: part of speech, general named entities, predictions of another model."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import ClassVar

from ..core.arrays import Ints
from ..core.tokens import Tokens
from .base import Column, Items, Property, one_each, require_name
from .native_columns import NativeBuilder, NativeWay
from .native_maps import Numbers

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
        return items.of_tokens(*self.of_fine_tokens(items.tokens, items.tags))

    def of_fine_tokens(
        self, tokens: Tokens, tags: Mapping[str, Sequence[str]]
    ) -> tuple[Ints, Sequence[str]]:
        """See `Property.of_fine_tokens`."""
        column = one_each((tag or None for tag in tags[self.name]), by_word=False)
        return column.ids, column.values

    def native_way(self, layer: str) -> NativeWay:
        """See `Property.native_way`."""
        # There a tag comes with the character's place in its token.
        return NativeWay.IN_PYTHON if layer == "character" else NativeWay.OF_TOKENS

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """See `Property.native_column`."""
        return columns.places.of_tokens()
