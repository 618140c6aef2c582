"""Fields of a form: what stands before a colon, in the line or in those around it."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from ..core.arrays import Ints
from ..core.errors import UsageError
from .base import Column, Items, Property, require_int, require_one_of
from .line import line_fields
from .native_columns import NativeBuilder, NativeWay
from .native_maps import Numbers, values_table

OF_LINES = ("line", "above", "below", "last")
ASPECTS = (*OF_LINES, "inner", "since", "coming")
LONGEST = 40
_REACH = 12


@dataclasses.dataclass(frozen=True, slots=True)
class Field(Property):
    """A field's name, for all tokens of the line; names and lines as `Line` has them.

    In prose a colon says little and its line is long, so lines of more than `longest` fine tokens
    have no value, and inner fields reach no further than 12 tokens.

    Attributes:
        aspect: "line" the field that the line opens with, "above" and "below" those of its
            neighbours, "last" the field opened last in the line or above it; "inner" the word
            before the last colon in the line before the item, "since" the tokens since then;
            "coming" the word before the next colon in the line.
        longest: most fine tokens of a line that has values; inner fields have the default.
    """

    KIND: ClassVar[str] = "field"

    aspect: str
    longest: int = LONGEST

    def __post_init__(self) -> None:
        require_one_of(self.KIND, "aspect", self.aspect, ASPECTS)
        require_int(self.KIND, "longest", self.longest, 1, 1_000_000)
        if self.aspect not in OF_LINES and self.longest != LONGEST:
            raise UsageError(f"field: longest must be {LONGEST} for the aspect {self.aspect}")

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return f"field.{self.aspect}" + (f".{self.longest}" if self.aspect in OF_LINES else "")

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        tokens = items.tokens
        if not len(tokens):
            return items.under_tokens(np.zeros(0, np.int64), ())
        group, firsts, ends = items.token_groups(tokens.starts_line)
        if self.aspect not in OF_LINES:
            return items.under_tokens(*self._inside(items, group, firsts, ends))
        short = (ends - firsts <= self.longest)[group]
        names, values = line_fields(items, group, firsts)
        ids = _of_lines(self.aspect, names, items.token_documents[firsts])[group]
        return items.under_tokens(np.where(short, ids, -1), values)

    def _inside(
        self, items: Items, group: Ints, firsts: Ints, ends: Ints
    ) -> tuple[Ints, tuple[str, ...]]:
        words, ids = items.token_words
        colon = np.array([word == ":" for word in words], np.bool_)[ids]
        rows = np.arange(len(ids))
        # A colon that opens its line has no name.
        colon &= rows > firsts[group]
        folded = tuple(word.casefold() for word in words)
        # Different words may fold to one: the table must be of distinct values.
        table = {word: index for index, word in enumerate(dict.fromkeys(folded))}
        folded_ids = np.array([table[word] for word in folded], np.int64)[ids]
        if self.aspect == "coming":
            following = np.where(colon, rows, len(rows))
            following = np.minimum.accumulate(following[::-1])[::-1]
            found = (following < ends[group]) & (following - rows <= _REACH)
            return np.where(found, folded_ids[np.where(found, following, 1) - 1], -1), tuple(table)
        # The last colon before each token, not the token itself.
        before = np.maximum.accumulate(np.where(colon, rows, -1))
        before = np.concatenate(([-1], before[:-1]))
        since = rows - before
        found = (before >= firsts[group]) & (since <= _REACH)
        if self.aspect == "since":
            return np.where(found, since, -1), tuple(str(n) for n in range(_REACH + 1))
        return np.where(found, folded_ids[np.where(found, before, 1) - 1], -1), tuple(table)

    def native_way(self, layer: str) -> NativeWay:
        """See `Property.native_way`."""
        return NativeWay.OF_ITEMS

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """See `Property.native_column`."""
        places = columns.places
        if self.aspect == "since":
            names = range(_REACH + 1)
            return places.add("field.since", first=places.numbered(numbers, names))
        most = self.longest if self.aspect in OF_LINES else 0
        table = places.table(values_table(numbers))
        return places.add(f"field.{self.aspect}", table=table, most=most)


def _of_lines(aspect: str, names: Ints, documents: Ints) -> Ints:
    """The name for each line, by the names that lines have."""
    if aspect == "line":
        return names
    found = np.full(len(names), -1, np.int64)
    same = documents[1:] == documents[:-1]
    if aspect == "above":
        found[1:] = np.where(same, names[:-1], -1)
    elif aspect == "below":
        found[:-1] = np.where(same, names[1:], -1)
    else:
        lines = np.arange(len(names))
        last = np.maximum.accumulate(np.where(names >= 0, lines, -1))
        known = (last >= 0) & (documents[np.maximum(last, 0)] == documents)
        found = np.where(known, names[np.maximum(last, 0)], -1)
    return found
