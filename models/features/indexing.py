"""`AttributeIndex`: the attributes of a model that items have, as ids, without making a string.

`featurize` makes attribute strings, which learners need; a model looks each of them up. For a model
that is known beforehand its attributes are taken apart once instead, into the values of the
properties that they name; what items have is then found by those values, in C (`models.native`).
The ids are those that the strings would have led to.
"""

from __future__ import annotations

import dataclasses
import os
import threading
import weakref
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..columns import Ids, Ints
from ..errors import UsageError
from ..tokenizing import tokenize_documents
from ..tokens import Tokens
from .base import AFTER, BEFORE, Column, Items, Property, escape_all
from .declaration import Feature, properties
from .featurizing import recipe_items
from .gazetteer import PhraseIndex
from .values import Indexed

if TYPE_CHECKING:
    from ..recipes.recipe import TaggerRecipe

_BY_WORD, _BY_ITEM, _MANY = range(3)
_MOST_BITS = 63
_MOST_WORDS = 100_000
"""That are kept; each takes some 200 bytes, and four more for each property."""
_FIRST_ROOM = 1024
_LONGEST_KEPT = 40

_Found = tuple[Ints, Ids]
"""Of the attributes of a feature the numbers of their values, [attribute, part], and their ids."""


@dataclasses.dataclass(slots=True)
class _Values:
    """The values of a property that some attribute of the model names.

    Attributes:
        where: how columns of it come, `_BY_WORD` to `_MANY`.
        column: its place among those that come alike.
        ids: value as it stands in attribute strings -> number.
    """

    where: int
    column: int
    ids: dict[str, int]

    @property
    def bits(self) -> int:
        return max(1, len(self.ids).bit_length())


