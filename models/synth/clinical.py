"""What looks like PHI but is not: doses, pressures, scores, gestation, eponyms, codes."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

from .drawing import Draw
from .filling import Maker, Note, NotePiece, Pieces, plain, span_of
from .lists import phrases, words
from .parsing import Slot

_FREQUENCIES = (
    "daily", "qd", "q day", "bid", "BID", "b.i.d.", "tid", "TID", "qid", "qhs", "QHS",
    "at bedtime", "q6h", "q8h prn", "Q4H PRN", "q4-6h prn", "q12h", "weekly", "every other day",
    "twice daily", "once a day", "qAM", "prn", "x 7 days", "x10d", "ac", "q 8 h",
)  # fmt: skip
_ROUTES = (
    "PO",
    "po",
    "p.o.",
    "IV",
    "iv",
    "IM",
    "SQ",
    "subq",
    "SL",
    "PR",
    "by mouth",
    "",
    "",
    "",
    "",
)


def _number(note: Note, slot: Slot) -> Pieces:
    try:
        low, high = span_of(slot.argument, 1, 9)
        return [NotePiece(str(note.drawn(slot, lambda: note.draw.between(low, high))))]
    except ValueError:
        raise note.wrong(slot, "expected two whole numbers: {n:3-9}") from None


def _decimal(note: Note, slot: Slot) -> Pieces:
    """A number with as many decimals as the first one of the argument has."""
    try:
        first, last = (slot.argument or "1.0-9.9").split("-")
        places = len(first.partition(".")[2])
        scale = 10**places
        low, high = round(float(first) * scale), round(float(last) * scale)
        value = note.drawn(slot, lambda: note.draw.between(low, high))
    except ValueError:
        raise note.wrong(slot, "expected two numbers: {f:1.2-4.8}") from None
    whole, rest = divmod(value, scale)
    return [NotePiece(f"{whole}.{rest:0{places}}" if places else str(whole))]


def _pressure(draw: Draw) -> str:
    high = draw.between(84, 198)
    return f"{high}/{draw.between(40, min(high - 18, 112))}"


def _temperature(draw: Draw) -> str:
    if draw.chance(0.6):
        return f"{draw.between(960, 1039) / 10:.1f}"
    return f"{draw.between(358, 398) / 10:.1f}"


@functools.cache
def drugs_of(listed: str) -> tuple[tuple[str, str], ...]:
    """Names of drugs and their doses, separated by semicolons."""
    pairs = (line.partition("\t") for line in words(listed))
    return tuple((name, doses) for name, _, doses in pairs)


def _drug(note: Note, slot: Slot) -> Pieces:
    name, doses = note.drawn(slot, lambda: note.draw.pick(drugs_of("drugs")))
    draw = note.draw
    if draw.chance(0.12):
        name = name.upper()
    elif draw.chance(0.2):
        name = name.capitalize()
    if slot.form == "":
        return [NotePiece(name)]
    if slot.form != "dose":
        raise note.wrong(slot, f"no form .{slot.form} of a drug; known: .dose")
    dose = draw.pick(doses.split(";"))
    if draw.chance(0.2):
        dose = dose.replace(" ", "")
    route = draw.pick(_ROUTES)
    parts = [name, dose, route, draw.pick(_FREQUENCIES)]
    if draw.chance(0.12):
        parts.insert(
            2, draw.pick(("1 tab", "1-2 tabs", "2 tabs", "1/2 tab", "one tablet", "1 cap"))
        )
    return [NotePiece(" ".join(part for part in parts if part))]


def _score(draw: Draw) -> str:
    name, _, most = draw.pick(words("scores")).partition("\t")
    got = draw.between(0, int(most))
    return draw.pick(
        (f"{name} {got}/{most}", f"{name} {got}", f"{name}: {got}/{most}", f"{name} = {got}")
    )


def _ratio(draw: Draw) -> str:
    whole = draw.pick((2, 3, 4, 5, 5, 6, 10, 10, 12))
    return f"{draw.between(1, whole)}/{whole}"


def _range(draw: Draw) -> str:
    first = draw.between(1, 14)
    return f"{first}-{first + draw.between(1, 6)}"


def _spine(draw: Draw) -> str:
    part, most = draw.pick((("C", 7), ("T", 12), ("L", 5)))
    number = draw.between(1, most)
    if number == most:
        return f"{part}{number}"
    return draw.pick(
        (
            f"{part}{number}-{part}{number + 1}",
            f"{part}{number}-{number + 1}",
            f"{part}{number}/{number + 1}",
        )
    )


def _lab(note: Note, slot: Slot) -> Pieces:
    name, _, extent = note.draw.pick(words("laboratory_values")).partition("\t")
    number = _decimal(note, Slot("lab", "", "", extent, "", slot.line))[0].text
    between = note.draw.pick((" ", " ", ": ", " of ", "-"))
    return [NotePiece(f"{name}{between}{number}")]


def _icd(draw: Draw) -> str:
    return draw.shaped(draw.pick(("A##", "A##.#", "A##.##", "9##.#", "9##.##")))


_BRAND = re.compile(r"[A-Z][A-Za-z-]{2,}(?: [A-Za-z][A-Za-z-]*){0,2}")


@functools.cache
def _brands(name: str) -> tuple[str, ...]:
    """Entries of a dictionary that are written like names: no codes, sizes and solutions."""
    return tuple(one for one in phrases(name) if len(one) < 28 and _BRAND.fullmatch(one))


@functools.cache
def _short_phrases() -> tuple[str, ...]:
    """Clinical phrases of up to four words."""
    return tuple(one for one in phrases("clinical_phrases_en") if one.count(" ") < 4)


def named_thing(draw: Draw) -> str:
    """An instrument, a device, a dressing or a brand that people call by its name alone."""
    if draw.chance(0.6):
        return draw.pick(words("named_things"))
    return draw.pick(_brands(draw.pick(("device_brands_en", "medical_products_en"))))


@functools.cache
def _eponyms() -> tuple[str, ...]:
    """The names that clinical terms carry, by both dictionaries."""
    return tuple(sorted({*phrases("clinical_eponyms_en"), *phrases("eponyms_en")}))


def eponym(draw: Draw) -> str:
    """The name of a disease, a sign or an operation; one of two names at times."""
    name = draw.pick(_eponyms())
    if draw.chance(0.15) and "-" not in name:
        return f"{name}-{draw.pick(_eponyms())}"
    return name


def _sign(draw: Draw) -> str:
    """An eponym with what it is of: Homans' sign, Kocher forceps, test of Allen."""
    name, noun = eponym(draw), draw.pick(phrases("eponym_nouns_en"))
    possessive = f"{name}'" if name.endswith("s") else f"{name}'s"
    return draw.pick((
        f"{name} {noun}", f"{name} {noun}", f"{possessive} {noun}", f"{name} {noun.title()}",
        f"{noun} of {name}", possessive,
    ))  # fmt: skip


