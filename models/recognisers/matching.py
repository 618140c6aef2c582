"""What the rules share: one byte per code point for RE2, and looks to both sides of a match.

RE2 gives byte offsets. Turning those into code points costs a pass per rule on non-ASCII text, so
the rules see a *view* instead, in which every code point is exactly one Latin-1 byte: offsets are
then code points by construction, on emoji and lone surrogates too. RE2 has no look-around; what
stands beside a match is checked in code, always within a fixed number of characters, so every rule
stays linear in the length of the text.

Patterns are kept linear by two habits: every repetition is bounded, so that RE2 never scans on to
the end of the text for one match, and what may be long (the tail of a URL) is matched once, from
where it begins.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import re2

from ..spans import Candidate

WINDOW = 48
"""Code points that a rule may look at on each side of a match."""


class Match(Protocol):
    """The part of RE2's match object that the rules use."""

    def start(self, group: int = 0) -> int: ...  # noqa: D102
    def end(self, group: int = 0) -> int: ...  # noqa: D102
    def span(self, group: int = 0) -> tuple[int, int]: ...  # noqa: D102
    def group(self, group: int = 0) -> bytes | None: ...  # noqa: D102
    def groups(self) -> tuple[Any, ...]: ...  # noqa: D102


class Pattern(Protocol):
    """The part of RE2's compiled pattern that the rules use."""

    def finditer(self, text: bytes) -> Iterator[Match]: ...  # noqa: D102
    def match(self, text: bytes, pos: int = 0, endpos: int = 0) -> Match | None: ...  # noqa: D102
    def fullmatch(self, text: bytes) -> Match | None: ...  # noqa: D102


_SPACES = (
    "\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
_LOOKS_LIKE = (
    {chr(c): "-" for c in range(0x2010, 0x2016)}
    | {"−": "-", "‑": "-", "⁄": "/", "∕": "/", "／": "/", "．": ".", "＠": "@", "：": ":"}
    | {"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "…": "."}
    | dict.fromkeys(_SPACES, " ")
    | {"\u2028": "\n", "\u2029": "\n"}
)
_WIDE = re.compile("[^\x00-\xff]")
_ACCENTS = {
    ord(accented): f"[{plain}{plain.upper()}{accented}{accented.upper()}]"
    for accented, plain in zip("áéíóú", "aeiou", strict=True)
} | {ord("ñ"): "[ñÑ]"}


@functools.lru_cache(maxsize=1)
def view(text: str) -> bytes:
    """One Latin-1 byte per code point of the text, so that offsets agree.

    Typographic dashes, quotes and spaces, and the digits of every script, become their ASCII
    likeness; any other code point above U+00FF becomes `?`. No-break space becomes a space.
    All rules ask for the view of the same document in turn, so the last one is kept.
    """
    try:
        narrow = text.encode("latin-1")
    except UnicodeEncodeError:
        narrow = _WIDE.sub(_narrowed, text).encode("latin-1")
    return narrow.replace(b"\xa0", b" ")


def _narrowed(match: re.Match[str]) -> str:
    character = match[0]
    if likeness := _LOOKS_LIKE.get(character):
        return likeness
    digit = unicodedata.decimal(character, None)
    return "?" if digit is None else str(digit)


def pattern(source: str) -> Pattern:
    """Compiles a case-insensitive pattern for views.

    RE2 folds case in ASCII only when it reads Latin-1; a plain `í` in the source therefore stands
    for i and í in either case (so do not put one inside brackets).
    """
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.case_sensitive = False
    compiled: Pattern = re2.compile(source.translate(_ACCENTS).encode("latin-1"), options)
    return compiled


def before(seen: bytes, start: int, length: int = WINDOW) -> str:
    """Up to `length` code points of a view left of an offset, lower case, on the same line."""
    return seen[max(0, start - length) : start].rpartition(b"\n")[2].decode("latin-1").lower()


def after(seen: bytes, end: int, length: int = WINDOW) -> str:
    """Up to `length` code points of a view right of an offset, lower case, on the same line."""
    return seen[end : end + length].partition(b"\n")[0].decode("latin-1").lower()


def is_word(text: str, position: int) -> bool:
    """Whether there is a letter or digit of any script at an offset; false outside the text."""
    return 0 <= position < len(text) and text[position].isalnum()


def is_digit(text: str, position: int) -> bool:
    """Whether there is a decimal digit of any script at an offset; false outside the text."""
    return 0 <= position < len(text) and text[position].isdecimal()


def stands_alone(text: str, start: int, end: int) -> bool:
    """Whether no letter or digit touches [start, end) from outside."""
    return not is_word(text, start - 1) and not is_word(text, end)


def number_is_whole(text: str, start: int, end: int) -> bool:
    """Whether [start, end) is not a piece of a longer number such as `7.35/45/98`.

    A digit beside it, or a digit behind one of `. , / - :` beside it, makes it a piece.
    """
    if is_digit(text, start - 1) or is_digit(text, end):
        return False
    if start > 1 and text[start - 1] in ".,/-:" and is_digit(text, start - 2):
        return False
    return not (end + 1 < len(text) and text[end] in ".,/-:" and is_digit(text, end + 1))


def previous_word(left: str) -> str:
    """The last word of what `before` gave, without punctuation around it ("" if none)."""
    left = left.rstrip(" \t.,:;=#(['\"-")
    return re.split(r"[\s,;:()\[\]=]", left)[-1] if left else ""


_NUMBER_OF = re.compile(
    r"(?:\b(?:mrn?|mr|med(?:ical)?\.? ?rec(?:ord)?s?|records?|chart|acct?|account|accession|case"
    r"|claim|policy|plan|member|subscriber"
    r"|id|ident\w*|lot|serial|order|specimen|isbn|pmid|doi|nct|fin|csn|nhc|nass|cipa|omim|npi|dea"
    r"|licen[cs]e|lic|auth\w*|group"
    r"|batch|ref|unit|patient|confirmation|invoice|medicare|medicaid|insurance|ssn?|social"
    r" security|soc\.? ?sec)"
    r"(?:[ :#.=(-]|number|num|no\b|id\b|is\b|was\b|of\b){0,6}|#)$"
)


def names_a_number(left: str) -> bool:
    """Whether what `before` gave ends with words for a number of something else ("MRN is")."""
    return _NUMBER_OF.search(left) is not None


def disjoint(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Of overlapping candidates the leftmost, then the longest; sorted."""
    kept: list[Candidate] = []
    reach = 0
    for candidate in sorted(candidates, key=lambda c: (c.start, -c.end, c.label)):
        if candidate.start >= reach:
            kept.append(candidate)
            reach = candidate.end
    return kept
