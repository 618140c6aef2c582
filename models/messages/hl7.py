"""HL7 v2 messages in their delimited form: segments, fields, repetitions and components.

Source: HL7 v2.8.2 chapter 2, section 2.5 (segments, fields, delimiters); encapsulated data by
2A.2.24. What is within a component goes with it, as one value.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterator, Mapping, Sequence

from ..core.errors import DocumentError
from ..core.views import Edit
from ..core.written_texts import Layer
from ..rendering.encoded import LAYERS_OF
from ..rendering.kinds import LAYERS, recognised
from .base import DeclaredNames, MessageValue
from .hl7_escapes import BAD_MESSAGE, Delimiters, Escapes, delimiters_of
from .hl7_fields import default_roles

_SEGMENT = re.compile(r"[^\r\n]+")
_NAME = re.compile(r"[A-Z][A-Z0-9]{2}")
_HEADS = ("MSH", "FHS", "BHS")
"""Segments whose first field is the sign that parts fields."""

_LINES = frozenset({"TX", "FT", "ST"})
"""Data types of OBX-5 whose neighbours are read as one note."""

_DELETED = '""'
"""Says that what the receiver has of a field is to be deleted; it holds nothing."""

_MARKUP = {"RTF": "rtf", "HTML": "html", "XML": "xml", "X-HL7-CDA-LEVEL-ONE": "xml"}
_PLAIN = frozenset({"", "PLAIN", "TEXT", "TXT"})
_TEXTS = frozenset({"", "TEXT", "TX", "FT", "ST", "MULTIPART", "APPLICATION"})
_BINARY = "OBX-5(BINARY)"
"""The name of encapsulated data that is no text."""


@dataclasses.dataclass(frozen=True, slots=True)
class Hl7Grammar:
    """The grammar `hl7`."""

    name: str = "hl7"
    note_dates: tuple[str, ...] = ("OBR-7", "TXA-4", "EVN-6", "EVN-2", "MSH-7")
    visit_places: tuple[str, ...] = ("PV1-19.1", "PV1-19")
    has_links: bool = False

    def patient_of(self, canonical: str) -> str | None:
        """None: messages have other ids than patients."""
        return None

    def default_roles(self) -> Mapping[str, str]:
        """See docs/hl7-fields.md."""
        return default_roles()

    def values(self, record: str, declared: DeclaredNames) -> list[MessageValue]:
        """The fields, cut as deep as roles were declared.

        Raises:
            DocumentError: `BAD_MESSAGE`.
        """
        signs = delimiters_of(record)
        plans = _plans(declared)
        found: list[MessageValue] = []
        counts: dict[str, int] = {}
        note, before = 0, ""
        for match in _SEGMENT.finditer(record):
            segment = _Segment(match.group(), match.start(), signs, plans, counts)
            key = segment.note_key
            note += not key or key != before
            before = key
            found += segment.values(note if key else 0)
        return found

    def undeclared_name(self, value: MessageValue) -> str:
        """The field or component: `ZPD-3`."""
        return re.sub(r"\[[0-9]+\]", "", value.place)

    def written(self, record: str, value: MessageValue, text: str) -> str:
        """A text with its delimiters escaped."""
        return Escapes(delimiters_of(record)).written(text)

    def emptied(self, record: str, values: Sequence[MessageValue]) -> list[Edit]:
        """Fields and components stay, with nothing in them."""
        return [(value.start, value.end, "") for value in values]


HL7 = Hl7Grammar()


@dataclasses.dataclass(frozen=True, slots=True)
class _FieldPlan:
    """What is declared of a field.

    Attributes:
        whole: the declared name that holds for what no component has for itself; "" for none.
        is_text: whether that one has role text.
        components: number -> declared name, and whether it has role text.
    """

    whole: str
    is_text: bool
    components: Mapping[int, tuple[str, bool]]


class _FieldPlans:
    """The plans of fields; each is made once."""

    def __init__(self, declared: DeclaredNames) -> None:
        self._declared = declared
        self._deep: dict[str, dict[int, tuple[str, bool]]] = {}
        for name in declared.names:
            field, dot, component = name.partition(".")
            if dot and component.isdecimal():
                what = (name, name in declared.texts)
                self._deep.setdefault(field, {})[int(component)] = what
        self._types = any(name.startswith("OBX-5(") for name in declared.names)
        self._known: dict[str, _FieldPlan] = {}

    def of(self, name: str) -> _FieldPlan:
        """That of a field: `PID-5`, `OBX-5(TX)`."""
        plan = self._known.get(name)
        if plan is None:
            general, is_typed, _ = name.partition("(")
            # A type of observation without a role is not one without a type.
            names = (name, *(() if is_typed and self._types else (general,)), name[:3])
            whole = next((one for one in names if one in self._declared.names), "")
            components = self._deep.get(name)
            if components is None:
                components = {} if whole == name else self._deep.get(general, {})
            plan = _FieldPlan(whole, whole in self._declared.texts, components)
            self._known[name] = plan
        return plan


@functools.lru_cache(maxsize=8)  # by identity
def _plans(declared: DeclaredNames) -> _FieldPlans:
    return _FieldPlans(declared)


class _Segment:
    """A segment, cut into its fields."""

    def __init__(
        self, text: str, start: int, signs: Delimiters, plans: _FieldPlans, counts: dict[str, int]
    ) -> None:
        self._signs, self._plans, self._escapes = signs, plans, Escapes(signs)
        self._fields = text.split(signs.field)
        self._name = self._fields[0]
        if not _NAME.fullmatch(self._name):
            raise DocumentError(BAD_MESSAGE)
        self._start = start
        number = counts[self._name] = counts.get(self._name, 0) + 1
        self._place = self._name if number == 1 else f"{self._name}[{number}]"

    @property
    def note_key(self) -> str:
        """Equal for neighbours whose texts are one note; "" for those that stand alone."""
        if self._name == "OBX":
            return "OBX" if self._type in _LINES else ""
        return "NTE" if self._name == "NTE" else ""

    @property
    def _type(self) -> str:
        """The data type that an OBX names for its value."""
        return self._fields[2].strip().upper() if len(self._fields) > 2 else ""

    def values(self, note: int) -> Iterator[MessageValue]:
        """Yields the values of the segment.

        Args:
            note: of its texts.
        """
        at = self._start + len(self._name) + len(self._signs.field)
        first = 2 if self._name in _HEADS else 1
        has_line = self.note_key == "OBX"
        for number, content in enumerate(self._fields[1:], first):
            if content or (has_line and number == 5):
                if content != _DELETED and not (first == number == 2):
                    name, place = f"{self._name}-{number}", f"{self._place}-{number}"
                    if name == "OBX-5" and self._type:
                        yield from self._observed(place, content, at, note)
                    else:
                        own = note if name == "NTE-3" else 0
                        yield from self._field(name, place, content, at, own)
                at += len(content)
            at += len(self._signs.field)

    def _observed(self, place: str, content: str, at: int, note: int) -> Iterator[MessageValue]:
        """Yields the value of an observation, by its data type."""
        kind = self._type
        if kind == "ED":
            yield from self._encapsulated(place, content, at)
            return
        plan = self._plans.of(f"OBX-5({kind})")
        if kind in _LINES and plan.is_text:
            end = at + len(content)
            value, layers = self._plain(content), self._layers(content)
            yield MessageValue(plan.whole, place, at, end, value, layers, note)
        else:
            yield from self._field(f"OBX-5({kind})", place, content, at, 0)

    def _field(
        self, name: str, place: str, content: str, at: int, note: int
    ) -> Iterator[MessageValue]:
        """Yields the values of a field: its components, or its repetitions where it has none."""
        plan = self._plans.of(name)
        if plan.is_text and not plan.components:
            value, layers = self._plain(content), self._layers(content)
            yield MessageValue(plan.whole, place, at, at + len(content), value, layers, note)
            return
        signs = self._signs
        if not plan.components and signs.repetition not in content:
            yield MessageValue(plan.whole, place, at, at + len(content), self._plain(content))
            return
        repetitions = content.split(signs.repetition) if signs.repetition else [content]
        for number, repetition in enumerate(repetitions, 1):
            here = place if number == 1 else f"{place}[{number}]"
            if not plan.components and repetition:
                yield self._value(plan.whole, False, here, repetition, at)
            elif repetition:
                start = at
                components = repetition.split(signs.component) if signs.component else [repetition]
                for index, component in enumerate(components, 1):
                    declared, is_text = plan.components.get(index, (plan.whole, plan.is_text))
                    if component:
                        yield self._value(declared, is_text, f"{here}.{index}", component, start)
                    start += len(component) + len(signs.component)
            at += len(repetition) + len(signs.repetition)

    def _value(self, name: str, is_text: bool, place: str, content: str, at: int) -> MessageValue:
        end = at + len(content)
        layers = self._layers(content) if is_text else ()
        return MessageValue(name, place, at, end, self._plain(content), layers)

    def _plain(self, content: str) -> str:
        """A value without escapes; subcomponents and components are words of it."""
        signs = self._signs
        if content.isalnum():
            return content
        for sign in (signs.component, signs.subcomponent):
            if sign and sign in content:
                content = content.replace(sign, " ")
        return self._escapes.read(content)

    def _layers(self, content: str) -> tuple[Layer, ...]:
        """The layers of a text, which may hold markup within the escapes."""
        kind = recognised(self._escapes.read(content))
        return (self._escapes,) if kind is None else (self._escapes, LAYERS[kind])

    def _encapsulated(self, place: str, content: str, at: int) -> Iterator[MessageValue]:
        """Yields what a value of type ED holds: source, type, subtype, encoding, data."""
        plan = self._plans.of("OBX-5(ED)")
        parts = content.split(self._signs.component, 4) if self._signs.component else [content]
        if len(parts) < 5 or not plan.components.get(5, ("", False))[1]:
            yield from self._field("OBX-5(ED)", place, content, at, 0)
            return
        for index, part in enumerate(parts, 1):
            where = f"{place}.{index}"
            if part and index < 5:
                yield self._value(*plan.components.get(index, (plan.whole, False)), where, part, at)
            elif part:
                layers = self._data_layers(*(one.strip().upper() for one in parts[1:4]))
                if layers is None:
                    yield self._value(self._plans.of(_BINARY).whole, False, where, part, at)
                else:
                    name, end = plan.components[5][0], at + len(part)
                    yield MessageValue(name, where, at, end, "", layers)
            at += len(part) + len(self._signs.component)

    def _data_layers(self, kind: str, subtype: str, encoding: str) -> tuple[Layer, ...] | None:
        """The layers of encapsulated data; None for data that is no text."""
        if kind not in _TEXTS or subtype not in (*_PLAIN, *_MARKUP):
            return None
        inner = LAYERS_OF.get(encoding.lower())
        outer: tuple[Layer, ...] = (self._escapes,) if inner is None else (self._escapes, inner)
        markup = _MARKUP.get(subtype)
        return outer if markup is None else (*outer, LAYERS[markup])
