"""The section that the item is in."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import ClassVar

from ..core.arrays import Ints
from ..core.tokens import Tokens
from .base import Column, Items, Property
from .native_columns import NativeBuilder, NativeWay
from .native_maps import Numbers


@dataclasses.dataclass(frozen=True, slots=True)
class Section(Property):
    """Canonical name of the heading above the item; none before any heading."""

    KIND: ClassVar[str] = "section"
    READS_SENTENCES: ClassVar[bool] = True

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return "section"

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        return items.under_tokens(*self.of_fine_tokens(items.tokens, items.tags))

    def of_fine_tokens(
        self, tokens: Tokens, tags: Mapping[str, Sequence[str]]
    ) -> tuple[Ints, Sequence[str]]:
        """See `Property.of_fine_tokens`."""
        return tokens.sections, tokens.section_names

    def native_way(self, layer: str) -> NativeWay:
        """See `Property.native_way`."""
        return NativeWay.OF_TOKENS

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """See `Property.native_column`."""
        return columns.places.of_tokens()
