"""Where the columns of all properties of a tagger are: in the extension, or in Python."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from .base import Property
from .model_values import PackedValues
from .native_columns import NativeBuilder, NativeWay, PlaceColumns, WordColumns
from .native_maps import Numbers, fold_map


@dataclasses.dataclass(frozen=True, slots=True)
class NativeColumns:
    """Where the columns of properties are that the extension has.

    Attributes:
        words, places: what the extension opens.
        phrase: the column of words that holds the number of a word of phrases.
        of_words: properties in the first columns of `words`, in order.
        of_places: those of one value in columns of `places`, with the column.
        of_sets: those of several values by a column of `words`, with the column.
        of_several: those of several values by place, in order.
    """

    words: WordColumns
    places: PlaceColumns
    phrase: int
    of_words: tuple[Property, ...]
    of_places: dict[Property, int]
    of_sets: dict[Property, int]
    of_several: tuple[Property, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class IndexArrays:
    """All of an index that the extension opens, and where its columns are.

    Attributes:
        words, places, index: what `open_words`, `open_places` and `open_index` take, without what
            is opened once a process.
        lists: names of the gazetteers.
        phrases: what `open_phrases` takes.
        phrase: the column of words that holds the number of a word of phrases.
        word_columns, place_columns: how many there are.
        sets: the columns of words that hold sets of classes.
        in_python: of each property whose column is made in Python, in the order of features, what
            `model_values.packed` gives.
        of_tokens: the same of those whose values Python gives by fine token.
    """

    words: tuple[Any, ...]
    places: tuple[Any, ...]
    index: tuple[Any, ...]
    lists: tuple[str, ...]
    phrases: tuple[Any, ...]
    phrase: int
    word_columns: int
    place_columns: int
    sets: tuple[int, ...]
    in_python: tuple[PackedValues, ...]
    of_tokens: tuple[PackedValues, ...]


def compile_properties(
    values: Mapping[Property, Numbers],
    layer: str,
    *,
    lists: Sequence[str],
    phrases: Numbers,
    clusters: Mapping[str, Mapping[str, str]],
) -> NativeColumns:
    """Sorts properties by how their columns come, and says to the extension what it needs for them.

    Args:
        values: property -> its values' numbers.
        layer: the segmentation into items.
        lists: names of the gazetteers, in the order of their matches.
        phrases: case-folded word of a phrase -> number.
        clusters: at least the tables that the properties name.
    """
    builder = NativeBuilder(clusters, lists)
    ways = {declared: _way(declared, layer) for declared in values}
    of_words = [declared for declared, way in ways.items() if way is NativeWay.OF_WORDS]
    for declared in of_words:
        declared.native_column(values[declared], builder)
    places = builder.places
    phrase = builder.words.look_up(phrases, fold_map())
    columns = {
        declared: declared.native_column(values[declared], builder)
        for declared, way in ways.items()
        if way not in (NativeWay.OF_WORDS, NativeWay.IN_PYTHON)
    }

    def made(way: NativeWay) -> dict[Property, int]:
        return {declared: column for declared, column in columns.items() if ways[declared] is way}

    return NativeColumns(
        builder.words,
        places,
        phrase,
        tuple(of_words),
        made(NativeWay.OF_ITEMS) | made(NativeWay.OF_TOKENS),
        made(NativeWay.SETS_OF_WORDS),
        tuple(made(NativeWay.SETS_OF_ITEMS)),
    )


def given_by_token(declared: Sequence[Property], layer: str) -> tuple[Property, ...]:
    """Those of some properties whose values Python gives by fine token, in order."""
    return tuple(each for each in declared if _way(each, layer) is NativeWay.OF_TOKENS)


def made_in_python(declared: Sequence[Property], layer: str) -> tuple[Property, ...]:
    """Those of some properties for which the extension has no column, in order."""
    return tuple(each for each in declared if _way(each, layer) is NativeWay.IN_PYTHON)


def _way(declared: Property, layer: str) -> NativeWay:
    if layer == "character" and any(kind == "gazetteer" for kind, _ in declared.needs):
        # There phrases are found in fine tokens, which are no items.
        return NativeWay.IN_PYTHON
    return declared.native_way(layer)
