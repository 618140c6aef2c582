"""Maps of code points and tables of strings, in the form that the extension takes.

A map says what becomes of each code point of a word, a table gives strings their numbers.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.arrays import Ids, code_points
from ..text.characters import CODE_POINTS, IS_DECIMAL, assigned, trait_table
from .escaping import escape, unescape

CodeMap = tuple[Any, Any, Any]
StringTable = tuple[Any, Any, Any]
Numbers = Mapping[str, int]
"""Value of a property, as it stands in attribute strings -> its number."""

ITSELF = CODE_POINTS
"""In a map: the code point stays."""

_PAGE = 256


def packed(dense: Ids, expansions: Sequence[int] = ()) -> CodeMap:
    """A map from what each code point becomes: another, `ITSELF`, or ~place of an expansion."""
    pages: dict[bytes, int] = {}
    rows = dense.reshape(-1, _PAGE)
    places = [pages.setdefault(row.tobytes(), len(pages)) for row in rows]
    return (
        np.array(places, np.uint16),
        np.frombuffer(b"".join(pages), np.int32).reshape(-1, _PAGE),
        np.array(expansions, np.uint32),
    )


def map_of(changed: Mapping[int, str]) -> CodeMap:
    """The map that leaves all but some code points as they are."""
    dense = np.full(CODE_POINTS, ITSELF, np.int32)
    expansions: list[int] = []
    for code, text in changed.items():
        if len(text) == 1:
            dense[code] = ord(text)
        else:
            dense[code] = ~len(expansions)
            expansions += [len(text), *map(ord, text)]
    return packed(dense, expansions)


@functools.cache
def folds() -> dict[int, str]:
    """What case-folding changes."""
    # Most pages hold nothing that it changes, which a page tells at once.
    every = np.fromiter(assigned(), "<u4").tobytes().decode("utf-32-le")
    pages = (every[start : start + _PAGE] for start in range(0, len(every), _PAGE))
    changed = (page for page in pages if page.casefold() != page)
    return {
        ord(one): fold
        for one in itertools.chain.from_iterable(changed)
        if (fold := one.casefold()) != one
    }


@functools.cache
def fold_map() -> CodeMap:
    """`str.casefold`, which works code point by code point."""
    return map_of(folds())


@functools.cache
def digits() -> dict[int, str]:
    """Every decimal digit as 0."""
    return dict.fromkeys(np.flatnonzero(trait_table() & IS_DECIMAL).tolist(), "0")


@functools.cache
def digit_map() -> CodeMap:
    """The map of `digits`."""
    return map_of(digits())


@functools.cache
def normal_map() -> CodeMap:
    """Case-folded, with every decimal digit as 0."""
    return map_of(folds() | digits())


def table_of(numbers: Numbers) -> StringTable:
    """The strings and their numbers."""
    strings = list(numbers)
    offsets = np.zeros(len(strings) + 1, np.int64)
    np.cumsum([len(string) for string in strings], out=offsets[1:])
    return code_points("".join(strings)), offsets, np.array(list(numbers.values()), np.int32)


def values_table(numbers: Numbers) -> StringTable:
    """The values of a property and their numbers."""
    return table_of(dict(values_of(numbers)))


def values_of(numbers: Numbers) -> Iterator[tuple[str, int]]:
    """The values as texts have them, and their numbers; without those that no text leads to."""
    for written, number in numbers.items():
        value = unescape(written)
        if value is not None and escape(value) == written:
            yield value, number
