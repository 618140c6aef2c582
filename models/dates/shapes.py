"""Texts as tokens and shapes, and the table of patterns that a date's shape may have.

Each token is a letter: its class. The letters of a text are its shape ("3rd May 2024" is "no M y"),
and the grammar is a table of regular expressions over shapes. A group of a pattern names the part
of the date that its token is; tokens outside of groups are kept as they stand.

    n   one or two digits            M  month     W  weekday    B  either ("mar")
    y   four digits, year in words   R  Roman     K  one letter  Q  either ("V")
    s   six digits                   N  day in words (ordinal)
    e   eight digits                 o  ordinal ending, d  ending of decades
    f   of, de      h  the, el       p  early, mid, year, año     i  in, am
    j   to, al, bis g  from, vom     k  quarter   S  season      ?  all that has no place in a date
Blanks are one blank, dashes one hyphen; other signs stand for themselves.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from .lexicon import CalendarName, DateLexicon

_TOKEN = re.compile(r"[0-9]+|[^\W\d_]+(?:[\u0300-\u036f]+[^\W\d_]*)*|\s+|.", re.DOTALL)
_NUMBERS: Mapping[int, str] = {1: "n", 2: "n", 4: "y", 6: "s", 8: "e"}
_SIGNS: Mapping[str, str] = {
    **{sign: sign for sign in "-/.,'()"},
    **dict.fromkeys("‐‑‒–—−", "-"),
    **dict.fromkeys("’‘`´", "'"),
    "°": "o",
}
_MOST_WORDS = 11  # tokens of "mil novecientos noventa y nueve", with its blanks, and some more


class DateToken(NamedTuple):
    """A stretch of the text.

    Attributes:
        text: as it is written.
        said: the number that it is in words, with its form.
    """

    text: str
    said: CalendarName | None = None


def tokens_of(text: str, lexicon: DateLexicon) -> tuple[list[DateToken], str]:
    """The tokens of a text and its shape, one letter a token."""
    words = _TOKEN.findall(text)
    tokens, letters, place = [], [], 0
    while place < len(words):
        word = words[place]
        first = word[0]
        said = None
        if "0" <= first <= "9":
            letter = _NUMBERS.get(len(word), "?")
        elif first.isspace():
            letter = " "
        elif first.isalpha():
            letter = lexicon.class_of(word)
            if (found := _in_words(words, place, lexicon)) is not None:
                word, letter, said, place = *found[:3], place + found[3] - 1
        else:
            letter = _SIGNS.get(word, "?")
        tokens.append(DateToken(word, said))
        letters.append(letter)
        place += 1
    return tokens, "".join(letters)


def _in_words(
    words: list[str], place: int, lexicon: DateLexicon
) -> tuple[str, str, CalendarName, int] | None:
    """The longest number in words that begins here: its text, class, form, count of tokens."""
    if words[place].lower() not in lexicon.number_starts:
        return None
    for count in range(min(_MOST_WORDS, len(words) - place), 0, -1):
        text = "".join(words[place : place + count])
        if (found := lexicon.phrases.get(text.lower())) is not None:
            return text, *found, count
    return None


class ShapePattern(NamedTuple):
    """One row of the grammar.

    Attributes:
        kind: how `reading` makes a date of the parts.
        regex: over the shape; its groups are parts.
    """

    kind: str
    regex: re.Pattern[str]


_GAP = r" ?[-/.,]? ?(?:[fhpi] )*"
# Before a year of two digits: "May 15-20" and "3 May-20" are ranges.
_NO_DASH = r" ?[.,]? ?(?:[fhpi] )*"
_DAY = r"(?P<d>[nN])(?P<o>\.?o)?"
_MONTH = r"(?P<M>[MBRQ])"
_NAME = r"(?P<M>[MB])"
_YEAR = r"'?(?P<y>[ny])"
_BEFORE = r"(?:[fhpi] |p-)*"
_WEEKDAY = r"(?:(?P<W>[WBKQ])\.?(?: ?,| ?-)? ?(?:[hfi] )*)?"
_BEHIND = r"(?:,? ?\(?(?P<w>[WB])\.?\)?)?"

_WITH_DAY: Final = (
    ("numbers", r"(?P<a>n) ?(?P<s>[-/.]) ?(?P<b>n) ?(?P=s) ?'?(?P<c>[ny])"),
    ("numbers", r"(?P<a>n)(?:\. ?| )(?P<b>n)(?:\. ?| )(?P<c>y)"),
    ("date", r"(?P<y>y) ?(?P<s>[-/.]) ?(?P<m>n) ?(?P=s) ?(?P<d>n)"),
    ("date", r"(?P<y>y) (?P<m>n) (?P<d>n)"),
    ("pair", r"(?P<a>n)(?P<s>-)(?P<b>n)"),
    ("pair", r"(?P<a>n) ?(?P<s>[/.]) ?(?P<b>n)"),
    ("pair", r"(?P<a>n)(?P<s>\.) ?(?P<b>n)\."),
    ("date", rf"(?:h )?{_DAY}{_GAP}{_MONTH}(?:\.?{_NO_DASH}{_YEAR})?\.?"),
    ("date", rf"(?:h )?{_DAY}{_GAP}{_MONTH}\.?{_GAP}(?P<y>y)"),
    ("date", rf"{_DAY} ?(?P<s>[-/]) ?{_MONTH}\.? ?(?P=s) ?{_YEAR}"),
    ("date", rf"{_NAME}\.?{_GAP}{_DAY}{_NO_DASH}{_YEAR}"),
    ("date", rf"{_NAME}\.?{_GAP}{_DAY}{_GAP}(?P<y>y)"),
    ("date", rf"{_NAME}\.? ?(?P<s>[-/]) ?{_DAY} ?(?P=s) ?{_YEAR}"),
    ("month_and_number", rf"(?P<M>M)\.?{_GAP}{_DAY}"),
    ("date", rf"(?P<y>y){_GAP}{_MONTH}\.?{_GAP}(?P<d>n)"),
    ("compact", r"(?P<e>[se])"),
)
_WITHOUT_DAY: Final = (
    ("date", r"(?P<m>n) ?[-/.] ?(?P<y>y)"),
    ("date", r"(?P<y>y) ?[-/.] ?(?P<m>n)"),
    ("date", rf"{_BEFORE}{_NAME}\.?{_GAP}(?:(?P<y>y)|'(?P<Y>n))"),
    ("month_and_number", rf"{_BEFORE}(?P<M>M)\.?{_GAP}(?P<d>n)"),
    ("date", rf"(?P<y>y){_GAP}{_NAME}"),
    ("date", rf"{_BEFORE}(?P<M>M)\.?"),
    ("date", rf"{_BEFORE}(?:(?P<y>y)|'(?P<Y>n))"),
    ("late_year", r"(?P<y>n)"),
    ("date", r"(?P<W>[WK])\.?"),
    ("date", rf"(?P<W>[WKQ])\.?,?{_GAP}{_DAY}"),
    ("date", r"(?:h )?(?P<d>n)(?P<o>\.?o)|(?:h )?(?P<D>N)"),
    ("decade", rf"{_BEFORE}'?(?P<c>[ny])'?d(?: p)?|h (?:p )?'?(?P<C>[ny])"),
    ("season", rf"{_BEFORE}(?P<S>S)(?: ?[-/,]? ?(?:[fhp] )*{_YEAR})?"),
    ("quarter", rf"{_BEFORE}k ?(?P<q>n)(?:{_GAP}{_YEAR})?"),
    ("quarter", rf"{_BEFORE}(?P<q>n)(?:\.?o|\.)? ?k(?:{_GAP}{_YEAR})?"),
)
_ENDS: Final = (
    ("date", r"(?:h )?(?P<d>[nN])(?P<o>\.?o)?\.?"),
    ("date", rf"{_DAY}, ?{_YEAR}"),
    ("date", rf"{_DAY} (?P<y>y)"),
)
"""What may stand at one end of a range only."""

PATTERNS: Final = tuple(
    ShapePattern(kind, re.compile(source))
    for kind, source in (
        *((kind, f"{_WEEKDAY}(?:{source}){_BEHIND}") for kind, source in _WITH_DAY),
        *_WITHOUT_DAY,
    )
)
PATTERNS_OF_ENDS: Final = (
    *PATTERNS,
    *(ShapePattern(kind, re.compile(f"{_WEEKDAY}(?:{source}){_BEHIND}")) for kind, source in _ENDS),
)


class ShapeParse(NamedTuple):
    """A way to see a shape as a date: kind, and for each part the place of its token."""

    kind: str
    parts: Mapping[str, int]


@functools.lru_cache(maxsize=4096)
def parses(shape: str, end_of_range: bool) -> tuple[ShapeParse, ...]:
    """All ways to see a shape as a date, in the order of the table.

    KeptWord by shape, of which notes have few hundred; a shape holds nothing of a text.
    """
    return tuple(
        ShapeParse(
            kind, {part: match.start(part) for part, text in match.groupdict().items() if text}
        )
        for kind, regex in (PATTERNS_OF_ENDS if end_of_range else PATTERNS)
        if (match := regex.fullmatch(shape)) is not None
    )
