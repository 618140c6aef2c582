"""Tokens of so many digits: numbers that have a fixed length, such as postal codes."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from .base import Column, Items, Property, require_int

LONGEST = 32


@dataclasses.dataclass(frozen=True, slots=True)
class Digits(Property):
    """Whether the item begins in a fine token of exactly so many ASCII digits.

    Characters have their place in the token, as they have of a gazetteer's phrase.

    Attributes:
        count: of the digits.
    """

    KIND: ClassVar[str] = "digits"

    count: int

    def __post_init__(self) -> None:
        require_int(self.KIND, "count", self.count, 1, LONGEST)

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return f"digits{self.count}"

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        words, ids = items.token_words
        fits = [len(word) == self.count and word.isascii() and word.isdigit() for word in words]
        return items.of_tokens(np.where(np.array(fits, np.bool_)[ids], 0, -1), ("1",))
