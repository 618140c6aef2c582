"""How many of the items around are of certain gazetteers: what sort of passage the item is in."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from ..core.errors import UsageError
from .base import Column, Items, Property, binned, require_int, require_name
from .gazetteer import within
from .native_columns import ALL_SMALL, NativeBuilder, NativeWay
from .native_maps import Numbers

WIDEST = 1_000
"""Items to each side."""

BINS = 6
"""The last bin: 32 items and more."""


@dataclasses.dataclass(frozen=True, slots=True)
class Nearby(Property):
    """How many other items up to `width` away in the document are in phrases of gazetteers.

    A surname in a list of eponyms is an eponym; the same word behind three titles and a telephone
    number is somebody's name. Counts are binned by powers of two, 32 and more being one bin.

    Attributes:
        name: of the choice of gazetteers.
        width: in items, to each side.
        dictionaries: names of gazetteers; an item in phrases of several counts once.
        written_large: items of small letters alone do not count: `still` is no eponym, `Still` is.
    """

    KIND: ClassVar[str] = "nearby"

    name: str
    width: int
    dictionaries: tuple[str, ...]
    written_large: bool = False

    def __post_init__(self) -> None:
        require_name(self.KIND, "name", self.name)
        require_int(self.KIND, "width", self.width, 1, WIDEST)
        for name in self.dictionaries:
            require_name(self.KIND, "dictionaries", name)
        if not self.dictionaries or len(set(self.dictionaries)) < len(self.dictionaries):
            raise UsageError("nearby: dictionaries must be one or more, each once")

    @property
    def key(self) -> str:
        """See `Property.key`; each choice of gazetteers needs a name of its own."""
        return f"nearby.{self.name}.{self.width}" + (".large" * self.written_large)

    @property
    def needs(self) -> tuple[tuple[str, str], ...]:
        """See `Property.needs`."""
        return tuple(("gazetteer", name) for name in self.dictionaries)

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        size = len(items)
        inside = np.zeros(size, np.bool_)
        for name in self.dictionaries:
            inside |= within(items, name)
        if self.written_large:
            inside &= ~items.all_small[items.word_ids]
        before = np.concatenate(([0], np.cumsum(inside)))
        rows = np.arange(size)
        first = np.searchsorted(items.documents, items.documents, "left")
        after = np.searchsorted(items.documents, items.documents, "right")
        low = np.maximum(rows - self.width, first)
        high = np.minimum(rows + self.width + 1, after)
        ids, values = binned(before[high] - before[low] - inside, BINS)
        return Column(values, ids)

    def native_way(self, layer: str) -> NativeWay:
        """See `Property.native_way`."""
        return NativeWay.OF_ITEMS

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """See `Property.native_column`."""
        places = columns.places
        return places.add(
            "nearby",
            first=places.numbered(numbers, range(BINS + 1)),
            most=self.width,
            flag=ALL_SMALL if self.written_large else 0,
            list=places.choice((), self.dictionaries),
        )
