"""Words: their normal form, under which they are looked up and hashed, and how they are written."""

from __future__ import annotations

import functools
import re
import unicodedata

_NO_LETTERS = re.compile(r"['’ʼ`´‘ʻ-]")
_GERMAN = re.compile(r"(?<![aeiouq])([aou])e")
# Letters that no decomposition gives.
_PLAIN = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "ª": "a"})
POSSESSIVE = re.compile(r"['’ʼ]s$", re.IGNORECASE)


@functools.lru_cache(1 << 14)
def folded(word: str) -> str:
    """A word without case, accents, apostrophes and hyphens: O’Brien and OBRIEN are one."""
    if word.isascii():
        plain = word.casefold()
    else:
        parts = unicodedata.normalize("NFD", word.casefold())
        plain = "".join(one for one in parts if unicodedata.category(one) != "Mn")
        plain = plain.translate(_PLAIN)
    return plain if plain.isalpha() else _NO_LETTERS.sub("", plain)


def german_folded(word: str) -> str:
    """A folded word, Mueller and Müller alike."""
    return _GERMAN.sub(r"\1", word)


def plain(text: str) -> str:
    """A text without accents, its case kept."""
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")


def ascii_small(text: str) -> str:
    """A word as logins and addresses have it."""
    return folded(text.replace("ß", "ss")).encode("ascii", "ignore").decode()


def like(word: str, written: str) -> str:
    """A word with the capitals of another: SMITH, smith, Smith, McDonald as Smith.

    A letter whose capital is longer than itself (ß) stays small.
    """
    if len(written) > 1 and written.isupper():
        return "".join(c.upper() if len(c.upper()) == 1 else c for c in word)
    if written[:1].islower():
        return word.lower() if written.islower() else word[:1].lower() + word[1:]
    return word
