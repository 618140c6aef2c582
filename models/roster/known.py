"""What a roster knows of a person: a kind, an attribute and a value; how a row of them is packed.

A value is PHI: nothing here shows it in `repr`, in a message or in a log.
"""

from __future__ import annotations

import enum
import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..core.errors import OverBudget

MOST_VALUES = 200
"""Budget: different values of one patient, relatives and contacts included."""

LONGEST_VALUE = 200
"""Code points of one value; a longer one is a mistake of columns."""

BUDGET = "roster"
"""The name of the budget, as in the class `OverBudget:roster`."""


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

_KINDS = tuple(PersonKind)
_ATTRIBUTES = tuple(KnownAttribute)
_HEADS = {
    k * 16 + a: (kind, attribute)
    for k, kind in enumerate(_KINDS)
    for a, attribute in enumerate(_ATTRIBUTES)
}
_END, _OVER = 0xFF, 0xFE
_LONG = 0xFF


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

    def packed(self) -> bytes:
        """A byte of kind and attribute, the length, the value in UTF-8."""
        raw = self.value.encode("utf-8", "surrogatepass")
        head = _KINDS.index(self.kind) * 16 + _ATTRIBUTES.index(self.attribute)
        if len(raw) < _LONG:
            return bytes((head, len(raw))) + raw
        return bytes((head, _LONG)) + len(raw).to_bytes(2, "big") + raw


def pack_row(values: Iterable[bytes]) -> bytes:
    """The content of a row: packed values in order, each once, and the end.

    A patient with more than `MOST_VALUES` has a row that says so and holds nothing.
    """
    ordered = sorted(set(values))
    if len(ordered) > MOST_VALUES:
        return bytes((_OVER,))
    return b"".join(ordered) + bytes((_END,))


def unpack_row(content: bytes) -> tuple[KnownValue, ...]:
    """The values of a row, sorted as `pack_row` did; what stands after the end is padding.

    Raises:
        OverBudget: "roster", if the patient had too many values.
        ValueError: if this is no row.
    """
    if content[:1] == bytes((_OVER,)):
        raise OverBudget(BUDGET)
    return tuple(_values(content))


def _values(content: bytes) -> Iterator[KnownValue]:
    at = 0
    try:
        while content[at] != _END:
            kind, attribute = _HEADS[content[at]]
            size, at = content[at + 1], at + 2
            if size == _LONG:
                size, at = int.from_bytes(content[at : at + 2], "big"), at + 2
            value = content[at : at + size].decode("utf-8", "surrogatepass")
            yield KnownValue(kind, attribute, value)
            at += size
    except (IndexError, KeyError, UnicodeDecodeError):
        raise ValueError("not a row of a roster") from None


def is_over(content: bytes) -> bool:
    """Whether a row says that its patient has too many values."""
    return content[:1] == bytes((_OVER,))
