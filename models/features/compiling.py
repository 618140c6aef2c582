"""From declared properties to what the extension fills their columns by.

Every kind of property that ships is either of the word (its characters are mapped one by one, cut,
and looked up in the table of its values) or of the place; a kind that is neither here is made in
Python, column by column. What a column holds are numbers: those that the values of a property have
in the attributes of one model.
"""

from __future__ import annotations

import dataclasses
import functools
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from ..characters import (
    CODE_POINTS,
    IS_ALPHA,
    IS_DECIMAL,
    IS_TITLE,
    IS_UPPER,
    assigned,
    code_points,
    trait_table,
)
from ..columns import Ids
from ..layers.merged import (
    DIGITS,
    FOLDED_CATEGORIES,
    KINDS,
    RAW_CATEGORIES,
    join_program,
    kind_program,
)
from ..tokenizing import characters_of
from .affixes import Prefix, Suffix
from .base import Property, escape, unescape
from .character_class import ANY, CLASSES, CharacterClass, Ends, Has, Only, Run, category
from .characters import Character
from .cluster import Cluster
from .count import Count
from .day_month import ANSWERS, DayMonth
from .elsewhere import Elsewhere
from .field import OF_LINES, Field
from .frequency import Frequency
from .gazetteer import Gazetteer
from .length import Length
from .line import Line
from .nearest import BINS, Beside, Nearest
from .normal import GENERAL, Kind, Normal
from .shape import Shape
from .spacing import Spacing
from .word import Word

_Map = tuple[Any, Any, Any]
_Table = tuple[Any, Any, Any]
Numbers = Mapping[str, int]
"""Value of a property, as it stands in attribute strings -> its number."""

_CUTS = ("as it is", "prefix", "suffix", "collapsed")
_WAYS = ("looked up", "length", "classes", "kind", "folded", "flags")
_PLACES = (
    *("spacing", "line.index", "line.rest", "line.number", "line.below", "line.size"),
    *("line.tenth", "line.gap", "line.field"),
    *("field.line", "field.above", "field.below", "field.last"),
    *("field.inner", "field.since", "field.coming"),
    *("beside", "nearest.sort", "nearest.far", "nearest.word"),
    *("count.sequence", "count.document", "share.sequence", "share.document"),
    *("gazetteer.in", "gazetteer.bioes", "frequency", "day_month", "elsewhere"),
)
"""As the extension numbers them (words.h, places.h)."""

_STARTS_ALNUM, _ALL_SMALL = 1, 2
_LOOK_UP = -2
_ITSELF = CODE_POINTS
_PAGE = 256
_FURTHEST_SINCE = 12
_BINS_OF_LINES, _BINS_OF_COUNTS = 10, 20
_CATEGORIES = {category: 1 << place for place, category in enumerate(ANY)}


# Maps: what becomes of each code point.


def _packed(dense: Ids, expansions: Sequence[int] = ()) -> _Map:
    pages: dict[bytes, int] = {}
    rows = dense.reshape(-1, _PAGE)
    places = [pages.setdefault(row.tobytes(), len(pages)) for row in rows]
    return (
        np.array(places, np.uint16),
        np.frombuffer(b"".join(pages), np.int32).reshape(-1, _PAGE),
        np.array(expansions, np.uint32),
    )


def _map_of(changed: Mapping[int, str]) -> _Map:
    """The map that leaves all but some code points as they are."""
    dense = np.full(CODE_POINTS, _ITSELF, np.int32)
    expansions: list[int] = []
    for code, text in changed.items():
        if len(text) == 1:
            dense[code] = ord(text)
        else:
            dense[code] = ~len(expansions)
            expansions += [len(text), *map(ord, text)]
    return _packed(dense, expansions)


@functools.cache
def _folds() -> dict[int, str]:
    return {code: fold for code in assigned() if (fold := chr(code).casefold()) != chr(code)}


@functools.cache
def fold_map() -> _Map:
    """`str.casefold`, which works code point by code point."""
    return _map_of(_folds())


@functools.cache
def _digits() -> dict[int, str]:
    return dict.fromkeys(np.flatnonzero(trait_table() & IS_DECIMAL).tolist(), "0")


@functools.cache
def _digit_map() -> _Map:
    return _map_of(_digits())


@functools.cache
def _normal_map() -> _Map:
    return _map_of(_folds() | _digits())


@functools.cache
def _plain_map() -> _Map:
    """`Normal(plain=True)`; what is combining goes, so the order of marks does not matter."""
    normal = _folds() | _digits()
    changed = dict(normal)
    for code in assigned():
        text = normal.get(code, chr(code))
        if not text.isascii():
            parts = unicodedata.normalize("NFKD", text)
            changed[code] = "".join(part for part in parts if not unicodedata.combining(part))
    return _map_of({code: text for code, text in changed.items() if text != chr(code)})


