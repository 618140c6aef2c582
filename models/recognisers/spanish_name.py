"""Names of people in Spanish: behind titles, trades of staff, kin, and the words of forms.

"Dra. Inés Ruiz", "la trabajadora social Lola Paz", "su hija Asunción", "Paciente: RUIZ GIL, ANA".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .context_words import cased
from .patterns import disjoint, view
from .spanish_words import LOWER, UPPER, is_name, is_surname
from .spanish_words import NAME as PERSON

NAME = "spanish_name"
LABELS = ("PATIENT", "DOCTOR")
# Settings were chosen on the readable half of `spanish`; benchmarks/rules.py has no Spanish corpus.
SCORE = 0.93


def _any(words: str) -> str:
    """Source of a pattern for words in small letters, capitals, or with one capital."""
    return "|".join(
        "".join(
            f"[{sign}{sign.upper()}]" if sign.isalpha() else re.escape(sign) for sign in word
        ).replace("_", r" {1,2}")
        for word in words.split()
    )


_TITLES_OF_STAFF = (
    "dr dra drs dres doctor doctora prof profesor profesora lic lcda lcdo licda enf enfra"
    " obst qf téc klga klgo mtra mtro"
)
_TITLES = "sr sra srta don doña dña señor señora señorita sor doñ"
_ROLES = (
    "enfermera enfermero matrona fisio fisioterapeuta psicóloga psicólogo trabajadora_social"
    " trabajador_social auxiliar cirujano cirujana anestesista anestesióloga anestesiólogo"
    " pediatra farmacéutica logopeda residente nutricionista kinesióloga kinesiólogo obstetra"
    " interno interna médico médica ayudante instrumentista supervisora camillero celador"
    " técnico técnica psiquiatra tens eu mir mip tes ts due tcae anestesiologo psicologa"
)
_FIELDS = (
    "paciente pcte pte pac nombre nombres nombre_y_apellidos apellidos_y_nombre"
    " apellidos_y_nombres apellidos nombre_completo nombre_del_paciente alertante informante"
    " responsable acompañante familiar trabajador trabajadora usuaria"
)
_STAFF_FIELDS = (
    "médico solicita solicitante cirujano anestesiólogo firma fdo elaboró elabora revisó"
    " revisado validó informa responsable resp recibe acepta notifica residente interno"
    " preside presenta tratante facultativo dicta"
)

_INITIALS = rf"(?:[{UPPER}]\.[ ]?){{1,3}}"
_ONE = rf"((?:{_INITIALS})?{PERSON})"

_STAFF_TITLE = cased(rf"\b(?:{_any(_TITLES_OF_STAFF)})\b\.?,? {{1,2}}{_ONE}")
_TITLE = cased(
    rf"\b(?:{_any(_TITLES)})\b\.? {{1,2}}{_ONE}"
    rf"|(?:\b(?:D|Dª|DÑA)\.|\bDª) {{1,2}}{_ONE}"
)
_ROLE = cased(
    rf"\b(?:{_any(_ROLES)})\b"
    rf"(?: [Rr]\d)?(?:[ ]?[:(]|,|\.| -)? {{0,2}}{_ONE}"
)
_KIN = (
    "hija hijo hijas hijos madre padre esposa esposo marido mujer hermana hermano hermanos tía tío"
    " sobrina sobrino nieta nieto nuera yerno suegra suegro cuñada cuñado abuela abuelo mamá papá"
    " pareja novia novio prima primo vecina vecino amiga amigo comadre compadre madrina padrino"
    " viuda ahijada compañera compañero cuidadora encargado patrono maestra tutora bebé hermanito"
    " hermanita mujer conviviente jefe llamarán llama"
)
_KIN_BEFORE = cased(
    rf"\b(?:{_any(_KIN)})\b(?: (?:mayor|menor|pequeñ[oa]|política|matern[oa]|patern[oa]"
    rf"|gemel[oa]))?"
    rf"(?:,?(?: de)? \d{{1,2}}(?: meses| años)?)?(?: de (?:ellos|ella|él|la paciente))?(?:,| \("
    rf"|:|, la| \(la)? {{0,2}}{_ONE}(?:,? y ({PERSON}))?"
)
_FIELD = cased(
    rf"(?:^|[\n|]|  )[ *]{{0,3}}(?:{_any(_FIELDS)})\b"
    rf"(?:/a)?(?:[ .]{{0,14}}[:|]"
    rf"| ?\.{{3,14}}) {{0,3}}((?:{_INITIALS})?(?:[{LOWER}]{{2,3}} ){{0,2}}{PERSON}"
    rf"(?: {PERSON})?(?:,[ ]?{PERSON})?)"
)
_LIST = cased(
    rf"(?:^|\n)\d{{1,2}}[.)-] {{0,2}}((?:[{UPPER}]{{3,20}} ?){{2,4}}"
    rf"(?:, ?(?:[{UPPER}]\.? ?){{1,3}}|, ?[{UPPER}]{{3,20}})?),? {{0,2}}\d{{1,3}}(?:,| A| M|:| )"
)
_CALLED = cased(
    rf"\b(?:a nombre de|A NOMBRE DE|se llama|SE LLAMA|llamad[oa]|apodad[oa]|un tal|una tal|alias"
    rf"|acompañad[oa] (?:de|por)|ACOMPAÑAD[OA] (?:DE|POR)|compañero suyo,|vecino,|vecina,)"
    rf" {{1,2}}[\"«]?(?:el |la |El |La )?{_ONE}"
)
_STAFF_FIELD = cased(
    rf"(?:^|[\n|]|  |\. )[ *]{{0,3}}(?:{_any(_STAFF_FIELDS)})\b"
    rf"[ .]{{0,14}}: {{0,3}}((?:{_INITIALS})?{PERSON}(?:,[ ]?{PERSON})?)"
)
_ROWS = (
    (_STAFF_TITLE, "DOCTOR"),
    (_TITLE, "PATIENT"),
    (_ROLE, "DOCTOR"),
    (_KIN_BEFORE, "PATIENT"),
    (_FIELD, "PATIENT"),
    (_LIST, "PATIENT"),
    (_CALLED, "PATIENT"),
    (_STAFF_FIELD, "DOCTOR"),
)
_SPLIT = re.compile(r"[\s,]+")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one candidate a name, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found: list[Candidate] = []
    for shape, label in _ROWS:
        for match in shape.finditer(seen):
            for group in range(1, len(match.groups()) + 1):
                if match.group(group) is None:
                    continue
                start, end = match.span(group)
                if shape is _ROLE and _ends_a_sentence(text, match.start(), start):
                    continue
                if size := _size(text[start:end]):
                    found.append(Candidate(start, start + size, label, NAME, SCORE))
    yield from disjoint(found)


def _ends_a_sentence(text: str, start: int, name: int) -> bool:
    """Whether a role is a whole word and a full stop follows: "Soy el médico. Venga"."""
    role = text[start:name].rstrip()
    return role.endswith(".") and len(role) > 6


def _size(name: str) -> int:
    """How much of a run of capitalised words is a name, from its start; 0 if nothing is."""
    size = 0
    words = name.replace(",", " ").split()
    if words[0].lower() in ("de", "del") and not any(is_surname(word) for word in words[1:3]):
        # "MÉDICA DEL TRABAJO", but "DRA. DE LA FUENTE".
        return 0
    for piece in re.finditer(r"[^\s,]+", name):
        word = piece[0].strip(".")
        if word[:1].isupper() and len(word) > 1 and not is_name(word):
            break
        if size and word.isupper() and 1 < len(word) < 6 and not name[:size].isupper():
            # "Inés Ruiz RUT 12.345", an abbreviation behind a name in small letters.
            break
        if word[:1].isupper():
            size = piece.end()
    return size if len(name[:size].strip(" .,")) > 2 else 0
