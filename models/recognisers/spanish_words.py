"""What the rules for Spanish share: shapes of names in views, and words that are no names.

Views are Latin-1 with one byte a code point, so letters with accents are written out in classes.
"""

from __future__ import annotations

import functools

from .context_words import folded

UPPER = "A-ZÁÉÍÓÚÑÜÀÈÒÇ"
LOWER = "a-záéíóúñüàèòïç"

WORD = rf"[{UPPER}](?:[{LOWER}]{{1,19}}(?:[-'·][{UPPER}]?[{LOWER}]{{1,19}})?|[{UPPER}]{{1,19}})"
"""A capitalised word, or one in capitals."""

LINK = r"(?:de la|de los|de las|de|del|DE LA|DE LOS|DE|DEL|i|y|e)"

PHRASE = rf"{WORD}(?: (?:{LINK} )?{WORD}){{0,5}}"
"""Capitalised words with what may link them."""

NAME = rf"{WORD}(?: (?:{LINK} )?{WORD}){{0,3}}(?: [{UPPER}]\.)?"

_STOPS = frozenset(
    """
    el la los las un una en con sin por para del al se no ni si sí lo le su sus que y o es ha hay
    dx tto dr dra sr sra nhc hc dni nie tel edad sexo fecha hora cama sala box uci urgencias planta
    hospital clínica centro servicio unidad médico médica enfermera enfermero paciente nombre
    alergia alergias niega refiere acude viene consulta alta ingreso exploración tratamiento plan
    mc hta dm2 dm epoc iam icc tac rm rx ecg ta fc fr sat glasgow firma firmado fdo col medicina
    interna cirugía general pediatría cardiología social sociales legal familiar comunitaria
    guardia turno noche tarde mañana planilla motivo diagnóstico evolución antecedentes resumen
    masc fem masculino femenino enf prof erc lic téc dres mat obst
    lunes martes miércoles jueves viernes sábado domingo
    """.split()
)


@functools.cache
def _ordinary() -> frozenset[str]:
    names = folded("first_names_es") | folded("surnames_es")
    return frozenset(folded("clinical_words_es") - names)


def is_name(word: str) -> bool:
    """Whether a capitalised word may be a name: no ordinary and no clinical word."""
    low = word.lower()
    return low not in _STOPS and low not in _ordinary()
