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

from ..errors import UsageError
from .base import MOST_KNOWN, Column, Items, Property, require_one_of, several_each

UPPER, LOWER, DIGIT, SPACE = "RU", "a", "d", "s"
LETTER = UPPER + LOWER
PUNCTUATION = "-'/+%,.p"
ANY = LETTER + DIGIT + SPACE + PUNCTUATION + "o"
"""Sets of categories.

R upper case that is a Roman numeral, U other upper case, a lower case, d digit, s white space, the
punctuation that some class asks for as itself, p other punctuation, o anything else.
"""


@dataclasses.dataclass(frozen=True, slots=True)
class Run:
    """The whole word is a row of segments, each of which takes all it can and never gives back.

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


Rule = Run | Has | Only | Ends

HIDE_CLASSES: dict[str, Rule] = {
    "ALPHA": Run(((LETTER, 1, None),)),
    "INITCAPS": Run(((UPPER, 1, 1), (ANY, 0, None))),
    "UPPER-LOWER": Run(((UPPER, 1, 1), (LOWER, 1, 1), (ANY, 0, None))),
    "ALLCAPS": Run(((UPPER, 1, None),)),
    "MIXEDCAPS": Run(((UPPER, 1, 1), (LOWER, 1, None), (UPPER, 1, 1), (LETTER, 0, None))),
    "SINGLECHAR": Run(((LETTER, 1, 1),)),
    "SINGLEDIGIT": Run(((DIGIT, 1, 1),)),
    "DOUBLEDIGIT": Run(((DIGIT, 2, 2),)),
    "TRIPLEDIGIT": Run(((DIGIT, 3, 3),)),
    "QUADDIGIT": Run(((DIGIT, 4, 4),)),
    "NUMBER": Run(((DIGIT, 1, None),)),
    "HASDIGIT": Has((DIGIT,)),
    "ALPHANUMERIC": Has((DIGIT, LETTER)),
    "NUMBERS.LETTERS": Run(((DIGIT, 1, None), (LETTER, 1, None))),
    "LETTERS.NUMBERS": Run(((LETTER, 1, None), (DIGIT, 1, None))),
    "HASDASH": Has(("-",)),
    "HASQUOTE": Has(("'",)),
    "HASSLASH": Has(("/",)),
    "ISPUNCT": Run(((PUNCTUATION, 1, None),)),
    "REALNUMBER": Run(
        (("-+", 0, 1), (DIGIT + ",", 1, None), (".", 0, 1), (DIGIT, 0, None), ("%", 0, 1))
    ),
    "STARTMINUS": Run((("-", 1, 1), (ANY, 0, None))),
    "STARTPLUS": Run((("+", 1, 1), (ANY, 0, None))),
    "ENDPERCENT": Ends("%"),
    "ROMAN": Run((("R", 1, None),)),
    "ISSPACE": Run(((SPACE, 1, None),)),
}
"""Gardner et al. 2010, Table 2, as its names mean it; `models.recipes.hide` lists its misprints."""

OTHER_CLASSES: dict[str, Rule] = {
    # He et al. 2015, Table 2; those it shares with HIDE are above.
    "HASLETTER": Has((LETTER,)),
    "HASCAP": Has((UPPER,)),
    "HASPUNCT": Has((PUNCTUATION,)),
    "LETTERS-DIGITS": Only((LETTER, DIGIT)),
    "DIGITS-PUNCT": Only((DIGIT, PUNCTUATION)),
    # Liu et al. 2015, §3.2.2, "inside": behind the first character.
    "INNERCAP": Has((UPPER,), skip=1),
    "INNERDIGIT": Has((DIGIT,), skip=1),
    "INNERPUNCT": Has((PUNCTUATION,), skip=1),
    # Szarvas et al. 2006 only say "the common surface characteristics of AGE, PHONE and ID".
    "AGE-LIKE": Run(((DIGIT, 1, 3), (LETTER + "-/", 0, None))),
    "PHONE-LIKE": Run(((DIGIT, 3, 3), ("-.", 1, 1), (DIGIT, 3, 4), ("-.", 0, 1), (DIGIT, 0, 4))),
    "ID-LIKE": Run(
        ((LETTER, 0, 3), ("-", 0, 1), (DIGIT, 4, None), (LETTER + DIGIT + "-", 0, None))
    ),
}

CLASSES: dict[str, Rule] = HIDE_CLASSES | OTHER_CLASSES

ALPHABETS = ("ascii", "unicode")


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


class _Categories(dict[int, str]):
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
def _categories(alphabet: str) -> _Categories:
    return _Categories(alphabet)
