"""The pools that surrogates are drawn from: frozen lists, each word as likely as any other.

Uniform, not by how many people have a name: drawn by Census weight, 2.5 % of records of six
surnames would get a true one of their own, uniformly 0.5 %.
"""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from ...dictionaries import load
from .words import folded

_K = TypeVar("_K", int, str)

GIVEN: Final = ("f", "m", "either")
"""Classes of given names: of women, of men, of both."""

SURNAME: Final = "surname"
NAME_CLASSES: Final = (*GIVEN, SURNAME)

FEWEST = 16
"""Least words of one length or letter to draw from."""

POOL_LISTS: Final[dict[tuple[str, str], str]] = {
    ("f", "en"): "given_f_en",
    ("f", "es"): "given_f_es",
    ("f", "de"): "given_f_de",
    ("m", "en"): "given_m_en",
    ("m", "es"): "given_m_es",
    ("m", "de"): "given_m_de",
    ("either", "en"): "given_either_en",
    ("either", "es"): "given_either_es",
    ("either", "de"): "given_either_de",
    ("surname", "en"): "surrogate_surnames_en",
    ("surname", "es"): "surrogate_surnames_es",
    ("surname", "de"): "surrogate_surnames_de",
    ("place", "en"): "place_words_en",
    ("place", "es"): "place_words_es",
    ("place", "de"): "place_words_de",
    ("city", "en"): "surrogate_cities_en",
    ("city", "es"): "surrogate_cities_es",
    ("city", "de"): "surrogate_cities_de",
    ("profession", "en"): "surrogate_professions_en",
    ("profession", "es"): "surrogate_professions_es",
}
"""(class, language) -> the list of its pool."""

CITIES_OF_STATES: Final = "us_place_states"


@functools.cache
def characters_of(languages: tuple[str, ...]) -> str:
    """All characters that surrogates of some languages may have, sorted: encodings must hold them.

    Those of the true texts beside.
    """
    found: set[str] = set()
    for (_, language), name in POOL_LISTS.items():
        if language in languages:
            for phrase in load(name).phrases:
                found.update(phrase, phrase.upper(), phrase.lower())
    return "".join(sorted(found))


class WordPool:
    """Words of one class and language, in the order of the list.

    Attributes:
        words: each as likely as any other.
        by_length: length in code points -> the words of that length.
        by_letter: first letter, folded -> the words with that letter.
    """

    __slots__ = ("by_length", "by_letter", "words")

    def __init__(self, words: tuple[str, ...]) -> None:
        self.words = words
        self.by_length: Mapping[int, tuple[str, ...]] = _grouped(words, len)
        self.by_letter: Mapping[str, tuple[str, ...]] = _grouped(words, _letter)

    def some(self, *, letter: str = "", length: int | None = None) -> tuple[str, ...]:
        """The words to draw from; not empty but where no word is as short as `length`.

        Args:
            letter: only those with this first letter, folded, if there are two at least.
            length: only those of this length or, where under `FEWEST` are, of a shorter one.
        """
        words = self.words
        if letter and len(found := self.by_letter.get(letter, ())) > 1:
            words = found
        if length is None:
            return words
        lengths: Mapping[int, tuple[str, ...]] = (
            self.by_length if words is self.words else _grouped(words, len)
        )
        fewest = FEWEST if words is self.words else 2
        for size in range(min(length, max(lengths)), 0, -1):
            if len(found := lengths.get(size, ())) >= fewest:
                return found
        return ()


def _letter(word: str) -> str:
    return folded(word)[:1]


def _grouped(words: tuple[str, ...], key: Callable[[str], _K]) -> dict[_K, tuple[str, ...]]:
    groups: dict[_K, list[str]] = collections.defaultdict(list)
    for word in words:
        groups[key(word)].append(word)
    return {name: tuple(group) for name, group in groups.items()}


@functools.cache
def pool(name: str, language: str) -> WordPool | None:
    """The pool of a class and language, read once a process; None if there is none."""
    listed = POOL_LISTS.get((name, language))
    return None if listed is None else WordPool(load(listed).phrases)


@functools.cache
def cities_of(state: str) -> WordPool | None:
    """The cities of a State of the United States, by its two letters; None for any other."""
    return _cities().get(state)


@functools.cache
def _cities() -> Mapping[str, WordPool]:
    groups: dict[str, list[str]] = collections.defaultdict(list)
    known = set(load("surrogate_cities_en").phrases)
    for place in load(CITIES_OF_STATES).phrases:
        city, _, state = place.rpartition(", ")
        if city in known:
            groups[state].append(city)
    return {state: WordPool(tuple(cities)) for state, cities in groups.items()}
