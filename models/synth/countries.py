"""Countries of notes: what each calls its places, institutions, titles and numbers.

`lists/country_<code>.txt` says it for a country, `lists/country_shared.txt` for what many share: a
line `[section]`, then an entry a line, `3| entry` for three times as often. In an entry `<section>`
is an entry of another section, `#` a digit, `%` one that is not 0, `@` a capital, `~` the
sign # itself.
`<nhs>` and the like are numbers of `national`, `<surname>` is of people who live there.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Mapping

from .drawing import Draw
from .filling import Note
from .lists import phrases, words
from .national import NUMBERS
from .national_spanish import NUMBERS_SPANISH
from .parsing import COUNTRIES, COUNTRIES_IN, ENGLISH, SPANISH, WORLD

HOME = "US"

ABROAD = 0.2
"""Share of notes of another country than the United States, if the template does not say."""

_PART = re.compile(r"<([a-z ]+?)(2?)>|[#%@~]")
_WEIGHT = re.compile(r"(\d+)\| ")

_NUMBERS = {**NUMBERS, **NUMBERS_SPANISH}

Sections = Mapping[str, tuple[str, ...]]


@dataclasses.dataclass(frozen=True, slots=True)
class Country:
    """What a country calls things.

    Attributes:
        code: of `COUNTRIES`.
        sections: name -> entries, those of more weight several times.
    """

    code: str
    sections: Sections = dataclasses.field(repr=False)

    def drawn(self, draw: Draw, section: str) -> str:
        """An entry of a section, filled."""
        return self.filled(draw, draw.pick(self.sections[section]))

    def filled(self, draw: Draw, entry: str) -> str:
        """An entry with all its parts filled in."""

        def part(match: re.Match[str]) -> str:
            sign = match[0]
            if sign == "#":
                return str(draw.below(10))
            if sign == "%":
                return str(draw.between(1, 9))
            if sign == "~":
                return "#"
            if sign == "@":
                return draw.shaped("A")
            name = match[1] + match[2]
            if name in _NUMBERS:
                return _NUMBERS[name].draw(draw)
            if name == "surname":
                return last_name(draw, self.origin(draw))
            if name == "town":
                return self.town(draw).name
            return self.drawn(draw, name)

        return _PART.sub(part, entry)

    def origin(self, draw: Draw) -> str:
        """Where the names of one who lives there are from."""
        lines = [line.rsplit(" ", 1) for line in self.sections["origins"]]
        return draw.one_of(**{name: int(weight) for name, weight in lines})

    def town(self, draw: Draw) -> Town:
        """A town and what its addresses hold; a suburb of it at times, or one of further lists."""
        name, region, short, code = draw.pick(self.sections["towns"]).split("|")
        if "town lists" in self.sections and draw.chance(_LISTED):
            name = _blended(draw, phrases(self.drawn(draw, "town lists")))
        if "suburbs" in self.sections and draw.chance(0.1):
            name = self.drawn(draw, "suburbs")
        return Town(name, region, short or region, self.filled(draw, code))

    @property
    def region_label(self) -> str:
        """The label of its regions: STATE, LOCATION-OTHER or COUNTRY."""
        return self.sections["region label"][0]


@dataclasses.dataclass(frozen=True, slots=True)
class Town:
    """A town abroad: its region, in full and short, and a post code."""

    name: str
    region: str
    short: str
    code: str


def _sections(name: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for line in words(name):
        if line.startswith("[") and line.endswith("]"):
            entries = found[line[1:-1]] = []
        elif match := _WEIGHT.match(line):
            entries += [line[match.end() :]] * int(match[1])
        else:
            entries.append(line)
    return {section: tuple(lines) for section, lines in found.items() if lines}


_SHARED = {ENGLISH: "country_shared", SPANISH: "country_shared_es"}

_LISTED = 0.5
"""Share of the towns that are of dictionaries, where a country names some."""

_MORE_NOTES = {"ES": 8, "MX": 5, "AR": 3, "CO": 3, "CL": 2, "PE": 2, "US": 2}
"""Countries -> weight in Spanish; others have 1. Spain writes the most Spanish corpora."""


@functools.cache
def country(code: str, language: str = ENGLISH) -> Country:
    """A country of `COUNTRIES_IN`."""
    own = f"country_{code.lower()}" + ("" if language == ENGLISH else f"_{language}")
    return Country(code, {**_sections(_SHARED[language]), **_sections(own)})


def country_of(note: Note) -> Country | None:
    """The country of a note; None is the United States, in English."""

    def new() -> Country | None:
        # A stream of its own: notes of the United States are filled as if there were no others.
        draw = note.draw.child("country")
        asked = note.template.settings.get("country", "")
        if note.template.language == SPANISH:
            codes = COUNTRIES_IN[SPANISH] if asked in ("", WORLD) else asked.split(",")
            weights = {code: _MORE_NOTES.get(code, 1) for code in codes}
            return country(draw.one_of(**weights), SPANISH)
        if asked == HOME or (not asked and not draw.chance(ABROAD)):
            return None
        code = draw.pick(COUNTRIES if asked in ("", WORLD) else asked.split(","))
        return None if code == HOME else country(code)

    return note.remember("country", new)  # type: ignore[no-any-return]


_DAY_FIRST = {"PH": 0.25, "CA": 0.5}
"""Countries -> share of notes that write the day first; others all do but the United States."""


def day_first(note: Note) -> bool:
    """Whether dates of a note begin with the day."""
    place = country_of(note)
    if place is None:
        return False
    share = _DAY_FIRST.get(place.code, 1.0)
    return bool(note.remember("day first", lambda: note.draw.child("day first").chance(share)))


@functools.cache
def _origins() -> Mapping[str, tuple[str, ...]]:
    """Section -> names; those of people are several on a line."""
    return {
        section: lines
        if " whole " in section
        else tuple(name for line in lines for name in line.split(", "))
        for section, lines in (*_sections("origins").items(), *_sections("origins_es").items())
    }


_BLENDED = 0.22
"""Share of names that are put together from two of the same origin, so that lists do not do."""


def _blended(draw: Draw, names: tuple[str, ...]) -> str:
    name = draw.pick(names)
    if not draw.chance(_BLENDED):
        return name
    other = draw.pick(names)
    if min(len(name), len(other)) < 4 or not (name.isalpha() and other.isalpha()):
        return name
    return name[: len(name) // 2 + 1] + other[len(other) // 2 :].lower()


def last_name(draw: Draw, origin: str) -> str:
    """A surname of an origin."""
    return _blended(draw, _origins()[f"{origin} last"])


def first_name(draw: Draw, origin: str, sex: str) -> str:
    """A first name of an origin; `sex` is "f" or "m"."""
    return _blended(draw, _origins()[f"{origin} {sex}"])


def whole_name(draw: Draw, origin: str, sex: str, first: str, last: str) -> tuple[str, str]:
    """A name in full in the order of its origin, and what its bearer is addressed by.

    The first is empty where the first name stands before the surname.
    """
    orders = _origins().get(f"{origin} whole {sex}")
    if orders is None:
        return "", last
    order = draw.pick(orders)
    name = order.replace("<f>", first).replace("<m>", first).replace("<last>", last)
    while "<i>" in name:
        name = name.replace("<i>", draw.pick("ABCDGHJKMNPRSTV"), 1)
    name = name.replace("<english>", draw.pick(_origins()["english"]))
    if "<last>" in order:
        return name, last
    long = [word for word in name.split() if len(word) > 2 and "." not in word]
    return name, long[-1] if long else last
