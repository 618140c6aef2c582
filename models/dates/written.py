"""Written dates: what is said, how it is written, and the same with other values.

A `WrittenDate` has one end, or two for a range. An end is a list of pieces, text that stays and
parts that print a value in a style. A shift moves the dates that the values mean and prints the
pieces again. What an end leaves out since the other says it ("3-5 May 2024") is put in where the
other does not say it any more ("29 April-1 May 2024").
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from .number_words import FIRST_YEAR, LAST_YEAR
from .styles import Style

Precision = Literal[
    "day", "day_month", "day_of_month", "weekday", "month", "month_name", "quarter", "year",
    "decade", "season", "holiday",
]  # fmt: skip
"""What a text says of time: `day_month` has no year, `day_of_month` a day alone, `month` has a year
and `month_name` none."""

COMMON_YEAR: Final = 2001
"""The year of a date that says none where there is no reference either: a common one, between one
and a leap year, so that a shift by less than a year is at most a day off."""
_LEAP_YEAR: Final = 2004


class DateFields(NamedTuple):
    """The values that a date has; those that it does not say are None.

    Attributes:
        year: in full, two digits with their century (`parts.century_of`).
        month: from 1.
        day: of the month, from 1.
        weekday: from 1, Monday.
        quarter: from 1.
        decade: its first year.
        season: the month of its middle.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    quarter: int | None = None
    decade: int | None = None
    season: int | None = None

    @property
    def place_in_year(self) -> tuple[int, int, int]:
        """Where in a year it is, to compare dates of one precision."""
        return self.quarter or 0, self.month or 0, self.day or 0


class DatePart(NamedTuple):
    """A part of a date: which of `Fields` it prints, and how."""

    field: str
    style: Style


@dataclasses.dataclass(frozen=True, slots=True)
class DateEnd:
    """A date, or one end of a range.

    Attributes:
        pieces: text that stays, and parts, as they follow each other.
        said: the values of the parts.
    """

    pieces: tuple[str | DatePart, ...] = dataclasses.field(repr=False)
    said: DateFields = dataclasses.field(repr=False)

    def printed(self, values: DateFields) -> str | None:
        """The end with other values, or None if one of them cannot be said in its style."""
        texts = []
        for piece in self.pieces:
            if isinstance(piece, str):
                texts.append(piece)
                continue
            value = getattr(values, piece.field)
            if value is None or (text := piece.style.printed(value)) is None:
                return None
            texts.append(text)
        return "".join(texts)

    def printed_as_number(self, field: str) -> bool:
        """Whether a part is written in digits alone."""
        place = self.index_of(field)
        part = None if place is None else self.pieces[place]
        return isinstance(part, DatePart) and (part.style.printed(1) or "").isdigit()

    def index_of(self, field: str) -> int | None:
        """The place of a part among the pieces."""
        for place, piece in enumerate(self.pieces):
            if isinstance(piece, DatePart) and piece.field == field:
                return place
        return None


