"""What all kinds of property share: the items they look at, the columns they give, and their keys.

A *property* says one thing about an item (a token or a character): zero or more strings, its
values. It is computed a column at a time, once for each distinct word of the batch where only the
word matters, and once for each item where the place matters.
"""

from __future__ import annotations

import abc
import dataclasses
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import ClassVar, cast

import numpy as np

from ...dictionaries.trie import TokenTrie
from ..core.arrays import Flags, Ints
from ..core.errors import UsageError
from ..core.lazy import lazy
from ..core.suggestions import did_you_mean
from ..core.tokens import Tokens
from ..text.joined import KINDS, kinds_of
from .native_columns import NativeBuilder, NativeWay
from .native_maps import Numbers

LONGEST_WORD = 256
"""Longer words are seen by their first and last 128 code points: no word costs more than that."""

MOST_KNOWN = 1 << 14
"""Code points that a table of characters remembers; hostile text must not fill memory."""

_NAME = re.compile(r"[A-Za-z0-9_.\-]{1,64}")


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Column:
    """The values of one property for all rows.

    Attributes:
        values: table of the distinct values, not escaped.
        ids: index into `values`. Without `offsets` one a row, -1 for no value; with them those of
            all rows, one row after another, strictly distinct within a row.
        offsets: row pointers into `ids`, or None.
        by_word: rows are the distinct words `Items.words`; else they are the items.
    """

    values: tuple[str, ...]
    ids: Ints
    offsets: Ints | None = None
    by_word: bool = False


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Items:
    """The items of a batch: what properties are computed from.

    Attributes:
        texts: text of each document; None for one that failed, which then has no items.
        tokens: the fine tokens of the batch, those of failed documents included.
        layer: the segmentation, a key of `models.text.segmentations.SEGMENTATIONS`.
        starts, ends: code-point offsets of each item.
        documents: index of each item's document.
        sequences: index of each item's sequence.
        sequence_offsets: row pointers into items, one more than sequences.
        document_offsets: row pointers into sequences, one more than documents.
        anchors: row of the fine token that an item begins at or in or, for a blank character, that
            it follows; -1 for those before the first token of their document.
        words: the distinct texts of items, in order of appearance, cut by `clip`.
        word_ids: index into `words` of each item.
        gazetteers, clusters, tags: the resources that the recipe names.
    """

    texts: Sequence[str | None]
    tokens: Tokens
    layer: str
    starts: Ints
    ends: Ints
    documents: Ints
    sequences: Ints
    sequence_offsets: Ints
    document_offsets: Ints
    anchors: Ints
    words: tuple[str, ...]
    word_ids: Ints
    gazetteers: Mapping[str, TokenTrie]
    clusters: Mapping[str, Mapping[str, str]]
    tags: Mapping[str, Sequence[str]]

    def __len__(self) -> int:
        return len(self.starts)

    @lazy
    def folded(self) -> tuple[str, ...]:
        """`words`, case-folded."""
        return tuple(word.casefold() for word in self.words)

    @lazy
    def all_small(self) -> Flags:
        """Whether each of `words` is of small letters alone."""
        return np.array([word.isalpha() and word.islower() for word in self.words], np.bool_)

    @lazy
    def kinds(self) -> tuple[str | None, ...]:
        """What each of `words` is, one of `text.joined.KINDS`, or None."""
        return tuple(kinds_of(self.words))

    @lazy
    def kind_ids(self) -> Ints:
        """For each of `words`, the place of its kind in `text.joined.KINDS`, or -1."""
        places = {kind: place for place, kind in enumerate(KINDS)}
        return np.array([-1 if k is None else places[k] for k in self.kinds], np.int64)

    @lazy
    def columns(self) -> dict[Property, Column]:
        """What `column_of` has made."""
        return {}

    def column_of(self, declared: Property) -> Column:
        """The column of a property, made once."""
        found = self.columns.get(declared)
        if found is None:
            found = self.columns[declared] = declared.column(self)
        return found

    @lazy
    def matches(self) -> dict[str, tuple[Ints, Ints, Ints]]:
        """What `gazetteer.matches` has found, by name of the gazetteer: it is looked for once."""
        return {}

    @lazy
    def token_documents(self) -> Ints:
        """Index of each fine token's document."""
        return np.repeat(np.arange(len(self.texts)), np.diff(self.tokens.document_offsets))

    @lazy
    def token_words(self) -> tuple[tuple[str, ...], Ints]:
        """Distinct texts of the fine tokens, and the index into them of each fine token."""
        if self.layer == "fine" and len(self) == len(self.tokens):
            return self.words, self.word_ids
        return intern_slices(
            self.texts, self.tokens.document_offsets, self.tokens.starts, self.tokens.ends
        )

    @lazy
    def token_positions(self) -> Ints:
        """Place of each character in its token: 0 first, 1 inside, 2 last, 3 alone, -1 none."""
        starts, ends = self.tokens.starts, self.tokens.ends
        anchors = np.maximum(self.anchors, 0)
        if len(starts) == 0:
            return np.full(len(self), -1, np.int64)
        first = self.starts == starts[anchors]
        last = self.ends == ends[anchors]
        place = np.where(first, np.where(last, 3, 0), np.where(last, 2, 1))
        return np.where((self.anchors >= 0) & (self.starts < ends[anchors]), place, -1)

    def token_groups(self, begins: Flags) -> tuple[Ints, Ints, Ints]:
        """Cuts the fine tokens into groups (lines, sentences) that never cross documents.

        Args:
            begins: true at the first token of each group.

        Returns:
            group: number of the group of each fine token.
            firsts, ends: half-open range of rows of each group.
        """
        offsets = self.tokens.document_offsets
        marks = begins.copy()
        marks[offsets[:-1][np.diff(offsets) > 0]] = True
        firsts = np.flatnonzero(marks)
        return np.cumsum(marks) - 1, firsts, np.append(firsts, len(marks))[1:]

    def of_tokens(self, token_ids: Ints, values: Sequence[str]) -> Column:
        """Turns one value a fine token into a column over items.

        An item takes the value of the fine token that it begins in. A character in a token takes
        the value with its place in the token before it ("B-", "I-", "E-", "S-": Liu et al. 2015,
        fig. 3); one between tokens none.

        Args:
            token_ids: index into `values` of each fine token, -1 for none.
            values: table of values, distinct.
        """
        if len(token_ids) == 0:
            return Column((), np.full(len(self), -1, np.int64))
        ids = np.where(self.anchors >= 0, token_ids[np.maximum(self.anchors, 0)], -1)
        if self.layer != "character":
            return Column(tuple(values), ids)
        places = self.token_positions
        return Column(
            tuple(f"{place}-{value}" for value in values for place in "BIES"),
            np.where((ids >= 0) & (places >= 0), ids * 4 + places, -1),
        )

    def under_tokens(self, token_ids: Ints, values: Sequence[str]) -> Column:
        """Like `of_tokens` for what holds for a range of text: characters take the bare value."""
        if len(token_ids) == 0:
            return Column((), np.full(len(self), -1, np.int64))
        ids = np.where(self.anchors >= 0, token_ids[np.maximum(self.anchors, 0)], -1)
        return Column(tuple(values), ids)


