"""The fields of HL7 v2 and the role of each, as two tables say it.

`hl7_fields.tsv` has a line a field of the segments of HL7 v2.3.1 to v2.8.2; `hl7_types.tsv` a line
a component of the data types that are opened. Names and types are facts of the standard (HL7
v2.8.2, chapters 2 to 17, and the same of earlier versions); roles are ours. See docs/hl7-fields.md.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.resources
import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from ..core.known_values import KnownAttribute, PersonKind

FIELDS_FILE, TYPES_FILE = "hl7_fields.tsv", "hl7_types.tsv"
FIELDS_HEADER = "field\ttype\trole\tname\thipaa"
TYPES_HEADER = "component\trole\tname"

MALFORMED = "VALUE(malformed)"
MALFORMED_CODE, MALFORMED_DATE = "CODE(malformed)", "DATE(malformed)"
"""The names of what does not look as its data type says; see `hl7_forms`."""

ENCODED = "VALUE(base64)"
"""The name of texts that are nothing but digits of base64."""

OF_MALFORMED: Mapping[str, str] = MappingProxyType(
    {MALFORMED_CODE: "drop", MALFORMED_DATE: "drop", ENCODED: "drop", MALFORMED: "text"}
)
"""Their roles. What stands in the place of a code of the standard, or of a date, says nothing that
anybody could read there; what stands in that of a number or of a code of a site often does."""

BY_TYPE = "by type"
_PEOPLE = frozenset(map(str, PersonKind))
_ATTRIBUTES = frozenset(map(str, KnownAttribute))
_PLAIN = frozenset(("text", "pass", "drop", "date", "birth", "id", "patient", "type", "hash"))
_COMPONENT = frozenset(("text", "pass", "drop", "date", "hash"))
_FIELD = re.compile(r"([A-Z][A-Z0-9]{2})-([1-9][0-9]*)(?:\(([A-Z0-9]+)\))?(?:\.([1-9][0-9]*))?")
_PART = re.compile(r"([A-Z]{2,3})\.([1-9][0-9]*)")
_LETTERS = re.compile(r"[A-R]+|-")


@dataclasses.dataclass(frozen=True, slots=True)
class FieldLine:
    """A line of the table of fields.

    Attributes:
        key: as it is declared: `PID-5`, `OBX-5(TX)` where OBX-2 says TX, `PID-3.1` for a component
            that has another role than the table of types gives it.
        type: of the latest version of HL7 that has the field.
        role: one of a column; or whose each component is (`self`, `relative`, `contact`,
            `staff`), or `by type`: each component by the table of types.
        name: as the standard has it.
        hipaa: letters of the identifiers of 45 CFR 164.514(b)(2)(i) that it may hold, or "-".
    """

    key: str
    type: str
    role: str
    name: str
    hipaa: str

    @property
    def segment(self) -> str:
        """The segment that it is of."""
        return self.key.partition("-")[0]


@dataclasses.dataclass(frozen=True, slots=True)
class Component:
    """A line of the table of types: a component of a data type.

    Attributes:
        role: one of a column; of `known`, what it is of whom the field is: `known:family`.
        name: as the standard has it.
    """

    role: str
    name: str


Types = Mapping[str, Sequence[Component]]
"""Data type -> its components, the first first."""


@functools.cache
def default_roles() -> Mapping[str, str]:
    """Role of each field of HL7 v2.3.1 to v2.8.2, as `Columns.parse` takes it.

    A field whose components have several roles stands by its components (`PID-5.1` ->
    `known:self.family`); a component that the standard does not have then has no role. Any other
    stands alone. What a message holds elsewhere (segments `Z..`, later fields) is not in it.
    """
    return MappingProxyType({**expand(fields(), types()), **OF_MALFORMED})


@functools.cache
def field_names() -> Mapping[str, str]:
    """Name of each field: `PID-5` -> `Patient Name`."""
    return MappingProxyType({f.key: f.name for f in fields() if _is_whole(f.key)})


@functools.cache
def fields() -> tuple[FieldLine, ...]:
    """The lines of the table of fields, in its order."""
    return tuple(parse_fields(_shipped(FIELDS_FILE)))


@functools.cache
def types() -> Types:
    """The table of types."""
    return MappingProxyType(parse_types(_shipped(TYPES_FILE)))


def parse_fields(text: str, file: str = FIELDS_FILE) -> Iterator[FieldLine]:
    """Reads a table of fields.

    Raises:
        ValueError: with file and line, for a line of another form, an unknown role, or one that is
            not behind all that come before it.
    """
    before: tuple[str, int, str, int] | None = None
    for where, cells in _rows(text, file, FIELDS_HEADER):
        field = FieldLine(*cells)
        parts = _FIELD.fullmatch(field.key)
        if parts is None:
            raise ValueError(f"{where}: expected a field such as PID-5, got {field.key!r}")
        place = (parts[1], int(parts[2]), parts[3] or "", int(parts[4] or 0))
        if before is not None and place <= before:
            raise ValueError(f"{where}: {field.key} stands twice, or not in order")
        if not (_is_role(field.role) or field.role in _PEOPLE or field.role == BY_TYPE):
            raise ValueError(f"{where}: unknown role {field.role!r}")
        if not field.name or not field.type:
            raise ValueError(f"{where}: {field.key} has no name, or no type")
        if not _LETTERS.fullmatch(field.hipaa):
            raise ValueError(f"{where}: expected letters A to R, or -, got {field.hipaa!r}")
        before = place
        yield field


def parse_types(text: str, file: str = TYPES_FILE) -> dict[str, tuple[Component, ...]]:
    """Reads a table of types.

    Raises:
        ValueError: with file and line, for a line of another form, an unknown role, or a component
            that is not the next one of its type.
    """
    found: dict[str, list[Component]] = {}
    for where, (component, role, name) in _rows(text, file, TYPES_HEADER):
        parts = _PART.fullmatch(component)
        if parts is None:
            raise ValueError(f"{where}: expected a component such as XPN.1, got {component!r}")
        kind, _, attribute = role.partition(":")
        if not (role in _COMPONENT or kind == "known" and attribute in _ATTRIBUTES):
            raise ValueError(f"{where}: unknown role {role!r}")
        if not name:
            raise ValueError(f"{where}: {component} has no name")
        if parts[1] not in found and found and parts[1] < next(reversed(found)):
            raise ValueError(f"{where}: {component} does not stand in order")
        before = found.setdefault(parts[1], [])
        if int(parts[2]) != len(before) + 1:
            raise ValueError(f"{where}: expected {parts[1]}.{len(before) + 1}, got {component}")
        before.append(Component(role, name))
    return {data_type: tuple(components) for data_type, components in found.items()}


def expand(table: Sequence[FieldLine], types: Types) -> dict[str, str]:
    """Field or component -> role, in the order of the table; see `default_roles`.

    Raises:
        ValueError: for a type that is opened and not in the table of types, a person's values in a
            field of nobody, or a component that its field does not have.
    """
    opened = {f.key: list(_components(f, types)) for f in table if "." not in f.key}
    for field in table:
        whole, _, number = field.key.partition(".")
        if not number:
            continue
        if len(opened.get(whole, ())) < max(2, int(number)):
            raise ValueError(
                f"{FIELDS_FILE}, {field.key}: {whole} is not opened, or has no such component"
            )
        opened[whole][int(number) - 1] = field.role
    roles: dict[str, str] = {}
    for key, found in opened.items():
        if len(set(found)) == 1:
            roles[key] = found[0]
        else:
            roles.update((f"{key}.{place}", role) for place, role in enumerate(found, 1))
    return roles


def _components(field: FieldLine, types: Types) -> Iterator[str]:
    """The role of each component of a field, or the only one of all of it."""
    opens = field.role == BY_TYPE or field.role in _PEOPLE
    if not opens and not (field.role == "hash" and field.type in types):
        yield field.role
        return
    if field.type not in types:
        raise ValueError(f"{FIELDS_FILE}, {field.key}: type {field.type} is not in {TYPES_FILE}")
    for role in (component.role for component in types[field.type]):
        head, _, attribute = role.partition(":")
        if head != "known":
            yield role
        elif field.role in _PEOPLE:
            yield f"known:{field.role}.{_of(field.role, attribute)}"
        elif field.role == "hash" and attribute in (KnownAttribute.MRN, KnownAttribute.ID):
            yield "hash"
        else:
            raise ValueError(f"{FIELDS_FILE}, {field.key}: {field.type} is of a person: whose?")


def _of(kind: str, attribute: str) -> str:
    """A number is a medical record number of the patient alone."""
    mrn = attribute == KnownAttribute.MRN and kind != PersonKind.SELF
    return KnownAttribute.ID if mrn else attribute


def _is_role(role: str) -> bool:
    head, _, what = role.partition(":")
    kind, _, attribute = what.partition(".")
    known = head == "known" and kind in _PEOPLE and attribute in _ATTRIBUTES
    return role in _PLAIN or known


def _is_whole(key: str) -> bool:
    return "." not in key and "(" not in key


def _rows(text: str, file: str, header: str) -> Iterator[tuple[str, list[str]]]:
    """Where each line stands, and its cells."""
    first, *lines = text.removesuffix("\n").split("\n")
    if first != header:
        raise ValueError(f"{file}, line 1: expected the header {header!r}")
    for number, line in enumerate(lines, 2):
        where, cells = f"{file}, line {number}", line.split("\t")
        if len(cells) != header.count("\t") + 1:
            raise ValueError(f"{where}: expected the cells {header!r}, got {len(cells)}")
        yield where, cells


def _shipped(file: str) -> str:
    return importlib.resources.files(__package__).joinpath(file).read_text(encoding="utf-8")
