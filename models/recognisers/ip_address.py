"""IP addresses, versions 4 and 6."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from ..documents import Context, Document
from ..spans import Candidate
from .matching import before, is_digit, pattern, previous_word, stands_alone, view

NAME = "ip_address"
LABELS = ("IPADDR",)
# 10 of 10 right: asq_phi 1/1, presidio_synth 9/9.
# `python -m benchmarks.rules <corpus>.jsonl --labels <corpus>` on the training parts.
SCORE = 0.9167

_CANDIDATE = pattern(r"\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:]{0,4}:[0-9a-f:]{1,34}:[0-9a-f]{0,4}")
_VERSION_WORDS = frozenset(
    ("v", "ver", "version", "rev", "revision", "release", "section", "chapter", "firmware")
)
_IP_WORDS = frozenset(("ip", "ipv4", "ipv6", "address", "host", "server", "addr", "from", "at"))


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one IPADDR per address that is in range, left to right and without overlap."""
    text = document.text
    seen = view(text)
    for match in _CANDIDATE.finditer(seen):
        start, end = match.span()
        found = seen[start:end].decode("latin-1")
        if stands_alone(text, start, end) and (
            _is_version_6(found) if ":" in found else _is_version_4(text, seen, start, end, found)
        ):
            yield Candidate(start, end, "IPADDR", NAME, SCORE)


def _is_version_6(found: str) -> bool:
    # `a::b` and `1::2` are ratios and separators more often than addresses; three groups with a
    # long one are not.
    groups = [group for group in found.split(":") if group]
    if len(groups) < 3 or max(map(len, groups)) < 3:
        return False
    try:
        ipaddress.IPv6Address(found)
    except ValueError:
        return False
    return True


def _is_version_4(text: str, seen: bytes, start: int, end: int, found: str) -> bool:
    if (
        start
        and text[start - 1] in ".-"
        or (end < len(text) and text[end] in ".-" and is_digit(text, end + 1))
    ):
        return False
    octets = found.split(".")
    if any(int(octet) > 255 or (len(octet) > 1 and octet[0] == "0") for octet in octets):
        return False
    word = previous_word(before(seen, start, 20))
    if word in _VERSION_WORDS:
        return False
    # 1.2.3.4 without a word for it is a section number or a version.
    return len(found) > 7 or word in _IP_WORDS
