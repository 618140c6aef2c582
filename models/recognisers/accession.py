"""Accession, specimen and pathology case numbers, by word or by the laboratories' shape.

The shape is a department's letters, two digits of the year and a serial: S12-34567, CS-15-07713.
Not in it: spinal levels (L4-5), tumour markers (CA 19-9), vitamins (B12-500 mcg).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .named_numbers import candidates, has_unit, is_capital, is_unnamed, named, words
from .patterns import number_is_whole, pattern, stands_alone, view

NAME = "accession"
LABELS = ("IDNUM",)
# 9 of 9 right: english_clinical_sample 2/2, demo/train 7/7.
# `python -m benchmarks.rules --scores`.
SCORE = 0.9091

_WORDS = words(
    r"accession|accn?|acc ?#|specimen ?(?:#|no\b|number|id)?|requisition|req ?#"
    r"|(?:path(?:ology)?|lab|cytology|surgical|slide|block|biopsy|autopsy|autopsy report"
    r"|necropsy|culture) ?(?:#|no\b|number|id)",
    r"path(?:ology)?|lab|bx|biopsy|slides?|cytology|pap|autopsy",
)
_SHAPE = pattern(
    r"[a-z]{1,3}(?:[0-9]{2}|-[0-9]{2}|-(?:19|20)[0-9]{2})-[0-9]{4,7}|[a-z]{1,2}[0-9]{2}-[0-9]{3}"
)
_VITAMIN = pattern(r"(?:b|d|k|t|c|l|s|hd|pod|hod|dol)-?[0-9]{1,2}-[0-9]{3,5}")
# What a pathologist finds: "pathology T2N1M0".
_STAGE = pattern(r"[cpy]{0,2}t(?:[0-4x][a-d]?|is)n[0-3x][a-c]?(?:m[01x][a-c]?)?")
_SHORT = pattern(r"[a-z]{1,2}[0-9]{2}-[0-9]{3}")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one IDNUM per number, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = [
        (start, end)
        for _, start, end in named(text, seen, _WORDS)
        if not _STAGE.fullmatch(seen[start:end])
    ]
    for match in _SHAPE.finditer(seen):
        start, end = match.span()
        number = seen[start:end]
        if (
            stands_alone(text, start, end)
            and number_is_whole(text, start, end)
            and is_capital(text, start, end)
            and not _SHORT.fullmatch(number)
            and is_unnamed(seen, start)
            and not has_unit(seen, end)
            and not (number[:1] in b"BDK" and _VITAMIN.fullmatch(number) and end - start < 9)
        ):
            found.append((start, end))
    yield from candidates(found, "IDNUM", NAME, SCORE)
