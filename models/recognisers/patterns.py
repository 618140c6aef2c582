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
from typing import Any, NamedTuple, Protocol

import numpy as np
import re2

from ...dictionaries import load
from ..core.lazy import lazy
from ..core.spans import Candidate
from ..native import extension
from .prefilter import Case, LiteralRun, Needs, needs

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

    def finditer(  # noqa: D102
        self, text: bytes, pos: int | None = None, endpos: int | None = None
    ) -> Iterator[Match]: ...
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


class Windows(NamedTuple):
    """Where patterns may match in a view.

    Attributes:
        sought: numbers of the patterns that were looked for; of the others nothing is known.
        by_pattern: by number of the pattern; without those that match nowhere. Where each match
            begins at one of a few offsets, those; else ranges, in order and disjoint, one of which
            each match is in.
    """

    sought: frozenset[int]
    by_pattern: dict[int, list[int] | list[tuple[int, int]]]


class RuleView(bytes):
    """A text as the rules see it; see `view`."""

    @lazy
    def windows(self) -> Windows:
        """Where patterns may match: those that there are when it is first asked."""
        native = extension()
        if native is None:
            return _UNKNOWN
        sought, scanner = _scanner(len(_PATTERNS))
        return Windows(sought, native.scan(scanner, self))


@functools.lru_cache(maxsize=1)
def view(text: str) -> RuleView:
    """One Latin-1 byte per code point of the text, so that offsets agree.

    Typographic dashes, quotes and spaces, and the digits of every script, become their ASCII
    likeness; any other code point above U+00FF becomes `?`. No-break space becomes a space.
    All rules ask for the view of the same document in turn, so the last one is kept.
    """
    return RuleView(narrow(text))


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
    """Compiles a pattern for views, as it stands.

    Of a view only the stretches around the words that it needs are searched.
    """
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.case_sensitive = case is Case.AS_IT_STANDS
    plain: Pattern = re2.compile(source.encode("latin-1"), options)
    return Prefiltered(plain, source, case)


class Prefiltered:
    """A pattern that is only run where what it needs is near.

    What all of them need is looked for in one pass over a view (`RuleView.windows`), in the native
    extension; without it every pattern is run on all of the text.

    Attributes:
        number: of it in `RuleView.windows`.
        source: of the pattern.
        case: how its letters may be written.
        search: what `finditer` does on any stretch of text.
    """

    def __init__(self, plain: Pattern, source: str, case: Case) -> None:
        self.number = len(_PATTERNS)
        self.source, self.case = source, case
        self.match, self.fullmatch, self.search = plain.match, plain.fullmatch, plain.finditer
        _PATTERNS.append(self)

    @lazy
    def needs(self) -> Needs:
        """What is in every text that it matches; found when first asked for, not at import."""
        return needs(self.source, self.case)

    def finditer(
        self, text: bytes, pos: int | None = None, endpos: int | None = None
    ) -> Iterator[Match]:
        """All matches, from left to right."""
        sought, by_pattern = text.windows if type(text) is RuleView else _UNKNOWN
        found = by_pattern.get(self.number)
        if found is None:
            return iter(()) if self.number in sought else self.search(text, pos, endpos)
        if pos is not None or endpos is not None:
            return self.search(text, pos, endpos)
        return self._at(text, found)

    def _at(self, text: bytes, places: list[Any]) -> Iterator[Match]:
        if not isinstance(places[0], int):
            # RE2 sees what stands beside a window, and no match goes beyond one: those of all
            # windows are those of the text.
            for start, end in places:
                yield from self.search(text, start, end)
            return
        behind = 0
        for start in places:
            if start >= behind:
                match = self.match(text, start, start + self.needs.reach)
                if match:
                    behind = match.end()
                    yield match


_PATTERNS: list[Prefiltered] = []
_UNKNOWN = Windows(frozenset(), {})


@functools.lru_cache(1)
def _scanner(count: int) -> tuple[frozenset[int], object]:
    """Of the first so many patterns those that need anything; what they need, for the extension."""
    native = extension()
    assert native is not None
    numbers: dict[tuple[frozenset[LiteralRun], Case], int] = {}
    claims = [
        (
            prefiltered.number,
            numbers.setdefault((need.pieces, need.case), len(numbers)),
            need.before,
            prefiltered.needs.reach,
        )
        for prefiltered in _PATTERNS[:count]
        for need in prefiltered.needs.each
    ]
    rows = [(k, case, piece) for (pieces, case), k in numbers.items() for piece in pieces]
    scanner = native.open_prefilter(
        "".join(piece.text for _, _, piece in rows).encode("ascii"),
        np.cumsum([0, *(len(piece.text) for _, _, piece in rows)], dtype=np.int64),
        np.array([k for k, _, _ in rows], np.int64),
        np.array([p.begins + 2 * p.ends + 4 * case for _, case, p in rows], np.uint8),
        np.array(claims, np.int64),
    )
    return frozenset(number for number, *_ in claims), scanner


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
