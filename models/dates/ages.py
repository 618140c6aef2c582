"""People of 90 and more: whether a record tells of one, and what goes then.

Source: 45 CFR 164.514(b)(2)(i)(C): all ages over 89, and all elements of dates, the year too, that
tell of such an age, but for the one category of 90 or older.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Final

from .written import DateFields, WrittenDate

OVER: Final = 90
"""The first age that is not told."""


def age_on(birth: datetime.date, date: datetime.date) -> int:
    """Whole years from birth to a date; someone of 29 February is a year older on 1 March."""
    return date.year - birth.year - ((date.month, date.day) < (birth.month, birth.day))


def over_89(birth: datetime.date, dates: Iterable[datetime.date]) -> bool:
    """Whether any date of a record shows the person at 90 or more.

    It is a fact of the record, not of a note: where it holds, birth date, year of birth and ages go
    in every note, so that no note tells on another. True dates are compared, before any shift.
    """
    return any(age_on(birth, date) >= OVER for date in dates)


def tells_birth(written: WrittenDate, birth: datetime.date) -> bool:
    """Whether a written date is the date of birth, or as much of it as is written.

    For records where `over_89` holds: what tells of birth is removed, not shifted. A year of two
    digits is compared by these, a day without a year by day and month. A weekday, a holiday, a
    month alone or a day of no month tell nothing of birth.
    """
    if written.precision in ("weekday", "holiday", "season", "month_name", "day_of_month"):
        return False
    return any(_agrees(end.said, birth) for end in written.ends)


def tells_over_89(written: WrittenDate, latest: datetime.date) -> bool:
    """Whether a written date lies 90 years or more before a note, so that it may be a birth.

    Whose it is, the text does not prove. Two digits of a year are the newest year before the note,
    as a date of birth is written; a year alone counts from 90 on, as if its first day was meant.

    Args:
        written: any date.
        latest: the true date of the note, or the latest that it names.
    """
    if days := written.dates(latest):
        return any(age_on(day, latest) >= OVER for day in days)
    years = [end.said.decade or end.said.year for end in written.ends]
    return any(year is not None and latest.year - year >= OVER for year in years)


def _agrees(said: DateFields, birth: datetime.date) -> bool:
    pairs = (
        (said.year and said.year % 100, birth.year % 100),
        (said.month, birth.month),
        (said.day, birth.day),
        (said.decade and said.decade % 100, birth.year % 100 // 10 * 10),
        (said.quarter, (birth.month + 2) // 3),
    )
    known = [(value, true) for value, true in pairs if value is not None]
    return bool(known) and all(value == true for value, true in known)
