"""Dates of figures without separators, as HL7 and forms write them.

"20120304", with a time and zone behind it "20120304101112-0500", and behind a word for a date also
"DOB 03041961" and "DOS 030412". The span is the date, since times of day are none.

Source: HL7 v2.x, chapter 2A, data types DT and TS: YYYY[MM[DD[HH[MM[SS[.S[S[S[S]]]]]]]]][+/-ZZZZ].
"""

from __future__ import annotations

from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .datewords import is_day, is_piece
from .number_words import names_a_number
from .patterns import before, disjoint, is_word, pattern, view

NAME = "timestamp"
LABELS = ("DATE",)
# 7 of 7 right: english_clinical_sample 3/3, demo/train 4/4.
# `python -m benchmarks.rules --scores`
SCORE = 0.8889

_COMPACT = pattern(
    r"((?:19|20)\d{2})(\d{2})(\d{2})(?:T?([01]\d|2[0-3])[0-5]\d(?:[0-5]\d(?:\.\d{1,4})?)?"
    r"(?:[-+][01]\d[0-5]\d|Z)?)?"
)
_BEHIND_CUE = pattern(
    r"\b(?:d\.?o\.?b\.?|birth ?date|date of (?:birth|service|death|admission|discharge|visit)|dos"
    r"|fecha(?: de \w{1,12})?|date)(?: ?[:=#.|]| is){0,2} {0,2}"
    r"(?:(\d{2})(\d{2})((?:19|20)\d{2})|(\d{2})(\d{2})(\d{2}))"
)


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one DATE per date, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = [*_year_first(text, seen), *_behind_cue(text, seen)]
    yield from disjoint(Candidate(start, end, "DATE", NAME, SCORE) for start, end in found)


def _year_first(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _COMPACT.finditer(seen):
        start, end = match.start(), match.end(3)
        if (
            is_day(int(seen[match.start(2) : match.end(2)]), int(seen[match.start(3) : end]))
            and not is_piece(text, start, match.end(), "./-")
            and not is_word(text, start - 1)
            and not is_word(text, match.end())
            and not names_a_number(before(seen, start))
        ):
            yield start, end


def _behind_cue(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _BEHIND_CUE.finditer(seen):
        first = 1 if match.start(1) >= 0 else 4
        start, end = match.start(first), match.end()
        month, day = (int(match.group(n) or b"0") for n in (first, first + 1))
        if (
            (is_day(month, day) or is_day(day, month))
            and not is_word(text, match.start() - 1)
            and not is_piece(text, start, end, "./-")
            and not is_word(text, end)
        ):
            yield start, end
