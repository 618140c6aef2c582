"""Reading a written date: whole, or not at all.

Text beside the date is peeled off (times), the rest becomes tokens and a shape, and the rows of the
grammar that fit the shape are tried in order, until one gives a date that exists. What is read is
printed again: a reading that does not give back the text, byte for byte, is none. Nothing is filled
in from the day on which the program runs; parts that are not said stay unsaid.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ..core.errors import UsageError
from ..core.suggestions import did_you_mean
from .clock_times import peel
from .lexicon import fold_holiday, holidays, lexicon, roman
from .orders import ORDER_OF_LANGUAGE, ORDERS, Order, evidence
from .parts import BUILDERS, Found, ReadingContext, SeenPart, exists
from .shapes import DateToken, ShapeParse, parses, tokens_of
from .styles import EnglishOrdinal, MarkedFirst, OneValue, PaddedNumber, named
from .written import DateEnd, DateFields, DatePart, Precision, WrittenDate, filled

LONGEST: Final = 96
"""Code points of the longest text that may be a date; a longer one is not looked at."""

_MOST_JOINTS = 8
_UNKNOWN = 0
"""The width of a day alone that has two digits anyhow; it prints as 1 does."""


def read_date(text: str, language: str = "en", order: Order | None = None) -> WrittenDate | None:
    """Reads a text that is a date, a range of two, or a part of one.

    Args:
        text: the whole text, with nothing around it but blanks and times of day.
        language: "en", "es" or "de"; names of months and weekdays of the others are read too.
        order: of day and month in numbers, as `orders.order_of` gives it for a note; None takes
            the language's. A date that is possible in the other order alone is read in that, but
            for "ymd".

    Returns:
        The date, with `str(date) == text`; None if the text is not understood to its last
        character, or is no possible date.

    Raises:
        UsageError: if there is no grammar for the language, or no such order.
    """
    words = lexicon(language)
    if order is None:
        order = ORDER_OF_LANGUAGE[language]
    elif order not in ORDERS:
        raise UsageError(
            f"unknown order of dates{did_you_mean(order, ORDERS)}; there are: {', '.join(ORDERS)}"
        )
    if not 0 < len(text) <= LONGEST:
        return None
    context = ReadingContext(language, order, words)
    written = _single(text, context) or _range(text, context) or _by_name(text, context)
    if written is not None and written.precision == "day_month":
        written = _holiday(text) or written  # the Fourth of July
    if written is None or str(written) != text:
        return None
    if any(_is_against(end, order) for end in written.ends):
        return dataclasses.replace(written, against_order=True)
    return written


def _is_against(end: DateEnd, order: Order) -> bool:
    """Whether day and month are numbers in another order."""
    if not (end.printed_as_number("day") and end.printed_as_number("month")):
        return False
    places = {field: end.index_of(field) or 0 for field in ("year", "month", "day")}
    day_first = places["day"] < places["month"]
    year_first = end.said.year is not None and places["year"] < places["month"]
    return not year_first and (order == "ymd" or day_first != (order == "dmy"))


def _single(text: str, context: ReadingContext) -> WrittenDate | None:
    end = _end(text, context)
    precision = None if end is None else _precision(end.said)
    return None if end is None or precision is None else WrittenDate((end,), "", precision)


def _precision(said: DateFields) -> Precision | None:
    """What is said of time; None for what is no date, such as a day with a year."""
    if said.season is not None:
        return "season"
    if said.decade is not None:
        return "decade"
    if said.quarter is not None:
        return "quarter" if said.year is not None else None
    key = (said.year is not None, said.month is not None, said.day is not None)
    return _PRECISIONS.get(key) or ("weekday" if said.weekday and not any(key) else None)


_PRECISIONS: Mapping[tuple[bool, bool, bool], Precision] = {
    (True, True, True): "day",
    (False, True, True): "day_month",
    (False, False, True): "day_of_month",
    (True, True, False): "month",
    (False, True, False): "month_name",
    (True, False, False): "year",
}


def _end(text: str, context: ReadingContext, *, of_range: bool = False) -> DateEnd | None:
    """One date with what is around it, by the first row of the grammar that gives one."""
    before, core, behind = peel(text)
    if not core:
        return None
    tokens, shape = tokens_of(core, context.lexicon)
    if "?" in shape:
        return None
    for parse in parses(shape, of_range):
        found = BUILDERS[parse.kind](parse, tokens, context)
        if found is not None and exists(said := _said(found, parse, tokens, context)):
            return _assembled(found, said, tokens, before, behind)
    return None


def _said(
    found: Found, parse: ShapeParse, tokens: Sequence[DateToken], context: ReadingContext
) -> DateFields:
    """The values of the parts, with the weekday added to these if there is one."""
    for group in ("W", "w"):
        if (place := parse.parts.get(group)) is not None and place not in found:
            word = tokens[place].text
            name = context.lexicon.letters.get(word) or context.lexicon.weekdays[word.lower()]
            found[place] = (SeenPart("weekday", name.value, named(word, name)),)
    return DateFields(**{part.field: part.value for parts in found.values() for part in parts})


def _assembled(
    found: Found, said: DateFields, tokens: Sequence[DateToken], before: str, behind: str
) -> DateEnd | None:
    """The end: parts where tokens are parts, all other tokens as text."""
    widths = _widths(found, tokens)
    pieces: list[str | DatePart] = []
    text, skipped = before, ""
    for place, token in enumerate(tokens):
        parts = found.get(place)
        if parts is None:
            kept = token.text
            if skipped:  # the ending of an ordinal belongs to the day
                cut = min(len(kept), len(skipped))
                kept, skipped = kept[cut:], skipped[cut:]
            text += kept
            continue
        if text:
            pieces.append(text)
            text = ""
        for part in parts:
            style = part.style or PaddedNumber(widths[place])
            pieces.append(DatePart(part.field, style))
            if isinstance(style, EnglishOrdinal | MarkedFirst):
                skipped = (style.printed(part.value))[len(token.text) :]
    if text + behind:
        pieces.append(text + behind)
    return DateEnd(tuple(pieces), said)


def _widths(found: Found, tokens: Sequence[DateToken]) -> dict[int, int]:
    """How many digits day and month have at least, for those in digits.

    A zero in front tells, and so does a single digit. Of two that tell nothing (`12/13/2024`), all
    numbers are padded, which keeps columns; a day beside a name is not, unless it is joined to it.
    """
    plain = [place for place, parts in found.items() if parts[0].style is None]
    widths: dict[int, int] = {}
    for place in plain:
        text = tokens[place].text
        if text[0] == "0" or len(text) == 1:
            widths[place] = len(text)
    if len(widths) < len(plain):
        default = max(widths.values()) if widths else _default_width(found, plain, tokens)
        for place in plain:
            widths.setdefault(place, default)
    return widths


def _default_width(found: Found, plain: Sequence[int], tokens: Sequence[DateToken]) -> int:
    """The width where no number tells one."""
    fields = {parts[0].field: place for place, parts in found.items()}
    month = fields.get("month")
    if month is None:
        return _UNKNOWN
    if month in plain:
        return 2
    low, high = sorted((plain[0], month))
    joined = "".join(token.text for token in tokens[low + 1 : high]) in ("", "-", "/")
    return 2 if joined and roman(tokens[month].text) is None else 1


def _range(text: str, context: ReadingContext) -> WrittenDate | None:
    """Two dates with a joint between them, if there is one way alone to see them."""
    tokens, shape = tokens_of(text, context.lexicon)
    starts = [0]
    for token in tokens:
        starts.append(starts[-1] + len(token.text))
    opening = re.match(r" ?(?:g|f) (?:h )?", shape)
    begin = starts[opening.end()] if opening else 0
    found = []
    joints = list(_joints(shape))
    if len(joints) > _MOST_JOINTS:
        return None
    for first, last in joints:
        left, right = text[begin : starts[first]], text[starts[last] :]
        if left and right and (ends := _two(left, right, shape[first:last], context)) is not None:
            found.append((ends, text[starts[first] : starts[last]]))
    if len(found) != 1:
        return None
    (one, other), joint = found[0]
    if begin:
        one = DateEnd((text[:begin], *one.pieces), one.said)
    precision = _precision(filled([one.said, other.said])[0])
    return None if precision is None else WrittenDate((one, other), joint, precision)


def _joints(shape: str) -> Iterator[tuple[int, int]]:
    """Where two dates may be joined: dashes, words between blanks, and the slash of ISO 8601."""
    for match in re.finditer(r" ?- ?| j (?:h )?|/", shape):
        yield match.span()


def _two(
    left: str, right: str, joint: str, context: ReadingContext
) -> tuple[DateEnd, DateEnd] | None:
    """The two ends of a range, if the first is before the second and both say the same parts."""
    orders = evidence(left)[0] | evidence(right)[0]
    if len(orders) > 1:
        return None
    if orders:
        context = context._replace(order=orders.pop())
    one = _end(left, context, of_range=True)
    other = _end(right, context, of_range=True) if one is not None else None
    if one is None or other is None:
        return None
    said = filled([one.said, other.said])
    precision = _precision(said[0])
    if precision is None or precision != _precision(said[1]) or precision == "day_of_month":
        return None
    if joint == "-" and ("-" in left or "-" in right):
        return None  # "3-5-7-9"
    if other.said.month is None and one.printed_as_number("month"):
        return None  # "5/3-24" may be a year
    if left.rstrip().endswith(".") and one.said.month is None and "." not in right:
        return None  # "03.-5/7/24"
    if joint == "/" and (precision != "day" or said != [one.said, other.said]):
        return None
    if precision != "weekday" and not _in_sequence(said, one.said, other.said):
        return None
    return _alike(one, other), _alike(other, one)


def _alike(end: DateEnd, other: DateEnd) -> DateEnd:
    """An end whose day tells no width, with that of the other's numbers."""
    widths = [
        piece.style.width
        for piece in other.pieces
        if isinstance(piece, DatePart)
        and isinstance(piece.style, PaddedNumber)
        and piece.field in ("day", "month")
    ]
    if not widths:
        return end
    pieces = (
        piece._replace(style=PaddedNumber(max(widths)))
        if isinstance(piece, DatePart) and piece.style == PaddedNumber(_UNKNOWN)
        else piece
        for piece in end.pieces
    )
    return DateEnd(tuple(pieces), end.said)


