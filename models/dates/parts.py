"""What the parts of a shape are: a function for each kind of pattern makes values and styles.

None is the answer where the tokens are no possible date, or may be two.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from .lexicon import SEASONS, CalendarName, DateLexicon, roman
from .number_words import FIRST_YEAR, LAST_YEAR
from .orders import ORDERS, Order
from .shapes import DateToken, ShapeParse
from .styles import (
    EnglishOrdinal,
    KeptWord,
    MarkedFirst,
    NameInCase,
    PaddedNumber,
    Style,
    TwoDigits,
    case_of,
    named,
)
from .written import DateFields

_PIVOT = 69


def century_of(year: int) -> int:
    """The full year of two digits: 69 to 99 are 19xx, 00 to 68 are 20xx (POSIX, strptime, %y).

    A rule without a clock. A shift is the same in either century but for 29 February 1900.
    """
    return year + (1900 if year >= _PIVOT else 2000)


class ReadingContext(NamedTuple):
    """What a text is read with: language, order of numbers, and the words of the language."""

    language: str
    order: Order
    lexicon: DateLexicon


class SeenPart(NamedTuple):
    """A part at a token: its value and style, None for digits whose width is not known yet."""

    field: str
    value: int
    style: Style | None


Found = dict[int, tuple[SeenPart, ...]]
"""Place of a token -> the parts that it holds (several for digits that are a whole date)."""


def exists(said: DateFields) -> bool:
    """Whether there is such a day, month, quarter; 29 February of no year counts."""
    if said.month is not None and not 1 <= said.month <= 12:
        return False
    if said.quarter is not None and not 1 <= said.quarter <= 4:
        return False
    return said.day is None or _is_day(said.year, said.month, said.day)


_MOST = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def _is_day(year: int | None, month: int | None, day: int) -> bool:
    if month == 2 and year is not None and not calendar.isleap(year):
        return 1 <= day <= 28
    return 1 <= day <= (31 if month is None else _MOST[month - 1])


def _named(token: DateToken) -> Style | None:
    """The style of a number in words."""
    said = token.said
    if said is None:
        return None
    first = FIRST_YEAR if said.value >= FIRST_YEAR else 1
    return named(token.text, said, first)


def _year(token: DateToken) -> tuple[SeenPart, ...] | None:
    """A year in words, or of four or two digits."""
    if token.said is not None:
        style = _named(token)
        return None if style is None else (SeenPart("year", token.said.value, style),)
    if len(token.text) == 4 and token.text[0] != "0":
        return (SeenPart("year", int(token.text), PaddedNumber(4)),)
    if len(token.text) == 2:
        return (SeenPart("year", century_of(int(token.text)), TwoDigits()),)
    return None


def _month_name(
    tokens: Sequence[DateToken], place: int, context: ReadingContext
) -> tuple[SeenPart, ...] | None:
    word, words = tokens[place].text, context.lexicon
    name: CalendarName | None = words.months.get(word.lower())
    if name is not None and word.lower() in words.short_months and _joined(tokens, place):
        name = words.short_months[word.lower()]
    if name is None and (name := roman(word)) is not None:
        return (SeenPart("month", name.value, NameInCase(name.form, 1, "upper")),)
    if name is None or (style := named(word, name)) is None:
        return None
    return (SeenPart("month", name.value, style),)


def _joined(tokens: Sequence[DateToken], place: int) -> bool:
    """Whether a month is joined to a number, or has a dot, as abbreviations are: `05-MAY-2024`."""
    around = ["", "", *(token.text for token in tokens), "", ""]
    before, after = around[place : place + 2][::-1], around[place + 3 : place + 5]
    return after[0] == "." or any(
        near.isdigit() or (near in ("-", "/") and beyond.isdigit())
        for near, beyond in (before, after)
    )


def _day(parse: ShapeParse, tokens: Sequence[DateToken]) -> tuple[int, SeenPart] | None:
    """The day with its place; an ordinal ending is a part of it."""
    place = parse.parts.get("d", parse.parts.get("D"))
    if place is None:
        return None
    token = tokens[place]
    if token.said is not None:
        style: Style | None = _named(token)
        return None if style is None else (place, SeenPart("day", token.said.value, style))
    value, style = int(token.text), None
    if (mark_at := parse.parts.get("o")) is not None:
        style = _ordinal(token.text, value, "".join(t.text for t in tokens[mark_at : mark_at + 2]))
        if style is None:
            return None
    return place, SeenPart("day", value, style)


_ENGLISH_ENDINGS = ("st", "nd", "rd", "th")
_MARK = re.compile(r"(?:\.?[º°ª]|er|ro|ero)")


def _ordinal(digits: str, value: int, behind: str) -> Style | None:
    """The style of a day with an ordinal ending, of which `behind` begins with the ending."""
    width = 2 if digits[0] == "0" else 1
    for ending in _ENGLISH_ENDINGS:
        if behind[:2].lower() == ending:
            case = case_of(behind[:2], ending)
            style = None if case is None else EnglishOrdinal(width, case)
            return style if style and style.printed(value) == digits + behind[:2] else None
    match = _MARK.match(behind)
    if match is None or (value != 1 and match.group()[-1] not in "º°ª"):
        return None
    return MarkedFirst(width, match.group(), value != 1)


def _by_parts(
    parse: ShapeParse, tokens: Sequence[DateToken], context: ReadingContext
) -> Found | None:
    """Every part by its group."""
    found: Found = {}
    parts = parse.parts
    if "D" in parts and context.language == "es":
        return None  # Spanish counts days: "dos" alone is no day
    if (day := _day(parse, tokens)) is not None:
        found[day[0]] = (day[1],)
    elif "d" in parts or "D" in parts:
        return None
    if (place := parts.get("m")) is not None:
        found[place] = (SeenPart("month", int(tokens[place].text), None),)
    if (place := parts.get("M")) is not None:
        if (name := _month_name(tokens, place, context)) is None:
            return None
        found[place] = name
    if (place := parts.get("y", parts.get("Y"))) is not None:
        if (year := _year(tokens[place])) is None:
            return None
        if len(parts) == 1 and not FIRST_YEAR <= year[0].value <= LAST_YEAR:
            return None  # four digits alone are a year only if they can be one
        found[place] = year
    return found


def _late_year(
    parse: ShapeParse, tokens: Sequence[DateToken], context: ReadingContext
) -> Found | None:
    """Two digits alone, if they are over 31: no day, so a year."""
    place = parse.parts["y"]
    if len(tokens[place].text) != 2 or int(tokens[place].text) <= 31:
        return None
    return {place: _year(tokens[place]) or ()}


def _numbers(
    parse: ShapeParse, tokens: Sequence[DateToken], context: ReadingContext
) -> Found | None:
    """Three numbers, by the order, else by the one order in which there is such a day."""
    places = [parse.parts[group] for group in "abc"]
    if tokens[places[2]].said is not None:
        return None
    texts = [tokens[place].text for place in places]
    if (parts := _in_order(texts, context.order)) is None:
        return None
    return {place: (part,) for place, part in zip(places, parts, strict=True)}


_TRIED: Mapping[Order, tuple[Order, ...]] = {
    "mdy": ("mdy", "dmy"),
    "dmy": ("dmy", "mdy"),
    "ymd": ("ymd",),
}
_FIELD = {"d": "day", "m": "month"}


def _in_order(texts: Sequence[str], order: Order) -> list[SeenPart] | None:
    """Three numbers as a date, or None.

    Where years come first, a year at the end says nothing of day and month.
    """
    year_first = len(texts[2]) < 4 and int(texts[0]) > 31
    for each in ("ymd",) if year_first else _TRIED[order]:
        parts: list[SeenPart] = []
        for letter, text in zip(each, texts, strict=True):
            if letter == "y":
                parts += _year(DateToken(text)) or ()
            else:
                parts.append(SeenPart(_FIELD[letter], int(text), None))
        if len(parts) == 3 and _valid(parts):
            return parts
    return None


def _valid(parts: Sequence[SeenPart]) -> bool:
    return exists(DateFields(**{part.field: part.value for part in parts}))


def _pair(parse: ShapeParse, tokens: Sequence[DateToken], context: ReadingContext) -> Found | None:
    """Two numbers: day and month, or month and year.

    With a slash, German writes month and year only. Elsewhere a second number from 33 on is a year,
    which a shift by less than a year does not make a day. With the day first, a second number from
    13 on may be a day in the other order or a year: none.
    """
    first, sign, second = (tokens[parse.parts[group]].text for group in ("a", "s", "b"))
    places = parse.parts["a"], parse.parts["b"]
    one, two = int(first), int(second)
    with_year = 1 <= one <= 12 and len(second) == 2 and sign != "."
    if with_year and (context.language == "de" or two >= _SURE_YEAR or two == 0):
        month = (SeenPart("month", one, None),)
        return {places[0]: month, places[1]: _year(DateToken(second)) or ()}
    if context.language == "de" and sign != ".":
        return None
    day_first = context.order == "dmy"
    if day_first and sign != "." and two > 12:
        return None
    for fields in (("day", "month"), ("month", "day")) if day_first else _MONTH_FIRST:
        parts = [
            SeenPart(field, value, None) for field, value in zip(fields, (one, two), strict=True)
        ]
        if _valid(parts):
            return {place: (part,) for place, part in zip(places, parts, strict=True)}
    return None


_SURE_YEAR = 33
_MONTH_FIRST = (("month", "day"), ("day", "month"))


def _month_and_number(
    parse: ShapeParse, tokens: Sequence[DateToken], context: ReadingContext
) -> Found | None:
    """A month and a number: its day, or a year of two digits ("Oct 21", "diciembre-08").

    Months come first in English dates without a year. Where the day comes first, the number is no
    day in German, nor in Spanish behind a hyphen; behind a blank it may be either, and is not read,
    nor is a single digit, which a shift may make two.
    """
    place = parse.parts["d"]
    token, between = tokens[place], "".join(t.text for t in tokens[parse.parts["M"] + 1 : place])
    found = _by_parts(parse, tokens, context)
    if found is None or token.said is not None or "o" in parse.parts:
        return found
    two_digits = len(token.text) == 2
    joined = between.strip(" .") in ("-", "/", "–")
    of = re.search(r"\b(?:de|del|of)\b", between, re.IGNORECASE) is not None
    day_first = context.order == "dmy"
    if int(token.text) >= _SURE_YEAR or of or (day_first and context.language == "de"):
        is_year = two_digits
    elif joined:
        is_year = two_digits and day_first and context.language == "es"
    else:
        if not day_first:
            return found
        is_year = False
    if not is_year or (year := _year(token)) is None:
        return None
    return {**found, place: year}


def _compact(
    parse: ShapeParse, tokens: Sequence[DateToken], context: ReadingContext
) -> Found | None:
    """Digits that are a whole date: eight (year first, else by the order), or six.

    Six that may be year and month (`201012`) are not read if they may be a day as well.
    """
    place = parse.parts["e"]
    digits = tokens[place].text
    if len(digits) == 8:
        parts = None
        if _may_be_year(digits[:4]):
            parts = _in_order((digits[:4], digits[4:6], digits[6:]), "ymd")
        if parts is None and _may_be_year(digits[4:]):
            parts = _in_order((digits[:2], digits[2:4], digits[4:]), context.order)
    else:
        days = [found for order in ORDERS if (found := _six(digits, order)) is not None]
        parts = _six(digits, context.order) or (days[0] if len(days) == 1 else None)
        if _may_be_year(digits[:4]) and 1 <= int(digits[4:]) <= 12:
            month = SeenPart("month", int(digits[4:]), None)
            parts = None if days else [SeenPart("year", int(digits[:4]), PaddedNumber(4)), month]
    if parts is None:
        return None
    return {place: tuple(part._replace(style=part.style or PaddedNumber(2)) for part in parts)}


def _may_be_year(digits: str) -> bool:
    return FIRST_YEAR <= int(digits) <= LAST_YEAR


def _six(digits: str, order: Order) -> list[SeenPart] | None:
    parts: list[SeenPart] = []
    for letter, text in zip(order, (digits[:2], digits[2:4], digits[4:]), strict=True):
        if letter == "y":
            parts.append(SeenPart("year", century_of(int(text)), TwoDigits()))
        else:
            parts.append(SeenPart(_FIELD[letter], int(text), None))
    return parts if _valid(parts) else None


def _decade(
    parse: ShapeParse, tokens: Sequence[DateToken], context: ReadingContext
) -> Found | None:
    """1990s, '90s, los 90, 90er: the year ends in 0."""
    place = parse.parts.get("c")
    if place is None:
        place = parse.parts["C"]
        before = "".join(token.text for token in tokens[:place]).lower().strip(" '’")
        if context.language != "es" or before not in ("los", "los años", "los anos"):
            return None
    token = tokens[place]
    if token.said is not None or token.text[-1] != "0" or (year := _year(token)) is None:
        return None
    return {place: (year[0]._replace(field="decade"),)}


