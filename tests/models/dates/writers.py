"""Dates as people write them, by code that shares nothing with the grammar: day -> text.

Each writer prints any day in one fixed form, so that the text of a shifted date is known: what the
writer prints of the other day.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable


def words(text: str) -> list[str]:
    return text.split()


EN = words("January February March April May June July August September October November December")
EN3 = [name[:3] for name in EN]
ES = words(
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
)
ES3 = words("ene feb mar abr may jun jul ago sep oct nov dic")
DE = words("Januar Februar März April Mai Juni Juli August September Oktober November Dezember")
ROMAN = words("I II III IV V VI VII VIII IX X XI XII")
EN_DAYS = words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
ES_DAYS = words("lunes martes miércoles jueves viernes sábado domingo")
DE_DAYS = words("Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag")

Writer = Callable[[datetime.date], str]


def ordinal(day: int) -> str:
    if 10 < day < 14:
        return f"{day}th"
    return str(day) + {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _month(names: list[str]) -> Writer:
    return lambda d: names[d.month - 1]


WRITERS: dict[str, dict[str, Writer]] = {
    "en mdy": {
        "mm/dd/yyyy": lambda d: d.strftime("%m/%d/%Y"),
        "mm-dd-yyyy": lambda d: d.strftime("%m-%d-%Y"),
        "mm.dd.yy": lambda d: d.strftime("%m.%d.%y"),
        "mm/dd/yy": lambda d: d.strftime("%m/%d/%y"),
        "mm / dd / yyyy": lambda d: d.strftime("%m / %d / %Y"),
        "mm dd yyyy": lambda d: d.strftime("%m %d %Y"),
        "mm/dd/yyyy hh:mm": lambda d: d.strftime("%m/%d/%Y 14:30"),
        "mm/dd/yy at h pm": lambda d: d.strftime("%m/%d/%y at 2:30 pm"),
        "hh:mm on mm/dd/yy": lambda d: d.strftime("10:15 on %m/%d/%y"),
        "mmddyyyy": lambda d: d.strftime("%m%d%Y"),
        "iso": lambda d: d.isoformat(),
        "iso time": lambda d: f"{d.isoformat()}T10:15:00.123+02:00",
        "yyyy/mm/dd": lambda d: d.strftime("%Y/%m/%d"),
        "yyyy.mm.dd": lambda d: d.strftime("%Y.%m.%d"),
        "hl7 day": lambda d: d.strftime("%Y%m%d"),
        "hl7": lambda d: d.strftime("%Y%m%d101500-0500"),
        "Month d, yyyy": lambda d: f"{EN[d.month - 1]} {d.day}, {d.year}",
        "Mon. d, yyyy": lambda d: f"{EN3[d.month - 1]}. {d.day}, {d.year}",
        "MONTH D YYYY": lambda d: f"{EN[d.month - 1].upper()} {d.day} {d.year}",
        "month dth, yyyy": lambda d: f"{EN[d.month - 1].lower()} {ordinal(d.day)}, {d.year}",
        "dth of Month yyyy": lambda d: f"{ordinal(d.day)} of {EN[d.month - 1]} {d.year}",
        "d Month yyyy": lambda d: f"{d.day} {EN[d.month - 1]} {d.year}",
        "d Mon 'yy": lambda d: f"{d.day} {EN[d.month - 1]} '{d:%y}",
        "dd-MON-yyyy": lambda d: f"{d.day:02}-{EN3[d.month - 1].upper()}-{d.year}",
        "ddMONyyyy": lambda d: f"{d.day:02}{EN3[d.month - 1].upper()}{d.year}",
        "yyyy-Mon-dd": lambda d: f"{d.year}-{EN3[d.month - 1]}-{d.day:02}",
        "Day, Month d, yyyy": lambda d: (
            f"{EN_DAYS[d.weekday()]}, {EN[d.month - 1]} {d.day}, {d.year}"
        ),
        "Dow mm/dd/yyyy": lambda d: f"{EN_DAYS[d.weekday()][:3]} {d:%m/%d/%Y}",
        "mm/dd/yyyy (Dow)": lambda d: f"{d:%m/%d/%Y} ({EN_DAYS[d.weekday()][:3]})",
        "wrapped": lambda d: f"{EN[d.month - 1]}\n{d.day}, {d.year}",
    },
    "en dmy": {
        "dd/mm/yyyy": lambda d: d.strftime("%d/%m/%Y"),
        "dd.mm.yy": lambda d: d.strftime("%d.%m.%y"),
        "ddmmyyyy": lambda d: d.strftime("%d%m%Y"),
        "Day dth Month, yyyy": lambda d: (
            f"{EN_DAYS[d.weekday()]} {ordinal(d.day)} {EN[d.month - 1]}, {d.year}"
        ),
        "dd/Mon/yyyy": lambda d: f"{d.day:02}/{EN3[d.month - 1]}/{d.year}",
    },
    "es dmy": {
        "dd/mm/yyyy": lambda d: d.strftime("%d/%m/%Y"),
        "dd-mm-yy": lambda d: d.strftime("%d-%m-%y"),
        "d de month de yyyy": lambda d: f"{d.day} de {ES[d.month - 1]} de {d.year}",
        "d de Month del yyyy": lambda d: f"{d.day} de {ES[d.month - 1].capitalize()} del {d.year}",
        "D DE MONTH DE YYYY": lambda d: f"{d.day} DE {ES[d.month - 1].upper()} DE {d.year}",
        "dd-mon-yy": lambda d: f"{d.day:02}-{ES3[d.month - 1]}-{d:%y}",
        "dd/MON/yyyy": lambda d: f"{d.day:02}/{ES3[d.month - 1].upper()}/{d.year}",
        "d-ROMAN-yyyy": lambda d: f"{d.day}-{ROMAN[d.month - 1]}-{d.year}",
        "day d de month de yyyy": lambda d: (
            f"{ES_DAYS[d.weekday()]} {d.day} de {ES[d.month - 1]} de {d.year}"
        ),
        "Day, dd/mm/yyyy": lambda d: f"{ES_DAYS[d.weekday()].capitalize()}, {d:%d/%m/%Y}",
        "dd/mm/yyyy a las hh:mm": lambda d: f"{d:%d/%m/%Y} a las 14:30 h",
    },
    "de dmy": {
        "dd.mm.yyyy": lambda d: d.strftime("%d.%m.%Y"),
        "dd.mm.yy": lambda d: d.strftime("%d.%m.%y"),
        "dd. mm. yyyy": lambda d: d.strftime("%d. %m. %Y"),
        "d. Month yyyy": lambda d: f"{d.day}. {DE[d.month - 1]} {d.year}",
        "Day, d. Month yyyy": lambda d: (
            f"{DE_DAYS[d.weekday()]}, {d.day}. {DE[d.month - 1]} {d.year}"
        ),
        "Day, den dd.mm.yyyy": lambda d: f"{DE_DAYS[d.weekday()]}, den {d:%d.%m.%Y}",
        "dd.mm.yyyy, hh:mm Uhr": lambda d: f"{d:%d.%m.%Y}, 14:30 Uhr",
        "dd/mm/yyyy": lambda d: d.strftime("%d/%m/%Y"),
    },
}
"""Language and order -> name of a form -> how a day is written in it."""

MONTH_WRITERS: dict[str, dict[str, Writer]] = {
    "en": {
        "Month yyyy": lambda d: f"{EN[d.month - 1]} {d.year}",
        "Month of yyyy": lambda d: f"{EN[d.month - 1]} of {d.year}",
        "mm/yyyy": lambda d: d.strftime("%m/%Y"),
        "yyyy-mm": lambda d: d.strftime("%Y-%m"),
        "Month 'yy": lambda d: f"{EN[d.month - 1]} '{d:%y}",
        "early Month yyyy": lambda d: f"early {EN[d.month - 1]} {d.year}",
        "MONTH": lambda d: EN[d.month - 1].upper(),
        "mid-Month": lambda d: f"mid-{EN[d.month - 1]}",
    },
    "es": {
        "month de yyyy": lambda d: f"{ES[d.month - 1]} de {d.year}",
        "Month del yyyy": lambda d: f"{ES[d.month - 1].capitalize()} del {d.year}",
        "month-yy": lambda d: f"{ES[d.month - 1]}-{d:%y}",
        "mes de month": lambda d: f"mes de {ES[d.month - 1]}",
        "month del año yyyy": lambda d: f"{ES[d.month - 1]} del año {d.year}",
        "mm/yyyy": lambda d: d.strftime("%m/%Y"),
    },
    "de": {
        "Month yyyy": lambda d: f"{DE[d.month - 1]} {d.year}",
        "Month yy": lambda d: f"{DE[d.month - 1]} {d:%y}",
        "mm/yy": lambda d: d.strftime("%m/%y"),
        "mm.yyyy": lambda d: d.strftime("%m.%Y"),
        "Anfang Month": lambda d: f"Anfang {DE[d.month - 1]}",
    },
}
"""Language -> name of a form -> how the month of a day is written in it."""

DAY_MONTH_WRITERS: dict[str, dict[str, Writer]] = {
    "en mdy": {
        "mm/dd": lambda d: d.strftime("%m/%d"),
        "Month dth": lambda d: f"{EN[d.month - 1]} {ordinal(d.day)}",
        "d Month": lambda d: f"{d.day} {EN[d.month - 1]}",
        "ddMON": lambda d: f"{d.day:02}{EN3[d.month - 1].upper()}",
    },
    "en dmy": {"d Month": lambda d: f"{d.day} {EN[d.month - 1]}"},
    "es dmy": {
        "d de month": lambda d: f"{d.day} de {ES[d.month - 1]}",
        "d-ROMAN": lambda d: f"{d.day}-{ROMAN[d.month - 1]}",
    },
    "de dmy": {
        "dd.mm.": lambda d: d.strftime("%d.%m."),
        "d. Month": lambda d: f"{d.day}. {DE[d.month - 1]}",
    },
}
"""Language and order -> name of a form without a year -> how a day is written in it."""


def range_writers() -> dict[str, dict[str, Callable[[datetime.date, datetime.date], str]]]:
    """Language and order -> name of a form -> how a range is written."""

    def english(a: datetime.date, b: datetime.date) -> str:
        if a.year != b.year:
            return f"{a.day} {EN[a.month - 1]} {a.year} to {b.day} {EN[b.month - 1]} {b.year}"
        return f"{a.day} {EN[a.month - 1]} to {b.day} {EN[b.month - 1]} {b.year}"

    return {
        "en mdy": {
            "both": lambda a, b: f"{a:%m/%d/%Y}-{b:%m/%d/%Y}",
            "both, blanks": lambda a, b: f"{a:%m/%d/%y} – {b:%m/%d/%y}",
            "iso": lambda a, b: f"{a.isoformat()}/{b.isoformat()}",
            "from to": lambda a, b: f"from {a:%m/%d/%Y} to {b:%m/%d/%Y}",
            "d Month to d Month yyyy": english,
        },
        "es dmy": {"del al": lambda a, b: f"del {a:%d/%m/%Y} al {b:%d/%m/%Y}"},
        "de dmy": {
            "bis": lambda a, b: f"{a:%d.%m.%Y} bis {b:%d.%m.%Y}",
            "vom bis": lambda a, b: f"vom {a:%d.%m.%Y} bis {b:%d.%m.%Y}",
        },
    }
