"""Lives of patients of whole records: names, birth, homes, kin, team and the days of their notes.

What a patient is follows from the seed and the patient's ordinal, however many patients there are.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Callable, Mapping
from typing import TypeVar

from .drawing import Draw
from .filling import NEWEST, OLDEST, Note, Pieces
from .parsing import SPANISH, Slot
from .people import Person, email_of
from .record_people import (
    DRAWN,
    PRACTITIONERS,
    Hospital,
    Staff,
    country_named,
    note_outside,
    with_short_name,
)
from .record_templates import Shelf
from .slots import SLOTS_IN

T = TypeVar("T")

Since = tuple[tuple[datetime.date, T], ...]
"""What changes in a life: from when on, and what; oldest first."""

Written = tuple[tuple[str, str], ...]
"""Texts with their labels, as a slot writes them."""

MOST_DAYS = 30 * 365
"""No record is longer."""

OLDEST_AGE = 104

NAMESAKES = 40
"""Every so many-th patient has first and last name of one of those just before."""

_STAFF_SHARE = 0.04
"""Share of grown-up patients who are drawn from the staff, if the sex is right."""

NUMBERS = ("mrn", "ssn", "plan", "national", "scheme", "identity")
"""Slots of the patient's numbers."""


@dataclasses.dataclass(frozen=True, slots=True)
class CloseOne:
    """Somebody around a patient whom the roster has.

    Attributes:
        who: "relative:1", "contact:2".
        person: the names.
        phone: a telephone number.
        role: what they are to the patient: key of `record_templates.KIN_WORDS`.
    """

    who: str
    role: str
    person: Person = dataclasses.field(repr=False)
    phone: str = dataclasses.field(repr=False)


@dataclasses.dataclass(frozen=True, slots=True)
class Life:
    """A patient over all notes of the record.

    Attributes:
        ordinal: of the patient, from 1.
        code: of the country.
        sex: "f" or "m".
        birth: the birthday.
        days: of the notes, in order.
        names: what the patient is called, since when.
        homes: where the patient lives, since when, as the slot `address` writes it.
        phones: the patient's telephone numbers.
        email: an address.
        numbers: slot of `NUMBERS` -> as the slot writes it.
        remembered: "mrn" and "ssn" -> what a note remembers of them.
        kin: relatives and contacts.
        team: numbers of staff who see the patient often; the first is the general practitioner.
        hospitals: of the country; the usual one first.
        employer, profession: what the slots give.
        prefers_nick: whether the roster has the short name too.
        member: number of a patient who is of the staff; else 0.
    """

    ordinal: int
    code: str
    sex: str
    birth: datetime.date = dataclasses.field(repr=False)
    days: tuple[datetime.date, ...] = dataclasses.field(repr=False)
    names: Since[Person] = dataclasses.field(repr=False)
    homes: Since[Written] = dataclasses.field(repr=False)
    phones: tuple[str, ...] = dataclasses.field(repr=False)
    email: str = dataclasses.field(repr=False)
    numbers: Mapping[str, Written] = dataclasses.field(repr=False)
    remembered: Mapping[str, str] = dataclasses.field(repr=False)
    kin: tuple[CloseOne, ...] = dataclasses.field(repr=False)
    team: tuple[int, ...] = dataclasses.field(repr=False)
    hospitals: tuple[Hospital, ...] = dataclasses.field(repr=False)
    employer: str = dataclasses.field(repr=False)
    profession: str = dataclasses.field(repr=False)
    prefers_nick: bool = dataclasses.field(repr=False)
    member: int = dataclasses.field(repr=False)

    @property
    def patient(self) -> str:
        """The patient's id."""
        return f"P{self.ordinal:07}"

    @property
    def legal(self) -> Person:
        """The patient with the present name."""
        return self.names[-1][1]


def value_on(day: datetime.date, since: Since[T]) -> T:
    """What held on a day."""
    return next((value for first, value in reversed(since) if first <= day), since[0][1])


def age_on(day: datetime.date, birth: datetime.date) -> int:
    """Whole years."""
    return day.year - birth.year - ((day.month, day.day) < (birth.month, birth.day))


