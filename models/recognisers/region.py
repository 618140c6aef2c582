"""Counties, districts, States and villages outside the United States.

By list ("West Yorkshire", "Co. Kerry", "Karnataka"), and by the words that lead to such a name or
follow it: "Tehsil Jaranwala", "Erode Dt.", "Brgy. Pajo", "Vill: Kodihalli", "Dalby QLD 4405".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...dictionaries import load
from ..core.documents import Context, Document
from ..core.spans import Candidate
from .context_words import CAPITAL, LETTER, cased, folded, name_run, words_before
from .patterns import after, before, disjoint, is_word, view

NAME = "region"
LABELS = ("CITY", "LOCATION-OTHER", "STATE")
# 36 of 37 right on the readable half of `world`; no other corpus has such notes.
SCORE = 0.9487

_NAME = rf"{CAPITAL}{LETTER}{{2,19}}(?:[?'-]{LETTER}{{1,19}}){{0,2}}"
_RUN = rf"({_NAME}(?: {_NAME})?)"


def _listed(dictionary: str) -> str:
    names = sorted(load(dictionary).phrases, key=lambda name: (-len(name), name))
    return "|".join(
        re.escape(form).replace("\\ ", " ") for name in names for form in (name, name.upper())
    )


_COUNTY = cased(rf"\b(?:{_listed('counties_abroad_en')})\b")
_STATE = cased(rf"\b(?:{_listed('states_abroad_en')})\b")
# What makes of a region's name that of something else.
_SOMETHING_ELSE = re.compile(
    r"[ -](?:hospital|hosp\b|health|general|royal|university|college|school|council|police|nhs"
    r"|community|medical|clinic|trust|fire|terrier|pudding|house|street|st\b|road|rd\b|avenue|ave\b"
    r"|drive|lane|safeguarding|partnership|infirmary|county council|government|virus|fever|cream"
    r"|uni\b|dental|county\b|sub-county|robertson|hotel|ward|building|suite|rex\b|blue)|'"
)
_LABELLED = cased(
    r"\b(?:Tehsil|TEHSIL|Teh\.|Taluka?|TALUKA?|Tq\.?|Tk\.|Tal\.|tal\.|Mandal|Hobli|Distt?\.?|DISTT?\.?|dist\."
    r"|District|Upazila|Thana|Zila|UC|Union Council|LGA|L\.G\.A\.|Sub-?[ ]?[Cc]ounty|Mukim"
    rf"|Wilayat|Barangay Hall|Poblacion)[ :.-]{{1,4}}{_RUN}"
)
_FOLLOWED = cased(
    rf"{_RUN} (?:Tk\.?|Tq\.?|Taluka?|Tehsil|Distt?\.?|Dt\.?|[Mm]dl\.?|Mandal|LGA|Sub-?[Cc]ounty)"
    r"(?:[ ,.;\n)]|$)"
)
_WHOLE = cased(
    rf"\b(?:Brgy\.?|BRGY\.?|Barangay|Purok|Sitio|Mukim|Kg\. ?|Kampung) {{0,2}}{_NAME}(?: {_NAME})?"
)
_VILLAGE = cased(
    r"\b(?:Vill(?:age)?|VILL(?:AGE)?|vill|[Gg]oth|[Mm]ouza|Estate/village|Town/[Vv]illage|Suburb|Gram)"
    rf"\.?[ \t]{{0,6}}[:.-]?[ \t]{{1,4}}{_RUN}"
)
_AUSTRALIA = cased(r",? (NSW|VIC|Vic|QLD|Qld|SA|WA|TAS|Tas|NT|ACT)\b(?:,? {1,2}\d{4}\b)")
_CANADA = cased(
    r",? {1,2}(AB|BC|MB|NB|NL|NS|NT|NU|ON|PE|PEI|QC|SK|YT|Ont\.?|Que\.?|Alta\.?|Sask\.?),?"
    r" {1,3}[A-Z]\d[A-Z] ?\d[A-Z]\d\b"
)
# "NHS Lanarkshire", "Hosp. Melaka", "University of Alberta" are institutions.
_OF_CARE = re.compile(
    r"\b(?:nhs|hosp(?:ital)?\.?|klinik|clinic|centre|center|university of|college of|bank of|royal"
    r"|health|trust|safeguarding|duke of|earl of|prince of) $"
)
_NOT_NAMES = re.compile(
    r"(?:hospital|health|general|head|court|nurse|surgery|office|officer|medical|clinic|school|council|level"
    r"|registrar|collector|judge|police|road|civil|standing|education|social|surgeon|team|number|no"
    r"|name|code)\b"
)


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields CITY, LOCATION-OTHER and STATE candidates, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = [*_by_list(text, seen), *_by_word(text, seen), *_before_codes(text, seen)]
    yield from disjoint(Candidate(start, end, label, NAME, SCORE) for start, end, label in found)


def _by_list(text: str, seen: bytes) -> Iterator[tuple[int, int, str]]:
    for names, label in ((_COUNTY, "LOCATION-OTHER"), (_STATE, "STATE")):
        for match in names.finditer(seen):
            start, end = match.span()
            if is_word(text, start - 1) or is_word(text, end):
                continue
            if _SOMETHING_ELSE.match(after(seen, end, 24)) or _OF_CARE.search(
                before(seen, start, 16)
            ):
                continue
            yield start, end, label


def _by_word(text: str, seen: bytes) -> Iterator[tuple[int, int, str]]:
    for names, label in ((_LABELLED, "LOCATION-OTHER"), (_VILLAGE, "CITY")):
        for match in names.finditer(seen):
            start, end = match.span(1)
            if is_word(text, match.start() - 1) or is_word(text, end):
                continue
            if not _NOT_NAMES.match(after(seen, start, 24)) and not _is_institution(seen, end):
                yield start, end, label
    for match in _FOLLOWED.finditer(seen):
        start, end = match.span(1)
        if (
            not is_word(text, start - 1)
            and not _NOT_NAMES.match(after(seen, start, 24))
            and not _INSTITUTION.match(after(seen, end, 32))
        ):
            yield start, end, "LOCATION-OTHER"
    for match in _WHOLE.finditer(seen):
        if not is_word(text, match.start() - 1) and not is_word(text, match.end()):
            yield *match.span(), "LOCATION-OTHER"


def _is_institution(seen: bytes, end: int) -> bool:
    return _SOMETHING_ELSE.match(after(seen, end, 24)) is not None


def _before_codes(text: str, seen: bytes) -> Iterator[tuple[int, int, str]]:
    """States before a post code, and the towns before them."""
    for states in (_AUSTRALIA, _CANADA):
        for match in states.finditer(seen):
            yield *match.span(1), "STATE"
            town = name_run(
                words_before(seen, match.start(), 3), stop=lambda word: word.low in _STREETS
            )
            if town and not town[-1].text[0].isdigit() and not any(w.text == "&" for w in town):
                if _LINE.search(before(seen, town[-1].start, 4)):
                    yield town[-1].start, match.start(), "CITY"
                elif len(town) > 1:
                    yield town[0].start, match.start(), "CITY"


_INSTITUTION = re.compile(r" [a-z.-]{2,10} (?:hospital|hosp|health|school|court|office)")
_LINE = re.compile(r"(?:^|[,|] ?| {2})$")
_STREETS = frozenset(word.rstrip(".") for word in folded("street_words_en"))
