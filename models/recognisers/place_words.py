"""Places by name: the lists of them, and what tells of a word whether it may be part of one.

Names of places begin with many ordinary words, and most places of the lists count only behind a
word that leads to one. `city_state` looks where words have the properties that are told here.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import NamedTuple

from ...dictionaries import phrase_set
from .casing import WordKind
from .context_words import CAPITAL, folded
from .patterns import narrow

STATES = folded("us_states")
STATE_ABBREVIATIONS = frozenset(folded("us_state_abbreviations"))
COUNTRIES = folded("countries_en")
CITIES = folded("us_cities") | phrase_set("cities_abroad_en")


@functools.cache
def small_places() -> frozenset[str]:
    """Smaller places, which count only where words say that a place is meant."""
    return folded("us_places") | folded("world_cities")


@functools.cache
def first_words() -> frozenset[str]:
    """The words that names of places begin with."""
    return frozenset(
        name.split()[0] for name in (*CITIES, *STATES, *COUNTRIES, *small_places()) if name
    )


def _singles(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name for name in names if " " not in name)


@functools.cache
def _place_singles() -> frozenset[str]:
    """Places of one word that are named anywhere."""
    return _singles((*CITIES, *STATES, *COUNTRIES))


@functools.cache
def _small_singles() -> frozenset[str]:
    return _singles(small_places())


@functools.cache
def _longer_places() -> tuple[frozenset[str], frozenset[str]]:
    """Of places of several words the first ones; and how the next ones begin."""
    names = [name for name in (*CITIES, *STATES, *COUNTRIES, *small_places()) if " " in name]
    firsts, rests = zip(*(name.split(" ", 1) for name in names), strict=True)
    heads = (_HEAD.search(rest.translate(_ZEROS)) for rest in rests)
    return frozenset(firsts) | {"st"}, frozenset(head[0] for head in heads if head)


class _PlaceKind(NamedTuple):
    """What tells of a word whether it may be part of a place's name.

    Attributes:
        is_place: whether it, or what begins with a capital within it, is the whole name of one.
        is_small: the same, for places that count only where words say that one is meant.
        begins: whether it is the first word of a longer name.
        goes_on: whether it begins as a later word of one does.
        first: whether it is the first word of any name.
        is_letters: whether it is letters alone.
        leads: whether `_is_place` may believe in a place behind it.
    """

    is_place: bool
    is_small: bool
    begins: bool
    goes_on: bool
    first: bool
    is_letters: bool
    leads: bool


def _place_kind(word: str) -> _PlaceKind:
    written = word if word.isascii() else narrow(word).decode("latin-1")
    low = written.lower()
    lows = [low[piece.start() :] for piece in _PIECE.finditer(written)] if low != written else []
    lows += [f"{low}'s" for low in lows]
    begins, goes_on = _longer_places()
    is_letters = word.isalpha()
    head = None if is_letters and word.isascii() else _HEAD.search(low)
    last = low.replace("'", "-").rpartition("-")[2]
    return _PlaceKind(
        not _place_singles().isdisjoint(lows),
        not _small_singles().isdisjoint(lows),
        not begins.isdisjoint(lows),
        (head[0] if head else low) in goes_on,
        not first_words().isdisjoint(lows) or "st" in lows,
        is_letters,
        last in _LEADING or last.startswith("rehab"),
    )


_PIECE = re.compile(rf"(?<![^?'-]){CAPITAL}")
_HEAD = re.compile("[a-z\xe0-\xf6\xf8-\xff]+|0+")
_ZEROS = str.maketrans("123456789", "0" * 9)


def _listed_as(low: str) -> tuple[bool, ...]:
    """The facts that `_place_kind` goes by."""
    begins, goes_on = _longer_places()
    ways = (low, f"{low}'s")
    return (
        *(not listed.isdisjoint(ways) for listed in (_place_singles(), _small_singles(), begins)),
        not first_words().isdisjoint(ways) or low == "st",
        low in goes_on,
        low in _LEADING or low.startswith("rehab"),
    )


_PLACE_KIND = WordKind(_place_kind, _listed_as)
IS_PLACE = _PLACE_KIND.property(lambda kind: kind.is_place)
IS_SMALL_PLACE = _PLACE_KIND.property(lambda kind: kind.is_small)
BEGINS_PLACE = _PLACE_KIND.property(lambda kind: kind.begins)
GOES_ON = _PLACE_KIND.property(lambda kind: kind.goes_on)
FIRST = _PLACE_KIND.property(lambda kind: kind.first)
ODD_FIRST = _PLACE_KIND.property(lambda kind: kind.first and not kind.is_letters)
LEADS = _PLACE_KIND.property(lambda kind: kind.leads)


_LEADING = phrase_set("city_state_leads_en")
