"""Properties of the sentence that the item is in, and of its place there."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from typing import ClassVar

import numpy as np

from ..core.arrays import Flags, Ints
from .base import Column, Items, Property, binned, require_one_of
from .native_columns import NativeBuilder, NativeWay
from .native_maps import Numbers

ASPECTS = ("length", "end", "bracket", "quoted", "index", "rest")
_BINS = 10
_CLOSES = {")": "(", "]": "[", "}": "{"}
_END_MARKS = frozenset(".?!")
_QUOTES = frozenset('"\u201c\u201d\u00ab\u00bb')


@dataclasses.dataclass(frozen=True, slots=True)
class Sentence(Property):
    """One aspect of the sentence, which is counted in fine tokens in every segmentation.

    Attributes:
        aspect: "length" binned by powers of two; "end" whether the last token is `.`, `?` or `!`;
            "bracket" whether any of `()[]{}` is unmatched; "quoted" whether the item follows an
            odd number of double quotation marks; "index" and "rest" the tokens before and after
            the item, binned by powers of two.
    """

    KIND: ClassVar[str] = "sentence"
    READS_SENTENCES: ClassVar[bool] = True

    aspect: str

    def __post_init__(self) -> None:
        require_one_of(self.KIND, "aspect", self.aspect, ASPECTS)

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return f"sentence.{self.aspect}"

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        tokens = items.tokens
        group, firsts, ends = items.token_groups(tokens.starts_sentence)
        rows = np.arange(len(tokens))
        if self.aspect == "length":
            ids, values = binned(ends - firsts, _BINS)
            return items.under_tokens(ids[group], values)
        if self.aspect == "index":
            return items.under_tokens(*binned(rows - firsts[group], _BINS))
        if self.aspect == "rest":
            return items.under_tokens(*binned(ends[group] - 1 - rows, _BINS))
        if self.aspect == "end":
            marked = _is_one_of(items, _END_MARKS)[ends - 1]
            return items.under_tokens(marked[group].astype(np.int64), ("0", "1"))
        if self.aspect == "bracket":
            unmatched = _unmatched(items, group, len(firsts))
            return items.under_tokens(unmatched[group].astype(np.int64), ("0", "1"))
        quotes = _is_one_of(items, _QUOTES).astype(np.int64)
        before: Ints = np.cumsum(quotes) - quotes
        return items.under_tokens((before - before[firsts][group]) % 2, ("0", "1"))

    def native_way(self, layer: str) -> NativeWay:
        """See `Property.native_way`."""
        return NativeWay.OF_ITEMS

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """See `Property.native_column`."""
        places = columns.places
        names = range(_BINS + 1 if self.aspect in ("length", "index", "rest") else 2)
        return places.add(f"sentence.{self.aspect}", first=places.numbered(numbers, names))


def _is_one_of(items: Items, texts: Collection[str]) -> Flags:
    """Whether each fine token is one of the texts."""
    words, ids = items.token_words
    return np.array([word in texts for word in words], np.bool_)[ids]


def _unmatched(items: Items, group: Ints, groups: int) -> Flags:
    """Whether each sentence has a bracket without its partner."""
    words, ids = items.token_words
    brackets = np.flatnonzero(_is_one_of(items, {*_CLOSES, *_CLOSES.values()}))
    unmatched = np.zeros(groups, np.bool_)
    current, open_brackets = -1, list[str]()
    for sentence, word in zip(group[brackets].tolist(), ids[brackets].tolist(), strict=True):
        if sentence != current:
            if open_brackets:
                unmatched[current] = True
            current, open_brackets = sentence, []
        bracket = words[word]
        if bracket not in _CLOSES:
            open_brackets.append(bracket)
        elif open_brackets and open_brackets[-1] == _CLOSES[bracket]:
            open_brackets.pop()
        else:
            unmatched[sentence] = True
    if open_brackets:
        unmatched[current] = True
    return unmatched
