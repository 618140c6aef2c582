"""Places: cities whole, institutions word by word, codes digit by digit.

Of an institution only the names are replaced: `St. Mary's Hospital` stays a hospital.
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

SMALL: Final = word_set(
    "of the and at in on for to a de del la el los las y e i und der die das am im"
)
"""Words inside names of places that stay."""
_SHORT_FORMS: Final = {"st": "saint", "ste": "sainte", "ft": "fort", "mt": "mount"}
_SHORT_KINDS: Final = word_set(
    "hosp ctr cntr med univ gen mem clin dept svcs assoc assocs grp inst fac klin kkh"
)
"""What institutions are called in short."""

_NAMES_TOO: Final = word_set("temple manor parish charity plaza bank")
"""Kinds of institutions that are the names of some: Temple University Hospital."""

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
    body, tail = without_possessive(word)
    small = body.casefold()
    if small in SMALL or folded(body) in _kinds_of_institutions():
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


def without_possessive(word: str) -> tuple[str, str]:
    """A word, and its possessive or nothing."""
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
    return (
        frozenset(
            folded(part)
            for phrase in phrases
            for word in phrase.split()
            if len(part := POSSESSIVE.sub("", word.rstrip("."))) > 1
        ).union(_SHORT_KINDS)
        - _NAMES_TOO
    )
