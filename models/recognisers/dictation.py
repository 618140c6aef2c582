"""Initials of who dictated and who typed: `JRS/mk`, `JS:mlk`, `D: 3/4 T: 3/5 mlk`, or alone below.

Each of the two is a DOCTOR, as in i2b2 2014. The two must be written as such: capitals before
small letters, or a word for dictation beside them, or a line of their own behind a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...dictionaries import phrase_set
from ..core.documents import Context, Document
from ..core.spans import Candidate
from .name_words import FIELD_WORDS, FUNCTION_WORDS, NO_INITIALS, common_words, credentials
from .patterns import disjoint, pattern, view
from .probe import TextProperty

NAME = "dictation"
LABELS = ("DOCTOR",)
# 24 of 24 right: english_clinical_sample 2/2, demo/train 22/22.
# `python -m benchmarks.rules --scores`.
SCORE = 0.9615

# Capitals, then small letters, the usual form; nothing else of a line but dates and job numbers
# may stand behind it.
_PAIR = re.compile(r"(?<![\w/:.&-])([A-Z]{2,4})([/:])([a-z]{2,4})(?![\w/&-]|[.:]\w)")
# The same in one case, only below or behind a word for it, or alone on a line.
_NAMED = re.compile(
    r"(?i:\b(?:dictated|transcribed|typed|transcriptionist|typist|dict|trans|initials)(?: by)?)"
    r"(?:[ \t]{0,4}:[ \t]{0,4}|[ \t]{1,4})([A-Za-z]{2,4})(?:[/:]([A-Za-z]{2,4}))?(?![\w/-])"
)
_LINE_PAIR = re.compile(
    r"(?:^|\n)[ \t]{0,40}([A-Za-z]{2,4})[/:]([A-Za-z]{2,4})"
    r"(?=[ \t]{0,8}(?:\r?(?:\n|\Z)|  |\t|[DTdt][: ]{1,2}\d|\d{1,2}[-/]\d))"
)
# "T: 3/5/14 mlk" and "T: mlk": who typed it stands behind the day.
_TYPED = re.compile(
    r"\b[DT]:? {0,2}\d{1,2}[-/]\d{1,2}[-/]\d{2,4}(?: {1,2}\d{1,2}:?\d{2})?[ \t]{1,4}([a-z]{2,3})"
    r"(?=[ \t]{0,8}(?:\r?\n|\Z))"
)
_TYPED_SHORT = re.compile(
    r"(?:^|\n|  |\t)[ \t]{0,8}T: ?([a-z]{2,3})(?=[ \t]{0,8}(?:\r?(?:\n|\Z)|  |\t))"
)
_BEHIND_NAME = re.compile(
    r"\b(?:MD|DO|NP|PA-C|M\.D\.|D\.O\.|DDS"
    r"|PhD)[ \t]{1,24}([a-z]{2,3})[/:]([a-z]{2,3})(?=[ \t]{0,8}(?:\r?\n|\Z|  |\t))"
)
# Initials alone on the last line.
_LAST = re.compile(r"\n[ \t]{0,40}([A-Z]{2,3}|[a-z]{2,3})[ \t]{0,8}\s{0,8}\Z")
# What those above need, to be looked for first, at a tenth of their price; ſ is s in any case.
# A day or its letter may stand right behind the initials: "JS/mk12/3/14", "JS/mkloD: 12/3".
_BEFORE_TYPIST = pattern(r"[/:][a-z]{2,4}(?:\b|[dt0-9])")
_MAY_NAME = pattern(
    r"(?:dictated|tran[s?]cribed|typed|tran[s?]criptioni[s?]t|typi[s?]t|dict|tran[s?]|initial[s?])"
    r"[ \t:]"
)
_MAY_TYPE = pattern(r"[dt]:? {0,2}[0-9]{1,2}[-/][0-9]|(?:^|[ \t\n])t: ?[a-z]{2}")
_LAST_REACH = 64
_NO_INITIALS = phrase_set("dictation_no_initials_en")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one DOCTOR per pair of initials' half, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found: list[tuple[int, int]] = []
    for sign in _BEFORE_TYPIST.finditer(seen):
        middle = sign.start()
        if text[middle] in "/:" and text[max(0, middle - 2) : middle].isalpha():
            found += _around(text, middle)
    if any(_MAY_NAME.finditer(seen)):
        for match in _NAMED.finditer(text):
            found += _halves(match)
    if any(_MAY_TYPE.finditer(seen)):
        for searched in (_TYPED, _TYPED_SHORT):
            found += [match.span(1) for match in searched.finditer(text) if _is_initials(match[1])]
    if _ENDS_WITH_INITIALS(text):
        last = _last(text)
        assert last
        found.append(last.span(1))
    yield from disjoint(Candidate(start, end, "DOCTOR", NAME, SCORE) for start, end in found)


def _last(text: str) -> re.Match[str] | None:
    last = _LAST.search(text, max(0, len(text) - _LAST_REACH))
    return last if last and _is_initials(last[1]) else None


_ENDS_WITH_INITIALS = TextProperty(lambda text: _last(text) is not None)


def _around(text: str, middle: int) -> Iterator[tuple[int, int]]:
    """The initials on both sides of a `/` or `:`, in each of the forms."""
    for start in range(max(0, middle - 4), middle - 1):
        pair = _PAIR.match(text, start)
        if pair and _are_initials(pair[1], pair[3]) and _ends_line(text, pair.end()):
            yield from (pair.span(1), pair.span(3))
    line = text.rfind("\n", max(0, middle - 45), middle)
    pair = _LINE_PAIR.match(text, max(0, line)) if line >= 0 or middle < 45 else None
    if pair:
        yield from _halves(pair)
    # Twenty code points behind it are more than the pattern can reach.
    for pair in _BEHIND_NAME.finditer(text, max(0, middle - 36), middle + 20):
        yield from (pair.span(1), pair.span(2))


def _halves(match: re.Match[str]) -> list[tuple[int, int]]:
    """Both initials, or the one; none if they are words."""
    halves = [half for half in match.groups() if half]
    # Whose initials come first may be those of a degree: "BS/ak".
    if _is_initials(halves[-1]) and (
        _may_dictate(halves[0]) if len(halves) > 1 else _is_initials(halves[0])
    ):
        return [match.span(1 + at) for at in range(len(halves))]
    return []


def _are_initials(dictated: str, typed: str) -> bool:
    return (
        _is_initials(typed)
        and dictated.lower() not in credentials(NO_INITIALS)
        and dictated.lower() not in _NO_INITIALS
    )


def _may_dictate(letters: str) -> bool:
    lower = letters.lower()
    return (letters.islower() or letters.isupper()) and not (
        lower in _NO_INITIALS
        or lower in FUNCTION_WORDS
        or (lower in common_words() and lower not in credentials(NO_INITIALS))
    )


def _is_initials(letters: str) -> bool:
    lower = letters.lower()
    return (
        lower not in common_words()
        and lower not in FUNCTION_WORDS
        and lower not in FIELD_WORDS
        and lower not in credentials(NO_INITIALS)
        and lower not in _NO_INITIALS
        and (letters.islower() or letters.isupper())
    )


_BEHIND = re.compile(
    r"[ \t]{0,40}(?:\r?\n|\Z|[DTdt][: ]|(?:DD|DT|TD|TT|Job|job|cc|Doc|Dictated)\b|\d{1,2}[-/]|["
    r"|(,;#])"
)


def _ends_line(text: str, end: int) -> bool:
    return _BEHIND.match(text, end) is not None
