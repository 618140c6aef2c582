"""People of whole records: staff who come back over records, and short forms of first names.

Staff are of a few hospitals in each country. Who the member with a number is follows from the seed
and the number, so nobody is held in memory for long.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator, Mapping

from . import people, spanish_people
from .countries import HOME, Country, country
from .drawing import Draw
from .filling import NEWEST, Note
from .lists import words
from .parsing import COUNTRIES_IN, ENGLISH, SPANISH, Slot, Template
from .people import Person
from .places import Institution
from .slots import SLOTS_IN

DRAWN: Mapping[str, Callable[..., Person]] = {
    ENGLISH: people.draw_person,
    SPANISH: spanish_people.draw_person,
}
"""Language -> makes a new person."""

_SIZES = {"US": (6, 100), "ES": (4, 100)}
"""Countries -> hospitals, and staff of each; others have `_FEW`."""

_FEW = (2, 60)

PRACTITIONERS = 12
"""The last so many members of a hospital's staff are doctors in practice around it."""


@dataclasses.dataclass(frozen=True, slots=True)
class Hospital:
    """A hospital and the numbers of its staff.

    Attributes:
        name: in full and in short.
        first: number of the first member of its staff; numbers of all staff begin with 1.
        size: how many there are; the last `PRACTITIONERS` are in practice.
    """

    name: Institution
    first: int
    size: int


def country_named(code: str, language: str) -> Country | None:
    """The country of a code; None is the United States, in English."""
    return None if language == ENGLISH and code == HOME else country(code, language)


def note_outside(draw: Draw, code: str, language: str) -> Note:
    """A note that is never printed: its slots give what is the same in several notes."""
    note = Note(Template("record", 1, {}, (), language), draw, NEWEST)
    note.memory["country"] = country_named(code, language)
    return note


class Staff:
    """All staff of the hospitals of a language's countries."""

    def __init__(self, seed: int, language: str) -> None:
        """Opens the pool.

        Args:
            seed: of the corpus.
            language: key of `COUNTRIES_IN`.
        """
        self._draw = Draw("staff", seed, language)
        self._language = language
        self._codes: list[tuple[int, str]] = []
        self.count = 0
        for code in COUNTRIES_IN[language]:
            hospitals, size = _SIZES.get(code, _FEW)
            self._codes.append((self.count, code))
            self.count += hospitals * size
        self.person = functools.lru_cache(maxsize=4096)(self._person)
        self.hospitals = functools.cache(self._hospitals)

    def _person(self, number: int) -> Person:
        """The member of staff with a number, from 1 to `count`."""
        code = next(code for before, code in reversed(self._codes) if before < number)
        draw = self._draw.child("member", number)
        place = country_named(code, self._language)
        person = DRAWN[self._language](draw, "DOCTOR", country=place)
        return with_short_name(draw.child("short"), person, self._language)

    def _hospitals(self, code: str) -> tuple[Hospital, ...]:
        """The hospitals of a country."""
        hospitals, size = _SIZES.get(code, _FEW)
        first = 1 + next(before for before, known in self._codes if known == code)
        return tuple(
            Hospital(self._name(code, number), first + number * size, size)
            for number in range(hospitals)
        )

    def _name(self, code: str, number: int) -> Institution:
        note = note_outside(self._draw.child("hospital", code, number), code, self._language)
        SLOTS_IN[self._language]["hospital"](note, Slot("hospital", "1", "", "", "", 0))
        name = note.memory["hospital1"]
        assert isinstance(name, Institution)
        return name

    def everyone(self) -> Iterator[tuple[int, Person]]:
        """All numbers and people."""
        for number in range(1, self.count + 1):
            yield number, self._person(number)


@functools.cache
def short_names(language: str) -> Mapping[str, tuple[str, ...]]:
    """First name -> what its bearers are called."""
    listed = words("short_names" if language == ENGLISH else f"short_names_{language}")
    pairs = (line.split(": ") for line in listed)
    return {name: tuple(short.split(", ")) for name, short in pairs}


def with_short_name(draw: Draw, person: Person, language: str) -> Person:
    """The person with a short name that belongs to the first name: listed, or its beginning."""
    first = person.first.split()[0] if person.first.strip() else person.first
    listed = short_names(language).get(first)
    if listed:
        nick = draw.pick(listed)
    else:
        nick = first[: draw.between(3, 4)] if len(first) > 4 and first.isalpha() else first
    return dataclasses.replace(person, nick=nick)


def formal_name(person: Person) -> str:
    """A person's name as a hospital's table has it: surnames, a comma, all first names."""
    if person.whole:
        # Some are called by another name than by their first: Patrick Toh Xiu Ying.
        return person.whole if person.first in person.whole else f"{person.whole} {person.first}"
    surnames = f"{person.last} {person.second}".strip()
    if person.suffix:
        surnames += f" {person.suffix}"
    return f"{surnames}, {person.first} {person.middle}".strip()
