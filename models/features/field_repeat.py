"""In which fields of the form the item's word stands as well."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from .base import Column, Items, Property, require_int, several_each
from .line import Line
from .native_columns import NativeBuilder, NativeWay
from .native_maps import Numbers, values_table

_FEWEST_CHARACTERS = 3


@dataclasses.dataclass(frozen=True, slots=True)
class Elsewhere(Property):
    """The names of the fields in whose values the word stands, in other lines of the document.

    The patient's surname in prose is that after "Apellidos:" in the form. Words of small letters,
    and of fewer than three characters, have no value; case does not matter beyond that.

    Attributes:
        most: fields of a word that count, the first ones of the document.
    """

    KIND: ClassVar[str] = "elsewhere"

    most: int = 4

    def __post_init__(self) -> None:
        require_int(self.KIND, "most", self.most, 1, 32)

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return f"elsewhere{self.most}"

    @property
    def many(self) -> bool:
        """See `Property.many`."""
        return True

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        fields = items.column_of(Line("field"))
        lines = np.zeros(len(items), np.int64)
        if len(items.tokens):
            groups, _, _ = items.token_groups(items.tokens.starts_line)
            lines = np.where(items.anchors >= 0, groups[np.maximum(items.anchors, 0)], -1)
        telling = np.array([self._tells(word) for word in items.words], np.bool_)
        rows = np.flatnonzero(telling[items.word_ids])
        names = {word: index for index, word in enumerate(dict.fromkeys(items.folded))}
        folded = [names[word] for word in items.folded]
        keys = [
            (document, folded[word])
            for document, word in zip(
                items.documents[rows].tolist(), items.word_ids[rows].tolist(), strict=True
            )
        ]
        lines_of, ids = lines[rows].tolist(), fields.ids[rows].tolist()
        found: dict[tuple[int, int], dict[int, int]] = {}
        for key, line, field in zip(keys, lines_of, ids, strict=True):
            if field >= 0:
                known = found.setdefault(key, {})
                if line in known or len(known) <= self.most:
                    known[line] = field
        values: list[tuple[str, ...]] = [()] * len(items)
        for row, key, line in zip(rows.tolist(), keys, lines_of, strict=True):
            if known := found.get(key, {}):
                others = dict.fromkeys(field for at, field in known.items() if at != line)
                values[row] = tuple(fields.values[field] for field in list(others)[: self.most])
        return several_each(values, by_word=False)

    @staticmethod
    def _tells(word: str) -> bool:
        return len(word) >= _FEWEST_CHARACTERS and word[0].isalnum() and not word[0].islower()

    def native_way(self, layer: str) -> NativeWay:
        """See `Property.native_way`."""
        return NativeWay.SETS_OF_ITEMS

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """See `Property.native_column`."""
        places = columns.places
        return places.add("elsewhere", table=places.table(values_table(numbers)), most=self.most)
