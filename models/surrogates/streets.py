"""Streets: the name and the numbers are replaced; what it is, directions and units stay.

`Union`, `Park` and `North` are kinds of streets and directions, and names of streets: `Union
Street` has nothing else. So where no other word is a name, all but the last of these is (in
Spanish, all but the first), and a street of one word is its name.
"""

from __future__ import annotations

import functools
import re
from typing import Final

from ...dictionaries import phrase_set, word_set
from .drawer import ATTEMPTS, Drawer
from .names import WORD
from .numbers import in_format
from .places import LONGEST, SMALL, without_possessive
from .words import folded

_DIRECTIONS: Final = word_set(
    "n s e w ne nw se sw north south east west o norte sur este oeste oriente poniente"
)
_UNITS: Final = word_set(
    "apt apartment unit suite ste floor fl room rm bldg building level tower block lot po box "
    "no nº ph penthouse stop space dept piso portal puerta escalera esc izq izda izquierda dcha "
    "derecha bajo apto apartamento edif edificio bloque torre casa ap depto departamento int "
    "interior km apartado apdo haus stock wohnung whg etage"
)
"""Words beside numbers of parts of buildings, where they are no names."""

_NUMBERED: Final = word_set(
    "highway hwy route rte ruta carretera ctra us i sr cr interstate autopista autovia km rr rural"
)
"""Roads that have numbers for names."""

_BEFORE: Final = word_set(
    "calle c cl bº pº avenida avda avd av ave paseo plaza pza plza carrera cra carretera ctra "
    "camino ronda rua carrer avinguda placa barrio urbanizacion urb via travesia pasaje glorieta"
)
"""Kinds of streets that stand before the name."""

_GERMAN_STREET = re.compile(
    r"(?<=[^\W\d_]{2})(straße|strasse|str|weg|platz|gasse|allee|ring|damm|ufer|steig)$",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"(\d+)(st|nd|rd|th)", re.IGNORECASE)


def street(drawer: Drawer, label: str, text: str) -> str | None:
    """Another street and house number; the kind of street, directions and units stay."""
    del label
    if len(text) > LONGEST:
        return None
    found = [match for match in WORD.finditer(text)]
    words = [match.group() for match in found]
    truths = frozenset(map(folded, words))
    names = _names(words)
    out, end, replaced = [], 0, False
    for number, match in enumerate(found):
        word = match.group()
        out.append(text[end : match.start()])
        end = match.end()
        new = _other(drawer, word, truths) if number in names else word
        if new is None:
            return None
        replaced = replaced or new != word
        out.append(new)
    out.append(text[end:])
    made = "".join(out)
    return made if replaced and made != text else None


def _names(words: list[str]) -> set[int]:
    """Which words are replaced."""
    numbers = {at for at, word in enumerate(words) if any(map(str.isdigit, word))}
    kinds: list[int] = []
    names: set[int] = set()
    # 42nd Street, Carrera 7.
    named = any(_ORDINAL.fullmatch(words[at]) for at in numbers)
    named = named or (1 in numbers and folded(words[0]) in _BEFORE)
    for at, word in enumerate(words):
        small = folded(word)
        if at in numbers or word.casefold() in SMALL:
            continue
        if _is_first_behind(words, at):
            names.add(at)
            continue
        if _is_unit(words, at, numbers):
            continue
        if small in _NUMBERED and numbers:
            named = True
        elif small in _DIRECTIONS or small in _UNITS or small in _kinds():
            kinds.append(at)
        else:
            names.add(at)
    if not names and not named and kinds:
        spanish = len(kinds) > 1 and folded(words[kinds[0]]) in _BEFORE
        kept = kinds[:1] if spanish else kinds[-1:]
        names.update(kinds if len(kinds) == 1 else set(kinds) - set(kept))
    return names | numbers


def _is_first_behind(words: list[str], at: int) -> bool:
    """Whether a word is the first behind a kind that begins the text: `Calle de la Torre`."""
    return (
        at > 0
        and folded(words[0]) in _BEFORE
        and all(word.casefold() in SMALL for word in words[1:at])
    )


def _is_unit(words: list[str], at: int, numbers: set[int]) -> bool:
    """Whether a word is that of a part of a building: `Apt 4B`, `Unit C`, `3º izq`, `PO Box 1`."""
    if folded(words[at]) not in _UNITS:
        return False
    behind = words[at + 1] if at + 1 < len(words) else ""
    return at + 1 in numbers or at - 1 in numbers or len(behind) == 1 or behind.casefold() == "box"


def _other(drawer: Drawer, word: str, truths: frozenset[str]) -> str | None:
    """Another number or name."""
    if match := _ORDINAL.fullmatch(word):
        number = _other_number(drawer, match.group(1))
        ending = _ordinal_ending(number)
        return number + (ending.upper() if match.group(2).isupper() else ending)
    if any(map(str.isdigit, word)):
        return _other_number(drawer, word)
    if len(word) == 1:
        letter = drawer.letter(folded(word) or word)
        return letter.upper() if word.isupper() else letter
    if match := _GERMAN_STREET.search(word):
        # Hauptstraße: the front is the name.
        front = drawer.word_of("place", word[: match.start()], truths)
        if front is None:
            return None
        return front + match.group()
    body, tail = without_possessive(word)
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


@functools.cache
def _kinds() -> frozenset[str]:
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
    )
