"""Numbers named by a word before them: record, account, plan, licence, device and other ones.

Numbers without such a word are the tagger's business. The word decides the label: an NPI is a
LICENSE, an accession number an IDNUM (the convention of i2b2 2014).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..documents import Context, Document
from ..spans import Candidate
from .matching import Match, Pattern, disjoint, is_word, pattern, view

NAME = "record_number"
LABELS = ("MEDICALRECORD", "HEALTHPLAN", "ACCOUNT", "LICENSE", "VEHICLE", "DEVICE", "IDNUM")
# 1,648 of 1,658 right: english_clinical_sample 21/22, asq_phi 237/241, meddocan 1,380/1,385,
# presidio_synth 10/10.
# `python -m benchmarks.rules <corpus>.jsonl --labels <corpus>` on the training parts.
SCORE = 0.9934

# (label, strong words, weak words). Weak words are also used of things that have no number of
# their own ("unit 2", "case 3", "Medicare 2012"): what follows them must have four digits and look
# like no year.
_WORDS = (
    (
        "MEDICALRECORD",
        r"mrn|mr ?(?:#|no\b|number)|med(?:ical)?\.? ?rec(?:ord)?s?\.?|medical (?:id|number)|chart"
        r" ?(?:#|no\b|number|id)"
        r"|unit ?(?:#|no\b|number|record)|hosp(?:ital)? ?(?:#|no\b|number|id)|patient ?(?:#|no\b"
        r"|number|id(?:entifier)?)"
        r"|pt\.? ?(?:#|no\b|number|id)|record ?(?:#|no\b|number|id)|emr ?(?:#|no\b|id)|mpi|empi"
        r"|nhc|cipa|n[.º°o]? ?h\.?c\b|historia clínica|núm(?:ero)?\.? de historia(?: clínica)?"
        r"|nhs ?(?:#|no\b|number)",
        r"chart|medical record",
    ),
    (
        "ACCOUNT",
        r"acct\.?|account ?(?:#|no\b|number|id)|billing ?(?:#|no\b|number|id)|invoice|har"
        r"|guarantor ?(?:#|no\b|number|id)"
        r"|iban|routing ?(?:#|no\b|number)|bank account",
        r"account",
    ),
    (
        "HEALTHPLAN",
        r"(?:health ?plan|plan|member|subscriber|beneficiary|policy|insur(?:ance|ed)?|group"
        r"|cert(?:ificate)?|medicare"
        r"|medicaid|medi-?cal|hmo|tricare|payer|coverage)(?: \w{2,12})? ?(?:#|no\b|number|id)"
        r"|hicn?|mbi|hic ?#|nass"
        r"|nuss|tarjeta sanitaria|número de (?:asegurado|afiliación)",
        r"medicare|medicaid|medi-?cal|insurance|ins|health plan|plan|member|policy|subscriber"
        r"|beneficiary|hmo|tricare",
    ),
    (
        "LICENSE",
        r"npi|dea|upin|(?:driver'?s?|state|medical|physician|nursing|rn|professional|provider)"
        r" ?(?:licen[sc]e|lic|cert)\.?"
        r"|dl ?(?:#|no\b)|lic(?:ense|ence)?\.? ?(?:#|no\b|number|id)|certificat(?:e|ion) ?(?:#"
        r"|no\b|number)"
        r"|n[º°o]?\.? ?(?:de )?col(?:egiado|\.)?|colegiado|lic\.?",
        r"licen[sc]e",
    ),
    (
        "VEHICLE",
        r"vin|(?:license|number|vehicle|tag) plate|plate ?(?:#|no\b|number)|matrícula",
        r"plate",
    ),
    (
        "DEVICE",
        r"s/n ?[:#]|sn ?[:#]|serial ?(?:#|no\b|number)|lot ?(?:#|no\b|number)|device ?(?:#|no\b"
        r"|number|id)|udi|imei"
        r"|model ?(?:#|no\b|number)|implant ?(?:#|no\b|id)",
        r"lot|serial",
    ),
    (
        "IDNUM",
        r"accession|accn?|acc ?#|specimen ?(?:#|no\b|number|id)?|requisition|req ?#|claim|csn|fin"
        r"|encounter ?(?:#|no\b|number|id)"
        r"|visit ?(?:#|no\b|number|id)|case ?(?:#|no\b|number|id)|order ?(?:#|no\b|number|id)|job"
        r" ?(?:#|no\b|number|id)"
        r"|ref(?:erence)?\.? ?(?:#|no\b|number|id)|conf(?:irmation)?\.? ?(?:#|no\b|number|code)"
        r"|auth(?:orization)?\.?"
        r"(?: ?(?:#|no\b|number|code))?|prior auth|(?:tracking|badge|employee) ?(?:#|no\b|number"
        r"|id)|interpreter ?(?:#|id)"
        r"|study id|subject ?(?:#|no\b|id)|research id|passport|(?:dni|nie|nif)|rx ?(?:#|no\b"
        r"|number)|id ?(?:#|no\b|number)",
        r"case|job|ref|id|encounter|visit|confirmation|reference|identifier|interpreter|order"
        r"|docket|permit",
    ),
)
_GAP = r"(?:[ \t:#=.(*-]|\n|no\b|n[º°]|num(?:ber|ero)?\b|nbr\b|id\b|is\b|was\b|code\b){0,8}"
_NUMBER = r"([a-z]{0,5}[-.:/]?\d[a-z0-9]{0,24}(?:[-./][a-z0-9]{1,24}){0,5})"


def _words(column: int) -> str:
    return "|".join(f"({words[column]})" for words in _WORDS)


_STRONG = pattern(rf"\b(?:{_words(1)}){_GAP}{_NUMBER}")
_WEAK = pattern(rf"\b(?:{_words(2)}){_GAP}{_NUMBER}")
# Plans and Spanish registers print numbers in groups ("NASS: 28 12345678 90"); only a short first
# group goes on.
_FIRST_GROUP = pattern(r"[a-z]{0,3}\d{1,3}")
_GROUPS = pattern(r"(?: \d{2,10}){1,4}\b")
_DATE = pattern(
    r"(?:\d{1,2}[-./]\d{1,2}[-./](?:\d{4}|\d{2})|(?:19|20)\d{2}[-./]\d{1,2}[-./]\d{1,2}"
    r"|\d{1,2}/\d{1,4})"
)
_YEAR = pattern(r"(?:19|20)\d{2}")
_NUMBER_SIGN = pattern(r"(?s).{0,80}(?:#|:|no\b|n[º°]|num)")
_UNIT = pattern(
    r" ?(?:mg|mcg|ml|cc|units?|iu|meq|mm|cm|kg|lbs?|hours?|hrs?|days?|weeks?|months?|years?|y/?o"
    r"|minutes?|mins?|%)(?:[^a-z]|$)"
)


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one candidate per named number, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = [*_named(text, seen, _STRONG, 3), *_named(text, seen, _WEAK, 4)]
    yield from disjoint(found)


def _named(text: str, seen: bytes, words: Pattern, digits: int) -> Iterator[Candidate]:
    for match in words.finditer(seen):
        label = _label(match)
        start, end = match.span(len(_WORDS) + 1)
        if is_word(text, match.start() - 1) or is_word(text, end):
            continue
        if label in ("HEALTHPLAN", "LICENSE", "MEDICALRECORD") and _FIRST_GROUP.fullmatch(
            seen[start:end]
        ):
            groups = _GROUPS.match(seen, end, len(seen))
            end = groups.end() if groups else end
        number = seen[start:end]
        if sum(0x30 <= byte <= 0x39 for byte in number) < digits or _DATE.fullmatch(number):
            continue
        # "Medicaid 2012" but "case no. 2012": a year needs a sign that a number follows.
        if _YEAR.fullmatch(number) and not _NUMBER_SIGN.match(seen[match.start() : start]):
            continue
        if _UNIT.match(seen, end, len(seen)):
            continue
        yield Candidate(start, end, label, NAME, SCORE)


def _label(match: Match) -> str:
    for row, (label, _, _) in enumerate(_WORDS):
        if match.span(row + 1) != (-1, -1):
            return label
    raise AssertionError("the pattern matched without any of its words")
