"""United States social security numbers, and the taxpayer numbers (ITIN) of the same form.

Source: 20 CFR 422.103 and SSA's "Social Security Number Randomization" (June 2011): no area 000,
666 or 900-999 (the last are ITINs), no group 00, no serial 0000.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .matching import Match
from .number_words import names_a_number
from .patterns import before, disjoint, is_digit, is_word, pattern, stands_alone, view

NAME = "ssn"
LABELS = ("SSN",)
# 25 of 25 right: demo/train 5/5, asq_phi 20/20.
# `python -m benchmarks.rules --scores`.
SCORE = 0.963

_NINE_DIGITS = pattern(r"(\d{3})([- .]?)(\d{2})([- .]?)(\d{4})")
# The last four digits alone, also behind a mask, only beside the words.
_BEFORE_LAST_FOUR = pattern(
    r"\blast (?:four|4)(?: digits?| #)?(?: of| in| for|:| -)?(?: (?:the|his|her|their|my|pt'?s?))?"
    r" {0,2}(?:ssn?|soc(?:ial)?\.? ?sec(?:urity)?\.?)\b"
    r"(?:[ :#=(-]|number|no\.?|is|are|was){0,8}[ :#(](\d{4})"
)
_MASKED = pattern(r"\b(?:xxx?|\*{3})[-. ]?(?:xx|\*\*)[-. ]?(\d{4})|[*x]{3}-[*x]{2}-(\d{4})")
_LAST_FOUR = pattern(
    r"(?:ssn?|soc(?:ial)?\.? ?sec(?:urity)?\.?)\b(?:[ :#(*x.-]|last|four|4|digits|of|is|ends?"
    r"|ending|in|no|number){0,16}"
    r"[ :#*x.-](\d{4})"
)
_CUE = re.compile(r"\b(?:ssn?\b|social sec|soc\.? ?sec|itin\b|taxpayer)")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one SSN per number, left to right and without overlap.

    Without a word for it only `ddd-dd-dddd` of an issued range counts; behind one, any nine digits
    do.
    """
    text = document.text
    seen = view(text)
    found = [match.span() for match in _NINE_DIGITS.finditer(seen) if _is_ssn(text, seen, match)]
    for match in _LAST_FOUR.finditer(seen):
        start, end = match.span(1)
        if (
            not is_word(text, match.start() - 1)
            and not is_word(text, end)
            and not _goes_on(text, end)
            and not _is_year(seen, match)
        ):
            found.append((start, end))
    for match in _BEFORE_LAST_FOUR.finditer(seen):
        if not is_word(text, match.end(1)) and not _goes_on(text, match.end(1)):
            found.append(match.span(1))
    for match in _MASKED.finditer(seen):
        start, end = match.span(1) if match.group(1) else match.span(2)
        if (
            not is_word(text, match.start() - 1)
            and not is_word(text, end)
            and not _goes_on(text, end)
        ):
            found.append((start, end))
    yield from disjoint(Candidate(start, end, "SSN", NAME, SCORE) for start, end in found)


def _is_ssn(text: str, seen: bytes, match: Match) -> bool:
    start, end = match.span()
    # 280-22-1907A is a Medicare number of before 2018: the suffix says whose benefit it is.
    if not stands_alone(text, start, end) or _goes_on(text, end):
        return False
    if start > 1 and text[start - 1] in "-./" and is_word(text, start - 2):
        return False
    left = before(seen, start, 28)
    if _CUE.search(left):
        return True
    if names_a_number(left):
        return False
    area, first, group, second, serial = match.groups()
    return (
        first == second == b"-"
        and area not in (b"000", b"666")
        and group != b"00"
        and serial != b"0000"
        # ITINs have the groups 50 to 99.
        and (area < b"900" or group >= b"50")
    )


def _is_year(seen: bytes, match: Match) -> bool:
    """Whether "SS 2011" may be a season or a year: no sign and no other word between."""
    start, end = match.span(1)
    between = seen[match.start() : start].lower()
    return between == b"ss " and seen[start : start + 2] in (b"19", b"20")


def _goes_on(text: str, end: int) -> bool:
    return end < len(text) and text[end] in "-./" and is_digit(text, end + 1)
