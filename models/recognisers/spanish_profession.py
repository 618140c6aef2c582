"""Professions in Spanish: one of two lists, or what stands behind the word for it in a form.

"Profesión: envasadora", "era planchadora", "taxista". Trades of staff are not in the list.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .context_words import cased
from .patterns import any_of, disjoint, pattern, stands_alone, view

NAME = "spanish_profession"
LABELS = ("PROFESSION",)
# Settings were chosen on the readable half of `spanish`; benchmarks/rules.py has no Spanish corpus.
SCORE = 0.93

_LETTER = "A-Za-zÁÉÍÓÚÑÜáéíóúñüç"
_LISTED = tuple(
    pattern(rf"\b(?:{any_of(name)})\b")
    for name in ("professions_general_es", "spanish_profession_trades_es")
)
_FIELD = pattern(
    rf"\b(?:ocupaci.n|profesi.n|oficio|puesto|cargo)[ .]{{0,12}}[:|] {{0,3}}"
    rf"([{_LETTER}]{{4,20}}(?: (?:de|del|a|en|la|el|[{_LETTER}]{{3,16}})){{0,5}})"
)
_WORKS = cased(
    r"\b(?:trabaja|trabajaba|trabajó|trabajo|trabajando) (?:de|como) "
    rf"([{_LETTER}]{{4,20}}(?: de [a-záéíóúñ]{{4,14}})?)"
)
_ENDS = frozenset(("en", "a", "de", "la", "el", "del", "desde", "con", "y"))
_NONE = frozenset((
    "ninguna", "ninguno", "desconocida", "desconocido", "desempleado", "desempleada", "parado",
    "parada", "jubilado", "jubilada", "pensionista", "pensionado", "trabajo", "tarde", "noche",
))  # fmt: skip


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one PROFESSION a trade, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = [match.span() for shape in _LISTED for match in shape.finditer(seen)]
    for shape in (_FIELD, _WORKS):
        for match in shape.finditer(seen):
            start, end = match.span(1)
            words = text[start:end].split(" ")
            while words and words[-1].lower() in _ENDS:
                words.pop()
            if words and words[0].lower() not in _NONE:
                found.append((start, start + len(" ".join(words))))
    yield from disjoint(
        Candidate(start, end, "PROFESSION", NAME, SCORE)
        for start, end in found
        if stands_alone(text, start, end)
    )
