"""The roster of generated records: what a hospital's table says of patients, kin and staff.

It has legal names and formal forms; the notes have the rest.
"""

from __future__ import annotations

from collections.abc import Iterator

from .record_lives import Life
from .record_people import Staff, formal_name

COLUMNS = ("patient", "kind", "attribute", "value")
"""Columns of the roster, in order; `patient` is empty for the staff of the hospitals."""

Row = tuple[str, str, str, str]

_PARTS = {"STREET": "street", "CITY": "city", "ZIP": "zip"}
"""Label of a part of an address -> attribute."""


def staff_rows(staff: Staff) -> Iterator[Row]:
    """The staff of all hospitals, in order of their numbers, a row each."""
    for _, person in staff.everyone():
        yield "", "staff", "name", formal_name(person)


def rows_of(life: Life, staff: Staff) -> Iterator[Row]:
    """What the roster says of a patient: self, relatives and contacts, general practitioner.

    A name row begins somebody new; rows behind it are of the same person.
    """
    for attribute, value in dict.fromkeys(_own(life)):
        yield life.patient, "self", attribute, value
    for known in life.kin:
        kind = known.who.partition(":")[0]
        yield life.patient, kind, "name", formal_name(known.person)
        yield life.patient, kind, "phone", known.phone
    yield life.patient, "staff", "name", formal_name(staff.person(life.team[0]))


def _own(life: Life) -> Iterator[tuple[str, str]]:
    legal = life.legal
    yield "name", formal_name(legal)
    yield "given", legal.first
    if legal.middle:
        yield "middle", legal.middle
    yield "family", f"{legal.last} {legal.second}".strip()
    for _, former in life.names[:-1]:
        yield "alias", formal_name(former)
    if life.prefers_nick:
        yield "alias", legal.nick
    yield "birth", life.birth.isoformat()
    yield "sex", life.sex.upper()
    for _, home in reversed(life.homes):
        for text, label in home:
            if label in _PARTS:
                yield _PARTS[label], text
    for phone in life.phones:
        yield "phone", phone
    yield "email", life.email
    for pieces in life.numbers.values():
        for text, label in pieces:
            if label:
                yield "mrn" if label == "MEDICALRECORD" else "id", text
