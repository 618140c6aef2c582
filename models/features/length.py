"""Length of the item."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from .base import Column, Items, Property, one_each, require_int
from .native_columns import NativeBuilder, NativeWay
from .native_maps import Numbers


@dataclasses.dataclass(frozen=True, slots=True)
class Length(Property):
    """The number of code points, one indicator each, as "n" and from `most` on as "most+".

    Attributes:
        most: 2 to 256.
    """

    KIND: ClassVar[str] = "length"

    most: int = 32

    def __post_init__(self) -> None:
        require_int(self.KIND, "most", self.most, 2, 256)

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return f"len{self.most}"

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        most = self.most
        sizes = (len(word) for word in items.words)
        return one_each((str(n) if n < most else f"{most}+" for n in sizes), by_word=True)

    def native_way(self, layer: str) -> NativeWay:
        """See `Property.native_way`."""
        return NativeWay.OF_WORDS

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """See `Property.native_column`."""
        most = self.most
        names = [*map(str, range(most)), f"{most}+"]
        words = columns.words
        return words.add("length", n=most, first=words.listed([numbers.get(n, -1) for n in names]))
