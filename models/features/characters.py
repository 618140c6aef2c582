"""Characters: the item's own, and the n-grams in it."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from .base import Column, Items, Property, one_each, require_int, several_each
from .native_columns import NativeBuilder, NativeWay
from .native_maps import Numbers, values_of


@dataclasses.dataclass(frozen=True, slots=True)
class Character(Property):
    """The first code point of the item, which in the segmentation "character" is the item.

    N-grams over neighbouring characters are conjunctions of it at several offsets (`ngrams`).

    Attributes:
        blank: any white space is "&#", as in Liu et al. 2015, §3.2.3.
    """

    KIND: ClassVar[str] = "character"

    blank: bool = False

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return "c.blank" if self.blank else "c"

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        firsts = (word[:1] for word in items.words)
        shown = ("&#" if self.blank and first.isspace() else first for first in firsts)
        return one_each(shown, by_word=True)

    def native_way(self, layer: str) -> NativeWay:
        """See `Property.native_way`."""
        return NativeWay.IN_PYTHON if self.blank else NativeWay.OF_WORDS

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """See `Property.native_column`."""
        return columns.words.look_up(dict(values_of(numbers)), cut="prefix", n=1)


@dataclasses.dataclass(frozen=True, slots=True)
class CharacterNgrams(Property):
    """The distinct n-grams of code points inside the item; none if it is shorter.

    Attributes:
        n: 1 to 8.
        fold: of the case-folded word.
    """

    KIND: ClassVar[str] = "ngrams"

    n: int
    fold: bool = False

    def __post_init__(self) -> None:
        require_int(self.KIND, "n", self.n, 1, 8)

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return f"gram{self.n}" + (".lower" if self.fold else "")

    @property
    def many(self) -> bool:
        """See `Property.many`."""
        return True

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        words = items.folded if self.fold else items.words
        return several_each((_grams(word, self.n) for word in words), by_word=True)


def _grams(word: str, n: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word[i : i + n] for i in range(len(word) - n + 1)))
