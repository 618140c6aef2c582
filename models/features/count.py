"""How often the item's word occurs, binned."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from .base import Column, Items, Property, binned, intern, log_bins, require_one_of
from .native_columns import NativeBuilder, NativeWay
from .native_maps import Numbers

SCOPES = ("sequence", "document")
_BINS = 20


@dataclasses.dataclass(frozen=True, slots=True)
class Count(Property):
    """Occurrences of the word among the items of its sequence or document, binned by powers of two.

    Attributes:
        scope: "sequence" or "document".
        scaled: divided by the number of items there (Gardner et al. 2010, §4.2); bin b then holds
            shares above 1 / 2**(b + 1) up to 1 / 2**b.
        fold: words that differ only in case are one.
    """

    KIND: ClassVar[str] = "count"

    scope: str = "sequence"
    scaled: bool = False
    fold: bool = False

    def __post_init__(self) -> None:
        require_one_of(self.KIND, "scope", self.scope, SCOPES)

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return ("share." if self.scaled else "count.") + self.scope + (".lower" * self.fold)

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        words = intern(items.folded)[1][items.word_ids] if self.fold else items.word_ids
        groups = items.sequences if self.scope == "sequence" else items.documents
        _, pairs, counts = np.unique(
            groups * (len(items.words) + 1) + words, return_inverse=True, return_counts=True
        )
        occurrences = counts[pairs]
        if not self.scaled:
            ids, values = binned(occurrences, _BINS)
            return Column(values, ids)
        # floor(log2(size / occurrences)) in whole numbers, for a rounded logarithm may differ by
        # platform.
        sizes = np.bincount(groups)[groups] if len(groups) else groups
        bins = np.minimum(log_bins(sizes // occurrences) - 1, _BINS)
        return Column(tuple(str(b) for b in range(_BINS + 1)), bins)

    def native_way(self, layer: str) -> NativeWay:
        """See `Property.native_way`."""
        return NativeWay.OF_ITEMS

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """See `Property.native_column`."""
        places = columns.places
        return places.add(
            f"{'share' if self.scaled else 'count'}.{self.scope}",
            first=places.numbered(numbers, range(_BINS + 1)),
            word=places.folded if self.fold else -1,
        )
