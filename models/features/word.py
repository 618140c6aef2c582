"""The word itself."""

from __future__ import annotations

import dataclasses
import re
from typing import ClassVar

from .base import Column, Items, Property, one_each
from .native_columns import NativeBuilder, NativeWay
from .native_maps import Numbers, digit_map, fold_map, normal_map, values_of

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

    def native_way(self, layer: str) -> NativeWay:
        """See `Property.native_way`."""
        return NativeWay.OF_WORDS

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """See `Property.native_column`."""
        maps = {(True, False): fold_map, (False, True): digit_map, (True, True): normal_map}
        made = maps.get((self.fold, self.digits))
        return columns.words.look_up(dict(values_of(numbers)), made and made())
