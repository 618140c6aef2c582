"""Which template a note of a record is filled from: one that fits country, sex and age."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence

from ..core.errors import UsageError
from .countries import HOME, country_of
from .drawing import Draw
from .filling import NEWEST, Note
from .parsing import COUNTRIES_IN, ENGLISH, SPANISH, WORLD, Choice, Mark, Node, Slot, Template, Text

_ADULT = "18-95"
"""Ages of the patients of a template that says nothing."""

_OUT_OF_REACH = 1_000
"""More years than anybody is old."""

Role = tuple[str, str]
"""What somebody is to the patient, and the sex that the word for it tells; "" for unknown."""

NO_ROLE: Role = ("", "")
PRACTITIONER: Role = ("practitioner", "")

KinWords = Mapping[str, Role]

KIN_WORDS: Mapping[str, KinWords] = {
    ENGLISH: {
        **{"wife": ("spouse", "f"), "husband": ("spouse", "m"), "spouse": ("spouse", "")},
        **{"partner": ("spouse", ""), "mother": ("mother", ""), "mom": ("mother", "")},
        **{"mum": ("mother", ""), "father": ("father", ""), "dad": ("father", "")},
        **{"daughter": ("child", "f"), "son": ("child", "m"), "dtr": ("child", "f")},
        **{"sister": ("sibling", "f"), "brother": ("sibling", "m"), "friend": ("friend", "")},
        **{"neighbor": ("friend", ""), "neighbour": ("friend", ""), "roommate": ("friend", "")},
    },
    SPANISH: {
        **{"esposa": ("spouse", "f"), "mujer": ("spouse", "f"), "esposo": ("spouse", "m")},
        **{"marido": ("spouse", "m"), "pareja": ("spouse", ""), "madre": ("mother", "")},
        **{"padre": ("father", ""), "hija": ("child", "f"), "hijo": ("child", "m")},
        **{"hermana": ("sibling", "f"), "hermano": ("sibling", "m"), "amiga": ("friend", "f")},
        **{"amigo": ("friend", "m"), "vecina": ("friend", "f"), "vecino": ("friend", "m")},
    },
}
"""Language -> word before a name -> role; those of `record_lives`."""

_LAST_WORD = re.compile(r"([^\W\d_]+)[ :,(\"'-]{1,3}$")
_GENERAL = re.compile(
    r"\b(?:PCP|GP|[Pp]rimary care|family doctor|MAP|médico de cabecera)\b[^\n]{0,14}$"
)

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
        self._people: dict[str, Mapping[str, Role]] = {}
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

    def people(self, template: Template) -> Mapping[str, Role]:
        """Kind, sex and digit (d1, rf2, p2) -> role of all people of a template but the patient."""
        found = self._people.get(template.name)
        if found is None:
            roles: dict[str, Role] = {}
            _add_people(template.nodes, "", roles, KIN_WORDS[template.language])
            roles.pop("p1", None)
            found = self._people[template.name] = roles
        return found


def _add_people(nodes: Sequence[Node], before: str, roles: dict[str, Role], kin: KinWords) -> None:
    """Adds people in the order of the text; the words just before the first slot say the role."""
    for node in nodes:
        match node:
            case Text():
                before = node.text
                continue
            case Slot() if node.name in _PEOPLE:
                key = "".join(_PEOPLE[node.name]) + (node.index or "1")
                said = _role(key, before, kin)
                if roles.get(key, NO_ROLE) == NO_ROLE:
                    roles[key] = said
            case Choice():
                for way in node.ways:
                    _add_people(way, before, roles, kin)
            case Mark():
                _add_people(node.nodes, before, roles, kin)
        before = ""


def _role(key: str, before: str, kin: KinWords) -> Role:
    if key[0] == "d":
        return PRACTITIONER if _GENERAL.search(before) else NO_ROLE
    match = _LAST_WORD.search(before) if key[0] == "r" else None
    return kin.get(match[1].lower(), NO_ROLE) if match else NO_ROLE
