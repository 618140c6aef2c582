"""Numbers of papers and errands: cases, claims, jobs, visits, authorisations, badges, passports.

What they have in common is the label, IDNUM (i2b2 2014); numbers with a label of their own and
laboratory numbers have rules of their own. A bare "no." or "id" is here too, unless the word before
it gives the number to another rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .named_numbers import candidates, is_capital, named, words
from .patterns import after, before, pattern, stands_alone, view

NAME = "idnum"
LABELS = ("IDNUM",)
# 33 of 35 right: english_clinical_sample 6/6, demo/train 25/26, asq_phi 2/3.
# `python -m benchmarks.rules --scores`.
SCORE = 0.9189

_WORDS = words(
    r"claim|vn ?[:#]"
    r"|episodio|contacto ?(?:n[º°o]|núm)"
    r"|(?:case|order|job|run|trip|incident|hold|kit|band|voucher|form|quote|report|rpt"
    r"|ticket|envelope|message|thread|document|doc|dictation|transcription|worktype|consent|disc|tank"
    r"|police|warrant|inmate|booking|alien registration|alien|receipt|check|po"
    r"|docket|permit|referral|prescription) ?(?:#|no\b|number|id)"
    r"|ref(?:erence)?\.? ?(?:#|no\b|number|id)|conf(?:irmation)?\.? ?(?:#|no\b|number|code)"
    r"|auth(?:ori[sz]ation)?\.?"
    r"(?: ?(?:#|no\b|number|code))?|(?:prior|pre-?) ?auth(?:ori[sz]ation)?|pa ?(?:#|no\b)"
    r"|(?:tracking|badge|bdg|employee|student|staff) ?(?:#|no\b|number|id)"
    r"|(?:interpreter|interp|video|dod|tax|case|study|research|participant|military|national"
    r"|state|veteran) ?(?:#|id)"
    r"|subject ?(?:#|no\b|id)|edipi|passport|(?:dni|nie|nif)"
    r"|rx ?(?:#|no\b|number)|id ?(?:#|no\b|number)",
    r"(?:incident|police|accident) (?:rpt|report)|case|job|ref|id|confirmation"
    r"|reference|identifier|interpreter|interp|order|docket|permit|badge|bdg|incident|rpt|report|form"
    r"|kit|envelope|voucher|thread|document|miic|toe tag|stored as|employee|ticket",
)
# Any other "no." counts when letters, or several groups, show that what follows is a name.
_BARE = pattern(
    r"\b(?:no|nr|nos)(?:\.|:)[ \t]{0,4}\n?"
    r"([a-z]{1,5}[0-9]{0,4}-?\d[a-z0-9]{1,12}(?:-[a-z0-9]{1,12}){0,3})"
)
# Whose number it is instead.
_OTHERS = re.compile(
    r"(?:\b(?:patient|pt|member|membership|subscriber|insur\w*|ins|policy|plan|group|grp|sponsor"
    r"|medical|hospital|hosp|record|records?(?: show)?|chart|mr|our|your|ed|er|clinic|unit|account"
    r"|acct|billing|guarantor|medicaid|medicare|device|machine|pump|user|login|provider|operator"
    r"|license|licence|lic|dental|cross|shield|aetna|anthem|cigna|humana|kaiser|uhc|healthpartners"
    r"|tricare|hmo|ppo|payer|payor|image|photo|doj|serial|lot|model|catalog|cat|tel|phone|fax"
    r"|pager|beeper|suite|room|apt|box|vehicle|plate|tail|cpt|icd|ndc|lab|path|slide)[ .:,]{0,3}"
    r"|\t| {2})$"
)
# Spanish "VN" gives normal values: "VN: 90-210".
_NORMAL = pattern(r"vn[^a-z]")
_INTERVAL = pattern(r"\d{1,4}-\d{1,4}")
# "(ref 3.5-5.1)" gives them too.
_RANGE = pattern(r"\d{1,4}\.\d{1,3}-\d{1,4}(?:\.\d{1,3})?")
# "REF CQ-7584, lot GFAX0912" is a catalogue's number; a print or photograph has its own rule.
_CATALOGUE = re.compile(r",? {0,2}(?:lot|ser|sn|s/n)\b")
_BIOMETRIC = re.compile(r"prints?\b|photo|\bdna\b|\bretina|\biris\b")
# A field "ID" set off by white space in a banner is the patient's (medical_record).
_ID = pattern(r"id")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one IDNUM per number, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = [
        (start, end)
        for cue, start, end in named(text, seen, _WORDS, long_groups=True)
        if _is_errand(seen, cue, start, end)
    ]
    for match in _BARE.finditer(seen):
        start, end = match.span(1)
        if (
            stands_alone(text, start, end)
            and is_capital(text, start, end)
            and end - start > 5
            and not _OTHERS.search(before(seen, match.start(), 24).rstrip() + " ")
        ):
            found.append((start, end))
    yield from candidates(found, "IDNUM", NAME, SCORE)


def _is_errand(seen: bytes, cue: int, start: int, end: int) -> bool:
    word = seen[cue : cue + 3]
    if _ID.match(word, 0, 2) and _OTHERS.search(before(seen, cue, 24)):
        return False
    if _NORMAL.match(word, 0, 3) and _INTERVAL.fullmatch(seen[start:end]):
        return False
    if word.lower() == b"ref" and (
        _CATALOGUE.match(after(seen, end, 12)) or _RANGE.fullmatch(seen[start:end])
    ):
        return False
    return not _BIOMETRIC.search(before(seen, start, 20))
