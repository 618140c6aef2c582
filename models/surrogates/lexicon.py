"""What is known of the words of names: given name or surname, of women or men, of which language.

By the shipped counts, and by the word alone: a word is of one class wherever it stands, so that
"Surname", "Dr. Surname" and "SURNAME, G." get one surrogate by construction.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from ...dictionaries import load, load_weighted
from ..core.keys import fingerprint
from .pools import CITIES_OF_STATES, GIVEN, POOL_LISTS, SURNAME
from .settings import LANGUAGES
from .words import folded, german_folded


class WordClass(NamedTuple):
    """What a word of a name is.

    Attributes:
        kind: one of `pools.NAME_CLASSES`.
        language: of its pool.
        listed: whether it is in a list at all.
    """

    kind: str
    language: str
    listed: bool


FREQUENT: Final = 30
"""Least people of a million with a name that is a title as well: Major and Judge, not Doctor."""

_SURNAMES: Final = {
    "en": ("surname_counts_en", "surrogate_surnames_en"),
    "es": ("surnames_es", "surrogate_surnames_es"),
    "de": ("surrogate_surnames_de",),
}
_COUNTS: Final = ("first_name_counts_en", "surname_counts_en")
_OTHER_GIVEN: Final = {"en": (), "es": ("first_names_es",), "de": ()}
_STAYING: Final = (
    *("titles_en", "titles_es", "credentials_en", "credentials_es", "particles_world"),
    *("institution_words_en", "institution_words_es", "institution_words_de", "departments_en"),
    *("surnames_romanised", "first_names_romanised", "surnames_world", "first_names_world"),
    *("usps_street_suffixes", "street_words_en", "street_words_es", "street_types_es"),
    *("secondary_designators_en",),
)
"""Words that stay in names, institutions and streets."""


_WITH_NAMES: Final = (
    *(f"known_{kind}_{language}" for kind in GIVEN for language in LANGUAGES),
    *(f"short_names_{language}" for language in LANGUAGES),
    *(name for names in _SURNAMES.values() for name in names),
    *(name for names in _OTHER_GIVEN.values() for name in names),
    *_COUNTS,
)


LISTS: Final = tuple(sorted({*POOL_LISTS.values(), CITIES_OF_STATES, *_WITH_NAMES, *_STAYING}))
"""All lists that decide a surrogate."""


@functools.cache
def pools_hash() -> str:
    """SHA-256 over all lists that decide a surrogate: another hash, other surrogates."""
    return fingerprint(*(part for name in LISTS for part in (name, load(name).sha256)))


class Lexicon:
    """The names of some languages, by folded word; languages that come first win.

    Args:
        languages: some of `LANGUAGES`.
    """

    def __init__(self, languages: tuple[str, ...]) -> None:
        self.languages = languages
        self._german = "de" in languages
        self._given: dict[str, tuple[str, str]] = {}
        self._surnames: dict[str, str] = {}
        self._canonical: dict[str, str] = {}
        self._nicks: dict[str, str] = {}
        self._accented: set[str] = set()
        for language in languages:
            self._add(language)
        counts = ({self.normal(n): w for n, w in load_weighted(name).items()} for name in _COUNTS)
        self._given_weights: Mapping[str, int] = next(counts)
        self._surname_weights: Mapping[str, int] = next(counts)

    def _add(self, language: str) -> None:
        for kind in GIVEN:
            for name in self._names((POOL_LISTS[kind, language], f"known_{kind}_{language}")):
                self._given.setdefault(name, (kind, language))
        for name in self._names(_OTHER_GIVEN[language]):
            self._given.setdefault(name, ("either", language))
        for name in self._names(_SURNAMES[language]):
            self._surnames.setdefault(name, language)
        for pair in load(f"short_names_{language}").phrases:
            nick, _, name = pair.partition(", ")
            if self.normal(nick) not in self._canonical:
                self._canonical[self.normal(nick)] = self.normal(name)
                self._nicks.setdefault(self.normal(name), nick)

    def _names(self, lists: Iterable[str]) -> Iterator[str]:
        for name in lists:
            for phrase in load(name).phrases:
                normal = self.normal(phrase)
                if not phrase.isascii():
                    self._accented.add(normal)
                yield normal

    def normal(self, word: str) -> str:
        """The normal form of a word: `words.folded`; with German, Mueller and Müller are one."""
        return german_folded(folded(word)) if self._german else folded(word)

    def class_of(self, word: str) -> WordClass:
        """What a normal form is; a surname of the first language if it is in no list."""
        given, surname = self._given.get(word), self._surnames.get(word)
        if given and surname:
            # Both: as more people have it. Without counts it is a given name.
            weights = self._given_weights.get(word, 0), self._surname_weights.get(word, 0)
            if weights[1] > max(weights[0], 1):
                return WordClass(SURNAME, surname, True)
        if given:
            return WordClass(*given, True)
        if surname:
            return WordClass(SURNAME, surname, True)
        return WordClass(SURNAME, self.languages[0], False)

    def is_listed(self, word: str) -> bool:
        """Whether a normal form is a name, or a short form of one."""
        return word in self._given or word in self._surnames or word in self._canonical

    def is_frequent(self, word: str) -> bool:
        """Whether `FREQUENT` people of a million have a normal form as a name."""
        weights = self._given_weights.get(word, 0), self._surname_weights.get(word, 0)
        return max(weights) >= FREQUENT

    def canonical(self, word: str) -> str:
        """The name that a nickname stands for; else the word itself."""
        return self._canonical.get(word, word)

    def nickname(self, word: str) -> str | None:
        """A nickname of a name, by its normal form, with a capital; None if there is none."""
        return self._nicks.get(word)

    def has_accents(self, word: str) -> bool:
        """Whether a list has the word with accents: GARCIA is written without them."""
        return word in self._accented


@functools.lru_cache(maxsize=8)
def lexicon(languages: tuple[str, ...]) -> Lexicon:
    """The names of some languages, read once a process."""
    return Lexicon(languages)