class AttributeIndex:
    """What finds the attributes of one model in the columns of a batch.

    Opened where it works, and never pickled. For threads too.
    """

    def __init__(
        self,
        recipe: TaggerRecipe,
        attributes: Sequence[str],
        extension: ModuleType,
        *,
        phrases: PhraseIndex,
        clusters: Mapping[str, Mapping[str, str]],
    ) -> None:
        """Takes the attributes apart; some microseconds for each.

        Args:
            recipe: what the model was trained to see.
            attributes: of the model, in the order of their ids.
            extension: `native.extension()`.
            phrases: of the gazetteers that the recipe names.
            clusters: at least the tables that the recipe names.

        Raises:
            UsageError: if a feature has more values together than a key has room for; names it.
        """
        self._recipe = recipe
        self._clusters = clusters
        self._phrases = phrases
        self._native = extension.featurize
        # How the columns of a property come, which is always alike, a batch of nothing tells.
        nothing = self._items((), tokenize_documents(()), dict.fromkeys(recipe.needs("tag"), ()))
        counts = [0, 0, 0]
        self._values: dict[Property, _Values] = {}
        for declared in properties(recipe.features):
            where = _where(nothing.column_of(declared))
            self._values[declared] = _Values(where, counts[where], {})
            counts[where] += 1
        found = _taken_apart(recipe.features, attributes, self._values)
        _require_room(recipe.features, self._values)
        self._words = _Words(self._values)
        self._index = extension.open_index(*self._arrays(recipe.features, found))

    def featurize(
        self, texts: Sequence[str | None], tokens: Tokens, tags: Mapping[str, Sequence[str]]
    ) -> Indexed:
        """The attributes of a batch that the model has; those of `featurizing.featurize`.

        Args:
            texts: one for each document of `tokens`; None for one that failed, which gets no items.
            tokens: fine tokens of the batch.
            tags: at least the columns that the recipe names: a tag, or "", for each of `tokens`.

        Raises:
            UsageError, ValueError: as `featurizing.featurize`.
        """
        items = self._items(texts, tokens, tags)
        ids, offsets = self._ids(items)
        return Indexed(
            ids,
            offsets,
            items.starts,
            items.ends,
            items.sequence_offsets,
            items.document_offsets,
        )

    def _items(
        self, texts: Sequence[str | None], tokens: Tokens, tags: Mapping[str, Sequence[str]]
    ) -> Items:
        recipe = self._recipe
        # Looked for here: their names are enough.
        gazetteers = dict.fromkeys(recipe.needs("gazetteer"))
        items = recipe_items(recipe, texts, tokens, gazetteers, self._clusters, tags)
        self._phrases.find(items)
        return items

    def _ids(self, items: Items) -> tuple[Ids, Ints]:
        """The ids of the attributes of all items, and row pointers into them."""
        by_item = []
        many = []
        for declared, values in self._values.items():
            if values.where == _BY_WORD:
                continue
            column = items.column_of(declared)
            table = _numbers(values, column)
            if values.where == _MANY:
                many.append((table[column.ids], column.offsets, column.by_word))
            else:
                by_item.append(table[column.ids])
        item_offsets = np.zeros(len(items) + 1, np.int64)
        ids = self._native(
            self._index,
            self._words.rows(items),
            _side_by_side(by_item, len(items)),
            items.word_ids,
            items.sequence_offsets,
            tuple(many),
            item_offsets,
        )
        return np.frombuffer(ids, np.int32), item_offsets

    def _arrays(self, features: Sequence[Feature], found: Mapping[Feature, _Found]) -> list[Any]:
        """What the extension's `open_index` takes."""
        parts: list[tuple[int, int, int, int]] = []
        lookups: list[tuple[int, int, int, int]] = []
        singles, keys, rows = (
            [np.zeros(0, np.int32)],
            [np.zeros(0, np.uint64)],
            [np.zeros(0, np.int32)],
        )
        n_singles = n_keys = 0
        for feature in features:
            numbers, ids = found[feature]
            of = [self._values[declared] for declared, _ in feature.parts]
            first = len(parts)
            parts += [
                (values.where, values.column, offset, values.bits)
                for values, (_, offset) in zip(of, feature.parts, strict=True)
            ]
            if len(of) == 1:
                table = np.full(len(of[0].ids), -1, np.int32)
                table[numbers[:, 0]] = ids
                lookups.append((first, 1, n_singles, len(table)))
                singles.append(table)
                n_singles += len(table)
                continue
            bits = [values.bits for values in of]
            shifts = np.cumsum([0, *bits[:-1]]).astype(np.uint64)
            packed = (numbers.astype(np.uint64) << shifts).sum(axis=1, dtype=np.uint64)
            lookups.append((first, len(of), n_keys, len(packed)))
            keys.append(packed)
            rows.append(ids)
            n_keys += len(packed)
        beyond = [
            np.array(
                [v.ids.get(marker, -1) for v in self._values.values() if v.where == where], np.int32
            )
            for where in (_BY_WORD, _BY_ITEM, _MANY)
            for marker in (BEFORE, AFTER)
        ]
        return [
            np.array(parts, np.int32),
            np.array(lookups, np.int64),
            np.concatenate(singles),
            np.concatenate(keys),
            np.concatenate(rows),
            *beyond,
        ]


class _Words:
    """The numbers of the values of each word, of the properties that only the word matters to.

    Words are kept as they are met, as long as the process lives, so that a word costs its look-up
    from the second batch on; those with digits, which hardly come again, are made anew each time.
    When the room is full all are forgotten. For threads too.
    """

    def __init__(self, properties: Mapping[Property, _Values]) -> None:
        self._properties = {p: v for p, v in properties.items() if v.where == _BY_WORD}
        self._begin()
        # The lock may be held, by a thread that the child of a fork does not have.
        own = weakref.ref(self)

        def begin() -> None:
            if (words := own()) is not None:
                words._begin()

        os.register_at_fork(after_in_child=begin)

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        self._places: dict[str, int] = {}
        self._table = np.full((_FIRST_ROOM, len(self._properties)), -1, np.int32)

    def rows(self, items: Items) -> Ids:
        """A row for each of `items.words`."""
        with self._lock:
            if len(self._places) == _MOST_WORDS:
                self._forget()
            places = self._places
            found = np.array([places.get(word, -1) for word in items.words], np.int64)
            result = self._table[found]
            new = np.flatnonzero(found < 0)
            if len(new):
                words = tuple(items.words[at] for at in new.tolist())
                result[new] = made = self._made(dataclasses.replace(items, words=words))
                self._keep(words, made)
            return result

    def _keep(self, words: Sequence[str], made: Ids) -> None:
        """Takes words in.

        Their rows stand before their places are known: whatever is raised in between, memory that
        is short above all, no word is left with a row that is not its own.
        """
        first = len(self._places)
        kept = [at for at, word in enumerate(words) if _comes_again(word)][: _MOST_WORDS - first]
        if first + len(kept) > len(self._table):
            self._table = _with_room(self._table, 2 * (first + len(kept)))
        self._table[first : first + len(kept)] = made[kept]
        for place, at in enumerate(kept, first):
            self._places[words[at]] = place

    def _made(self, items: Items) -> Ids:
        columns = []
        for declared, values in self._properties.items():
            column = items.column_of(declared)
            columns.append(_numbers(values, column)[column.ids])
        return _side_by_side(columns, len(items.words))


