"""What a grammar of messages gives: the values of a record, each with its role's name and place.

A record (an HL7 message, a FHIR resource, a C-CDA document) is never printed again. Its values are
found with their offsets; what has to go is replaced there, and every other character stays.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from ..core.known_values import KnownLabel
from ..core.views import Edit
from ..core.written_texts import Layer


class MessageValue(NamedTuple):
    """A value of a record.

    Attributes:
        name: the declared name whose role it has: the most specific one (`PID-5.1`, `PID-5`,
            `PID`); empty if none is declared.
        place: where it stands, with the numbers of repetitions: `OBX[2]-5`.
        start, end: half-open, in characters of the record; empty only where a line of a text is.
        value: what it says, without escapes.
        layers: by which a text is opened; () for values that are none.
        note: texts of one record with the same note are read as one, in order; 0 stands alone.
        declare: the name to declare for a value that has none, where its grammar knows.
    """

    name: str
    place: str
    start: int
    end: int
    value: str
    layers: Sequence[Layer] = ()
    note: int = 0
    declare: str = ""


def is_of_form(name: str) -> bool:
    """Whether a value has its name by how it is written: another value there may have another."""
    return name.endswith(("(malformed)", "(text)"))


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class DeclaredNames:
    """The names that have a role; compared by identity, so that plans are made once for each.

    Attributes:
        names: all of them.
        texts: those of which each value is a document: of role text, and in `known`.
        known: what values of role known are, where something stands in their place.
        roles: the role of each.
        own: those that a run declares, over those of the grammar.
    """

    names: frozenset[str]
    texts: frozenset[str]
    known: Mapping[str, KnownLabel] = dataclasses.field(default_factory=dict)
    roles: Mapping[str, str] = dataclasses.field(default_factory=dict)
    own: frozenset[str] = frozenset()


class MessageGrammar(Protocol):
    """One grammar of messages; stateless."""

    @property
    def name(self) -> str:
        """Of the grammar, and of the column that holds its records."""

    @property
    def note_dates(self) -> tuple[str, ...]:
        """Names of values that tell the date of a record's notes; the first that is there does."""

    @property
    def visit_places(self) -> tuple[str, ...]:
        """How the places of values end that number the visit of a record's notes."""

    @property
    def has_links(self) -> bool:
        """Whether values of role `hash` lead to records: they are written as the keys of these."""

    def patient_of(self, canonical: str) -> str | None:
        """The id of a patient, if an id of role `id` or `hash` is that of a patient's own record.

        Such a record has the key of its patient, and so has what leads to it.
        """

    def default_roles(self) -> Mapping[str, str]:
        """Name -> role, as `Columns.parse` takes it, of all that the standard names."""

    def values(self, record: str, declared: DeclaredNames) -> Sequence[MessageValue]:
        """The values of a record, in order and disjoint, in linear time; empty ones are left out.

        Raises:
            DocumentError: if the record is not written as its grammar says.
        """

    def may_name(self, name: str) -> bool:
        """Whether a value of some record could have a name: else it is misspelt."""

    def undeclared_name(self, value: MessageValue) -> str:
        """The name to declare for a value that has none, as specific as it can be."""

    def written(self, record: str, value: MessageValue, text: str) -> str:
        """A text as it is written in the place of a value that is no text.

        Raises:
            DocumentError: if the grammar cannot hold it.
        """

    def emptied(self, record: str, values: Sequence[MessageValue]) -> list[Edit]:
        """The edits that take values out of a record, in order and disjoint."""
