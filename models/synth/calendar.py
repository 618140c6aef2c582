"""Dates of a note in every manner of writing, and times, which are no PHI."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping

from .countries import day_first
from .drawing import Draw
from .filling import Maker, Note, NotePiece, Pieces, refuse_extras, span_of
from .parsing import Slot
from .people import age_of

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
SHORT_MONTHS = tuple(month[:3] for month in MONTHS)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
SHORT_DAYS = (
    ("Mon",),
    ("Tue", "Tues"),
    ("Wed", "Weds"),
    ("Thu", "Thur", "Thurs"),
    ("Fri",),
    ("Sat",),
    ("Sun",),
)
SEASONS = ("spring", "summer", "fall", "winter", "autumn")
HOLIDAYS = (
    "Christmas", "Christmas", "Thanksgiving", "Thanksgiving", "Easter", "New Year's", "New Years",
    "Labor Day", "Memorial Day", "Halloween", "Mother's Day", "Father's Day", "Valentine's Day",
    "Independence Day", "July 4th", "the Fourth of July", "4th of July", "Christmas Eve",
    "New Year's Eve", "Veterans Day", "MLK Day", "Presidents Day", "St. Patrick's Day", "Passover",
    "Rosh Hashanah", "Yom Kippur", "Hanukkah", "Ramadan", "Eid", "Diwali", "Lunar New Year", "Tet",
    "Boxing Day", "Good Friday", "Palm Sunday", "Columbus Day", "Juneteenth", "Cinco de Mayo",
    "Mardi Gras", "Ash Wednesday", "Kwanzaa", "Holi", "Groundhog Day", "Thanksgiving Day", "xmas",
    "Xmas", "Mothers Day", "fathers day", "Super Bowl Sunday", "Black Friday", "Canada Day",
    "Orthodox Easter", "Nowruz", "Vaisakhi", "Pentecost", "All Saints' Day",
)  # fmt: skip

Write = Callable[[datetime.date], str]
Forms = Mapping[str, Callable[[Note, datetime.date], str]]
Said = Callable[[Note], str]


def ordinal(day: int) -> str:
    """1st, 2nd, 3rd, 11th."""
    if day % 100 in (11, 12, 13):
        return f"{day}th"
    return f"{day}{({1: 'st', 2: 'nd', 3: 'rd'}).get(day % 10, 'th')}"


FULL: Mapping[str, tuple[int, Write]] = {
    "m/d/yyyy": (22, lambda d: f"{d.month}/{d.day}/{d.year}"),
    "mm/dd/yyyy": (22, lambda d: f"{d:%m/%d/}{d.year}"),
    "m/d/yy": (18, lambda d: f"{d.month}/{d.day}/{d:%y}"),
    "mm/dd/yy": (8, lambda d: f"{d:%m/%d/%y}"),
    "m-d-yy": (4, lambda d: f"{d.month}-{d.day}-{d:%y}"),
    "mm-dd-yyyy": (4, lambda d: f"{d:%m-%d-}{d.year}"),
    "m.d.yy": (2, lambda d: f"{d.month}.{d.day}.{d:%y}"),
    "dd.mm.yyyy": (2, lambda d: f"{d:%d.%m.}{d.year}"),
    "dd/mm/yyyy": (4, lambda d: f"{d:%d/%m/}{d.year}"),
    "iso": (7, lambda d: d.isoformat()),
    "yyyy/mm/dd": (1, lambda d: f"{d.year}{d:/%m/%d}"),
    "dd-Mon-yyyy": (5, lambda d: f"{d.day:02}-{SHORT_MONTHS[d.month - 1]}-{d.year}"),
    "d-Mon-yy": (3, lambda d: f"{d.day}-{SHORT_MONTHS[d.month - 1]}-{d:%y}"),
    "dd Mon yyyy": (5, lambda d: f"{d.day} {SHORT_MONTHS[d.month - 1]} {d.year}"),
    "ddMONyyyy": (2, lambda d: f"{d.day:02}{SHORT_MONTHS[d.month - 1].upper()}{d.year}"),
    "Mon d, yyyy": (5, lambda d: f"{SHORT_MONTHS[d.month - 1]} {d.day}, {d.year}"),
    "Month d, yyyy": (9, lambda d: f"{MONTHS[d.month - 1]} {d.day}, {d.year}"),
    "Month dth, yyyy": (2, lambda d: f"{MONTHS[d.month - 1]} {ordinal(d.day)}, {d.year}"),
    "d Month yyyy": (3, lambda d: f"{d.day} {MONTHS[d.month - 1]} {d.year}"),
    "dth Month yyyy": (1, lambda d: f"{ordinal(d.day)} {MONTHS[d.month - 1]} {d.year}"),
    "Day, Month d, yyyy": (
        2,
        lambda d: f"{DAYS[d.weekday()]}, {MONTHS[d.month - 1]} {d.day}, {d.year}",
    ),
    "yyyy-MON-dd": (2, lambda d: f"{d.year}-{SHORT_MONTHS[d.month - 1].upper()}-{d.day:02}"),
    "dd MON yy": (2, lambda d: f"{d.day:02} {SHORT_MONTHS[d.month - 1].upper()} {d:%y}"),
    "Mon d yyyy": (2, lambda d: f"{SHORT_MONTHS[d.month - 1]} {d.day} {d.year}"),
    "month d yyyy": (1, lambda d: f"{MONTHS[d.month - 1].lower()} {d.day} {d.year}"),
    "mmddyy": (1, lambda d: f"{d:%m%d%y}"),
    "yyyymmdd": (1, lambda d: f"{d.year:04}{d:%m%d}"),
}
"""Manners of a full date -> weight and how."""

DAY_FIRST: Mapping[str, tuple[int, Write]] = {
    "dd/mm/yyyy": (24, lambda d: f"{d:%d/%m/}{d.year}"),
    "d/m/yyyy": (10, lambda d: f"{d.day}/{d.month}/{d.year}"),
    "dd/mm/yy": (14, lambda d: f"{d:%d/%m/%y}"),
    "d/m/yy": (12, lambda d: f"{d.day}/{d.month}/{d:%y}"),
    "dd-mm-yyyy": (6, lambda d: f"{d:%d-%m-}{d.year}"),
    "d-m-yy": (3, lambda d: f"{d.day}-{d.month}-{d:%y}"),
    "dd.mm.yyyy": (3, lambda d: f"{d:%d.%m.}{d.year}"),
    "d.m.yy": (6, lambda d: f"{d.day}.{d.month}.{d:%y}"),
    "d Month yyyy": (12, lambda d: f"{d.day} {MONTHS[d.month - 1]} {d.year}"),
    "dd Month yyyy": (3, lambda d: f"{d.day:02} {MONTHS[d.month - 1]} {d.year}"),
    "dth Month yyyy": (6, lambda d: f"{ordinal(d.day)} {MONTHS[d.month - 1]} {d.year}"),
    "dth Month, yyyy": (2, lambda d: f"{ordinal(d.day)} {MONTHS[d.month - 1]}, {d.year}"),
    "dth of Month yyyy": (1, lambda d: f"{ordinal(d.day)} of {MONTHS[d.month - 1]} {d.year}"),
    "dd Mon yyyy": (7, lambda d: f"{d.day:02} {SHORT_MONTHS[d.month - 1]} {d.year}"),
    "d Mon yy": (5, lambda d: f"{d.day} {SHORT_MONTHS[d.month - 1]} {d:%y}"),
    "dd-Mon-yyyy": (6, lambda d: f"{d.day:02}-{SHORT_MONTHS[d.month - 1]}-{d.year}"),
    "dd/Mon/yyyy": (2, lambda d: f"{d.day:02}/{SHORT_MONTHS[d.month - 1]}/{d.year}"),
    "ddMONyyyy": (1, lambda d: f"{d.day:02}{SHORT_MONTHS[d.month - 1].upper()}{d.year}"),
    "Day d Month yyyy": (
        3,
        lambda d: f"{DAYS[d.weekday()]} {d.day} {MONTHS[d.month - 1]} {d.year}",
    ),
    "Month d, yyyy": (2, lambda d: f"{MONTHS[d.month - 1]} {d.day}, {d.year}"),
    "iso": (3, lambda d: d.isoformat()),
    "ddmmyy": (1, lambda d: f"{d:%d%m%y}"),
}
"""The same where the day comes first."""


def manner_of(draw: Draw, manners: Mapping[str, tuple[int, Write]]) -> str:
    """One of the manners by weight."""
    return draw.one_of(**{name: weight for name, (weight, _) in manners.items()})


def day_of(note: Note, argument: str) -> datetime.date:
    """The day that an argument speaks of, in days from the day of the note."""
    low, high = span_of(argument, -90, 0)
    return note.today + datetime.timedelta(note.draw.between(min(low, high), max(low, high)))


def _write_full(note: Note, day: datetime.date) -> str:
    manners = DAY_FIRST if day_first(note) else FULL
    manner = note.remember("manner of dates", lambda: manner_of(note.draw, manners))
    if note.draw.chance(0.22):
        manner = manner_of(note.draw, manners)
    return manners[manner][1](day)


def _month_day(note: Note, d: datetime.date) -> str:
    short, long = SHORT_MONTHS[d.month - 1], MONTHS[d.month - 1]
    if day_first(note):
        return note.draw.pick(
            (
                f"{d.day}/{d.month}",
                f"{d.day}/{d.month}",
                f"{d:%d/%m}",
                f"{d.day}.{d.month}",
                f"{d.day} {long}",
                f"{d.day} {short}",
                f"{ordinal(d.day)} {long}",
                f"{ordinal(d.day)} {short}",
                f"{ordinal(d.day)} of {long}",
                f"{long} {ordinal(d.day)}",
            )
        )
    return note.draw.pick(
        (
            f"{d.month}/{d.day}",
            f"{d.month}/{d.day}",
            f"{d.month}/{d.day}",
            f"{d:%m/%d}",
            f"{d.month}-{d.day}",
            f"{short} {d.day}",
            f"{long} {d.day}",
            f"{long} {ordinal(d.day)}",
            f"{d.day} {short}",
            f"{d.day} {long}",
            f"{ordinal(d.day)} of {long}",
        )
    )


def _month_year(note: Note, d: datetime.date) -> str:
    short, long = SHORT_MONTHS[d.month - 1], MONTHS[d.month - 1]
    return note.draw.pick(
        (
            f"{long} {d.year}",
            f"{long} {d.year}",
            f"{short} {d.year}",
            f"{d.month}/{d.year}",
            f"{d:%m/}{d.year}",
            f"{d.month}/{d:%y}",
            f"{long} of {d.year}",
            f"{short} '{d:%y}",
            f"{short}-{d:%y}",
            f"{long}, {d.year}",
            f"{d.year}-{d:%m}",
        )
    )


def _day_and_date(note: Note, d: datetime.date) -> str:
    day = note.draw.pick((DAYS[d.weekday()], note.draw.pick(SHORT_DAYS[d.weekday()])))
    between = note.draw.pick((" ", " ", ", "))
    return f"{day}{between}{_month_day(note, d)}"


_FORMS: Forms = {
    "": _write_full,
    "md": _month_day,
    "my": _month_year,
    "y": lambda note, d: str(d.year),
    "y2": lambda note, d: f"{d:%y}",
    "long": lambda note, d: (
        f"{d.day} {MONTHS[d.month - 1]} {d.year}"
        if day_first(note)
        else f"{MONTHS[d.month - 1]} {d.day}, {d.year}"
    ),
    "iso": lambda note, d: d.isoformat(),
    "hl7": lambda note, d: f"{d.year:04}{d:%m%d}",
    "mon": lambda note, d: note.draw.pick(
        (MONTHS[d.month - 1], MONTHS[d.month - 1], SHORT_MONTHS[d.month - 1])
    ),
    "short": lambda note, d: note.draw.pick(
        (
            f"{d.day}-{SHORT_MONTHS[d.month - 1]}",
            f"{SHORT_MONTHS[d.month - 1]} {d.day}",
            f"{d.day}{SHORT_MONTHS[d.month - 1].upper()}",
            f"{d.day}/{d.month}" if day_first(note) else f"{d.month}/{d.day}",
        )
    ),
    "dow": _day_and_date,
}

OLD = {"y": "-9000..-300", "y2": "-9000..-300", "my": "-2500..-40"}
"""Forms that speak of the past -> days, if the template does not say."""


def _form(note: Note, slot: Slot, forms: Forms) -> Callable[[Note, datetime.date], str]:
    write = forms.get(slot.form)
    if write is None:
        raise note.wrong(slot, f"no form .{slot.form} of a date; known: {', '.join(forms)}")
    return write


def dates_in(forms: Forms, before_year: tuple[str, ...]) -> dict[str, Maker]:
    """The slots `date` and `dob` of a language.

    Args:
        forms: name -> how a day is written; "" is the usual one.
        before_year: what may stand before a year of two digits and is no part of it.
    """

    def date(note: Note, slot: Slot) -> Pieces:
        write = _form(note, slot, forms)
        try:
            day = note.drawn(slot, lambda: day_of(note, slot.argument or OLD.get(slot.form, "")))
        except (ValueError, OverflowError):
            raise note.wrong(slot, "days are written -3, +14 or -400..-30") from None
        before = [NotePiece(note.draw.pick(before_year))] if slot.form == "y2" else []
        return [*before, NotePiece(write(note, day), "DATE")]

    def birthday(note: Note, slot: Slot) -> Pieces:
        def new() -> datetime.date:
            days = age_of(note) * 365.25 + note.draw.between(1, 360)
            return note.today - datetime.timedelta(int(days))

        write = _form(note, slot, forms)
        return [NotePiece(write(note, note.remember("dob", new)), "DATE")]

    return {"date": date, "dob": birthday}


def _weekday(draw: Draw) -> str:
    number = draw.below(7)
    name = draw.pick((DAYS[number], DAYS[number], draw.pick(SHORT_DAYS[number])))
    return name.lower() if draw.chance(0.08) else name


def _season(note: Note) -> str:
    name = note.draw.pick(SEASONS)
    if note.draw.chance(0.35):
        year = note.today.year - note.draw.below(6)
        name += note.draw.pick((f" {year}", f" of {year}", f" '{year % 100:02}"))
    return name


def when_in(forms: Forms, weights: Mapping[str, int], others: Mapping[str, Said]) -> Said:
    """How a language says when something was: a date in some form, a weekday, a season, a feast.

    Args:
        forms: see `dates_in`.
        weights: form, or "full" for the usual one, or key of `others` -> weight.
        others: "day", "season", "holiday" -> what is no form of a date.
    """

    def when(note: Note) -> str:
        day = day_of(note, "-300..60")
        form = note.draw.one_of(**weights)
        if form in others:
            return others[form](note)
        if form in OLD:
            day = day_of(note, OLD[form])
        return forms["" if form == "full" else form](note, day)

    return when


_OTHERS: Mapping[str, Said] = {
    "day": lambda note: _weekday(note.draw),
    "season": _season,
    "holiday": lambda note: note.draw.pick(HOLIDAYS),
}
_WHEN = {
    **{"full": 5, "md": 6, "my": 4, "y": 4, "y2": 1, "mon": 3, "dow": 2},
    **{"day": 4, "season": 2, "holiday": 2},
}


def _time(draw: Draw) -> str:
    hour, minute = draw.below(24), draw.below(60)
    half = draw.pick(("am", "AM", "a.m.")) if hour < 12 else draw.pick(("pm", "PM", "p.m."))
    clock = (hour - 1) % 12 + 1
    return draw.pick(
        (
            f"{hour:02}{minute:02}",
            f"{hour:02}:{minute:02}",
            f"{hour:02}:{minute:02}",
            f"{clock}:{minute:02} {half}",
            f"{clock}:{minute:02}{half}",
            f"{hour:02}{minute:02}h",
            f"{hour:02}:{minute:02}:{draw.below(60):02}",
        )
    )


def of_note(make: Said, label: str = "DATE") -> Maker:
    """A maker of one piece from a function of the note; its slot takes no form."""

    def maker(note: Note, slot: Slot) -> Pieces:
        refuse_extras(note, slot)
        return [NotePiece(note.drawn(slot, lambda: make(note)), label)]

    return maker


SLOTS: dict[str, Maker] = {
    **dates_in(_FORMS, ("'", "'", "’", "")),
    **{name: of_note(said) for name, said in _OTHERS.items()},
    "when": of_note(when_in(_FORMS, _WHEN, _OTHERS)),
    "time": of_note(lambda note: _time(note.draw), ""),
}
