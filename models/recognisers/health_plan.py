"""Health plan numbers: member, policy and group numbers, Medicare and Medicaid numbers.

By word, by the name of a payer, and two by shape alone.

Sources of the shapes: CMS, "Understanding the Medicare Beneficiary Identifier (MBI) Format"
(positions, no S, L, O, I, B, Z); the Health Insurance Claim Number that it replaced in 2018 is the
social security number of the earner and a code of whose benefit it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .named_numbers import candidates, count_digits, is_capital, named, words
from .patterns import after, number_is_whole, pattern, stands_alone, view

NAME = "health_plan"
LABELS = ("HEALTHPLAN",)
# 73 of 74 right: english_clinical_sample 3/3, demo/train 13/13, asq_phi 57/58.
# `python -m benchmarks.rules --scores`.
SCORE = 0.9737

# Programmes and insurers whose name is followed by the number itself.
_PAYER = (
    r"aetna|amerigroup|anthem|blue ?(?:cross|shield)|bcbs\w{0,2}|carefirst|centene|champva|cigna"
    r"|delta ?dental|emblem ?health|guardian|harvard pilgrim|healthpartners|highmark|humana"
    r"|independence|kaiser|masshealth|medica|metlife|molina|optum|oscar|tufts|uhc"
    r"|united ?health(?:care)?|wellcare|wellpoint|umwa|ohp|tenncare|badgercare|soonercare"
    r"|peachcare|husky|mutual of omaha|railroad"
)
_WORDS = words(
    r"(?:health ?plan|plan|member(?:ship)?|subscriber|beneficiary|policy|policyholder"
    r"|insur(?:ance|ed)?|ins\.?|group|grp|sponsor"
    r"|cert(?:ificate)?|medicare"
    r"|medicaid|medi-cal|hmo|tricare|payer|payor|coverage|dental|hbn|pol"
    rf"|{_PAYER})(?: \w{{2,12}})?,? ?(?:#|no\b|number|id)"
    rf"|(?:ins\.?|insurance|payer|payor):? (?:{_PAYER})(?: id)?"
    r"|rx ?(?:bin|pcn|grp|group)|hicn?|mbi|hbn|hic ?#|nass"
    r"|nuss|nss|tarjeta sanitaria|número de (?:asegurado|afiliación)",
    r"medicare|medicaid|medi-cal|insurance|ins|health plan|plan|member|policy|subscriber"
    rf"|beneficiary|hmo|ppo|tricare|grp|pol|(?:{_PAYER})(?: card)?",
)
# "Group 2" and "group: 12345" differ by the colon.
_GROUP = words(r"group ?[:#]|grp[:#]?")
_MBI = pattern(
    r"[1-9][ac-hj-kmnp-rt-y][0-9ac-hj-kmnp-rt-y][0-9]-?[ac-hj-kmnp-rt-y][0-9ac-hj-kmnp-rt-y][0-9]"
    r"-?[ac-hj-kmnp-rt-y]{2}[0-9]{2}"
)
_HICN = pattern(r"\d{3}-\d{2}-\d{4}-?(?:[a-dfhjkmtw][0-9a-z]?)")
# HCPCS level II, by which Medicare is billed: "Medicare G0439" is a visit.
_PROCEDURE = pattern(r"[a-v]\d{4}")
_PLAN_TEXT = re.compile(r" ?(?:formulary|deductible|\$)")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one HEALTHPLAN per number, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = [
        (start, end)
        for names in (_WORDS, _GROUP)
        for _, start, end in named(text, seen, names, long_groups=True)
        if not _PROCEDURE.fullmatch(seen[start:end])
        and b"/" not in seen[start:end]
        and not _PLAN_TEXT.match(after(seen, end, 12))
    ]
    for shape in (_MBI, _HICN):
        for match in shape.finditer(seen):
            start, end = match.span()
            if (
                stands_alone(text, start, end)
                and number_is_whole(text, start, end)
                and is_capital(text, start, end)
                and count_digits(seen[start:end]) > 3
            ):
                found.append((start, end))
    yield from candidates(found, "HEALTHPLAN", NAME, SCORE)
