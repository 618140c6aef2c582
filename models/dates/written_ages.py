"""Ages as they are written: `90+` for those over 89.

Source: 45 CFR 164.514(b)(2)(i)(C). What is not understood whole is given back as None: nothing is
kept because a part of it looked harmless.
"""

from __future__ import annotations

import re
from typing import Final

KEEP: Final = "keep"
"""What a generalisation gives when the text may stay as it is. No replacement is ever this word."""

_LONGEST_AGE = 48
_OLDEST = 130
_AGE_TOKEN = re.compile(
    r"[0-9]+(?:\.[0-9]+)?|y ?/ ?o\b|y\. ?o\b\.?|[a-zñí]+|['’]s\b|[-–—+~ \t\r\n\xa0]"
)

# fmt: off
_ONES = {
    word: value
    for value, word in enumerate((
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen",
        "eighteen", "nineteen",
    ))
}
_TENS = {
    word: 10 * value
    for value, word in enumerate((
        "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
    ), start=2)
}
# fmt: on
_DECADES = {f"{word[:-1]}ies": value for word, value in _TENS.items()}
_NOUNS = {
    "newborn": 0,
    "neonate": 0,
    "infant": 0,
    "teen": 13,
    "teens": 13,
    "teenager": 13,
    "quadragenarian": 40,
    "quinquagenarian": 50,
    "sexagenarian": 60,
    "septuagenarian": 70,
    "octogenarian": 80,
    "nonagenarian": 90,
    "centenarian": 100,
    "supercentenarian": 110,
}
_UNITS = {
    # How many make a year.
    **dict.fromkeys(("year", "years", "yr", "yrs", "y", "yo", "yof", "yom", "año", "años"), 1.0),
    **dict.fromkeys(("month", "months", "mo", "mos", "mes", "meses"), 12.0),
    **dict.fromkeys(("week", "weeks", "wk", "wks", "semana", "semanas"), 365.25 / 7),
    **dict.fromkeys(("day", "days", "día", "días", "dia", "dias"), 365.25),
    **dict.fromkeys(("hour", "hours", "hr", "hrs", "hora", "horas"), 365.25 * 24),
}
# fmt: off
_FILLERS = frozenset((
    "old", "age", "aged", "early", "mid", "late", "in", "his", "her", "their", "the", "of", "a",
    "an", "and", "f", "female", "male", "man", "woman", "boy", "girl", "lady",
    "gentleman", "edad", "de",
))
# fmt: on


_RANGES = ("-", "–", "—", "to", "or")
"""What stands between the two ends of a range, and between a number and its unit."""


def generalise_age(covered: str, restricted: frozenset[str] = frozenset()) -> str | None:
    """`90+` for an age of 90 or more, KEEP for one of 89 or less, None for anything else.

    Understood are `93`, `93-year-old`, `92 y/o`, `47yoF`, `39Y`, `late 90s`, `ninety-three`,
    `nonagenarian`, `2 years 3 months`, `60-65 years`, and the Spanish units. Not understood, hence
    redacted: several numbers without a unit (`3-12` may be a date), slashes, bounds from above
    (`under 90`), ranges that go down (`9-4 years`), ages that lie between 89 and 90 or on both
    sides, a bare `M` after more than 89 (male, or months), more than 130 years.
    """
    del restricted  # every generalisation has one signature
    if len(covered) > _LONGEST_AGE:
        return None
    ages = _ages(covered.casefold())
    if not ages:
        return None
    if all(age <= 89 for age in ages):
        return None if "+" in covered else KEEP  # "89+" is a bound from below
    return "90+" if all(90 <= age <= _OLDEST for age in ages) else None


_DECADE = re.compile(r"[0-9]['’]?s\b|ies\b|arian\b|\bteen|\b(?:early|mid|late)\b")


def years_named(covered: str) -> tuple[float, float] | None:
    """The least and the greatest age that a text may mean; None for what is not understood whole.

    Understood is what `generalise_age` understands. A decade may mean any age within it.
    """
    if covered.strip() == "90+":
        return 90.0, float(_OLDEST)
    if len(covered) > _LONGEST_AGE or "+" in covered:
        return None
    folded = covered.casefold()
    ages = _ages(folded)
    if not ages or any(age > _OLDEST for age in ages):
        return None
    low, high = min(ages), max(ages)
    return (low, high + 9) if _DECADE.search(folded) else (low, high)


def _ages(folded: str) -> list[float]:
    """The ages in years that the text names, or none if any of it is not understood."""
    numbers: list[tuple[float, float | None]] = []  # value, how many make a year (None: not said)
    position, male_or_months, after_tens, nouns = 0, False, False, []
    after_number = ranged = False
    while position < len(folded):
        match = _AGE_TOKEN.match(folded, position)
        if match is None:
            return []
        position, token = match.end(), match.group()
        if len(token) == 1 and token in "+~ \t\r\n\xa0":
            continue
        touches, after_number = after_number, False
        if token in _RANGES:
            ranged, after_number = ranged or touches, touches
        elif token[0] in "0123456789":
            if len(token) > 1 and token[0] == "0" and token[1] != ".":
                return []
            numbers.append((float(token), None))
            after_tens, after_number = False, True
        elif token in _ONES and after_tens and 0 < _ONES[token] < 10:
            numbers[-1] = (numbers[-1][0] + _ONES[token], None)
            after_tens, after_number = False, True
        elif token in _ONES or token in _TENS or token in _DECADES:
            numbers.append((float((_ONES | _TENS | _DECADES)[token]), None))
            after_tens, after_number = token in _TENS, True
        elif token == "hundred" and numbers and numbers[-1] == (1.0, None):
            numbers[-1] = (100.0, None)
            after_tens = after_number = True
        elif token in _NOUNS:
            nouns.append(float(_NOUNS[token]))
        elif (
            unit := _UNITS.get(token) or (token[0] == "y" and token[1] in "/. " and 1.0)
        ) and touches:
            # "60-65 years" is about years twice, but "93 5 months" must not make months of the 93.
            if any(said is None for _, said in numbers[:-1]) and not (ranged and unit == 1.0):
                return []
            numbers = [(value, said or unit) for value, said in numbers]
            after_tens = False
        elif token == "m" and numbers:
            male_or_months = True
        elif token in ("s", "'s", "’s") and numbers:
            after_tens = False
        elif token not in _FILLERS:
            return []
    if male_or_months and any(value > 89 for value, _ in numbers):
        return []  # 95M: a man of 95, or 95 months
    if len(numbers) > 2 or (len(numbers) > 1 and all(unit is None for _, unit in numbers)):
        return []
    years = [value / (unit or 1.0) for value, unit in numbers]
    if ranged and len(years) > 1 and years[0] >= years[1]:
        return []  # "9-4 years": no range, but a 94 that something wrote apart
    if len(years) > 1 and not ranged:
        if numbers[0][1] == numbers[1][1]:
            return []  # "9 3 years": a number that something cut in two, perhaps
        years = [sum(years)]  # "89 years 11 months" is one age
    return years + nouns
