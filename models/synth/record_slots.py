"""Slots of notes of records: as in any note, but the same patient, kin, staff and places return.

Each maker is the one of `slots` with what the record knows put before it. Its pieces say whom they
speak of.
"""

from __future__ import annotations

import dataclasses
import datetime
import functools
import re
from collections.abc import Mapping

from .filling import Maker, Mention, Note, NotePiece, Pieces, span_of
from .parsing import Slot
from .places import STATES, Institution
from .record_lives import Life, Written
from .slots import SLOTS_IN

LIFE, WHO, FORMER, HOME = "record life", "record who", "record former", "record home"
"""Keys of a note's memory: the life, key of a person -> who, whether the name is not the legal
one, the address of the day."""

PLAIN, FORMER_NAME, REFORMATTED, PARTIAL = "plain", "former", "reformatted", "partial"

_WRITTEN = {
    "nick": "nickname",
    **dict.fromkeys(("fi", "fis", "li", "ini", "dot", "mid"), "initials"),
    **dict.fromkeys(("lf", "hl7"), "reversed"),
    "spell": "spelled",
    "user": "login",
    "email": "email",
}
"""Form of a name -> how it is written, if not plainly."""

WITHOUT_SURNAME = frozenset(("first", "one", "nick", "mid", "email", "user"))
"""Forms of a name that have no surname."""

_ANY = ("fl", "fl", "lf", "lf", "fi", "li", "last", "first")

_OTHER_FORMS: Mapping[str, tuple[tuple[str, float], ...]] = {
    "first": (("nick", 0.08),),
    "fl": (("lf", 0.04), ("fi", 0.04)),
    "": (("lf", 0.04), ("fi", 0.04)),
}
"""Form that a template asks for -> forms that a writer takes in its place, and how often."""

_KINDS = {
    **dict.fromkeys(("p", "r", "rf", "rm"), "PATIENT"),
    **dict.fromkeys(("d", "df", "dm"), "DOCTOR"),
}


def _named(name: str, home: Maker) -> Maker:
    """Names of people who are given before the note is filled."""

    def make(note: Note, slot: Slot) -> Pieces:
        who = note.memory[WHO].get(name + (slot.index or "1"))
        form = note.draw.pick(_ANY) if slot.form == "any" else slot.form
        for other, share in _OTHER_FORMS.get(form, ()):
            if note.draw.chance(share):
                form = other
                break
        pieces = home(note, dataclasses.replace(slot, form=form))
        if who is None:
            return pieces
        if who == "patient" and form == "email":
            pieces = [piece._replace(text=note.memory[LIFE].email) for piece in pieces]
        written = _WRITTEN.get(form, PLAIN)
        former = who == "patient" and note.memory[FORMER] and form not in WITHOUT_SURNAME
        if former and written in (PLAIN, "reversed"):
            written = FORMER_NAME
        return _meaning(pieces, Mention(who, form or "fl", written))

    return make


def _meaning(pieces: Pieces, mention: Mention) -> Pieces:
    """Pieces whose entities speak of somebody."""
    return [piece._replace(means=(mention,)) if piece.label else piece for piece in pieces]


def _own(note: Note, form: str, pieces: Written, written: str = PLAIN) -> Pieces:
    """What a slot of the patient gives."""
    made = [NotePiece(text, label) for text, label in pieces]
    return _meaning(made, Mention("patient", form, written))


def _is_own(note: Note, slot: Slot, share: float, *, again: bool = False) -> bool:
    """Whether a slot speaks of the patient: the first of a name at times, and the digit 1.

    Args:
        note: remembers what was decided.
        slot: no argument can be kept.
        share: of the slots that are the patient's.
        again: whether those behind the first without a digit may be so too.
    """
    if slot.argument or slot.index not in ("", "1"):
        return False
    key = f"own {slot.name}{slot.index}"
    if slot.index:
        return bool(note.remember(key, lambda: note.draw.chance(share)))
    if key in note.memory and not again:
        return False
    note.memory[key] = True
    return note.draw.chance(share)


def _value(name: str, share: float, home: Maker) -> Maker:
    """An employer, a profession, a plan: what the life has, or somebody else's."""

    def make(note: Note, slot: Slot) -> Pieces:
        if slot.form or not _is_own(note, slot, share):
            return home(note, slot)
        life: Life = note.memory[LIFE]
        if name in life.numbers:
            return _own(note, name, life.numbers[name])
        text = life.employer if name == "employer" else life.profession
        label = "ORGANIZATION" if name == "employer" else "PROFESSION"
        return _own(note, name, ((text, label),))

    return make


_ADDRESS = {"street": "STREET", "city": "CITY", "zip": "ZIP", "state": "STATE"}


def _address(home: Maker) -> Maker:
    def make(note: Note, slot: Slot) -> Pieces:
        if slot.form or not _is_own(note, slot, 0.85):
            return home(note, slot)
        pieces, written = note.memory[HOME]
        return _own(note, "address", pieces, written)

    return make