def _in_sequence(whole: Sequence[DateFields], one: DateFields, other: DateFields) -> bool:
    """Whether the first end comes before the second, as in a range it does."""
    borrowed = one.month is None or (other.month is None and other.day is not None)
    if whole[0].year is None and not borrowed:
        return True  # from December to February
    return _key(whole[0]) < _key(whole[1]) and all(exists(values) for values in whole)


def _key(values: DateFields) -> tuple[int, ...]:
    return (values.decade or values.year or 0, *values.place_in_year)


_DAYS_OF_WEEK = re.compile(
    r"[MWF]|(?=(?:[^A-Za-z]*[A-Za-z]){3})(?i:(?:M(?:on?)?[-/, ]?)?(?:Tu?e?(?!h)[-/, ]?)?"
    r"(?:We?d?[-/, ]?)?(?:Th?u?(?=[^a-z]|[FS]|\Z)[-/, ]?)?(?:Fr?i?[-/, ]?)?(?:Sa?t?(?!u)[-/, ]?)?"
    r"(?:Su)?)"
)
"""Letters of weekdays in their order (as of dialysis), three at least; or one that is clear."""


def _by_name(text: str, context: ReadingContext) -> WrittenDate | None:
    """Holidays: a name, with its year or a date behind it; letters of weekdays ("MWF")."""
    if context.language == "en" and len(text) < 12 and _DAYS_OF_WEEK.fullmatch(text):
        days = DateEnd((DatePart("weekday", OneValue(text, 1)),), DateFields(weekday=1))
        return WrittenDate((days,), "", "weekday")
    words = text.split()
    for count in range(len(words), 0, -1):
        if fold_holiday(" ".join(words[:count])) in holidays():
            rest = " ".join(words[count:])
            return _fixed(text) if not rest or _single(rest, context) is not None else None
    return None


def _holiday(text: str) -> WrittenDate | None:
    """A text that is the name of a holiday, its year at most behind it."""
    return _fixed(text) if fold_holiday(text) in holidays() else None


def _fixed(text: str) -> WrittenDate:
    """A text with a name that does not move."""
    return WrittenDate((DateEnd((text,), DateFields()),), "", "holiday")
