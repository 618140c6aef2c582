"""Numbers behind the Spanish word for what they are: "DNI 18264735K", "nº col. 40/2217".

The word gives the label. A number has three digits or more; of a telephone, six. Telephones of
Spain count without a word as well, by the groups in which they are written. Dictated numbers are
runs of four words or more ("historia cuatro cuatro cero siete"), of seven where no word is before.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .matching import Pattern
from .patterns import disjoint, is_word, pattern, stands_alone, view

NAME = "spanish_number"
LABELS = (
    "IDNUM", "SSN", "HEALTHPLAN", "MEDICALRECORD", "LICENSE", "DEVICE", "VEHICLE", "PHONE", "FAX",
    "ACCOUNT", "USERNAME",
)  # fmt: skip
# Settings were chosen on the readable half of `spanish`; benchmarks/rules.py has no Spanish corpus.
SCORE = 0.94

_BETWEEN = r"(?: ?(?:n[.]?[º°o]?|núm|no|nro|num|#)[.:]{0,2})?[ .]{0,12}[:|#=]{0,2} {0,3}"
_VALUE = r"((?:[a-z]{1,5}[ .-]?)?\d[\dx]*(?:[ ./-]{0,2}[\da-z]*\d[\da-z]*){0,7}(?:[-/ ]?[a-z]\b)?)"


_SPOKEN = (
    r"(?:cero|un[oa]?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce"
    r"|quince|dieci[a-z]{3,5}|veinte|veinti[a-z]{2,6}|cien|ciento"
    r"|(?:dos|tres|cuatro|seis|ocho|nove)cient[oa]s|quinient[oa]s|setecient[oa]s"
    r"|(?:treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa)"
    r"(?: y (?:un[oa]?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve))?)"
)
_NEXT = rf"(?:,? (?:(?:doble|triple|guion|barra|raya|punto) )?{_SPOKEN}\b)"
_LETTER = r"(?:(?: guion)? letra [a-z]\b)?"
_SPELLED = (
    r"(?:[b-df-np-xz]|be|ce|de|efe|ge|hache|jota|ka|ele|eme|ene|pe|cu|erre|ese|te|uve|equis|zeta"
    r"|mayúscula|guion|barra|raya|punto|doble|triple)"
)
_SAID = r"(?: (?:número|es|el|la|con|de [a-z]{3,10})){0,2}[:,]? "


def _behind(words: str) -> Pattern:
    return pattern(rf"\b(?:{words})\b{_BETWEEN}{_VALUE}")


def _said(words: str) -> Pattern:
    return pattern(
        rf"\b(?:{words})\b{_SAID}"
        rf"((?:{_SPELLED},? ){{0,5}}{_SPOKEN}\b"
        rf"(?:(?:,? {_SPELLED}){{0,3}},? {_SPOKEN}\b){{3,14}}{_LETTER})"
    )


_WORDS = (
    (
        r"dni|d\.n\.i|nie|nif|n\.i\.f|cif|c\.i|ci|cédula(?: de ciudadanía| de identidad)?"
        r"|céd|cc|c\.c"
        r"|rut|run|r\.u\.t|curp|rfc|cuit|cuil|dui|dpi|cui|pasaporte|folio|expte|radicado"
        r"|incidente"
        r"|siniestro|autorización|carné de identidad|documento|tip|biopsia|muestra|orden"
        r"|petición"
        r"|accesión|informe|interconsulta|caso",
        "IDNUM",
    ),
    (r"nss|nuss|nass|n[.]?[º°]? ?s\.?s\.?|ss", "SSN"),
    (
        r"cip|cipa|nuhsa|tsi|sip|afiliad[oa]|afil|póliza|autogenerado|sis|socio|contrato"
        r"|tarjeta(?: sanitaria)?|tis|autog|asegurad[oa]|beneficiari[oa]|derechohabiente|carnet"
        r"|carné(?: de afiliado)?|credencial|cartilla|agregado médico|muface|isfas|mugeju"
        r"|n[.]?[º°] de afil(?:iad[oa])?",
        "HEALTHPLAN",
    ),
    (
        r"nhc|h\.?c\.?|historia(?: clínica)?|n[.]?[º°] de historia|expediente|exp|ficha"
        r"|registro"
        r"|mrn|récord",
        "MEDICALRECORD",
    ),
    (
        r"col|colegiad[oa]|n[.]?[º°] col(?:egiad[oa])?|matrícula|mat(?:\. (?:prof|prov"
        r"|nac))?|m\.?p|m\.?n"
        r"|céd(?:ula)?\.? prof(?:esional)?|ced|cmp|cep|rm|mpps|msds|rnpi|jvpm|rne|cma"
        r"|reg(?:istro)?\.? (?:prof|msp|médico|nac)[a-z]*|reg|lic|npi|exequátur|icm",
        "LICENSE",
    ),
    (r"n/s|n[.]?[º°] ?(?:de )?serie|serie|serial|lote", "DEVICE"),
    (r"placas?|patente|matrícula del? [a-z]{4,9}", "VEHICLE"),
    (r"fax", "FAX"),
    (r"episodio|cuenta|acct", "ACCOUNT"),
)
_NAMED = tuple((_behind(words), label) for words, label in _WORDS)
_DICTATED = (
    *((_said(words), label) for words, label in _WORDS),
    (_said(r"teléfono|móvil|celular|fijo"), "PHONE"),
    (pattern(rf"\b({_SPOKEN}{_NEXT}{{6,14}}{_LETTER})"), "IDNUM"),
)
_TELEPHONE = r"(\+?\(?\d{1,5}\)?(?:[ .-]{0,3}\(?\d{1,7}\)?){1,6})"
_NAMED_PHONE = pattern(
    rf"\b(?:tel(?:éfonos?)?|tels|telf|tfno|tlfn?o?|móvil|cel(?:ular)?|fono|whats?app|wsp"
    rf"|llamar(?: al?)?"
    rf"|llama al|contacto|al|f|busca|int|ext)[.:]{{0,2}} {{0,3}}{_TELEPHONE}"
)
_OF_SPAIN = pattern(
    r"((?:\+34|0034)? ?[679]\d\d(?: \d\d\d \d\d\d|\.\d\d\d\.\d\d\d|-\d\d\d-\d\d\d| \d\d \d\d \d\d"
    r"|-\d\d-\d\d-\d\d))"
)
_WITH_COUNTRY = pattern(r"(\+(?:34|5[0-9]{1,2}|1) ?\(?\d{1,4}\)?(?:[ -]\d{2,4}){2,4})")

_LOGIN = pattern(
    r"\b(?:usuario|user|login|captur.|digit.|dig|validado por)"
    r"(?: (?:impresi.n|creador|registr.|captura|responsable|m.dico|alta|modific.))?"
    r"[.:]{0,2} {1,3}([a-z]{2,14}[_.]?[a-z]{0,10}\d{0,3})\b"
)


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one candidate a number, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found: list[Candidate] = []
    for shape, label in _NAMED:
        for match in shape.finditer(seen):
            start, end = match.span(1)
            if _digits(text, start, end) >= 3 and not is_word(text, end):
                found.append(Candidate(start, end, label, NAME, SCORE))
    for shape, label in _DICTATED:
        for match in shape.finditer(seen):
            if stands_alone(text, *match.span(1)):
                found.append(Candidate(*match.span(1), label, NAME, SCORE))
    for match in _LOGIN.finditer(seen):
        start, end = match.span(1)
        if _is_login(text[start:end]) and text[end : end + 1] != ":":
            found.append(Candidate(start, end, "USERNAME", NAME, SCORE))
    for shape, least in ((_NAMED_PHONE, 6), (_OF_SPAIN, 9), (_WITH_COUNTRY, 8)):
        for match in shape.finditer(seen):
            start, end = match.span(1)
            while text[start].isspace():
                start += 1
            if _digits(text, start, end) >= least and stands_alone(text, start, end):
                found.append(Candidate(start, end, "PHONE", NAME, SCORE))
    yield from disjoint(found)


def _digits(text: str, start: int, end: int) -> int:
    return sum(sign.isdecimal() for sign in text[start:end])


def _is_login(word: str) -> bool:
    """Whether a word looks like no word and no name: figures, a low line, or capitals run on."""
    return len(word) > 4 and (word.isupper() or "_" in word or word[-1:].isdecimal())
