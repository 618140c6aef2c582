"""The word as it stands for its like: digits, dates and addresses by their kind, letters plain."""

from __future__ import annotations

import dataclasses
import functools
import re
import unicodedata
from typing import ClassVar

from ..text.characters import assigned
from ..text.joined import KINDS
from .base import Column, Items, Property, one_each
from .native_columns import LOOK_UP, NativeBuilder, NativeWay
from .native_maps import CodeMap, Numbers, digits, folds, map_of, normal_map, values_of

_DIGIT = re.compile(r"\d")


@dataclasses.dataclass(frozen=True, slots=True)
class Normal(Property):
    """The word, case-folded, with every decimal digit as "0"; a joined item as its kind, `<date>`.

    The kinds that stand for the word are those that have digits or signs in them (`GENERAL`); an
    abbreviation or a hyphenated name stays itself. Kinds are those of `text.joined`, in every
    segmentation.

    Attributes:
        plain: letters without their accents, compatibility forms as their usual letters.
    """

    KIND: ClassVar[str] = "normal"

    plain: bool = False

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return "plain" if self.plain else "normal"

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        words = [_DIGIT.sub("0", word) for word in items.folded]
        if self.plain:
            words = [word if word.isascii() else _without_accents(word) for word in words]
        normal = [
            f"<{GENERAL[kind]}>" if kind in GENERAL else word
            for kind, word in zip(items.kinds, words, strict=True)
        ]
        return one_each(normal, by_word=True)

    def native_way(self, layer: str) -> NativeWay:
        """See `Property.native_way`."""
        return NativeWay.OF_WORDS

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """See `Property.native_column`."""
        return normal_column(numbers, columns, plain=self.plain)


GENERAL = {
    "email": "email",
    "url": "url",
    "date": "date",
    "written_date": "date",
    "phone": "phone",
    "decimal": "decimal",
    "postcode": "postcode",
    "year": "year",
}
"""Kinds whose words all mean the same to their neighbours -> what stands for them."""


@dataclasses.dataclass(frozen=True, slots=True)
class Kind(Property):
    """The kind of a joined item, or a year, one of `text.joined.KINDS`; for others no value."""

    KIND: ClassVar[str] = "kind"

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return "kind"

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        return one_each(items.kinds, by_word=True)

    def native_way(self, layer: str) -> NativeWay:
        """See `Property.native_way`."""
        return NativeWay.OF_WORDS

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """See `Property.native_column`."""
        kinds = columns.words.listed([numbers.get(kind, -1) for kind in KINDS])
        return columns.words.add("kind", kinds=kinds)


def _without_accents(word: str) -> str:
    parts = unicodedata.normalize("NFKD", word)
    return "".join(part for part in parts if not unicodedata.combining(part))


def normal_column(numbers: Numbers, columns: NativeBuilder, *, plain: bool = False) -> int:
    """A column of what `Normal` gives, with the numbers of any property's values."""
    words = columns.words
    kinds = [
        numbers.get(f"<{GENERAL[kind]}>", -1) if kind in GENERAL else LOOK_UP for kind in KINDS
    ]
    made = _plain_map() if plain else normal_map()
    return words.look_up(dict(values_of(numbers)), made, kinds=words.listed(kinds))


@functools.cache
def _plain_map() -> CodeMap:
    """`Normal(plain=True)`; what is combining goes, so the order of marks does not matter."""
    normal = folds() | digits()
    changed = dict(normal)
    for code in assigned():
        text = normal.get(code, chr(code))
        if not text.isascii():
            parts = unicodedata.normalize("NFKD", text)
            changed[code] = "".join(part for part in parts if not unicodedata.combining(part))
    return map_of({code: text for code, text in changed.items() if text != chr(code)})
