"""Whether a quantity tells of an age over 89: such a value goes, whoever it is of.

Source: 45 CFR 164.514(b)(2)(i)(C).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from ..dates.ages import OVER

_YEARS = frozenset(
    ("a", "a_g", "a_j", "a_t", "y", "yr", "yrs", "year", "years", "año", "años", "ano", "anos")
)
"""Units of years: of UCUM, and as people write them in English and Spanish."""

_A_YEAR: Final = {
    **dict.fromkeys(("mo", "mos", "mon", "month", "months", "mes", "meses"), 12.0),
    **dict.fromkeys(("wk", "wks", "week", "weeks", "semana", "semanas"), 365.25 / 7),
    **dict.fromkeys(("d", "day", "days", "día", "días", "dia", "dias"), 365.25),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours", "hora", "horas"), 365.25 * 24),
}
"""Other units of time -> how many make a year."""

AGE_CODES: Final = frozenset(
    (
        *("21611-9", "21612-7", "29553-5", "30525-0", "35659-2", "39016-1", "63900-5"),
        *("397659008", "397669002", "424144002", "445518008"),
    )
)
"""Of LOINC and SNOMED CT: the age of somebody, reported, calculated or at some event."""

_AGE_NAME = re.compile(
    r"(?:(?:patient|maternal|mother|paternal|father|current|chronological)(?:'s)? )?"
    r"age(?: (?:at|in|when|on) .{1,60}|[ ,-]{1,3}(?:reported|calculated|estimated))?",
    re.IGNORECASE,
)
"""Not that of a bone or a pregnancy."""

_LONGEST_UNIT: Final = 60

_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")


def is_year(units: Iterable[str]) -> bool:
    """Whether any word of a unit is years."""
    return not _YEARS.isdisjoint(unit.strip().lower() for unit in units)


def is_age(codes: Iterable[str]) -> bool:
    """Whether any code or name of an observation is that of an age."""
    found = [code.strip() for code in codes]
    return not AGE_CODES.isdisjoint(found) or any(map(_AGE_NAME.fullmatch, found))


def is_over_89(value: str, units: Iterable[str], *, of_age: bool) -> bool:
    """Whether a number is an age over 89, or holds one.

    Args:
        value: a number, or several with comparators between them.
        units: code and name of its unit.
        of_age: whether it is said to be an age; then one without a unit is in years.
    """
    units = [short.lower() for unit in units if (short := unit[:_LONGEST_UNIT].strip())]
    a_year = 1.0
    if units and not is_year(units):
        a_year = next((_A_YEAR[unit] for unit in units if unit in _A_YEAR), 0.0)
    if not a_year or not (of_age or is_year(units)):
        return False
    return any(float(number) / a_year >= OVER for number in _NUMBER.findall(value))
