"""HL7 v2 messages in their delimited form: segments, fields, repetitions and components.

Source: HL7 v2.8.2 chapter 2, section 2.5 (segments, fields, delimiters); encapsulated data by
2A.2.24. What is within a component goes with it, as one value.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence

from ..core.errors import DocumentError
from ..core.views import Edit, View
from ..core.written_texts import Layer, Mapped
from ..rendering.kinds import LAYERS, recognised
from . import attachments
from .ages import is_age, is_over_89, is_year
from .base import DeclaredNames, MessageValue
from .hl7_escapes import BAD_MESSAGE, Delimiters, Escapes, delimiters_of
from .hl7_fields import default_roles
from .hl7_forms import Form
from .hl7_plans import (
    BINARY,
    OBSERVED,
    OVER_89,
    FieldPlan,
    FieldPlans,
    ValuePlan,
    observed_name,
    plans_of,
)
from .media_types import looks_like_base64

_SEGMENT = re.compile(r"[^\r\n]+")
_NAME = re.compile(r"[A-Z][A-Z0-9]{2}")
_DECLARED = re.compile(
    _NAME.pattern + r"(?:-[1-9][0-9]*(?:\([A-Z][A-Z0-9]{1,2}\))?(?:\.[1-9][0-9]*)?)?"
)
_HEADS = ("MSH", "FHS", "BHS")
"""Segments whose first field is the sign that parts fields, and whose second has the others."""

_LINES = frozenset({"TX", "FT", "ST"})
"""Data types of OBX-5 whose neighbours are read as one note."""

_DELETED = '""'
"""Says that what the receiver has of a field is to be deleted; it holds nothing."""

_ENCAPSULATED = "ED"
_DATA = 5
"""The component of encapsulated data that holds the data."""

_NUMBERS = re.compile(r"([<>=~+:./\s0-9-]{1,40}?)\s*([A-Za-z/]{0,5})")
"""A number with or without a comparator, its unit behind it or not."""


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
        plans = plans_of(declared)
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

    def may_name(self, name: str) -> bool:
        """Whether it is one of the table, or of a segment, field or component of any name."""
        return name in default_roles() or _DECLARED.fullmatch(name) is not None

    def undeclared_name(self, value: MessageValue) -> str:
        """The field or component: `ZPD-3`; of an observation its type, too: `OBX-5(QQ)`."""
        return value.declare

    def written(self, record: str, value: MessageValue, text: str) -> str:
        """A text with its delimiters escaped."""
        return Escapes(delimiters_of(record)).written(text)

    def emptied(self, record: str, values: Sequence[MessageValue]) -> list[Edit]:
        """Fields and components stay, with nothing in them."""
        return [(value.start, value.end, "") for value in values]


HL7 = Hl7Grammar()


def _left_out(source: str) -> Mapped:
    """The layer of a line that goes whole."""
    removed = [(0, len(source))] if source else []
    return Mapped(View.of(source, 0, 0), lambda text, at: text, removed=removed)


class _Segment:
    """A segment, cut into its fields."""

    def __init__(
        self, text: str, start: int, signs: Delimiters, plans: FieldPlans, counts: dict[str, int]
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
        is_head = self._name in _HEADS
        for number, content in enumerate(self._fields[1:], 2 if is_head else 1):
            names_signs = is_head and number == 2
            if self._holds_value(number, content) and not names_signs:
                name, place = f"{self._name}-{number}", f"{self._place}-{number}"
                if name == OBSERVED:
                    yield from self._observed(place, content, at, note)
                else:
                    own_note = note if name == "NTE-3" else 0
                    yield from self._field(name, place, content, at, own_note)
            at += len(content) + len(self._signs.field)

    def _holds_value(self, number: int, content: str) -> bool:
        """Whether there is a value in a field; a line of a note is one that may be empty."""
        if content:
            return content != _DELETED
        is_line = number == 5 and self.note_key == "OBX"
        return is_line and not self._may_be_age

    # -- observations

    def _observed(self, place: str, content: str, at: int, note: int) -> Iterator[MessageValue]:
        """Yields the value of an observation, by its data type."""
        kind = self._type
        name = observed_name(kind)
        plan = self._plans.of(name)
        if self._is_over_89(content):
            yield self._value(self._plans.of(OVER_89).whole, place, content, at)
        elif kind == _ENCAPSULATED or (
            plan.whole.name == OBSERVED and self._may_be_encapsulated(content)
        ):
            yield from self._encapsulated(place, content, at)
        elif kind in _LINES and plan.whole.is_text:
            line = self._text(plan.whole, place, content, at, note)
            if not line.layers and self._plans.drops_encoded:
                # Without its digits it is an empty line of the note, so it is one before, too.
                line = line._replace(name=plan.whole.name, layers=(_left_out,), note=note)
            yield line
        else:
            yield from self._field(name, place, content, at, 0)

    @property
    def _may_be_age(self) -> bool:
        """Whether an observation says of itself that it is an age, or counts years."""
        return is_year(self._words(6)) or is_age(self._words(3))

    def _is_over_89(self, content: str) -> bool:
        number, *more = self._parts(content) if self._type == "CQ" else [content]
        found = _NUMBERS.fullmatch(self._plain(number))
        if found is None or (found[2] and self._type in _LINES):  # which detectors read
            return False
        own_units = [word for part in more for word in self._plain(part).split()]
        units = [found[2], *own_units, *self._words(6)]
        return is_over_89(found[1], units, of_age=is_age(self._words(3)))

    def _words(self, number: int) -> list[str]:
        """The components of a field, without escapes."""
        if number >= len(self._fields):
            return []
        return [self._plain(part) for part in self._parts(self._fields[number])]

    def _parts(self, content: str) -> list[str]:
        """The components of a value."""
        return content.split(self._signs.component) if self._signs.component else [content]

    def _may_be_encapsulated(self, content: str) -> bool:
        """Whether a value of no known type holds what only encapsulated data does."""
        return any(attachments.may_be_encoded(self._plain(part)) for part in self._parts(content))

    def _encapsulated(self, place: str, content: str, at: int) -> Iterator[MessageValue]:
        """Yields what encapsulated data holds: source, type, subtype, encoding, data.

        Of data of another shape nobody knows where it begins: all of it goes.
        """
        plan = self._plans.of("OBX-5(ED)")
        if not plan.has_components and not plan.whole.is_text:
            yield from self._field("OBX-5(ED)", place, content, at, 0)
            return
        signs = self._signs
        parts = content.split(signs.component, _DATA - 1) if signs.component else [content]
        said = [self._plain(part).strip() for part in parts[1 : _DATA - 1]]
        binary = self._plans.of(BINARY).whole
        if len(parts) < _DATA or not attachments.is_described(*said):
            yield self._value(binary, place, content, at)
            return
        for index, part in enumerate(parts, 1):
            where, named = f"{place}.{index}", plan.of(index)
            if index == _DATA and named.is_text:
                layers = attachments.layers_of(part, self._escapes, *said)
                if part and layers is None:
                    yield self._value(binary, where, part, at)
                elif part:
                    end = at + len(part)
                    yield MessageValue(named.name, where, at, end, "", layers or ())
            elif part:
                yield self._value(named, where, part, at)
            at += len(part) + len(signs.component)

    # -- fields

    def _field(
        self, name: str, place: str, content: str, at: int, note: int
    ) -> Iterator[MessageValue]:
        """Yields the values of a field: its repetitions, and their components where it has to."""
        plan = self._plans.of(name)
        if plan.whole.is_text and not plan.has_components:
            yield self._text(plan.whole, place, content, at, note)
            return
        signs = self._signs
        repetitions = content.split(signs.repetition) if signs.repetition else [content]
        for number, repetition in enumerate(repetitions, 1):
            here = place if number == 1 else f"{place}[{number}]"
            if repetition:
                yield from self._repetition(plan, here, repetition, at)
            at += len(repetition) + len(signs.repetition)

    def _repetition(
        self, plan: FieldPlan, place: str, content: str, at: int
    ) -> Iterator[MessageValue]:
        """Yields a value, or its components if they differ, or one is not what its type says."""
        components = self._parts(content)
        if not plan.has_components and (not plan.has_form or self._are_formed(plan, components)):
            yield self._value(plan.whole, place, content, at)
            return
        for index, component in enumerate(components, 1):
            if component:
                named = plan.of(index)
                if not self._is_formed(named.form, component):
                    named = self._plans.malformed(named.form)
                yield self._value(named, f"{place}.{index}", component, at)
            at += len(component) + len(self._signs.component)

    def _are_formed(self, plan: FieldPlan, components: Sequence[str]) -> bool:
        for index, component in enumerate(components, 1):
            if component and not self._is_formed(plan.forms.of(index), component):
                return False
        return True

    def _is_formed(self, form: Form | None, component: str) -> bool:
        """Whether a component, or each subcomponent of it, looks as it should."""
        if form is None or component == _DELETED or (component.isalnum() and form(component)):
            return True
        sign = self._signs.subcomponent
        pieces = component.split(sign) if sign else [component]
        texts = [self._escapes.read(piece).strip() for piece in pieces]
        return all(form(text) for text in texts if text)

    def _value(self, named: ValuePlan, place: str, content: str, at: int) -> MessageValue:
        if named.is_text:
            return self._text(named, place, content, at, 0)
        end = at + len(content)
        plain = self._plain(content)
        return MessageValue(named.name, place, at, end, plain, declare=named.declare)

    def _text(self, named: ValuePlan, place: str, content: str, at: int, note: int) -> MessageValue:
        value, end = self._plain(content), at + len(content)
        if looks_like_base64(value) and not (encoded := self._plans.encoded).is_text:
            return MessageValue(encoded.name, place, at, end, value, declare=encoded.declare)
        return MessageValue(named.name, place, at, end, value, self._layers(content), note)

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
