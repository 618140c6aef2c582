"""Whether `3/21` is a day: by the calendar, and by the full dates of the document."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from .base import Column, Items, Property, one_each
from .native_columns import NativeBuilder, NativeWay
from .native_maps import Numbers

_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {name: number for number, name in enumerate(_NAMES, 1)}
_FULL = re.compile(
    r"(?<!\d)(?:(\d{1,2})[/.-](\d{1,2})[/.-](?:\d{4}|\d{2})|\d{4}-(\d{1,2})-(\d{1,2}))(?!\d)"
)
_WRITTEN = re.compile(
    r"(?<![a-z])(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.? (\d{1,2})(?!\d)"
    r"|(?<!\d)(\d{1,2})[ -](jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}",
    re.IGNORECASE | re.ASCII,
)
_PART = re.compile(r"(?<![\d/.-])(\d{1,2})([/-])(\d{1,2})(?![/.-]?\d)")
_ANSWERS = ("no", "scale", "alone", "same", "week", "month", "season", "far")
_SPANS = ((0, "same"), (7, "week"), (31, "month"), (92, "season"))
_SCALES = (5, 6, 10)
"""Strength, murmurs, pain."""

_YEAR = 12 * 31
"""Days of a year in which all months have 31."""


@dataclasses.dataclass(frozen=True, slots=True)
class DayMonth(Property):
    """How near to a full date of the document a day without a year is; none for all other items.

    The three items of `3/21` or `3-21` have one value, which ends with the sign between: "no" if
    neither reading is a month and a day up to 31, "alone" if the document has no full date, else
    how far off the nearest is, years apart: "same" day, "week", "month", "season" or "far". What
    reads as a part of a usual scale (5/5, 2/6, 3/10, 7/7) is "scale", whatever the dates are.
    """

    KIND: ClassVar[str] = "day_month"

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return "day_month"

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        values: list[str | None] = [None] * len(items)
        bounds = np.searchsorted(items.documents, np.arange(len(items.texts) + 1))
        for document, text in enumerate(items.texts):
            if text is None or not (parts := list(_PART.finditer(text))):
                continue
            known = sorted(set(_days_of_year(text)))
            first, last = bounds[document : document + 2].tolist()
            starts = items.starts[first:last]
            nearness: dict[tuple[str, str], str] = {}
            for part in parts:
                low, high = np.searchsorted(starts, part.span()).tolist()
                pair = part[1], part[3]
                if pair not in nearness:
                    nearness[pair] = _nearness(int(part[1]), int(part[3]), known)
                value = nearness[pair] + part[2]
                values[first + low : first + high] = [value] * (high - low)
        return one_each(values, by_word=False)

    def native_way(self, layer: str) -> NativeWay:
        """See `Property.native_way`."""
        return NativeWay.OF_ITEMS

    def native_column(self, numbers: Numbers, columns: NativeBuilder) -> int:
        """See `Property.native_column`."""
        names = [answer + sign for answer in _ANSWERS for sign in "/-"]
        places = columns.places
        return places.add("day_month", first=places.numbered(numbers, names))


def _days_of_year(text: str) -> Iterator[int]:
    """The days of all full dates; of two readings the month first."""
    for match in _FULL.finditer(text):
        one, other = (int(group) for group in match.groups() if group is not None)
        if day := _day_of_year(one, other) or _day_of_year(other, one):
            yield day
    for match in _WRITTEN.finditer(text):
        month, number = (match[1], match[2]) if match[1] else (match[4], match[3])
        if day := _day_of_year(_MONTHS[month.lower()], int(number)):
            yield day


def _day_of_year(month: int, day: int) -> int:
    """The day of a year of `_YEAR` days, from 1; 0 if there is none."""
    return (month - 1) * 31 + day if 1 <= month <= 12 and 1 <= day <= 31 else 0


def _nearness(one: int, other: int, known: list[int]) -> str:
    days = [day for day in (_day_of_year(one, other), _day_of_year(other, one)) if day]
    if not days:
        return "no"
    if one == other or (one < other and other in _SCALES):
        return "scale"
    if not known:
        return "alone"
    gaps = (abs(day - date) for day in days for date in known)
    # Around the turn of the year as well.
    apart = min(min(gap, _YEAR - gap) for gap in gaps)
    return next((name for most, name in _SPANS if apart <= most), "far")
