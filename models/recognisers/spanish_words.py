"""What the rules for Spanish share: shapes of names in views, and words that are no names.

Views are Latin-1 with one byte a code point, so letters with accents are written out in classes.
"""

from __future__ import annotations

import functools

from .context_words import folded

UPPER = "A-ZÁÉÍÓÚÑÜÀÈÒÇ"
LOWER = "a-záéíóúñüàèòïç"

WORD = rf"[{UPPER}](?:[{LOWER}]{{1,19}}(?:[-'·][{UPPER}]?[{LOWER}]{{1,19}})?|[{UPPER}]{{1,19}})"
"""A capitalised word, or one in capitals."""

LINK = r"(?:de la|de los|de las|de|del|DE LA|DE LOS|DE|DEL|i|y|e)"

PHRASE = rf"{WORD}(?: (?:{LINK} )?{WORD}){{0,5}}"
"""Capitalised words with what may link them."""

NAME = rf"{WORD}(?: (?:{LINK} )?{WORD}){{0,3}}(?: [{UPPER}]\.)?"

_PARTICLES = frozenset(("von", "van", "der", "da", "dos", "y", "i", "e", "de", "del"))


@functools.cache
def _ordinary() -> frozenset[str]:
    names = folded("first_names_es") | folded("surnames_es")
    stops = folded("spanish_name_stops_es") | folded("function_words_es")
    return frozenset(folded("clinical_words_es") - names) | stops


def is_name(word: str) -> bool:
    """Whether a capitalised word may be a name: no ordinary and no clinical word."""
    low = word.lower()
    if low in _PARTICLES:
        return True
    return low not in _ordinary()
