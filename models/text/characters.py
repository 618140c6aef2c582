"""Character classes: a text becomes one array of small numbers, one for each code point.

A class is `kind * 4 + detail`, so that `class >> 2` is the kind: white space, letter, digit or
sign. The table ships as a file, made of one version of Unicode: a text has the same tokens under
every Python. What the version does not know is a sign. `made_classes` makes the file, under a
Python with that version.
"""

from __future__ import annotations

import functools
import importlib.resources
import itertools
import unicodedata
from collections.abc import Callable
from importlib.resources.abc import Traversable

import numpy as np
import numpy.typing as npt

Classes = npt.NDArray[np.uint8]
Traits = npt.NDArray[np.uint16]

WHITE_KIND, LETTER_KIND, DIGIT_KIND, SIGN_KIND = range(4)

SPACE, BREAK = 0, 1
LOWER, UPPER, CASELESS = 4, 5, 6
DIGIT = 8
SIGN, TERMINATOR, OPENER, CLOSER = 12, 13, 14, 15
MARK = 16
"""Belongs to the character before it; only after white space, or first in a text, a letter."""

LINE_BREAKS = "\n\r\f\v\x85\u2028\u2029"
TERMINATORS = (
    ".!?\u2026\u203c\u2047\u2048\u2049"
    "\u3002\uff01\uff1f\uff0e\uff61\u0964\u0965\u061f\u06d4\u0589\u1362"
)
OPENERS = "([{\u201c\u2018\u00ab\u201e\u00bf\u00a1"
CLOSERS = ")]}\u201d\u2019\u00bb\"'"
# Format characters that stand inside words (joiners, soft hyphen), the skin tones and the tags of
# flags: to a reader they are no character of their own.
_JOINED = (
    "\u00ad",
    "\u200c",
    "\u200d",
    "\u2060",
    *map(chr, range(0x1F3FB, 0x1F400)),
    *map(chr, range(0xE0020, 0xE0080)),
)

_BY_CATEGORY = {
    "Ll": LOWER,
    "Lu": UPPER,
    "Lt": UPPER,
    "Lm": CASELESS,
    "Lo": CASELESS,
    "Nd": DIGIT,
    # Superscripts, fractions and Roman numerals count as letters, as in `[^\W\d_]` of `re`.
    "No": CASELESS,
    "Nl": CASELESS,
    "Mn": MARK,
    "Mc": MARK,
    "Me": MARK,
}

CODE_POINTS = 0x110000

UNICODE = "14.0.0"
"""The version that classes are those of."""

IS_ALPHA, IS_UPPER, IS_TITLE, IS_LOWER, IS_DECIMAL, IS_SPACE, IS_ALNUM = (
    1 << at for at in range(7)
)
"""Traits of a code point, as in models/native/characters.h."""

# As the methods of `str`, of which NumPy asks the interpreter.
_TRAITS: tuple[tuple[int, Callable[[npt.NDArray[np.str_]], npt.NDArray[np.bool_]]], ...] = (
    (IS_ALPHA, np.strings.isalpha),
    (IS_UPPER, np.strings.isupper),
    (IS_TITLE, np.strings.istitle),
    (IS_LOWER, np.strings.islower),
    (IS_DECIMAL, np.strings.isdecimal),
    (IS_SPACE, np.strings.isspace),
    (IS_ALNUM, np.strings.isalnum),
)
_VALUE_SHIFT = 8


def assigned() -> itertools.chain[int]:
    """The code points of the planes that hold characters other than private ones."""
    return itertools.chain(range(0xD800), range(0xE000, 0x40000), range(0xE0000, 0xE1000))


@functools.cache
def trait_table() -> Traits:
    """What `str` says of every code point, as the extension reads it; read only.

    `str.istitle` is true of capitals too; the trait is not. A decimal digit has its value as well.
    """
    codes = np.fromiter(assigned(), np.uint32)
    characters = codes.view("U1")
    traits = np.zeros(len(codes), np.uint16)
    for trait, holds in _TRAITS:
        traits |= np.where(holds(characters), np.uint16(trait), np.uint16(0))
    traits[traits & IS_UPPER != 0] &= 0xFFFF & ~IS_TITLE
    table = np.zeros(CODE_POINTS, np.uint16)
    table[codes] = traits
    for code in np.flatnonzero(table & IS_DECIMAL).tolist():
        table[code] |= unicodedata.decimal(chr(code)) << _VALUE_SHIFT
    table.setflags(write=False)
    return table


def classes_file() -> Traversable:
    """The table that ships."""
    return importlib.resources.files(__package__).joinpath(f"classes-{UNICODE}.tsv")


@functools.cache
def class_table() -> Classes:
    """The class of every code point, surrogates included; read only."""
    rows = [line.split("\t") for line in classes_file().read_text("ascii").splitlines()]
    starts = [int(first, 16) for first, _ in rows]
    lengths = np.diff([*starts, CODE_POINTS])
    table = np.repeat(np.array([int(value) for _, value in rows], np.uint8), lengths)
    table.setflags(write=False)
    return table


def made_classes() -> str:
    """The file, by the interpreter's Unicode: where each run of one class begins, and the class."""
    table = np.full(CODE_POINTS, SIGN, np.uint8)
    for code in assigned():
        character = chr(code)
        kind = _BY_CATEGORY.get(unicodedata.category(character), SIGN)
        # The ordinal signs of Spanish are letters without case to their category, lower-case to
        # Unicode.
        table[code] = LOWER if kind == CASELESS and character.islower() else kind
    for value, characters in (
        (SPACE, [c for c in map(chr, range(0x3001)) if c.isspace()]),
        (BREAK, LINE_BREAKS),
        (TERMINATOR, TERMINATORS),
        (OPENER, OPENERS),
        (CLOSER, CLOSERS),
        (MARK, _JOINED),
    ):
        table[[ord(character) for character in characters]] = value
    starts = (0, *(np.flatnonzero(np.diff(table)) + 1).tolist())
    return "".join(f"{start:X}\t{table[start]}\n" for start in starts)
