"""Medical record numbers: MRN, chart and hospital numbers, and the one in a page's banner.

A banner, "Voss, Eleanor    338-22-816   DOS 1/5/2011", repeats name, age and number on every page
with no word for the number. A number set off by white space counts there when a name in the order
of a banner or an age with a sex stands before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .named_numbers import (
    candidates,
    count_digits,
    has_own_prefix,
    is_capital,
    is_unnamed,
    named,
    words,
)
from .patterns import before, is_word, number_is_whole, pattern, view

NAME = "medical_record"
LABELS = ("MEDICALRECORD",)
# 223 of 224 right: english_clinical_sample 11/11, demo/train 32/33, asq_phi 180/180.
# `python -m benchmarks.rules --scores`.
SCORE = 0.9912

_WORDS = words(
    r"mrns?|m\.r\.(?:n\.?)?|mr ?(?:#|no\b|number)|med(?:ical)?\.? ?rec(?:ord)?s?\.?(?: show)?"
    r"|medical (?:id|number)"
    r"|chart ?(?:#|no\b|number|id)|unit ?(?:#|no\b|number|record)"
    r"|hosp(?:ital|\.)? ?(?:#|no\b|number|id)|uhid"
    r"|reg(?:istration|\.)? ?(?:#|no\b|number)|(?:patient|pt\.?) ?(?:#|no\b|number|id(?:entifier)?)"
    r"|record ?(?:#|no\b|number|id)|emr ?(?:#|:|no\b|id)|ehr ?(?:#|:|no\b|id)|e?mpi"
    r"|(?:ed|er|clinic|our|your|transplant (?:ctr|center)) ?(?:#|no\b|number)|mrn/[a-z]{2,4}"
    r"|nhs ?(?:#|no\b|number)|urn|hrn|umrn|mpin"
    r"|nhc|cipa|n[.º°o]? ?h\.?c\b|historia clínica|núm(?:ero)?\.? de historia(?: clínica)?",
    r"chart|medical record|record",
)
# "MR" alone is also a title, magnetic resonance and a regurgitating valve: only set off as a field,
# and with a number of five digits or with letters before it.
_FIELD = pattern(
    r"(?:^|\n|[ \t]{2}|[|] ?)(?:mr|id)#?:?[ \t]{1,24}"
    r"((?:[a-z]{2,4}[- ]?)?\d{2,9}(?:-\d{1,6}){0,2})"
)
_BANNER = pattern(
    r"(?:[ \t]{2}|\t|\n|, |#)((?:[a-z]{2,4}[- ]?)?\d{4,9}|\d{2,4}-\d{2,5}(?:-\d{1,4})?"
    r"|[a-z]{1,4}-?\d{2,4}-\d{2,6})(?:[ \t]{2}|\t|\n|\.|$)"
)
_AGE_AND_SEX = re.compile(
    r"(?:\b\d{1,3} ?(?:y\.?/?o?\.?|yrs?|mo|m|f)?[ /]{0,2}(?:[mf]|male|female)|\b[mf]/\d{1,3}"
    r"|\b\d{1,2}f)[,;]?$"
)
# "Roux, MD   MD 188204" is a signature and its licence.
_CREDENTIAL = re.compile(r",? (?:m\.?d|d\.?o|r\.?n|n\.?p|p\.?a|pt|ph\.?d)\.?$")
# Cased: a banner's name has capitals. Up to four names, one of them followed by a comma.
_BANNER_NAME = re.compile(
    r"(?:^|[:#]|\s{2})\s*[A-Z][\w'’-]{1,24}(?: [A-Z][\w'’-]{1,24})?, ?[A-Z][\w'’.-]{0,24}"
    r"(?: [A-Z][\w'’.-]{0,24}){0,3}(?:\s{2,}\d{1,3}(?: ?y\w{0,2})?)?$"
    r"|(?:^|:|\s{2})\s*[A-Z][a-z]{1,24}(?: [A-Z]\.?)? [A-Z][\w'’-]{1,24}$"
    r"|(?:^|\s{2})[A-Z][A-Z'’-]{2,24} [A-Z]$"
)
# Registers of clinicians: the number behind one is a licence.
_REGISTER = re.compile(
    r"(?:ahpra|cpso|dea|gdc|gmc|gphc|hcpc|imc|mci|nmc|npi|tnmc|upin)\b", re.IGNORECASE
)
_DATE = re.compile(r"(?:19|20)\d{2}[-/.]?\d{2}[-/.]?\d{2}|\d{1,2}-\d{1,2}-(?:\d{2}|\d{4})")
_PHONE = re.compile(r"(?:\d{3}-)?\d{3}-\d{4}")
_STATE_AND_ZIP = re.compile(r"[A-Z]{2} \d{5}")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one MEDICALRECORD per number, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = [(start, end) for _, start, end in named(text, seen, _WORDS)]
    for match in _FIELD.finditer(seen):
        start, end = match.span(1)
        if (
            _is_record(text, seen, start, end)
            and is_capital(text, match.start(), end)
            and count_digits(seen[start:end]) >= 3
        ):
            found.append((start, end))
    for match in _BANNER.finditer(seen):
        start, end = match.span(1)
        if _is_record(text, seen, start, end) and _in_banner(text, seen, start):
            found.append((start, end))
    yield from candidates(found, "MEDICALRECORD", NAME, SCORE)


def _is_record(text: str, seen: bytes, start: int, end: int) -> bool:
    number = seen[start:end].decode("latin-1")
    return (
        number_is_whole(text, start, end)
        and not is_word(text, end)
        and is_capital(text, start, end)
        and not _DATE.fullmatch(number)
        and not _PHONE.fullmatch(number)
        and not _REGISTER.match(number)
        and has_own_prefix(seen[start:end])
        and not (seen[start - 2 : start] == b", " and _STATE_AND_ZIP.fullmatch(number))
    )


def _in_banner(text: str, seen: bytes, start: int) -> bool:
    if seen[start - 1] == 0x23:
        start -= 1
    if not is_unnamed(seen, start):
        return False
    left = before(seen, start)
    stripped = left.rstrip(" \t#,")
    if not stripped and start > 1:
        # The number may stand on the line below the name.
        line_end = start - len(left) - 1
        left = before(seen, line_end)
        stripped = left.rstrip()
        return _BANNER_NAME.search(text[line_end - len(left) : line_end].rstrip()) is not None
    if _CREDENTIAL.search(stripped):
        return False
    if _AGE_AND_SEX.search(stripped):
        return True
    begin = start - len(left)
    return _BANNER_NAME.search(text[begin : begin + len(stripped)]) is not None
