"""Which declared name each place of a FHIR resource has; decided once for each kind of place.

Tried are, the most specific first: the path from the resource and what it begins with
(`Patient.contact.name.family`, `Patient.contact.name`, ...), the same from each data type on the
way (`HumanName.family`), the primitive type (`string`). What stands where the definitions have
nothing, or something else, is named by its path from the resource alone.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence, Set

from .base import DeclaredNames
from .fhir_elements import PRIMITIVES, RESOURCE, ElementType, elements, parents
from .fhir_scan import JsonArray, JsonNode, JsonObject, JsonScalar

LINK = "Reference.reference"
"""The name of ids of resources, and of what leads to one."""

PATIENT = "Patient.id"
"""The name of the same where it is a patient."""

OTHER_LINK = f"{LINK}(other)"
"""The name of what leads to no resource that is known."""

EXTENSION_URL = "Extension.url"

MOST_PLACES = 30_000
"""Kinds of places that are kept; a hostile record could make up any number."""

_MOST_PATHS = 8
"""Of a place: the first, and the last ones; nested extensions have one more each."""

_FREE = frozenset(("", "string", "markdown", "xhtml"))
"""Primitive types whose values may say anything; "" is none that the definitions have."""

_QUALIFIED = re.compile(r"\(([^()]*)\)")
_STEP = re.compile(r"[A-Za-z][A-Za-z0-9]{0,63}")

ELEMENT = ElementType("Element")


class FhirPlace:
    """A kind of place: an element of a resource, wherever it is repeated.

    Attributes:
        types: that its values may have; () if the definitions do not have it.
        owners: the type of the object that it is in, and those that this is a kind of.
        step: its own name, as it is shown.
        is_resource: whether resources stand there.
        targets_of_owner: of what stands in a reference, the types that it may lead to; () for any.
    """

    def __init__(
        self,
        plans: Plans,
        types: Sequence[ElementType],
        owners: Sequence[str],
        paths: Sequence[str],
        roots: Sequence[str],
        targets_of_owner: Sequence[str] = (),
    ) -> None:
        self._plans = plans
        self.types = tuple(types)
        self.owners = frozenset(owners)
        self.step = paths[0].rpartition(".")[2]
        self.is_resource = any(one.name == RESOURCE for one in types)
        self.targets_of_owner = tuple(targets_of_owner)
        self._paths = tuple(paths)
        """From the resource, and from each data type on the way."""
        self._roots = tuple(roots)
        """Where each of the paths begins."""
        self._children: dict[tuple[str, str], FhirPlace] = {}
        self._names: dict[tuple[str, str], str] = {}

    @property
    def is_number(self) -> bool:
        """Whether its values are numbers or booleans."""
        return any(PRIMITIVES.get(one.name, "string") != "string" for one in self.types)

    @property
    def path(self) -> str:
        """From the resource, as it is declared."""
        return self._paths[0]

    def type_of(self, node: JsonNode) -> ElementType | None:
        """The type that a value of the place has, by its form; None if it has none of them."""
        if isinstance(node, JsonScalar):
            fitting = [one for one in self.types if PRIMITIVES.get(one.name) == node.kind]
            return fitting[0] if fitting else None
        fitting = [one for one in self.types if not one.is_primitive]
        if len(fitting) > 1 and isinstance(node, JsonObject):
            fitting = [one for one in fitting if _fits(one, node)] or fitting
        return fitting[0] if fitting else None

    def child(self, type_: ElementType | None, key: str, tail: str = "") -> FhirPlace:
        """The place of a member.

        Args:
            type_: of the object.
            key: of the member.
            tail: the end of the object's URL, if that is an extension that was declared by it.
        """
        if (found := self._children.get((key, f"{type_ and type_.name}/{tail}"))) is not None:
            return found
        found = self._made(type_, key, tail)
        if found.types and self._plans.room():
            self._children[key, f"{type_ and type_.name}/{tail}"] = found
        return found

    def _made(self, type_: ElementType | None, key: str, tail: str) -> FhirPlace:
        paths, roots = list(self._paths), list(self._roots)
        owners = [] if type_ is None else kinds_of(type_.name)
        if type_ is not None and type_.name not in paths and type_ != ELEMENT and "." in paths[0]:
            paths += owners
            roots += owners
        if tail:
            paths = [f"{path}({tail})" for path in paths]
        if len(paths) > _MOST_PATHS:
            paths = [paths[0], *paths[1 - _MOST_PATHS :]]
            roots = [roots[0], *roots[1 - _MOST_PATHS :]]
        own = elements().get(type_.name, {}) if type_ is not None else {}
        base = key[1:] if key.startswith("_") else key
        types = own.get(base, ())
        if base != key:
            types = (ELEMENT,) if any(one.is_primitive for one in types) else ()
        step = base if _STEP.fullmatch(base) else "?"
        paths = [f"{path}.{step}" for path in paths]
        return FhirPlace(self._plans, types, owners, paths, roots, type_.targets if type_ else ())

    def name(
        self, primitive: str, *, qualifier: str = "", link: str = "", of_any_type: bool = False
    ) -> str:
        """The declared name of a value; "" if there is none.

        Args:
            primitive: its type; "" if it is not what the definitions have.
            qualifier: tells values of one place apart: `email` of `Patient.telecom.value(email)`.
            link: the name of what leads to a resource.
            of_any_type: whether a value of another type than the element's may have a name from a
                data type, too: a key stands in its place.
        """
        key = (primitive, f"{of_any_type:d}{qualifier or link}")
        found = self._names.get(key)
        if found is None:
            names = self._plans.names
            tried = self._tried(primitive, qualifier, link, of_any_type)
            found = next((name for name in tried if name in names), "")
            if self.types:
                self._names[key] = found
        return found

    def _tried(self, primitive: str, qualifier: str, link: str, of_any_type: bool) -> Iterator[str]:
        if _QUALIFIED.sub("", self._paths[-1]) == EXTENSION_URL:
            yield self._paths[0]
            yield EXTENSION_URL
        known = primitive or link or of_any_type
        for path, root in zip(self._paths, self._roots, strict=True):
            at = path
            if qualifier:
                yield f"{path}({qualifier})"
            while len(at) >= len(root):
                plain = _QUALIFIED.sub("", at)
                if at == path or self._holds_within({at, plain}, primitive):
                    if link and at == LINK:
                        yield link
                    if not (link == PATIENT and at == LINK):
                        yield at
                        if at != plain:
                            yield plain
                at = at.rpartition(".")[0]
            if not known:
                return
        if link or primitive:
            yield link or primitive

    def _holds_within(self, names: Set[str], primitive: str) -> bool:
        """Whether what is declared of an element holds for a value of a type that lies in it.

        Texts are scrubbed, and a date or code would not be one any more: in the extension of a text
        (`_text`), each has the role of its type.
        """
        texts = (names & self._plans.texts) - self._plans.known.keys()
        return not texts or primitive in _FREE


class Plans:
    """The places of all resources, for what is declared.

    Attributes:
        names: those that are declared.
        texts, known: see `DeclaredNames`.
    """

    def __init__(self, declared: DeclaredNames) -> None:
        self.names, self.texts, self.known = declared.names, declared.texts, declared.known
        self._tails = frozenset(
            tail for name in declared.names for tail in re.findall(r"xtension\(([^()]*)\)", name)
        )
        self._resources: dict[str, FhirPlace] = {}
        self._places = 0

    def resource(self, name: str) -> FhirPlace:
        """The place of resources of a type; of one that nothing defines, all below has no type."""
        found = self._resources.get(name)
        if found is None:
            known = name in elements()
            shown = name if _STEP.fullmatch(name) else "?"
            types = (ElementType(name),) if known else ()
            found = FhirPlace(self, types, (), [shown], [shown])
            if known and self.room():
                self._resources[name] = found
        return found

    def tail_of(self, url: str) -> str:
        """The last part of the URL of an extension, if it stands in a declared name; else ""."""
        tail = url.rpartition("/")[2]
        return tail if tail in self._tails else ""

    def room(self) -> bool:
        """Whether one more place is kept; where there is no room left, all are forgotten."""
        self._places += 1
        if self._places > MOST_PLACES:
            self._resources.clear()
            self._places = 0
            return False
        return True


def kinds_of(name: str) -> list[str]:
    """A type, and the data types that it is a kind of."""
    found = [name]
    while (parent := parents().get(found[-1])) is not None:
        found.append(parent)
    return found


@functools.lru_cache(maxsize=8)  # by identity
def plans_of(declared: DeclaredNames) -> Plans:
    """The plans for what is declared."""
    return Plans(declared)


def _fits(type_: ElementType, node: JsonObject) -> bool:
    """Whether a type has all members of an object, in the form that they have."""
    own = elements()[type_.name]
    for key, value in node.members.items():
        types = own.get(key.removeprefix("_"))
        if types is None:
            return False
        first = value.items[0] if isinstance(value, JsonArray) and value.items else value
        is_scalar = isinstance(first, JsonScalar)
        if not key.startswith("_") and not any(one.is_primitive == is_scalar for one in types):
            return False
    return True
