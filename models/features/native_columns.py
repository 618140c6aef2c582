"""The columns that the extension fills, as kinds of property ask for them.

Every kind of property says in its own file (`Property.native_column`) how the extension makes its
column: of the word, whose characters are mapped one by one, cut, and looked up in the table of the
property's values, or of the place. A kind that says nothing is made in Python. What a column holds
are numbers: those that the values of a property have in the attributes of one model.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from ..core.arrays import Ids
from ..core.lazy import lazy
from ..native import extension
from ..text.joined import (
    DIGITS,
    FOLDED_CATEGORIES,
    KINDS,
    RAW_CATEGORIES,
    join_program,
    kind_program,
)
from ..text.tokenizer import characters_of
from .native_maps import CodeMap, Numbers, StringTable, fold_map, table_of

_CUTS = ("as it is", "prefix", "suffix", "collapsed")
_WAYS = ("looked up", "length", "classes", "kind", "folded", "flags")
"""As the extension numbers them (words.h)."""

STARTS_ALNUM, ALL_SMALL = 1, 2
"""Flags of words."""

LOOK_UP = -2
"""In place of the number of a kind: the word itself is looked up."""


class NativeWay(enum.Enum):
    """How the extension makes the column of a property."""

    IN_PYTHON = "it does not"
    OF_WORDS = "a value by word"
    SETS_OF_WORDS = "any number of values by word"
    OF_ITEMS = "a value by item"
    SETS_OF_ITEMS = "any number of values by item"
    OF_TOKENS = "a value by fine token, which Python gives"


@functools.cache
def merger_of(native: ModuleType) -> Any:
    """The extension's merger, opened once a process."""
    return native.open_merger(
        characters_of(native),
        fold_map(),
        table_of({word: ord(sign) for word, sign in FOLDED_CATEGORIES.items()}),
        table_of({word: ord(sign) for word, sign in RAW_CATEGORIES.items()}),
        "".join(DIGITS.get(size, "\0") for size in range(10)).encode(),
        join_program(),
        kind_program(),
    )


@dataclasses.dataclass(slots=True)
class _Gathered:
    """Columns, and what they name, as they are gathered."""

    columns: list[tuple[int, ...]] = dataclasses.field(default_factory=list)
    tables: list[StringTable] = dataclasses.field(default_factory=list)
    numbers: list[int] = dataclasses.field(default_factory=list)

    def table(self, table: StringTable) -> int:
        """Adds a table and gives its number."""
        self.tables.append(table)
        return len(self.tables) - 1

    def listed(self, numbers: Sequence[int]) -> int:
        """Adds numbers and gives the place of the first."""
        first = len(self.numbers)
        self.numbers += numbers
        return first


class WordColumns(_Gathered):
    """The columns of words.

    What several columns look up alike is looked up once: its table holds the values of all, and
    each column has numbers of its own for what is found.
    """

    def __init__(self) -> None:
        super().__init__()
        self.maps: list[CodeMap] = []
        self.classes: list[tuple[int, ...]] = []
        self.segments: list[tuple[int, int, int]] = []
        self._lookups: dict[tuple[int, int, int, int], dict[str, int]] = {}
        # Of each column that looks something up its numbers: they are listed when all are known.
        self._own: dict[int, tuple[tuple[int, int, int, int], Mapping[str, int]]] = {}

    def add(self, way: str, **more: int) -> int:
        """Adds a column and gives its number."""
        fields = {"lookup": -1, "fan": -1, "kinds": -1, "first": 0, "n": 0} | more
        self.columns.append((_WAYS.index(way), *fields.values()))
        return len(self.columns) - 1

    def look_up(
        self,
        known: Mapping[str, int],
        made: CodeMap | None = None,
        *,
        cut: str = "as it is",
        n: int = 0,
        least: int = 0,
        kinds: int = -1,
    ) -> int:
        """Adds a column of what a word, mapped and cut, is in a table.

        Args:
            known: string -> number.
            made: what is done to the characters first.
            cut: one of `_CUTS`.
            n: code points of a prefix or suffix.
            least: shorter words have no value.
            kinds: place of the numbers that stand for words of a kind.
        """
        key = _CUTS.index(cut), -1 if made is None else self.map(made), n, least
        strings = self._lookups.setdefault(key, {})
        for string in known:
            strings.setdefault(string, len(strings))
        column = self.add("looked up", kinds=kinds)
        self._own[column] = key, known
        return column

    def map(self, made: CodeMap) -> int:
        """The number of a map."""
        for place, known in enumerate(self.maps):
            if known is made:
                return place
        self.maps.append(made)
        return len(self.maps) - 1

    def arrays(self) -> tuple[Any, ...]:
        """What the extension's `open_words` takes after characters and merger."""
        places = {key: place for place, key in enumerate(self._lookups)}
        columns, numbers = list(self.columns), [np.array(self.numbers, np.int32)]
        size = len(self.numbers)
        for column, (key, known) in self._own.items():
            way, _, _, *rest = columns[column]
            columns[column] = (way, places[key], size, *rest)
            strings = self._lookups[key]
            numbers.append(np.fromiter((known.get(s, -1) for s in strings), np.int32, len(strings)))
            size += len(strings)
        return (
            tuple(self.maps),
            tuple(table_of(strings) for strings in self._lookups.values()),
            np.array(list(self._lookups), np.int32),
            np.array(columns, np.int32),
            np.concatenate(numbers),
            np.array(self.classes, np.int32),
            np.array(self.segments, np.int32),
        )


