"""Prefixes and suffixes of words, and whether they are known ones."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import ClassVar

from ..core.errors import UsageError
from .base import Column, Items, Property, one_each, require_int, require_name, require_one_of
from .native_columns import NativeBuilder, NativeWay
from .native_maps import Numbers, fold_map, values_of


@dataclasses.dataclass(frozen=True, slots=True)
class Prefix(Property):
    """The first `n` code points.

    Attributes:
        n: 1 to 32.
        fold: of the case-folded word.
        whole: a shorter word is its own prefix; otherwise it has none.
    """

    KIND: ClassVar[str] = "prefix"

    n: int
    fold: bool = False
    whole: bool = False

    def __post_init__(self) -> None:
        require_int(self.KIND, "n", self.n, 1, 32)

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return _key("pre", self.n, self.fold, self.whole)

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        n, least = self.n, 0 if self.whole else self.n
        words = items.folded if self.fold else items.words
        return one_each((w[:n] if len(w) >= least else None for w in words), by_word=True)

    def native_way(self, layer: str) -> NativeWay:
        """See `Property.native_way`."""
        return NativeWay.OF_WORDS

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """See `Property.native_column`."""
        return _native_column(self, numbers, columns)


@dataclasses.dataclass(frozen=True, slots=True)
class Suffix(Property):
    """The last `n` code points; attributes as of `Prefix`."""

    KIND: ClassVar[str] = "suffix"

    n: int
    fold: bool = False
    whole: bool = False

    def __post_init__(self) -> None:
        require_int(self.KIND, "n", self.n, 1, 32)

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return _key("suf", self.n, self.fold, self.whole)

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        n, least = self.n, 0 if self.whole else self.n
        words = items.folded if self.fold else items.words
        return one_each((w[-n:] if len(w) >= least else None for w in words), by_word=True)

    def native_way(self, layer: str) -> NativeWay:
        """See `Property.native_way`."""
        return NativeWay.OF_WORDS

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """See `Property.native_column`."""
        return _native_column(self, numbers, columns)


LEAST_STEM = 2
"""Code points that a word has beside a known affix: "itis" itself is none."""


@dataclasses.dataclass(frozen=True, slots=True)
class KnownAffix(Property):
    """Whether the case-folded word begins or ends with one of some affixes: "1", or no value.

    It tells of words that no dictionary has: whatever ends in "ectomy" is an operation.

    Attributes:
        name: of the affixes; those of each length and side need a name of their own.
        side: "prefix" or "suffix".
        affixes: case-folded, distinct, all of one length.
    """

    KIND: ClassVar[str] = "affix"

    name: str
    side: str
    affixes: tuple[str, ...]

    def __post_init__(self) -> None:
        require_name(self.KIND, "name", self.name)
        require_one_of(self.KIND, "side", self.side, ("prefix", "suffix"))
        lengths = {len(affix) for affix in self.affixes}
        if len(lengths) != 1 or len(set(self.affixes)) < len(self.affixes):
            raise UsageError("affix: affixes must be one or more of one length, each once")
        if any(affix != affix.casefold() for affix in self.affixes):
            raise UsageError("affix: affixes must be case-folded")
        require_int(self.KIND, "length", self.length, 1, 32)

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return f"affix.{self.name}.{self.side}"

    @property
    def length(self) -> int:
        """Code points of each affix."""
        return len(self.affixes[0])

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        n, known = self.length, frozenset(self.affixes)
        part = slice(n) if self.side == "prefix" else slice(-n, None)
        has = (len(w) >= n + LEAST_STEM and w[part] in known for w in items.folded)
        return one_each(("1" if one else None for one in has), by_word=True)

    def native_way(self, layer: str) -> NativeWay:
        """See `Property.native_way`."""
        return NativeWay.OF_WORDS

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """See `Property.native_column`."""
        number = numbers.get("1")
        known = {} if number is None else dict.fromkeys(self.affixes, number)
        n = self.length
        return columns.words.look_up(known, fold_map(), cut=self.side, n=n, least=n + LEAST_STEM)


def known_affixes(name: str, written: Sequence[str]) -> tuple[KnownAffix, ...]:
    """The properties of a list that writes prefixes as "peri-" and suffixes as "-itis".

    Args:
        name: of the list; the length is put behind.
        written: the list, in any order; what has no hyphen at one end is left out.
    """
    groups: dict[tuple[str, int], list[str]] = {}
    for affix in sorted(written):
        side = {(False, True): "prefix", (True, False): "suffix"}.get(
            (affix.startswith("-"), affix.endswith("-"))
        )
        if side:
            bare = affix.strip("-").casefold()
            groups.setdefault((side, len(bare)), []).append(bare)
    return tuple(
        KnownAffix(f"{name}.{length}", side, tuple(affixes))
        for (side, length), affixes in sorted(groups.items())
    )


def _key(stem: str, n: int, fold: bool, whole: bool) -> str:
    return f"{stem}{n}" + (".lower" if fold else "") + (".whole" if whole else "")


def _native_column(declared: Prefix | Suffix, numbers: Numbers, columns: NativeBuilder) -> int:
    return columns.words.look_up(
        dict(values_of(numbers)),
        fold_map() if declared.fold else None,
        cut=declared.KIND,
        n=declared.n,
        least=0 if declared.whole else declared.n,
    )
