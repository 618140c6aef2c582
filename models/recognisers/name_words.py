"""What a word can be to the rules for names: a first name, a surname, a title, an ordinary word.

Words are compared as `word_forms.plain` writes them. The long lists are read when first asked for.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from ...dictionaries import load, load_weighted, phrase_set, word_set
from .casing import WordKind
from .word_forms import LOWER, WORDS_AT_HAND, plain, plain_all, shape_of

FUNCTION_WORDS = phrase_set("function_words_en")
"""Words that are no name where they follow a title or a relation in small letters or capitals."""

FIELD_WORDS = phrase_set("form_words_en")
"""Words of forms: they end a name in capitals or without punctuation, and are none themselves."""

ORGANISATION_WORDS = phrase_set("name_followers_en")
"""Words behind a capitalised word or two that make them a place, an institution or an eponym."""

EPONYM_NOUNS = phrase_set("eponym_nouns_en") | {"nodule", "nodules"}
"""What eponyms are eponyms of, in small letters too."""

INSTITUTIONS = phrase_set("named_like_people_en")
"""Institutions and cities that are named like people."""

NO_PERSONS = phrase_set("listed_name_no_persons_en")
"""Eponyms of which one says both names ("Marcus Gunn pupil"), and brands ("Earl Grey")."""

MONTHS_AND_DAYS = phrase_set("months_and_days_en")

ALSO_GIVEN = frozenset(("april", "may", "june", "august", "summer", "autumn", "winter"))
"""Months and seasons that are first names as well."""

PARTICLES = phrase_set("particles_world")
SUFFIXES = frozenset(["jr", "jr.", "sr", "sr.", "ii", "iii", "iv"])

LEAST_BEARERS = 10
"""Of a million people; rarer surnames of the census are too often other words."""


@functools.cache
def given_names() -> frozenset[str]:
    """First names, English and of the world, as `plain` writes them."""
    return _folded("first_names_en") | _folded("first_names_world")


@functools.cache
def surnames() -> frozenset[str]:
    """Surnames, English and of the world, as `plain` writes them."""
    counts = load_weighted("surname_counts_en")
    census = plain_all([name for name, count in counts.items() if count >= LEAST_BEARERS])
    return frozenset(census) | _folded("surnames_world")


@functools.cache
def common_words() -> frozenset[str]:
    """Words of English and of medicine, as `plain` writes them.

    Words of medicine that are first names of many ("Charles" of Charles Bonnet) are left out.
    """
    return _folded("common_words_en") | (_folded("medical_words_en") - _folded("first_names_en"))


@functools.cache
def eponyms() -> frozenset[str]:
    """Names that signs, diseases and instruments are called by, as `plain` writes them."""
    return _folded("eponyms_en")


def _folded(name: str) -> frozenset[str]:
    return frozenset(plain_all(load(name).phrases))


NO_INITIALS = 30
"""Credentials of this weight are not taken for initials."""


@functools.cache
def credentials(least: int = 0) -> frozenset[str]:
    """Credentials in small letters and without full stops ("md", "pa-c"), suffixes left out.

    Args:
        least: weight in the list. Rare ones are more often somebody's initials.
    """
    return frozenset(
        plain(phrase).replace(".", "").replace(" ", "")
        for phrase, weight in load_weighted("credentials_en").items()
        if weight >= least
    ) - {"jr", "sr", "ii", "iii", "iv"}


def _pieces(word: str) -> list[str]:
    return [piece for piece in word.split("-") if piece]


def is_given(word: str) -> bool:
    """Whether a word is a listed first name; of a double one each piece must be."""
    return _is_given(plain(word))


@functools.lru_cache(WORDS_AT_HAND)
def _is_given(name: str) -> bool:
    known = given_names()
    return name in known or ("-" in name and all(p in known for p in _pieces(name)))


@functools.lru_cache(WORDS_AT_HAND)
def is_surname(word: str) -> bool:
    """Whether a word is a listed surname; of a double one any piece of three letters may be."""
    name = plain(word)
    known = surnames()
    return (
        name in known
        or name.replace("'", "") in known
        or ("-" in name and any(len(p) > 2 and p in known for p in _pieces(name)))
    )


def is_common(word: str) -> bool:
    """Whether a word is an ordinary or medical one as well, whatever else it is."""
    return _is_common(plain(word))


@functools.lru_cache(WORDS_AT_HAND)
def _is_common(name: str) -> bool:
    return (
        name in common_words()
        or name in FUNCTION_WORDS
        or name in FIELD_WORDS
        or name in ORGANISATION_WORDS
        or name in MONTHS_AND_DAYS
        or ("-" in name and all(p in common_words() for p in _pieces(name)))
    )


class NameKind(NamedTuple):
    """What tells of a word whether it may be part of a name.

    Attributes:
        shape: how it is written, see `word_forms`.
        length: code points; 4 for more.
        given, surname, common: whether lists have it as such.
        particle: whether it may stand within a surname.
        function: whether it is a word of grammar.
    """

    shape: int
    length: int
    given: bool
    surname: bool
    common: bool
    particle: bool
    function: bool


def _name_kind(word: str) -> NameKind:
    name = plain(word)
    return NameKind(
        shape_of(word),
        min(len(word), 4),
        is_given(word),
        is_surname(word),
        _is_common(name),
        name in PARTICLES,
        name in FUNCTION_WORDS,
    )


def _listed_as(low: str) -> tuple[bool, ...]:
    """The facts that `_name_kind` goes by."""
    return (
        low in given_names(),
        low in surnames(),
        _is_common.__wrapped__(low),
        low in PARTICLES,
        low in FUNCTION_WORDS,
    )


NAME_KIND = WordKind(_name_kind, _listed_as)
MAY_BE_NAME = NAME_KIND.property(
    lambda kind: (
        kind.shape != LOWER
        or kind.particle
        or kind.length == 1
        or ((kind.given or kind.surname) and not kind.common)
    )
)
"""Whether a name may begin with a word, whatever stands around it; spares reading it behind the
many words that ordinary ones follow."""


TITLES = word_set("dr drs mr mrs ms miss mx prof rev")
"""Titles that no name goes on with, without their full stop."""


def is_credential(word: str) -> bool:
    """Whether a word is a credential as it is written: capitals decide ("DO", not "Do")."""
    return plain(word) in credentials() and sum(map(str.isupper, word)) > 1


def is_english_given(name: str) -> bool:
    """Whether a word, as `plain` writes it, is an English first name."""
    return name in _folded_given()


@functools.cache
def _folded_given() -> frozenset[str]:
    return _folded("first_names_en")
