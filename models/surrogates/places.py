"""Places: cities whole, streets and institutions word by word, codes digit by digit.

Of an institution and a street only the names are replaced: `St. Mary's Hospital` stays a hospital.
So `St. Mary's`, in another note of the record, gets the same name.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import Final

from ...dictionaries import phrase_set, word_set
from .drawer import ATTEMPTS, Drawer
from .names import WORD
from .numbers import in_format, normal_number, takes_number
from .pools import cities_of
from .words import POSSESSIVE, folded, like

LONGEST: Final = 300
"""Most code points of a text that is a place."""

_SMALL: Final = word_set(
    "of the and at in on for to a de del la el los las y e i und der die das am im"
)
_SHORT_FORMS: Final = {"st": "saint", "ste": "sainte", "ft": "fort", "mt": "mount"}
_DIRECTIONS: Final = word_set("n s e w ne nw se sw north south east west o norte sur este oeste")
_SHORT_KINDS: Final = word_set(
    "hosp ctr cntr med univ gen mem clin dept svcs assoc assocs grp inst fac klin kkh"
)
"""What institutions are called in short."""

_WAYS: Final = word_set("us i sr cr rte hwy level tower block no nº bldg km esc ptal pta izq dcha")
"""What streets and parts of buildings are called in short."""

_GERMAN_STREET = re.compile(
    r"(?<=[^\W\d_]{2})(straße|strasse|str|weg|platz|gasse|allee|ring|damm|ufer|steig)$",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"(\d+)(st|nd|rd|th)", re.IGNORECASE)
_STATE = re.compile(r",?\s+([A-Z]{2})\s*$")
_ZIP_ES = re.compile(r"\d{5}")


def city(drawer: Drawer, label: str, text: str) -> str | None:
    """Another city, of the State if the text has one behind a comma."""
    del label
    if len(text) > LONGEST or not any(map(str.isalpha, text)):
        return None
    state = _STATE.search(text)
    pool = cities_of(state.group(1)) if state else None
    tail = text[state.start() :] if state and pool else ""
    body = text[: len(text) - len(tail)]
    words = [folded(match.group()) for match in WORD.finditer(body)]
    key = " ".join(_SHORT_FORMS.get(word, word) for word in words)
    found = drawer.phrase_of("city", key, frozenset(words), pool)
    if found is None:
        return None
    start = len(body) - len(body.lstrip())
    stop = len(body.rstrip())
    return body[:start] + _cased(found, body) + body[stop:] + tail


def city_in(drawer: Drawer, text: str, state: str) -> str | None:
    """Another city of a State, by its two letters, where the State stays."""
    found = city(drawer, "CITY", f"{text}, {state}") if cities_of(state) else None
    return found[: -len(state) - 2] if found else city(drawer, "CITY", text)


def institution(drawer: Drawer, label: str, text: str) -> str | None:
    """Another hospital or organisation: its names are replaced, what it is stays."""
    del label
    if len(text) > LONGEST:
        return None
    found = [match for match in WORD.finditer(text)]
    truths = frozenset(folded(match.group()) for match in found)
    out, end, replaced = [], 0, False
    for match in found:
        word = match.group()
        out.append(text[end : match.start()])
        end = match.end()
        new = _of_institution(drawer, word, truths, alone=len(found) == 1)
        if new is None:
            return None
        replaced = replaced or new != word
        out.append(new)
    out.append(text[end:])
    if replaced:
        return "".join(out)
    return _named(drawer, text, truths) if found else None


def _of_institution(
    drawer: Drawer, word: str, truths: frozenset[str], *, alone: bool
) -> str | None:
    if any(map(str.isdigit, word)):
        return in_format(drawer, word, 0)
    body, tail = _without_possessive(word)
    small = body.casefold()
    if small in _SMALL or folded(body) in _kinds_of_institutions():
        return word
    short = body.isupper() and 2 <= len(body) <= 5
    if short and (alone or not any(c in "AEIOU" for c in body)):
        return _letters(drawer, body)
    if len(body) == 1:
        letter = drawer.letter(folded(body))
        return letter.upper() if body.isupper() else letter
    if small in _SHORT_FORMS:
        return word
    new = drawer.word_of("place", body, truths)
    return None if new is None else new + tail


def _letters(drawer: Drawer, word: str) -> str | None:
    """Other letters for an abbreviation, such as MGH."""
    for attempt in range(ATTEMPTS):
        stream = drawer.draws.stream(len(word), "abbreviation", folded(word), str(attempt))
        made = "".join(chr(ord("A") + draw % 26) for draw in stream)
        if drawer.takes(folded(made), frozenset((folded(word),)), attempt):
            return made
    return None


def _named(drawer: Drawer, text: str, truths: frozenset[str]) -> str | None:
    """A name before an institution that had none: `General Hospital`."""
    if drawer.pads:
        return None
    name = drawer.word_of("place", " ".join(sorted(truths)), truths)
    if name is None:
        return None
    return (name.upper() if text.isupper() else name.title()) + " " + text


def street(drawer: Drawer, label: str, text: str) -> str | None:
    """Another street and house number; the kind of street, directions and units stay."""
    del label
    if len(text) > LONGEST:
        return None
    found = [match for match in WORD.finditer(text)]
    truths = frozenset(folded(match.group()) for match in found)
    out, end, replaced = [], 0, False
    for match in found:
        word = match.group()
        out.append(text[end : match.start()])
        end = match.end()
        new = _of_street(drawer, word, truths)
        if new is None:
            return None
        replaced = replaced or new != word
        out.append(new)
    out.append(text[end:])
    made = "".join(out)
    return made if replaced and made != text else None


def _of_street(drawer: Drawer, word: str, truths: frozenset[str]) -> str | None:
    if match := _ORDINAL.fullmatch(word):
        number = _other_number(drawer, match.group(1))
        ending = _ordinal_ending(number)
        return number + (ending.upper() if match.group(2).isupper() else ending)
    if any(map(str.isdigit, word)):
        return _other_number(drawer, word)
    small = folded(word)
    if word.casefold() in _SMALL or small in _DIRECTIONS or small in _kinds_of_streets():
        return word
    if len(word) == 1:
        letter = drawer.letter(small or word)
        return letter.upper() if word.isupper() else letter
    if match := _GERMAN_STREET.search(word):
        # Hauptstraße: the front is the name.
        front = drawer.word_of("place", word[: match.start()], truths)
        if front is None:
            return None
        return front + match.group()
    body, tail = _without_possessive(word)
    new = drawer.word_of("place", body, truths)
    return None if new is None else new + tail


def _other_number(drawer: Drawer, text: str) -> str:
    for attempt in range(ATTEMPTS):
        found = in_format(drawer, text, attempt)
        if found != text:
            break
    return found


def _ordinal_ending(number: str) -> str:
    if len(number) > 1 and number[-2] == "1":
        return "th"
    return {"1": "st", "2": "nd", "3": "rd"}.get(number[-1:], "th")


def postal_code(drawer: Drawer, label: str, text: str) -> str | None:
    """Another postal code of the same form; Spanish ones are of a province."""
    del label
    if len(text) > LONGEST or not any(map(str.isdigit, unicodedata.normalize("NFKC", text))):
        return None
    for attempt in range(ATTEMPTS):
        found = in_format(drawer, text, attempt)
        if drawer.language == "es" and _ZIP_ES.fullmatch(text):
            draw = drawer.draws.number("province", normal_number(text), str(attempt))
            found = f"{1 + draw % 52:02d}" + found[2:]
        if takes_number(drawer, text, found, attempt):
            return found
    return None


def _without_possessive(word: str) -> tuple[str, str]:
    match = POSSESSIVE.search(word)
    return (word[: match.start()], match.group()) if match and match.start() else (word, "")


def _cased(phrase: str, text: str) -> str:
    """A phrase with the capitals of a text."""
    if text.isupper():
        return like(phrase, "AA")
    return phrase.lower() if text.islower() else phrase


@functools.cache
def _kinds_of_institutions() -> frozenset[str]:
    """The words of what an institution is; of those that are names as well, none."""
    phrases = (
        phrase_set("institution_words_en")
        | phrase_set("institution_words_es")
        | phrase_set("institution_words_de")
        | phrase_set("departments_en")
    )
    return frozenset(
        folded(part)
        for phrase in phrases
        for word in phrase.split()
        if len(part := POSSESSIVE.sub("", word.rstrip("."))) > 1
    ).union(_SHORT_KINDS)


@functools.cache
def _kinds_of_streets() -> frozenset[str]:
    phrases = (
        phrase_set("usps_street_suffixes")
        | phrase_set("street_words_en")
        | phrase_set("street_words_es")
        | phrase_set("street_types_es")
        | phrase_set("secondary_designators_en")
        | word_set("Straße Strasse Str Weg Platz Gasse Allee Ring Damm Ufer Haus Stock")
    )
    return frozenset(
        folded(part) for phrase in phrases for word in phrase.split() if (part := word.rstrip("."))
    ).union(map(folded, _WAYS))