def _with_room(table: Ids, rows: int) -> Ids:
    """The table with more rows behind its own."""
    larger = np.full((rows, table.shape[1]), -1, np.int32)
    larger[: len(table)] = table
    return larger


def _comes_again(word: str) -> bool:
    return len(word) <= _LONGEST_KEPT and not any(map(str.isdigit, word))


def _numbers(values: _Values, column: Column) -> Ids:
    """The number of each value of a column, and -1 last: that of an item without a value."""
    known = values.ids
    numbers = [known.get(value, -1) for value in escape_all(column.values)]
    return np.array([*numbers, -1], np.int32)


def _where(column: Column) -> int:
    if column.offsets is not None:
        return _MANY
    return _BY_WORD if column.by_word else _BY_ITEM


def _side_by_side(columns: list[Ids], rows: int) -> Ids:
    if not columns:
        return np.zeros((rows, 0), np.int32)
    return np.ascontiguousarray(np.stack(columns, axis=1))


def _taken_apart(
    features: Sequence[Feature], attributes: Sequence[str], values: dict[Property, _Values]
) -> dict[Feature, _Found]:
    """The attributes of each feature.

    Fills `values`. Attributes of no feature are left out: no item has them.
    """
    gathered: dict[Feature, tuple[list[int], list[int]]] = {f: ([], []) for f in features}
    alone: dict[str, tuple[dict[str, int], list[int], list[int]]] = {}
    joined: dict[str, tuple[list[dict[str, int]], list[int], list[int]]] = {}
    for feature in features:
        heads = [f"{declared.key}[{offset}]" for declared, offset in feature.parts]
        ids = [values[declared].ids for declared, _ in feature.parts]
        if len(heads) == 1:
            alone[heads[0]] = ids[0], *gathered[feature]
        else:
            joined["|".join(heads)] = ids, *gathered[feature]
    for number, attribute in enumerate(attributes):
        head, _, value = attribute.partition("=")
        if "|" not in value:
            if (single := alone.get(head)) is not None:
                known, numbers, found = single
                numbers.append(known.setdefault(value, len(known)))
                found.append(number)
            continue
        # Keys hold neither sign, values no "|": the first "=" of a part ends its key.
        pairs = [part.partition("=") for part in attribute.split("|")]
        if (several := joined.get("|".join([pair[0] for pair in pairs]))) is not None:
            ids, numbers, found = several
            for known, pair in zip(ids, pairs, strict=True):
                numbers.append(known.setdefault(pair[2], len(known)))
            found.append(number)
    return {
        feature: (
            np.array(numbers, np.int64).reshape(-1, len(feature.parts)),
            np.array(found, np.int32),
        )
        for feature, (numbers, found) in gathered.items()
    }


def _require_room(features: Sequence[Feature], values: dict[Property, _Values]) -> None:
    for feature in features:
        bits = sum(values[declared].bits for declared, _ in feature.parts)
        if len(feature.parts) > 1 and bits > _MOST_BITS:
            raise UsageError(
                f"feature {feature.template} cannot be compiled: its values need {bits} bits"
                f" together, a key has {_MOST_BITS}"
            )
