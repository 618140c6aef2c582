"""Institutions of the health services of other countries, and those that work beside them.

By the words that begin their names ("NHS Tayside", "PHC Kodihalli", "KK Bedong", "CLSC Benny
Farm"; "HMP Bedford", "PS Saddar" are no places of care) or end them ("Calder Vale NHS Foundation
Trust", "Waitemata District Health Board", "North Mercian Ambulance Service"), by a general word and
the town ("District Hospital, Champhai", "University Hospital Limerick"), and those of the list that
colleagues call by a short name ("Groote Schuur"; "TTSH" only beside a word for being there).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from ...dictionaries import load
from ..core.documents import Context, Document
from ..core.spans import Candidate
from .context_words import CAPITAL, LETTER, ContextWord, cased, folded, name_run, words_before
from .matching import Pattern, RuleView
from .name_words import is_common
from .patterns import after, before, disjoint, is_word, view

NAME = "health_service"
LABELS = ("HOSPITAL", "ORGANIZATION")
# 49 of 49 right on the readable half of `world`; other corpora hardly have such notes.
SCORE = 0.9804

_WORD = rf"(?:{CAPITAL}{LETTER}{{1,19}}(?:[?'-]{LETTER}{{1,19}}){{0,2}}|St\.?)"
_RUN = rf"({_WORD})(?: {_WORD}){{0,2}}"
_BOARDS = (
    "Ayrshire (?:and|&) Arran|Borders|Dumfries (?:and|&) Galloway|Fife|Forth Valley|Grampian"
    "|Greater Glasgow(?: (?:and|&) Clyde)?|GGC|Highland|Lanarkshire|Lothian|Orkney|Shetland"
    "|Tayside|Western Isles"
)
_BOARD = cased(rf"\bNHS (?:{_BOARDS}|{_BOARDS.upper()})\b")
_CARE = cased(
    r"\b(?:U?PHC|CHC|HWC|RHC|BHU|[TD]HQ(?: H(?:ospital|OSPITAL|osp\.?))?|Klinik (?:Kesihatan|Desa)"
    r"|KK|KD|CLSC|CI(?:U)?SSS(?: d[eu](?: l')?)?|GMF|CHSLD|Hosp\.?|HOSP\.?|Hospital|Ospital ng"
    rf"|Medical College) {_RUN}"
)
_OF_TOWN = cased(
    r"\b(?:(?:G(?:ovt|OVT)\.?|Government|GOVERNMENT) )?(?:T(?:aluk|ALUK) G(?:eneral|ENERAL)"
    r"|H(?:eadquarters|EADQUARTERS)|D(?:istrict|ISTRICT)(?: G(?:eneral|ENERAL))?"
    r"|C(?:ivil|IVIL)|S(?:ub-District|UB-DISTRICT)|R(?:ural|URAL)) H(?:ospital|OSPITAL),? "
    rf"({_WORD})\b"
)
# Without a comma: behind one stands the town of an American address.
_UNIVERSITY = cased(rf"(?:^|[\n,;:(]) ?(U(?:niversity|NIVERSITY) H(?:ospital|OSPITAL) ({_WORD}))\b")
_CENTRE = cased(
    r" (?:H(?:ealth|EALTH) C(?:tr|TR|entre|ENTRE)|B(?:irth|IRTH) C(?:tr|TR|entre|ENTRE)"
    r"|HC (?:II|III|IV)|RRH|Aboriginal (?:Medical|Health) Service|Community Hospital"
    r"|Medical Practice|Supported Living)\b"
)
_ACRONYM = re.compile(r"[A-Z]{3,6}")
_THERE = re.compile(
    r"(?:\b(?:at|to|from|in|via|ex|by|of|under|seen|adm(?:itted)?|appt|ref(?:erred)?|txf|path|reg|i/c)"
    r"|@|->|\u2192) ?(?:the )?$"
)
_WHERE = re.compile(
    r" (?:ed|er|a&e|icu|hdu|opd|clinic|ward|hosp(?:ital)?|link|theatre|lab|team|registrar"
    r"|neuro|cardio|oncology|maternity|hand clinic)\b"
)
_LAW = cased(rf"\b(?:HMP(?: (?:&|and) YOI)?|HMYOI|YOI|PS|P\.S\.|SAPS|Thana) {_RUN}")
_TRUST = cased(
    r" (?:(?:University |UNIVERSITY )?(?:Hospitals? |HOSPITALS? )?(?:NHS|HSC)"
    r"(?: [Ff]oundation| FOUNDATION)? (?:Trust|TRUST)|Health (?:and|&) Social Care Trust"
    r"|(?:University |District |Regional )?Health Board|DHB|Local Health District|LHD"
    r"|Integrated Care Board|ICB|Hospital and Health Service)\b"
)
_SERVICE = cased(
    r" (?:(?:Ambulance Service|AMBULANCE SERVICE)(?: NHS(?: Foundation)? T(?:rust|RUST))?"
    r"|(?:City|County|Borough|District|Shire|Regional) Council|HSCP|Police Station)\b"
)
_STOPS = frozenset("from to at of for by see seen dr the via copy cc patient gp svd".split())  # noqa: SIM905
# Where the department follows the hospital without a mark.
_DEPARTMENT = re.compile(r" (?:Servicios?|Unidad|Departamento|Department|Dept|Ward|Unit)\b")
_ROLES = (
    "medical_words_en",
    "hospital_generic_en",
    "hospital_departments_en",
    "hospital_stops_en",
)


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields HOSPITAL and ORGANIZATION candidates, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = [(*match.span(), "HOSPITAL") for match in _BOARD.finditer(seen)]
    for pattern, label in ((_CARE, "HOSPITAL"), (_LAW, "ORGANIZATION")):
        for match in pattern.finditer(seen):
            first = (match.group(1) or b"").decode("latin-1")
            if not is_word(text, match.start() - 1) and _is_name(first):
                found.append((match.start(), _end(seen, match.start(1), match.end()), label))
    found += [(*span, "HOSPITAL") for span in _by_short_name(text, seen)]
    for pattern, whole in ((_OF_TOWN, 0), (_UNIVERSITY, 1)):
        for match in pattern.finditer(seen):
            start, end = match.span(whole)
            town = (match.group(whole + 1) or b"").decode("latin-1")
            if not is_word(text, start - 1) and _is_name(town, common=True):
                found.append((start, end, "HOSPITAL"))
    for pattern, label in ((_TRUST, "HOSPITAL"), (_CENTRE, "HOSPITAL"), (_SERVICE, "ORGANIZATION")):
        for match in pattern.finditer(seen):
            run = name_run(
                words_before(seen, match.start(), 6),
                stop=_stops,
                links=frozenset({"and", "&", "of"}),
            )
            # An ambulance service is none of care, whatever trust it is.
            if run and run[0].low != "service" and _is_name(run[-1].text, common=True):
                found.append((run[-1].start, match.end(), label))
    yield from disjoint(
        Candidate(start, end, label, NAME, SCORE)
        for start, end, label in found
        if not is_word(text, end)
    )


@functools.cache
def _short_names() -> Pattern:
    """The names of the list, those in capitals too."""
    names = sorted(load("hospitals_abroad_en").phrases, key=len, reverse=True)
    ways = dict.fromkeys((*names, *(name.upper() for name in names if len(name) > 6)))
    return cased(rf"\b(?:{'|'.join(map(re.escape, ways))})".replace("The", "[Tt]he"))


def _by_short_name(text: str, seen: RuleView) -> Iterator[tuple[int, int]]:
    for match in _short_names().finditer(seen):
        start, end = match.span()
        if is_word(text, start - 1) or is_word(text, end):
            continue
        left, right = before(seen, start), after(seen, end)
        there = _THERE.search(left) is not None or _WHERE.match(right) is not None
        whole = not _ACRONYM.fullmatch(text, start, end) and " " in text[start:end]
        if there or (whole and not _NO_HOSPITAL.match(right)):
            # The article is not of the name.
            yield start + 4 * text[start:end].lower().startswith("the "), end


_NO_HOSPITAL = re.compile(
    r" (?:score|scale|criteria|frame|test|sign|phase|procedure|road|street)\b"
)


def _stops(word: ContextWord) -> bool:
    return word.low in _STOPS or word.text[0].isdigit()


def _end(seen: bytes, start: int, end: int) -> int:
    """The end without the abbreviations behind a name that is written small ("Melaka BW")."""
    name = _DEPARTMENT.split(seen[start:end].decode("latin-1"))[0]
    end = start + len(name)
    if name.split(" ")[0].isupper():
        return end
    while " " in name and name.rpartition(" ")[2].isupper():
        name = name.rpartition(" ")[0]
    return start + len(name)


def _is_name(word: str, *, common: bool = False) -> bool:
    """Whether a word may begin a name: no word of every hospital, and else no ordinary word."""
    low = word.lower()
    if any(low in folded(names) for names in _ROLES):
        return False
    return common or not is_common(word)
