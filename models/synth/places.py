"""Places and institutions of a note, in full and as people call them."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable

from .calendar import ordinal
from .drawing import Draw
from .filling import Maker, Note, NotePiece, Pieces, plain, refuse_extras
from .lists import phrases, words
from .parsing import Slot

STATES = {
    "Alabama": "AL", "Alaska": "AK", "Arizona": "AZ", "Arkansas": "AR", "California": "CA",
    "Colorado": "CO", "Connecticut": "CT", "Delaware": "DE", "Florida": "FL", "Georgia": "GA",
    "Hawaii": "HI", "Idaho": "ID", "Illinois": "IL", "Indiana": "IN", "Iowa": "IA", "Kansas": "KS",
    "Kentucky": "KY", "Louisiana": "LA", "Maine": "ME", "Maryland": "MD", "Massachusetts": "MA",
    "Michigan": "MI", "Minnesota": "MN", "Mississippi": "MS", "Missouri": "MO", "Montana": "MT",
    "Nebraska": "NE", "Nevada": "NV", "New Hampshire": "NH", "New Jersey": "NJ",
    "New Mexico": "NM", "New York": "NY", "North Carolina": "NC", "North Dakota": "ND",
    "Ohio": "OH", "Oklahoma": "OK", "Oregon": "OR", "Pennsylvania": "PA", "Rhode Island": "RI",
    "South Carolina": "SC", "South Dakota": "SD", "Tennessee": "TN", "Texas": "TX", "Utah": "UT",
    "Vermont": "VT", "Virginia": "VA", "Washington": "WA", "West Virginia": "WV",
    "Wisconsin": "WI", "Wyoming": "WY",
}  # fmt: skip
_NAME_OF = {short: name for name, short in STATES.items()}


@functools.cache
def _places() -> tuple[tuple[str, str], ...]:
    """Places of the United States and their states."""
    pairs = (phrase.rsplit(", ", 1) for phrase in phrases("us_place_states"))
    return tuple((place, state) for place, state in pairs if state in _NAME_OF)


@dataclasses.dataclass(frozen=True, slots=True)
class City:
    """A city and the short form of its state ("" outside the United States)."""

    name: str
    state: str


def _draw_city(draw: Draw) -> City:
    where = draw.one_of(listed=68, world=12, made=20)
    if where == "listed":
        return City(*draw.pick(_places()))
    if where == "world":
        return City(draw.pick(phrases("world_cities")), "")
    state = draw.pick(tuple(_NAME_OF))
    front = draw.pick(words("place_fronts"))
    if draw.chance(0.45):
        return City(front + draw.pick(words("place_ends")), state)
    name = f"{front} {draw.pick(words('place_seconds'))}"
    return City(name, state)


def _city(note: Note, slot: Slot) -> Pieces:
    refuse_extras(note, slot)
    city = note.drawn(slot, lambda: _draw_city(note.draw))
    note.memory["last city"] = city
    return [NotePiece(city.name, "CITY")]


def _state(note: Note, slot: Slot) -> Pieces:
    """The state of the city of the same digit, or of the one last named."""
    refuse_extras(note, slot, forms=("abbr", "full"))

    def short_form() -> str:
        city = note.memory.get(f"city{slot.index}") or note.memory.get("last city")
        if city is not None and city.state:
            return str(city.state)
        return note.draw.pick(tuple(_NAME_OF))

    short = note.drawn(slot, short_form)
    form = slot.form
    if not form:
        form = note.remember("manner of states", lambda: note.draw.one_of(abbr=3, full=1))
    return [NotePiece(_NAME_OF[short] if form == "full" else short, "STATE")]


def _zip(draw: Draw) -> str:
    if draw.chance(0.04):
        return draw.shaped(draw.pick(("A9A 9A9", "AA# #AA", "A## #AA", "AA## #AA", "9###")))
    code = draw.shaped("#####")
    return f"{code}-{draw.shaped('####')}" if draw.chance(0.1) else code


def _road_name(draw: Draw) -> str:
    manner = draw.one_of(word=40, surname=22, number=14, two=12, first=6, highway=6)
    if manner == "highway":
        return draw.pick(words("highways")) + " " + str(draw.between(1, 399))
    if manner == "number":
        body = ordinal(draw.between(1, 140))
    elif manner == "surname":
        body = draw.pick(phrases("surnames_en"))
    elif manner == "first":
        body = draw.pick(phrases("first_names_en"))
    elif manner == "two":
        body = f"{draw.pick(words('place_fronts'))} {draw.pick(words('place_seconds'))}"
    else:
        body = draw.pick(words("street_names"))
    side = draw.pick(("N", "S", "E", "W", "N.", "S.", "E.", "W.", "North", "West", "NW", "SE"))
    front = f"{side} " if draw.chance(0.14) else ""
    if draw.chance(0.04):
        return f"{front}{body}"
    return f"{front}{body} {draw.pick(words('street_ends'))}"


def _street(draw: Draw) -> str:
    number = str(draw.between(1, draw.pick((99, 999, 9999, 29999))))
    if draw.chance(0.03):
        number += draw.pick(("A", "B", "-12", " 1/2", "C"))
    line = f"{number} {_road_name(draw)}"
    if draw.chance(0.22):
        comma = draw.pick((", ", ", ", " "))
        unit = draw.shaped(draw.pick(("#", "9#", "9##", "#A", "9#A", "A", "A#", "9###")))
        line += comma + draw.pick(words("units")).replace("_", " ") + unit
    return line


def _place(draw: Draw) -> str:
    ending = draw.pick(words("venue_ends"))
    front = draw.pick(
        (
            draw.pick(words("place_fronts")),
            draw.pick(phrases("surnames_en")),
            draw.pick(_places())[0],
            f"{draw.pick(words('place_fronts'))} {draw.pick(words('place_seconds'))}",
        )
    )
    if draw.chance(0.25):
        return draw.pick(words("regions"))
    if draw.chance(0.15):
        return f"Lake {front}"
    return f"{front} {ending}"


def _po_box(draw: Draw) -> str:
    return draw.pick(("PO Box ", "P.O. Box ", "P. O. Box ", "POB ", "Box ", "PO BOX ")) + str(
        draw.between(1, 9999)
    )


@dataclasses.dataclass(frozen=True, slots=True)
class Institution:
    """An institution: its name, and what people call it."""

    name: str
    short: str


def _initials(name: str) -> str:
    return "".join(
        word[0]
        for word in name.replace("-", " ").split()
        if word[0].isalnum() and word[0].isupper()
    )


def _founder(draw: Draw) -> str:
    """What institutions are called after."""
    manner = draw.one_of(word=24, city=26, surname=16, saint=16, two=14, virtue=8)
    if manner == "city":
        return _draw_city(draw).name
    if manner == "surname":
        return draw.pick(phrases("surnames_en"))
    if manner == "saint":
        saint = draw.pick(("St. ", "St. ", "Saint ", "St ", "Our Lady of ", "Sts. "))
        return saint + draw.pick(words("saints"))
    if manner == "two":
        return f"{draw.pick(words('place_fronts'))} {draw.pick(words('place_seconds'))}"
    if manner == "virtue":
        return draw.pick(words("virtues"))
    front = draw.pick(words("place_fronts"))
    return front + draw.pick(words("place_ends")) if draw.chance(0.5) else front


def _institution(ends: str) -> Callable[[Draw], Institution]:
    """Institutions whose names end with an entry of the list `ends`."""

    def make(draw: Draw) -> Institution:
        front, end = _founder(draw), draw.pick(words(ends))
        # "University of _" is a pattern of its own.
        name = end.replace("_", front) if "_" in end else f"{front} {end}"
        letters = _initials(name)
        shorts = [front, front, f"{front} {end.replace('_', '').split()[0]}"]
        if 3 <= len(letters) <= 6:
            shorts += [letters, letters]
        return Institution(name, draw.pick(shorts))

    return make


def _listed(name: str) -> Callable[[Draw], Institution]:
    def make(draw: Draw) -> Institution:
        whole = draw.pick(words(name))
        first = whole.split()[0]
        short = draw.chance(0.3) and first.lower() not in ("the", "u.s.", "us")
        return Institution(whole, first if short else whole)

    return make


def _some(*ways: tuple[int, Callable[[Draw], Institution]]) -> Callable[[Draw], Institution]:
    """One of several makers by weight."""
    total = sum(weight for weight, _ in ways)

    def make(draw: Draw) -> Institution:
        target = draw.below(total)
        for weight, way in ways:
            target -= weight
            if target < 0:
                return way(draw)
        raise AssertionError("weights add up")

    return make


def _company(draw: Draw) -> Institution:
    """An employer named after its founders, or in one word."""
    one = draw.pick(phrases("surnames_en"))
    two = draw.pick(phrases("surnames_en"))
    name = draw.pick(
        (
            f"{one} & Sons",
            f"{one} and {two}",
            f"{one} & {two}, LLP",
            f"{one} Brothers",
            f"{one} {draw.pick(words('employer_ends'))}",
            f"{draw.pick(words('brand_fronts'))}{draw.pick(words('brand_ends'))}",
            f"The {draw.pick(words('place_fronts'))} {draw.pick(words('brand_things'))}",
            f"{draw.pick(words('place_fronts'))} & {draw.pick(words('brand_things'))}",
        )
    )
    return Institution(name, name.removeprefix("The ").split()[0])


def _maker(make: Callable[[Draw], Institution], label: str) -> Maker:
    def piece(note: Note, slot: Slot) -> Pieces:
        found = note.drawn(slot, lambda: make(note.draw))
        if slot.form not in ("", "short"):
            raise note.wrong(slot, f"no form .{slot.form} of an institution; known: .short")
        return [NotePiece(found.short if slot.form else found.name, label)]

    return piece


def _county(draw: Draw) -> str:
    return draw.pick(phrases("us_counties"))


def _profession(draw: Draw) -> str:
    if draw.chance(0.55):
        return draw.pick(words("professions"))
    name = draw.pick(phrases("professions_en"))
    return name if len(name) < 32 else draw.pick(words("professions"))


SLOTS: dict[str, Maker] = {
    "city": _city,
    "state": _state,
    "zip": plain(_zip, "ZIP"),
    "country": plain(lambda draw: draw.pick(phrases("countries_en")), "COUNTRY"),
    "street": plain(_street, "STREET"),
    "road": plain(_road_name, "STREET"),
    "county": plain(_county, "LOCATION-OTHER"),
    "place": plain(_place, "LOCATION-OTHER"),
    "pobox": plain(_po_box, "LOCATION-OTHER"),
    "hospital": _maker(_institution("hospital_ends"), "HOSPITAL"),
    "clinic": _maker(_institution("clinic_ends"), "HOSPITAL"),
    "home": _maker(_institution("home_ends"), "HOSPITAL"),
    "lab": _maker(_institution("lab_ends"), "HOSPITAL"),
    "employer": _maker(
        _some((5, _institution("employer_ends")), (4, _company), (2, _listed("employers"))),
        "ORGANIZATION",
    ),
    "school": _maker(_institution("school_ends"), "ORGANIZATION"),
    "church": _maker(_institution("church_ends"), "ORGANIZATION"),
    "insurer": _maker(
        _some((5, _listed("insurers")), (3, _institution("insurer_ends"))), "ORGANIZATION"
    ),
    "pharmacy": _maker(
        _some((3, _listed("pharmacies")), (4, _institution("pharmacy_ends"))), "ORGANIZATION"
    ),
    "shop": _maker(
        _some((3, _listed("shops")), (4, _institution("shop_ends")), (3, _company)), "ORGANIZATION"
    ),
    "agency": _maker(
        _some((3, _listed("agencies")), (4, _institution("agency_ends"))), "ORGANIZATION"
    ),
    "profession": plain(_profession, "PROFESSION"),
}
