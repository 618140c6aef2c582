"""Dates of notes in Spanish, in every manner of writing; the day comes first."""

from __future__ import annotations

import datetime
from collections.abc import Mapping

from .calendar import Forms, Said, Write, dates_in, manner_of, of_note, when_in
from .countries import country_of
from .drawing import Draw
from .filling import Maker, Note
from .spanish_people import in_words

MONTHS = (
    "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre",
    "octubre", "noviembre", "diciembre",
)  # fmt: skip
SHORT_MONTHS = (
    ("ene",), ("feb",), ("mar",), ("abr",), ("may", "mayo"), ("jun",), ("jul",), ("ago", "agto"),
    ("sep", "sept", "set"), ("oct",), ("nov",), ("dic",),
)  # fmt: skip
ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
DAYS = ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo")
SHORT_DAYS = (
    ("lun", "L"), ("mar", "M"), ("mié", "X", "mier"), ("jue", "J"), ("vie", "V"), ("sáb", "sab"),
    ("dom", "D"),
)  # fmt: skip
SEASONS = ("verano", "invierno", "otoño", "primavera")


def _short(d: datetime.date) -> str:
    names = SHORT_MONTHS[d.month - 1]
    return names[d.day % len(names)]


def _first(day: int) -> str:
    return "1º" if day == 1 else str(day)


FULL: Mapping[str, tuple[int, Write]] = {
    "dd/mm/yyyy": (26, lambda d: f"{d:%d/%m/}{d.year}"),
    "d/m/yyyy": (8, lambda d: f"{d.day}/{d.month}/{d.year}"),
    "dd/mm/yy": (16, lambda d: f"{d:%d/%m/%y}"),
    "d/m/yy": (10, lambda d: f"{d.day}/{d.month}/{d:%y}"),
    "dd-mm-yyyy": (6, lambda d: f"{d:%d-%m-}{d.year}"),
    "d-m-yy": (4, lambda d: f"{d.day}-{d.month}-{d:%y}"),
    "dd.mm.yyyy": (2, lambda d: f"{d:%d.%m.}{d.year}"),
    "d.m.yy": (3, lambda d: f"{d.day}.{d.month}.{d:%y}"),
    "d de month de yyyy": (12, lambda d: f"{d.day} de {MONTHS[d.month - 1]} de {d.year}"),
    "d de Month del yyyy": (
        2, lambda d: f"{d.day} de {MONTHS[d.month - 1].capitalize()} del {d.year}"
    ),
    "d de month yyyy": (2, lambda d: f"{d.day} de {MONTHS[d.month - 1]} {d.year}"),
    "d month yyyy": (2, lambda d: f"{d.day} {MONTHS[d.month - 1]} {d.year}"),
    "dd-mon-yyyy": (3, lambda d: f"{d.day:02}-{_short(d)}-{d.year}"),
    "dd-mon-yy": (3, lambda d: f"{d.day:02}-{_short(d)}-{d:%y}"),
    "dd/MON/yy": (2, lambda d: f"{d.day:02}/{_short(d).upper()}/{d:%y}"),
    "dd MON yyyy": (2, lambda d: f"{d.day:02} {_short(d).upper()} {d.year}"),
    "d mon. yyyy": (1, lambda d: f"{d.day} {_short(d)}. {d.year}"),
    "d-ROMAN-yy": (3, lambda d: f"{d.day}-{ROMAN[d.month - 1]}-{d:%y}"),
    "d/ROMAN/yyyy": (1, lambda d: f"{d.day}/{ROMAN[d.month - 1]}/{d.year}"),
    "d.ROMAN.yyyy": (1, lambda d: f"{d.day}.{ROMAN[d.month - 1]}.{d.year}"),
    "day d de month de yyyy": (
        3, lambda d: f"{DAYS[d.weekday()]} {d.day} de {MONTHS[d.month - 1]} de {d.year}"
    ),
    "Day, d de month de yyyy": (
        1,
        lambda d: (
            f"{DAYS[d.weekday()].capitalize()}, {d.day} de {MONTHS[d.month - 1]} de {d.year}"
        ),
    ),
    "words": (
        2, lambda d: f"{in_words(d.day)} de {MONTHS[d.month - 1]} de {in_words(d.year)}"
    ),
    "iso": (4, lambda d: d.isoformat()),
    "yyyy/mm/dd": (1, lambda d: f"{d.year}{d:/%m/%d}"),
    "ddmmyy": (1, lambda d: f"{d:%d%m%y}"),
}  # fmt: skip
"""Manners of a full date -> weight and how."""

FULL_IN_THE_NORTH: Mapping[str, tuple[int, Write]] = {
    "m/d/yyyy": (20, lambda d: f"{d.month}/{d.day}/{d.year}"),
    "mm/dd/yyyy": (20, lambda d: f"{d:%m/%d/}{d.year}"),
    "m/d/yy": (14, lambda d: f"{d.month}/{d.day}/{d:%y}"),
    "d de month de yyyy": FULL["d de month de yyyy"],
    "d de month, yyyy": (2, lambda d: f"{d.day} de {MONTHS[d.month - 1]}, {d.year}"),
    "dd-mon-yyyy": FULL["dd-mon-yyyy"],
    "iso": FULL["iso"],
}
"""The same in the United States."""

_NORTH = ("US", "PR")


def _in_the_north(note: Note) -> bool:
    place = country_of(note)
    return place is not None and place.code in _NORTH


def _write_full(note: Note, day: datetime.date) -> str:
    manners = FULL_IN_THE_NORTH if _in_the_north(note) else FULL
    manner = note.remember("manner of dates", lambda: manner_of(note.draw, manners))
    if note.draw.chance(0.22):
        manner = manner_of(note.draw, manners)
    return manners[manner][1](day)


