"""How words are written, and how they are compared: shapes, and small letters without accents.

No list is read here: what a word means is its rule's business.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterable

LOWER, INITIAL, CAPITALISED, UPPER, OTHER = range(5)
"""How a word is written: `smith`; `J` (one capital, nothing else); `Smith`, `McDonald`, `O'Brien`,
`Smith-jones` (a capital, then a small letter or an apostrophe); `SMITH`, `O'BRIEN` (two capitals or
more, no small letter); anything else: with a digit, `mRNA`, `BPs`, a script without cases."""

WORDS_AT_HAND = 8_192
"""How many of the words last asked about each single question remembers."""


@functools.lru_cache(WORDS_AT_HAND)
def shape_of(word: str) -> int:
    """How one word is written; OTHER for "" too."""
    if not word or (not word.isalpha() and any(map(str.isdecimal, word))):
        return OTHER
    if word.islower():
        return LOWER
    if not word[0].isupper():
        return OTHER
    if word.isupper():
        return INITIAL if len(word) == 1 else UPPER
    return CAPITALISED if not word[1].isupper() else OTHER


_TYPOGRAPHIC = str.maketrans("’ʼ‐‑łŁøØđĐıæÆ", "''--lLoOdDiaA")


@functools.lru_cache(WORDS_AT_HAND)
def plain(word: str) -> str:
    """A word in small letters, without accents, with ASCII apostrophes and hyphens."""
    if word.isascii():
        return word.lower()
    parts = unicodedata.normalize("NFD", word.translate(_TYPOGRAPHIC))
    return "".join(c for c in parts if not unicodedata.combining(c)).lower()


def plain_all(listed: Iterable[str]) -> list[str]:
    """What `plain` makes of the phrases of a list, in any order, without line ends in them.

    One call for all that are ASCII, and none of them is kept, as words of texts are.
    """
    phrases = list(listed)
    simple = [phrase for phrase in phrases if phrase.isascii()]
    others = [plain.__wrapped__(phrase) for phrase in phrases if not phrase.isascii()]
    return ("\n".join(simple).lower().split("\n") if simple else []) + others