def draw_life(seed: int, ordinal: int, counts: tuple[int, int], shelf: Shelf, staff: Staff) -> Life:
    """The patient with an ordinal.

    Args:
        seed: of the corpus.
        ordinal: from 1.
        counts: least and most notes.
        shelf: templates; one of them says country, sex and age at the first note.
        staff: of all hospitals.
    """
    language = shelf.language
    draw = Draw("record", seed, language, ordinal)
    code, sex, age, person, member = _who(seed, ordinal, shelf, staff)
    days = _days(draw.child("days"), counts, (OLDEST_AGE - age) * 365)
    birth = days[0] - datetime.timedelta(int(age * 365.25) + draw.child("birth").between(1, 360))
    names = _names(draw.child("names"), person, code, language, birth, days)
    hospitals = staff.hospitals(code)
    usual = draw.child("hospital").pick(hospitals)
    outside = note_outside(draw.child("outside"), code, language)

    def filled(name: str) -> Written:
        pieces = SLOTS_IN[language][name](outside, Slot(name, "", "", "", "", 0))
        return tuple((piece.text, piece.label) for piece in pieces if piece.text)

    numbers = {name: _number(name, filled, outside) for name in NUMBERS}
    homes = [filled("address") for _ in range(1 + draw.child("moves").chance(0.3))]
    return Life(
        ordinal=ordinal,
        code=code,
        sex=sex,
        birth=birth,
        days=days,
        names=names,
        homes=tuple(zip((days[0], draw.child("moved").pick(days)), homes, strict=False)),
        phones=tuple(filled("phone")[0][0] for _ in range(draw.child("phones").between(1, 3))),
        email=email_of(draw.child("email"), person),
        numbers=numbers,
        remembered={name: str(outside.memory[name]) for name in ("mrn", "ssn")},
        kin=_kin(draw.child("kin"), names, code, language, age),
        team=_team(draw.child("team"), usual, member),
        hospitals=(usual, *(one for one in hospitals if one is not usual)),
        employer=filled("employer")[0][0],
        profession=filled("profession")[0][0],
        prefers_nick=draw.child("nick").chance(0.35),
        member=member,
    )


LEAST_LENGTH = 5
"""Letters and digits of the shortest number of a patient: shorter ones are of many."""


def _number(name: str, filled: Callable[[str], Written], outside: Note) -> Written:
    """A number that is long enough to be the patient's alone, if a few trials give one."""
    for _ in range(20):
        outside.memory.pop(name, None)
        pieces = filled(name)
        lengths = [sum(map(str.isalnum, text)) for text, label in pieces if label]
        if min(lengths, default=0) >= LEAST_LENGTH:
            break
    return pieces


def _who(seed: int, ordinal: int, shelf: Shelf, staff: Staff) -> tuple[str, str, int, Person, int]:
    """Country, sex, age at the first note, first name, and number as a member of staff or 0."""
    draw = Draw("patient", seed, shelf.language, ordinal)
    if ordinal % NAMESAKES == 0:
        other = ordinal - draw.between(1, NAMESAKES - 1)
        code, sex, age, person, _ = _who(seed, other, shelf, staff)
        middle = person.middle if draw.chance(0.5) else ""
        return code, sex, age, dataclasses.replace(person, middle=middle), 0
    code, sex, age = shelf.first(draw.child("template"))
    if 24 <= age <= 64 and draw.chance(_STAFF_SHARE):
        hospital = draw.pick(staff.hospitals(code))
        member = hospital.first + draw.below(hospital.size)
        person = staff.person(member)
        if person.sex == sex:
            return code, sex, age, dataclasses.replace(person, label="PATIENT"), member
    place = country_named(code, shelf.language)
    person = DRAWN[shelf.language](draw.child("names"), "PATIENT", sex, country=place)
    return code, sex, age, with_short_name(draw.child("short"), person, shelf.language), 0


