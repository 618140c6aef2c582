r"""Telephone, fax and record numbers, e-mail and IP addresses, by the rules of HITSZ.

Source: Liu et al. 2015, "Automatic de-identification of electronic medical records using
token-level and character-level conditional random fields", §3.3 and Table 2. It belongs to the
recipe `hitsz` and runs only where it is named: the rules that run by default find more.

Table 2 prints its expressions damaged; here each is what the remark beside it shows:

    PHONE          (ddd)ddd-dddd, after the bracket a blank, hyphen or tab or nothing, before the
                   last four digits one of them    "(871) 720-9439"
    PHONE          ddd-ddd-dddd, each hyphen may be a blank or a tab    "171-289-0968"
    PHONE          ddd-dddd    "659-5187", printed as four digits and four digits
    FAX            the first number of the form of the second PHONE behind "Fax" or "fax", on its
                   line    "Fax: 648-875-5821"
    MEDICALRECORD  ddd-dd-dd-d, each hyphen may be a blank    "453-39-84-4"
    MEDICALRECORD  ddd-dd-dd, likewise    "544-84-52"
    EMAIL          a word of letters, digits, `_` and `.`, "@", a domain that ends in .com or .org
                   "gmichael@kcm.org"
    IPADDR         four numbers of one to three digits, dots between them    "198.168.2.78"

Deviations: no match is a piece of a longer word or number ("1-871-720-9439" is none); behind "Fax"
the number is looked for within 40 characters (the paper: any number, and `.*` takes the last one of
a line); parts of an e-mail address have at most 64 characters. Of matches that overlap the leftmost
and longest stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .matching import Pattern
from .patterns import before, disjoint, number_is_whole, pattern, stands_alone, view

NAME = "liu_2015"
LABELS = ("EMAIL", "FAX", "IPADDR", "MEDICALRECORD", "PHONE")
# 107 of 111 right: english_clinical_sample 15/17, demo/train 46/48, asq_phi 46/46.
# `benchmarks.rules.measure`.
SCORE = 0.9558

_NUMBERS: tuple[tuple[str, Pattern], ...] = (
    ("PHONE", pattern(r"\(\d{3}\)[- \t]?\d{3}[- \t]\d{4}")),
    ("PHONE", pattern(r"\d{3}[- \t]\d{3}[- \t]\d{4}")),
    ("PHONE", pattern(r"\d{3}-\d{4}")),
    ("MEDICALRECORD", pattern(r"\d{3}[- ]\d{2}[- ]\d{2}(?:[- ]\d)?")),
    ("IPADDR", pattern(r"\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}")),
)
_FAX = re.compile(r"fax\D{0,40}$")
_FAX_WINDOW = 43
_DOMAIN = pattern(r"@([a-z0-9_.]{1,64})\.(com|org)")
_LOCAL = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.")
_LONGEST_LOCAL = 64


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields candidates left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = list(_numbers(text, seen))
    found += [(start, end, "EMAIL") for start, end in _addresses(text, seen)]
    yield from disjoint(Candidate(start, end, label, NAME, SCORE) for start, end, label in found)


def _numbers(text: str, seen: bytes) -> Iterator[tuple[int, int, str]]:
    for label, rule in _NUMBERS:
        for match in rule.finditer(seen):
            start, end = match.span()
            if not number_is_whole(text, start, end) or not stands_alone(text, start, end):
                continue
            fax = (
                label == "PHONE"
                and end - start == 12
                and _FAX.search(before(seen, start, _FAX_WINDOW)) is not None
            )
            yield start, end, "FAX" if fax else label


def _addresses(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    reach = 0
    for match in _DOMAIN.finditer(seen):
        at, end = match.span()
        start = at
        while start > max(reach, at - _LONGEST_LOCAL) and seen[start - 1] in _LOCAL:
            start -= 1
        if start < at and stands_alone(text, start, end):
            yield start, end
            reach = end
