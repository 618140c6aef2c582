"""Addresses in Spanish: streets of every country, quarters, and towns behind words for living.

"C/ Real de Abajo, 22, 2º dcha.", "Cra. 45 # 12-34", "Jr. Grau s/n", "Mz. B Lt. 4", "Col. Centro".
"""

from __future__ import annotations

from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .context_words import cased
from .patterns import disjoint, is_word, pattern, view
from .spanish_words import PHRASE, is_name_alone

NAME = "spanish_street"
LABELS = ("STREET", "LOCATION-OTHER", "CITY", "STATE", "ZIP")
# Settings were chosen on the readable half of `spanish`; benchmarks/rules.py has no Spanish corpus.
SCORE = 0.93

_UNIT = (
    r"(?:,? {0,2}(?:\d{1,5}(?:[-/ ]?[A-Z])?\b(?:\.?[ºª°])?(?: bis)?|s/n|S/N|[Nn]úm\.? ?\d{1,5}"
    r"|N?[n]?[º°.o]{0,2} ?\d{1,5}"
    r"|#\s?\d{1,5}(?:[ -]{1,3}\d{1,4})?|-\s?\d{1,4}|(?:piso|Piso|PISO|apto?\.?|APTO|depto\.?"
    r"|Depto\."
    r"|dpto\.?|int\.?|Int\.?|casa|bloque?|block|edif\.?|esc\.?|nave|portal|puerta|torre|TORRE|AP"
    r"|ap\.|[Dd]to\.?|of\.|oficina|local|lote|interior)"
    r" ?[\dA-Z]{1,4}\b|(?:dcha|izq|izda|dch)\.?|[Bb]ajo(?: [A-Z]\b)?|ático|[A-Z]\b"
    r"|km\.? ?\d[\d.,+]*)){0,5}"
)
_WAY = (
    r"(?:C/|[Cc]alle|CALLE|C\.|Cl\.|Avda\.?|Av\.|AV\.|Ave\.|[Aa]venida|AVENIDA|[Pp]laza|Pza\.?"
    r"|Plza\.?"
    r"|[Pp]aseo|Pº|Passeig|Carrer|R[uú]a|[Pp]asaje|Pje\.|Psje\.?|PSJE|Jr\.|JR\.?|Jir[oó]n|Ctra\.?"
    r"|[Cc]arretera|CARRETERA|Carr\.|[Cc]amino|Bv\.|Blvd\.?|Travesía|Ronda|Glorieta|Cuesta|Calzada"
    r"|Callejón|Prolongación|[Aa]utopista|Pol\. Ind\.|Privada|Priv\.|Lg\."
    r"|Trav\.|Ldor\.?|Alameda|Costanera|Bulevar|Boulevard|Diagonal|Diag\.|Rambla|Circuito|Cerrada"
    r"|Andador|Malecón|Avgda\.?|Av\.da|Calleja|Escalinata|Muelle)"
)
_CORNER = (
    r"(?:,? (?:entre|ENTRE|e/|[Ee]sq(?:uina)?\.?(?: con| a)?|ESQ\.?|casi)"
    rf" (?:{PHRASE}|\d{{1,3}}|[A-Z]\b)"
    rf"(?: (?:y|e|Y) (?:{PHRASE}|\d{{1,3}}|[A-Z]\b))?)?"
)
_NAMED = cased(
    rf"\b((?:{_WAY}) {{0,2}}(?:de la |de los |de las |del |de |d'|DE |DEL )?"
    rf"(?:\d{{1,2}} de )?{PHRASE}{_UNIT}{_CORNER}{_UNIT})"
)
_BEHIND_FIELD = cased(
    r"\b(?:[Dd]irecci[óo]n|DIRECCI[OÓ]N|[Dd]omicilio|DOMICILIO|[Dd]ir\.?|DIR\.?|[Dd]om\.|DOM\.?)"
    rf"[ .]{{0,14}}: {{0,3}}((?:\d{{1,2}} (?:de )?)?{PHRASE},?"
    r" (?:N[°º.o]{0,2} ?|[Nn][úu]m\.? ?|# ?)?"
    rf"\d{{1,5}}\b{_UNIT}{_CORNER})"
)
_FLAT = (
    r"(?:,? (?:piso|PISO|portal|bloque?|torre|casa|apto?\.?|APTO|[Dd]e?pto\.?|DPTO|mz\.?|lote|nave"
    r"|puerta|esc\.|edif\.) ?[\dA-Z][\dA-Z-]{0,4}\b|,? \d{1,2}[º°ª] ?(?:[A-Z]\b|izda|dcha|izq)?)"
)
_WITH_FLAT = cased(rf"\b({PHRASE} \d{{2,5}}{_FLAT}{{1,3}})")
_TOWARDS = (
    r"(?:al? |hacia el |hacia la )?(?:norte|sur|este|oeste|lago|oriente|occidente|poniente|arriba"
    r"|abajo|montaña)\b"
)
_FAR = (
    r"(?:\d{1,4}|media|una|dos|tres|cien|doscientos)"
    r" ?(?:metros|mts\.?|m\.?|varas?|vrs\.?|cuadras?|cdras?\.?|c\.)"
)
_BY_STEPS = pattern(
    r"\b((?:(?:de la|del|de los|de las|de|frente al?|frente a la|costado [a-z]{3,5} de(?:l| la))"
    rf" [^.;:|\n]{{2,50}}?,? )?{_FAR} {_TOWARDS}"
    rf"(?:(?:,? y|,)? (?:(?:{_FAR}|\d{{1,4}}) )?{_TOWARDS}){{0,3}}"
    r"(?: de(?:l| la) [a-z]{3,12}(?: [a-z]{2,12}){0,2})?)"
)
_BY_ROAD = cased(
    r"\b((?:[Kk]m|KM)\.? ?\d{1,3}(?:[.,+]\d{1,3})?,?(?: de la| de| del)?"
    r" (?:[Cc]arretera|CARRETERA|[Rr]uta|RUTA|[Aa]utopista|[Aa]utovía|[Pp]anamericana)"
    rf"(?: (?:al?|hacia|de|del|vieja|nueva|nacional|vía))*(?: {PHRASE}| \d{{1,3}})?)"
)
_NUMBERED = pattern(
    r"\b((?:cra|carrera|kra|kr|cr|calle|cl|diagonal|transversal"
    r"|av(?:enida)?)\.? \d{1,3} ?[a-z]?(?: bis)?"
    r"(?: ?(?:#|n[o°º]\.?) ?\d{1,3} ?[a-z]?(?: ?- ?\d{1,3})?)(?: sur| norte)?(?:,? (?:apto?|ap"
    r"|int|casa|torre)\.? ?\d{1,4}){0,3}"
    r"|(?:diag|transv|tv)\.? \d{1,3} ?[a-z]?(?: bis)? (?:#|n\.?[o°º]\.?) ?\d{1,3}"
    r" ?[a-z]? ?- ?\d{1,3}"
    r"|\d{1,2}(?:ª|a|º|era|da|ra|ta|va|ma|na)?\.? (?:calle|avenida|av\.?)(?: [a-z]\b)?"
    r"(?: norte| sur| poniente| oriente)? (?:n\.?[o°º]? ?)?\d{1,4}(?:-\d{1,4})?(?:,? zona \d{1,2})?"
    r"|\d{1,2} (?:norte|sur|oriente|poniente) (?:n[o°º]\.? ?|# ?)?\d{3,5}"
    r"|hc[- ]?\d{1,2} box \d{3,6}"
    r"|calle \d{1,3} # ?\d{1,5}(?: e/ \d{1,3} y \d{1,3})?"
    r"|(?:mz|mza|manzana)\.? ?[a-z]?\d{0,2},? (?:lt|lote|casa)\.? ?\d{1,3}"
    r"|(?:ruta|km|carr\.) \d{1,3},? km\.? ?[\d.,+]{1,7})"
)
_QUARTER = cased(
    r"(?:^|[ ,\n\t(:|-])((?:[Bb]arrio|BARRIO|B°|Bo\.|[Cc]olonia|Col\.|COL\.|[Vv]ereda|VEREDA"
    r"|[Cc]orregimiento|[Cc]aserío"
    r"|Urb\.|Urbanización|Fracc\.|AA\.HH\.|Ejido|Población|Pobl?\.|Villa|prov\.|[Pp]arroquia"
    r"|[Cc]antón"
    r"|Reparto|Rpto\.|[Aa]ldea|[Rr]ecinto|[Ss]ector|Comuna|Cdla\.|Ens\.|Resguardo"
    r"|Zona|Ensanche|[Ee]nsanche|Barriada|Bda\.|Edif\.|Residencias|Resid\.|Conj\.|Cond\.|Condominio"
    r"|Cortijo|Finca|Fundo|Paraje|Qta\.|Conjunto Residencial) (?:de la |de los |de |del )?"
    rf"{PHRASE}{_FLAT}{{0,3}})"
)
_TOWN = cased(
    r"\b(?:[Nn]atural (?:y procedente )?de|[Pp]rocedente de|[Pp]rocedencia:?|[Vv]ive en"
    r"|[Rr]eside en"
    r"|[Rr]esidente en|[Rr]esidenciad[oa] en|[Vv]ecin[oa] de|[Ll]lega de|[Oo]riginari[oa] de"
    r"|[Nn]acid[oa] en"
    r"|[Oo]riund[oa] de|[Pp]oblación:|[Cc]iudad:|[Mm]unicipio:?|mpio\.|MUNICIPIO:|CIUDAD:|vive en"
    r"|[Dd]omiciliad[oa] en|[Cc]riad[oa] en|[Vv]iv(?:ía|ió) en|[Pp]roviene de|[Rr]egresó de"
    r"|[Vv]olvió de"
    rf"|volver a|viaj[oó] a|viaje a|vuelve a|PROCEDENTE DE|PROCEDENCIA:|VIVE EN) {{1,2}}({PHRASE})"
)
# The autonomous city of Buenos Aires.
_CAPITAL_CITY = cased(r"(?:, ?|[)\"-] ?|\n|\b(?:en|EN|de|DE) )(C\.?A\.?B\.?A\b\.?)")
_STATE = cased(
    r"[a-záéíóúñA-ZÁÉÍÓÚÑ]{3},? {1,2}((?:Ags|B\.C|B\.C\.S|Chis|Chih|Coah|Dgo|Gto|Gro|Hgo|Jal"
    r"|Mich|Nay|N\.L|Oax|Pue|Qro|Q\. ?Roo|S\.L\.P|Tamps|Tlax|Yuc|Zac|Edo\. (?:de )?Méx)\.)"
)
_CODE = pattern(r"\b(?:c\.?p\.?|código postal)[ .:]{0,3}(\d{5})\b")

