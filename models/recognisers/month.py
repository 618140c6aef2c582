"""Names of months alone: "since March", "in June", "RTC Nov.", "April-June".

"may" and "march" are verbs, May, June, April and August are names, MAR is the list of medicines
given and dec. a decrease: these need a word for time, or another month, beside them. Months with a
day or a year are the business of the rule `date`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...dictionaries import phrase_set, word_set
from ..core.documents import Context, Document
from ..core.spans import Candidate
from .datewords import MONTH, UNITS
from .patterns import after, before, disjoint, is_word, pattern, previous_word, view

NAME = "month"
LABELS = ("DATE",)
# 30 of 30 right: english_clinical_sample 5/5, demo/train 24/24, asq_phi 1/1.
# `python -m benchmarks.rules --scores`
SCORE = 0.9688

_MONTH = pattern(rf"\b{MONTH}\b")
_LONG = word_set(
    "january february july september october november december enero febrero junio septiembre"
    " setiembre octubre noviembre diciembre"
)
_CUES = phrase_set("month_cues_en")
_END_CUES = re.compile(
    r"\b(?:end|beginning|start|middle|first week|last week|week|week or two|month|mes|principios"
    r"|finales|mediados) (?:of|de) $"
)
# Abbreviations that are nothing else when written with a capital; the others are also names, or
# mean a decrease or the list of medicines.
_CLEAR = word_set("Feb Apr Aug Sept Sep Oct Nov")
_OTHER = word_set("Jan Mar Jun Jul Dec")
_LINKED = re.compile(
    r"(?<![a-z])(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)"
    r"(?:uary|ruary|ch|il|ust|tember|ober|ember)?\.? ?(?:-|/|to|,|and|or|through|thru) ?$"
)
_LINKS = re.compile(
    r"\.? ?(?:-|/|to\b|,|and\b|or\b|through\b|thru\b) ?(?:jan|feb|mar|apr|may|june?|july?|aug|sept?"
    r"|oct|nov|dec)(?:uary|ruary|ch|il|ust|tember|ober|ember)?\b"
)
# A day or a year beside it, as the rule `date` finds them.
_DAY_LEFT = re.compile(
    r"(?:^|[^\w.,:/-])[0-3]?\d(?:st|nd|rd|th)?(?: (?:day )?of | de |[ .-]{0,2})$"
)
_DAY_RIGHT = re.compile(
    r"\.?(?: ?,? {1,2}(?:the |of )?|-|/| del? (?:a\xf1o )?)"
    r"(?:[0-3]?\d(?:st|nd|rd|th)?(?![\w:%]|[.,]\d)|'\d{2}\b|(?:19|20)\d{2}\b)"
)
_NO_MONTH_RIGHT = ("clinic", "'s", "be ", "have ", "need ", "of dimes")
_THIS_YEAR = re.compile(r" (?:of )?(?:this|last|next|that|the same) year\b")
_TITLES = word_set("dr mr mrs ms miss np rn pa md sister aunt nurse wife daughter mother")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one DATE per month, left to right and without overlap."""
    text = document.text
    seen = view(text)
    yield from disjoint(
        Candidate(*match.span(), "DATE", NAME, SCORE)
        for match in _MONTH.finditer(seen)
        if _stands_for_month(text, seen, *match.span())
    )


def _stands_for_month(text: str, seen: bytes, start: int, end: int) -> bool:
    if is_word(text, start - 1) or is_word(text, end):
        return False
    left, right = before(seen, start, 24), after(seen, end, 24)
    if _DAY_LEFT.search(left) or ((day := _DAY_RIGHT.match(right)) and not _measured(right, day)):
        return False
    name = text[start:end]
    folded = name.lower()
    if folded in _LONG:
        return True
    word = previous_word(left)
    if right.lstrip().startswith(_NO_MONTH_RIGHT) or word in _TITLES:
        return False
    capital = text[end : end + 1] in ("-", " ") and text[end + 1 : end + 2].isupper()
    titled = _LINKS.match(right) or right.startswith((" dr", " mr", " ms"))
    if name.istitle() and capital and not titled:
        # "in May Tanaka's room", "April Weathers": names, but not "next Dec Dr. Shah".
        return False
    if folded == "mayo" and word not in ("en", "desde", "hasta", "de", "mes"):
        # A clinic and a surname.
        return False
    if name.istitle() and _THIS_YEAR.match(right):
        return True
    cue = word in _CUES or _END_CUES.search(left) is not None
    if len(folded) <= 4 and folded not in ("may", "june", "july", "mayo"):
        if name.istitle() or (name.isupper() and cue and folded not in ("mar", "oct", "dec")):
            if name in _CLEAR and right[:1] in (".", ",", ";", ")", "]", "", ":", "-", "/"):
                return word not in ("ct", "oct")
            return (cue and right[1:2] != ".") or _is_other(name, right, left)
        # "in mar", "last dec": the medication record, a decrease.
        return word in ("til", "till", "until", "since", "last", "next") and folded not in (
            *("mar", "dec", "oct"),
        )
    if cue:
        return not name.islower() or folded not in ("may", "march") or word in ("since", "until")
    return (
        name[:1].isupper()
        and (_LINKED.search(left) is not None or _LINKS.match(right) is not None)
        or (
            name.istitle() and word in ("office", "visit", "crisis", "done", "back", "by", "before")
        )
        and right[:1] in (".", ",", ";", ")", "")
    )


def _measured(right: str, day: re.Match[str]) -> bool:
    return UNITS.match(right[day.end() :]) is not None


def _is_other(name: str, right: str, left: str) -> bool:
    if name not in _OTHER and name not in _CLEAR:
        return False
    if _LINKED.search(left) or _LINKS.match(right):
        return True
    return right[:1] in (")", "]") and left[-1:] in (" ", "?") or left.endswith("?")
