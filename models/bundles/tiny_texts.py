"""Texts of one or two words, as comment columns have them ("na", "BP", "4/5").

A tagger decides by what stands around a word. Where nothing does, its guess is worth little, and
what a word can be by itself says more: `plausible` asks for a name or a number that identifies.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Mapping

from ...dictionaries import load
from ..core.spans import Candidate
from ..recipes import Recipe
from ..recognisers.name_words import given_names, surnames
from ..recognisers.word_forms import CAPITALISED, plain, plain_all, shape_of

MOST_ITEMS = 2
"""Items of a tiny text. An item is a run of letters and digits, joined by a sign or not."""

_LONGEST = 80
"""Code points of a tiny text without the blanks at its ends: two words are not longer."""

_ITEM = re.compile(r"[^\W_]+(?:['\-./@_][^\W_]+)*")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_QUANTITY = re.compile(r"\d+(?:[.,]\d+)?([^\W\d_]+)")
_PARTS = re.compile(r"\d+")
_BARE = re.compile(r"[\d\s.,/:+%()x*-]+")
_VOWELS = frozenset("aeiouy")
_LEAST_LETTERS = 3
_LEAST_DIGITS = 5
_LEAST_MIXED = 5
_LEAST_MIXED_DIGITS = 4

_ABBREVIATIONS = ("clinical_abbreviations_en", "medical_abbreviations_en", "units_en", "units_es")
_WORDS: Mapping[str, tuple[str, ...]] = {
    "en": (
        "common_words_en",
        "medical_words_en",
        "clinical_words_en",
        "clinical_words_or_names_en",
        "drug_names_en",
        "medical_products_en",
        "medical_tests_en",
        "organisms_en",
        "function_words_en",
        "form_words_en",
        "family_en",
        "numerals_en",
        "hospital_departments_en",
    ),
    "es": (
        "clinical_words_es",
        "specialities_es",
        "departments_es",
        "function_words_es",
        "spanish_name_stops_es",
        "heading_words_es",
        "months_es",
        "weekdays_es",
        "family_es",
        "sex_es",
        "numerals_es",
        "professions_es",
        # Half of what is written of medicine is the same in both languages, and so is "normal".
        "common_words_en",
        "clinical_words_en",
        "drug_names_en",
        "medical_products_en",
        "organisms_en",
    ),
}


def language_of(recipe: Recipe) -> str:
    """The language of a recipe by its dictionaries: "es", else "en"."""
    spanish = any(name.endswith("_es") for name in recipe.dictionaries)
    return "es" if spanish else "en"


def is_tiny(text: str) -> bool:
    """Whether a text has at most `MOST_ITEMS` items."""
    if len(text) > _LONGEST and len(text.strip()) > _LONGEST:
        return False
    return sum(1 for _ in _ITEM.finditer(_simple(text))) <= MOST_ITEMS


def plausible(candidates: Iterable[Candidate], text: str, language: str) -> list[Candidate]:
    """The candidates of taggers in a tiny text that may be a name or a number that identifies.

    Args:
        candidates: of one document.
        text: of the document, for which `is_tiny` is true.
        language: see `language_of`.
    """
    # "Jo Ng": two short names together are a person's, "sc im" is none.
    items = _ITEM.findall(_simple(text))
    person = len(items) == MOST_ITEMS and all(
        shape_of(item) == CAPITALISED and _is_name(plain(item), language) for item in items
    )
    return [c for c in candidates if person or _identifies(text[c.start : c.end], language)]


def _identifies(phrase: str, language: str) -> bool:
    simple = _simple(phrase)
    words = _WORD.findall(simple)
    if not words or "@" in simple or any(map(_is_unknowable, phrase)):
        return True
    letters = [word for word in words if not any(map(str.isdecimal, word))]
    if any(_may_be_name(word, language) for word in letters):
        return True
    numbers = [word for word in words if any(map(str.isdecimal, word))]
    return bool(numbers) and _may_be_number(simple, numbers)


def _may_be_name(word: str, language: str) -> bool:
    if word.lower() == word.upper():
        # Scripts without capitals write a name in two letters, and the lists do not have them.
        return True
    name = plain(word).removesuffix("'s")
    if len(name) < _LEAST_LETTERS:
        return False
    if _is_name(name, language):
        return True
    # "TVP": what has no vowel is spelt out letter by letter.
    spelt = name.isascii() and _VOWELS.isdisjoint(name)
    return not spelt and name not in _vocabulary(language)


def _may_be_number(phrase: str, numbers: list[str]) -> bool:
    """Whether digits may be a date, or a number of a person or a place.

    Args:
        phrase: of the candidate.
        numbers: its words with digits.
    """
    digits = sum(map(str.isdecimal, phrase))
    if _BARE.fullmatch(phrase):
        parts = _PARTS.findall(phrase)
        if len(parts) == 2 and "/" in phrase:
            return max(map(len, parts)) > 3
        # A date has a part of two figures: "1-0-1" is a tablet in the morning, one at night.
        dated = len(parts) == 3 and max(map(len, parts)) > 1
        return digits >= _LEAST_DIGITS or dated
    mixed = [word for word in numbers if not word.isdecimal()]
    if len(mixed) == 1 and (quantity := _QUANTITY.fullmatch(mixed[0])):
        unit = plain(quantity[1])
        if unit in _vocabulary("en") and (len(unit) > 1 or digits < _LEAST_DIGITS):
            return False
    if digits >= _LEAST_DIGITS or (mixed and digits >= _LEAST_MIXED_DIGITS):
        return True
    known = all(plain(word) in _vocabulary("en") for word in mixed)
    letter_first = any(word[0].isalpha() for word in mixed)
    return letter_first and not known and sum(map(len, mixed)) >= _LEAST_MIXED


def _is_unknowable(character: str) -> bool:
    """Whether a character may be a letter and no list tells: private use, in a circle, half one."""
    return unicodedata.category(character) in ("Co", "Cn", "Cs", "So")


def _simple(text: str) -> str:
    """A text without accents and invisible characters, with plain apostrophes and hyphens."""
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFKD", text.replace("’", "'").replace("‐", "-"))
    return "".join(c for c in parts if unicodedata.category(c) not in ("Mn", "Cf"))


def _is_name(name: str, language: str) -> bool:
    if language == "es":
        return name in _spanish_names()
    return name in given_names() or name in surnames()


@functools.cache
def _spanish_names() -> frozenset[str]:
    """Spanish names, as `plain` writes them.

    Without those of the world: "Asma" is a name there, and a disease here. A name that is no word
    is kept anyway.
    """
    listed = (*load("first_names_es").phrases, *load("surnames_es").phrases)
    return frozenset(piece for name in plain_all(listed) for piece in name.split())


@functools.cache
def _vocabulary(language: str) -> frozenset[str]:
    """Ordinary and clinical words and abbreviations of a language, as `plain` writes them."""
    phrases = (
        phrase
        for name in (*_WORDS[language], *_ABBREVIATIONS)
        for phrase in load(name).phrases
        if " " not in phrase
    )
    return frozenset(plain_all(phrases))