def _season(
    parse: ShapeParse, tokens: Sequence[DateToken], context: ReadingContext
) -> Found | None:
    word = parse.parts["S"]
    found: Found = {
        word: (SeenPart("season", SEASONS[tokens[word].text.lower()], KeptWord(tokens[word].text)),)
    }
    if (place := parse.parts.get("y")) is not None:
        if (year := _year(tokens[place])) is None:
            return None
        found[place] = year
    return found


def _quarter(
    parse: ShapeParse, tokens: Sequence[DateToken], context: ReadingContext
) -> Found | None:
    place = parse.parts["q"]
    if len(tokens[place].text) != 1:
        return None
    found: Found = {place: (SeenPart("quarter", int(tokens[place].text), PaddedNumber()),)}
    if (at := parse.parts.get("y")) is not None:
        if (year := _year(tokens[at])) is None:
            return None
        found[at] = year
    return found


_Builder = Callable[[ShapeParse, Sequence[DateToken], ReadingContext], Found | None]
BUILDERS: Mapping[str, _Builder] = {
    "date": _by_parts,
    "late_year": _late_year,
    "numbers": _numbers,
    "pair": _pair,
    "month_and_number": _month_and_number,
    "compact": _compact,
    "decade": _decade,
    "season": _season,
    "quarter": _quarter,
}
"""Kind of a pattern of `shapes` -> what makes parts of its tokens."""
