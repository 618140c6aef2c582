"""Cluster ids: a table from words to codes, such as Brown clusters or bins of corpus frequency."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from .base import Column, Items, Property, one_each, require_int, require_name
from .native_columns import NativeBuilder, NativeWay
from .native_maps import Numbers, fold_map, values_of


@dataclasses.dataclass(frozen=True, slots=True)
class Cluster(Property):
    """The code of the word in a table, or the first characters of it.

    In the segmentation "character" it is the code of the fine token, with the place of the
    character in the token.

    Attributes:
        name: of the table.
        prefix: characters of the code, as in Brown cluster paths; a shorter code is taken whole, 0
            takes all.
        fold: words are case-folded before they are looked up (the table then has folded keys).
    """

    KIND: ClassVar[str] = "cluster"

    name: str
    prefix: int = 0
    fold: bool = False

    def __post_init__(self) -> None:
        require_name(self.KIND, "name", self.name)
        require_int(self.KIND, "prefix", self.prefix, 0, 64)

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return f"cluster{'.lower' if self.fold else ''}{self.prefix}.{self.name}"

    @property
    def needs(self) -> tuple[tuple[str, str], ...]:
        """See `Property.needs`."""
        return (("cluster", self.name),)

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        table = items.clusters[self.name]
        spread = items.layer == "character"
        words = items.token_words[0] if spread else items.words
        keys = (word.casefold() for word in words) if self.fold else words
        codes = (table.get(key) for key in keys)
        end = self.prefix or None
        column = one_each((None if c is None else c[:end] for c in codes), by_word=not spread)
        if not spread:
            return column
        ids = items.token_words[1]
        return items.of_tokens(
            column.ids[ids] if len(ids) else np.zeros(0, np.int64), column.values
        )

    def native_way(self, layer: str) -> NativeWay:
        """See `Property.native_way`."""
        return NativeWay.IN_PYTHON if layer == "character" else NativeWay.OF_WORDS

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """See `Property.native_column`."""
        end = self.prefix or None
        known = dict(values_of(numbers))
        codes = columns.clusters[self.name].items()
        found = {word: known[code[:end]] for word, code in codes if code[:end] in known}
        return columns.words.look_up(found, fold_map() if self.fold else None)