def _days(draw: Draw, counts: tuple[int, int], most: int) -> tuple[datetime.date, ...]:
    """Days of notes: stays of a few days, and weeks, months or years between them.

    Most records are short: of two draws of the number of notes the lesser counts.
    """
    count = min(draw.between(*counts), draw.between(*counts))
    gone = [0]
    for _ in range(count - 1):
        gap = draw.one_of(stay=45, weeks=28, months=21, years=6)
        low, high = {"stay": (0, 3), "weeks": (4, 60), "months": (61, 400), "years": (401, 1200)}[
            gap
        ]
        gone.append(gone[-1] + draw.between(low, high))
    most = min(max(most, 0), MOST_DAYS)
    if gone[-1] > most:
        gone = [days * most // gone[-1] for days in gone]
    first = OLDEST + datetime.timedelta(draw.below((NEWEST - OLDEST).days - gone[-1] + 1))
    return tuple(first + datetime.timedelta(days) for days in gone)


def _names(
    draw: Draw,
    person: Person,
    code: str,
    language: str,
    birth: datetime.date,
    days: tuple[datetime.date, ...],
) -> Since[Person]:
    """What a patient is called: some marry between two notes, and take another surname."""
    first = (days[0], person)
    grown = next((place for place, day in enumerate(days) if age_on(day, birth) >= 18), len(days))
    if grown > len(days) - 2 or not draw.chance(0.16 if person.sex == "f" else 0.03):
        return (first,)
    since = days[draw.between(grown + 1, len(days) - 1)]
    spouse = DRAWN[language](draw.child("spouse"), "PATIENT", country=country_named(code, language))
    if language == SPANISH:
        return first, (since, dataclasses.replace(person, second=f"de {spouse.last}"))
    last = draw.pick((spouse.last, spouse.last, spouse.last, f"{person.last}-{spouse.last}"))
    if person.whole and person.last not in person.whole:
        return (first,)
    whole = person.whole.replace(person.last, last)
    return first, (since, dataclasses.replace(person, last=last, whole=whole))


_KIN: tuple[tuple[str, str, str, int, int, float, int, float], ...] = (
    ("spouse", "relative", "other", 20, 104, 0.6, 1, 0.6),
    ("mother", "relative", "f", 0, 72, 0.6, 1, 0.55),
    ("father", "relative", "m", 0, 70, 0.5, 1, 0.8),
    ("child", "relative", "", 27, 104, 0.5, 3, 0.65),
    ("sibling", "relative", "", 3, 104, 0.4, 2, 0.6),
    ("friend", "contact", "", 0, 104, 0.4, 2, 0.0),
)
"""Role, kind in the roster, sex, ages of patients who have some, share of these, most of them, and
share with the patient's surname."""


def _kin(
    draw: Draw, names: Since[Person], code: str, language: str, age: int
) -> tuple[CloseOne, ...]:
    found: list[CloseOne] = []
    place = country_named(code, language)
    outside = note_outside(draw.child("phones"), code, language)
    counts = {"relative": 0, "contact": 0}
    for role, kind, sex, least, most, share, many, same in _KIN:
        if not (least <= age <= most and draw.chance(share)):
            continue
        for number in range(draw.between(1, many)):
            own = draw.child("person", role, number)
            patient = own.pick(names)[1]
            asked = ("m" if patient.sex == "f" else "f") if sex == "other" else sex
            last, origin = (patient.last, patient.origin) if own.chance(same) else ("", "")
            person = DRAWN[language](own, "PATIENT", asked, last, country=place, origin=origin)
            if last and person.sex == patient.sex and not person.whole and own.chance(0.05):
                person = dataclasses.replace(person, first=patient.first)
            person = with_short_name(own, person, language)
            counts[kind] += 1
            pieces: Pieces = SLOTS_IN[language]["phone"](outside, Slot("phone", "", "", "", "", 0))
            found.append(CloseOne(f"{kind}:{counts[kind]}", role, person, pieces[0].text))
    return tuple(found)


_TEAM = 9


def _team(draw: Draw, usual: Hospital, patient: int) -> tuple[int, ...]:
    """Numbers of staff, none of them the patient's own."""
    inside = usual.size - PRACTITIONERS
    numbers: dict[int, None] = {}
    while len(numbers) < 1 + _TEAM:
        ahead, many = (0, inside) if numbers else (inside, PRACTITIONERS)
        number = usual.first + ahead + draw.below(many)
        if number != patient:
            numbers[number] = None
    return tuple(numbers)
