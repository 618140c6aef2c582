"""What records of messages (HL7 v2, FHIR, C-CDA) say of people, by the roles of their format.

An export of a hospital has its patients, their relatives and its staff in records of their own. The
values that a run looks for in the texts of such a record are those of a table of people.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..core.keys import canonical_id
from ..core.known_values import KnownAttribute, PersonKind
from ..formats.column_roles import Columns, Role
from ..messages.table import GRAMMARS


class RecordValue(NamedTuple):
    """A value that a record says of somebody.

    Attributes:
        owner: canonical id of the patient; of staff, the record's. None where the record has no
            patient, or several.
        kind, attribute: whose and what it is.
        text: the value.
    """

    owner: str | None
    kind: PersonKind
    attribute: KnownAttribute
    text: str


class RecordPeople:
    """Reads records of a grammar; what the standard does not name is nobody's here.

    Attributes:
        record: name of the grammar, and of the column that holds its records.
    """

    def __init__(self, record: str) -> None:
        self.record = record
        self._grammar = GRAMMARS[record]
        columns = Columns.of_record(record, ())
        declared = columns.nested[record].declared
        assert declared is not None, "it is the column of a message format"
        self._declared = declared
        self._known = {name: (kind, attribute) for name, kind, attribute in columns.known}
        self._known |= {
            name: (PersonKind.SELF, KnownAttribute.BIRTH) for name in columns.named(Role.BIRTH)
        }
        self._ids = frozenset(columns.named(Role.ID))
        self._patients = frozenset(columns.named(Role.PATIENT))
        self._known |= dict.fromkeys(self._patients, (PersonKind.SELF, KnownAttribute.MRN))

    def values(self, record: str) -> Iterator[RecordValue]:
        """Yields what a record says, empty values left out.

        Raises:
            DocumentError: see `MessageGrammar.values`.
        """
        found = self._grammar.values(record, self._declared)
        own = next((canonical_id(one.value) for one in found if one.name in self._ids), None)
        patient = next((canonical_id(v.value) for v in found if v.name in self._patients), None)
        if patient is None and own is not None:
            patient = self._grammar.patient_of(own)
        for one in found:
            if one.name in self._known and (text := canonical_id(one.value)) is not None:
                kind, attribute = self._known[one.name]
                owner = own or patient if kind is PersonKind.STAFF else patient
                yield RecordValue(owner, kind, attribute, text)
