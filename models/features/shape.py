"""Word shapes: a character map, and the same with runs collapsed."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from typing import ClassVar

import numpy as np

from ..core.errors import UsageError
from ..text.characters import CODE_POINTS, IS_ALPHA, IS_DECIMAL, IS_TITLE, IS_UPPER, trait_table
from .base import MOST_KNOWN, Column, Items, Property, one_each
from .native_columns import NativeBuilder, NativeWay
from .native_maps import ITSELF, CodeMap, Numbers, packed, values_of


@dataclasses.dataclass(frozen=True, slots=True)
class Shape(Property):
    """The word with each character replaced by its sort.

    Upper case is `str.isupper` or a title-case digraph, digit is `str.isdecimal`, lower case any
    other `str.isalpha` (scripts without case too), other the rest. The characters may be chosen:
    Liu et al. 2015, §3.2.2 use `A a # -`, He et al. 2015, §2.2 `A a 0` with the rest as it is.

    Attributes:
        collapsed: runs of the same character of the shape become one.
        upper, lower, digit: one character each.
        other: one character, or "" to keep the character as it is.
    """

    KIND: ClassVar[str] = "shape"

    collapsed: bool = False
    upper: str = "A"
    lower: str = "a"
    digit: str = "0"
    other: str = ""

    def __post_init__(self) -> None:
        for name in ("upper", "lower", "digit", "other"):
            value = getattr(self, name)
            if not (
                isinstance(value, str) and value in (*"Aa#-09xX.ULD", *([""] * (name == "other")))
            ):
                raise UsageError(
                    f"shape: {name} must be one of the characters A a # - 0 9 x X . U L D"
                )

    @property
    def key(self) -> str:
        """See `Property.key`."""
        mapped = self.upper + self.lower + self.digit + self.other
        return ("short" if self.collapsed else "shape") + ("" if mapped == "Aa0" else f".{mapped}")

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        table = _sorts(self.upper, self.lower, self.digit, self.other)
        shapes = (word.translate(table) for word in items.words)
        if self.collapsed:
            shapes = ("".join(run for run, _ in itertools.groupby(shape)) for shape in shapes)
        return one_each(shapes, by_word=True)

    def native_way(self, layer: str) -> NativeWay:
        """See `Property.native_way`."""
        return NativeWay.OF_WORDS

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """See `Property.native_column`."""
        made = _shape_map(self.upper, self.lower, self.digit, self.other)
        cut = "collapsed" if self.collapsed else "as it is"
        return columns.words.look_up(dict(values_of(numbers)), made, cut=cut)


class _Sorts(dict[int, str]):
    """Code point -> character of the shape, filled as code points are met."""

    def __init__(self, upper: str, lower: str, digit: str, other: str) -> None:
        super().__init__()
        self._characters = upper, lower, digit, other

    def __missing__(self, code_point: int) -> str:
        character = chr(code_point)
        upper, lower, digit, other = self._characters
        if character.isupper() or character.istitle():
            sort = upper
        elif character.isdecimal():
            sort = digit
        elif character.isalpha():
            sort = lower
        else:
            sort = other or character
        if len(self) < MOST_KNOWN:
            self[code_point] = sort
        return sort


@functools.lru_cache(maxsize=16)
def _sorts(upper: str, lower: str, digit: str, other: str) -> _Sorts:
    return _Sorts(upper, lower, digit, other)


@functools.lru_cache(maxsize=16)
def _shape_map(upper: str, lower: str, digit: str, other: str) -> CodeMap:
    traits = trait_table()
    dense = np.full(CODE_POINTS, ord(other) if other else ITSELF, np.int32)
    for bits, character in (
        (IS_ALPHA, lower),
        (IS_DECIMAL, digit),
        (IS_UPPER | IS_TITLE, upper),
    ):
        dense[(traits & bits) != 0] = ord(character)
    return packed(dense)
