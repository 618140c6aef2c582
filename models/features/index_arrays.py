"""What the extension opens of an `AttributeIndex`, and where its columns are."""

from __future__ import annotations

import dataclasses
from typing import Any

from .model_values import PackedValues


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
