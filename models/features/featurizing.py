"""`featurize`: from texts, tokens and a recipe to the attributes of every item, as strings.

An attribute string is its feature's template with the values filled in, for example
`w[-1]=smith|shape[0]=Aa`. Different (feature, values) have different strings: keys hold no `[ ] =
|`, values no bare `|`.

Cost: a word is looked at once a batch and property, all else is arithmetic on whole columns of
    integers.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ...dictionaries.trie import TokenTrie
from ..core.arrays import Ints
from ..core.errors import UsageError
from ..core.feature_rows import Features
from ..core.tokens import Tokens
from .base import Items, Property, gather
from .declaration import Feature, FeatureSet, properties
from .escaping import AFTER, BEFORE, escape_all
from .items import build_items


def featurize(
    texts: Sequence[str | None],
    tokens: Tokens,
    recipe: FeatureSet,
    gazetteers: Mapping[str, TokenTrie],
    tags: Mapping[str, Sequence[str]] = {},
    *,
    clusters: Mapping[str, Mapping[str, str]] = {},
) -> Features:
    """The attributes of a batch for one tagger.

    An item's attributes come in the order in which the recipe declares its features. What an item's
    attributes are depends on its document alone, not on what else is in the batch.

    Args:
        texts: one for each document of `tokens`; None for one that failed, which gets no items.
        tokens: fine tokens of the batch.
        recipe: declares segmentation, sequences and features.
        gazetteers: at least those that the recipe names, made by `gazetteer_from_phrases`.
        tags: at least the columns that the recipe names: one tag, or "", for each row of `tokens`.
        clusters: at least the tables that the recipe names, from word to code.

    Raises:
        UsageError: if something that the recipe names is missing, or a column of tags has a wrong
            length.
        ValueError: if texts and tokens differ in their number of documents.
    """
    items = recipe_items(recipe, texts, tokens, gazetteers, clusters, tags)
    view = _ItemColumns(items)
    names = _AttributeNames()
    parts = [
        view.run(list(run), names)
        for _, run in itertools.groupby(recipe.features, key=view.run_key)
    ]
    offsets, ids = _side_by_side(parts, len(items))
    attributes, ids = names.used(ids)
    return Features(
        attributes,
        ids,
        offsets,
        items.starts,
        items.ends,
        items.sequence_offsets,
        items.document_offsets,
    )


def recipe_items(
    recipe: FeatureSet,
    texts: Sequence[str | None],
    tokens: Tokens,
    gazetteers: Mapping[str, Any],
    clusters: Mapping[str, Mapping[str, str]],
    tags: Mapping[str, Sequence[str]],
) -> Items:
    """The items of a batch for a tagger, with the resources that its recipe names.

    Args:
        recipe, texts, tokens, clusters, tags: as of `featurize`.
        gazetteers: likewise, of any values if the caller fills `Items.matches`.

    Raises:
        UsageError, ValueError: as `featurize`.
    """
    require_batch(recipe, texts, tokens, gazetteers, clusters, tags)
    return build_items(
        texts,
        tokens,
        layer=recipe.layer,
        sequence=recipe.sequence,
        max_sequence=recipe.max_sequence,
        gazetteers=gazetteers,
        clusters=clusters,
        tags=tags,
    )


def require_batch(
    recipe: FeatureSet,
    texts: Sequence[str | None],
    tokens: Tokens,
    gazetteers: Collection[str],
    clusters: Mapping[str, Mapping[str, str]],
    tags: Mapping[str, Sequence[str]],
) -> None:
    """Raises what `featurize` raises."""
    if len(texts) != len(tokens.document_offsets) - 1:
        raise ValueError(
            f"featurize: {len(texts)} texts, tokens of {len(tokens.document_offsets) - 1} documents"
        )
    given: dict[str, tuple[Collection[str], str]] = {
        "gazetteer": (gazetteers, "load it and pass it in `gazetteers`"),
        "cluster": (clusters, "pass its table from word to code in `clusters`"),
        "tag": (tags, "pass a column of one tag for each fine token in `tags`"),
    }
    needs = {need for declared in properties(recipe.features) for need in declared.needs}
    for need in sorted(needs):
        kind, name = need
        if name not in given[kind][0]:
            raise UsageError(
                f"the {recipe.kind} tagger needs the {kind} {name!r}, which is missing:"
                f" {given[kind][1]}"
            )
        if kind == "tag" and len(tags[name]) != len(tokens):
            raise UsageError(
                f"tag column {name!r} has {len(tags[name])} entries, expected one for each of the"
                f" {len(tokens)} fine tokens"
            )


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class _AttributeColumn:
    """Attributes of all rows for some features: exactly one a row, or ragged with row pointers."""

    ids: Ints
    offsets: Ints | None


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class _Located:
    """A property's column with two more rows, for the places before and after a sequence.

    Attributes:
        values: as they stand in attribute strings, and the two markers.
        ids: see `Column.ids`.
        offsets: see `Column.offsets`.
        by_word: see `Column.by_word`.
    """

    values: tuple[str, ...]
    ids: Ints
    offsets: Ints | None
    by_word: bool


class _AttributeNames:
    """The attributes of a batch, numbered as features are rendered; only the used get strings."""

    def __init__(self) -> None:
        self._blocks: list[tuple[int, tuple[str, ...], list[tuple[str, ...]], Ints]] = []
        self._size = 0

    def add(self, feature: Feature, values: list[tuple[str, ...]], combinations: Ints) -> int:
        """Takes in one feature's attributes and gives the number of the first.

        Args:
            feature: gives the keys.
            values: table of values of each part.
            combinations: a row for each attribute: index into each part's table.
        """
        heads = tuple(f"{part.key}[{offset}]=" for part, offset in feature.parts)
        first = self._size
        self._blocks.append((first, heads, values, combinations))
        self._size += len(combinations)
        return first

    def used(self, ids: Ints) -> tuple[tuple[str, ...], Ints]:
        """The strings of the attributes that occur in `ids`, and `ids` renumbered to them."""
        occurs = np.zeros(self._size, np.bool_)
        occurs[ids] = True
        strings: list[str] = []
        for first, heads, values, combinations in self._blocks:
            chosen = combinations[occurs[first : first + len(combinations)]]
            columns = []
            for part, head in enumerate(heads):
                table = values[part]
                columns.append([head + table[i] for i in chosen[:, part].tolist()])
            if len(columns) == 1:
                strings.extend(columns[0])
            else:
                strings.extend(map("|".join, zip(*columns, strict=True)))
        return tuple(strings), (np.cumsum(occurs) - 1)[ids]


class _ItemColumns:
    """The columns of a batch, seen from each item at an offset."""

    def __init__(self, items: Items) -> None:
        self._items = items
        self._located: dict[Property, _Located] = {}
        self._places: dict[int, Ints] = {}
        self._words: dict[int, Ints] = {}
        words = len(items.words)
        self._word_ids = np.append(items.word_ids, [words, words + 1])

    def run_key(self, feature: Feature) -> object:
        """Equal for neighbouring features that are rendered together: of words, at one offset."""
        part, offset = feature.parts[0]
        if len(feature.parts) == 1 and self._column(part).by_word:
            return offset
        return feature

    def run(self, features: list[Feature], names: _AttributeNames) -> _AttributeColumn:
        """Renders features of one `run_key`, for all items."""
        part, offset = features[0].parts[0]
        if len(features[0].parts) > 1:
            return self._conjunction(features[0], names)
        rows = self._rows(part, offset)
        parts = [self._table(feature, names) for feature in features]
        if len(parts) == 1 and parts[0].offsets is None:
            return _AttributeColumn(parts[0].ids[rows], None)
        size = len(self._items.words) if self._column(part).by_word else len(self._items)
        offsets, ids = _side_by_side(parts, size + 2)
        offsets, ids = gather(offsets, ids, rows)
        return _AttributeColumn(ids, offsets)

    def _table(self, feature: Feature, names: _AttributeNames) -> _AttributeColumn:
        """The attributes of a feature of one part, for each row of its property's column."""
        column = self._column(feature.parts[0][0])
        combinations = np.arange(len(column.values)).reshape(-1, 1)
        first = names.add(feature, [column.values], combinations)
        if column.offsets is not None:
            return _AttributeColumn(column.ids + first, column.offsets)
        has = column.ids >= 0
        if has.all():
            return _AttributeColumn(column.ids + first, None)
        return _AttributeColumn(column.ids[has] + first, np.concatenate(([0], np.cumsum(has))))

    def _conjunction(self, feature: Feature, names: _AttributeNames) -> _AttributeColumn:
        """The attributes of a feature of several parts, for each item.

        Part by part, `codes` numbers the combinations of values met so far in `rows`, densely, so
        that no number outgrows 64 bits; `combinations` says what each number stands for.
        """
        rows = np.arange(len(self._items))
        codes = np.zeros(len(rows), np.int64)
        combinations = np.zeros((1, 0), np.int64)
        tables = []
        for part, offset in feature.parts:
            column = self._column(part)
            tables.append(column.values)
            places = self._rows(part, offset)[rows]
            if column.offsets is None:
                values = column.ids[places]
                has = values >= 0
                rows, codes, values = rows[has], codes[has], values[has]
            else:
                pointers, values = gather(column.offsets, column.ids, places)
                counts = np.diff(pointers)
                rows, codes = np.repeat(rows, counts), np.repeat(codes, counts)
            width = len(column.values)
            met, codes = np.unique(codes * width + values, return_inverse=True)
            combinations = np.column_stack((combinations[met // width], met % width))
        first = names.add(feature, tables, combinations)
        if len(rows) == len(self._items) and (np.diff(rows) == 1).all():
            return _AttributeColumn(codes + first, None)
        counts = np.bincount(rows, minlength=len(self._items))
        return _AttributeColumn(codes + first, np.concatenate(([0], np.cumsum(counts))))

    def _column(self, declared: Property) -> _Located:
        found = self._located.get(declared)
        if found is None:
            column = self._items.column_of(declared)
            markers = [len(column.values), len(column.values) + 1]
            offsets = column.offsets
            if offsets is not None:
                offsets = np.append(offsets, [offsets[-1] + 1, offsets[-1] + 2])
            ids = np.append(column.ids, markers)
            values = (*escape_all(column.values), BEFORE, AFTER)
            found = _Located(values, ids, offsets, column.by_word)
            self._located[declared] = found
        return found

    def _rows(self, declared: Property, offset: int) -> Ints:
        """The row of the property's column that each item sees at the offset."""
        places = self._places.get(offset)
        if places is None:
            places = self._places[offset] = _places(self._items, offset)
        if not self._column(declared).by_word:
            return places
        words = self._words.get(offset)
        if words is None:
            words = self._words[offset] = self._word_ids[places]
        return words


def _places(items: Items, offset: int) -> Ints:
    """The item at the offset from each; len(items) before its sequence, one more after it."""
    size = len(items)
    places = np.arange(size) + offset
    firsts = items.sequence_offsets[:-1][items.sequences]
    ends = items.sequence_offsets[1:][items.sequences]
    return np.where(places < firsts, size, np.where(places >= ends, size + 1, places))


def _side_by_side(parts: Sequence[_AttributeColumn], rows: int) -> tuple[Ints, Ints]:
    """Row pointers and ids of the table whose rows have the ids of all parts in their order."""
    lengths = [1 if part.offsets is None else np.diff(part.offsets) for part in parts]
    total = np.zeros(rows, np.int64)
    for length in lengths:
        total += length
    offsets = np.concatenate(([0], np.cumsum(total)))
    ids = np.empty(offsets[-1], np.int64)
    cursor = offsets[:-1].copy()
    for part, length in zip(parts, lengths, strict=True):
        if part.offsets is None:
            ids[cursor] = part.ids
        else:
            shift = np.repeat(cursor - part.offsets[:-1], length)
            ids[shift + np.arange(len(part.ids))] = part.ids
        cursor += length
    return offsets, ids
