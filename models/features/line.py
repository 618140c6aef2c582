"""The item's place in its line, and the form field that the line opens with ("Name: ...")."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from ..core.arrays import Ints
from .base import Column, Items, Property, binned, require_one_of
from .native_columns import NativeBuilder, NativeWay
from .native_maps import Numbers, values_table

ASPECTS = ("index", "rest", "number", "field", "gap", "below", "tenth", "size")
FIELD_TOKENS = 8
FIELD_CHARACTERS = 48
_BINS = 10


@dataclasses.dataclass(frozen=True, slots=True)
class Line(Property):
    """One aspect of the line, which is counted in fine tokens in every segmentation.

    A line has a field if a colon is among its first `FIELD_TOKENS` tokens but the first; the
    field's name is what stands before it, case-folded, one space between tokens, at most
    `FIELD_CHARACTERS`.

    Attributes:
        aspect: "index" and "rest" the tokens before and after the item, "number" and "below" the
            non-blank lines above and below it, "size" the tokens of the line, all binned by powers
            of two; "tenth" in which tenth of the document's lines it is; "field" the name of the
            field, for the items after the colon; "gap" the tokens since the colon, binned by
            powers of two.
    """

    KIND: ClassVar[str] = "line"

    aspect: str

    def __post_init__(self) -> None:
        require_one_of(self.KIND, "aspect", self.aspect, ASPECTS)

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return f"line.{self.aspect}"

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        tokens = items.tokens
        group, firsts, ends = items.token_groups(tokens.starts_line)
        rows = np.arange(len(tokens))
        if self.aspect == "index":
            return items.under_tokens(*binned(rows - firsts[group], _BINS))
        if self.aspect == "rest":
            return items.under_tokens(*binned(ends[group] - 1 - rows, _BINS))
        if self.aspect == "number":
            head_lines = group[tokens.document_offsets[items.token_documents]]
            return items.under_tokens(*binned(group - head_lines, _BINS))
        if self.aspect == "size":
            return items.under_tokens(*binned((ends - firsts)[group], _BINS))
        if self.aspect in ("below", "tenth"):
            documents = items.token_documents[firsts]
            lines = np.bincount(documents, minlength=len(items.texts))[documents]
            above = np.arange(len(firsts)) - np.searchsorted(documents, documents)
            if self.aspect == "below":
                return items.under_tokens(*binned((lines - 1 - above)[group], _BINS))
            return items.under_tokens((above * 10 // lines)[group], tuple("0123456789"))
        colons = _colons(items, group, firsts)
        after = (colons[group] >= 0) & (rows > colons[group])
        if self.aspect == "gap":
            ids, values = binned(rows - colons[group], _BINS)
            return items.under_tokens(np.where(after, ids, -1), values)
        ids, values = _names(items, firsts, colons)
        return items.under_tokens(np.where(after, ids[group], -1), values)

    def native_way(self, layer: str) -> NativeWay:
        """See `Property.native_way`."""
        return NativeWay.OF_ITEMS

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """See `Property.native_column`."""
        places = columns.places
        if self.aspect == "field":
            return places.add("line.field", table=places.table(values_table(numbers)))
        names = range(10) if self.aspect == "tenth" else range(_BINS + 1)
        return places.add(f"line.{self.aspect}", first=places.numbered(numbers, names))


def line_fields(items: Items, group: Ints, firsts: Ints) -> tuple[Ints, tuple[str, ...]]:
    """Index of each line's field name, -1 without one, and the table of names.

    Args:
        items: of the batch.
        group: number of the line of each fine token.
        firsts: the first token of each line.
    """
    return _names(items, firsts, _colons(items, group, firsts))


def _colons(items: Items, group: Ints, firsts: Ints) -> Ints:
    """Row of the colon that ends each line's field, or -1."""
    words, ids = items.token_words
    rows = np.flatnonzero(np.array([word == ":" for word in words], np.bool_)[ids])
    lines, first_of_line = np.unique(group[rows], return_index=True)
    rows = rows[first_of_line]
    fits = (rows > firsts[lines]) & (rows - firsts[lines] < FIELD_TOKENS)
    colons = np.full(len(firsts), -1, np.int64)
    colons[lines[fits]] = rows[fits]
    return colons


def _names(items: Items, firsts: Ints, colons: Ints) -> tuple[Ints, tuple[str, ...]]:
    """Index of each line's field name, -1 without one, and the table of names."""
    words, ids = items.token_words
    table: dict[str, int] = {}
    names = np.full(len(firsts), -1, np.int64)
    for line in np.flatnonzero(colons >= 0).tolist():
        label = " ".join(words[i] for i in ids[firsts[line] : colons[line]].tolist())
        name = label.casefold()[:FIELD_CHARACTERS]
        names[line] = table.setdefault(name, len(table))
    return names, tuple(table)
