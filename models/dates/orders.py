"""The order of day and month in numbers: what a note tells, then the setting, the language."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

Order = Literal["mdy", "dmy", "ymd"]
ORDERS: Final[tuple[Order, ...]] = ("mdy", "dmy", "ymd")
"""Orders of day, month and year in numbers that a setting may name."""

ORDER_OF_LANGUAGE: Final[dict[str, Order]] = {"en": "mdy", "es": "dmy", "de": "dmy"}

_TRIPLE = re.compile(
    r"(?<![0-9./-])([0-9]{1,2})(?: ?([-/.]) ?([0-9]{1,2}) ?\2 ?'?(?:[0-9]{4}|[0-9]{2})"
    r"|[. ] ?([0-9]{1,2})[. ] ?[0-9]{4})(?![0-9])"
)
_PAIR = re.compile(r"(?<![0-9:./-])([0-9]{1,2})[-/]([0-9]{1,2})(?![0-9:./-])")
_LONGEST = 96


class NoteOrder(NamedTuple):
    """The order in which a note's dates are read.

    Attributes:
        order: the one.
        ambiguous: whether the note has dates of both orders, so that the setting decided.
    """

    order: Order
    ambiguous: bool


def order_of(spans: Iterable[str], language: str, setting: Order | None = None) -> NoteOrder:
    """The order of a note from the texts of all its dates.

    A part from 13 to 31 is a day, and tells where days stand. `13/5` says that they come first.
    `5/13` says so of months, unless the note tells the other by dates of three parts: then it may
    be a month with a year of two digits. In German it is one anyhow.

    Args:
        spans: the texts of the note's dates, in any order.
        language: key of `ORDER_OF_LANGUAGE`.
        setting: the order where the note tells none or both; None leaves it to the language.
    """
    seen: set[Order] = set()
    weak = False
    for text in spans:
        found, hint = evidence(text)
        seen |= found
        weak = weak or hint
    if weak and not seen and language != "de":
        seen.add("mdy")
    fallback = setting or ORDER_OF_LANGUAGE[language]
    if fallback == "ymd":
        return NoteOrder(fallback, False)
    if len(seen) == 1:
        return NoteOrder(seen.pop(), False)
    return NoteOrder(fallback, len(seen) > 1)


def evidence(text: str) -> tuple[set[Order], bool]:
    """What a text tells of the order for sure, and whether it may be month and day (`5/13`)."""
    seen: set[Order] = set()
    if len(text) > _LONGEST:
        return seen, False
    for match in _TRIPLE.finditer(text):
        first, second = int(match.group(1)), int(match.group(3) or match.group(4))
        if 12 < first <= 31 and 1 <= second <= 12:
            seen.add("dmy")
        elif 1 <= first <= 12 < second <= 31:
            seen.add("mdy")
    weak = False
    for match in _PAIR.finditer(text):
        first, second = int(match.group(1)), int(match.group(2))
        if 12 < first <= 31 and 1 <= second <= 12:
            seen.add("dmy")
        weak = weak or 1 <= first <= 12 < second <= 31
    return seen, weak
