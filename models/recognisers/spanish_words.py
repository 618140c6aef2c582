"""What the rules for Spanish share: shapes of names in views, and words that are no names.

Views are Latin-1 with one byte a code point, so letters with accents are written out in classes.
"""

from __future__ import annotations

import functools
import unicodedata

from .context_words import folded

UPPER = "A-ZÁÉÍÓÚÑÜÀÈÒÇ"
LOWER = "a-záéíóúñüàèòïç"

WORD = rf"[{UPPER}](?:[{LOWER}]{{1,19}}(?:[-'·][{UPPER}]?[{LOWER}]{{1,19}})?|[{UPPER}]{{1,19}})"
"""A capitalised word, or one in capitals."""

LINK = r"(?:de la|de los|de las|de|del|DE LA|DE LOS|DE|DEL|i|y|e)"

PHRASE = rf"{WORD}(?: (?:{LINK} )?{WORD}){{0,5}}"
"""Capitalised words with what may link them."""

NAME = rf"{WORD}(?: (?:{LINK} )?{WORD}){{0,3}}(?: [{UPPER}]\.)?"

PARTICLES = frozenset(("von", "van", "der", "da", "dos", "y", "i", "e", "de", "del"))


@functools.cache
def _ordinary() -> frozenset[str]:
    names = folded("first_names_es") | folded("surnames_es")
    stops = folded("spanish_name_stops_es") | folded("spanish_name_abbreviations_es")
    stops |= folded("function_words_es")
    stops |= {word for phrase in folded("specialities_es") for word in phrase.split()} - names
    return frozenset(folded("clinical_words_es") - names) | stops


@functools.cache
def _ordinary_without_accents() -> frozenset[str]:
    names = folded("first_names_es") | folded("surnames_es")
    return frozenset(map(_plain, _ordinary())) - frozenset(map(_plain, names))


def _plain(word: str) -> str:
    parts = unicodedata.normalize("NFKD", word)
    return "".join(part for part in parts if not unicodedata.combining(part))


def is_name(word: str) -> bool:
    """Whether a capitalised word may be a name: no ordinary and no clinical word."""
    low = word.lower()
    if low in PARTICLES:
        return True
    if low in _ordinary():
        return False
    # Capitals often lack their accents: CLINICA.
    return not word.isupper() or low not in _ordinary_without_accents()


def is_name_alone(word: str) -> bool:
    """Whether a capitalised word may be a name, and is no particle: `DE` in a line of capitals."""
    return word.lower() not in PARTICLES and is_name(word)


def is_surname(word: str) -> bool:
    """Whether a word is a Spanish surname of the lists."""
    return word.lower() in folded("surnames_es")
