"""The values of a FHIR record, each with its name: resources, and what lies within them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..core.errors import DocumentError
from . import json_text
from .ages import is_age
from .base import MessageValue
from .fhir_plans import LINK, OTHER_LINK, PATIENT, FhirPlace, Plans
from .fhir_references import ResourceName, is_plain_type, read_name
from .fhir_scan import JsonArray, JsonNode, JsonObject, JsonScalar, is_empty, outer_start
from .fhir_values import (
    age_of,
    coding_of,
    is_encoded,
    is_formed,
    is_formed_as,
    kind_of_data,
    layers_of,
    named_by,
    system_of,
)

BAD_RESOURCE = "BadFhir"
"""The error class of a record that is no resource."""

ID = "Resource.id"
"""The name of the id of a record."""

_TYPE = "resourceType"
_TEXT = "string"
_MALFORMED, _ENCODED = "string(malformed)", "string(base64)"
_CONCEPT, _DISPLAY = "CodeableConcept.text", "Coding.display"
_URLS = frozenset(
    ("Bundle.entry.fullUrl", "Bundle.entry.request.url", "Bundle.entry.response.location")
)
_OBSERVED = frozenset(("Observation", "Observation.component"))
"""Whose code says what their value is."""

_PLAIN = "#"
"""In place of a name: there is nothing to hide in a reference."""

_LONGEST = 2000
"""Of types and ids: those of what a resource contains hold its own, so that they would take as many
times its size."""

_ANY = "?"
"""In an identity, a type that nothing says."""


class Scope(NamedTuple):
    """A resource, for what stands within it.

    Attributes:
        identity: its type and id, by which it is known in all records.
        container: the same of the resource that contains it; its own for any other.
        contained: id -> type, of those that this one contains.
        note: number of its short texts.
        counts: how many texts and resources stood at each place so far.
    """

    identity: str
    container: str
    contained: dict[str, str]
    note: int
    counts: dict[str, int]

    def numbered(self, where: str) -> str:
        """A place with the number that tells it from those before: `Patient.name[2]`.

        Items of arrays are not counted, for others may go; texts and resources never do.
        """
        number = self.counts[where] = self.counts.get(where, 0) + 1
        return where if number == 1 else f"{where}[{number}]"


class Visit(NamedTuple):
    """A value that is to be walked.

    Attributes:
        node: what stands there.
        place: its kind.
        where: the same in the record; see `Scope.numbered`.
        scope: the resource that it is in.
        owner: the object that it is in.
        of_age: whether the code of an observation says that its value, in which this is, is an age.
    """

    node: JsonNode
    place: FhirPlace
    where: str
    scope: Scope
    owner: JsonObject
    of_age: bool = False


class Walk:
    """Walks a record."""

    def __init__(self, record: str, root: JsonObject, plans: Plans) -> None:
        self._record, self._root, self._plans = record, root, plans
        self._names: dict[str, str] = {}
        """URN of an entry of a Bundle -> the identity of its resource."""
        self._notes = 0
        self._id_start = -1
        """Where the content of the record's id begins."""
        self._found: list[MessageValue] = []
        self._patients: dict[str, None] = {}
        """The identities of all patients."""
        # Where each string begins that is looked at beside others -> what it says; and where each
        # list of codings begins -> displays of public terminologies. All items of a list may ask.
        self._strings: dict[int, str] = {}
        self._displays: dict[int, frozenset[str]] = {}

    def values(self) -> list[MessageValue]:
        """See `MessageGrammar`.

        Raises:
            DocumentError: `BAD_RESOURCE`.
        """
        root = self._root
        name = self._type_of(root)
        self._learn_names()
        id_node = self._id_of_record(name)
        self._id_start = -1 if id_node is None else id_node.start
        identity = f"{name}/{self._string(root, 'id')}"
        if patient_of(identity) is not None:
            self._patients[identity] = None
        place = self._plans.resource(name)
        waiting = [Visit(root, place, place.path, self._scope(root, identity), root)]
        while waiting:
            visit = waiting.pop()
            node = visit.node
            if not visit.place.types and is_empty(node):
                self._unknown(visit, node)
            elif isinstance(node, JsonScalar):
                self._scalar(visit, node)
            else:
                waiting += reversed(list(self._within(visit, node)))
        return self._with_patients()

    # -- what stands within what

    def _within(self, visit: Visit, node: JsonObject | JsonArray) -> Iterator[Visit]:
        _, place, where, scope, owner, of_age = visit
        if isinstance(node, JsonArray):
            for item in node.items:
                yield Visit(item, place, where, scope, owner, of_age)
            return
        if place.is_resource:
            name = self._type_of(node)
            where = scope.numbered(where)
            identity = self._identity(visit._replace(where=where), node, name)
            contained = place.step == "contained"
            scope = self._scope(node, identity, scope if contained else None)
            place = self._plans.resource(name)
            where = f"{where}({place.path})"
        type_ = place.type_of(node)
        tail = ""
        if type_ is not None and type_.name == "Extension":
            tail = self._plans.tail_of(self._string(node, "url"))
        is_resource = "." not in place.path and bool(place.types)
        is_observed = place.path in _OBSERVED and self._is_of_age(node)
        for key, value in node.members.items():
            if is_resource and key == _TYPE:
                continue
            child = place.child(type_, key, tail)
            sign = "_" if key[0:1] == "_" else ""
            own = of_age or (is_observed and child.step.startswith("value"))
            yield Visit(value, child, f"{where}.{sign}{child.step}", scope, node, own)

    def _is_of_age(self, observation: JsonObject) -> bool:
        """Whether an observation, or a component of one, is by its code one of an age."""
        code = observation.members.get("code")
        if not isinstance(code, JsonObject):
            return False
        said = [self._string(code, "text")]
        for one in _objects(code.members.get("coding")):
            said += self._string(one, "code"), self._string(one, "display")
        return is_age(said)

    def _scope(self, node: JsonObject, identity: str, outer: Scope | None = None) -> Scope:
        self._notes += 1
        if outer is not None:
            return Scope(identity, outer.container, outer.contained, self._notes, {})
        contained = {
            self._string(one, "id"): self._string(one, _TYPE)
            for one in _objects(node.members.get("contained"))
        }
        return Scope(identity, identity, contained, self._notes, {})

    def _type_of(self, node: JsonObject) -> str:
        name = self._string(node, _TYPE)
        if not name or max(len(name), len(self._string(node, "id"))) > _LONGEST:
            raise DocumentError(BAD_RESOURCE)
        return name

    # -- values

    def _unknown(self, visit: Visit, node: JsonNode) -> None:
        """Adds what holds nothing, for its key is not of FHIR and may say anything."""
        name = visit.place.name("")
        low, high = outer_start(node), node.outer_end
        name = "" if name in self._plans.texts else name
        source = self._record[low:high]
        self._found.append(MessageValue(name, visit.where, low, high, source))

    def _scalar(self, visit: Visit, node: JsonScalar) -> None:
        if node.kind == "null" or node.start == node.end:
            return
        text = self._record[node.start : node.end]
        if node.start == self._id_start:
            self._add(ID, visit, node, self._identity_of_id(visit, node))
            return
        place = visit.place
        type_ = place.type_of(node)
        primitive = "" if type_ is None else type_.name
        if node.kind == _TEXT:
            source, text = text, json_text.read(text)
            if (link := self._link(visit, source, primitive)) is not None:
                self._add_link(visit, node, primitive, text, link)
                return
            if not is_formed(primitive, text):
                self._add(self._malformed(), visit, node, text)
                return
        is_key = not primitive and node.kind == _TEXT and place.is_number
        qualifier = self._qualifier(visit, primitive, text)
        name = place.name(primitive, qualifier=qualifier, of_any_type=is_key)
        if not is_formed_as(name, text):
            name = self._malformed()
        if name == _CONCEPT and _DISPLAY in self._plans.names and self._is_display(visit, text):
            name = _DISPLAY
        if name in self._plans.texts and node.kind == _TEXT and is_encoded(primitive, text):
            name = _ENCODED
        self._add(name, visit, node, text)

    def _add(self, name: str, visit: Visit, node: JsonScalar, value: str, low: int = 0) -> None:
        """Adds a value; of a text, all that stands between the quotes."""
        where, start, end = visit.where, node.start, node.end
        if name not in self._plans.names:
            name = ""
        if name not in self._plans.texts:
            self._found.append(MessageValue(name, where, start + low, end, value))
        elif node.kind != _TEXT:  # nothing but a string can be scrubbed and stay what it is
            self._found.append(MessageValue("", where, start, end, value))
        else:
            types = frozenset(one.name for one in visit.place.types)
            source = self._record[start:end]
            content_type = self._string(visit.owner, "contentType")
            layers = layers_of(types, json_text.read(source), content_type)
            alone = len(layers) > 1 or name in self._plans.known
            where = visit.scope.numbered(where)
            note = 0 if alone else visit.scope.note
            self._found.append(MessageValue(name, where, start, end, value, layers, note))

    def _malformed(self) -> str:
        """The name of what is not written as its type is, and so may say anything.

        It is not scrubbed: what comes out could look as if it were written so, and be read as such.
        """
        return _MALFORMED if _MALFORMED in self._plans.names else _TEXT

    def _qualifier(self, visit: Visit, primitive: str, text: str) -> str:
        step, owners, owner = visit.place.step, visit.place.owners, visit.owner
        if visit.of_age and primitive in ("integer", _TEXT) and step.startswith("value"):
            return age_of(text, of_age=True)
        if step == "value":
            if "ContactPoint" in owners:
                return system_of(self._string(owner, "system"), text)
            if "Quantity" in owners and primitive == "decimal":
                units = self._string(owner, "code"), self._string(owner, "unit")
                return age_of(text, *units, of_age=visit.of_age or "Age" in owners)
        elif step == "data" and primitive == "base64Binary":
            return kind_of_data(self._string(owner, "contentType"), text)
        elif step == "display" and "Reference" in owners:
            return named_by(self._targets(visit))
        elif step == "display" and "Coding" in owners:
            return coding_of(self._string(owner, "system"))
        return ""

    def _is_display(self, visit: Visit, text: str) -> bool:
        """Whether the text of a concept is what a public terminology calls one of its codes."""
        codings = visit.owner.members.get("coding")
        if not isinstance(codings, JsonArray):
            return False
        found = self._displays.get(codings.start)
        if found is None:
            found = self._displays[codings.start] = frozenset(
                self._string(one, "display")
                for one in _objects(codings)
                if not coding_of(self._string(one, "system"))
            )
        return text in found

    def _targets(self, visit: Visit) -> frozenset[str]:
        """The types that the reference of a display may lead to."""
        node = visit.owner.members.get("reference")
        name = None
        if isinstance(node, JsonScalar) and node.kind == _TEXT:
            name = read_name(self._record[node.start : node.end])
        known = "" if name is None else self._resource_of(visit, name).partition("/")[0]
        if known in ("", _ANY):
            known = self._said_type(visit.owner)
        return frozenset({known} if known else visit.place.targets_of_owner)

    # -- names of resources

    def _link(
        self, visit: Visit, source: str, primitive: str
    ) -> tuple[str, ResourceName | None] | None:
        """What a string that names a resource is called, and the name; None for any other."""
        place = visit.place
        if place.step == "id" and self._is_of_resource(visit):
            return self._link_to(visit.scope.identity), None
        if place.step == "reference" and primitive == _TEXT and "Reference" in place.owners:
            if source == "#":  # the resource that contains this one
                return _PLAIN, None
        elif place.path in _URLS:
            if is_plain_type(source):
                return _PLAIN, None
        elif place.step != "url" or "Attachment" not in place.owners or ":" in source:
            return None
        name = read_name(source)
        if name is None:
            return OTHER_LINK, None
        return self._link_to(self._resource_of(visit, name)), name

    def _add_link(
        self,
        visit: Visit,
        node: JsonScalar,
        primitive: str,
        text: str,
        link: tuple[str, ResourceName | None],
    ) -> None:
        kind, name = link
        if kind == _PLAIN:
            return
        declared = visit.place.name(primitive, link=kind)
        if kind == OTHER_LINK:
            self._add(declared, visit, node, text)
            return
        identity = visit.scope.identity if name is None else self._resource_of(visit, name)
        if declared == PATIENT:
            self._patients[identity] = None
        self._add(declared, visit, node, identity, 0 if name is None else name.low)

    def _link_to(self, identity: str) -> str:
        return LINK if patient_of(identity) is None else PATIENT

    def _with_patients(self) -> list[MessageValue]:
        """The values; patients are links if they are several, for a row has one at most."""
        if len(self._patients) < 2:
            return [
                value._replace(value=patient_of(value.value) or value.value)
                if value.name == PATIENT and not value.layers
                else value
                for value in self._found
            ]
        name = "" if LINK in self._plans.texts or LINK not in self._plans.names else LINK
        return [
            value._replace(name=name) if value.name == PATIENT and not value.layers else value
            for value in self._found
        ]

    def _resource_of(self, visit: Visit, name: ResourceName) -> str:
        """The identity of what is named."""
        if name.is_local:
            kind = visit.scope.contained.get(name.id, _ANY)
            return f"{kind}/{visit.scope.container}#{name.id}"
        if name.type:
            return f"{name.type}/{name.id}"
        if (known := self._names.get(name.id)) is not None:
            return known
        targets = visit.place.targets_of_owner
        kind = self._said_type(visit.owner) or (targets[0] if len(targets) == 1 else _ANY)
        return f"{kind}/{name.id.rpartition(':')[2]}"

    def _said_type(self, owner: JsonObject) -> str:
        """The type of what a reference leads to, as it says."""
        said = self._string(owner, "type")
        return said.rpartition("/")[2] if len(said) <= _LONGEST else ""

    def _identity(self, visit: Visit, node: JsonObject, name: str) -> str:
        """That of a resource within another."""
        own = self._string(node, "id")
        if visit.place.step == "contained":
            return f"{name}/{visit.scope.container}#{own}"
        full = self._entry_name(visit.owner)
        if full is not None and not full.type:
            return self._names.get(full.id, f"{name}/{own}")
        if not own and full is not None:
            return f"{name}/{full.id}"
        return f"{name}/{own or f'{visit.scope.identity}:{visit.where}'}"

    def _identity_of_id(self, visit: Visit, node: JsonScalar) -> str:
        """That of the resource whose id this is, or whose identifier stands for its id."""
        if self._is_of_resource(visit):
            return visit.scope.identity
        return visit.scope.identity + json_text.read(self._record[node.start : node.end])

    def _is_of_resource(self, visit: Visit) -> bool:
        return visit.place.path.count(".") == 1 and _TYPE in visit.owner.members

    # -- looked up before

    def _learn_names(self) -> None:
        """Learns what the URNs of the entries of Bundles stand for."""
        waiting = [self._root]
        while waiting:
            for entry in self._entries(waiting.pop()):
                resource = entry.members.get("resource")
                if not isinstance(resource, JsonObject):
                    continue
                kind, own = self._string(resource, _TYPE), self._string(resource, "id")
                full = self._entry_name(entry)
                if full is not None and not full.type and not full.is_local:
                    self._names[full.id] = f"{kind}/{own or full.id.rpartition(':')[2]}"
                if kind == "Bundle":
                    waiting.append(resource)

    def _entries(self, bundle: JsonObject) -> list[JsonObject]:
        entries = bundle.members.get("entry")
        items = entries.items if isinstance(entries, JsonArray) else []
        return [one for one in items if isinstance(one, JsonObject)]

    def _entry_name(self, entry: JsonObject) -> ResourceName | None:
        node = entry.members.get("fullUrl")
        if not isinstance(node, JsonScalar) or node.kind != _TEXT:
            return None
        return read_name(self._record[node.start : node.end])

    def _id_of_record(self, name: str) -> JsonScalar | None:
        """What stands for the id of the record.

        Its own; of a Bundle without one, its identifier, or the id of its first resource, which is
        no patient where there are several.
        """
        root = self._root
        if (own := self._node(root, "id")) is not None or name != "Bundle":
            return own
        identifier = root.members.get("identifier")
        if isinstance(identifier, JsonObject) and (own := self._node(identifier, "value")):
            return own
        found = [entry.members.get("resource") for entry in self._entries(root)]
        resources = [one for one in found if isinstance(one, JsonObject)]
        patients = [one for one in resources if self._string(one, _TYPE) == "Patient"]
        few = patients if len(patients) > 1 else []
        ids = (self._node(one, "id") for one in resources if one not in few)
        return next((one for one in ids if one is not None), None)

    def _node(self, owner: JsonObject, key: str) -> JsonScalar | None:
        node = owner.members.get(key)
        is_there = isinstance(node, JsonScalar) and node.kind == _TEXT and node.start < node.end
        return node if is_there else None  # type: ignore[return-value]

    def _string(self, owner: JsonObject, key: str) -> str:
        node = self._node(owner, key)
        if node is None:
            return ""
        found = self._strings.get(node.start)
        if found is None:
            said = json_text.read(self._record[node.start : node.end])
            found = self._strings[node.start] = said
        return found


def _objects(node: JsonNode | None) -> list[JsonObject]:
    """The objects of an array; of anything else, none."""
    items = node.items if isinstance(node, JsonArray) else ()
    return [one for one in items if isinstance(one, JsonObject)]


def patient_of(identity: str) -> str | None:
    """The id of the patient whose identity this is; None for that of anything else."""
    kind, _, own = identity.partition("/")
    return own if kind == "Patient" and own else None