@dataclasses.dataclass(frozen=True, slots=True)
class WrittenDate:
    """A date as it is written. `str()` of it is the text that was read, byte for byte.

    Attributes:
        ends: one, or the two of a range.
        joint: the text between the two.
        precision: what the text says of time.
        against_order: whether day and month stand in another order than that of the note, which a
            part over 12 tells. Shifted, it must still tell.
    """

    ends: tuple[DateEnd, ...] = dataclasses.field(repr=False)
    joint: str = dataclasses.field(repr=False)
    precision: Precision
    against_order: bool = False

    def __str__(self) -> str:
        return self.joint.join(end.printed(end.said) or "" for end in self.ends)

    def dates(self, reference: datetime.date | None = None) -> tuple[datetime.date, ...]:
        """The days that the text names, in order; none if it is less precise than a day.

        Args:
            reference: where two digits are a year, the newest year not after it is meant; without
                it `parts.century_of` decides.
        """
        reference = _day_of(reference)
        if self.precision != "day":
            return ()
        found = []
        said = [end.said for end in self.ends]
        for end, values in zip(self.ends, filled(said), strict=True):
            date = _date(values.year, values.month, values.day)
            where = end.index_of("year")
            part = None if where is None else end.pieces[where]
            if reference and date and isinstance(part, DatePart) and len(_text(part, values)) == 2:
                while date > reference:
                    date = _date(date.year - 100, date.month, date.day) or date.replace(
                        year=date.year - 100, day=28
                    )
            if date is not None:
                found.append(date)
        return tuple(found)

    def shifted(
        self, days: int, reference: datetime.date | None = None, *, seasons: bool = False
    ) -> str | None:
        """The text with every date moved by whole days, in the form of the original.

        Full days move exactly, so their intervals stay. A date without a year is taken for the one
        nearest to the reference and printed without; a month moves as its 15th, a quarter as that
        of its middle month, a year as its 1 July, a decade as its middle. Names of weekdays follow
        where `days` is no multiple of 7.

        Args:
            days: by how many; negative into the past.
            reference: the true date of the document, before its own shift.
            seasons: whether names of seasons stay; their years move.

        Returns:
            The text, or None if it must be redacted: holidays; seasons, unless they stay; a day of
            the month alone without a reference; dates that leave 1800 to 2199; dates against the
            order of the note whose day is 12 or less after the shift, since they would be misread.
        """
        if self.precision == "holiday" or (self.precision == "season" and not seasons):
            return None
        if self.precision == "weekday":
            return self._joined(self.ends, [_other_weekday(end.said, days) for end in self.ends])
        reference = _day_of(reference)
        said = filled([end.said for end in self.ends])
        if said[-1].year is None and said[0].year is None and said[-1].decade is None:
            said[-1] = _with_year(said[-1], reference)
        moved = [self._moved(values, days) for values in filled(said)]
        known = [values for values in moved if values is not None]
        if len(known) < len(moved):
            return None
        if self.against_order and any((values.day or 0) <= 12 for values in known):
            return None
        return self._printed(known)

    def _moved(self, values: DateFields, days: int) -> DateFields | None:
        """The values of one end after the shift."""
        anchor = _anchor(values)
        if anchor is None:
            return None
        try:
            date = anchor + datetime.timedelta(days=days)
        except OverflowError:
            return None
        if not FIRST_YEAR <= date.year <= LAST_YEAR:
            return None
        return _other_weekday(values, days)._replace(
            year=date.year,
            month=date.month,
            day=date.day,
            quarter=(date.month + 2) // 3,
            decade=date.year // 10 * 10,
        )

    def _printed(self, values: Sequence[DateFields]) -> str | None:
        """The text with these values, which are whole dates."""
        return self._joined(_completed(self.ends, values), values)

    def _joined(self, ends: tuple[DateEnd, ...], values: Sequence[DateFields]) -> str | None:
        texts = [end.printed(own) for end, own in zip(ends, values, strict=True)]
        known = [text for text in texts if text is not None]
        return self.joint.join(known) if len(known) == len(texts) else None


def _day_of(reference: datetime.date | None) -> datetime.date | None:
    """A reference without its time: a time stamp is a date too, but not comparable with one."""
    return reference.date() if isinstance(reference, datetime.datetime) else reference


def _text(part: DatePart, values: DateFields) -> str:
    return part.style.printed(getattr(values, part.field)) or ""


def _date(year: int | None, month: int | None, day: int | None) -> datetime.date | None:
    if year is None or month is None or day is None:
        return None
    try:
        return datetime.date(year, month, day)
    except ValueError:
        return None


def _anchor(values: DateFields) -> datetime.date | None:
    """The day as which a date moves."""
    year, month = values.year, values.month
    if values.decade is not None:
        return _date(values.decade + 5, 1, 1)
    if values.season is not None:
        return _date(year, values.season, 15)
    if values.quarter is not None:
        return _date(year, 3 * values.quarter - 1, 15)
    if month is None:
        return _date(year, 7, 1)
    return _date(year, month, 15 if values.day is None else values.day)


