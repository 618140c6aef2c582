"""Numbers of devices: serial and lot numbers, UDI, IMEI, blood units.

By word, by the noun of a machine, and two by shape alone.

Sources of the shapes: ISBT 128 Standard Technical Specification, §2.4 (donation identification
number: facility, year, serial); GS1 General Specifications, application identifiers 01, 10, 11, 17
and 21, as a UDI (21 CFR 830) prints them.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .named_numbers import candidates, count_digits, is_capital, named, words
from .patterns import is_word, number_is_whole, pattern, stands_alone, view

NAME = "device"
LABELS = ("DEVICE",)
# 26 of 26 right: english_clinical_sample 2/2, demo/train 24/24.
# `python -m benchmarks.rules --scores`.
SCORE = 0.9643

_WORDS = words(
    r"s/n ?[:#]|sn ?[:#]|ser(?:ial)?\.? ?(?:#|no\b|number)|lot ?(?:#|no\b|number)"
    r"|(?:device|pump|pacemaker|generator|lead|implant|meter|sensor|machine|tablet|scope)"
    r" ?(?:#|no\b|number|id|serial|sn|s/n)|udi|imei"
    r"|model ?(?:#|no\b|number)|batch ?(?:#|no\b|number)|unit serial",
    r"lots?|serial",
)
# SN is a skilled nurse too, and "s/n" a Spanish street without numbers before its postcode.
_SERIAL = pattern(
    r"\b(?:sn|s/n)[ \t\n]{1,4}([a-z]{0,4}[-.]?\d[a-z0-9]{0,24}(?:[-. ][a-z0-9]{1,12}){0,3})"
)
_CODE = r"((?:[a-z]{1,4}-){0,2}[a-z]{0,4}\d[a-z0-9]{0,16}(?:-[a-z0-9]{1,10}){0,3})"
_MACHINE = pattern(
    r"\b(?:(?:dialysis )?machine|ventilator|vent|(?:infusion )?pump|transmitter|cycler|tablet"
    r"|concentrator|hugs tag|monitor|telemetry box|workstation on wheels|generator|cpap|bipap"
    rf"|defibrillator|aed|laptop|ipad)(?: ?#)? {{1,4}}{_CODE}"
)
_DONATION = pattern(r"[a-np-z1-9]\d{4} \d{2} \d{6}(?: [0-9a-z]{1,2}\b)?")
_UDI = pattern(
    r"\(01\) ?\d{14}(?: ?\((?:11|17)\) ?\d{6}){0,2}(?: ?\((?:10|21)\) ?[a-z0-9._/-]{1,20}){0,2}"
)
# Spanish postcodes: "Ronda Norte, s/n E-21006 Huelva".
_POSTCODE = pattern(r"(?:e-?)?\d{5}")
_BUILD = pattern(r"[a-z]{0,3}\d{1,4}[a-z]{0,3}")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one DEVICE per number, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = [(start, end) for _, start, end in named(text, seen, _WORDS)]
    for match in _SERIAL.finditer(seen):
        start, end = match.span(1)
        number = seen[start:end]
        # "12088417 044" is one number, "417226 implant 06/2016" is not.
        if b" " in number and not number.replace(b" ", b"").isdigit():
            end = start + number.index(b" ")
            number = seen[start:end]
        if (
            not is_word(text, match.start() - 1)
            and not is_word(text, end)
            and is_capital(text, start, end)
            and len(number) > 5
            and not _POSTCODE.fullmatch(number)
            and count_digits(number) > 3
        ):
            found.append((start, end))
    for match in _MACHINE.finditer(seen):
        start, end = match.span(1)
        number = seen[start:end]
        # "ventilator PB840", "machine 2008T": models.
        if (
            not is_word(text, match.start() - 1)
            and not is_word(text, end)
            and is_capital(text, start, end)
            and not number.isdigit()
            and (count_digits(number) > 4 or not _BUILD.fullmatch(number))
            and count_digits(number) > 3
        ):
            found.append((start, end))
    for shape in (_DONATION, _UDI):
        for match in shape.finditer(seen):
            start, end = match.span()
            if stands_alone(text, start, end) and number_is_whole(text, start, end):
                found.append((start, end))
    yield from candidates(found, "DEVICE", NAME, SCORE)
