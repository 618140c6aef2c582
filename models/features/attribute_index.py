"""`AttributeIndex`: what items have of the attributes of a model, without making a string.

`featurize` makes attribute strings, which learners need; a model looks each of them up. For a model
that is known beforehand its attributes are taken apart once instead, into the values of the
properties that they name; what items have is then found by those values, in C (`models.native`).
The ids are those that the strings would have led to; of a CRF, what they are worth to each tag is
added up at once, and no id is written down.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from ..core.arrays import Codes, Ids, Ints, joined_code_points
from ..core.feature_rows import Indexed, Summed
from ..core.tokens import Tokens
from ..text.segmentations import ItemBounds
from ..text.tokenizer import characters_of, tokenize_documents
from .base import Column, Items, by_item, intern_slices
from .declaration import Feature, FeatureSet, needs_of, properties
from .escaping import AFTER, BEFORE
from .featurizing import recipe_items, require_batch
from .gazetteer import PhraseIndex
from .items import layer_bounds
from .known_words import ItemPlaces, KnownWords, join_pieces, piece_edges, places_of
from .model_values import (
    FoundAttributes,
    ModelValues,
    attributes_by_feature,
    numbers_of_column,
    packed,
    require_room,
    unpacked,
)
from .native_columns import merger_of
from .native_layout import (
    IndexArrays,
    NativeColumns,
    compile_properties,
    given_by_token,
    made_in_python,
)

_BY_WORD, _BY_ITEM, _MANY = range(3)
_BY_ROW = -1
_NO_MARKS = np.zeros(0, np.bool_)


class AttributeIndex:
    """What finds the attributes of one model in the columns of a batch.

    Opened where it works, and never pickled. For threads too.
    """

    def __init__(
        self,
        recipe: FeatureSet,
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
        self._begin(recipe, extension, phrases, clusters)
        declared = properties(recipe.features)
        self._values = {each: ModelValues(-1, -1, {}) for each in declared}
        found = attributes_by_feature(recipe.features, attributes, self._values)
        compiled = compile_properties(
            {declared: values.ids for declared, values in self._values.items()},
            recipe.layer,
            lists=phrases.names,
            phrases=phrases.numbers,
            clusters=clusters,
        )
        widths = self._place_columns(compiled)
        require_room(recipe.features, self._values)
        self._open(
            IndexArrays(
                compiled.words.arrays(),
                compiled.places.arrays(),
                tuple(self._arrays(recipe.features, found, widths)),
                phrases.names,
                phrases.arrays,
                compiled.phrase,
                len(compiled.words.columns),
                len(compiled.places.columns),
                tuple(compiled.of_sets.values()),
                tuple(packed(self._values[declared]) for declared in self._in_python),
                tuple(packed(self._values[declared]) for declared in self._of_tokens),
            )
        )

    @classmethod
    def opened(
        cls, recipe: FeatureSet, arrays: IndexArrays, extension: ModuleType
    ) -> AttributeIndex:
        """An index from its arrays: see `arrays`.

        Raises:
            ValueError: if they are of another recipe.
        """
        made = cls.__new__(cls)
        phrases = PhraseIndex.opened(arrays.lists, arrays.phrases, extension)
        # No column that is made in Python needs the tables.
        clusters: dict[str, Mapping[str, str]] = dict.fromkeys(
            needs_of(recipe.features, "cluster"), {}
        )
        made._begin(recipe, extension, phrases, clusters)
        values = [unpacked(each) for each in (*arrays.in_python, *arrays.of_tokens)]
        made._values = dict(zip((*made._in_python, *made._of_tokens), values, strict=True))
        made._open(arrays)
        return made

    def _begin(
        self,
        recipe: FeatureSet,
        extension: ModuleType,
        phrases: PhraseIndex,
        clusters: Mapping[str, Mapping[str, str]],
    ) -> None:
        self._recipe = recipe
        self._native = extension
        self._phrases = phrases
        self._clusters = clusters
        declared = properties(recipe.features)
        self._in_python = made_in_python(declared, recipe.layer)
        self._of_tokens = given_by_token(declared, recipe.layer)
        self._reads_sentences = any(
            each.READS_SENTENCES for each in declared if each not in self._in_python
        )

    def _open(self, arrays: IndexArrays) -> None:
        native = self._native
        self._layout = arrays
        known, merger = characters_of(native), merger_of(native)
        self._words = KnownWords(native.open_words(known, merger, *arrays.words), native.intern)
        self._places = native.open_places(known, *arrays.places)
        self._index = native.open_index(*arrays.index)
        self._weighing: tuple[Any, int] | None = None

    def weigh(self, model: Any) -> None:
        """From now on `featurize` gives sums for a CRF, unless they might not fit into 32 bits.

        Args:
            model: of the extension's `open_model`, whose attributes these are.

        Raises:
            ValueError: if an attribute is none of the model's, or a model was given before.
        """
        self._weighing = self._native.weigh(self._index, model)

    @property
    def arrays(self) -> IndexArrays | None:
        """What `opened` takes; None if it does not suffice, or was forgotten.

        It suffices unless items are characters, or a column is made in Python from a gazetteer or
        clusters.
        """
        more = self._recipe.layer == "character" or self._needed_in_python("gazetteer", "cluster")
        return None if more or not self._layout.index else self._layout

    def forget_arrays(self) -> None:
        """Lets go of what the extension has opened, and has of its own then."""
        self._layout = dataclasses.replace(
            self._layout, words=(), places=(), index=(), phrases=(), in_python=(), of_tokens=()
        )
        self._phrases.arrays = ()

    def _place_columns(self, compiled: NativeColumns) -> tuple[int, int, int]:
        """Says of each property how its column comes, and where it is among those alike.

        Returns:
            How many columns there are by word, by item and of several values.
        """
        for column, declared in enumerate(compiled.of_words):
            self._values[declared].where, self._values[declared].column = _BY_WORD, column
        for declared, column in compiled.of_places.items():
            self._values[declared].where, self._values[declared].column = _BY_ITEM, column
        single, many = len(compiled.places.columns), 0
        for declared in (*compiled.of_sets, *compiled.of_several):
            self._values[declared].where, self._values[declared].column = _MANY, many
            many += 1
        # How the columns of a property come, which is always alike, a batch of nothing tells.
        tags = dict.fromkeys(needs_of(self._recipe.features, "tag"), ())
        nothing = self._items((), tokenize_documents(()), tags) if self._in_python else None
        for declared in self._in_python:
            assert nothing is not None
            values = self._values[declared]
            if nothing.column_of(declared).offsets is None:
                values.where, values.column = _BY_ITEM, single
                single += 1
            else:
                values.where, values.column = _MANY, many
                many += 1
        return len(compiled.of_words), single, many

    def featurize(
        self, texts: Sequence[str | None], tokens: Tokens, tags: Mapping[str, Sequence[str]]
    ) -> Indexed | Summed:
        """The attributes of a batch that the model has; those of `featurizing.featurize`.

        If the index is weighed, what they are worth.

        Args:
            texts: one for each document of `tokens`; None for one that failed, which gets no items.
            tokens: fine tokens of the batch.
            tags: at least the columns that the recipe names: a tag, or "", for each of `tokens`.

        Raises:
            UsageError, ValueError: as `featurizing.featurize`.
        """
        require_batch(self._recipe, texts, tokens, self._phrases.names, self._clusters, tags)
        if self._weighing is not None:
            weighing, width = self._weighing
            pieces = [
                self._summed(weighing, width, *piece) for piece in self._pieces(texts, tokens, tags)
            ]
            summed = [piece for piece in pieces if piece is not None]
            if len(summed) == len(pieces):
                return join_pieces(summed)
        return join_pieces([self._indexed(*piece) for piece in self._pieces(texts, tokens, tags)])

    def _pieces(
        self, texts: Sequence[str | None], tokens: Tokens, tags: Mapping[str, Sequence[str]]
    ) -> Iterator[tuple[ItemPlaces, Items | None, Ids]]:
        """Yields the pieces of a batch, at least one, with what Python makes of them.

        Columns are wide: those of a piece stay in the processor's cache, and memory small.
        """
        given = self._token_values(tokens, tags)
        if self._recipe.layer == "character":
            characters = self._items(texts, tokens, tags)
            yield places_of(characters, texts, tokens), characters, given
            return
        for low, high in itertools.pairwise(piece_edges(tokens.document_offsets)):
            some, own = texts[low:high], tokens.of_documents(low, high)
            places, items = self._places_in(some, own), None
            rows = slice(*tokens.document_offsets[[low, high]].tolist())
            if self._in_python:
                items = self._items_at(places, some, {name: tags[name][rows] for name in tags})
            yield places, items, given[rows]

    def _token_values(self, tokens: Tokens, tags: Mapping[str, Sequence[str]]) -> Ids:
        """The numbers of the values that Python gives by fine token, [token, column]."""
        given = np.empty((len(tokens), len(self._of_tokens)), np.int32)
        for column, declared in enumerate(self._of_tokens):
            ids, values = declared.of_fine_tokens(tokens, tags)
            table = numbers_of_column(self._values[declared], Column(tuple(values), ids))
            given[:, column] = table[ids]
        return given

    def _indexed(self, batch: ItemPlaces, items: Items | None, given: Ids) -> Indexed:
        """The ids of the attributes of a piece."""
        offsets = np.empty(len(batch.starts) + 1, np.int64)
        ids = self._native.featurize(self._index, *self._values_of(batch, items, given), offsets)
        places = batch.starts, batch.ends, batch.sequence_offsets, batch.document_offsets
        return Indexed(np.frombuffer(ids, np.int32), offsets, *places)

    def _summed(
        self, weighing: Any, width: int, batch: ItemPlaces, items: Items | None, given: Ids
    ) -> Summed | None:
        """What the attributes of a piece are worth; None if 32 bits might not hold it."""
        sums = self._native.sum_states(weighing, *self._values_of(batch, items, given))
        if sums is None:
            return None
        states = np.frombuffer(sums, np.int32).reshape(-1, width)
        places = batch.starts, batch.ends, batch.sequence_offsets, batch.document_offsets
        return Summed(states, *places)

    def _items(
        self, texts: Sequence[str | None], tokens: Tokens, tags: Mapping[str, Sequence[str]]
    ) -> Items:
        """The batch as Python sees it, for what the extension does not know."""
        # Looked for here: their names are enough.
        gazetteers = dict.fromkeys(self._phrases.names)
        items = recipe_items(self._recipe, texts, tokens, gazetteers, self._clusters, tags)
        if self._needed_in_python("gazetteer"):
            self._phrases.find(items)
        return items

    def _items_at(
        self, places: ItemPlaces, texts: Sequence[str | None], tags: Mapping[str, Sequence[str]]
    ) -> Items:
        """The same, where the extension has cut the batch into items and sequences."""
        per_document, per_sequence = np.diff(places.item_offsets), np.diff(places.sequence_offsets)
        words, word_ids = intern_slices(texts, places.item_offsets, places.starts, places.ends)
        named: Mapping[str, Any] = dict.fromkeys(self._phrases.names)
        items = Items(
            texts=texts,
            tokens=places.tokens,
            layer=self._recipe.layer,
            starts=places.starts,
            ends=places.ends,
            documents=np.repeat(np.arange(len(per_document)), per_document),
            sequences=np.repeat(np.arange(len(per_sequence)), per_sequence),
            sequence_offsets=places.sequence_offsets,
            document_offsets=places.document_offsets,
            anchors=places.anchors,
            words=words,
            word_ids=word_ids,
            gazetteers=named,
            clusters=self._clusters,
            tags=tags,
        )
        if self._needed_in_python("gazetteer"):
            self._phrases.find(items)
        return items

    def _needed_in_python(self, *kinds: str) -> bool:
        """Whether a column that is made in Python needs resources of some kinds."""
        return any(kind in kinds for declared in self._in_python for kind, _ in declared.needs)

    def _places_in(self, texts: Sequence[str | None], tokens: Tokens) -> ItemPlaces:
        """The items and sequences of a batch, as the extension cuts them."""
        codes, text_offsets = joined_code_points(texts)
        recipe = self._recipe
        bounds = self._bounds(texts, codes, text_offsets, tokens)
        if recipe.sequence == "line":
            marks = tokens.starts_line
        elif recipe.sequence == "sentence":
            marks = tokens.starts_sentence
        else:
            marks = np.zeros(len(tokens), np.bool_)
        count = len(bounds.starts)
        anchors, sequences = np.empty(count, np.int64), np.empty(count + 1, np.int64)
        documents = np.empty(len(texts) + 1, np.int64)
        found = self._native.arrange(
            tokens.document_offsets,
            tokens.starts,
            marks,
            bounds.document_offsets,
            bounds.starts,
            bounds.ends,
            recipe.max_sequence,
            anchors,
            sequences,
            documents,
        )
        return ItemPlaces(
            codes,
            text_offsets,
            tokens,
            bounds.document_offsets,
            bounds.starts,
            bounds.ends,
            anchors,
            sequences[: found + 1],
            documents,
        )

    def _bounds(
        self, texts: Sequence[str | None], codes: Codes, text_offsets: Ints, tokens: Tokens
    ) -> ItemBounds:
        if self._recipe.layer != "merged":
            return layer_bounds(texts, tokens, self._recipe.layer)
        columns = self._native.merge(
            merger_of(self._native),
            codes,
            text_offsets,
            np.array([text is not None for text in texts], np.bool_),
            tokens.document_offsets,
            tokens.starts,
            tokens.ends,
            tokens.starts_line,
        )
        return ItemBounds(*(np.frombuffer(column, np.int64) for column in columns))

    def _values_of(
        self, batch: ItemPlaces, items: Items | None, given: Ids
    ) -> tuple[Ids, int, Ids, Ints, Ints, tuple[tuple[Any, Any, int], ...]]:
        """The values of all properties, as the extension takes them with an index."""
        count, layout = len(batch.starts), self._layout
        word_ids = np.empty(count, np.int64)
        rows, folded, sets = self._words.of(batch, word_ids)
        words = rows.reshape(-1, layout.word_columns)
        matches, match_offsets = self._matches(batch, words, word_ids)
        columns = np.full((count, layout.place_columns), -1, np.int32)
        several = self._native.fill_places(
            self._places,
            batch.codes,
            batch.text_offsets,
            batch.tokens.document_offsets,
            batch.tokens.starts,
            batch.tokens.ends,
            batch.tokens.starts_line,
            batch.tokens.starts_sentence if self._reads_sentences else _NO_MARKS,
            given,
            batch.item_offsets,
            batch.starts,
            batch.ends,
            batch.anchors,
            batch.sequence_offsets,
            word_ids,
            rows,
            matches,
            match_offsets,
            columns,
            folded,
        )
        many: list[tuple[Any, Any, int]] = [
            (*pair, column) for pair, column in zip(sets, layout.sets, strict=True)
        ]
        many += [(*pair, _BY_ROW) for pair in several]
        more = []
        for declared in self._in_python:
            assert items is not None
            values = self._values[declared]
            column = items.column_of(declared)
            table = numbers_of_column(values, column)
            if column.by_word:
                column = by_item(column, items.word_ids)
            if column.offsets is None:
                more.append(table[column.ids])
            else:
                many.append((table[column.ids], column.offsets, _BY_ROW))
        if more:
            columns = np.column_stack((columns, *more))
        return rows, words.shape[1], columns, word_ids, batch.sequence_offsets, tuple(many)

    def _matches(self, batch: ItemPlaces, words: Ids, word_ids: Ints) -> tuple[bytes, Ints]:
        if self._recipe.layer == "character":
            # What is made of phrases there, is made in Python.
            return b"", np.zeros(len(self._phrases.names) + 1, np.int64)
        numbers = words[:, self._layout.phrase][word_ids]
        return self._phrases.match(numbers, batch.item_offsets)

    def _arrays(
        self,
        features: Sequence[Feature],
        found: Mapping[Feature, FoundAttributes],
        widths: tuple[int, int, int],
    ) -> list[Any]:
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
            joined = (numbers.astype(np.uint64) << shifts).sum(axis=1, dtype=np.uint64)
            lookups.append((first, len(of), n_keys, len(joined)))
            keys.append(joined)
            rows.append(ids)
            n_keys += len(joined)
        beyond = []
        for where, width in zip((_BY_WORD, _BY_ITEM, _MANY), widths, strict=True):
            for marker in (BEFORE, AFTER):
                numbers_of = np.full(width, -1, np.int32)
                for values in self._values.values():
                    if values.where == where:
                        numbers_of[values.column] = values.ids.get(marker, -1)
                beyond.append(numbers_of)
        return [
            np.array(parts, np.int32),
            np.array(lookups, np.int64),
            np.concatenate(singles),
            np.concatenate(keys),
            np.concatenate(rows),
            *beyond,
        ]