@functools.lru_cache(maxsize=16)
def _shape_map(upper: str, lower: str, digit: str, other: str) -> _Map:
    traits = trait_table()
    dense = np.full(CODE_POINTS, ord(other) if other else _ITSELF, np.int32)
    for bits, character in (
        (IS_ALPHA, lower),
        (IS_DECIMAL, digit),
        (IS_UPPER | IS_TITLE, upper),
    ):
        dense[(traits & bits) != 0] = ord(character)
    return _packed(dense)


@functools.cache
def _category_map(alphabet: str) -> _Map:
    dense = np.full(CODE_POINTS, _CATEGORIES["o"], np.int32)
    for code in assigned():
        dense[code] = _CATEGORIES[category(chr(code), alphabet)]
    return _packed(dense)


# Tables: strings and their numbers.


def _table(numbers: Numbers) -> _Table:
    strings = list(numbers)
    offsets = np.zeros(len(strings) + 1, np.int64)
    np.cumsum([len(string) for string in strings], out=offsets[1:])
    return code_points("".join(strings)), offsets, np.array(list(numbers.values()), np.int32)


def _values_table(numbers: Numbers) -> _Table:
    return _table(dict(_values(numbers)))


def _values(numbers: Numbers) -> Iterator[tuple[str, int]]:
    """The values as texts have them, and their numbers; not what no text can lead to."""
    for written, number in numbers.items():
        value = unescape(written)
        if value is not None and escape(value) == written:
            yield value, number


@functools.cache
def merger_of(native: ModuleType) -> Any:
    """The extension's merger, opened once a process."""
    return native.open_merger(
        characters_of(native),
        fold_map(),
        _table({word: ord(sign) for word, sign in FOLDED_CATEGORIES.items()}),
        _table({word: ord(sign) for word, sign in RAW_CATEGORIES.items()}),
        "".join(DIGITS.get(size, "\0") for size in range(10)).encode(),
        join_program(),
        kind_program(),
    )


@dataclasses.dataclass(slots=True)
class _Gathered:
    """Columns, and what they name, as they are gathered."""

    columns: list[tuple[int, ...]] = dataclasses.field(default_factory=list)
    tables: list[_Table] = dataclasses.field(default_factory=list)
    numbers: list[int] = dataclasses.field(default_factory=list)

    def table(self, table: _Table) -> int:
        self.tables.append(table)
        return len(self.tables) - 1

    def listed(self, numbers: Sequence[int]) -> int:
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
        self.maps: list[_Map] = []
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
        made: _Map | None = None,
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

    def map(self, made: _Map) -> int:
        """The number of a map."""
        for place, known in enumerate(self.maps):
            if known is made:
                return place
        self.maps.append(made)
        return len(self.maps) - 1

    def normal(self, numbers: Numbers, *, plain: bool = False) -> int:
        """A column of what `Normal` gives, with the numbers of any property's values."""
        kinds = [
            numbers.get(f"<{GENERAL[kind]}>", -1) if kind in GENERAL else _LOOK_UP for kind in KINDS
        ]
        made = _plain_map() if plain else _normal_map()
        return self.look_up(dict(_values(numbers)), made, kinds=self.listed(kinds))

    def arrays(self) -> tuple[Any, ...]:
        """What the extension's `open_words` takes behind characters and merger."""
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
            tuple(_table(strings) for strings in self._lookups.values()),
            np.array(list(self._lookups), np.int32),
            np.array(columns, np.int32),
            np.concatenate(numbers),
            np.array(self.classes, np.int32),
            np.array(self.segments, np.int32),
        )


_Word = Callable[[Any, Numbers, WordColumns], int]


def _word(declared: Word, numbers: Numbers, words: WordColumns) -> int:
    maps = {(True, False): fold_map, (False, True): _digit_map, (True, True): _normal_map}
    made = maps.get((declared.fold, declared.digits))
    return words.look_up(dict(_values(numbers)), made and made())


def _affix(declared: Prefix | Suffix, numbers: Numbers, words: WordColumns) -> int:
    return words.look_up(
        dict(_values(numbers)),
        fold_map() if declared.fold else None,
        cut=declared.KIND,
        n=declared.n,
        least=0 if declared.whole else declared.n,
    )


def _shape(declared: Shape, numbers: Numbers, words: WordColumns) -> int:
    made = _shape_map(declared.upper, declared.lower, declared.digit, declared.other)
    cut = "collapsed" if declared.collapsed else "as it is"
    return words.look_up(dict(_values(numbers)), made, cut=cut)


def _length(declared: Length, numbers: Numbers, words: WordColumns) -> int:
    most = declared.most
    names = [*map(str, range(most)), f"{most}+"]
    return words.add("length", n=most, first=words.listed([numbers.get(n, -1) for n in names]))


