"""Post office boxes: "P.O. Box 4417", "PO BOX 17", "Post Office Box B".

Source of the forms: United States Postal Service, Publication 28, section 28. A bare "Box 12" is a
box only on a rural route, which belongs to the street line (`street`).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .context_words import cased
from .patterns import disjoint, pattern, stands_alone, view

NAME = "po_box"
LABELS = ("LOCATION-OTHER",)
# 1 of 1 right: demo/train 1/1.
# Boxes are rare: the score is low for want of text, not for mistakes.
# `python -m benchmarks.rules --scores`.
SCORE = 0.6667

_BOX = pattern(
    r"\b(?:p(?:ost)?\.? {0,2}o(?:ffice)?\.? {0,2}(?:box|bx)|pob\b|psc \d{1,4} box|unit \d{1,5} box)"
    r"[ #:.]{0,4}(?:no\.? ?)?[a-z]?\d{1,7}(?:-\d{1,4})?"
)
# Boxes with a letter for a number; "PO box of gloves" has none.
_LETTER = cased(r"\b(?:P\.? ?O\.?|Post Office|POST OFFICE) (?:Box|BOX) [A-Z]{1,2}\b")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one LOCATION-OTHER a box, left to right."""
    text = document.text
    seen = view(text)
    yield from disjoint(
        Candidate(*match.span(), "LOCATION-OTHER", NAME, SCORE)
        for shape in (_BOX, _LETTER)
        for match in shape.finditer(seen)
        if stands_alone(text, *match.span())
    )
