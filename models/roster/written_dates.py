"""Where a text writes one known date in full: numbers in any order, and with names of months."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator

from .folding import FoldedView

_MONTHS = (
    *("jan ene", "feb", "mar maerz", "apr abr", "may mai", "jun", "jul"),
    *("aug ago", "sep set", "oct okt", "nov", "dec dic dez"),
)
_MONTH_OF = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
_MONTH = "(" + "|".join(sorted(_MONTH_OF, key=len, reverse=True)) + r")[a-z]{0,9}\.?"
_DAY = r"(\d{1,2})(?:st|nd|rd|th|\.|o)?"
_YEAR = r"(?:,\s?|\s|-|/|\.|'|\sde[l]?\s|\sof\s|,?\s'|)(\d{4}|\d{2})(?!\d)"
_GAP = r"(?:\s|-|/|\.\s?|\sde\s|\sof\s|\sday\sof\s)?"
_NUMERIC = re.compile(r"(?<!\d)(\d{1,4})( ?[-/.|*] ?| )(\d{1,2})( ?[-/.|*] ?| )(\d{1,4})(?!\d)")
_DAY_FIRST = re.compile(rf"(?<!\d){_DAY}{_GAP}{_MONTH}{_YEAR}")
_MONTH_FIRST = re.compile(rf"{_MONTH}{_GAP}{_DAY}{_YEAR}")
_REACH = 40
"""Characters before and behind the digits of a year within which its date is written."""

_COMPACT = re.compile(r"(?<![\da-z])(\d{8})(?:\d{4}|\d{6})?(?![\da-z])")
"""A date without separators, and with the time of day, as HL7 has it."""


def date_marks(view: FoldedView, date: datetime.date) -> Iterator[tuple[int, int]]:
    """Yields where a date stands in the folded text, with an English, Spanish or German month too.

    `04/03/50` is found for the 4th of March and for the 3rd of April: a birth date is not left for
    its order.
    """
    folded, year = view.folded, f"{date.year % 100:02d}"
    if year not in folded:
        return
    found = set(_compact(folded, date))
    for start, end in _windows(folded, year):
        part = folded[start:end]
        for one, other in (*_numeric(part, date), *_named(part, date)):
            found.add((start + one, start + other))
    yield from sorted(found)


def _windows(folded: str, year: str) -> Iterator[tuple[int, int]]:
    """Yields the stretches in which a date with these last two digits of its year may stand."""
    at, low, high = folded.find(year), -1, -1
    while at >= 0:
        start, end = max(0, at - _REACH), min(len(folded), at + _REACH)
        if high < 0:
            low = start
        elif start > high:
            yield low, high
            low = start
        high = end
        at = folded.find(year, at + 1)
    if high >= 0:
        yield low, high


def _is(date: datetime.date, year: str, month: int, day: int) -> bool:
    same_year = int(year) == (date.year if len(year) > 2 else date.year % 100)
    return len(year) in (2, 4) and same_year and (month, day) == (date.month, date.day)


def _numeric(folded: str, date: datetime.date) -> Iterator[tuple[int, int]]:
    at = 0
    while match := _NUMERIC.search(folded, at):
        first, _, middle, _, last = match.groups()
        at = match.end(1)  # "2 04/03/50": a number before a date begins none
        orders = (
            (last, int(first), int(middle)),
            (last, int(middle), int(first)),
            (first, int(middle), int(last)),
            (first, int(last), int(middle)),
        )
        if any(_is(date, *parts) for parts in orders):
            yield match.span()
            at = match.end()


def _named(folded: str, date: datetime.date) -> Iterator[tuple[int, int]]:
    for match in _DAY_FIRST.finditer(folded):
        day, month, year = match.groups()
        if _is(date, year, _MONTH_OF[month], int(day)):
            yield match.span()
    for match in _MONTH_FIRST.finditer(folded):
        month, day, year = match.groups()
        if _is(date, year, _MONTH_OF[month], int(day)):
            yield match.span()


def _compact(folded: str, date: datetime.date) -> Iterator[tuple[int, int]]:
    forms = {date.strftime(form) for form in ("%Y%m%d", "%m%d%Y", "%d%m%Y")}
    if date.year < 1000 or not any(form in folded for form in forms):
        return
    for match in _COMPACT.finditer(folded):
        if match[1] in forms:
            yield match.span()
