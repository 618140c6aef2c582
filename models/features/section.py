"""The section that the item is in."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from .base import Column, Items, Property


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
        return items.under_tokens(items.tokens.sections, items.tokens.section_names)