def _kind(declared: Kind, numbers: Numbers, words: WordColumns) -> int:
    return words.add("kind", kinds=words.listed([numbers.get(k, -1) for k in KINDS]))


def _character(declared: Character, numbers: Numbers, words: WordColumns) -> int:
    return words.look_up(dict(_values(numbers)), cut="prefix", n=1)


def _cluster(
    declared: Cluster, numbers: Numbers, words: WordColumns, clusters: Mapping[str, str]
) -> int:
    end = declared.prefix or None
    known = dict(_values(numbers))
    found = {word: known[code[:end]] for word, code in clusters.items() if code[:end] in known}
    return words.look_up(found, fold_map() if declared.fold else None)


def _classes(declared: CharacterClass, numbers: Numbers, words: WordColumns) -> int:
    first = len(words.classes)
    for name in declared.names:
        rule = CLASSES[name]
        kind = (Run, Has, Only, Ends).index(type(rule))
        if isinstance(rule, Run):
            segments = [
                (_bits(categories), fewest, -1 if most is None else most)
                for categories, fewest, most in rule.segments
            ]
        elif isinstance(rule, Ends):
            segments = [(_bits(rule.categories), 0, 0)]
        else:
            segments = [(_bits(group), 0, 0) for group in rule.groups]
        skip = rule.skip if isinstance(rule, Has) else 0
        words.classes.append(
            (kind, len(words.segments), len(segments), skip, numbers.get(name, -1))
        )
        words.segments += segments
    return words.add(
        "classes",
        lookup=words.map(_category_map(declared.alphabet)),
        n=len(declared.names),
        first=first,
    )


def _bits(categories: str) -> int:
    return sum(_CATEGORIES[one] for one in set(categories))


_OF_WORDS: dict[type[Property], _Word] = {
    Word: _word,
    Normal: lambda declared, numbers, words: words.normal(numbers, plain=declared.plain),
    Prefix: _affix,
    Suffix: _affix,
    Shape: _shape,
    Length: _length,
    Kind: _kind,
}
MOST_CLASSES = 64


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
        """Adds a column and gives its number."""
        fields = {"table": -1, "first": 0, "most": 0, "behind": 0, "word": -1, "flag": 0, "list": 0}
        self.columns.append((_PLACES.index(place), *(fields | more).values()))
        return len(self.columns) - 1

    def choice(self, declared: Nearest) -> int:
        """The number of a choice of landmarks."""
        names = (*declared.kinds, *declared.dictionaries)
        places = {name: place for place, name in enumerate(names)}
        kinds = [places[kind] if kind in declared.kinds else -1 for kind in KINDS]
        lists = [places[name] if name in declared.dictionaries else -1 for name in self.lists]
        self.choices.append((np.array(kinds, np.int32), np.array(lists, np.int32), len(names)))
        return len(self.choices) - 1

    def arrays(self) -> tuple[Any, ...]:
        """What the extension's `open_places` takes behind characters."""
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


_Place = Callable[[Any, Numbers, PlaceColumns], int]


def _spacing(declared: Spacing, numbers: Numbers, places: PlaceColumns) -> int:
    names = [f"{before}{behind}" for before in range(3) for behind in range(3)]
    return places.add("spacing", first=_listed(numbers, names, places))


def _listed(numbers: Numbers, names: Sequence[object], places: PlaceColumns) -> int:
    return places.listed([numbers.get(str(name), -1) for name in names])


def _line(declared: Line, numbers: Numbers, places: PlaceColumns) -> int:
    if declared.aspect == "field":
        return places.add("line.field", table=places.table(_values_table(numbers)))
    names = range(10) if declared.aspect == "tenth" else range(_BINS_OF_LINES + 1)
    return places.add(f"line.{declared.aspect}", first=_listed(numbers, names, places))


def _field(declared: Field, numbers: Numbers, places: PlaceColumns) -> int:
    if declared.aspect == "since":
        names = range(_FURTHEST_SINCE + 1)
        return places.add("field.since", first=_listed(numbers, names, places))
    most = declared.longest if declared.aspect in OF_LINES else 0
    table = places.table(_values_table(numbers))
    return places.add(f"field.{declared.aspect}", table=table, most=most)


def _beside(declared: Beside, numbers: Numbers, places: PlaceColumns) -> int:
    return places.add(
        "beside",
        behind=int(declared.side == "behind"),
        word=places.words.normal(numbers),
        flag=_STARTS_ALNUM if declared.sort == "word" else _ALL_SMALL,
    )


