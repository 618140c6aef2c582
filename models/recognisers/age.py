"""Ages over 89, and the words for them.

45 CFR 164.514(b)(2)(i)(C) asks that they be removed or put into one class of 90 and older. The span
is the number only, as in i2b2 2014. Younger ages are the tagger's business: they identify
nobody.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..documents import Context, Document
from ..spans import Candidate
from .matching import after, before, disjoint, is_word, number_is_whole, pattern, view

NAME = "age"
LABELS = ("AGE",)
# 10 of 10 right, all Spanish: meddocan 10/10. English forms are only in the table of tests.
# `python -m benchmarks.rules <corpus>.jsonl --labels <corpus>` on the training parts.
SCORE = 0.9167

# The oldest person on record reached 122.
_AGE = r"(9\d|1[01]\d|12[0-4])"
_BEHIND = pattern(
    _AGE + r"(?:[ -]?(?:years?|yrs?|y)[ -]{0,2}(?:/ ?)?(?:olds?|of age|o\b)"
    r"|[ -]?(?:y[./]? ?o\b|yo[mf]\b|años)"
    r"|[ -]?(?:years?|yrs?|y)\.?,? ?(?:male|female|man|woman|lady|gentleman|patient|[mf]\b)"
    r"|[ -]?(?:years?|yrs?)\b|y\b"
    r"| ?(?:male|female|man|woman)\b|m\b|f\b)"
)
_AHEAD = pattern(
    r"\b(?:aged?|edad)(?:/sex)?(?: ?[:=]| of| at| is| was| the| death| de| del| paciente){0,3} ?"
    + _AGE
)
_DECADE = pattern(r"\b(?:his|her|their|the patient's) (?:early |mid[ -]?|late )?((?:9|10|11)0s)\b")
_WORD = pattern(r"\b(?:(?:semi-?)?super ?centenarian|centenarian|nonagenarian|nonagenari[oa])s?\b")
_NOT_AN_AGE = (
    "ago",
    "earlier",
    "later",
    "prior",
    "history",
    "hx",
    "before",
    "pack",
    "apart",
    "survival",
    "hence",
)
_PERSON_WORDS = ("with", "w", "w/", "who", "s/p", "presents", "presenting", "admitted")
_TEMPERATURE_WORDS = ("t", "temp", "temperature", "tm", "tmax", "tc", "of", "to", "fever")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one AGE per number or word for an age over 89, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = [
        match.span(1) for match in _AHEAD.finditer(seen) if number_is_whole(text, *match.span(1))
    ]
    found += [match.span(1) for match in _DECADE.finditer(seen)]
    found += [match.span() for match in _WORD.finditer(seen)]
    for match in _BEHIND.finditer(seen):
        start, end = match.span(1)
        if (
            not is_word(text, start - 1)
            and not is_word(text, match.end())
            and (start == 0 or text[start - 1] not in ".,/-<>%$")
            and _is_age(seen, start, end, match.end())
        ):
            found.append((start, end))
    yield from disjoint(Candidate(start, end, "AGE", NAME, SCORE) for start, end in found)


def _is_age(seen: bytes, start: int, end: int, behind: int) -> bool:
    unit = seen[end:behind].strip().lower()
    right = after(seen, behind, 16).lstrip(" .,-").split(" ", 1)[0].rstrip(".,;:)")
    if right in _NOT_AN_AGE:
        return False
    if unit == b"f":
        # 98F is a temperature.
        left = before(seen, start, 16).rstrip(" :=,").rsplit(" ", 1)[-1]
        return left not in _TEMPERATURE_WORDS and (
            seen[start:end] < b"95" or right in _PERSON_WORDS
        )
    # 100m is a distance.
    return unit != b"m" or not seen[start:end].endswith(b"0") or right in _PERSON_WORDS
