"""E-mail addresses: plain, quoted, spelled out ("jdoe at clinic dot org") and with blanks in them.

Looks for `@` with a dotted domain to its right, then walks left over the local part in code: a
pattern for the local part would keep RE2 busy at every letter of the text. RFC 5321 §4.5.3.1
limits local parts to 64 octets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .patterns import before, disjoint, is_word, pattern, view

NAME = "email"
LABELS = ("EMAIL",)
# 23 of 23 right: english_clinical_sample 1/1, demo/train 8/8, asq_phi 14/14.
# `python -m benchmarks.rules --scores`.
SCORE = 0.96

_DOMAIN = pattern(r"@(?:[a-z0-9][a-z0-9-]{0,62}\.){1,8}[a-z]{2,24}")
# All of RFC 5322 but "^" and "|", which part the components and fields of HL7 messages.
_LOCAL = frozenset(
    b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.!#$%&'*+/=_`{}~-"
)
_NOT_FIRST = frozenset(b".'`/=*&#~-{}$!?%")
# "E-mail.lbrito@x.es", "E-mail-jdemiguel@x.es" and "mail:..." run into the address.
_LABEL = pattern(r"(?:e-?mail|mailto|correo)[-.=/]{1,2}")
# RFC 5322 §3.4.1: a quoted local part.
_QUOTED = pattern(r""""[^"\x00-\x1f]{1,62}"@(?:[a-z0-9][a-z0-9-]{0,62}\.){1,8}[a-z]{2,24}""")
# Spelled out against harvesters or by voice: "jdoe at clinic dot org", "jdoe [at] clinic.org".
_LAST = r"(?:com|org|net|edu|gov|mil|info|biz|health|example|us|uk|ca|es|de|fr|io|co)"
_SPELLED = pattern(
    r"\b([a-z0-9][a-z0-9_+-]{0,30}(?:(?:\.| dot )[a-z0-9_+-]{1,30}){0,4})"
    r"(?: ?[\[({<] ?(?:at|@) ?[\])}>] ?| at )"
    r"((?:[a-z0-9][a-z0-9-]{0,40}(?: ?[\[({<] ?(?:dot|\.) ?[\])}>] ?| dot |\.)){1,4}"
    rf"{_LAST})\b"
)
_SPACED = pattern(
    rf"[a-z0-9][a-z0-9._+-]{{1,40}} ?@ ?(?:[a-z0-9][a-z0-9-]{{0,40}} ?\. ?){{1,4}}{_LAST}\b"
)
_CUE = re.compile(r"e-?mail|correo|contact|mailto|write to|reach")
_LONGEST_LOCAL = 64


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one EMAIL per address, left to right and without overlap."""
    text = document.text
    seen: bytes = view(text)
    found = list(_plain(text, seen))
    found += [match.span() for match in _QUOTED.finditer(seen)]
    found += _spelled(text, seen)
    yield from disjoint(Candidate(start, end, "EMAIL", NAME, SCORE) for start, end in found)


def _plain(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    reach = 0
    for match in _DOMAIN.finditer(seen):
        at, end = match.span()
        start = at
        while start > max(reach, at - _LONGEST_LOCAL) and _is_local(text, seen, start - 1):
            start -= 1
        while start < at and seen[start] in _NOT_FIRST:
            start += 1
        label = _LABEL.match(seen, start, at)
        if label and label.end() < at:
            start = label.end()
        if start < at and not is_word(text, end):
            yield start, end
            reach = end


def _spelled(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _SPELLED.finditer(seen):
        start, end = match.span()
        if is_word(text, start - 1) or is_word(text, end):
            continue
        # "seen at heart.org" is no address: without brackets there must be " dot " or a word for
        # it, and a local part that is no plain word of the sentence.
        between = seen[match.end(1) : match.start(2)]
        if between == b" at " and not _CUE.search(before(seen, start, 24)):
            name = match.group(1) or b""
            if b" dot " not in (match.group(2) or b"").lower() and name.isalpha():
                continue
        yield start, end
    for match in _SPACED.finditer(seen):
        start, end = match.span()
        if b" " in seen[start:end] and not is_word(text, start - 1) and not is_word(text, end):
            name = seen[start : seen.index(b"@", start)].strip()
            if not name.isdigit() and (
                not name.isalpha() or _CUE.search(before(seen, start, 24)) is not None
            ):
                yield start, end


def _is_local(text: str, seen: bytes, position: int) -> bool:
    """Whether the character may stand in a local part; letters of any script may (RFC 6531)."""
    return seen[position] in _LOCAL or text[position].isalpha()
