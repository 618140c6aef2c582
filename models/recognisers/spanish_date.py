"""Dates in Spanish words: "3 de marzo de 2024", "12-VI-23", "el lunes 4", "verano", "Nochebuena".

Months and days in small letters are dates wherever they stand; with a capital they may be names
(Julio, Domingo) and need a figure beside them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .context_words import cased
from .patterns import after, disjoint, number_is_whole, pattern, stands_alone, view

NAME = "spanish_date"
LABELS = ("DATE",)
# Settings were chosen on the readable half of `spanish`; benchmarks/rules.py has no Spanish corpus.
SCORE = 0.95

_MONTH = (
    r"(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|sep?tiembre|octubre|noviembre|diciembre"
    r"|ene|feb|abr|jun|jul|ago|sept?|set|oct|nov|dic)"
)
_LONG = (
    r"(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|sep?tiembre|octubre|noviembre|diciembre)"
)
_DAY = (
    r"(?:lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bado|domingo"
    r"|lun|mar|mi[ée]|jue|vie|s[áa]b|dom)"
)
_YEAR = r"(?:19|20)\d\d"
_NUMBER = (
    r"(?:uno|primero|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce"
    r"|quince|diecis.is|diecisiete|dieciocho|diecinueve|veinte|veintiuno|veintid.s|veintitr.s"
    r"|veinticuatro|veinticinco|veintis.is|veintisiete|veintiocho|veintinueve|treinta"
    r"(?: y uno)?)"
)
_WHOLE = pattern(
    rf"\b(?:{_DAY}\.?,? )?\d{{1,2}}(?:º|°|ro|er)?(?: de | | d'|[-/.])(?:{_MONTH}|mar|may|agto)\b\.?"
    rf"(?:(?: del? (?:año )?| |[-/.]|, ){_YEAR}|(?: del? |[-/.'])\d\d\b)?"
)
_ROMAN = cased(r"\b\d{1,2}[-/. ](?:I{1,3}|IV|VI{0,3}|IX|XI{0,2})[-/. ](?:(?:19|20)?\d\d)\b")
_SPELLED = pattern(
    rf"\b{_NUMBER} de {_LONG}(?: del? (?:año )?(?:dos mil(?: {_NUMBER})?"
    rf"|mil novecientos [a-z]{{5,9}}(?: y [a-z]{{3,6}})?|{_YEAR}))?"
)
_MONTH_YEAR = pattern(
    rf"\b(?:{_LONG}(?: del?|,|-|/)? ?{_YEAR}|{_LONG}(?: del? | |-|/)'?\d\d\b"
    rf"|(?:{_MONTH}|mar)[-/. ] ?{_YEAR}|(?:{_MONTH}|mar)[-/]\d\d\b)"
)
_SMALL = cased(
    rf"\b(?:{_LONG}|(?:lunes|martes|mi.rcoles|jueves|viernes|s.bados?|domingos?)(?: \d{{1,2}}\b)?"
    rf"|(?:verano|invierno|oto.o|primavera)(?: del? (?:{_YEAR}|\d\d\b)| {_YEAR})?)\b"
)
_CAPITAL = cased(
    r"\b(?:Lunes|Martes|Mi.rcoles|Jueves|Viernes|S.bado|Domingo|LUNES|MARTES|MI.RCOLES"
    r"|JUEVES|VIERNES|S.BADO|DOMINGO),? \d{1,2}(?:/\d{1,2})?\b"
    r"|\b(?:LUNES|MARTES|MI.RCOLES|JUEVES|VIERNES|S.BADO)\b"
)
_HOLIDAY = pattern(
    r"\b(?:navidad(?:es)?|nochebuena|nochevieja|semana santa|todos los santos|año nuevo"
    r"|carnaval(?:es)?"
    r"|fiestas patrias|viernes santo|jueves santo|domingo de ramos|fin de año|corpus christi"
    r"|d.a de (?:la madre|las madres|los muertos|muertos|reyes|los enamorados|la candelaria"
    r"|acción de gracias|la raza|la virgen|san juan)|d.a del (?:padre|trabajo|niño|pilar))"
    rf"(?: del? {_YEAR}| {_YEAR})?\b"
)
_BEHIND_WORD = pattern(
    r"\b(?:el|del|al|desde|hasta|d.a|fecha:?|regla:?|control|fur:?|fum:?|fpp:?|entre el|y el)"
    r" {1,2}(\d{1,2}/\d{1,2})\b"
)
_AT_START = pattern(r"(?:^|\n) {0,3}(\d{1,2}/\d{1,2})[ .:,)\n]")
_NUMBER_OF_DAY = pattern(r"\bel d.a (\d{1,2})\b")
_COUNTED = re.compile(
    r" (?:de|del) (?!ene|feb|mar|abr|may|jun|jul|ago|sep|set|oct|nov|dic|este|20|19)|/| ?h\b"
)
_YEARS = pattern(rf"(?:\b(?:en|desde|hasta|del|de|año|a.os) |\()({_YEAR})(?:\)|\b)")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one DATE a date, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = [
        match.span()
        for shape in (_WHOLE, _ROMAN, _SPELLED, _MONTH_YEAR, _SMALL, _CAPITAL, _HOLIDAY)
        for match in shape.finditer(seen)
    ]
    for shape in (_BEHIND_WORD, _AT_START, _NUMBER_OF_DAY, _YEARS):
        for match in shape.finditer(seen):
            start, end = match.span(1)
            counted = shape is not _YEARS and _COUNTED.match(after(seen, end))
            whole = number_is_whole(text, start, end) and not counted
            if whole and _is_day(text[start:end]):
                found.append((start, end))
    yield from disjoint(
        Candidate(start, end, "DATE", NAME, SCORE)
        for start, end in found
        if stands_alone(text, start, end)
    )


def _is_day(figures: str) -> bool:
    """Whether figures are a day, a day and a month, or a year."""
    day, _, month = figures.partition("/")
    if len(figures) == 4 and not month:
        return True
    if figures == "24/7":
        return False
    return 1 <= int(day) <= 31 and (not month or 1 <= int(month) <= 12 or int(day) <= 12)
