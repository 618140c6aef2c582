"""People of a note: names of many origins, in all written forms.

Half of the names are of the census of the United States, by how many bear them; the rest are of the
whole world, are ordinary words, or are made up of parts of others, so that a model learns what
stands around a name and not the lists by heart.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import unicodedata
from collections.abc import Callable

from ...dictionaries import load
from .countries import Country, country_of, first_name, last_name, whole_name
from .drawing import Draw
from .filling import Maker, Note, NotePiece, Pieces, span_of
from .lists import phrases, words
from .parsing import Slot


@dataclasses.dataclass(frozen=True, slots=True)
class Person:
    """A person of a note.

    Attributes:
        sex: "f" or "m".
        first, middle, last: names; the middle one may be empty.
        suffix: Jr., III and so on, or empty.
        nick: a short form of the first name.
        login: in the manner of a hospital's systems.
        label: PATIENT or DOCTOR.
        whole: the name in full where it is not first, middle and last; else empty.
        origin: where the names are from, of those of `countries`; else empty.
        second: the mother's surname in Spanish; else empty.
    """

    sex: str
    first: str = dataclasses.field(repr=False)
    middle: str = dataclasses.field(repr=False)
    last: str = dataclasses.field(repr=False)
    suffix: str = dataclasses.field(repr=False)
    nick: str = dataclasses.field(repr=False)
    login: str = dataclasses.field(repr=False)
    label: str
    whole: str = dataclasses.field(default="", repr=False)
    origin: str = dataclasses.field(default="", repr=False)
    second: str = dataclasses.field(default="", repr=False)


@functools.cache
def _weights(name: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Phrases of a weighted list and their running sums."""
    listed = load(name)
    assert listed.weights is not None
    return listed.phrases, tuple(itertools.accumulate(listed.weights))


@functools.cache
def _words_that_are_names() -> tuple[str, ...]:
    """Surnames that are ordinary words too: Long, Rose, Hand, Winter."""
    common = set(phrases("common_words_en"))
    return tuple(
        name
        for name in phrases("surname_counts_en")
        if name.lower() in common and 3 <= len(name) <= 9
    )


def _first_name(draw: Draw, sex: str) -> str:
    where = draw.one_of(frequent=36, census=12, world=28, romanised=12, word=5, made=7)
    if where == "frequent":
        name = draw.weighted(*_weights(f"first_name_counts_{sex}_en"))
    elif where == "census":
        name = draw.pick(phrases(f"first_name_counts_{sex}_en"))
    elif where == "world":
        name = draw.pick(phrases("first_names_world"))
    elif where == "romanised":
        name = draw.pick(phrases("first_names_romanised"))
    elif where == "word":
        name = draw.pick(words("first_names_that_are_words"))
    else:
        name = _made_up(draw, "first_names_world", 3)
    if draw.chance(0.02):
        name += draw.pick(("-", " ", "")) + draw.pick(words("second_first_names"))
    return name


def _last_name(draw: Draw) -> str:
    name = _plain_last_name(draw)
    manner = draw.one_of(plain=840, hyphen=60, particle=40, two=40, irish=20)
    if manner == "hyphen":
        return f"{name}-{_plain_last_name(draw)}"
    if manner == "particle":
        return draw.pick(words("particles")).replace("_", " ") + name
    if manner == "two":
        return f"{name} {_plain_last_name(draw)}"
    if manner == "irish":
        return draw.pick(("O'", "O’", "Mc", "Mac", "D'", "L'", "N'", "De")) + name
    return name


def _plain_last_name(draw: Draw) -> str:
    where = draw.one_of(frequent=22, census=24, world=22, romanised=12, word=9, eponym=2, made=9)
    if where == "frequent":
        return draw.weighted(*_weights("surname_counts_en"))
    if where == "census":
        return draw.pick(phrases("surname_counts_en"))
    if where == "world":
        return draw.pick(phrases("surnames_world"))
    if where == "romanised":
        return draw.pick(phrases("surnames_romanised"))
    if where == "word":
        return draw.pick(_words_that_are_names())
    if where == "eponym":
        return draw.pick(words("eponyms"))
    return _made_up(draw, "surnames_world", 4)


