"""Licence and certificate numbers of people and laboratories; NPI and DEA have rules of their own.

By word, by register (GMC, AHPRA, HPCSA), by shape (a CLIA number is two digits, D and seven
digits), and in a signature: the number that follows a credential ("Delphine Roux, MD   MD 188204")
is the licence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .named_numbers import candidates, count_digits, has_own_prefix, is_capital, named, words
from .patterns import is_word, number_is_whole, pattern, stands_alone, view

NAME = "license"
LABELS = ("LICENSE",)
# 12 of 12 right: english_clinical_sample 2/2, demo/train 10/10.
# `python -m benchmarks.rules --scores`.
SCORE = 0.9286

_STATE = (
    r"(?:a[klrz]|c[aot]|d[ce]|fl|ga|hi|i[adln]|k[sy]|la|m[adeinost]|n[cdehjmvy]|o[hkr]|pa|ri|s[cd]"
    r"|t[nx]|ut|v[at]|w[aivy])"
)
# Registers of professions, whose letters mean nothing else.
_REGISTERS = (
    # United Kingdom, Ireland
    r"gmc|gdc|nmc|hcpc|gphc|goc|gcc|rcvs|psni reg|imc|nmbi|coru"
    # Canada
    r"|cpso|cpsbc|cpsa|cpsm|cmq|oiiq|bccnm|crpo|ocswssw"
    # Australia, New Zealand
    r"|ahpra|mcnz|ncnz|pcnz|mrb"
    # India, Pakistan, Bangladesh, Sri Lanka
    r"|mci|nmc|tnmc|kmc|tcmc|mmc reg|cgmc|msmc|wbmc|apmc|tsmc|upmci|gmc reg|rmc reg|inc reg|pmdc"
    r"|pmc reg|pnc reg|bmdc|slmc"
    # Singapore, Malaysia, Hong Kong
    r"|mcr|snb reg|mmc no|mpm|hkmc"
    # Africa, Caribbean
    r"|hpcsa|sanc|sapc|mdcn|nmcn|pcn reg|kmpdc|kmpdb|nck|mdc reg|mcj|mcb|umdpc"
    # Gulf
    r"|qchp|omsb|scfhs|nhra|haad"
)
# Registers whose letters are a cell, a college, a ministry or a hospital as well.
_ALSO_OTHER = r"prc|cpo|cno|coc|bmc|mmc|dmc|pmc|smc|doh|moh|psi|prov|gms"
_REGISTERED = r"(?: ?(?:reg\w*\.?|lic\w*\.?|pin))?"
_WORDS = words(
    r"(?:driver'?s?|driving|state|medical|physician|nursing|rn|lpn|pharmacy|professional|provider"
    rf"|commercial|operator'?s?) ?(?:licen[sc]e|lic|cert)\.?(?: {_STATE})?"
    rf"|dl ?(?:#|:|no\b)(?: {_STATE})?|operator'?s? ?(?:#|no\b|number)"
    r"|lic(?:ense|ence)?\.? ?(?:#|no\b|number|id)|certificat(?:e|ion) ?(?:#|no\b|number)"
    rf"|clia|ncpdp|nabp|(?:{_REGISTERS}){_REGISTERED}|(?:{_ALSO_OTHER}) ?(?:reg\w*\.?|lic\w*\.?)"
    rf"(?: ?(?:#|no\b|number))?|(?:{_ALSO_OTHER}) ?(?:#|no\b|number|pin\b)"
    r"|prov(?:ider)? ?(?:#|no\b|number)|prescriber ?(?:#|no\b|number)"
    r"|(?:pcns|bhf)(?: practice)? ?(?:#|no\b|number)|ptr ?(?:#|no\b)"
    r"|accred(?:itation|\.)? ?(?:no\b)?|lto"
    r"|cred(?:ential)?s? ?(?:#|no\b|id)?"
    r"|n[º°o]?\.? ?(?:de )?col(?:egiado|\.)?|colegiado|lic\.?",
    rf"licen[sc]e(?: {_STATE})?|{_STATE} c?dl|cdl(?: {_STATE})?|licensure|certificate"
    rf"|(?:{_ALSO_OTHER})\b|provider",
)
# CLIA; the Dubai Health Authority's.
_SHAPE = pattern(r"\d{2}d\d{7}|dha-[a-z]{1,3}-\d{5,8}")
# What the letters before the digits of a signature may be beside a part of the number.
_REGISTER = re.compile(rf"(?:{_REGISTERS}|{_ALSO_OTHER}|lto)[-. ]", re.IGNORECASE)
# New Zealand's common person number ("HPI" is the history of an illness too), and the Philippine
# professional tax receipt.
_FORMED = pattern(
    r"\bhpi(?:[ -]?(?:cpn|no\b\.?|number))?[ :#=]{1,4}(\d\d(?:[a-xz][a-z]|y[a-np-z])[a-z]{2})\b"
    r"|\bptr[ :#=.]{1,4}(\d{7})\b"
)
_CREDENTIAL = pattern(
    r"\b(?:m\.?d\.?|d\.?o\.?|r\.?n\.?|lpn|lvn|aprn|arnp|c?rnp|np|fnp(?:-b?c)?|pa(?:-c)?|cnm|crna"
    r"|d?pt|otr/?l?|cht|slp|ccc-slp|rrt|crt|rph|pharmd|lcsw|lmsw|lisw(?:-s)?|msw|lpc|lmft|lgc|cgc"
    r"|psyd|ph\.?d\.?|d[dm]d|dds|od|dpm|dc|emt(?:-[pb])?|ccp|mph|rd|rdn|faap|facp|facs)"
    rf"(?: {{2,24}}|\t{{1,4}}| ?\( ?|, )(?:{_STATE} {{1,2}})?"
    r"([a-z]{1,4}[-. ]?\d{4,8}(?:-[a-z])?|\d{2}[a-z]{2} ?\d{6,8})"
)


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one LICENSE per number, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = [(start, end) for _, start, end in named(text, seen, _WORDS, long_groups=True)]
    for match in _SHAPE.finditer(seen):
        start, end = match.span()
        if stands_alone(text, start, end) and is_capital(text, start, end):
            found.append((start, end))
    for match in _FORMED.finditer(seen):
        start, end = match.span(1 if match.start(1) >= 0 else 2)
        if (
            not is_word(text, match.start() - 1)
            and stands_alone(text, start, end)
            and is_capital(text, start, end)
        ):
            found.append((start, end))
    for match in _CREDENTIAL.finditer(seen):
        start, end = match.span(1)
        if (
            not is_word(text, match.start() - 1)
            and not is_word(text, end)
            and number_is_whole(text, start, end)
            and is_capital(text, start, end)
            and count_digits(seen[start:end]) > 3
            and has_own_prefix(seen[start:end])
            and not _REGISTER.match(seen[start:end].decode("latin-1"))
        ):
            found.append((start, end))
    yield from candidates(found, "LICENSE", NAME, SCORE)