class PlaceColumns(_Gathered):
    """The columns of places."""

    def __init__(self, words: WordColumns, lists: Sequence[str]) -> None:
        """Begins with the columns of words that all need.

        Args:
            words: gets more columns.
            lists: names of the gazetteers that are looked for, in the order of their matches.
        """
        super().__init__()
        self.words = words
        self.folded = words.add("folded", lookup=words.map(fold_map()))
        self.flags = words.add("flags")
        self.kind = words.add("kind")
        self.lists = list(lists)
        self.choices: list[tuple[Ids, Ids, int]] = []

    def add(self, place: str, **more: int) -> int:
        """Adds a column of a kind of `PLACE_KINDS` and gives its number; see places.h."""
        fields = {"table": -1, "first": 0, "most": 0, "behind": 0, "word": -1, "flag": 0, "list": 0}
        self.columns.append((_place_kinds().index(place), *(fields | more).values()))
        return len(self.columns) - 1

    def of_tokens(self) -> int:
        """Adds a column of one value by fine token, see `Property.of_fine_tokens`; its number."""
        kind = _place_kinds().index("token")
        return self.add("token", list=sum(column[0] == kind for column in self.columns))

    def choice(self, kinds: Sequence[str], lists: Sequence[str]) -> int:
        """The number of a choice of landmarks: kinds of joined items and names of gazetteers."""
        places = {name: place for place, name in enumerate((*kinds, *lists))}
        of_kinds = [places[kind] if kind in kinds else -1 for kind in KINDS]
        of_lists = [places[name] if name in lists else -1 for name in self.lists]
        self.choices.append(
            (np.array(of_kinds, np.int32), np.array(of_lists, np.int32), len(places))
        )
        return len(self.choices) - 1

    def numbered(self, numbers: Numbers, names: Iterable[object]) -> int:
        """Adds the numbers of values that are known beforehand; -1 for those no model asks for."""
        return self.listed([numbers.get(str(name), -1) for name in names])

    def arrays(self) -> tuple[Any, ...]:
        """What the extension's `open_places` takes after characters."""
        return (
            fold_map(),
            tuple(self.tables),
            np.array(self.columns, np.int32),
            np.array(self.numbers, np.int32),
            tuple(self.choices),
            len(KINDS),
            len(self.lists),
            self.folded,
            self.flags,
            self.kind,
        )


@functools.cache
def _place_kinds() -> tuple[str, ...]:
    native = extension()
    assert native is not None
    kinds: tuple[str, ...] = native.PLACE_KINDS
    return kinds


class NativeBuilder:
    """Where properties ask for their columns, one after another.

    Attributes:
        words: the columns of words.
        clusters: at least the tables that the properties name.
    """

    def __init__(self, clusters: Mapping[str, Mapping[str, str]], lists: Sequence[str]) -> None:
        """Begins without any column.

        Args:
            clusters: see `NativeBuilder`.
            lists: names of the gazetteers, in the order of their matches.
        """
        self.words = WordColumns()
        self.clusters = clusters
        self._lists = lists

    @lazy
    def places(self) -> PlaceColumns:
        """The columns of items. They need columns of words, which follow those of properties."""
        return PlaceColumns(self.words, self._lists)
