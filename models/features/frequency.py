"""How frequent a name is: the weight of a phrase of a weighted gazetteer, binned."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from .base import Column, Items, Property, binned, require_int, require_name
from .gazetteer import matches
from .native_columns import NativeBuilder, NativeWay
from .native_maps import Numbers


@dataclasses.dataclass(frozen=True, slots=True)
class Frequency(Property):
    """The weight of the phrase that the item is part of, binned by powers of two; else no value.

    Phrases are found as `Gazetteer` finds them. Bin 0 holds weight 0 and all phrases of a gazetteer
    without weights, bin b weights from 2**(b - 1) to 2**b - 1, the last one all above.

    Attributes:
        name: of the gazetteer.
        most: the last bin, 1 to 60. Weights of the shipped lists are people of a million: 20 bins.
    """

    KIND: ClassVar[str] = "frequency"

    name: str
    most: int = 20

    def __post_init__(self) -> None:
        require_name(self.KIND, "name", self.name)
        require_int(self.KIND, "most", self.most, 1, 60)

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return f"freq{self.most}.{self.name}"

    @property
    def needs(self) -> tuple[tuple[str, str], ...]:
        """See `Property.needs`."""
        return (("gazetteer", self.name),)

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        firsts, lasts, weights = matches(items, self.name)
        bins, values = binned(weights, self.most)
        # Matches are disjoint and in order: a step up by the bin at the first item, down behind the
        # last.
        steps = np.zeros(len(items) + 1, np.int64)
        np.add.at(steps, firsts, bins + 1)
        np.add.at(steps, lasts + 1, -(bins + 1))
        return Column(values, np.cumsum(steps)[:-1] - 1)

    def native_way(self, layer: str) -> NativeWay:
        """See `Property.native_way`."""
        return NativeWay.OF_ITEMS

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """See `Property.native_column`."""
        places = columns.places
        return places.add(
            "frequency",
            first=places.numbered(numbers, range(self.most + 1)),
            most=self.most,
            list=places.lists.index(self.name),
        )
