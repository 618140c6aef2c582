"""National Provider Identifiers.

Source: 45 CFR 162.406 and CMS, "Requirements for NPI and NPI Check Digit" (January 2004): ten
digits beginning with 1 or 2, the last the Luhn check digit of the others behind the prefix 80840.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .check_digits import luhn
from .named_numbers import candidates, has_unit, is_unnamed, named, words
from .patterns import number_is_whole, pattern, stands_alone, view

NAME = "npi"
LABELS = ("LICENSE",)
# 2 of 2 right: demo/train 2/2.
# `python -m benchmarks.rules --scores`.
# Under 0.9 for want of cases, not for mistakes: the development data hold few such things.
SCORE = 0.75

_WORDS = words(r"npi|national provider id(?:entifier)?|upin")
# Only those that begin with 1 count without a word: numbers of ten digits that begin with 2 are
# telephone numbers and dated accession numbers ("2405140017") more often.
_SHAPE = pattern(r"1\d{9}")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one LICENSE per number, left to right and without overlap.

    Behind a word any number counts; without one the check digit must agree.
    """
    text = document.text
    seen = view(text)
    found = [(start, end) for _, start, end in named(text, seen, _WORDS)]
    for match in _SHAPE.finditer(seen):
        start, end = match.span()
        if (
            stands_alone(text, start, end)
            and number_is_whole(text, start, end)
            and luhn("80840" + seen[start:end].decode("latin-1"))
            and is_unnamed(seen, start)
            and not has_unit(seen, end)
        ):
            found.append((start, end))
    yield from candidates(found, "LICENSE", NAME, SCORE)
