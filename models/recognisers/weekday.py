"""Names of days: "on Sunday", "Tues.", "Mon-Fri", "dialysis MWF", "T/Th/Sat".

"sat" is oxygen and sitting up, "sun" the sun, "wed" married and "mon" months: abbreviations in
lower case count behind a word for time or before a part of the day, Sat and Sun never before a
figure for oxygen. "Sunday" behind a title is a name. The day of the month behind it belongs to it
("Mon 11th").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...dictionaries import phrase_set, word_set
from ..core.documents import Context, Document
from ..core.spans import Candidate
from .patterns import after, before, disjoint, is_word, pattern, previous_word, view

NAME = "weekday"
LABELS = ("DATE",)
# 63 of 63 right: english_clinical_sample 11/11, demo/train 51/51, asq_phi 1/1.
# `python -m benchmarks.rules --scores`
SCORE = 0.9846

_DAY = pattern(
    r"\b(?:((?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|lunes|martes|miércoles|jueves|viernes|sábados?|domingos?)"
    r"|(tues|weds|thurs?|fri)|(mon|tue|wed|thu)|(sat|sun))\b"
)
_DAY_OF_MONTH = re.compile(
    r",? {1,2}(?:the )?(?:[12]?\d(?:st|nd|rd|th)|3(?:0th|1st))"
    r"(?! (?:of|day|floor|finger|toe|rib|digit|metatarsal|metacarpal"
    r"|ray|degree|dose|time|cycle|round|grade|jan|feb|mar|apr|may|jun|jul|aug"
    r"|sep|oct|nov|dec)|\w)"
)
# Days of dialysis and of warfarin: three letters with or without something between them.
_SCHEDULE = pattern(
    r"\b(?:(m-?w-?f|m/w/f|m,w,f|m w f|t-?th-?sa?t?|tu-?th-?sa?|t/th/sa?t?|tu/th/sa?t?|t,th,sa?t?"
    r"|t th sa?t?|tu,? th,? sat?|mtwthf?|mtwrf|m/th|tu/th|t/th|t/thurs?|m/f|tu/f)|(tts))\b"
)
_PLAIN = ("MWF", "M W F", "M/W/F", "M-W-F", "TThS", "TThSa", "TuThSa", "TTHS")
_SCHEDULE_CUES = re.compile(
    r"\b(?:hd|ihd|dialysis|hemodialysis|haemodialysis|esrd|schedule|shift|treatments?|runs?|every|q"
    r"|days|clinic|works?|class|outpt|outpatient|coumadin|warfarin)\b"
)
_CUES = phrase_set("weekday_cues_en")
_SAT_CUES = word_set("on home last next this until till til since by every each coming fri and or")
_PART_OF_DAY = re.compile(
    r"\.? (?:am|pm|a\.m|p\.m|nite|night|morning|afternoon|evening|eve|noon|noc|per|and (?:sun|mon)"
    r"|or (?:sun|mon)|\d{1,2}/\d|\d{1,2}(?::\d\d)? ?[ap]m)\b"
)
_SATURATION = re.compile(
    r"\.? ?o2|\.? ?[:=]? ?\d{2,3}(?![\d/])| ?%| (?:up|down|of|on|in|exposure|screen|probe|burn"
    r"|plenty|at|with|>|<)"
)
_OXYGEN = word_set("o2 spo2 oxygen pulse ox room air ra sao2 svo2 pox drop the his her")
_TITLES = word_set("dr mr mrs ms miss doctor nurse prof sister father rev black solomon")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one DATE per day, and one per schedule of days, left to right without overlap."""
    text = document.text
    seen = view(text)
    found = [*_days(text, seen), *_schedules(text, seen)]
    yield from disjoint(Candidate(start, end, "DATE", NAME, SCORE) for start, end in found)


def _days(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _DAY.finditer(seen):
        start, end = match.span()
        if is_word(text, start - 1) or is_word(text, end):
            continue
        name = text[start:end]
        left, right = before(seen, start, 24), after(seen, end, 16)
        word = previous_word(left)
        kind = 1 + [group is not None for group in match.groups()].index(True)
        if name in ("Domingo", "Domingos") or (kind == 1 and word in _TITLES):
            # A surname and first name; Spanish writes days in lower case.
            continue
        if kind == 3:
            # "6 mon" are months, "wed" is married, "mon" a monitor.
            if word[-1:].isdigit() or (
                name.islower() and (word not in _CUES or right.startswith("  "))
            ):
                continue
        elif kind == 4 and not _is_weekend(name, word, left, right):
            continue
        of_month = _DAY_OF_MONTH.match(after(seen, end, 24))
        yield start, end + (of_month.end() if of_month else 0)


def _is_weekend(name: str, word: str, left: str, right: str) -> bool:
    """Whether "sat" or "sun" is a day."""
    if _PART_OF_DAY.match(right):
        return word not in _OXYGEN
    if _SATURATION.match(right):
        # "Sat and Sun in the tent"
        return name.istitle() and left.endswith(("sat and ", "fri and ", "sat/", "fri, "))
    if name.islower():
        return word in _SAT_CUES - {"and", "or", "by", "home"} or left.endswith("coming (")
    if word in _SAT_CUES:
        return True
    stop = right.lstrip('"')[:1] in (".", ",", ";", ")", "") or right.startswith(
        (" and ", "-", "/")
    )
    return name == "Sat" and stop and word not in _OXYGEN


def _schedules(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _SCHEDULE.finditer(seen):
        start, end = match.span()
        written = text[start:end]
        if is_word(text, start - 1) or is_word(text, end):
            continue
        if not written[0].isupper():
            continue
        beside = before(seen, start) + " " + after(seen, end, 16)
        if written in _PLAIN or _SCHEDULE_CUES.search(beside):
            yield start, end
