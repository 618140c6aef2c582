"""The lists that matcher and guard share: what is also a word, a title, a nickname, a suffix.

All are folded as `folding` does, and read when first asked for.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterable, Mapping

from ...dictionaries import load
from .folding import WORD, fold

SUFFIXES = frozenset(("jr", "sr", "ii", "iii", "iv", "junior", "senior"))

_WORDS = (
    *("common_words_en", "function_words_en", "form_words_en", "months_and_days_en"),
    *("clinical_words_en", "drug_names_en", "function_words_es", "name_followers_en"),
)
_WORDS_BUT_NAMES = ("medical_words_en", "clinical_words_es", "medical_products_en")
"""Of these, what many people are called is no word (Charles of Charles Bonnet)."""

_RARER = (
    *("nouns_clinical_en", "nouns_people_en", "nouns_places_en", "nouns_things_en", "organisms_en"),
    *("medical_tests_en", "medical_abbreviations_en", "clinical_abbreviations_en", "eponyms_en"),
    *("clinical_eponyms_en", "clinical_words_or_names_en", "products_en", "medical_products_en"),
    *("medical_words_en", "clinical_words_es", "professions_en", "professions_es"),
    *("device_brands_en", "family_en", "family_es", "us_states"),
)
"""Words of these are never taken for a name with a typing error; a name of these is strong."""


def _folded(names: Iterable[str]) -> frozenset[str]:
    """Single words of lists."""
    return frozenset(
        word
        for name in names
        for phrase in load(name).phrases
        if WORD.fullmatch(word := fold(phrase))
    )


@functools.cache
def words() -> frozenset[str]:
    """Words of English, Spanish and medicine: a name among these is weak."""
    return _folded(_WORDS) | (
        _folded(_WORDS_BUT_NAMES) - _folded(("first_names_en", "first_names_es"))
    )


@functools.cache
def words_of_sentences() -> frozenset[str]:
    """Words that stand behind `pt` or `nurse` in any note: function words, and clinical ones."""
    return _folded(
        (
            *("function_words_en", "function_words_es", "form_words_en", "months_and_days_en"),
            *("clinical_words_en", "drug_names_en", "medical_words_en"),
        )
    )


@functools.cache
def drug_beginnings() -> frozenset[str]:
    """What notes make of the names of drugs: `dex`, `dilt`, `coum`."""
    drugs = _folded(("drug_names_en", "medical_products_en"))
    return frozenset(drug[:size] for drug in drugs for size in range(3, min(len(drug), 7)))


@functools.cache
def rare_words() -> frozenset[str]:
    """Words that few sentences have: `lavender`, `ridge`. No clinical ones."""
    return words() - words_of_sentences() - _folded(("frequent_words_en", "clinical_words_es"))


@functools.cache
def names_rather_than_words() -> frozenset[str]:
    """Words that a text nearly always means as a name if they begin with a capital: `Bill`."""
    return _folded(("names_not_words_en",))


@functools.cache
def known_words() -> frozenset[str]:
    """All that is a word somewhere: none is taken for a name with a typing error."""
    return words() | _folded(_RARER)


@functools.cache
def titles() -> frozenset[str]:
    """Titles, one word each, without their full stop."""
    more = ("mr", "mrs", "ms", "miss", "dr", "pt", "patient", "herr", "frau", "sr", "sra", "don")
    return (
        _folded(("titles_en", "titles_es"))
        | frozenset(more)
        | frozenset(
            fold(phrase).rstrip(".")
            for name in ("titles_en", "titles_es")
            for phrase in load(name).phrases
            if " " not in phrase
        )
    )


STAFF_TITLES = frozenset(
    ("dr", "doctor", "prof", "professor", "dra", "doctora", "nurse", "rn", "md", "np", "pa", "do")
)
"""Titles and credentials by which staff are found beside a bare surname."""


@functools.cache
def credentials() -> frozenset[str]:
    """Credentials behind names of staff, without full stops."""
    return frozenset(
        fold(phrase).replace(".", "").replace(" ", "")
        for name in ("credentials_en", "credentials_es")
        for phrase in load(name).phrases
    )


@functools.cache
def particles() -> frozenset[str]:
    """Particles of surnames: `van`, `de`, `al`."""
    return _folded(("particles_world",))


@functools.cache
def eponym_nouns() -> frozenset[str]:
    """What eponyms are eponyms of: `disease`, `sign`."""
    return _folded(("eponym_nouns_en",)) | {"nodule", "nodules"}


@functools.cache
def abbreviations() -> frozenset[str]:
    """Abbreviations of medicine: initials that are one of these are none in brackets."""
    return _folded(("medical_abbreviations_en", "clinical_abbreviations_en", "units_en"))


@functools.cache
def street_suffixes() -> frozenset[str]:
    """Kinds of streets, long and short, of the Postal Service, and Spanish ones."""
    return _folded(("usps_street_suffixes", "street_types_es")) | frozenset(("strasse", "str"))


@functools.cache
def unit_words() -> frozenset[str]:
    """What stands before the number of a flat."""
    return _folded(("secondary_designators_en",)) | frozenset(
        ("apt", "unit", "ste", "suite", "piso")
    )


@functools.cache
def nicknames() -> Mapping[str, frozenset[str]]:
    """First name -> what people of the name are called, and the other way round."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for name in ("nicknames_en", "nicknames_es"):
        for line in load(name).phrases:
            full, *short = fold(line).split()
            found[full].update(short)
            for one in short:
                found[one].add(full)
    return {name: frozenset(others) for name, others in found.items()}


@functools.cache
def clinical_pairs() -> frozenset[str]:
    """Neighbouring words of clinical phrases of which one is a word: `white blood`, `long term`."""
    pairs = set()
    for phrase in load("clinical_phrases_en").phrases:
        spelt = WORD.findall(fold(phrase))
        for one, other in zip(spelt, spelt[1:], strict=False):
            if one in words() or other in words():
                pairs.add(f"{one} {other}")
    return frozenset(pairs)


def read_lists() -> None:
    """Reads all lists now: half a second, that the first note need not wait for."""
    lists = (
        *(names_rather_than_words, rare_words, drug_beginnings, known_words, titles, credentials),
        *(particles, eponym_nouns, abbreviations, street_suffixes, unit_words, clinical_pairs),
    )
    for read in lists:
        read()
    nicknames()