def _nearest(declared: Nearest, numbers: Numbers, places: PlaceColumns) -> int:
    more = {"behind": int(declared.side == "behind"), "list": places.choice(declared)}
    if declared.gives == "word":
        return places.add("nearest.word", word=places.words.normal(numbers), **more)
    names: list[str] = [*declared.kinds, *declared.dictionaries]
    if declared.gives == "far":
        names = [f"{name}.{bin_}" for name in names for bin_ in range(1, BINS + 1)]
    return places.add(f"nearest.{declared.gives}", first=_listed(numbers, names, places), **more)


def _count(declared: Count, numbers: Numbers, places: PlaceColumns) -> int:
    return places.add(
        f"{'share' if declared.scaled else 'count'}.{declared.scope}",
        first=_listed(numbers, range(_BINS_OF_COUNTS + 1), places),
        word=places.folded if declared.fold else -1,
    )


def _gazetteer(declared: Gazetteer, numbers: Numbers, places: PlaceColumns) -> int:
    return places.add(
        f"gazetteer.{declared.mode}",
        first=_listed(numbers, "1" if declared.mode == "in" else "BIES", places),
        list=places.lists.index(declared.name),
    )


def _frequency(declared: Frequency, numbers: Numbers, places: PlaceColumns) -> int:
    return places.add(
        "frequency",
        first=_listed(numbers, range(declared.most + 1), places),
        most=declared.most,
        list=places.lists.index(declared.name),
    )


def _day_month(declared: DayMonth, numbers: Numbers, places: PlaceColumns) -> int:
    names = [answer + sign for answer in ANSWERS for sign in "/-"]
    return places.add("day_month", first=_listed(numbers, names, places))


def _elsewhere(declared: Elsewhere, numbers: Numbers, places: PlaceColumns) -> int:
    table = places.table(_values_table(numbers))
    return places.add("elsewhere", table=table, most=declared.most)


_OF_PLACES: dict[type[Property], _Place] = {
    Spacing: _spacing,
    Line: _line,
    Field: _field,
    Beside: _beside,
    Nearest: _nearest,
    Count: _count,
    Gazetteer: _gazetteer,
    Frequency: _frequency,
    DayMonth: _day_month,
    Elsewhere: _elsewhere,
}


@dataclasses.dataclass(frozen=True, slots=True)
class Compiled:
    """Where the columns of properties are.

    Attributes:
        words, places: what the extension opens.
        phrase: the column of words that holds the number of a word of phrases.
        of_words: properties in the first columns of `words`, in order.
        of_places: those of one value in columns of `places`, with the column.
        of_sets: those of several values by a column of `words`, with the column.
        of_several: those of several values by place, in order.
        in_python: all others.
    """

    words: WordColumns
    places: PlaceColumns
    phrase: int
    of_words: tuple[Property, ...]
    of_places: dict[Property, int]
    of_sets: dict[Property, int]
    of_several: tuple[Property, ...]
    in_python: tuple[Property, ...]


def compile_properties(
    values: Mapping[Property, Numbers],
    layer: str,
    *,
    lists: Sequence[str],
    phrases: Numbers,
    clusters: Mapping[str, Mapping[str, str]],
) -> Compiled:
    """Sorts properties by how their columns come, and says to the extension what it needs for them.

    Args:
        values: property -> its values' numbers.
        layer: of the items.
        lists: names of the gazetteers, in the order of their matches.
        phrases: case-folded word of a phrase -> number.
        clusters: at least the tables that the properties name.
    """
    words = WordColumns()
    of_words, later = [], []
    for declared, numbers in values.items():
        if isinstance(declared, Cluster) and layer != "character":
            _cluster(declared, numbers, words, clusters[declared.name])
        elif isinstance(declared, Character) and not declared.blank:
            _character(declared, numbers, words)
        elif (make := _OF_WORDS.get(type(declared))) is not None:
            make(declared, numbers, words)
        else:
            later.append(declared)
            continue
        of_words.append(declared)
    places = PlaceColumns(words, lists)
    phrase = words.look_up(phrases, fold_map())
    of_places: dict[Property, int] = {}
    of_sets: dict[Property, int] = {}
    of_several, in_python = [], []
    for declared in later:
        numbers = values[declared]
        if isinstance(declared, CharacterClass) and len(declared.names) <= MOST_CLASSES:
            of_sets[declared] = _classes(declared, numbers, words)
        elif type(declared) not in _OF_PLACES or (
            # There phrases are found in fine tokens, which are no items.
            layer == "character" and any(kind == "gazetteer" for kind, _ in declared.needs)
        ):
            in_python.append(declared)
        elif isinstance(declared, Elsewhere):
            _elsewhere(declared, numbers, places)
            of_several.append(declared)
        else:
            of_places[declared] = _OF_PLACES[type(declared)](declared, numbers, places)
    return Compiled(
        words,
        places,
        phrase,
        tuple(of_words),
        of_places,
        of_sets,
        tuple(of_several),
        tuple(in_python),
    )
