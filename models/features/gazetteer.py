"""Membership in a gazetteer: phrases over tokens, case-folded."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from ...dictionaries.trie import TokenTrie
from ..core.arrays import Flags, Ids, Ints
from ..core.errors import UsageError
from ..text.tokenizer import tokenize_documents
from .base import Column, Items, Property, require_name, require_one_of
from .items import SEGMENTATIONS, layer_bounds
from .native_columns import NativeBuilder, NativeWay
from .native_maps import Numbers

MODES = ("in", "bioes")

_MATCH = np.dtype(
    [("weight", "i8"), ("list", "i4"), ("first", "i4"), ("last", "i4"), ("unused", "i4")]
)
"""The extension's record of a match."""


@dataclasses.dataclass(frozen=True, slots=True)
class Gazetteer(Property):
    """Whether the item is part of a phrase of the gazetteer, or which part.

    Phrases are found leftmost-longest over the case-folded tokens of the segmentation, across
    lines, never across documents. In the segmentation "character" they are found over fine tokens,
    and the characters of a phrase, the white space in it included, are its parts.

    Attributes:
        name: of the gazetteer.
        mode: "in" gives "1" to each item of a phrase, "bioes" its place: B, I, E or S.
    """

    KIND: ClassVar[str] = "gazetteer"

    name: str
    mode: str = "in"

    def __post_init__(self) -> None:
        require_name(self.KIND, "name", self.name)
        require_one_of(self.KIND, "mode", self.mode, MODES)

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return f"{self.mode}.{self.name}"

    @property
    def needs(self) -> tuple[tuple[str, str], ...]:
        """See `Property.needs`."""
        return (("gazetteer", self.name),)

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        ids = within(items, self.name).astype(np.int64) - 1
        if self.mode == "in":
            return Column(("1",), ids)
        firsts, lasts, _ = matches(items, self.name)
        ids[ids >= 0] = 1
        ids[firsts] = 0
        ids[lasts] = 2
        ids[firsts[firsts == lasts]] = 3
        return Column(("B", "I", "E", "S"), ids)

    def native_way(self, layer: str) -> NativeWay:
        """See `Property.native_way`."""
        return NativeWay.OF_ITEMS

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """See `Property.native_column`."""
        places = columns.places
        return places.add(
            f"gazetteer.{self.mode}",
            first=places.numbered(numbers, "1" if self.mode == "in" else "BIES"),
            list=places.lists.index(self.name),
        )


def within(items: Items, name: str) -> Flags:
    """Whether each item is in a phrase of a gazetteer."""
    firsts, lasts, _ = matches(items, name)
    # Matches are disjoint: one more begun than ended says that an item is in one.
    rows = len(items) + 1
    begun = np.bincount(firsts, minlength=rows) - np.bincount(lasts + 1, minlength=rows)
    return np.cumsum(begun)[:-1] > 0


def matches(items: Items, name: str) -> tuple[Ints, Ints, Ints]:
    """First and last item of each match of a gazetteer, and its weight; 0 if it has none."""
    found = items.matches.get(name)
    if found is None:
        found = items.matches[name] = _matches(items, items.gazetteers[name])
    return found


def _matches(items: Items, trie: TokenTrie) -> tuple[Ints, Ints, Ints]:
    folded, ids, bounds = _searched(items)
    texts = [folded[i] for i in ids.tolist()]
    ranges: list[tuple[int, int]] = []
    limits = bounds.tolist()
    for begin, end in zip(limits[:-1], limits[1:], strict=True):
        ranges.extend((begin + f, begin + n - 1) for f, n in trie.match(texts[begin:end]))
    table = np.array(ranges, np.int64).reshape(-1, 2)
    firsts, lasts = table[:, 0], table[:, 1]
    weights = np.zeros(len(ranges), np.int64)
    if trie.weighted:
        weights[:] = [trie.weight(texts[first : last + 1]) for first, last in ranges]
    return _on_items(items, firsts, lasts, weights)


class PhraseIndex:
    """Many gazetteers, looked for in one pass by the extension.

    Finds what a `TokenTrie` of each finds. For threads too.

    Attributes:
        names: of the gazetteers, sorted.
        numbers: folded word of any phrase -> number.
        arrays: what the extension opened.
    """

    def __init__(
        self,
        gazetteers: Mapping[str, tuple[Iterable[str], Iterable[int] | None]],
        layer: str,
        extension: ModuleType,
    ) -> None:
        """Builds the index.

        Args:
            gazetteers: name -> phrases and their weights; see `gazetteer_from_phrases`.
            layer: the segmentation of the recipe.
            extension: `native.extension()`.

        Raises:
            UsageError: if the layer is unknown.
        """
        self.names = tuple(sorted(gazetteers))
        numbers: dict[str, int] = {}
        words: list[int] = []
        lengths: list[int] = []
        lists: list[int] = []
        weights: list[int] = []
        for place, name in enumerate(self.names):
            phrases, own = gazetteers[name]
            cut = cut_phrases(phrases, layer)
            weighed = itertools.repeat(0, len(cut)) if own is None else own
            for phrase, weight in zip(cut, weighed, strict=True):
                if phrase:
                    words += [numbers.setdefault(word, len(numbers)) for word in phrase]
                    lengths.append(len(phrase))
                    lists.append(place)
                    weights.append(weight)
        self.numbers: Mapping[str, int] = numbers
        arrays = (
            np.array(words, np.int32),
            np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))),
            np.array(lists, np.int32),
            np.minimum(np.array(weights, np.int64), 1 << 53),
            len(numbers),
            len(self.names),
        )
        self._open(arrays, extension)

    @classmethod
    def opened(
        cls, names: tuple[str, ...], arrays: tuple[Any, ...], extension: ModuleType
    ) -> PhraseIndex:
        """An index from its arrays; it finds numbers of words, not words."""
        made = cls.__new__(cls)
        made.names, made.numbers = names, {}
        made._open(arrays, extension)
        return made

    def _open(self, arrays: tuple[Any, ...], extension: ModuleType) -> None:
        self.arrays = arrays
        self._match = extension.match_phrases
        self._phrases = extension.open_phrases(*arrays)

    def match(self, words: Ids, bounds: Ints) -> tuple[bytes, Ints]:
        """The matches of all gazetteers, those of each together.

        Args:
            words: number of each place's word, -1 for one of no phrase.
            bounds: row pointers of documents into `words`.

        Returns:
            Records for the extension, and row pointers of `names` into them.
        """
        found, edges = self._match(self._phrases, words, bounds)
        return found, np.frombuffer(edges, np.int64)

    def find(self, items: Items) -> None:
        """Fills `Items.matches` for all gazetteers."""
        folded, ids, bounds = _searched(items)
        known = self.numbers
        table = np.fromiter((known.get(word, -1) for word in folded), np.int32, len(folded))
        found, edges = self.match(table[ids], bounds)
        rows = np.frombuffer(found, _MATCH)
        for place, name in enumerate(self.names):
            own = rows[edges[place] : edges[place + 1]]
            firsts, lasts = own["first"].astype(np.int64), own["last"].astype(np.int64)
            items.matches[name] = _on_items(items, firsts, lasts, own["weight"].copy())