_CERTAIN = (_NUMBERED, _BEHIND_FIELD, _BY_STEPS, _BY_ROAD, _STATE, _CODE, _CAPITAL_CITY)


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one candidate a part of an address, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = []
    for shape, label in (
        (_NAMED, "STREET"),
        (_NUMBERED, "STREET"),
        (_BEHIND_FIELD, "STREET"),
        (_WITH_FLAT, "STREET"),
        (_BY_STEPS, "STREET"),
        (_BY_ROAD, "STREET"),
        (_QUARTER, "LOCATION-OTHER"),
        (_TOWN, "CITY"),
        (_CAPITAL_CITY, "CITY"),
        (_STATE, "STATE"),
        (_CODE, "ZIP"),
    ):
        for match in shape.finditer(seen):
            start, end = match.span(1)
            while text[end - 1] in " ,":
                end -= 1
            certain = shape in _CERTAIN or _has_name(
                text[start:end], label == "CITY" or shape is _WITH_FLAT
            )
            if certain and not is_word(text, start - 1):
                found.append(Candidate(start, end, label, NAME, SCORE))
    yield from disjoint(found)


def _has_name(words: str, first: bool) -> bool:
    """Whether a word of it is no ordinary one; the first counts only if asked."""
    rest = words.split()[0 if first else 1 :] or [words.removeprefix("C/")]
    return any(word[:1].isupper() and is_name_alone(word.strip(".,")) for word in rest)
