"""Normal forms of what is no name: ids, phones, postcodes, e-mail addresses, streets, birth dates.

The matcher takes these; the guard has forms of its own.
"""

from __future__ import annotations

import dataclasses
import datetime
import re
from collections.abc import Sequence

from ..core.known_values import NAME_ATTRIBUTES, KnownAttribute, KnownValue
from ..dates import read_date
from .folding import LETTERS, WORD, fold
from .word_lists import street_suffixes, unit_words

LEAST_ID = 5
"""Characters of an id without its leading zeros: shorter ones are everywhere."""

LOCAL_DIGITS, FULL_DIGITS = 7, 10
"""Digits of a phone number without and with its area code (North American Numbering Plan)."""

_LEAST_ID_DIGITS = 3
_MOST_ID = 40
_NOT_ALNUM = re.compile(r"[\W_]+")
_NOT_DIGIT = re.compile(r"\D+")
_DIRECTIONS = frozenset(
    ("n", "s", "e", "w", "ne", "nw", "se", "sw", "north", "south", "east", "west", "northeast")
) | frozenset(("northwest", "southeast", "southwest"))
_LEADING_TYPES = frozenset(
    ("calle", "c", "av", "avda", "avenida", "plaza", "pza", "paseo", "camino", "rue", "via", "de")
) | frozenset(("la", "del", "los", "las"))


def id_form(value: str) -> str:
    """Letters and digits alone, folded, leading zeros off; "" if that is too little to look for.

    `99999` stands for "not known" in tables, and is many numbers of a text.
    """
    form = _NOT_ALNUM.sub("", fold(value)).lstrip("0")
    digits = sum(map(str.isdigit, form))
    usable = LEAST_ID <= len(form) <= _MOST_ID and digits >= _LEAST_ID_DIGITS
    return form if usable and len(set(form)) > 1 else ""


_CODES = re.compile(r"[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3}")
"""Codes of countries (ITU-T E.164, list of assigned codes): of one and two digits, then three."""


def phone_form(value: str) -> str:
    """The last 7 to 10 digits as dialled at home; "" if there are fewer, or all are the same.

    Without the code of a country behind `+` or `00`, and without the 0 before an area.
    """
    written = re.split(r"(?i)\s*(?:x|ext)\.?\s*\d+\s*$", fold(value).strip())[0]
    digits = _NOT_DIGIT.sub("", written)
    if written.startswith(("+", "(+", "00")):
        digits = digits.removeprefix("00")
        code = _CODES.match(digits)
        digits = digits[code.end() :] if code else digits
    form = digits.lstrip("0")[-FULL_DIGITS:]
    return form if len(form) >= LOCAL_DIGITS and len(set(form)) > 1 else ""


def zip_form(value: str) -> str:
    """The first five digits of a ZIP code, or letters and digits of another postcode; "" if none.

    A postcode of four digits is every year of a note: it is not looked for.
    """
    form = _NOT_ALNUM.sub("", fold(value))
    if form.isdigit():
        form = form[:5]
    return form if 5 <= len(form) <= 8 and any(map(str.isdigit, form)) else ""


def email_form(value: str) -> str:
    """The address, folded; "" if it is none."""
    form = fold(value).strip()
    local, _, host = form.rpartition("@")
    return form if local and "." in host and len(form) >= 6 and " " not in form else ""


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Street:
    """A street line.

    Attributes:
        number: of the house, folded ("12", "12b").
        words: of the street's name, without its kind and directions where something else is left.
        leads: whether the number stands before the name.
    """

    number: str
    words: tuple[str, ...]
    leads: bool


def street_form(value: str) -> Street | None:
    """Number and name; None if there is no number or no name."""
    tokens = [token for token in WORD.findall(fold(value)) if token]
    for at, token in enumerate(tokens):
        # "7 Upper Boon Lane": such a word right behind the number is the street's name.
        if at > 1 and token in unit_words() and any(t[0].isdigit() for t in tokens[:at]):
            tokens = tokens[:at]
            break
    number = next((at for at, token in enumerate(tokens) if token[0].isdigit()), None)
    if number is None or len(tokens[number]) > 8:
        return None
    leads = number == 0
    words = tokens[1:] if leads else tokens[:number]
    words = words[:6]
    if leads:
        while len(words) > 1 and words[0] in _DIRECTIONS:
            words = words[1:]
        while len(words) > 1 and (words[-1] in street_suffixes() or words[-1] in _DIRECTIONS):
            words = words[:-1]
    else:
        while len(words) > 1 and words[0] in _LEADING_TYPES:
            words = words[1:]
    if not words or not any(len(word) > 1 for word in words):
        return None
    return Street(tokens[number], tuple(words), leads)


def city_form(value: str) -> tuple[str, ...]:
    """The words of a place; () if it has fewer than three letters."""
    words = tuple(LETTERS.findall(fold(value)))
    return words if sum(map(len, words)) >= 3 else ()


_ISO = re.compile(r"(\d{4})[-/.]?(\d{2})[-/.]?(\d{2})(?!\d)(?:[T ].*)?")
_NUMERIC = re.compile(r"(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{4})(?!\d)(?:[T ].*)?")


def birth_dates(value: str) -> tuple[datetime.date, ...]:
    """The dates that a table may mean: one for `1950-03-04`, two for `03/04/1950`, none if unread.

    Both orders of day and month are looked for where the table does not tell which it is.
    """
    text = fold(value).upper()
    if match := _ISO.fullmatch(text):
        return _dates([tuple(map(int, match.groups()))])
    if match := _NUMERIC.fullmatch(text):
        first, second, year = map(int, match.groups())
        return _dates([(year, first, second), (year, second, first)])
    # As people write it, whole: `4 March 1950`, `04-MAR-1950`, `1950-3-4`.
    written = read_date(value.strip())
    days = () if written is None else written.dates()
    return days if len(set(days)) == 1 and days[0].year >= 1000 else ()


def _dates(parts: Sequence[tuple[int, ...]]) -> tuple[datetime.date, ...]:
    found: dict[datetime.date, None] = {}
    for year, month, day in parts:
        try:
            found[datetime.date(year, month, day)] = None
        except ValueError:
            continue
    return tuple(found)


def is_usable(known: KnownValue) -> bool:
    """Whether anything can be found by a value: "unknown" is no phone, "0000" no record number."""
    value = known.value
    match known.attribute:
        case attribute if attribute in NAME_ATTRIBUTES:
            return any(map(str.isalpha, value))
        case KnownAttribute.BIRTH:
            return bool(birth_dates(value))
        case KnownAttribute.MRN | KnownAttribute.ID:
            return bool(id_form(value))
        case KnownAttribute.PHONE:
            return bool(phone_form(value))
        case KnownAttribute.ZIP:
            return bool(zip_form(value))
        case KnownAttribute.EMAIL:
            return bool(email_form(value))
        case KnownAttribute.STREET:
            return street_form(value) is not None
        case KnownAttribute.CITY:
            return bool(city_form(value))
    return True
