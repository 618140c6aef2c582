"""Which declared name each field and component of HL7 v2 has; decided once for each.

The most specific one counts: component before field before segment.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import NamedTuple

from .base import DeclaredNames
from .hl7_fields import ENCODED, MALFORMED
from .hl7_forms import ANY, DATES, NAME_OF_MALFORMED, FieldForms, Form, forms_of

BINARY = "OBX-5(BINARY)"
"""The name of encapsulated data that is no text."""

OVER_89 = "OBX-5(OVER89)"
"""The name of an age over 89."""

OBSERVED = "OBX-5"
_OF_NO_TYPE = f"{OBSERVED}(?)"
"""Of an observation that names something as its type that can be none; it is not told."""

_TYPE = re.compile(r"[A-Z][A-Z0-9]{1,2}")
_DATES = frozenset({"date", "birth"})
_PASSING = frozenset({"pass", "type"})


class ValuePlan(NamedTuple):
    """What is declared of a value.

    Attributes:
        name: whose role it has; "" if none is declared.
        is_text: whether that role is text.
        form: what the value looks like; None if it may be anything.
        declare: the name to declare where there is none.
    """

    name: str
    is_text: bool
    form: Form | None
    declare: str


class FieldPlan:
    """What is declared of a field.

    Attributes:
        whole: of all of it that no component has something else for; its form is that of the first
            component.
        has_components: whether any component has something for itself.
        forms: what its components look like.
        has_form: whether they have to look like something.
    """

    __slots__ = ("_components", "forms", "has_components", "has_form", "whole")

    def __init__(
        self, whole: ValuePlan, forms: FieldForms, components: Mapping[int, ValuePlan]
    ) -> None:
        self.whole = whole
        self.has_components = bool(components)
        self.has_form = forms is not ANY
        self.forms, self._components = forms, components

    def of(self, component: int) -> ValuePlan:
        """What is declared of a component, from 1 on."""
        own = self._components.get(component)
        if own is not None:
            return own
        declare = self.whole.declare
        if self.has_components:
            declare = f"{declare}.{component}"
        return self.whole._replace(form=self.forms.of(component), declare=declare)


class FieldPlans:
    """The plans of fields; each is made once."""

    def __init__(self, declared: DeclaredNames) -> None:
        self._declared = declared
        self._deep: dict[str, dict[int, ValuePlan]] = {}
        for name in declared.names:
            field, dot, component = name.partition(".")
            if dot and component.isdecimal():
                form = self._forms(name).of(1)
                named = ValuePlan(name, name in declared.texts, form, name)
                self._deep.setdefault(field, {})[int(component)] = named
        self._known: dict[str, FieldPlan] = {}

    def of(self, name: str) -> FieldPlan:
        """That of a field: `PID-5`, `OBX-5(TX)`."""
        plan = self._known.get(name)
        if plan is None:
            plan = self._known[name] = self._made(name)
        return plan

    def malformed(self, form: Form | None) -> ValuePlan:
        """What is declared of values that do not look like this."""
        return self._named(MALFORMED if form is None else NAME_OF_MALFORMED.get(form, MALFORMED))

    @functools.cached_property
    def encoded(self) -> ValuePlan:
        """What is declared of texts that are nothing but base64."""
        return self._named(ENCODED)

    @property
    def drops_encoded(self) -> bool:
        """Whether such texts go, as they do unless a run says otherwise."""
        return self._declared.roles.get(ENCODED) == "drop"

    def _named(self, name: str) -> ValuePlan:
        is_declared = name in self._declared.names
        return ValuePlan(name if is_declared else "", name in self._declared.texts, None, name)

    def _made(self, name: str) -> FieldPlan:
        general, is_typed, _ = name.partition("(")
        tried = [name]
        # A type of observation without a role is none without a type, unless a run says so.
        if not is_typed or general in self._declared.own:
            tried.append(general)
        tried.append(name[:3])
        whole = next((one for one in tried if one in self._declared.names), "")
        components = self._deep.get(name)
        if components is None:
            components = self._deep.get(general, {}) if general in tried and whole != name else {}
        forms = self._forms(whole)
        is_text = whole in self._declared.texts
        declare = OBSERVED if name == _OF_NO_TYPE else name
        return FieldPlan(ValuePlan(whole, is_text, forms.of(1), declare), forms, components)

    def _forms(self, name: str) -> FieldForms:
        """What the values of a declared name look like; what a run lets pass may be anything."""
        role = self._declared.roles.get(name, "")
        if role in _DATES:
            return DATES
        if role in _PASSING and name not in self._declared.own:
            return forms_of(name)
        return ANY


@functools.lru_cache(maxsize=8)  # by identity
def plans_of(declared: DeclaredNames) -> FieldPlans:
    """The plans for what is declared."""
    return FieldPlans(declared)


def observed_name(data_type: str) -> str:
    """The name of values of observations: `OBX-5(NM)`; `OBX-5` without a type."""
    if not data_type:
        return OBSERVED
    return f"{OBSERVED}({data_type})" if _TYPE.fullmatch(data_type) else _OF_NO_TYPE
