"""E-mail addresses.

Looks for `@` with a dotted domain to its right, then walks left over the local part in code: a
pattern for the local part would keep RE2 busy at every letter of the text. RFC 5321 §4.5.3.1
limits local parts to 64 octets.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..documents import Context, Document
from ..spans import Candidate
from .matching import is_word, pattern, view

NAME = "email"
LABELS = ("EMAIL",)
# 528 of 530 right: english_clinical_sample 1/1, asq_phi 14/14, meddocan 469/471,
# presidio_synth 44/44.
# `python -m benchmarks.rules <corpus>.jsonl --labels <corpus>` on the training parts.
SCORE = 0.9944

_DOMAIN = pattern(r"@(?:[a-z0-9][a-z0-9-]{0,62}\.){1,8}[a-z]{2,24}")
_LOCAL = frozenset(
    b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.!#$%&'*+/=^_`{|}~-"
)
_NOT_FIRST = frozenset(b".'`/=|*&#")
_LONGEST_LOCAL = 64


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one EMAIL per address, left to right and without overlap."""
    text = document.text
    seen = view(text)
    reach = 0
    for match in _DOMAIN.finditer(seen):
        at, end = match.span()
        start = at
        while start > max(reach, at - _LONGEST_LOCAL) and _is_local(text, seen, start - 1):
            start -= 1
        while start < at and seen[start] in _NOT_FIRST:
            start += 1
        if start < at and not is_word(text, end):
            yield Candidate(start, end, "EMAIL", NAME, SCORE)
            reach = end


def _is_local(text: str, seen: bytes, position: int) -> bool:
    """Whether the character may stand in a local part; letters of any script may (RFC 6531)."""
    return seen[position] in _LOCAL or text[position].isalpha()
