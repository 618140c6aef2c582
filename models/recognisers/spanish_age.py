"""Ages in Spanish: "de 53 años", "Edad: 71", "a los setenta", "su hija Ana (4)", "27 a".

Durations look alike: "hace 15 años", "de 15 años de evolución", "durante 3 años".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .patterns import after, before, disjoint, number_is_whole, pattern, stands_alone, view

NAME = "spanish_age"
LABELS = ("AGE",)
# Settings were chosen on the readable half of `spanish`; benchmarks/rules.py has no Spanish corpus.
SCORE = 0.94

_TENS = r"(?:treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa)"
_NUMBER = (
    rf"(\d{{1,3}}|{_TENS}(?: y (?:un[oa]?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve))?"
    r"|veinti[a-záéíóú]{2,6}|veinte|dieci[a-záéíóú]{3,5}|quince|catorce|trece|doce|once|diez)"
)
_YEARS = pattern(rf"\b{_NUMBER} ?(?:años|aa)\b")
_SHORT = pattern(r"\b(\d{2}) ?a(?:\.|,|;|\)|\n| {2}|$)")
_FIELD = pattern(rf"\bedad(?:/sexo)?[ .]{{0,14}}[:|]? {{0,3}}{_NUMBER}\b")
_AT = pattern(rf"\b(?:a los|con) {_NUMBER}\b")
_KIN = pattern(
    r"\b(?:hij[oa]|herman[oa]|niet[oa]|sobrin[oa]|bebé|madre|padre|abuel[oa]|tí[oa]|prim[oa]"
    r"|espos[oa]"
    r"|marido|mujer)(?: [a-zñáéíóú]{3,12})?(?:,| \(| de) ?(\d{1,2})\b"
)
_DURATION = re.compile(
    r"(?:hace|durante|desde hace|tras|cada|por|unos|últimos|próximos|durante los|hasta|más de"
    r"|ex ?fumador[a]?|fumador[a]?|arterial de|evolución de|cortó ca.a en [a-z]+) $"
)
_BEHIND = re.compile(
    r" ?(?:de evoluci|de duraci|de antig|de tratamiento|de seguimiento|fumando|trabajando|atrás"
    r"|después|antes de|con el mismo)"
)
_UNIT = re.compile(
    r" ?(?:d[ií]as?|mes(?:es)?|min|seg|horas?|h\b|semanas?|sem\b|mg|ml|mcg|cm|mm|%|kg|m\b|x\b"
    r"|,\d|\.\d"
    r"|/|cig|paq|u\b|ui\b|puntos?|minutos|metros|pasos)"
)


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one AGE an age, the number alone, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = []
    for shape in (_YEARS, _SHORT, _FIELD, _AT, _KIN):
        for match in shape.finditer(seen):
            start, end = match.span(1)
            years = shape in (_YEARS, _SHORT)
            if years and (
                _DURATION.search(before(seen, start)) or _BEHIND.match(after(seen, match.end()))
            ):
                continue
            if shape is _SHORT and after(seen, match.end()).startswith("m"):
                # "12 a.m."
                continue
            if not years and _UNIT.match(after(seen, end)):
                continue
            if shape is _AT and before(seen, match.end(), 60).endswith(" con " + text[start:end]):
                continue
            number = text[start:end]
            if number.isdecimal() and not 0 < int(number) < 121:
                continue
            alone = shape is _SHORT or stands_alone(text, start, end)
            if alone and number_is_whole(text, start, end):
                found.append(Candidate(start, end, "AGE", NAME, SCORE))
    yield from disjoint(found)