def _searched(items: Items) -> tuple[tuple[str, ...], Ints, Ints]:
    """Where phrases are looked for: folded words, the word at each place, bounds of documents."""
    if items.layer == "character":
        words, ids = items.token_words
        return tuple(word.casefold() for word in words), ids, items.tokens.document_offsets
    return items.folded, items.word_ids, items.sequence_offsets[items.document_offsets]


def _on_items(items: Items, firsts: Ints, lasts: Ints, weights: Ints) -> tuple[Ints, Ints, Ints]:
    """Matches as rows of items; for the segmentation "character", found on fine tokens."""
    if items.layer != "character":
        return firsts, lasts, weights
    tokens = items.tokens
    # Items and tokens of a batch are sorted by (document, offset), so one search places all
    # matches.
    alive = np.array([text is not None for text in items.texts], np.bool_)
    kept = alive[items.token_documents[firsts]] if len(firsts) else np.zeros(0, np.bool_)
    firsts, lasts, weights = firsts[kept], lasts[kept], weights[kept]
    width = 1 + max(int(tokens.ends.max(initial=0)), int(items.ends.max(initial=0)))
    places = items.documents * width + items.starts
    documents = items.token_documents[firsts]
    return (
        np.searchsorted(places, documents * width + tokens.starts[firsts]),
        np.searchsorted(places, documents * width + tokens.ends[lasts]) - 1,
        weights,
    )


def gazetteer_from_phrases(
    phrases: Iterable[str], layer: str, weights: Iterable[int] | None = None
) -> TokenTrie:
    """A gazetteer as `featurize` takes it: phrases cut as text is cut, and case-folded.

    Args:
        phrases: of any case; those without a token are left out.
        layer: the segmentation of the recipe; "character" cuts into fine tokens.
        weights: one a phrase, of a weighted list; those of phrases that differ only in case are
            added up.

    Raises:
        UsageError: if the layer is unknown.
    """
    cut = cut_phrases(phrases, layer)
    if weights is None:
        return TokenTrie(phrase for phrase in cut if phrase)
    pairs = [(phrase, w) for phrase, w in zip(cut, weights, strict=True) if phrase]
    return TokenTrie((phrase for phrase, _ in pairs), (w for _, w in pairs))


def cut_phrases(phrases: Iterable[str], layer: str) -> list[tuple[str, ...]]:
    """The items of each phrase, case-folded; none of one without a token.

    Raises:
        UsageError: if the layer is unknown.
    """
    if layer not in SEGMENTATIONS:
        raise UsageError(f"gazetteer: layer must be one of {', '.join(SEGMENTATIONS)}")
    every = list(phrases)
    if layer in _KEEP_WORDS:
        # Most phrases are one plain word, which every one of these segmentations leaves whole.
        cut = [(phrase.casefold(),) if _is_plain(phrase) else None for phrase in every]
        rest = [phrase for phrase, words in zip(every, cut, strict=True) if words is None]
        others = iter(_cut(rest, layer))
        return [next(others) if words is None else words for words in cut]
    return _cut(every, layer)


_KEEP_WORDS = ("character", "fine", "coarse", "merged")


def _is_plain(phrase: str) -> bool:
    return phrase.isascii() and phrase.isalpha() and (phrase.islower() or phrase[1:].islower())


def _cut(texts: Sequence[str], layer: str) -> list[tuple[str, ...]]:
    # One text of many lines, for a call costs 100 us whatever its length. Tokens end at line
    # breaks.
    joined = "\n".join(texts)
    bounds = layer_bounds(
        [joined],
        tokenize_documents([joined], sentences=False),
        "fine" if layer == "character" else layer,
    )
    starts, ends = bounds.starts, bounds.ends
    firsts = np.cumsum([0, *(len(text) + 1 for text in texts)])
    rows = np.searchsorted(starts, firsts).tolist()
    words = [joined[s:e].casefold() for s, e in zip(starts.tolist(), ends.tolist(), strict=True)]
    return [tuple(words[rows[i] : rows[i + 1]]) for i in range(len(texts))]
