"""What stands further off in the sequence: the nearest word of a sort, the nearest landmark."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from ..core.arrays import Flags, Ints
from ..core.errors import UsageError
from ..text.joined import KINDS
from .base import Column, Items, Property, log_bins, require_name, require_one_of
from .gazetteer import matches
from .native_columns import ALL_SMALL, STARTS_ALNUM, NativeBuilder, NativeWay
from .native_maps import Numbers
from .normal import Normal, normal_column

SIDES = ("before", "behind")
SORTS = ("word", "lower")
GIVES = ("sort", "far", "word")
_FURTHEST = 32
BINS = _FURTHEST.bit_length()
"""Of distances."""


@dataclasses.dataclass(frozen=True, slots=True)
class Beside(Property):
    """The nearest word of a sort in the sequence, as `Normal` has it; the item itself is not meant.

    Attributes:
        side: "before" or "behind" the item.
        sort: "word" with a letter or digit at its first place, "lower" of small letters only.
    """

    KIND: ClassVar[str] = "beside"

    side: str
    sort: str = "word"

    def __post_init__(self) -> None:
        require_one_of(self.KIND, "side", self.side, SIDES)
        require_one_of(self.KIND, "sort", self.sort, SORTS)

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return f"beside.{self.side}.{self.sort}"

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        if self.sort == "word":
            chosen = np.array([word[:1].isalnum() for word in items.words], np.bool_)
        else:
            chosen = items.all_small
        normal = items.column_of(Normal())
        found = _nearest(items, chosen[items.word_ids], self.side)
        ids = normal.ids[items.word_ids]
        if not len(items):
            return Column(normal.values, ids)
        return Column(normal.values, np.where(found >= 0, ids[found], -1))

    def native_way(self, layer: str) -> NativeWay:
        """See `Property.native_way`."""
        return NativeWay.OF_ITEMS

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """See `Property.native_column`."""
        return columns.places.add(
            "beside",
            behind=int(self.side == "behind"),
            word=normal_column(numbers, columns),
            flag=STARTS_ALNUM if self.sort == "word" else ALL_SMALL,
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Nearest(Property):
    """Which landmark is nearest in the sequence, or how far off; none beyond 32 items.

    A landmark is a joined item of a kind or a phrase of a gazetteer: a phrase counts by its end
    that is turned to the item, the item itself and a phrase that it is in the midst of do not.

    Attributes:
        name: of the choice of landmarks.
        side: "before" or "behind" the item.
        gives: "sort" the landmark's kind or gazetteer; "far" that and the distance, binned by
            powers of two; "word" the landmark's last item if it is before, its first if behind, as
            `Normal` has it.
        kinds: of `text.joined.KINDS`.
        dictionaries: names of gazetteers. What is of several kinds and gazetteers counts as the
            first of them.
    """

    KIND: ClassVar[str] = "nearest"

    name: str
    side: str
    gives: str
    kinds: tuple[str, ...] = ()
    dictionaries: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require_name(self.KIND, "name", self.name)
        require_one_of(self.KIND, "side", self.side, SIDES)
        require_one_of(self.KIND, "gives", self.gives, GIVES)
        for kind in self.kinds:
            require_one_of(self.KIND, "kinds", kind, KINDS)
        for name in self.dictionaries:
            require_name(self.KIND, "dictionaries", name)
        names = (*self.kinds, *self.dictionaries)
        if not names or len(set(names)) < len(names):
            raise UsageError("nearest: kinds and dictionaries must be one or more, each once")

    @property
    def key(self) -> str:
        """See `Property.key`; each choice of landmarks needs a name of its own."""
        return f"nearest.{self.name}.{self.side}.{self.gives}"

    @property
    def needs(self) -> tuple[tuple[str, str], ...]:
        """See `Property.needs`."""
        return tuple(("gazetteer", name) for name in self.dictionaries)

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        names = (*self.kinds, *self.dictionaries)
        marks = np.full(len(items), len(names), np.int64)
        for place, name in reversed(list(enumerate(self.dictionaries, len(self.kinds)))):
            firsts, lasts, _ = matches(items, name)
            marks[firsts if self.side == "behind" else lasts] = place
        places = {kind: place for place, kind in enumerate(self.kinds)}
        of_kinds = np.array([places.get(kind, len(names)) for kind in KINDS] + [len(names)])
        marks = np.minimum(marks, of_kinds[items.kind_ids][items.word_ids])
        found = _nearest(items, marks < len(names), self.side)
        if not len(items):
            return Column((), found)
        away = np.abs(found - np.arange(len(items)))
        known = (found >= 0) & (away <= _FURTHEST)
        if self.gives == "word":
            normal = items.column_of(Normal())
            words = normal.ids[items.word_ids][found]
            return Column(normal.values, np.where(known, words, -1))
        ids = marks[found]
        if self.gives == "sort":
            return Column(names, np.where(known, ids, -1))
        values = tuple(f"{name}.{bin_}" for name in names for bin_ in range(1, BINS + 1))
        return Column(values, np.where(known, ids * BINS + log_bins(away) - 1, -1))

    def native_way(self, layer: str) -> NativeWay:
        """See `Property.native_way`."""
        return NativeWay.OF_ITEMS

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """See `Property.native_column`."""
        places = columns.places
        choice = places.choice(self.kinds, self.dictionaries)
        more = {"behind": int(self.side == "behind"), "list": choice}
        if self.gives == "word":
            return places.add("nearest.word", word=normal_column(numbers, columns), **more)
        names = [*self.kinds, *self.dictionaries]
        if self.gives == "far":
            names = [f"{name}.{bin_}" for name in names for bin_ in range(1, BINS + 1)]
        return places.add(f"nearest.{self.gives}", first=places.numbered(numbers, names), **more)


def _nearest(items: Items, chosen: Flags, side: str) -> Ints:
    """Row of the nearest chosen item of the sequence on the side of each item, or -1."""
    size = len(items)
    rows = np.arange(size)
    if not size:
        return rows
    if side == "before":
        last = np.maximum.accumulate(np.where(chosen, rows, -1))
        found = np.concatenate(([-1], last[:-1]))
        first = items.sequence_offsets[:-1][items.sequences]
        return np.where(found >= first, found, -1)
    following = np.minimum.accumulate(np.where(chosen, rows, size)[::-1])[::-1]
    found = np.concatenate((following[1:], [size]))
    return np.where(found < items.sequence_offsets[1:][items.sequences], found, -1)
