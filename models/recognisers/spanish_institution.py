"""Institutions with Spanish names: a word for what they are, and the name behind it.

"Hospital Virgen de la Luz", "C.S. San Roque", "CESFAM Los Pinos", "Juzgado de Lorca", "Frutas Ruiz
S.L.". A word alone ("el hospital", "Centro de Salud") is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .context_words import cased
from .patterns import any_of, before, disjoint, stands_alone, view
from .spanish_words import PHRASE, WORD, is_name_alone

NAME = "spanish_institution"
LABELS = ("HOSPITAL", "ORGANIZATION")
# Settings were chosen on the readable half of `spanish`; benchmarks/rules.py has no Spanish corpus.
SCORE = 0.92

_OF = r"(?:de la |de los |de las |del |de |d'|DE LA |DEL |DE )?"
_DOCTOR = r"(?:(?:Dr|Dra|Prof|DR|DRA)\.? )?"
_TAIL = (
    rf"(?: (?:N[°º.o]{{0,2}} ?)?\d{{1,3}})?(?: (?:General|Regional|Nacional|Universitario|Central"
    r"|Comarcal|Provincial|Municipal|Clínico|Civil|Interzonal|Zonal))?"
    rf' {_OF}(?:"{_DOCTOR}{PHRASE}"|«{PHRASE}»|{_DOCTOR}{PHRASE}(?: [IVX]{{1,3}}\b)?)'
)
_CARE = cased(
    r"\b((?:Hospital|HOSPITAL|hospital|Hosp\. (?:Gral|Reg)\.|HOSP\. GRAL\.|Hosp\.|HOSP\.|Htal\."
    r"|HTAL\.?|H\.|H\.[GRCU]\.(?:U\.)?|Cl[ií]nica|CL[IÍ]NICA|cl[ií]nica"
    r"|Sanatorio|SANATORIO|Maternidad|Polic[lí]{1,2}nic[oa]|policl[ií]nico|POLICLINICO|Ambulatorio"
    r"|Consultorios?|Centro de [Ss]alud|centro de salud|CENTRO DE SALUD|C\.S\.|CS|P\.S\.|CAP"
    r"|CESFAM|CECOSF|CAPS|UMF|HGZ|HGR|EBAIS|IPS|E\.S\.E\.|SAPU|SUAP|CDI|Puesto de Salud"
    r"|PUESTO DE SALUD|Centro M[ée]dico|CENTRO M[EÉ]DICO|Complejo (?:Hospitalario|Asistencial)"
    r"|Laboratorios?|Lab\.|LABORATORIO|Residencia|RESIDENCIA|Consorci Hospitalari|Hogar|UCSF|CSM"
    rf"|Fundación){_TAIL})"
)
_ADJECTIVE = re.compile(
    r"(?:historia|nota|práctica|guía|evolución|evolucion|sospecha|exploración|exploracion|sesión"
    r"|sesion|información|informacion|psicología|psicologia|valoración|valoracion|mejoría|situación"
    r"|farmacología|imagen|entrevista|ficha|hoja|impresión|impresion|trayectoria|bioquímica) $"
)
"""Before "clínica", which is then no clinic."""
_NUMBERED = cased(r"\b((?:UMF|HGZ|HGR|HGSZ|CSM|CAPS|CESAC)(?: N[°o.º]{1,2})? ?\d{1,3})\b")
_BODY = cased(
    r"\b((?:Juzgado|JUZGADO|Fiscal[ií]a|Ayuntamiento|Municipalidad|Alcald[ií]a|Colegio|Escuela"
    r"|ESCUELA"
    r"|Esc\.|escuela|colegio|Liceo|Instituto|IES|CEIP|Universidad|Facultad|Guarder[ií]a|Jard[ií]n"
    r"|Farmacia|farmacia|FARMACIA|Botica|Droguer[ií]a|Parroquia|Iglesia|Panader[ií]a|Ferreter[ií]a"
    r"|Supermercado|Restaurante|Bodegas?|Constructora|Transportes|Talleres|Textiles|Confecciones"
    r"|Cooperativa|Frutas|Ingenio|INGENIO|Minera|Sindicato|Asociaci[oó]n|Obra [Ss]ocial|consulado"
    r"|Consulado|Seguros|Mutual?|M[uú]tua|Polic[ií]a|Guardia|Bomberos|Comisar[ií]a|Defensor[ií]a"
    rf"|Taxis|Maderera|MADERERA|Distribuidora|Banco|Caja|Peluquer[ií]a|llantera|bodega"
    rf"|taller){_TAIL})"
)
_KNOWN = cased(
    r"\b(Guardia Civil|GUARDIA NACIONAL|Guardia Nacional|Polic[ií]a (?:Local|Nacional|Municipal)"
    r"|Cruz Roja(?: Mexicana)?|CRUZ ROJA(?: MEXICANA)?|Protecci[oó]n Civil|Carabineros|ECU 911"
    r"|SAMUR?|SUMMA 112|SAME|CRUE|FEMA|DIF|ICBF|Renfe|Correos|Mercadona|Pemex|IMSS|ISSSTE|EsSalud"
    r"|ANSES|PAMI|OSDE|IOMA|UTE|CFE|Ecopetrol|Codelco|C[áa]ritas|Mossos d'Esquadra|Ertzaintza"
    r"|Bomberos(?: Voluntarios)?|Fiscal[ií]a|DEMUNA|PNP|SENAME)\b"
)
_BODIES = cased(rf"\b({any_of('spanish_institution_bodies_es')})\b")
_FIRM = cased(
    rf"\b({WORD}(?: (?:(?:de|del|i|y|&) )?{WORD}){{0,5}},? (?:S\.A\.C\.|S\.A\.S\.|S\.R\.L\.|S\.A\."
    r"|S\.L\.U?|C\.A\.|SAC|SAS|SRL|SA|SL|Ltda|LTDA|EPS(?:-S)?|e Hijos))"
)
_WORK = cased(
    r"\b(?:trabaja(?:ba)?|trabaj[oó]|empleada|empleado|operari[oa]|jubilad[oa]|pensionad[oa]|chofer"
    r"|ocupad[oa]|puesto)(?: (?:como|de) [a-záéíóúñ]{3,16})? (?:en la|en el|en los|en|de la|del|de)"
    rf" ({PHRASE})"
)
_AMONG = (
    (_CARE, "HOSPITAL"),
    (_NUMBERED, "HOSPITAL"),
    (_KNOWN, "ORGANIZATION"),
    (_BODIES, "ORGANIZATION"),
    (_BODY, "ORGANIZATION"),
    (_FIRM, "ORGANIZATION"),
    (_WORK, "ORGANIZATION"),
)


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one candidate an institution, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = []
    for shape, label in _AMONG:
        for match in shape.finditer(seen):
            start, end = match.span(1)
            if not stands_alone(text, start, end):
                continue
            if text[start].lower() == "c" and _ADJECTIVE.search(before(seen, start)):
                continue
            if shape in (_KNOWN, _BODIES, _NUMBERED) or _has_name(text[start:end]):
                found.append(Candidate(start, end, label, NAME, SCORE))
    yield from disjoint(found)


def _has_name(words: str) -> bool:
    """Whether a word of the name, from the second on, is no ordinary one."""
    if words.isupper() and words.endswith((" SA", " SL")):
        return False
    rest = [word.strip('"«».,') for word in words.split()[1:]]
    return any(word[:1].isupper() and len(word) > 1 and is_name_alone(word) for word in rest)