def _made_up(draw: Draw, listed: str, least: int) -> str:
    """The front of one name and the back of another: a name that is in no list."""
    for _ in range(20):
        front, back = draw.pick(phrases(listed)), draw.pick(phrases(listed))
        if len(front) < least or len(back) < least:
            continue
        name = front[: len(front) // 2 + 1] + back[len(back) // 2 :].lower()
        if name.isalpha() and 4 <= len(name) <= 12:
            return name
    return draw.pick(phrases(listed))


def login_of(draw: Draw, first: str, last: str) -> str:
    """A login in one of the manners of hospitals."""
    f, s = ascii_letters(first).lower() or "x", ascii_letters(last).lower() or "x"
    manner = draw.below(9)
    if manner == 0:
        return f[0] + s[:7]
    if manner == 1:
        return f[0] + s[:6] + str(draw.between(1, 29))
    if manner == 2:
        return f"{f}.{s}"
    if manner == 3:
        return s[:6] + f[0]
    if manner == 4:
        return (f[0] + s[0]).upper() + draw.shaped("##")
    if manner == 5:
        return (s[:3] + f[:2] + draw.pick(("", "1", "01"))).upper()
    if manner == 6:
        return f"{s}_{f[0]}"
    if manner == 7:
        return f[0] + "x"[: draw.below(2)] + s[:5] + draw.shaped("#")
    return (f[0] + s).upper()[:8]


def ascii_letters(name: str) -> str:
    """Letters of a name without accents."""
    plain = unicodedata.normalize("NFKD", name)
    return "".join(sign for sign in plain if sign.isascii() and sign.isalpha())


_OF_ORIGIN = 0.65
"""Share of people abroad whose names are of an origin listed for the country."""


def draw_person(
    draw: Draw,
    label: str,
    sex: str = "",
    last: str = "",
    *,
    country: Country | None = None,
    origin: str = "",
) -> Person:
    """A new person.

    Args:
        draw: where the choices come from.
        label: PATIENT or DOCTOR.
        sex: "f", "m", or "" for either.
        last: a surname to bear, or "" for one of one's own.
        country: where they live; None is the United States.
        origin: of the kin whose surname they bear.
    """
    sex = sex or draw.pick("fm")
    if not origin and country is not None and draw.chance(_OF_ORIGIN):
        origin = country.origin(draw)
    if origin:
        return _person_of_origin(draw, label, sex, last, origin)
    first = _first_name(draw, sex)
    last = last or _last_name(draw)
    middle = draw.pick(phrases(f"first_name_counts_{sex}_en")) if draw.chance(0.6) else ""
    suffix = draw.pick(words("suffixes")) if draw.chance(0.04) and sex == "m" else ""
    plain = ascii_letters(first)
    nick = draw.pick(words("nicknames")) if draw.chance(0.4) else plain[: draw.between(3, 4)]
    if draw.chance(0.15):
        nick += "ie"
    return Person(sex, first, middle, last, suffix, nick, login_of(draw, first, last), label)


def _person_of_origin(draw: Draw, label: str, sex: str, last: str, origin: str) -> Person:
    first = first_name(draw, origin, sex)
    last = last or last_name(draw, origin)
    if origin in ("british", "irish", "caribbean") and draw.chance(0.05):
        last += f"-{last_name(draw, origin)}"
    whole = ""
    if draw.chance(0.75):
        whole, last = whole_name(draw, origin, sex, first, last)
    middle = first_name(draw, origin, sex) if not whole and draw.chance(0.3) else ""
    nick = ascii_letters(first)[: draw.between(3, 4)]
    login = login_of(draw, first, last)
    return Person(sex, first, middle, last, "", nick, login, label, whole, origin)


def _forms(person: Person, draw: Draw, form: str) -> str:
    """A person's name as `form` writes it; the suffix only in the forms with both names."""
    first, last = person.first, person.last
    initial = f"{person.middle[:1]}"
    after = f"{draw.pick((' ', ', '))}{person.suffix}" if person.suffix else ""
    if person.whole and form in ("", "fl", "lf"):
        return person.whole.upper() if form == "lf" and draw.chance(0.5) else person.whole
    if form in ("", "fl"):
        middle = ""
        if initial:
            middle = draw.one_of(none=5, dot=4, bare=2, full=1)
            middle = {"none": "", "dot": f"{initial}. ", "bare": f"{initial} "}.get(
                middle, f"{person.middle} "
            )
        return f"{first} {middle}{last}{after}"
    if form == "lf":
        comma = draw.one_of(blank=7, tight=2, none=1)
        between = {"blank": ", ", "tight": ",", "none": " "}[comma]
        if person.suffix:
            last += f" {person.suffix}"
        middle = ""
        if initial and draw.chance(0.5):
            middle = " " + draw.pick((initial, f"{initial}.", person.middle))
        name = f"{last}{between}{first}{middle}"
        return name.upper() if draw.chance(0.2) else name
    simple: dict[str, Callable[[], str]] = {
        "first": lambda: first,
        "last": lambda: last,
        "poss": lambda: last,
        "mid": lambda: initial or first[0],
        "fi": lambda: f"{first[0]}{draw.pick(('. ', '. ', ' ', '.'))}{last}",
        "li": lambda: f"{last}{draw.pick((' ', ', ', ','))}{first[0]}{draw.pick(('', '.'))}",
        "ini": lambda: first[0].upper() + (initial if draw.chance(0.3) else "") + last[0].upper(),
        "dot": lambda: f"{first[0].upper()}.{draw.pick(('', ' '))}{last[0].upper()}.",
        "nick": lambda: person.nick,
        "hl7": lambda: "^".join(
            part for part in (last.upper(), first.upper(), initial.upper()) if part
        ),
        "spell": lambda: "-".join((last if draw.chance(0.6) else first).upper().replace(" ", "")),
    }
    return simple[form]()


_ANY = ("fl", "fl", "lf", "lf", "fi", "li", "last", "first")


def person_maker(
    kind: str,
    label: str,
    sex: str = "",
    drawn: Callable[..., Person] = draw_person,
    written: Callable[[Person, Draw, str], str] = _forms,
) -> Maker:
    """A maker of names.

    Args:
        kind: of the person: p, r or d.
        label: PATIENT or DOCTOR.
        sex: "f", "m" or "" for either.
        drawn: makes a new person, as `draw_person` does.
        written: a name in a form, as `_forms` writes it; KeyError if it has none such.
    """

    def make(note: Note, slot: Slot) -> Pieces:
        person = person_of(note, kind + sex + (slot.index or "1"), label, sex, drawn)
        form = slot.form
        if form == "any":
            form = note.draw.pick(_ANY)
        if form == "user":
            return [NotePiece(person.login, "USERNAME")]
        if form == "email":
            return [NotePiece(email_of(note.draw, person), "EMAIL")]
        try:
            name = written(person, note.draw, form)
        except KeyError:
            raise note.wrong(slot, f"no form .{form} of a person") from None
        if form == "poss":
            return [NotePiece(name, label), NotePiece(note.draw.pick(("'s", "'s", "’s")))]
        return [NotePiece(name, label)]

    return make


def person_of(
    note: Note, key: str, label: str, sex: str = "", drawn: Callable[..., Person] = draw_person
) -> Person:
    """The person of a slot; relatives often bear the patient's surname.

    Args:
        note: remembers the person.
        key: kind, sex and digit of the slot.
        label, sex: see `draw_person`.
        drawn: makes a new person; takes what `draw_person` does.
    """

    def new() -> Person:
        draw = note.draw.child("person", key)
        country = country_of(note)
        if key == "p1":
            sex_asked = note.template.settings.get("patient", "")
            return drawn(draw, label, sex_asked, country=country)
        kin = key.startswith(("r", "p2")) and draw.chance(0.4)
        if not kin:
            return drawn(draw, label, sex, country=country)
        patient = person_of(note, "p1", "PATIENT", drawn=drawn)
        return drawn(draw, label, sex, patient.last, country=country, origin=patient.origin)

    return note.remember(f"person {key}", new)  # type: ignore[no-any-return]


def email_of(draw: Draw, person: Person) -> str:
    """An address of a person, at a domain that is nobody's."""
    first, last = (
        ascii_letters(person.first).lower() or "a",
        ascii_letters(person.last).lower() or "b",
    )
    local = draw.pick(
        (
            f"{first}.{last}",
            f"{first[0]}{last}",
            f"{last}.{first[0]}",
            f"{first}{draw.between(1, 99)}",
            f"{first}_{last}{draw.between(50, 99)}",
            person.login.lower(),
            f"{last}{draw.between(1950, 2010)}",
            f"{first}{last[0]}",
        )
    )
    return f"{local}@{domain(draw)}"


def domain(draw: Draw) -> str:
    """A mail or web domain that belongs to nobody (RFC 2606, and made-up names under it)."""
    body = draw.pick(words("domain_words"))
    if draw.chance(0.5):
        body += draw.pick(("-", "", "", ".")) + draw.pick(words("domain_words"))
    end = draw.one_of(example=40, com=30, org=20, net=5, edu=5)
    return f"{body}.{end}" if end == "example" else f"{body}.example.{end}"


def agreeing(woman: str, man: str) -> Maker:
    """A word that agrees with the patient."""

    def make(note: Note, slot: Slot) -> Pieces:
        sex = person_of(note, f"p{slot.index or 1}", "PATIENT").sex
        return [NotePiece(woman if sex == "f" else man)]

    return make


def _honorific(upper: bool) -> Maker:
    def make(note: Note, slot: Slot) -> Pieces:
        sex = person_of(note, f"p{slot.index or 1}", "PATIENT").sex
        if (country := country_of(note)) is not None:
            titles = f"titles {sex}"
            title = note.remember(titles, lambda: country.drawn(note.draw, titles))
            return [NotePiece(title if upper else title.lower())]
        title = note.remember("honorific", lambda: note.draw.pick(("Mrs.", "Ms.", "Ms.", "Miss")))
        title = title if sex == "f" else "Mr."
        if note.remember("bare honorific", lambda: note.draw.chance(0.2)):
            title = title.rstrip(".")
        return [NotePiece(title if upper else title.lower())]

    return make


_OTHERS = frozenset(("Esq", "Esq.", "II", "III", "IV", "Jr", "Jr.", "Sr", "Sr.", "DVM"))
"""What the list has beside the credentials of staff."""


@functools.cache
def _credentials() -> tuple[str, ...]:
    return tuple(one for one in phrases("credentials_en") if one not in _OTHERS)


def _credential(note: Note, slot: Slot) -> Pieces:
    def new() -> str:
        draw = note.draw
        if (country := country_of(note)) is not None:
            return country.drawn(draw, "credentials")
        one = draw.weighted(*_weights("credentials_en"))
        if one in _OTHERS:
            one = "MD"
        # A rare one often follows a licence: "RN, CWOCN".
        if draw.chance(0.12):
            one += ", " + draw.pick(_credentials())
        return one

    return [NotePiece(note.drawn(slot, new))]


def _user(note: Note, slot: Slot) -> Pieces:
    def new() -> str:
        person = draw_person(note.draw, "DOCTOR", country=country_of(note))
        return person.login

    return [NotePiece(note.drawn(slot, new), "USERNAME")]


def _any_email(note: Note, slot: Slot) -> Pieces:
    def new() -> str:
        if note.draw.chance(0.4):
            return f"{note.draw.pick(words('mailboxes'))}@{domain(note.draw)}"
        return email_of(note.draw, draw_person(note.draw, "DOCTOR", country=country_of(note)))

    return [NotePiece(note.drawn(slot, new), "EMAIL")]


def _age(note: Note, slot: Slot) -> Pieces:
    if slot.argument:
        try:
            low, high = span_of(slot.argument, 1, 99)
        except ValueError:
            raise note.wrong(slot, "ages are written 54 or 30-50") from None
        if not 0 <= low <= high:
            raise note.wrong(slot, "the first age must not be above the second")
        number = note.drawn(slot, lambda: note.draw.between(low, high))
    else:
        number = age_of(note)
    if slot.form == "words":
        return [NotePiece(_in_words(number), "AGE")]
    if slot.form:
        raise note.wrong(slot, f"no form .{slot.form} of an age")
    return [NotePiece(str(number), "AGE")]


def age_of(note: Note) -> int:
    """The patient's age in years."""

    def new() -> int:
        low, high = map(int, note.template.settings.get("age", "18-95").split("-"))
        return note.draw.between(low, high)

    return note.remember("age", new)  # type: ignore[no-any-return]


_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def _in_words(number: int) -> str:
    if number < 20:
        return _ONES[number]
    if number < 100:
        ten, one = divmod(number, 10)
        return _TENS[ten - 2] + (f"-{_ONES[one]}" if one else "")
    return "one hundred" + (f" and {_in_words(number - 100)}" if number > 100 else "")


SLOTS: dict[str, Maker] = {
    "p": person_maker("p", "PATIENT"),
    "r": person_maker("r", "PATIENT"),
    "rf": person_maker("r", "PATIENT", "f"),
    "rm": person_maker("r", "PATIENT", "m"),
    "d": person_maker("d", "DOCTOR"),
    "df": person_maker("d", "DOCTOR", "f"),
    "dm": person_maker("d", "DOCTOR", "m"),
    "Mr": _honorific(True),
    "mr": _honorific(False),
    "cred": _credential,
    "he": agreeing("she", "he"),
    "his": agreeing("her", "his"),
    "him": agreeing("her", "him"),
    "man": agreeing("woman", "man"),
    "He": agreeing("She", "He"),
    "His": agreeing("Her", "His"),
    "Him": agreeing("Her", "Him"),
    "Man": agreeing("Woman", "Man"),
    "sex": agreeing("F", "M"),
    "gender": agreeing("female", "male"),
    "user": _user,
    "email": _any_email,
    "age": _age,
}
