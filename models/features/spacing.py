"""White space before and after an item."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from .base import Column, Items, Property
from .native_columns import NativeBuilder, NativeWay
from .native_maps import Numbers


@dataclasses.dataclass(frozen=True, slots=True)
class Spacing(Property):
    """Code points between the item and the one before it, and after it: 0, 1, or 2 and more.

    Between sequences of one document they are counted as they are; at the ends of a document they
    are 2. Two blanks in a row separate the columns of a form ("Luis Moyano  NºCol: 28").
    """

    KIND: ClassVar[str] = "spacing"

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return "spacing"

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        size = len(items)
        gaps = np.full(size + 1, 2, np.int64)
        if size:
            same = items.documents[1:] == items.documents[:-1]
            gaps[1:-1] = np.where(same, np.minimum(items.starts[1:] - items.ends[:-1], 2), 2)
        values = tuple(f"{before}{after}" for before in range(3) for after in range(3))
        return Column(values, gaps[:-1] * 3 + gaps[1:])

    def native_way(self, layer: str) -> NativeWay:
        """See `Property.native_way`."""
        return NativeWay.OF_ITEMS

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """See `Property.native_column`."""
        names = [f"{before}{after}" for before in range(3) for after in range(3)]
        places = columns.places
        return places.add("spacing", first=places.numbered(numbers, names))
