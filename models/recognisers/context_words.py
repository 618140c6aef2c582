"""The words beside an anchor, and whether they make a name.

A rule for names of places and institutions finds an anchor with RE2 ("Hospital", ", MA", "lives
in") and asks here for the words on either side of it. Only a fixed stretch of the same line is
read, so a rule stays linear however many anchors there are. (Rules for names of people read all
words of a document instead: `capitals`.)
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from ...dictionaries import load
from .matching import Pattern
from .patterns import after, before, compiled
from .prefilter import Case

REACH = 112
"""Code points read on one side of an anchor."""

CAPITAL = r"[A-Z\xc0-\xd6\xd8-\xde]"
LETTER = r"[A-Za-z\xc0-\xd6\xd8-\xf6\xf8-\xff]"
# A code point outside Latin-1 is "?" in a view; it is a letter where letters stand on both sides.
WORD = rf"{CAPITAL}{LETTER}{{0,24}}(?:[?'-]{{1,2}}{LETTER}{{1,24}}){{0,3}}"
"""Source of one capitalised word, for `cased`."""


class ContextWord(NamedTuple):
    """A word of a view, with its offsets there."""

    text: str
    start: int
    end: int

    @property
    def low(self) -> str:
        """Lower case, without a full stop and a possessive at the end."""
        return self.text.lower().removesuffix(".").removesuffix("'s")

    @property
    def capital(self) -> bool:
        """Whether it begins with a capital letter."""
        return self.text[0].isupper()


_ABBREVIATED = r"(?:St|Ste|Mt|Ft|Pt|ST|MT|FT|[A-Z])\."
_TOKEN = re.compile(
    rf"{_ABBREVIATED}|[^\W\d_](?:[^\W_]|[?'-]{{1,2}}(?=[^\W\d_]))*|\d+(?:st|nd|rd|th)\b|&"
)


@functools.cache
def cased(source: str) -> Pattern:
    """Compiles a pattern for views in which capitals and small letters differ."""
    return compiled(source, Case.AS_IT_STANDS)


def words_before(seen: bytes, start: int, limit: int = 8) -> list[ContextWord]:
    """Words that end at an offset of a view, the nearest first.

    Between them stands one space or nothing; a full stop that is no part of an abbreviation, a
    comma, two spaces or a line break ends the run.
    """
    left = max(0, start - REACH)
    text = seen[left:start].decode("latin-1")
    found: list[ContextWord] = []
    expected = len(text)
    for token in reversed(list(_TOKEN.finditer(text))):
        gap = text[token.end() : expected]
        if gap not in ("", " ") or (not gap and found) or len(found) == limit:
            break
        # A word that the window cuts in two would look like another word.
        if token.start() == 0 and left:
            break
        found.append(ContextWord(token[0], left + token.start(), left + token.end()))
        expected = token.start()
    return found


def words_after(seen: bytes, end: int, limit: int = 8) -> list[ContextWord]:
    """Words that begin at an offset of a view or one space behind it, in reading order."""
    text = seen[end : end + REACH].decode("latin-1")
    found: list[ContextWord] = []
    expected = 0
    for token in _TOKEN.finditer(text):
        gap = text[expected : token.start()]
        if gap not in ("", " ") or (not gap and found) or len(found) == limit:
            break
        if token.end() == REACH:
            break
        found.append(ContextWord(token[0], end + token.start(), end + token.end()))
        expected = token.end()
    return found


def name_run(
    words: Iterable[ContextWord],
    *,
    stop: Callable[[ContextWord], bool],
    links: frozenset[str] = frozenset({"&", "and", "of", "the", "de", "la", "del"}),
) -> list[ContextWord]:
    """The words of a run that make a name: capitalised ones, and links between two of them.

    Args:
        words: as `words_before` or `words_after` give them; the order is kept.
        stop: says of a word that it is no part of a name, and that the name ends before it.
        links: words, in lower case, that may stand inside a name.
    """
    found: list[ContextWord] = []
    size = 0
    for word in words:
        if word.text == "&" or word.text.lower() in links:
            found.append(word)
            continue
        if stop(word) or not (word.capital or word.text[0].isdigit()):
            break
        found.append(word)
        size = len(found)
    return found[:size]


def spaced_out(seen: bytes, start: int, end: int) -> bool:
    """Whether a stretch of a view stands on its own as a letterhead does.

    Before it there is a line break, two spaces, a tab or a mark such as `|`; behind it likewise,
    or a comma, a dash or a bracket.
    """
    before = seen[max(0, start - 2) : start]
    after = seen[end : end + 2]
    opens = not before or before[-1:] in b"\n\r\t|*^(" or before in (b"  ", b"* ", b"| ", b"\n ")
    closes = (
        not after or after[:1] in b"\n\r\t|*^),;" or after in (b"  ", b" *", b" |", b" -", b" ")
    )
    return opens and (closes or after[:1] == b",")


_BEFORE = re.compile(r"(?:^|[,:;(*|/\t] ?|  |\b(?:at|from|to|by|with|of|for|the|via|and|in) )$")
_BEHIND = re.compile(
    r"[,.;:)*|/\t]|$|  | -| \d| \(| \*| [a-z]?\d| (?:clinic|note|film|campus)\b| e\.?[dr]\b"
)


def apart(seen: bytes, start: int, end: int) -> bool:
    """Whether a stretch of a view stands on its own: marks, gaps or small words on either side."""
    return bool(_BEFORE.search(before(seen, start)) and _BEHIND.match(after(seen, end)))


@functools.cache
def folded(dictionary: str) -> frozenset[str]:
    """The phrases of a shipped list, in lower case."""
    return frozenset(phrase.lower() for phrase in load(dictionary).phrases)
