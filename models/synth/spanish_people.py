"""People of notes in Spanish: one or two first names, the father's and the mother's surname."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .countries import Country, country_of, first_name, last_name
from .drawing import Draw
from .filling import Maker, Note, NotePiece, Pieces, refuse_extras
from .lists import phrases, words
from .parsing import Slot
from .people import (
    SLOTS,
    Person,
    agreeing,
    ascii_letters,
    domain,
    email_of,
    login_of,
    person_maker,
    person_of,
)

_PARTICLES = ("de ", "del ", "de la ", "de los ", "de las ", "San ", "Santa ")


def _surname(draw: Draw, origin: str) -> str:
    where = draw.one_of(origin=60, listed=28, world=9, first=3)
    if where == "origin":
        name = last_name(draw, origin)
    elif where == "listed":
        name = draw.pick(phrases("surnames_es"))
    elif where == "world":
        name = draw.pick(phrases("surnames_world"))
    else:
        name = draw.pick(phrases("first_names_es"))
    if draw.chance(0.03) and " " not in name:
        name = draw.pick(_PARTICLES) + name
    if draw.chance(0.02):
        name += f"-{last_name(draw, origin)}"
    return name


def _given(draw: Draw, origin: str, sex: str) -> str:
    where = draw.one_of(origin=66, listed=20, latin=6, world=8)
    if where == "listed":
        return draw.pick(phrases("first_names_es"))
    if where == "world":
        return draw.pick(phrases("first_names_world"))
    name = first_name(draw, "latin" if where == "latin" else origin, sex)
    if " " not in name and draw.chance(0.22):
        name += " " + first_name(draw, origin, sex)
    return name


def draw_person(
    draw: Draw,
    label: str,
    sex: str = "",
    last: str = "",
    *,
    country: Country | None = None,
    origin: str = "",
) -> Person:
    """A new person; see `people.draw_person`."""
    assert country is not None
    sex = sex or draw.pick("fm")
    origin = origin or country.origin(draw)
    first = _given(draw, origin, sex)
    last = last or _surname(draw, origin)
    second = _surname(draw, origin)
    if sex == "f" and draw.chance(0.03):
        second = draw.pick(("de ", "Vda. de ")) + second
    plain = ascii_letters(first)
    nick = first.split()[0][: draw.between(3, 5)] if draw.chance(0.3) else ""
    nick = nick if len(nick) > 2 else draw.pick(words("nicknames_es"))
    login = login_of(draw, plain, last)
    return Person(sex, first, "", last, "", nick, login, label, "", origin, second)


def _initials(name: str) -> str:
    return "".join(word[0] for word in name.split() if word[0].isupper())


def _whole(person: Person, draw: Draw) -> str:
    first, last, second = person.first, person.last, person.second
    manner = draw.one_of(two=52, one=36, letter=6, dash=2, initial=4)
    if manner == "two":
        return f"{first} {last} {second}"
    if manner == "letter":
        return f"{first} {last} {second.removeprefix('Vda. de ').removeprefix('de ')[0]}."
    if manner == "dash":
        return f"{first} {last}-{second}"
    if manner == "initial" and " " in first:
        one, other = first.split(" ", 1)
        return f"{one} {other[0]}. {last}"
    return f"{first} {last}"


def _last_first(person: Person, draw: Draw) -> str:
    surnames = f"{person.last} {person.second}" if draw.chance(0.75) else person.last
    if draw.chance(0.25):
        surnames = surnames.upper()
        if draw.chance(0.4):
            return surnames + draw.pick((", ", ",", " ")) + person.first.upper()
    return surnames + draw.pick((", ", ", ", ", ", ",", " ", "; ")) + person.first


def _written(person: Person, draw: Draw, form: str) -> str:
    first, last, second = person.first, person.last, person.second
    surnames = f"{last} {second}"
    forms: Mapping[str, Callable[[], str]] = {
        "": lambda: _whole(person, draw),
        "fl": lambda: f"{first} {last}",
        "full": lambda: f"{first} {surnames}",
        "lf": lambda: _last_first(person, draw),
        "first": lambda: first,
        "one": lambda: first.split()[0],
        "last": lambda: last,
        "both": lambda: surnames if draw.chance(0.75) else last,
        "fi": lambda: f"{first[0]}.{draw.pick((' ', ' ', ''))}{last}",
        "fis": lambda: f"{first[0]}. {surnames}",
        "li": lambda: f"{last} {second[0].upper()}.",
        "ini": lambda: (_initials(f"{first} {surnames}") or first[0] + last[0])[:4],
        "dot": lambda: ".".join(_initials(f"{first} {surnames}") or first[0]) + ".",
        "nick": lambda: person.nick,
        "hl7": lambda: f"{last.upper()}^{first.upper()}",
        "spell": lambda: "-".join((last if draw.chance(0.6) else first).upper().replace(" ", "")),
    }
    return forms[form]()


def _titled(woman: tuple[str, ...], man: tuple[str, ...], kind: str, label: str) -> Maker:
    """The title of the person of the same digit: `{Dr1} {d1.last}`; one manner in a note."""

    def make(note: Note, slot: Slot) -> Pieces:
        refuse_extras(note, slot)
        person = person_of(note, kind + (slot.index or "1"), label, "", draw_person)
        manner = note.remember(f"titles {slot.name}", lambda: note.draw.below(len(woman)))
        return [NotePiece((woman if person.sex == "f" else man)[manner])]

    return make


def _honorific(note: Note, slot: Slot) -> Pieces:
    """What the patient is called: Sra., Doña, D."""
    refuse_extras(note, slot)
    person = person_of(note, f"p{slot.index or 1}", "PATIENT", "", draw_person)
    country = country_of(note)
    assert country is not None
    title = f"titles {person.sex}"
    return [NotePiece(note.remember(title, lambda: country.drawn(note.draw, title)))]


def _nurse(note: Note, slot: Slot) -> Pieces:
    """The title of a nurse, which agrees with the member of staff of the same digit."""
    refuse_extras(note, slot)
    person = person_of(note, f"d{slot.index or 1}", "DOCTOR", "", draw_person)
    country = country_of(note)
    assert country is not None
    return [NotePiece(country.drawn(note.draw, f"nurse {person.sex}"))]


def _user(note: Note, slot: Slot) -> Pieces:
    person = draw_person(note.draw, "DOCTOR", country=country_of(note))
    return [NotePiece(note.drawn(slot, lambda: person.login), "USERNAME")]


_MAILBOXES = (
    "admision", "citas", "secretaria", "urgencias", "info", "farmacia", "laboratorio", "contacto",
    "atencion.paciente", "cardiologia", "archivo", "trabajosocial", "consultas", "calidad",
)  # fmt: skip


def _email(note: Note, slot: Slot) -> Pieces:
    def new() -> str:
        if note.draw.chance(0.35):
            return f"{note.draw.pick(_MAILBOXES)}@{domain(note.draw)}"
        return email_of(note.draw, draw_person(note.draw, "DOCTOR", country=country_of(note)))

    return [NotePiece(note.drawn(slot, new), "EMAIL")]


_ONES = (
    "cero", "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez",
    "once", "doce", "trece", "catorce", "quince", "dieciséis", "diecisiete", "dieciocho",
    "diecinueve", "veinte", "veintiuno", "veintidós", "veintitrés", "veinticuatro", "veinticinco",
    "veintiséis", "veintisiete", "veintiocho", "veintinueve",
)  # fmt: skip
_HUNDREDS = (
    "doscientos", "trescientos", "cuatrocientos", "quinientos", "seiscientos", "setecientos",
    "ochocientos", "novecientos",
)  # fmt: skip
_TENS = ("treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa")


def in_words(number: int) -> str:
    """A whole number from 0 to 99 999 in words: dos mil veintidós."""
    if number < 30:
        return _ONES[number]
    if number < 100:
        ten, one = divmod(number, 10)
        return _TENS[ten - 3] + (f" y {_ONES[one]}" if one else "")
    if number < 200:
        return "cien" if number == 100 else f"ciento {in_words(number - 100)}"
    if number < 1000:
        rest = number % 100
        return _HUNDREDS[number // 100 - 2] + (f" {in_words(rest)}" if rest else "")
    thousands, rest = divmod(number, 1000)
    front = "mil" if thousands == 1 else f"{in_words(thousands)} mil"
    return front + (f" {in_words(rest)}" if rest else "")


def _age(note: Note, slot: Slot) -> Pieces:
    if slot.form != "words":
        return SLOTS["age"](note, slot)
    plain = Slot(slot.name, slot.index, "", slot.argument, "", slot.line)
    return [NotePiece(in_words(int(SLOTS["age"](note, plain)[0].text)), "AGE")]


def _person(kind: str, label: str, sex: str = "") -> Maker:
    return person_maker(kind, label, sex, draw_person, _written)


PEOPLE: dict[str, Maker] = {
    "p": _person("p", "PATIENT"),
    "r": _person("r", "PATIENT"),
    "rf": _person("r", "PATIENT", "f"),
    "rm": _person("r", "PATIENT", "m"),
    "d": _person("d", "DOCTOR"),
    "df": _person("d", "DOCTOR", "f"),
    "dm": _person("d", "DOCTOR", "m"),
    "Mr": _honorific,
    "Dr": _titled(
        ("Dra.", "Dra.", "Dra.", "Dra", "dra", "Dra.", "Doctora", "dra.", "DRA."),
        ("Dr.", "Dr.", "Dr.", "Dr", "dr", "Dr.", "Doctor", "dr.", "DR."),
        "d",
        "DOCTOR",
    ),
    "Sr": _titled(("Sra.", "Sra.", "la señora", "Doña"), ("Sr.", "Sr.", "el señor", "Don"), "r",
                  "PATIENT"),
    "Enf": _nurse,
    "o": agreeing("a", "o"),
    "el": agreeing("la", "el"),
    "El": agreeing("La", "El"),
    "un": agreeing("una", "un"),
    "al": agreeing("a la", "al"),
    "del": agreeing("de la", "del"),
    "lo": agreeing("la", "lo"),
    "varon": agreeing("mujer", "varón"),
    "hombre": agreeing("mujer", "hombre"),
    "masculino": agreeing("femenino", "masculino"),
    "senor": agreeing("señora", "señor"),
    "nino": agreeing("niña", "niño"),
    "hijo": agreeing("hija", "hijo"),
    "sex": agreeing("F", "M"),
    "gender": agreeing("mujer", "varón"),
    "user": _user,
    "email": _email,
    "age": _age,
}  # fmt: skip
"""Slots of people in notes in Spanish."""
