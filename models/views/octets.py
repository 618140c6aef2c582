"""Bytes written as two hexadecimal digits: `%4F` of URLs, `=4F` of quoted-printable.

A per cent or equals sign before two digits is common in notes (`50%20`, `HR=80`). What they decode
to must be text; where it is not an escape, detectors see the text as it is written too.
"""

from __future__ import annotations

import re
import unicodedata

from ..core.views import Edit
from .base import disjoint
from .invisible import INVISIBLE
from .wraps import MOST_TRAILING

_WORD = re.compile(r"\S+")
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_SOFT = rf"=[ \t]{{0,{MOST_TRAILING}}}\r?\n"
# A line may be broken between the bytes of one character.
_QUOTED = re.compile(rf"=[0-9A-Fa-f]{{2}}(?:(?:{_SOFT})?=[0-9A-Fa-f]{{2}})*")
_SOFT_BREAK = re.compile(rf"(?<!=){_SOFT}")
_OCTET = re.compile(r"[%=]([0-9A-Fa-f]{2})")
_TEXT = re.compile(rf"[\t\n\r\0\u2028\u2029{INVISIBLE}]")
"""Characters, besides printable ones and blanks, that text may contain; they are skipped."""


def percent_edits(text: str) -> list[Edit]:
    """The escapes of URLs; `+` is a blank in a word that has some; `50%20` alone is not one."""
    if _PERCENT.search(text) is None:
        return []
    found: list[Edit] = []
    for word in _WORD.finditer(text):
        if "%" not in word.group():
            continue
        runs = list(_PERCENT.finditer(text, *word.span()))
        own = [
            (*run.span(), decoded)
            for run in runs
            if (len(runs) > 1 or len(run.group()) > 3 or not _is_percentage(text, *run.span()))
            and (decoded := _decoded(run.group())) is not None
        ]
        if own and "+" in word.group():
            own += [(at, at + 1, " ") for at in range(*word.span()) if text[at] == "+"]
            own.sort()
        found += own
    return found


def quoted_edits(text: str) -> list[Edit]:
    """The escapes and soft line breaks of quoted-printable (RFC 2045, 6.7)."""
    if "=" not in text:
        return []
    found: list[Edit] = [(*match.span(), "") for match in _SOFT_BREAK.finditer(text)]
    runs = [
        (run, decoded)
        for run in _QUOTED.finditer(text)
        if (decoded := _decoded(run.group())) is not None
    ]
    if not found and not any(_is_surely_quoted(run) for run, _ in runs):
        return []
    return disjoint(sorted(found + [(*run.span(), decoded) for run, decoded in runs]))


def _is_surely_quoted(run: re.Match[str]) -> bool:
    """Whether it cannot be a value as in `HR=80`; then its neighbours are not values either.

    A value does not stand between digits: `123=2045`.
    """
    digits = run.group()
    before = run.string[run.start() - 1 : run.start()]
    after = run.string[run.end() : run.end() + 1]
    if before.isdigit() and after.isdigit():
        return True
    return len(digits) > 3 or not digits[1:].isdigit() or after.isalpha()


_NO_PERCENTAGE = re.compile(r"%(?:2[CDEF]|3[AB]|2[cdef]|3[ab])[0-9(]|%20(?:[0-9]{4}|[A-Z][a-z])")


def _is_percentage(text: str, low: int, high: int) -> bool:
    """Whether digits before an escape make it a percentage, as in `50%20 of` or `40%2D echo`.

    Not where a sign or a blank comes out that stands between numbers, or before a word.
    """
    return low > 0 and text[low - 1].isdigit() and _NO_PERCENTAGE.match(text, low) is None


def _decoded(run: str) -> str | None:
    """The text of escaped bytes, UTF-8 or else Windows-1252; None if it is not text."""
    octets = bytes.fromhex("".join(_OCTET.findall(run)))
    try:
        decoded = octets.decode()
    except UnicodeDecodeError:
        decoded = octets.decode("cp1252", "replace")
        if not all(one.isalpha() or one in "\xa0\xad\u2019" for one in decoded):
            return None
    return decoded if all(map(_is_text, decoded)) else None


def _is_text(character: str) -> bool:
    if character.isprintable() or _TEXT.match(character):
        return True
    # Blanks of every width are white space, and so are some controls.
    return character.isspace() and unicodedata.category(character) == "Zs"
