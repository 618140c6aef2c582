"""Yes/no questions about the characters of a word: what others write as regular expressions.

A word is first turned into its *signature*, one category a character; a class is then a rule over
signatures that reads each character once. Backtracking cannot occur, so the cost is linear in the
word whatever the class (HIDE's own `^.*[0-9].*[A-Za-z].*$` takes quadratic time). Words with the
same signature are in the same classes.
"""

from __future__ import annotations

import dataclasses
import functools
import unicodedata
from typing import ClassVar

import numpy as np

from ..core.errors import UsageError
from ..text.characters import CODE_POINTS, assigned
from .base import MOST_KNOWN, Column, Items, Property, require_one_of, several_each
from .native_columns import NativeBuilder, NativeWay
from .native_maps import CodeMap, Numbers, packed

UPPER, LOWER, DIGIT, SPACE = "RU", "a", "d", "s"
LETTER = UPPER + LOWER
PUNCTUATION = "-'/+%,.p"
ANY = LETTER + DIGIT + SPACE + PUNCTUATION + "o"
"""Sets of categories.

R upper case that is a Roman numeral, U other upper case, a lower case, d digit, s white space, the
punctuation that some class asks for as itself, p other punctuation, o anything else.
"""


@dataclasses.dataclass(frozen=True, slots=True)
class SegmentRun:
    """The whole word is a sequence of segments; each matches greedily, without backtracking.

    Attributes:
        segments: (categories, fewest, most) each; most None is without bound.
    """

    segments: tuple[tuple[str, int, int | None], ...]

    def matches(self, signature: str) -> bool:
        """Whether a word of this signature is in the class."""
        position, size = 0, len(signature)
        for categories, fewest, most in self.segments:
            begin = position
            limit = size if most is None else min(size, begin + most)
            while position < limit and signature[position] in categories:
                position += 1
            if position - begin < fewest:
                return False
        return position == size


@dataclasses.dataclass(frozen=True, slots=True)
class Has:
    """The word, from character number `skip` on, has a character of each group of categories."""

    groups: tuple[str, ...]
    skip: int = 0

    def matches(self, signature: str) -> bool:
        """Whether a word of this signature is in the class."""
        found = set(signature[self.skip :])
        return all(not found.isdisjoint(group) for group in self.groups)


@dataclasses.dataclass(frozen=True, slots=True)
class Only:
    """The word has a character of each of the groups, and no character outside them."""

    groups: tuple[str, ...]

    def matches(self, signature: str) -> bool:
        """Whether a word of this signature is in the class."""
        found = set(signature)
        return found <= set("".join(self.groups)) and Has(self.groups).matches(signature)


@dataclasses.dataclass(frozen=True, slots=True)
class Ends:
    """The last character is of these categories."""

    categories: str

    def matches(self, signature: str) -> bool:
        """Whether a word of this signature is in the class."""
        return signature[-1:] != "" and signature[-1] in self.categories


Rule = SegmentRun | Has | Only | Ends

HIDE_CLASSES: dict[str, Rule] = {
    "ALPHA": SegmentRun(((LETTER, 1, None),)),
    "INITCAPS": SegmentRun(((UPPER, 1, 1), (ANY, 0, None))),
    "UPPER-LOWER": SegmentRun(((UPPER, 1, 1), (LOWER, 1, 1), (ANY, 0, None))),
    "ALLCAPS": SegmentRun(((UPPER, 1, None),)),
    "MIXEDCAPS": SegmentRun(((UPPER, 1, 1), (LOWER, 1, None), (UPPER, 1, 1), (LETTER, 0, None))),
    "SINGLECHAR": SegmentRun(((LETTER, 1, 1),)),
    "SINGLEDIGIT": SegmentRun(((DIGIT, 1, 1),)),
    "DOUBLEDIGIT": SegmentRun(((DIGIT, 2, 2),)),
    "TRIPLEDIGIT": SegmentRun(((DIGIT, 3, 3),)),
    "QUADDIGIT": SegmentRun(((DIGIT, 4, 4),)),
    "NUMBER": SegmentRun(((DIGIT, 1, None),)),
    "HASDIGIT": Has((DIGIT,)),
    "ALPHANUMERIC": Has((DIGIT, LETTER)),
    "NUMBERS.LETTERS": SegmentRun(((DIGIT, 1, None), (LETTER, 1, None))),
    "LETTERS.NUMBERS": SegmentRun(((LETTER, 1, None), (DIGIT, 1, None))),
    "HASDASH": Has(("-",)),
    "HASQUOTE": Has(("'",)),
    "HASSLASH": Has(("/",)),
    "ISPUNCT": SegmentRun(((PUNCTUATION, 1, None),)),
    "REALNUMBER": SegmentRun(
        (("-+", 0, 1), (DIGIT + ",", 1, None), (".", 0, 1), (DIGIT, 0, None), ("%", 0, 1))
    ),
    "STARTMINUS": SegmentRun((("-", 1, 1), (ANY, 0, None))),
    "STARTPLUS": SegmentRun((("+", 1, 1), (ANY, 0, None))),
    "ENDPERCENT": Ends("%"),
    "ROMAN": SegmentRun((("R", 1, None),)),
    "ISSPACE": SegmentRun(((SPACE, 1, None),)),
}
"""Gardner et al. 2010, Table 2, as its names mean it; `models.recipes.hide` lists its misprints."""

