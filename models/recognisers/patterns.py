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

import re
import unicodedata
from collections.abc import Iterable, Iterator

from ...dictionaries import load
from ..core.spans import Candidate
from .matching import Pattern, Prefiltered, RuleView, ViewBatch
from .prefilter import Case
from .probe import Latest

WINDOW = 48
"""Code points that a rule may look at on each side of a match."""

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


view: Latest[RuleView] = Latest(lambda text: ViewBatch([narrow(text)]).view(0))
"""One Latin-1 byte per code point of the text, so that offsets agree.

Typographic dashes, quotes and spaces, and the digits of every script, become their ASCII likeness;
any other code point above U+00FF becomes `?`. No-break space becomes a space.
"""


def narrow(text: str) -> bytes:
    """The characters of a view, for a word or a document."""
    try:
        seen = text.encode("latin-1")
    except UnicodeEncodeError:
        seen = _WIDE.sub(_narrowed, text).encode("latin-1")
    return seen.replace(b"\xa0", b" ")


def _narrowed(match: re.Match[str]) -> str:
    character = match[0]
    if likeness := _LOOKS_LIKE.get(character):
        return likeness
    digit = unicodedata.decimal(character, None)
    return "?" if digit is None else str(digit)


def pattern(source: str, *, capital: bool = False) -> Pattern:
    """Compiles a case-insensitive pattern for views.

    RE2 folds case in ASCII only when it reads Latin-1; a plain `í` in the source therefore stands
    for i and í in either case (so do not put one inside brackets).

    Args:
        source: of the pattern.
        capital: whether a rule has no use for matches that begin with a small letter; where there
            are no others they may be left out.
    """
    return compiled(source.translate(_ACCENTS), Case.CAPITAL if capital else Case.ANY)


def compiled(source: str, case: Case) -> Pattern:
    """A pattern for views, as it stands; compiled when it is first searched for.

    Of a view only the stretches around the words that it needs are searched.
    """
    return Prefiltered(source, case)


def any_of(dictionary: str) -> str:
    """Source of a pattern that matches any phrase of a shipped list; the longest goes first."""
    phrases = sorted(load(dictionary).phrases, key=lambda phrase: (-len(phrase), phrase))
    return "|".join(map(re.escape, phrases)).replace("\\ ", " ")


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


def disjoint(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Of overlapping candidates the leftmost, then the longest; sorted."""
    kept: list[Candidate] = []
    reach = 0
    for candidate in sorted(candidates, key=lambda c: (c.start, -c.end, c.label)):
        if candidate.start >= reach:
            kept.append(candidate)
            reach = candidate.end
    return kept


def lines_before(seen: bytes, places: Iterable[int], reach: int) -> Iterator[tuple[int, int]]:
    """The lines that hold one of the places or what stands before it, as far as the reach goes.

    A pattern that matches within a line finds on these, each searched by itself, what it finds on
    the whole view.

    Args:
        seen: the view.
        places: offsets in it, in order.
        reach: how many code points before each.

    Yields:
        Start and end of lines, one or several together, with their line end; in order, disjoint.
    """
    start = end = 0
    for place in places:
        if place < end:
            continue
        begun = seen.rfind(b"\n", end, max(end, place - reach)) + 1 or end
        if begun > end or not end:
            if end:
                yield start, end
            start = begun
        end = seen.find(b"\n", place) + 1 or len(seen)
    if end:
        yield start, end