@dataclasses.dataclass(frozen=True, slots=True)
class Property(abc.ABC):
    """One kind of property with its parameters: a hashable declaration.

    Attributes:
        KIND: the name under which the kind is in `KINDS` and in a recipe's JSON.
        READS_SENTENCES: whether it needs `Tokens.sentences`.
    """

    KIND: ClassVar[str]
    READS_SENTENCES: ClassVar[bool] = False

    @property
    @abc.abstractmethod
    def key(self) -> str:
        """What attribute strings call the property; differs for any two properties that differ."""

    @property
    def many(self) -> bool:
        """Whether an item may have more than one value."""
        return False

    @property
    def needs(self) -> tuple[tuple[str, str], ...]:
        """Resources it is made from beside the text: ("gazetteer", "cluster" or "tag", name)."""
        return ()

    @abc.abstractmethod
    def column(self, items: Items) -> Column:
        """Its values. Linear in the text, deterministic, and never raises on any text."""

    def of_fine_tokens(
        self, tokens: Tokens, tags: Mapping[str, Sequence[str]]
    ) -> tuple[Ints, Sequence[str]]:
        """What `Items.under_tokens` takes, where `native_way` names `NativeWay.OF_TOKENS`.

        Args:
            tokens: of a batch.
            tags: at least the columns that it needs.
        """
        raise AssertionError(f"{self.KIND}: it has no values by fine token")

    def native_way(self, layer: str) -> NativeWay:
        """How the extension makes its column in a segmentation, a key of `SEGMENTATIONS`."""
        return NativeWay.IN_PYTHON

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """Asks for its column in the extension and gives the column's number.

        Only called where `native_way` names a way. The values are those of `column`; a way
        `OF_WORDS` adds one column of words and none of items.

        Args:
            numbers: of its values; others have none.
            columns: gets the column.
        """
        raise AssertionError(f"{self.KIND}: the extension has no column for it")


def clip(word: str) -> str:
    """The part of a word that properties see; see `LONGEST_WORD`."""
    if len(word) <= LONGEST_WORD:
        return word
    half = LONGEST_WORD // 2
    return word[:half] + word[-half:]


