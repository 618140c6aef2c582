"""Web addresses: with a scheme, with `www.`, or a bare domain under a common top-level domain."""

from __future__ import annotations

from collections.abc import Iterator

from ..documents import Context, Document
from ..spans import Candidate
from .matching import is_word, pattern, view

NAME = "url"
LABELS = ("URL",)
# 37 of 38 right: meddocan 0/1 (not annotated there), presidio_synth 37/37.
# `python -m benchmarks.rules <corpus>.jsonl --labels <corpus>` on the training parts.
SCORE = 0.95

_BEGINNING = pattern(
    r"(?:https?|s?ftp)://[^\s]|\bwww\d?\.[a-z0-9]"
    r"|\b(?:[a-z0-9][a-z0-9-]{0,62}\.){1,6}(?:com|org|net|edu|gov|mil|info|biz|health|example)\b"
)
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
        rest = (_PATH if bare else _REST).match(seen, end, len(seen))
        end = rest.end() if rest else end
        end = start + len(_without_trailing(seen[start:end]))
        yield Candidate(start, end, "URL", NAME, SCORE)
        reach = end


def _without_trailing(address: bytes) -> bytes:
    """Strips closing punctuation, but keeps a bracket that the address itself opened."""
    stripped = address.rstrip(_TRAILING)
    if address[len(stripped) :].startswith(b")") and stripped.count(b"(") > stripped.count(b")"):
        return stripped + b")"
    return stripped