def _month_day(note: Note, d: datetime.date) -> str:
    month = MONTHS[d.month - 1]
    north = _in_the_north(note)
    figures = f"{d.month}/{d.day}" if north else f"{d.day}/{d.month}"
    return note.draw.pick(
        (
            figures,
            figures,
            f"{d:%m/%d}" if north else f"{d:%d/%m}",
            figures if north else f"{d.day}-{d.month}",
            figures if north else f"{d.day}.{d.month}",
            f"{d.day} de {month}",
            f"{d.day} de {month}",
            f"{_first(d.day)} de {month}",
            f"{d.day} {month}",
            f"{d.day} de {month.capitalize()}",
            f"{d.day}-{_short(d)}",
            f"{d.day} {_short(d)}",
            f"{d.day}/{_short(d)}",
            f"{d.day}-{ROMAN[d.month - 1]}",
        )
    )


def _month_year(note: Note, d: datetime.date) -> str:
    month = MONTHS[d.month - 1]
    return note.draw.pick(
        (
            f"{month} de {d.year}",
            f"{month} de {d.year}",
            f"{month} {d.year}",
            f"{month} del {d.year}",
            f"{month} del {d:%y}",
            f"{month.capitalize()} {d.year}",
            f"{_short(d)} {d.year}",
            f"{_short(d)}-{d:%y}",
            f"{_short(d)}/{d:%y}",
            f"{_short(d)}. {d.year}",
            f"{month} {d:%y}",
            f"{d:%m/}{d.year}",
            f"{d.month}/{d:%y}",
            f"{d.month}/{d.year}",
            f"{ROMAN[d.month - 1]}-{d:%y}",
            f"{month}-{d.year}",
        )
    )


def _weekday(draw: Draw, number: int) -> str:
    name = draw.pick((DAYS[number], DAYS[number], DAYS[number], draw.pick(SHORT_DAYS[number])))
    if len(name) == 1:
        return name
    return name.capitalize() if draw.chance(0.18) else name


def _day_and_date(note: Note, d: datetime.date) -> str:
    day = _weekday(note.draw, d.weekday())
    between = note.draw.pick((" ", " ", " ", ", ")) if len(day) > 1 else " "
    date = str(d.day) if note.draw.chance(0.45) else _month_day(note, d)
    return f"{day}{between}{date}"


_FORMS: Forms = {
    "": _write_full,
    "md": _month_day,
    "my": _month_year,
    "y": lambda note, d: str(d.year),
    "y2": lambda note, d: f"{d:%y}",
    "long": lambda note, d: f"{d.day} de {MONTHS[d.month - 1]} de {d.year}",
    "words": lambda note, d: FULL["words"][1](d),
    "iso": lambda note, d: d.isoformat(),
    "hl7": lambda note, d: f"{d.year:04}{d:%m%d}",
    "mon": lambda note, d: note.draw.pick(
        (MONTHS[d.month - 1], MONTHS[d.month - 1], MONTHS[d.month - 1], _short(d))
    ),
    "short": lambda note, d: note.draw.pick(
        (f"{d.day}-{_short(d)}", f"{d.day}/{d.month}", f"{d.day} {_short(d)}", f"{d:%d/%m}")
    ),
    "dow": _day_and_date,
    "d": lambda note, d: note.draw.pick((str(d.day), str(d.day), f"{d.day:02}", _first(d.day))),
}


def _season(note: Note) -> str:
    name = note.draw.pick(SEASONS)
    if note.draw.chance(0.3):
        year = note.today.year - note.draw.below(6)
        name += note.draw.pick((f" de {year}", f" {year}", f" del {year % 100:02}", f" del {year}"))
    return name


def _holiday(note: Note) -> str:
    place = country_of(note)
    assert place is not None
    name = place.drawn(note.draw, "holidays")
    if note.draw.chance(0.12):
        name += f" de {note.today.year - note.draw.below(4)}"
    return name


_OTHERS: Mapping[str, Said] = {
    "day": lambda note: _weekday(note.draw, note.draw.below(7)),
    "season": _season,
    "holiday": _holiday,
}
_WHEN = {
    **{"full": 5, "md": 6, "my": 5, "y": 4, "y2": 1, "mon": 4, "dow": 4},
    **{"day": 5, "season": 2, "holiday": 2},
}


def _days(note: Note) -> str:
    """A day of each week: los lunes."""
    name = DAYS[note.draw.below(7)]
    return name + ("s" if name.endswith("o") else "")


def _time(draw: Draw) -> str:
    hour, minute = draw.below(24), draw.below(60)
    return draw.pick(
        (
            f"{hour:02}:{minute:02}",
            f"{hour:02}:{minute:02}",
            f"{hour}:{minute:02} h",
            f"{hour:02}:{minute:02} hs",
            f"{hour:02}:{minute:02} hrs",
            f"{hour}h",
            f"{hour} h",
            f"{hour:02}.{minute:02} h",
            f"{hour:02}{minute:02}",
            f"{(hour - 1) % 12 + 1}:{minute:02} {'am' if hour < 12 else 'pm'}",
            f"{(hour - 1) % 12 + 1} {'a.m.' if hour < 12 else 'p.m.'}",
        )
    )


DATES: dict[str, Maker] = {
    **dates_in(_FORMS, ("", "", "", "'")),
    **{name: of_note(said) for name, said in _OTHERS.items()},
    "days": of_note(_days),
    "when": of_note(when_in(_FORMS, _WHEN, _OTHERS)),
    "time": of_note(lambda note: _time(note.draw), ""),
}
"""Slots of dates and times in notes in Spanish."""