def intern_slices(
    texts: Sequence[str | None], document_offsets: Ints, starts: Ints, ends: Ints
) -> tuple[tuple[str, ...], Ints]:
    """Distinct clipped texts of ranges, in order of appearance, and the index of each."""
    table: dict[str, int] = {}
    ids: list[int] = []
    bounds = document_offsets.tolist()
    all_starts, all_ends = starts.tolist(), ends.tolist()
    longest = int((ends - starts).max(initial=0))
    for document, text in enumerate(texts):
        rows = slice(bounds[document], bounds[document + 1])
        pairs = zip(all_starts[rows], all_ends[rows], strict=True)
        if text is None:
            ids.extend(table.setdefault("", len(table)) for _ in pairs)
        elif longest <= LONGEST_WORD:
            ids.extend([table.setdefault(text[s:e], len(table)) for s, e in pairs])
        else:
            ids.extend([table.setdefault(clip(text[s:e]), len(table)) for s, e in pairs])
    return tuple(table), np.array(ids, np.int64)


def intern(values: Iterable[Hashable]) -> tuple[list[Hashable], Ints]:
    """The distinct values in order of appearance, and the index into them of each."""
    table: dict[Hashable, int] = {}
    ids = np.array([table.setdefault(value, len(table)) for value in values], np.int64)
    return list(table), ids


def one_each(values: Iterable[str | None], *, by_word: bool) -> Column:
    """A column of at most one value a row."""
    table, ids = intern(values)
    if None in table:
        none = table.index(None)
        del table[none]
        ids = np.where(ids == none, -1, ids - (ids > none))
    return Column(tuple(str(value) for value in table), ids, None, by_word)


def several_each(values: Iterable[tuple[str, ...]], *, by_word: bool) -> Column:
    """A column of any number of distinct values a row."""
    sets, set_ids = intern(values)
    return several_of(cast(list[tuple[str, ...]], sets), set_ids, by_word=by_word)


def several_of(sets: Sequence[tuple[str, ...]], set_ids: Ints, *, by_word: bool) -> Column:
    """A column whose rows have the values of one of some sets.

    Args:
        sets: each of distinct values.
        set_ids: index into `sets` of each row.
        by_word: see `Column`.
    """
    table: dict[str, int] = {}
    lengths = np.zeros(len(sets), np.int64)
    flat: list[int] = []
    for index, members in enumerate(sets):
        lengths[index] = len(members)
        flat.extend(table.setdefault(member, len(table)) for member in members)
    set_offsets = np.concatenate(([0], np.cumsum(lengths)))
    offsets, ids = gather(set_offsets, np.array(flat, np.int64), set_ids)
    return Column(tuple(table), ids, offsets, by_word)


def gather(offsets: Ints, ids: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """The given rows of a ragged table, as row pointers and ids of a new one."""
    lengths = np.diff(offsets)[rows]
    out = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(lengths, out=out[1:])
    return out, ids[np.repeat(offsets[:-1][rows] - out[:-1], lengths) + np.arange(out[-1])]


def log_bins(values: Ints) -> Ints:
    """Bit lengths: bin 0 holds 0, bin b holds 2**(b - 1) to 2**b - 1. Exact below 2**53."""
    return np.frexp(values.astype(np.float64))[1].astype(np.int64)


def binned(values: Ints, most: int) -> tuple[Ints, tuple[str, ...]]:
    """`log_bins` capped at `most`, and the names of the bins."""
    return np.minimum(log_bins(values), most), tuple(str(bin_) for bin_ in range(most + 1))


def require_int(owner: str, name: str, value: int, least: int, most: int) -> None:
    """Raises UsageError unless least <= value <= most."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise UsageError(f"{owner}: {name} must be a whole number from {least} to {most}")


def require_name(owner: str, name: str, value: str) -> None:
    """Raises UsageError unless the value can be part of an attribute's key."""
    if not isinstance(value, str) or _NAME.fullmatch(value) is None:
        raise UsageError(f"{owner}: {name} must be 1 to 64 of the characters A-Z a-z 0-9 _ . -")


def require_one_of(owner: str, name: str, value: str, allowed: Iterable[str]) -> None:
    """Raises UsageError unless the value is allowed; names what is."""
    if value not in (known := sorted(allowed)):
        meant = did_you_mean(value, known)
        raise UsageError(f"{owner}: {name} must be one of {', '.join(known)}{meant}")


def by_item(column: Column, word_ids: Ints) -> Column:
    """A column of words as one of items."""
    if column.offsets is None:
        return dataclasses.replace(column, ids=column.ids[word_ids], by_word=False)
    offsets, ids = gather(column.offsets, column.ids, word_ids)
    return dataclasses.replace(column, ids=ids, offsets=offsets, by_word=False)