def _part(name: str, share: float, home: Maker) -> Maker:
    """A part of an address; city, state and post code go with the street before them."""

    def make(note: Note, slot: Slot) -> Pieces:
        open_parts: set[str] = note.remember("record parts", set)
        if name == "street":
            own = _is_own(note, slot, share)
            open_parts.clear()
            open_parts.update(("city", "zip", "state") if own else ())
        elif name in open_parts and slot.index in ("", "1"):
            open_parts.discard(name)
            own = True
        else:
            own = name == "city" and _is_own(note, slot, share)
        pieces, written = note.memory[HOME]
        texts = [text for text, label in pieces if label == _ADDRESS[name]]
        if not own or not texts or slot.argument:
            return home(note, slot)
        # The town is the last of several places.
        text = texts[-1] if name == "city" else texts[0]
        if name == "state":
            text = _state(text, slot.form)
        return _own(note, name, ((text, _ADDRESS[name]),), written)

    return make


_NAME_OF_STATE = {short: name for name, short in STATES.items()}


def _state(text: str, form: str) -> str:
    if form == "full":
        return _NAME_OF_STATE.get(text, text)
    return STATES.get(text, text) if form == "abbr" else text


def _phone(home: Maker) -> Maker:
    """The patient's numbers, those of kin, and others."""

    def make(note: Note, slot: Slot) -> Pieces:
        life: Life = note.memory[LIFE]
        if slot.index or slot.form or slot.argument:
            return home(note, slot)
        whose = note.draw.one_of(patient=40, kin=15 if life.kin else 0, other=45)
        if whose == "other":
            return home(note, slot)
        who, number = "patient", note.draw.pick(life.phones)
        if whose == "kin":
            known = note.draw.pick(life.kin)
            who, number = known.who, known.phone
        text = _regrouped(note, number) if note.draw.chance(0.25) else number
        written = PLAIN if text == number else REFORMATTED
        return _meaning([NotePiece(text, "PHONE")], Mention(who, "phone", written))

    return make


_NORTH_AMERICAN = re.compile(r"(?:\+?1[ -])?\(?(\d{3})\)?[ .-]?(\d{3})[ .-](\d{4})")


def _regrouped(note: Note, number: str) -> str:
    match = _NORTH_AMERICAN.fullmatch(number)
    if match is None:
        return number
    area, exchange, line = match.groups()
    return note.draw.pick(
        (
            f"{area}-{exchange}-{line}",
            f"({area}) {exchange}-{line}",
            f"{area}.{exchange}.{line}",
            f"{area} {exchange} {line}",
            f"{area}{exchange}{line}",
        )
    )


def _number(name: str, label: str, home: Maker) -> Maker:
    """Record and social security numbers, which the note remembers; at times grouped otherwise."""

    def make(note: Note, slot: Slot) -> Pieces:
        pieces = home(note, slot)
        if slot.index:
            return pieces
        written = PARTIAL if slot.form else PLAIN
        if name == "mrn" and not slot.form and note.draw.chance(0.1):
            bare = re.sub(r"[ .-]", "", pieces[0].text)
            if bare != pieces[0].text:
                pieces, written = [NotePiece(bare, label)], REFORMATTED
        return _meaning(pieces, Mention("patient", name, written))

    return make


def _birthday(home: Maker) -> Maker:
    def make(note: Note, slot: Slot) -> Pieces:
        return _meaning(home(note, slot), Mention("patient", "dob", PLAIN))

    return make


def _date(home: Maker) -> Maker:
    """Days of other notes of the record return, where an earlier day is asked for."""

    def make(note: Note, slot: Slot) -> Pieces:
        life: Life = note.memory[LIFE]
        if slot.form in ("y", "y2", "my") or not note.draw.chance(0.35):
            return home(note, slot)
        try:
            low, high = sorted(span_of(slot.argument, -90, 0))
        except ValueError:
            return home(note, slot)
        day = note.draw.pick(life.days)
        away = (day - note.today) // datetime.timedelta(1)
        if away > 0 or not low <= away <= high:
            return home(note, slot)
        return home(note, dataclasses.replace(slot, argument=f"{away}"))

    return make


def _hospital(home: Maker) -> Maker:
    def make(note: Note, slot: Slot) -> Pieces:
        name = note.memory.get("hospital1")
        if slot.index or slot.argument or not isinstance(name, Institution):
            return home(note, slot)
        if not note.draw.chance(0.5):
            return home(note, slot)
        return home(note, dataclasses.replace(slot, index="1"))

    return make


@functools.cache
def record_slots(language: str) -> dict[str, Maker]:
    """The slots of a language, in notes of records."""
    home = SLOTS_IN[language]
    return {
        **home,
        **{name: _named(name, home[name]) for name in _KINDS},
        **{name: _value(name, 0.7, home[name]) for name in ("employer", "profession", "plan")},
        **{name: _value(name, 0.85, home[name]) for name in ("national", "scheme", "identity")},
        **{name: _part(name, share, home[name]) for name, share in _PARTS.items()},
        "address": _address(home["address"]),
        "phone": _phone(home["phone"]),
        "mrn": _number("mrn", "MEDICALRECORD", home["mrn"]),
        "ssn": _number("ssn", "SSN", home["ssn"]),
        "dob": _birthday(home["dob"]),
        "date": _date(home["date"]),
        "hospital": _hospital(home["hospital"]),
    }


_PARTS = {"street": 0.75, "city": 0.4, "state": 0.0, "zip": 0.0}
"""Part of an address -> share of the slots that are the patient's."""
