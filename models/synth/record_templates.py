"""Which template a note of a record is filled from: one that fits country, sex and age."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from ..core.errors import UsageError
from .countries import HOME, country_of
from .drawing import Draw
from .filling import NEWEST, Note
from .parsing import COUNTRIES_IN, ENGLISH, WORLD, Template

_ADULT = "18-95"
"""Ages of the patients of a template that says nothing."""

_OUT_OF_REACH = 1_000
"""More years than anybody is old."""

_PEOPLE = {
    **{name: (name[:1], name[1:]) for name in ("p", "r", "rf", "rm", "d", "df", "dm")},
    **{"Dr": ("d", ""), "Enf": ("d", ""), "Sr": ("r", "")},
}
"""Slot -> kind and sex of the person that it names."""


def _codes(template: Template) -> frozenset[str]:
    """Countries that a template may be filled for."""
    known = COUNTRIES_IN[template.language]
    asked = template.settings.get("country", "")
    if asked == WORLD and template.language == ENGLISH:
        return frozenset(known) - {HOME}
    return frozenset(known if asked in ("", WORLD) else asked.split(","))


@functools.cache
def _years(setting: str) -> tuple[int, int]:
    low, high = map(int, setting.split("-"))
    return low, high


def _ages(template: Template) -> tuple[int, int]:
    return _years(template.settings.get("age", _ADULT))


class Shelf:
    """Templates of one language, found by who the patient is."""

    def __init__(self, templates: Sequence[Template]) -> None:
        """Sorts them.

        Raises:
            UsageError: if there is none.
        """
        if not templates:
            raise UsageError("no templates: the files contain none")
        self.language = templates[0].language
        self._draws = [template for template in templates for _ in range(template.draws)]
        self._people: dict[str, tuple[str, ...]] = {}
        self._of = functools.cache(self._fitting)
        self._aged = functools.cache(self._of_age)

    def first(self, draw: Draw) -> tuple[str, str, int]:
        """Country, sex and age of a patient whom at least one template fits."""
        template = draw.pick(self._draws)
        place = country_of(Note(template, draw, NEWEST))
        sex = template.settings.get("patient", "") or draw.pick("fm")
        return HOME if place is None else place.code, sex, draw.between(*_ages(template))

    def pick(self, draw: Draw, code: str, sex: str, age: int) -> Template:
        """A template that fits, as often as it has draws; else one of the nearest ages."""
        aged, general = self._aged(code, sex, age)
        place = draw.below(len(aged) + len(general))
        return aged[place] if place < len(aged) else general[place - len(aged)]

    def _fitting(self, code: str, sex: str) -> tuple[tuple[Template, ...], tuple[Template, ...]]:
        """Templates of a country and a sex: those that name ages, and the others."""
        fit = [
            template
            for template in self._draws
            if code in _codes(template) and template.settings.get("patient", sex) == sex
        ]
        aged = tuple(template for template in fit if "age" in template.settings)
        return aged, tuple(template for template in fit if "age" not in template.settings)

    def _of_age(
        self, code: str, sex: str, age: int
    ) -> tuple[tuple[Template, ...], tuple[Template, ...]]:
        def years_off(template: Template) -> int:
            low, high = _ages(template)
            return max(low - age, age - high, 0)

        aged, general = self._of(code, sex)
        # Those that name no ages all have the same, and are many: they are kept once.
        of_general = years_off(general[0]) if general else _OUT_OF_REACH
        off = [years_off(template) for template in aged]
        least = min(of_general, *off, _OUT_OF_REACH)
        near = tuple(template for template, years in zip(aged, off, strict=True) if years == least)
        return near, general if of_general == least else ()

    def people(self, template: Template) -> tuple[str, ...]:
        """Kind, sex and digit of all people of a template, but for the patient: d1, rf2, p2."""
        found = self._people.get(template.name)
        if found is None:
            keys = {
                "".join(_PEOPLE[slot.name]) + (slot.index or "1"): None
                for slot in template.slots()
                if slot.name in _PEOPLE
            }
            keys.pop("p1", None)
            found = self._people[template.name] = tuple(keys)
        return found
