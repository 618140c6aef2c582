"""Times of day beside a date. A shift by whole days leaves them, so they are read and kept as text.

Read are 24 and 12 hours, minutes, seconds and fractions, zones, ranges of two times, and how
languages introduce them: `T10:15:00Z`, `at 2:30 pm`, `um 10.15 Uhr`, `a las 14:30 h`, `@ 1430`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_ZONE = (
    r"(?: ?(?:Z|UTC|GMT|BST|[CEMP][SD]T|CES?T|MES?Z|AE[SD]T|NZ[SD]T|IST)\b"
    r"| ?[+-][0-9]{2}:?[0-9]{2})"
)
_NOON = r"(?: ?[ap]\.? ?m\b\.?|[ap]\b)"
_HOURS = r"(?: ?(?:uhr|horas|hours|hrs?|hs|h)\b\.?)"
_HOUR = r"(?:2[0-4]|[01]?[0-9])"
_CLOCK = (
    rf"(?:{_HOUR}:[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]{{1,9}})?)?{_NOON}?{_HOURS}?{_ZONE}?"
    rf"|{_HOUR}[.][0-5][0-9](?:{_NOON}|{_HOURS})|{_HOUR}h[0-5][0-9]"
    rf"|(?:1[0-2]|0?[1-9]){_NOON}|{_HOUR}{_HOURS}|(?:2[0-3]|[01][0-9])[0-5][0-9]{_HOURS})"
)
_TIMES = rf"{_CLOCK}(?:\s?(?:-|–|to|a|bis)\s?{_CLOCK})?"
_MILITARY = r"(?:2[0-3]|[01][0-9])[0-5][0-9]"
_BEHIND = re.compile(
    rf"(?:T{_CLOCK}|\s?@\s?(?:{_TIMES}|{_MILITARY})|\s?\({_TIMES}\)"
    rf"|(?:\s?[,;]\s?|\s[-/]\s|\s)(?:(?:at|um|gegen|ab|a las?|on)\s)?{_TIMES}"
    rf"|,?\sat\s{_MILITARY})\s*\Z",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    rf"\A\s*(?:(?:at|um|a las?)\s)?{_TIMES}(?:\s?,\s?|\s)(?:(?:on|am|el|del|de)\s)?", re.IGNORECASE
)
_DIGITS = re.compile(
    r"([0-9]{8})((?:2[0-3]|[01][0-9])(?:[0-5][0-9](?:[0-5][0-9](?:\.[0-9]{1,6})?)?)?"
    r"(?:[+-][0-9]{4})?)\Z"
)


class Peeled(NamedTuple):
    """A text in three: what is before the date, the date, and what is behind it."""

    before: str
    date: str
    behind: str


def peel(text: str) -> Peeled:
    """Takes times of day off both ends of a text, and blanks around it.

    A timestamp in digits alone (HL7 v2.5.1, §2.A.22: YYYYMMDDHHMM[SS[.S]][+/-ZZZZ]) is cut behind
    its day. Takes a time linear in the text's length, for texts as short as `reading` passes.
    """
    stripped = text.lstrip()
    lead, text = text[: len(text) - len(stripped)], stripped
    if len(text) > 9 and (match := _DIGITS.match(text)):
        return Peeled(lead, match.group(1), match.group(2))
    before = behind = ""
    if len(text) > 5:
        if match := _BEHIND.search(text):
            text, behind = text[: match.start()], match.group()
        if match := _BEFORE.match(text):
            before, text = match.group(), text[match.end() :]
    core = text.rstrip()
    return Peeled(lead + before, core, text[len(core) :] + behind)