def _medicine(draw: Draw) -> str:
    """A drug by a generic or brand name, as written, with a capital or in capitals."""
    name = draw.pick(phrases("drug_names_en"))
    return draw.pick((name, name, name[0].upper() + name[1:], name.upper()))


def _test(draw: Draw) -> str:
    """A test, scale or questionnaire by its name."""
    return draw.pick(phrases("medical_tests_en"))


_TERMS: tuple[tuple[Callable[[Draw], str], int], ...] = (
    (eponym, 30),
    (named_thing, 20),
    (_medicine, 14),
    (_test, 8),
    (lambda draw: draw.pick(phrases("organisms_en")), 6),
    (lambda draw: draw.pick(words("genes")), 4),
    (lambda draw: draw.pick(phrases("clinical_abbreviations_en")), 6),
    (lambda draw: draw.pick(phrases("clinical_words_or_names_en")).capitalize(), 6),
    (lambda draw: draw.pick(phrases("clinical_words_en")).capitalize(), 6),
)
"""What may stand where a name does -> how often, of a hundred."""


def _term(draw: Draw) -> str:
    """Any of what looks like a name: an eponym, a device, a brand, a drug, a test, a rare word."""
    target = draw.below(sum(weight for _, weight in _TERMS))
    for make, weight in _TERMS:
        target -= weight
        if target < 0:
            return make(draw)
    raise AssertionError("weights add up")


def _vehicle(draw: Draw) -> str:
    make, model = (draw.pick(phrases(f"vehicle_{what}_en")) for what in ("makes", "models"))
    return draw.pick((make, model, f"{make} {model}"))


_MADE: dict[str, Callable[[Draw], str]] = {
    "bp": _pressure,
    "temp": _temperature,
    "eponym": lambda draw: draw.pick(words("eponyms")),
    "score": _score,
    "gest": lambda draw: draw.pick(
        (
            f"{draw.between(22, 41)}+{draw.below(7)}",
            f"{draw.between(22, 41)} {draw.below(7)}/7",
            f"{draw.between(22, 41)}w{draw.below(7)}d",
            f"{draw.between(22, 41)} weeks",
        )
    ),
    "ratio": _ratio,
    "range": _range,
    "spine": _spine,
    "gauge": lambda draw: (
        draw.pick(("14", "16", "18", "20", "22", "24", "25", "27"))
        + draw.pick(("G", "g", " gauge", " ga"))
    ),
    "model": lambda draw: draw.shaped(
        draw.pick(("AA-###", "A##", "AA9##", "9##-A", "A#A", "AAA 9##", "9###A"))
    ),
    "icd": _icd,
    "cpt": lambda draw: draw.shaped("9####"),
    "epo": eponym,
    "sign": _sign,
    "med": _medicine,
    "test": _test,
    "bug": lambda draw: draw.pick(phrases("organisms_en")),
    "term": _term,
    "thing": named_thing,
    "maker": lambda draw: draw.pick(_brands("device_makers_en")),
    "rare": lambda draw: draw.pick(phrases("clinical_words_en")),
    "nameword": lambda draw: draw.pick(phrases("clinical_words_or_names_en")),
    "phrase": lambda draw: draw.pick(_short_phrases()),
    "abbr": lambda draw: draw.pick(phrases("clinical_abbreviations_en")),
    "vehicle": _vehicle,
    "scale": lambda draw: draw.pick(words("named_scores")),
    "gene": lambda draw: draw.pick(words("genes")),
    "serovar": lambda draw: draw.pick(words("serovars")),
    "trial": lambda draw: draw.pick(words("trials")),
    "food": lambda draw: draw.pick(words("foods")),
}

SLOTS: dict[str, Maker] = {
    **{name: plain(make) for name, make in _MADE.items()},
    "n": _number,
    "f": _decimal,
    "drug": _drug,
    "lab": _lab,
}
