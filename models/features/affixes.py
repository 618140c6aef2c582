"""Prefixes and suffixes of words."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from .base import Column, Items, Property, one_each, require_int
from .native_columns import NativeBuilder, NativeWay
from .native_maps import Numbers, fold_map, values_of


@dataclasses.dataclass(frozen=True, slots=True)
class Prefix(Property):
    """The first `n` code points.

    Attributes:
        n: 1 to 32.
        fold: of the case-folded word.
        whole: a shorter word is its own prefix; otherwise it has none.
    """

    KIND: ClassVar[str] = "prefix"

    n: int
    fold: bool = False
    whole: bool = False

    def __post_init__(self) -> None:
        require_int(self.KIND, "n", self.n, 1, 32)

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return _key("pre", self.n, self.fold, self.whole)

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        n, least = self.n, 0 if self.whole else self.n
        words = items.folded if self.fold else items.words
        return one_each((w[:n] if len(w) >= least else None for w in words), by_word=True)

    def native_way(self, layer: str) -> NativeWay:
        """See `Property.native_way`."""
        return NativeWay.OF_WORDS

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """See `Property.native_column`."""
        return _native_column(self, numbers, columns)


@dataclasses.dataclass(frozen=True, slots=True)
class Suffix(Property):
    """The last `n` code points; attributes as of `Prefix`."""

    KIND: ClassVar[str] = "suffix"

    n: int
    fold: bool = False
    whole: bool = False

    def __post_init__(self) -> None:
        require_int(self.KIND, "n", self.n, 1, 32)

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return _key("suf", self.n, self.fold, self.whole)

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        n, least = self.n, 0 if self.whole else self.n
        words = items.folded if self.fold else items.words
        return one_each((w[-n:] if len(w) >= least else None for w in words), by_word=True)

    def native_way(self, layer: str) -> NativeWay:
        """See `Property.native_way`."""
        return NativeWay.OF_WORDS

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """See `Property.native_column`."""
        return _native_column(self, numbers, columns)


def _key(stem: str, n: int, fold: bool, whole: bool) -> str:
    return f"{stem}{n}" + (".lower" if fold else "") + (".whole" if whole else "")


def _native_column(declared: Prefix | Suffix, numbers: Numbers, columns: NativeBuilder) -> int:
    return columns.words.look_up(
        dict(values_of(numbers)),
        fold_map() if declared.fold else None,
        cut=declared.KIND,
        n=declared.n,
        least=0 if declared.whole else declared.n,
    )
