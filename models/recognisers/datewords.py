"""What the rules for dates share: names of months and days, the calendar, and what stands beside.

Conventions (i2b2 2014): years, months, names of days, seasons and holidays are dates; times of day,
"day 3" and "in six weeks" are not. A weekday joins the date behind it ("Tuesday, November 2"). The
two ends of a range are two dates.
"""

from __future__ import annotations

import re

from ...dictionaries import word_set
from .patterns import is_digit

# Spanish first: RE2 takes the first alternative that fits, and "mar" would win over "marzo" only
# by the \b behind it.
MONTH = (
    r"(enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre"
    r"|diciembre"
    r"|january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)"
)
"""Source of one group: a month's name or its abbreviation, without a dot."""

WORDS_TOO = word_set("may march mar dec sep oct")
"""Words for months that are ordinary words or abbreviations in lower case."""

_MONTHS = {
    name: number
    for names in (
        "jan feb mar apr may jun jul aug sep oct nov dec",
        "ene feb mar abr may jun jul ago sep oct nov dic",
    )
    for number, name in enumerate(names.split(), 1)
} | {"set": 9}

UNITS = re.compile(
    r" ?(?:mg|mcg|ml|cc|l|units?|iu|meq|kg|gm?|lbs?|steps|feet|ft|cal|kcal|calories|hours?|hrs?"
    r"|h\b|min(?:ute)?s?\b|/[a-z]|%|cells|patients|mls|x10"
    r"|mm\b|cm\b|meters?|m\b|dollars|am\b|pm\b|o'clock)(?![a-z])"
)
"""What stands behind (`after`) a number that is measured, or a time of day."""

_WEEKDAY_BEFORE = re.compile(
    r"(?:^|(?<=[^a-z0-9_]))"
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|tues?|weds?|thurs?|thu|mon|fri|sat|sun"
    r"|lunes|martes|mi\xe9rcoles|jueves|viernes|s\xe1bado|domingo)"
    r"(?:,? {1,2}(?:the )?|,|\. | el |, el |,? ?\r?\n)$"
)


def month_number(name: str) -> int:
    """1 to 12 for a name that MONTH matches."""
    return _MONTHS[name[:3].lower()]


def is_day(month: int, day: int) -> bool:
    """Whether the month has such a day; February 29 counts, since the year may be unknown."""
    return (
        1 <= month <= 12 and 1 <= day <= (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]
    )


def is_piece(text: str, start: int, end: int, joints: str) -> bool:
    """Whether a digit, or one of `joints` with a digit behind it, touches [start, end)."""
    if is_digit(text, start - 1) or is_digit(text, end):
        return True
    if start > 1 and text[start - 1] in joints and is_digit(text, start - 2):
        return True
    return end + 1 < len(text) and text[end] in joints and is_digit(text, end + 1)


def with_weekday(seen: bytes, start: int) -> int:
    """Where a date begins that was found at `start`, with a weekday right before it."""
    left = seen[max(0, start - 18) : start].decode("latin-1").lower()
    # Cheap first: most dates have a digit, a colon or a lower-case word before them.
    if left[-1:] not in (" ", ",", "\n"):
        return start
    match = _WEEKDAY_BEFORE.search(left)
    if match is None or (match.start() == 0 and start > len(left)):
        return start
    return start - len(left) + match.start()
