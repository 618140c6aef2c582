"""What is done with the elements of FHIR, as a table says it.

`fhir_roles.tsv` has a line a name: a path from a resource (`Patient.birthDate`), from a data type
(`Coding.display`), or a primitive type (`string`). Roles are ours; see docs/fhir-fields.md.
"""

from __future__ import annotations

import functools
import importlib.resources
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from ..core.known_values import KnownAttribute, PersonKind
from .fhir_elements import elements

ROLES_FILE = "fhir_roles.tsv"
HEADER = "name\trole\twhy"

NOTE_DATES: Final = (
    "DocumentReference.context.period.start",
    "DocumentReference.period.start",
    "Composition.date",
    "DiagnosticReport.effectiveDateTime",
    "DiagnosticReport.effectivePeriod.start",
    "Observation.effectiveDateTime",
    "Observation.effectivePeriod.start",
    "Encounter.period.start",
    "Encounter.actualPeriod.start",
    "Procedure.performedDateTime",
    "Procedure.performedPeriod.start",
    "Procedure.occurrenceDateTime",
    "Procedure.occurrencePeriod.start",
    "Communication.sent",
    "QuestionnaireResponse.authored",
    "ClinicalImpression.effectiveDateTime",
    "ClinicalImpression.date",
    "MedicationAdministration.effectiveDateTime",
    "MedicationStatement.effectiveDateTime",
    "MedicationRequest.authoredOn",
    "ServiceRequest.authoredOn",
    "Immunization.occurrenceDateTime",
    "Condition.recordedDate",
    "AllergyIntolerance.recordedDate",
    "FamilyMemberHistory.date",
    "CarePlan.created",
    "Claim.created",
    "ExplanationOfBenefit.created",
    "DocumentReference.date",
    "DiagnosticReport.issued",
    "Observation.issued",
    "Bundle.timestamp",
)
"""Names of values that tell the date of a record's notes; the first that is there does."""

_ROLES = frozenset(("text", "pass", "drop", "date", "birth", "id", "patient", "hash"))
_KINDS = frozenset(map(str, PersonKind))

OF_PEOPLE: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "HumanName": {
            "family": "family",
            "given": "given",
            "text": "name",
            "prefix": "drop",
            "suffix": "drop",
        },
        "Address": {
            "line": "street",
            "city": "city",
            "postalCode": "zip",
            "district": "drop",
            "text": "drop",
        },
        "ContactPoint": {"value": "drop", "value(phone)": "phone", "value(email)": "email"},
        "Identifier": {"value": "mrn"},
    }
)
"""Data type -> what each of its elements says of a person; the others are of none."""


class RoleLine(NamedTuple):
    """A line of the table.

    Attributes:
        name: that is declared.
        role: as `Columns.parse` takes it; or whose the parts of a data type are (`self HumanName`).
        why: it has that role.
    """

    name: str
    role: str
    why: str


@functools.cache
def default_roles() -> Mapping[str, str]:
    """Name -> role, as `Columns.parse` takes it."""
    found: dict[str, str] = {}
    for line in role_lines():
        kind, _, type_ = line.role.partition(" ")
        if not type_:
            found[line.name] = line.role
            continue
        for element, what in OF_PEOPLE[type_].items():
            attribute = KnownAttribute.ID if what == "mrn" and kind != PersonKind.SELF else what
            role = what if what == "drop" else f"known:{kind}.{attribute}"
            found[f"{line.name}.{element}"] = role
    return MappingProxyType(found)


@functools.cache
def role_lines() -> tuple[RoleLine, ...]:
    """The lines of the table, in its order."""
    file = importlib.resources.files(__package__).joinpath(ROLES_FILE)
    return tuple(parse_roles(file.read_text(encoding="utf-8")))


def parse_roles(text: str) -> Iterator[RoleLine]:
    """Reads a table of roles.

    Raises:
        ValueError: with file and line, for a line of another form, an unknown role, or a name that
            stands twice or not in order.
    """
    first, *lines = text.removesuffix("\n").split("\n")
    if first != HEADER:
        raise ValueError(f"{ROLES_FILE}, line 1: expected the header {HEADER!r}")
    before = ""
    for number, cells in enumerate((line.split("\t") for line in lines), 2):
        where = f"{ROLES_FILE}, line {number}"
        if len(cells) != 3 or not all(cells):
            raise ValueError(f"{where}: expected name, role and why")
        line = RoleLine(*cells)
        if line.name <= before:
            raise ValueError(f"{where}: {line.name} stands twice, or not in order")
        kind, _, type_ = line.role.partition(" ")
        is_person = kind in _KINDS and type_ in OF_PEOPLE
        if not (line.role in _ROLES or line.role.startswith("known:") or is_person):
            raise ValueError(f"{where}: unknown role {line.role!r}")
        before = line.name
        yield line


def is_element(name: str) -> bool:
    """Whether a name leads from a resource or data type to one of its elements, or is a type."""
    steps = name.partition("(")[0] if "xtension(" not in name else name.replace("(", " (")
    type_, *keys = (step.partition(" ")[0] for step in steps.split("."))
    types = {type_}
    for key in keys:
        types = {one.name for each in types for one in elements().get(each, {}).get(key, ())}
    return bool(types) and (bool(keys) or type_ in elements())