def _with_year(said: DateFields, reference: datetime.date | None) -> DateFields:
    """A date that says no year with the one nearest to the reference; of two, the earlier."""
    if reference is None:
        if said.month is None and said.day is not None:
            return said  # a day of no month
        leap = said.month == 2 and said.day == 29
        return said._replace(year=_LEAP_YEAR if leap else COMMON_YEAR)
    if said.month is None and said.day is not None:
        months = range(-2, 3)
        begun = reference.year * 12 + reference.month - 1
        there = [said._replace(year=(begun + n) // 12, month=(begun + n) % 12 + 1) for n in months]
    else:
        there = [said._replace(year=reference.year + n) for n in range(-8, 9)]
    dated = [(anchor, values) for values in there if (anchor := _anchor(values)) is not None]
    if not dated:
        return said
    return min(dated, key=lambda each: (abs((each[0] - reference).days), each[0]))[1]


def filled(said: Sequence[DateFields]) -> list[DateFields]:
    """What the ends of a range leave out, taken from the other, as a reader does.

    A month left out is the other's; a year left out is that which puts the first end before the
    second and less than a year apart.
    """
    if len(said) < 2:
        return list(said)
    first, last = said
    borrowed = first.day is not None and last.day is not None and None in (first.month, last.month)
    if borrowed:
        first = first if first.month is not None else first._replace(month=last.month)
        last = last if last.month is not None else last._replace(month=first.month)
    crossing = not borrowed and first.place_in_year > last.place_in_year
    if first.year is None and last.year is not None:
        first = first._replace(year=last.year - crossing)
    elif last.year is None and first.year is not None:
        last = last._replace(year=first.year + crossing)
    return [first, last]


def _other_weekday(values: DateFields, days: int) -> DateFields:
    """The values with the weekday so many days later, where there is one."""
    if values.weekday is None:
        return values
    return values._replace(weekday=(values.weekday - 1 + days) % 7 + 1)


def _completed(ends: tuple[DateEnd, ...], values: Sequence[DateFields]) -> tuple[DateEnd, ...]:
    """The ends, with what each of two has to say itself to be read as these values."""
    if len(ends) < 2:
        return ends
    for field in ("month", "year"):
        if _understood(ends, values):
            return ends
        one, other = ends
        ends = _with_part(one, other, field), _with_part(other, one, field)
    return ends


def _understood(ends: tuple[DateEnd, ...], values: Sequence[DateFields]) -> bool:
    """Whether a reader of what the ends print knows year and month of both, as far as one says.

    A year left out that is not the one printed ("28 Dec-2 Jan 2024") is understood as well, but it
    is left out only where it was in the original.
    """
    before = filled([end.said for end in ends])
    if (
        before[0].year == before[1].year
        and values[0].year != values[1].year
        and any(before[0].year is not None and end.index_of("year") is None for end in ends)
    ):
        return False
    said = [
        DateFields(
            **{
                field: getattr(own, field)
                for field in ("year", "month", "day", "quarter")
                if end.index_of(field) is not None
            }
        )
        for end, own in zip(ends, values, strict=True)
    ]
    return all(
        read.year in (None, own.year) and read.month in (None, own.month)
        for read, own in zip(filled(said), values, strict=True)
    )


def _with_part(end: DateEnd, other: DateEnd, field: str) -> DateEnd:
    """An end with a part that only the other has, in the other's style and place.

    Behind the day it goes with the text that the other has before it, else before the day with the
    text that the other has behind it.
    """
    theirs, mine = other.index_of(field), _last_part(end)
    if end.index_of(field) is not None or theirs is None or mine is None:
        return end
    part, day = other.pieces[theirs], other.index_of("day")
    pieces = end.pieces
    if day is not None and theirs < day:
        gap = other.pieces[theirs + 1]
        before = (part, gap) if isinstance(gap, str) else (part,)
        place = end.index_of("day")
        place = mine if place is None else place
        return dataclasses.replace(end, pieces=(*pieces[:place], *before, *pieces[place:]))
    gap = other.pieces[theirs - 1] if theirs else ""
    gap = gap if isinstance(gap, str) else ""
    rest = pieces[mine + 1 :]
    if rest == (".",) and not (field == "month" and other.printed_as_number("month")):
        rest = ()  # "03." becomes "30.03.", but "3." becomes "30. April"
    return dataclasses.replace(end, pieces=(*pieces[: mine + 1], gap, part, *rest))


def _last_part(end: DateEnd) -> int | None:
    """The place of the last part but a weekday."""
    places = [
        place
        for place, piece in enumerate(end.pieces)
        if isinstance(piece, DatePart) and piece.field != "weekday"
    ]
    return places[-1] if places else None
