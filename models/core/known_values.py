"""A value that is known of a person beforehand: whose it is, what it is, and the value.

It comes from a roster, or from a column of role `known` of the row itself. A value is PHI: nothing
here shows it in `repr`, in a message or in a log.
"""

from __future__ import annotations

import enum
import unicodedata
from typing import NamedTuple

LONGEST_VALUE = 200
"""Code points of one value; a longer one is a mistake of columns."""


class PersonKind(enum.StrEnum):
    """Who a value is of, seen from the patient. Where a word is of several, the first counts."""

    SELF = "self"
    RELATIVE = "relative"
    CONTACT = "contact"
    STAFF = "staff"


class KnownAttribute(enum.StrEnum):
    """What a value is."""

    GIVEN = "given"
    MIDDLE = "middle"
    FAMILY = "family"
    NAME = "name"
    ALIAS = "alias"
    BIRTH = "birth"
    SEX = "sex"
    STREET = "street"
    CITY = "city"
    ZIP = "zip"
    PHONE = "phone"
    EMAIL = "email"
    MRN = "mrn"
    ID = "id"


NAME_ATTRIBUTES = frozenset(
    (
        KnownAttribute.GIVEN,
        KnownAttribute.MIDDLE,
        KnownAttribute.FAMILY,
        KnownAttribute.NAME,
        KnownAttribute.ALIAS,
    )
)
"""Attributes whose values are names of people."""


LABEL_OF = {
    KnownAttribute.BIRTH: "DATE",
    KnownAttribute.STREET: "STREET",
    KnownAttribute.CITY: "CITY",
    KnownAttribute.ZIP: "ZIP",
    KnownAttribute.PHONE: "PHONE",
    KnownAttribute.EMAIL: "EMAIL",
    KnownAttribute.MRN: "MEDICALRECORD",
    KnownAttribute.ID: "IDNUM",
}
"""Attribute -> label of what is found by it; names are PATIENT, and `sex` is not looked for."""

NAME_LABEL, STAFF_LABEL = "PATIENT", "DOCTOR"


def label_of(kind: PersonKind, attribute: KnownAttribute) -> str | None:
    """The label of a value that is known; None for what is not looked for."""
    if attribute in NAME_ATTRIBUTES:
        return STAFF_LABEL if kind is PersonKind.STAFF else NAME_LABEL
    return LABEL_OF.get(attribute)


class KnownLabel(NamedTuple):
    """Whose a known value is, and its label."""

    kind: PersonKind
    label: str


class KnownValue(NamedTuple):
    """One value that is known of a patient.

    Attributes:
        kind: whose it is.
        attribute: what it is.
        value: as the table has it, in NFC and without white space around it.
    """

    kind: PersonKind
    attribute: KnownAttribute
    value: str

    def __repr__(self) -> str:
        return f"KnownValue({self.kind}, {self.attribute})"

    @classmethod
    def of(cls, kind: str, attribute: str, value: str) -> KnownValue:
        """The value in the form in which it is kept.

        Raises:
            ValueError: for an unknown kind or attribute.
        """
        tidy = unicodedata.normalize("NFC", value).strip()
        return cls(PersonKind(kind), KnownAttribute(attribute), tidy)
