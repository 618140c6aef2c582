"""Stretches of text between tags: how their blanks and references are read, and written."""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Sequence

from .flow import Flow

Decode = Callable[[str, int], tuple[str, int] | None]
"""(source, place of a sign `&`) -> what is read and where that ends, None for the sign alone."""

Region = tuple[int, int, str]
"""A range of a source that is no plain text, and how it is written."""

PLAIN, KEPT, DATA, KEPT_DATA = "", "kept", "data", "kept data"
RAW, RAW_REST, SECTION = "raw", "rest", "section"
"""How text is written: with tags, where blanks collapse or stay; with references alone, where they
collapse or stay; as it is, up to an end tag or the end of all; in a section of CDATA. The value of
an attribute: by its quote."""

_BLANKS = re.compile(r"[ \t\n\f\r]+")
_STOPS = re.compile(
    # One blank alone is text like any other.
    r"(?P<blanks> [ \t\n\f\r]+| (?=[&\0])|[\t\n\f\r][ \t\n\f\r]*+)|&|\0|\xa0"
)
_KEPT_STOPS = re.compile(r"\r\n?|&|\0|\xa0")
_LINE_END = re.compile(r"\r\n?")
SIGNS = " \t\n\f\r"
"""Blanks of markup."""


def flow_text(flow: Flow, source: str, low: int, high: int, decode: Decode) -> None:
    """Reads text whose blanks collapse."""
    position = begin = _collapse(flow, source, low, high)
    end = position + len(source[position:high].rstrip(SIGNS)) if source[high - 1] in SIGNS else high
    while found := _next_stop(_STOPS, source, position, end, decode):
        start, position, sign, decoded = found
        if start > begin:
            flow.text(source[begin:start], begin)
        if decoded:
            if decoded in SIGNS:
                flow.blank(start, position)
                position = _collapse(flow, source, position, end)
            else:
                flow.char(" " if decoded == "\xa0" else decoded, start, position)
        elif sign == "\xa0":
            flow.char(" ", start, position)
        elif sign == "\0":
            position = _collapse(flow, source, position, end)
        else:
            flow.blank(start, position)
        begin = position
    if begin < end:
        flow.text(source[begin:end], begin)
    if max(begin, end) < high:
        flow.blank(max(begin, end), high)


def keep_text(flow: Flow, source: str, low: int, high: int, decode: Decode) -> None:
    """Reads text whose blanks and line ends stay."""
    position = begin = low
    while found := _next_stop(_KEPT_STOPS, source, position, high, decode):
        start, position, sign, decoded = found
        if start > begin:
            flow.text(source[begin:start], begin)
        if decoded:
            flow.char(" " if decoded == "\xa0" else decoded, start, position)
        elif sign != "\0":
            flow.char(" " if sign == "\xa0" else "\n", start, position)
        begin = position
    if begin < high:
        flow.text(source[begin:high], begin)


def _next_stop(
    stops: re.Pattern[str], source: str, low: int, high: int, decode: Decode
) -> tuple[int, int, str, str] | None:
    """Where something next stands that is not read as it is: its place, it, what it stands for."""
    while found := stops.search(source, low, high):
        start, low = found.span()
        if found[0] != "&":
            return start, low, found[0], ""
        if decoded := decode(source, start):
            return start, decoded[1], "&", decoded[0]
    return None


def raw_text(flow: Flow, source: str, low: int, high: int) -> None:
    """Reads text as it is written, but for line ends."""
    position = low
    while found := _LINE_END.search(source, position, high):
        if found.start() > position:
            flow.text(source[position : found.start()], position)
        flow.char("\n", *found.span())
        position = found.end()
    if position < high:
        flow.text(source[position:high], position)


def behind_line_end(source: str, position: int) -> int:
    """Where the line begins, if a line end stands at `position`; else that."""
    found = _LINE_END.match(source, position)
    return found.end() if found else position + source.startswith("\n", position)


def _collapse(flow: Flow, source: str, low: int, high: int) -> int:
    """Reads the blanks at `low`; gives where they end."""
    found = _BLANKS.match(source, low, high)
    if found is None:
        return low
    flow.blank(low, found.end())
    return found.end()


def region_at(regions: Sequence[Region], offset: int) -> Region:
    """The region that an offset is in; that of plain text begins and ends at it."""
    index = bisect.bisect_right(regions, offset, key=lambda region: region[0]) - 1
    inside = index >= 0 and offset < regions[index][1]
    return regions[index] if inside else (offset, offset, PLAIN)


def hard_blanks(text: str) -> str:
    """A text of which no blank collapses: those at its ends and beside others are written so."""
    if " " not in text:
        return text
    parts = re.split("( +)", text)
    last = len(parts) - 1
    for index in range(1, last, 2):
        if (
            index == 1
            and not parts[0]
            or index == last - 1
            and not parts[last]
            or len(parts[index]) > 1
            or parts[index - 1][-1] == "\n"
            or parts[index + 1][0] == "\n"
        ):
            parts[index] = "&#160;" * len(parts[index])
    return "".join(parts)
