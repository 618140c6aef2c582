"""Texts and words in the form in which the roster compares them, and the way back to the text.

Folded is: case, accents (NFKD without marks), letters that have no accent to lose (ł, ø, đ), every
apostrophe and hyphen to the ASCII one; soft hyphens, joiners and marks of direction are not there.
Each code point is folded by itself, so a folded text is made by one `str.translate`.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import unicodedata
from collections.abc import Iterable

SPECIAL_LETTERS = {
    **dict.fromkeys(
        "\u02b9\u02bb\u02bc\u02bd\u02be\u02bf\ua78b\ua78c\u2018\u2019\u201b\uff07\u00b4`\u2032", "'"
    ),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d", "-"),
    **dict.fromkeys("łŁ", "l"),
    **dict.fromkeys("øØ", "o"),
    **dict.fromkeys("đĐðÐ", "d"),
    **dict.fromkeys("æÆ", "ae"),
    **dict.fromkeys("œŒ", "oe"),
    **dict.fromkeys("þÞ", "th"),
    **dict.fromkeys("ħĦ", "h"),
    "ı": "i",
    "\u2028": "\n",
    "\u2029": "\n",
    "\x85": "\n",
}
"""Signs that no decomposition brings to the form in which people also write them."""

_BULLETS = "•·◦▪●○‣⁃"
_UNSEEN = frozenset(("Mn", "Me", "Cf"))


class _Folding(dict[int, str]):
    """Code point -> its folded form; learnt as texts need it."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold_character(chr(code))
        return folded


def _fold_character(character: str) -> str:
    if (special := SPECIAL_LETTERS.get(character)) is not None:
        return special
    parts = unicodedata.normalize("NFKD", character).casefold()
    kept = "".join(part for part in parts if unicodedata.category(part) not in _UNSEEN)
    if kept.isdecimal():
        kept = "".join(str(unicodedata.digit(digit)) for digit in kept)
    return "".join(map(_plain_sign, unicodedata.normalize("NFC", kept)))


def _plain_sign(character: str) -> str:
    """A sign that is no letter or digit as an ASCII one: texts in ASCII are compared faster."""
    if character.isascii() or character.isalnum() or character.isspace():
        return character
    return "*" if character in _BULLETS else "~"


_FOLDING = _Folding()


def fold(text: str) -> str:
    """The folded text; its length may differ from that of the text."""
    return text.lower() if text.isascii() else text.translate(_FOLDING)


_FEW = 12


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class FoldedView:
    """A text and its folded form.

    Attributes:
        text: as it is written.
        folded: as it is compared.
        origins: offset in `text` of each folded character; None if the two are one for one.
    """

    text: str
    folded: str
    origins: list[int] | None

    @classmethod
    def of(cls, text: str) -> FoldedView:
        """Folds a text; linear."""
        if text.isascii():
            return cls(text, text.lower(), None)
        foreign = [character for character in set(text) if not character.isascii()]
        if len(foreign) <= _FEW:  # an apostrophe, a dash, a bullet: ten times as fast
            folded = text
            for character in foreign:
                folded = folded.replace(character, _FOLDING[ord(character)])
            folded = folded.lower()
        else:
            folded = text.translate(_FOLDING)
        sizes = {character: len(_FOLDING[ord(character)]) for character in foreign}
        if set(sizes.values()) == {1}:
            return cls(text, folded, None)
        origins = [at for at, character in enumerate(text) for _ in range(sizes.get(character, 1))]
        return cls(text, folded, origins)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of the folded text stands in the text, with the marks behind it."""
        if self.origins is None:
            return start, end
        last = self.origins[end] if end < len(self.origins) else len(self.text)
        # A character that folds to several is whole on either side of a cut.
        return self.origins[start], max(last, self.origins[end - 1] + 1)

    def at(self, offset: int) -> str:
        """The character of the text behind one of the folded text."""
        return self.text[offset if self.origins is None else self.origins[offset]]


WORD = re.compile(r"[^\W_]+")
"""A run of letters and digits of a folded text."""

LETTERS = re.compile(r"[^\W\d_]+")
"""A run of letters of a folded text."""

_BETWEEN = {code: " " for code in range(128) if not chr(code).isalnum()}


def split_words(folded: str) -> list[str]:
    """The words of a folded text, as `WORD.findall` gives them; five times as fast for ASCII."""
    return folded.translate(_BETWEEN).split() if folded.isascii() else WORD.findall(folded)


_UNSPACED = re.compile(
    "[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]"
    "|[\U00020000-\U0003ffff]"
)


def is_unspaced(folded: str) -> bool:
    """Whether a name is of a script without blanks between words: Han, Kana, Hangul, Thai."""
    return _UNSPACED.search(folded) is not None


_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})


def spellings(value: str) -> tuple[str, ...]:
    """The folded forms of a name: without marks, and as German writes umlauts without them."""
    composed = unicodedata.normalize("NFC", value)
    return tuple(dict.fromkeys((fold(composed), fold(composed.translate(_UMLAUTS)))))


_DIGITS_READ = str.maketrans("0158", "olsb")


@functools.lru_cache(1 << 14)
def without_ocr(word: str) -> str:
    """The form that a folded word shares with what optical recognition makes of it.

    Both sides are mapped, so `burnham` and `bumham`, `miller` and `mi11er` are equal.
    """
    read = word.translate(_DIGITS_READ)
    read = read.replace("rn", "m").replace("vv", "w").replace("cl", "d")
    return read.replace("l", "i")


def occurrences(folded: str, word: str) -> Iterable[tuple[int, int]]:
    """Yields where a word stands whole in a folded text, left to right."""
    size, at = len(word), folded.find(word)
    while at >= 0:
        end = at + size
        before_is_free = at == 0 or not folded[at - 1].isalnum()
        if before_is_free and (end == len(folded) or not folded[end].isalnum()):
            yield at, end
        at = folded.find(word, at + 1)
