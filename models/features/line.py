"""The item's place in its line, and the form field that the line opens with ("Name: ...")."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from ..columns import Ints
from .base import Column, Items, Property, binned, require_one_of

ASPECTS = ("index", "rest", "number", "field", "gap")
FIELD_TOKENS = 8
FIELD_CHARACTERS = 48
_BINS = 10


@dataclasses.dataclass(frozen=True, slots=True)
class Line(Property):
    """One aspect of the line, which is counted in fine tokens on every layer.

    A line has a field if a colon is among its first `FIELD_TOKENS` tokens but the first; the
    field's name is what stands before it, case-folded, one space between tokens, at most
    `FIELD_CHARACTERS`.

    Attributes:
        aspect: "index" and "rest" the tokens before and behind the item, "number" the non-blank
            lines above it, all binned by powers of two; "field" the name of the field, for the
            items behind the colon; "gap" the tokens since the colon, binned by powers of two.
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
        colons = _colons(items, group, firsts)
        behind = (colons[group] >= 0) & (rows > colons[group])
        if self.aspect == "gap":
            ids, values = binned(rows - colons[group], _BINS)
            return items.under_tokens(np.where(behind, ids, -1), values)
        ids, values = _names(items, firsts, colons)
        return items.under_tokens(np.where(behind, ids[group], -1), values)


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
