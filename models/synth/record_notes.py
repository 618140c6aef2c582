"""Whole records of patients, made by a program: `scrubline synth --patients`.

Patient i of ten is patient i of a million: the seed, the ordinal, the templates, the lists and the
range of notes decide.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterator, Mapping, Sequence

from ..core.errors import UsageError
from ..corpora import AnnotatedDocument
from .disguises import NAMES, disguise
from .drawing import Draw
from .filling import LITERAL, Mention, Note, fill
from .generating import LEAST_SEED, MOST_SEED, joined
from .parsing import Template
from .people import Person
from .printing import MANNERS_IN, print_note
from .record_lives import Life, age_on, draw_life, value_on
from .record_people import DRAWN, Hospital, Staff, country_named
from .record_slots import (
    FORMER,
    FORMER_NAME,
    HOME,
    LIFE,
    PLAIN,
    WHO,
    WITHOUT_SURNAME,
    record_slots,
)
from .record_templates import PRACTITIONER, Role, Shelf

MIXED = "mixed"
"""How a name is written whose parts are written in several ways, or are of several people."""

MOST_PATIENTS, MOST_NOTES = 9_999_999, 100_000
"""Most patients of a corpus, and most notes of a patient."""


@dataclasses.dataclass(frozen=True)
class Records:
    """Records to be made.

    Attributes:
        shelf: their templates.
        seed: of the corpus.
        patients: how many.
        notes: least and most notes of a patient.
        staff: of all hospitals.
    """

    shelf: Shelf = dataclasses.field(repr=False)
    seed: int
    patients: int
    notes: tuple[int, int]
    staff: Staff = dataclasses.field(repr=False)

    @classmethod
    def of(
        cls, templates: Sequence[Template], *, seed: int, patients: int, notes: tuple[int, int]
    ) -> Records:
        """Records from templates of one language.

        Raises:
            UsageError: if a number is out of range, or there are no templates.
        """
        if not LEAST_SEED <= seed <= MOST_SEED:
            raise UsageError(f"seed: expected {LEAST_SEED} to {MOST_SEED}, got {seed}")
        if not 1 <= patients <= MOST_PATIENTS:
            raise UsageError(f"patients: expected 1 to {MOST_PATIENTS}, got {patients}")
        if not 1 <= notes[0] <= notes[1] <= MOST_NOTES:
            raise UsageError(
                f"notes per patient: expected A:B with 1 <= A <= B <= {MOST_NOTES}, "
                f"got {notes[0]}:{notes[1]}"
            )
        shelf = Shelf(templates)
        return cls(shelf, seed, patients, notes, Staff(seed, shelf.language))

    def lives(self) -> Iterator[Life]:
        """The patients, in order of their ordinals."""
        for ordinal in range(1, self.patients + 1):
            yield draw_life(self.seed, ordinal, self.notes, self.shelf, self.staff)

    def notes_of(self, life: Life) -> Iterator[AnnotatedDocument]:
        """The notes of a patient, in order of time.

        Raises:
            TemplateError: if a slot, a form or an argument is unknown.
        """
        for number in range(len(life.days)):
            yield self._note(life, number)

    def _note(self, life: Life, number: int) -> AnnotatedDocument:
        language = self.shelf.language
        draw = Draw("record note", self.seed, language, life.ordinal, number)
        day = life.days[number]
        age = age_on(day, life.birth)
        template = self.shelf.pick(draw.child("template"), life.code, life.sex, age)
        note = self._opened(template, life, day, draw)
        filled = fill(note, template.nodes, record_slots(language))
        printed = print_note(draw.child("print"), filled, MANNERS_IN[language])
        text, spans = joined(disguise(draw.child("disguise"), printed, filled))
        people = [
            {"start": span.start, "end": span.end, **mention._asdict()}
            for span, means in spans
            for mention in _one_each(means, span.label)
        ]
        meta = {
            "type": template.kind,
            "template": template.name,
            "patient": life.patient,
            "note_date": day.isoformat(),
            "people": people,
        }
        doc_id = f"{life.patient}-{number + 1:05}"
        return AnnotatedDocument(doc_id, text, tuple(span for span, _ in spans), meta)

    def _opened(self, template: Template, life: Life, day: datetime.date, draw: Draw) -> Note:
        """A note that knows the patient, and who else is in it."""
        note = Note(template, draw.child("slots"), day)
        choose = draw.child("choose")
        named = value_on(day, life.names)
        if len(life.names) > 1 and named is life.legal and choose.chance(0.12):
            # An old letterhead, a referral, a writer who has known the patient for long.
            named = life.names[0][1]
        home = value_on(day, life.homes)
        if len(life.homes) > 1 and choose.chance(0.15):
            home = life.homes[0][1]
        hospital = life.hospitals[0]
        if choose.chance(0.12):
            hospital = choose.pick(life.hospitals)
        note.memory.update(
            {
                "country": country_named(life.code, template.language),
                "age": age_on(day, life.birth),
                "dob": life.birth,
                **life.remembered,
                "person p1": named,
                LIFE: life,
                FORMER: named is not life.legal,
                HOME: (home, PLAIN if home is life.homes[-1][1] else FORMER_NAME),
            }
        )
        if choose.chance(0.7):
            note.memory["hospital1"] = hospital.name
        who = {"p1": "patient"}
        roles = self.shelf.people(template)
        cast = _Cast(self.staff, life, hospital, template.language, roles, draw.child("cast"))
        for key in roles:
            who[key], person = cast.person(key)
            note.memory[f"person {key}"] = person
        note.memory[WHO] = who
        return note


class _Cast:
    """Who is in a note: nobody twice."""

    def __init__(
        self,
        staff: Staff,
        life: Life,
        hospital: Hospital,
        language: str,
        roles: Mapping[str, Role],
        draw: Draw,
    ) -> None:
        self._staff = staff
        self._life = life
        self._hospital = hospital
        self._language = language
        self._roles = roles
        self._draw = draw
        # Nobody treats oneself.
        self._seen = {f"staff:{life.member}"}
        self._others = 0

    def person(self, key: str) -> tuple[str, Person]:
        """Who somebody is whom a template names by kind, sex and digit."""
        kind, sex = key[0], key[1:-1]
        if kind == "d":
            return self._member(sex, self._roles.get(key) == PRACTITIONER)
        role, of_sex = self._roles.get(key, ("", ""))
        known = [
            one
            for one in self._life.kin
            if one.who not in self._seen
            and {sex, of_sex} <= {"", one.person.sex}
            and role in ("", one.role)
        ]
        if kind == "r" and known and self._draw.chance(0.9):
            one = self._draw.pick(known)
            self._seen.add(one.who)
            return one.who, one.person
        return self._stranger("PATIENT", sex)

    def _member(self, sex: str, is_practitioner: bool) -> tuple[str, Person]:
        """One of the staff: often of the patient's team, else of the hospital."""
        for trial in range(60):
            number = self._hospital.first + self._draw.below(self._hospital.size)
            if is_practitioner and not trial:
                number = self._life.team[0]
            elif self._draw.chance(0.6):
                number = self._draw.pick(self._life.team)
            person = self._staff.person(number)
            who = f"staff:{number}"
            if who not in self._seen and sex in ("", person.sex):
                self._seen.add(who)
                return who, person
        return self._stranger("DOCTOR", sex)

    def _stranger(self, label: str, sex: str) -> tuple[str, Person]:
        """Somebody whom the roster does not have: another patient, a friend, a visitor."""
        self._others += 1
        place = country_named(self._life.code, self._language)
        draw = self._draw.child("other", self._others)
        person = DRAWN[self._language](draw, label, sex, country=place)
        return f"other:{self._others}", person


def _one_each(means: Sequence[Mention], label: str) -> list[Mention]:
    """A mention for everybody in an entity; a name without one is of nobody who is known."""
    found: dict[str, Mention] = {}
    for mention in means:
        before = found.setdefault(mention.who, mention)
        if before is not mention:
            written = _of_both(before.written, mention.written)
            form = "fl" if (before.form, mention.form) == ("first", "last") else before.form
            found[mention.who] = Mention(mention.who, form, written)
    if not found and label in NAMES:
        return [Mention("other", "", LITERAL)]
    mentions = list(found.values())
    if len(mentions) < 2 or any(mention.written == LITERAL for mention in mentions):
        return mentions
    mixed = [mention._replace(written=MIXED) for mention in mentions]
    # "Olive Halvorsen" is Olive, whoever of the kin the surname was taken from.
    called = [mention for mention in mixed if mention.form in WITHOUT_SURNAME]
    return [called[0]._replace(form="fl")] if len(called) == 1 else mixed


def _of_both(one: str, other: str) -> str:
    """How a name is written whose parts are written so."""
    if LITERAL in (one, other):
        return LITERAL
    if PLAIN in (one, other) or one == other:
        return other if one == PLAIN else one
    return MIXED
