"""Numbers of biometric records: prints, photographs, voices, DNA samples and their files.

Behind the word for what was taken, the nearest number with letters or several groups in it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .named_numbers import candidates, count_digits, is_capital
from .patterns import is_word, pattern, view

NAME = "bioid"
LABELS = ("BIOID",)
# 6 of 6 right: demo/train 6/6.
# `python -m benchmarks.rules --scores`.
# Under 0.9 for want of cases, not for mistakes: the development data hold few such things.
SCORE = 0.875

_WORDS = pattern(
    r"\b(?:finger ?prints?|thumb ?prints?|foot ?prints?|palm ?prints?|palm vein|retina(?:l)? scan"
    r"|iris scan|voice ?prints?|face ?prints?|facial (?:scan|recognition)|biometrics?|photographed"
    r"|photo(?:graph)?s?|image|dna|biobank)\b"
    r"(?:[ ,:;()#\n]|[a-z.]{1,14}\b|no\.){0,10}[ \n:#(]"
    r"([a-z][a-z0-9]{0,5}[-.](?:[a-z0-9]{1,6}[-.]){0,3}\d[a-z0-9]{0,12}(?:[-.][a-z0-9]{1,12}){0,4})"
)


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one BIOID per number, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = []
    for match in _WORDS.finditer(seen):
        start, end = match.span(1)
        if (
            not is_word(text, match.start() - 1)
            and not is_word(text, end)
            and is_capital(text, start, end)
            and count_digits(seen[start:end]) > 3
        ):
            found.append((start, end))
    yield from candidates(found, "BIOID", NAME, SCORE)