OTHER_CLASSES: dict[str, Rule] = {
    # He et al. 2015, Table 2; those it shares with HIDE are above.
    "HASLETTER": Has((LETTER,)),
    "HASCAP": Has((UPPER,)),
    "HASPUNCT": Has((PUNCTUATION,)),
    "LETTERS-DIGITS": Only((LETTER, DIGIT)),
    "DIGITS-PUNCT": Only((DIGIT, PUNCTUATION)),
    # Liu et al. 2015, §3.2.2, "inside": after the first character.
    "INNERCAP": Has((UPPER,), skip=1),
    "INNERDIGIT": Has((DIGIT,), skip=1),
    "INNERPUNCT": Has((PUNCTUATION,), skip=1),
    # Szarvas et al. 2006 only say "the common surface characteristics of AGE, PHONE and ID".
    "AGE-LIKE": SegmentRun(((DIGIT, 1, 3), (LETTER + "-/", 0, None))),
    "PHONE-LIKE": SegmentRun(
        ((DIGIT, 3, 3), ("-.", 1, 1), (DIGIT, 3, 4), ("-.", 0, 1), (DIGIT, 0, 4))
    ),
    "ID-LIKE": SegmentRun(
        ((LETTER, 0, 3), ("-", 0, 1), (DIGIT, 4, None), (LETTER + DIGIT + "-", 0, None))
    ),
}

CLASSES: dict[str, Rule] = HIDE_CLASSES | OTHER_CLASSES

ALPHABETS = ("ascii", "unicode")

_MOST_NATIVE_CLASSES = 64
"""Of one property: a set is one number of as many bits."""

_BITS = {category: 1 << place for place, category in enumerate(ANY)}


@dataclasses.dataclass(frozen=True, slots=True)
class CharacterClass(Property):
    """The names of the classes that the word is in, of those asked for.

    Attributes:
        names: keys of `CLASSES`; the order does not matter to the values.
        alphabet: "ascii" knows A-Z, a-z, 0-9 and ASCII punctuation as the papers do; "unicode"
            knows all upper-case and other letters, decimal digits, punctuation and symbols.
    """

    KIND: ClassVar[str] = "class"

    names: tuple[str, ...]
    alphabet: str = "ascii"

    def __post_init__(self) -> None:
        require_one_of(self.KIND, "alphabet", self.alphabet, ALPHABETS)
        if not self.names or len(set(self.names)) < len(self.names):
            raise UsageError("class: names must be one or more, each once")
        for name in self.names:
            require_one_of(self.KIND, "names", name, CLASSES)

    @property
    def key(self) -> str:
        """See `Property.key`; a recipe may have one property of several classes an alphabet."""
        stem = "is" if self.alphabet == "ascii" else "is.unicode"
        return stem if self.many else f"{stem}.{self.names[0]}"

    @property
    def many(self) -> bool:
        """See `Property.many`."""
        return len(self.names) > 1

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        categories = _categories(self.alphabet)
        rows = (_classes(word.translate(categories), self.names) for word in items.words)
        return several_each(rows, by_word=True)

    def native_way(self, layer: str) -> NativeWay:
        """See `Property.native_way`."""
        few = len(self.names) <= _MOST_NATIVE_CLASSES
        return NativeWay.SETS_OF_WORDS if few else NativeWay.IN_PYTHON

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """See `Property.native_column`."""
        words = columns.words
        first = len(words.classes)
        for name in self.names:
            kind, segments, skip = _segments(CLASSES[name])
            words.classes.append(
                (kind, len(words.segments), len(segments), skip, numbers.get(name, -1))
            )
            words.segments += segments
        lookup = words.map(_category_map(self.alphabet))
        return words.add("classes", lookup=lookup, n=len(self.names), first=first)


@functools.lru_cache(maxsize=1 << 14)
def _classes(signature: str, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in names if CLASSES[name].matches(signature))


def category(character: str, alphabet: str) -> str:
    """The category of a character, one of `ANY`."""
    if character in "IVXDLCM":
        return "R"
    if character.isspace():
        return "s"
    if character in "-'/+%,.":
        return character
    if character.isascii() or alphabet == "unicode":
        if character.isupper() or character.istitle():
            return "U"
        if character.isdecimal():
            return "d"
        if character.isalpha():
            return "a"
        if unicodedata.category(character)[0] in "PS":
            return "p"
    return "o"


class _CodePointCategories(dict[int, str]):
    """Code point -> category, filled as code points are met."""

    def __init__(self, alphabet: str) -> None:
        super().__init__()
        self._alphabet = alphabet

    def __missing__(self, code_point: int) -> str:
        found = category(chr(code_point), self._alphabet)
        if len(self) < MOST_KNOWN:
            self[code_point] = found
        return found


@functools.cache
def _categories(alphabet: str) -> _CodePointCategories:
    return _CodePointCategories(alphabet)


def _segments(rule: Rule) -> tuple[int, list[tuple[int, int, int]], int]:
    """A rule as the extension has it: its kind, its segments or groups, and what is passed over."""
    kind = (SegmentRun, Has, Only, Ends).index(type(rule))
    if isinstance(rule, SegmentRun):
        segments = [
            (_bits(categories), fewest, -1 if most is None else most)
            for categories, fewest, most in rule.segments
        ]
    elif isinstance(rule, Ends):
        segments = [(_bits(rule.categories), 0, 0)]
    else:
        segments = [(_bits(group), 0, 0) for group in rule.groups]
    return kind, segments, rule.skip if isinstance(rule, Has) else 0


def _bits(categories: str) -> int:
    return sum(_BITS[category] for category in set(categories))


@functools.cache
def _category_map(alphabet: str) -> CodeMap:
    dense = np.full(CODE_POINTS, _BITS["o"], np.int32)
    for code in assigned():
        dense[code] = _BITS[category(chr(code), alphabet)]
    return packed(dense)
