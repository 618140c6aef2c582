"""Slots that mean something else in each country, over those of the United States.

A note of the United States, and a section that a country lacks, are filled as at home.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from .countries import Country, Town, country_of
from .drawing import Draw
from .filling import Maker, Note, NotePiece, Pieces, refuse_extras
from .parsing import Slot
from .places import Institution

_MARKED = re.compile(r"⟦([A-Z-]+):([^⟧]*)⟧|\$([a-z]+)")

PLAIN: Mapping[str, tuple[str, str]] = {
    "street": ("streets", "STREET"),
    "road": ("roads", "STREET"),
    "county": ("districts", "LOCATION-OTHER"),
    "place": ("places", "LOCATION-OTHER"),
    "pobox": ("pobox", "LOCATION-OTHER"),
    "phone": ("phone", "PHONE"),
    "fax": ("phone", "FAX"),
    "pager": ("pager", "PHONE"),
    "plan": ("plan", "HEALTHPLAN"),
    "license": ("license", "LICENSE"),
    "npi": ("license", "LICENSE"),
    "plate": ("plate", "VEHICLE"),
    "holiday": ("holidays", "DATE"),
}
"""Slot -> section of a country, and label."""

INSTITUTIONS: Mapping[str, str] = {
    **dict.fromkeys(("hospital", "clinic", "home", "lab"), "HOSPITAL"),
    **dict.fromkeys(
        ("employer", "school", "church", "insurer", "pharmacy", "shop", "agency"), "ORGANIZATION"
    ),
}
"""Slot, also the section of a country -> label."""

_AT_HOME: Mapping[str, tuple[str, ...]] = {
    "national": ("MRN ", "MRN: ", "MR# ", "Med rec no. "),
    "identity": ("Case no. ", "ID# ", "Badge "),
    "scheme": ("Member ID ", "Medicare ", "Policy no. "),
    "register": ("NPI ", "Lic. ", "License no. "),
    "grade": (
        "RN", "LPN", "CNA", "PA", "NP", "PGY-2", "Attending", "Resident", "Fellow", "Intern",
        "Hospitalist", "RT", "MS3", "MA", "Charge RN", "Tech", "PT", "SW",
    ),
}  # fmt: skip
"""Slots that stand for a word of their own and a number, in the United States."""

_NUMBER_AT_HOME = {"national": "mrn", "identity": "idnum", "scheme": "plan", "register": "npi"}


def slots_abroad(
    home: Mapping[str, Maker], short_of: Callable[[Draw, str], str] | None = None
) -> dict[str, Maker]:
    """The slots that depend on the country, over those of the United States.

    Args:
        home: the slots of the United States.
        short_of: what people call an institution; None for the English way.
    """
    short_of = short_of or _short_of
    made = {name: _plain(section, label, home[name]) for name, (section, label) in PLAIN.items()}
    made |= {
        name: _institution(name, label, home[name], short_of)
        for name, label in INSTITUTIONS.items()
    }
    made |= {name: _worded(name, home[number]) for name, number in _NUMBER_AT_HOME.items()}
    return made | {
        "city": _city(home["city"]),
        "state": _state(home["state"]),
        "zip": _zip(home["zip"]),
        "address": _address(home),
        "mrn": _of_patient("mrn", "MEDICALRECORD", home["mrn"]),
        "ssn": _of_patient("ssn", "SSN", home["ssn"]),
        "grade": _grade,
    }


def _at_home_or(
    home: Maker, abroad: Callable[[Note, Slot, Country], Pieces], section: str = ""
) -> Maker:
    """Fills a slot as the note's country does; as at home if it lacks the section."""

    def maker(note: Note, slot: Slot) -> Pieces:
        place = country_of(note)
        if place is None or (section and section not in place.sections):
            return home(note, slot)
        return abroad(note, slot, place)

    return maker


def _plain(section: str, label: str, home: Maker) -> Maker:
    def abroad(note: Note, slot: Slot, place: Country) -> Pieces:
        refuse_extras(note, slot)
        return [NotePiece(note.drawn(slot, lambda: place.drawn(note.draw, section)), label)]

    return _at_home_or(home, abroad, section)


def _of_patient(section: str, label: str, home: Maker) -> Maker:
    """A number that is the patient's without a digit too."""

    def abroad(note: Note, slot: Slot, place: Country) -> Pieces:
        refuse_extras(note, slot, forms=("last4",))
        key = f"{section}{slot.index}"
        number = note.remember(key, lambda: place.drawn(note.draw, section))
        return [NotePiece(number[-4:] if slot.form else number, label)]

    return _at_home_or(home, abroad, section)


_NO_SHORT = frozenset((
    "The", "St", "St.", "Our", "Dr", "Dr.", "Drs", "General", "District", "Govt.", "Civil",
    "State", "Sub-District", "PHC", "CHC", "Model", "Royal", "Queen", "Princess", "Sri", "Te",
    "Sacred", "Holy", "Federal", "Comprehensive", "University", "Health", "Life", "Sto.", "No.",
))  # fmt: skip
"""Words that no institution is called by alone."""


def _short_of(draw: Draw, name: str) -> str:
    """What people call an institution: its first words, or its initials."""
    parts = name.split(",")[0].split()
    letters = "".join(part[0] for part in parts if part[0].isupper())
    shorts = [" ".join(parts[:2]), name] if parts[0] in _NO_SHORT else [parts[0], parts[0]]
    if 3 <= len(letters) <= 6 and len(letters) == len(parts):
        shorts.append(letters)
    return draw.pick(shorts)


