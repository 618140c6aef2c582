"""The word itself."""

from __future__ import annotations

import dataclasses
import re
from typing import ClassVar

from .base import Column, Items, Property, one_each

_DIGIT = re.compile(r"\d")


@dataclasses.dataclass(frozen=True, slots=True)
class Word(Property):
    """The text of the item.

    Attributes:
        fold: case-folded (`str.casefold`, which works code point by code point; `str.lower` does
            not).
        digits: with every decimal digit as "0".
    """

    KIND: ClassVar[str] = "word"

    fold: bool = False
    digits: bool = False

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return ("lower" if self.fold else "w") + (".0" if self.digits else "")

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        words = items.folded if self.fold else items.words
        if self.digits:
            words = tuple(_DIGIT.sub("0", word) for word in words)
        return one_each(words, by_word=True)
