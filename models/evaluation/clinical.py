"""Clinical terms destroyed: how much of a note's medical content is removed along with the PHI.

A term is a phrase of a dictionary (drugs, findings, eponyms), a dose or a vital sign. Only terms
outside gold spans count, since gold spans should be removed. A term is destroyed if any of its
characters is removed.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping

import numpy as np

from ...dictionaries import load
from ..core.arrays import Flags, Ints
from ..redaction.phrases import Occurrence, PhraseMatcher, fold, has_word
from .comparison import Comparison, FindTerms, count_by_document, covered
from .portions import Portions

LISTS: Mapping[str, str] = {"medical words": "medical_words_en", "eponyms": "eponyms_en"}
"""Kind -> the shipped dictionary that is used by default."""

_UNITS = (
    r"mg|mcg|µg|μg|ug|kg|g|gm|gr|ml|cc|dl|l|mmol|mol|meq|units?|iu|u|tabs?|tablets?|caps?|capsules?|"
    r"puffs?|drops?|gtts?|mmhg|bpm|cm|mm|msec|%"
)
_NUMBER = r"\d{1,6}(?:[.,]\d{1,3})?"
_DOSE = (
    rf"(?<![\w.,/]){_NUMBER}(?:\s?-\s?{_NUMBER})?\s?(?:{_UNITS})(?:/(?:{_UNITS}|hr?|min|day|d))?"
    r"(?!\w)"
)
_VITAL = (
    r"(?<!\w)(?:(?:BP|blood pressure|tension arterial|TA)\W{0,3}\d{2,3}/\d{2,3}"
    r"|(?:HR|heart rate|pulse|RR|resp(?:irat(?:ory|ions?))?(?: rate)?|FC|FR)\W{0,3}\d{1,3}"
    r"|(?:SpO2|SaO2|O2 sat|sats?)\W{0,3}\d{2,3}\s?%?"
    r"|(?:temp(?:erature)?|T|Tmax)\W{0,3}(?:3[4-9]|4[0-3]|9\d|10\d)(?:[.,]\d)?)(?![\w/])"
)
_PATTERN = re.compile(f"(?P<vital>{_VITAL})|(?P<dose>{_DOSE})", re.IGNORECASE)
"""Bounded, so matching is linear; `SpO2 98%` is a vital sign and not also a dose."""

_KINDS = {"vital": "vital signs", "dose": "doses and units"}

TOTAL = "all terms"
CHARACTERS = "characters of terms"


def term_finder(lists: Mapping[str, Iterable[str]]) -> FindTerms:
    """A function that finds the terms of a text: phrases, doses and vital signs.

    Args:
        lists: kind -> phrases; case, the encoding of accents and white space do not matter.

    Returns:
        Text -> terms as (start, end, kind).
    """
    matcher = PhraseMatcher(
        {
            kind: [folded for phrase in phrases if has_word(folded := fold(phrase))]
            for kind, phrases in lists.items()
        }
    )

    def find(text: str) -> list[Occurrence]:
        terms = list(matcher.find(text))
        for match in _PATTERN.finditer(text):
            terms.append((*match.span(), _KINDS[match.lastgroup or ""]))
        return terms

    return find


@functools.cache
def shipped_terms() -> FindTerms:
    """`term_finder` of the shipped dictionaries."""
    return term_finder({kind: load(name).phrases for kind, name in LISTS.items()})


def find_destroyed_terms(comparison: Comparison) -> Portions:
    """Terms outside gold spans that lose a character, by kind; and the characters of terms.

    Overlapping phrases of one kind all count; a character of several terms counts once.
    """
    size = int(comparison.text_offsets[-1])
    before = [
        np.concatenate(([0], np.cumsum(flags, dtype=np.int64)))
        for flags in (comparison.covered(comparison.gold), comparison.removed)
    ]
    rows = [
        (document, start + shift, end + shift, kind)
        for document, (text, shift) in enumerate(
            zip(comparison.texts, comparison.text_offsets.tolist(), strict=False)
        )
        for start, end, kind in comparison.find_terms(text)
    ]
    documents, starts, ends = (np.array([row[n] for row in rows], np.int64) for n in range(3))
    outside = before[0][ends] == before[0][starts]
    touched = outside & (before[1][ends] > before[1][starts])

    def count(flags: Flags) -> Ints:
        return np.bincount(documents[flags], minlength=len(comparison)).astype(np.int64)

    kinds = np.array([row[3] for row in rows], np.str_)
    parts = {TOTAL: (count(touched), count(outside))}
    for kind in sorted(set(kinds.tolist())):
        parts[kind] = (count(touched & (kinds == kind)), count(outside & (kinds == kind)))
    terms = covered(starts[outside], ends[outside], size)
    parts[CHARACTERS] = (
        count_by_document(terms & comparison.removed, comparison.text_offsets),
        count_by_document(terms, comparison.text_offsets),
    )
    return Portions(parts)
