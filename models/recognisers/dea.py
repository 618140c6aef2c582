"""DEA registration numbers of prescribers.

Source: 21 CFR 1301 and the DEA Diversion Control Division's letters of registrant types: two
letters (the second may be a 9 for a business) and seven digits. The last digit is the last one of
(d1 + d3 + d5) + 2 (d2 + d4 + d6).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .named_numbers import candidates, is_capital, is_unnamed, named, words
from .patterns import number_is_whole, pattern, stands_alone, view

NAME = "dea"
LABELS = ("LICENSE",)
# 2 of 2 right: english_clinical_sample 1/1, demo/train 1/1.
# `python -m benchmarks.rules --scores`.
# Under 0.9 for want of cases, not for mistakes: the development data hold few such things.
SCORE = 0.75

_WORDS = words(r"dea(?: ?(?:#|no\b|reg(?:istration)?\.?|lic(?:ense)?\.?|number))?")
_SHAPE = pattern(r"[abcdefghjklmprstux][a-z9]\d{7}")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one LICENSE per number, left to right and without overlap.

    Behind the word any number counts; without it shape and check digit must agree.
    """
    text = document.text
    seen = view(text)
    found = [(start, end) for _, start, end in named(text, seen, _WORDS)]
    for match in _SHAPE.finditer(seen):
        start, end = match.span()
        if (
            stands_alone(text, start, end)
            and number_is_whole(text, start, end)
            and is_capital(text, start, end)
            and _check_digit_agrees(seen[start + 2 : end].decode("latin-1"))
            and is_unnamed(seen, start)
        ):
            found.append((start, end))
    yield from candidates(found, "LICENSE", NAME, SCORE)


def _check_digit_agrees(digits: str) -> bool:
    values = [int(digit) for digit in digits]
    return (sum(values[0:6:2]) + 2 * sum(values[1:6:2])) % 10 == values[6]
