"""Seasons: "last summer", "in the fall of 2007", "winter 2010", "until spring".

A fall is more often an accident: it counts with a year, with "the" before and a verb of time, or as
"last fall" where nothing says that somebody fell. A spring may hold a brace or be a town.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .patterns import after, before, disjoint, is_word, pattern, previous_word, view

NAME = "season"
LABELS = ("DATE",)
# 5 of 5 right: english_clinical_sample 1/1, demo/train 4/4. asq_phi annotates no
# seasons.
# `python -m benchmarks.rules --scores`
SCORE = 0.8571

_SEASON = pattern(
    r"\b(?:(spring|summer|fall|autumn|winter)((?: of|,)?[ \n]'?(?:19|20)?\d{2})?"
    r"|((?:primavera|verano|otoño|invierno) de(?:l año)? (?:19|20)\d{2}))\b"
)
_TIME = re.compile(
    r"(?:^|[^a-z])(?:in|for the|during|since|by|before|after|until|till|til|early|late|mid|last"
    r"|next|this|every|each|over|through|thru|from|around|past|previous)(?:[ -]the)?(?: early| late"
    r"| mid| end of)?[ -]$"
)
_FALL = re.compile(
    r"(?:^|[^a-z])(?:in the|last|next|this|until|til|till|early|late|in|by|during the|since last"
    r"|every)[ -]$"
)
# What tells of an accident: "her last fall", "last fall was bad", "fall risk".
_FELL_BEFORE = re.compile(
    r"\b(?:her|his|their|the|of|time|date|pt's|patient's|s/p|no|a|one|since the|after|with) last $"
)
_FELL_AFTER = re.compile(
    r" (?:was|occurred|happened|from|on|onto|out|down|risk|prevention|precaution|with|when|while|w/"
    r"|which|resulted|resulting|clinic|screen|assess|injur|mat|alarm|\d{1,2}[ /-]|~|yesterday|today"
    r"|event|about|approximately|over|due|in (?:her|his|the (?:bath|kitchen|hall|shower|home|yard"
    r"|street)))|[:=]|s\b| ?-"
)
_NO_SPRING = re.compile(
    r" (?:of (?!19|20)|water|loaded|swing|mattress|valley|hill|lake|house|ligament|plate|board"
    r"|roll|road|street|st\b|ave|creek|coil|haven|field|onion|garden|hart|camp|s\b)|[-s]\b"
)


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one DATE per season, with its year, left to right and without overlap."""
    text = document.text
    seen = view(text)
    yield from disjoint(
        Candidate(start, end, "DATE", NAME, SCORE) for start, end in _seasons(text, seen)
    )


def _seasons(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _SEASON.finditer(seen):
        start, end = match.span()
        if is_word(text, start - 1) or is_word(text, end):
            continue
        if match.group(3) or (match.group(2) or b"").strip(b" ',\nofOF")[2:]:
            yield start, end
            continue
        # Two figures are the year of "fall '09" only with the apostrophe.
        short_year = b"'" in (match.group(2) or b"")
        end = end if short_year else match.end(1)
        name = text[start : match.end(1)]
        left, right = before(seen, start, 24), after(seen, match.end(1), 24)
        if short_year or _is_season(name, left, right, text[match.end(1) : match.end(1) + 2]):
            yield start, end


def _is_season(name: str, left: str, right: str, beside: str) -> bool:
    if not name.islower() and beside[:1] == " " and beside[1:].isupper():
        # "Summer Hart", "in Spring Valley", "SUMMER HAVEN"
        return False
    if name.lower() == "fall":
        return (
            _FALL.search(left) is not None
            and _FELL_BEFORE.search(left) is None
            and _FELL_AFTER.match(right) is None
        )
    if name.lower() == "spring" and (
        _NO_SPRING.match(right) or (name != "spring" and previous_word(left) in ("in", "from"))
    ):
        return False
    return _TIME.search(left) is not None and not right.startswith((" camp", " school", "'s", "-"))
