"""Slots of templates in Spanish, over those of English: people, dates, places, clinical words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from . import clinical
from .countries import country_of
from .drawing import Draw
from .filling import Maker, Note, NotePiece, Pieces, plain
from .lists import phrases, words
from .parsing import Slot
from .spanish_dates import DATES
from .spanish_people import PEOPLE
from .world import slots_abroad

_GENERIC = frozenset((
    "hospital", "h.", "hosp.", "htal.", "clínica", "sanatorio", "centro", "de", "del", "la", "el",
    "las", "los", "general", "universitario", "universitari", "regional", "nacional", "médico",
    "c.s.", "cs", "salud", "instituto", "laboratorio", "laboratorios", "lab.", "residencia",
    "colegio", "farmacia", "seguros", "dr.", "dental", "comarcal", "provincial", "municipal", "y",
    "e", "complejo", "hospitalario", "materno", "infantil", "clínico", "quirúrgico", "e.s.e.",
))  # fmt: skip
"""Words that no institution is called by alone."""


def _short_of(draw: Draw, name: str) -> str:
    """What people call an institution: what is behind the generic words, or its initials."""
    parts = name.split(",")[0].split()
    rest = parts
    while len(rest) > 1 and rest[0].lower() in _GENERIC:
        rest = rest[1:]
    own = " ".join(rest[:3])
    letters = "".join(part[0] for part in parts if part[0].isupper())
    shorts = [own, own, f"{parts[0]} {own}" if rest != parts else own]
    if 3 <= len(letters) <= 5:
        shorts.append(letters)
    return draw.pick(shorts)


def _decimal_sign(note: Note) -> str:
    place = country_of(note)
    points = {"MX": 1.0, "US": 1.0, "PR": 1.0, "GT": 0.9, "PE": 0.8, "DO": 0.9, "SV": 0.9}
    share = points.get(place.code, 0.3) if place is not None else 0.0
    point = note.remember("decimal point", lambda: note.draw.child("decimals").chance(share))
    return "." if point else ","


def _decimal(note: Note, slot: Slot) -> Pieces:
    """A number with as many decimals as the first of the argument has, written as there."""
    text = clinical.SLOTS["f"](note, slot)[0].text
    return [NotePiece(text.replace(".", _decimal_sign(note)))]


def _eponym(draw: Draw) -> str:
    """The name of a disease, a sign, a scale or an operation; one of two names at times."""
    if draw.chance(0.25):
        return clinical.eponym(draw)
    name = draw.pick(words("eponyms_es"))
    if draw.chance(0.08) and "-" not in name:
        return f"{name}-{draw.pick(words('eponyms_es'))}"
    return name


def _thing(draw: Draw) -> str:
    """An instrument, a device, a dressing or a brand that people call by its name alone."""
    return draw.pick(words("things_es")) if draw.chance(0.7) else clinical.named_thing(draw)


def _term(draw: Draw) -> str:
    """Any of what looks like a name: an eponym, a device, a drug, a microbe, an abbreviation."""
    kind = draw.one_of(eponym=28, thing=22, drug=16, scale=8, microbe=6, gene=4, short=8, word=8)
    if kind == "word":
        word = draw.pick(phrases("clinical_words_es"))
        return word[0].upper() + word[1:]
    if kind == "drug":
        name = draw.pick(clinical.drugs_of("drugs_es"))[0]
        return name[0].upper() + name[1:]
    made: Mapping[str, Callable[[], str]] = {
        "eponym": lambda: _eponym(draw),
        "thing": lambda: _thing(draw),
        "scale": lambda: draw.pick(words("scores_es")).partition("\t")[0],
        "microbe": lambda: draw.pick(phrases("organisms_en")),
        "gene": lambda: draw.pick(words("genes")),
        "short": lambda: draw.pick(words("abbreviations_es")),
    }
    return made[kind]()


_ROUTES = ("VO", "vo", "v.o.", "IV", "iv", "i.v.", "IM", "sc", "SC", "EV", "", "", "", "", "")
_FREQUENCIES = (
    "c/8h", "c/12h", "c/24 h", "cada 8 horas", "cada 12 horas", "cada 24 h", "/8h", "/12 h",
    "1-0-0", "1-0-1", "0-0-1", "1-1-1", "1-0-1/2", "0-1-0", "al día", "diario", "BID", "TID", "QD",
    "c/6 h", "por la noche", "en desayuno", "si dolor", "SOS", "PRN", "qd", "x 7 días", "x 5 d",
    "dosis única", "stat", "1 comp/día", "1 tab c/8 hrs", "1/2 comp al acostarse", "en ayunas",
)  # fmt: skip


def _drug(note: Note, slot: Slot) -> Pieces:
    draw = note.draw
    name, doses = note.drawn(slot, lambda: draw.pick(clinical.drugs_of("drugs_es")))
    manner = draw.one_of(plain=7, capital=3, capitals=1)
    name = {"plain": name, "capital": name[0].upper() + name[1:], "capitals": name.upper()}[manner]
    if slot.form == "":
        return [NotePiece(name)]
    if slot.form != "dose":
        raise note.wrong(slot, f"no form .{slot.form} of a drug; known: .dose")
    dose = draw.pick(doses.split(";"))
    if draw.chance(0.2):
        dose = dose.replace(" ", "")
    if _decimal_sign(note) == ".":
        dose = dose.replace(",", ".")
    parts = (name, dose, draw.pick(_ROUTES), draw.pick(_FREQUENCIES))
    return [NotePiece(" ".join(part for part in parts if part))]


def _value(note: Note, slot: Slot) -> Pieces:
    name, _, extent = note.draw.pick(words("laboratory_values_es")).partition("\t")
    number = _decimal(note, Slot("lab", "", "", extent, "", slot.line))[0].text
    return [NotePiece(f"{name}{note.draw.pick((' ', ' ', ': ', ' de ', ' = '))}{number}")]


def _score(draw: Draw) -> str:
    name, _, most = draw.pick(words("scores_es")).partition("\t")
    got = draw.between(0, int(most))
    return draw.pick(
        (f"{name} {got}/{most}", f"{name} {got}", f"{name}: {got}/{most}", f"{name} de {got}")
    )


def _profession(draw: Draw) -> str:
    return draw.pick(words("professions_es") if draw.chance(0.7) else phrases("professions_es"))


def _gestation(draw: Draw) -> str:
    weeks, days = draw.between(24, 41), draw.below(7)
    return draw.pick((f"{weeks}+{days}", f"{weeks} semanas", f"{weeks}.{days} sem", f"{weeks} SDG"))


def spanish_slots(home: Mapping[str, Maker]) -> dict[str, Maker]:
    """The slots that differ in Spanish.

    Args:
        home: the slots of the United States; what no country says is filled from them.
    """
    abroad = slots_abroad(home, _short_of)

    def lab(note: Note, slot: Slot) -> Pieces:
        return _value(note, slot) if slot.form == "value" else abroad["lab"](note, slot)

    return {
        **abroad,
        **PEOPLE,
        **DATES,
        "lab": lab,
        "country": plain(lambda draw: draw.pick(phrases("countries_es")), "COUNTRY"),
        "profession": plain(_profession, "PROFESSION"),
        "f": _decimal,
        "temp": lambda note, slot: _decimal(
            note, Slot("f", slot.index, "", "35.2-40.1", "", slot.line)
        ),
        "drug": _drug,
        "score": plain(_score),
        "scale": plain(lambda draw: draw.pick(words("scores_es")).partition("\t")[0]),
        "eponym": plain(_eponym),
        "epo": plain(_eponym),
        "thing": plain(_thing),
        "term": plain(_term),
        "abbr": plain(lambda draw: draw.pick(words("abbreviations_es"))),
        "rare": plain(lambda draw: draw.pick(phrases("clinical_words_es"))),
        "service": plain(lambda draw: draw.pick(phrases("specialities_es"))),
        "gest": plain(_gestation),
    }
