"""Web addresses: with a scheme, with `www.`, or a bare domain under a common top-level domain."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .patterns import before, is_word, pattern, view

NAME = "url"
LABELS = ("URL",)
# 7 of 7 right: demo/train 7/7.
# `python -m benchmarks.rules --scores`.
# Under 0.9 for want of cases, not for mistakes: the development data hold few such things.
SCORE = 0.8889

_BEGINNING = pattern(
    r"(?:https?|s?ftp)://[^\s]|\bwww\d?\.[a-z0-9]"
    r"|\b(?:[a-z0-9][a-z0-9-]{0,62}\.){1,6}(?:com|org|net|edu|gov|mil|info|biz|health|example"
    r"|care|app|online|int|io|us|uk|ca|au|nz|ie|de|fr|es|it|nl|eu|ch|at|se|dk|mx|br|ar|in|jp|cn)\b"
)
# These are also words and abbreviations ("p.o.in", "wound.care"): such a domain needs a word for
# it, a path, or "co.uk" and its like.
_DOUBTFUL = pattern(
    r"(?s).{0,300}\.(?:care|app|online|int|us|uk|ca|au|nz|ie|de|fr|es|it|nl|eu|ch|at|se|dk|mx|br"
    r"|ar|in|jp|cn|io)"
)
_SECOND_LEVEL = pattern(
    r"(?s).{0,300}[a-z0-9-]{2,63}\.(?:co|com|org|net|ac|gov|edu|nhs|gob|gov|govt)\.[a-z]{2}"
)
_WORD = re.compile(r"(?:\b(?:web ?site|web|site|url|portal|link|visit|online|www|at)|:) {0,2}$")
# What may be long is matched once, at the place where the beginning ended, so hostile runs cost
# one pass.
_REST = pattern(r"""[^\s<>"\x00]*""")
_PATH = pattern(r"""(?::\d{1,5})?(?:[/?#][^\s<>"\x00]*)?""")
_TRAILING = b".,;:!?'*)]}|"


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one URL per address, left to right, without overlap or punctuation behind it."""
    text = document.text
    seen = view(text)
    reach = 0
    for match in _BEGINNING.finditer(seen):
        start, end = match.span()
        if start < reach or is_word(text, start - 1):
            continue
        bare = b"://" not in seen[start:end] and not seen[start:end].lower().startswith(b"www")
        if bare and (
            seen[max(0, start - 2) : start].strip()[-1:] == b"@"
            or is_word(text, end)
            or seen[end : end + 1] == b"@"
        ):
            continue
        address = seen[start:end]
        if bare and _DOUBTFUL.fullmatch(address) and not _is_address(seen, start, end):
            continue
        rest = (_PATH if bare else _REST).match(seen, end, len(seen))
        end = rest.end() if rest else end
        end = start + len(_without_trailing(seen[start:end]))
        yield Candidate(start, end, "URL", NAME, SCORE)
        reach = end


def _is_address(seen: bytes, start: int, end: int) -> bool:
    """Whether a domain under a doubtful top level is one, not two words without their space."""
    return (
        seen[end : end + 1] == b"/"
        or _SECOND_LEVEL.fullmatch(seen[start:end]) is not None
        or (_WORD.search(before(seen, start, 16)) is not None and seen[start:end].islower())
    )


def _without_trailing(address: bytes) -> bytes:
    """Strips closing punctuation, but keeps a bracket that the address itself opened."""
    stripped = address.rstrip(_TRAILING)
    if address[len(stripped) :].startswith(b")") and stripped.count(b"(") > stripped.count(b")"):
        return stripped + b")"
    return stripped