def _institution(
    section: str, label: str, home: Maker, short_of: Callable[[Draw, str], str]
) -> Maker:
    def abroad(note: Note, slot: Slot, place: Country) -> Pieces:
        if slot.form not in ("", "short"):
            raise note.wrong(slot, f"no form .{slot.form} of an institution; known: .short")

        def new() -> Institution:
            name = place.drawn(note.draw, section)
            return Institution(name, short_of(note.draw, name))

        found = note.drawn(slot, new)
        return [NotePiece(found.short if slot.form else found.name, label)]

    return _at_home_or(home, abroad, section)


def _city(home: Maker) -> Maker:
    def abroad(note: Note, slot: Slot, place: Country) -> Pieces:
        refuse_extras(note, slot)
        town = note.drawn(slot, lambda: place.town(note.draw))
        note.memory["last city"] = town
        return [NotePiece(town.name, "CITY")]

    return _at_home_or(home, abroad)


def _town_of(note: Note, slot: Slot, place: Country) -> Town:
    """The town of the same digit, or the one last named, or a new one."""
    town = note.memory.get(f"city{slot.index}") or note.memory.get("last city")
    return town if isinstance(town, Town) else place.town(note.draw)


def _state(home: Maker) -> Maker:
    def abroad(note: Note, slot: Slot, place: Country) -> Pieces:
        refuse_extras(note, slot, forms=("abbr", "full"))
        town = note.drawn(slot, lambda: _town_of(note, slot, place))
        form = slot.form or note.remember(
            "manner of states", lambda: note.draw.one_of(abbr=2, full=3)
        )
        short = form == "abbr"
        return [NotePiece(town.short if short else town.region, place.region_label)]

    return _at_home_or(home, abroad)


def _zip(home: Maker) -> Maker:
    def abroad(note: Note, slot: Slot, place: Country) -> Pieces:
        refuse_extras(note, slot)
        code = note.drawn(slot, lambda: _town_of(note, slot, place).code)
        return [NotePiece(code, "ZIP")]

    return _at_home_or(home, abroad)


def _address(home: Mapping[str, Maker]) -> Maker:
    """A whole address as the country writes it, each of its parts with its label."""

    def maker(note: Note, slot: Slot) -> Pieces:
        refuse_extras(note, slot)
        place = country_of(note)
        if place is not None:
            return note.drawn(slot, lambda: _address_abroad(note.draw, place))  # type: ignore[no-any-return]

        def new() -> Pieces:
            pieces: Pieces = []
            for name, after in (("street", ", "), ("city", ", "), ("state", " "), ("zip", "")):
                part = Slot(name, "", "", "", "", slot.line)
                pieces += [*home[name](note, part), NotePiece(after)]
            return pieces

        return note.drawn(slot, new)  # type: ignore[no-any-return]

    return maker


_PARTS: Mapping[str, tuple[str, str]] = {
    "street": ("streets", "STREET"),
    "road": ("roads", "STREET"),
    "suburb": ("suburbs", "CITY"),
    "village": ("village", "CITY"),
    "district": ("districts", "LOCATION-OTHER"),
    "pobox": ("pobox", "LOCATION-OTHER"),
}
"""Part of an address -> section of a country, and label."""


def _address_abroad(draw: Draw, place: Country) -> Pieces:
    town = place.town(draw)
    of_town: Mapping[str, tuple[str, str]] = {
        "town": (town.name, "CITY"),
        "region": (town.region, place.region_label),
        "abbr": (town.short, place.region_label),
        "code": (town.code, "ZIP"),
    }

    def part(name: str) -> NotePiece:
        if name in of_town:
            return NotePiece(*of_town[name])
        section, label = _PARTS[name]
        return NotePiece(place.drawn(draw, section), label)

    return _pieces(draw, place, draw.pick(place.sections["address"]), part)


def _pieces(
    draw: Draw, place: Country, entry: str, part: Callable[[str], NotePiece] | None = None
) -> Pieces:
    """An entry with marks and parts of addresses."""
    pieces: Pieces = []
    end = 0
    for match in _MARKED.finditer(entry):
        pieces.append(NotePiece(place.filled(draw, entry[end : match.start()])))
        label, words, name = match.groups()
        if name and part is not None:
            pieces.append(part(name))
        else:
            pieces.append(NotePiece(place.filled(draw, words), label))
        end = match.end()
    return [*pieces, NotePiece(place.filled(draw, entry[end:]))]


def _worded(section: str, number_at_home: Maker) -> Maker:
    """A number with the word that says what it is."""

    def maker(note: Note, slot: Slot) -> Pieces:
        refuse_extras(note, slot)
        place = country_of(note)

        def new() -> Pieces:
            if place is not None:
                return _pieces(note.draw, place, note.draw.pick(place.sections[section]))
            before = NotePiece(note.draw.pick(_AT_HOME[section]))
            return [before, *number_at_home(note, Slot(section, "", "", "", "", slot.line))]

        return note.drawn(slot, new)  # type: ignore[no-any-return]

    return maker


def _grade(note: Note, slot: Slot) -> Pieces:
    """What staff of a country call themselves in short: SHO, ANM, RMO."""
    refuse_extras(note, slot)
    place = country_of(note)

    def new() -> str:
        if place is not None:
            return place.drawn(note.draw, "grades")
        return note.draw.pick(_AT_HOME["grade"])

    return [NotePiece(note.drawn(slot, new))]
