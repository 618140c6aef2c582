"""Doses that a tagger takes for people: `MG` in "Metoprolol 25 MG" is a unit, not initials.

A unit in capitals behind a number looks like the initials of who signs. In codes, lists and
messages, whose texts are short, a tagger's guess takes it for them and half of a dose is gone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..core.spans import Candidate

_UNIT = (
    r"(?:[mkµμ]?g|mcg|ug|ng|gm|gr|m?l|dl|cc|iu|[mk]?unt|units?|m?eq|m?mol|m?cal|kcal|mosm|mci|ppm"
    r"|actuat|actuation|spray|puffs?|drops?|gtts?|hrs?|h|min|day|dose|sqcm|cm|mm|inch|%)"
)
_FORM = (
    r"(?:tab(?:let)?s?|cap(?:sule)?s?|caplets?|pills?|chew(?:able)?|oral|vials?|syringes?|patch(?:es)?"
    r"|supp(?:ositor(?:y|ies))?|sol(?:ution|n)?|susp(?:ension)?|inj(?:ection)?|crm|cream|oint(?:ment)?"
    r"|powder|packets?|spray|inh(?:aler)?|neb|ec|er|xr|sr|cr|dr|ir|xl|la|cd|hct|odt|pf|po|iv|im|sc|sq"
    r"|top|od|bid|tid|qid|qhs|prn|daily)"
)
_NUMBER = r"(?<![\w/.:#-])(?:\d{1,4}(?:\.\d+)?-\d{1,4}|\d{1,7}(?:,\d{3})*)(?:\.\d+)?"
_QUANTITY = rf"{_NUMBER}[ -]?{_UNIT}(?: ?/ ?(?:\d+(?:\.\d+)? ?)?{_UNIT})?"
_DOSE = re.compile(rf"{_QUANTITY}(?: {_FORM}){{0,4}}(?!\w)", re.IGNORECASE)
_WORD = re.compile(rf"(?:{_UNIT}|{_FORM})(?![^\W\d_])", re.IGNORECASE)
_PORTION = re.compile(
    r"(?<![\w/.-])\d/\d(?= ?-?(?:tab(?:let)?s?|cap(?:sule)?s?|pills?|patch|strength|dose)\b)",
    re.IGNORECASE,
)
"""Half of a tablet, which looks like the second of January."""

_LEFT = 48
"""Code points before a candidate in which its dose begins."""


def without_doses(candidates: Iterable[Candidate], text: str) -> Iterator[Candidate]:
    """Yields the candidates of taggers in a text that are no part of a dose.

    Args:
        candidates: of one document.
        text: of the document.
    """
    for found in candidates:
        if not _is_in_dose(text, found.start, found.end):
            yield found


def _is_in_dose(text: str, start: int, end: int) -> bool:
    if text[start].isdigit():  # it may be an age or an address
        if "/" not in text[max(0, start - 1) : start + 2]:
            return False
        form = _PORTION
    elif _may_be_unit(text, start):
        form = _DOSE
    else:
        return False
    near = form.finditer(text, max(0, start - _LEFT), end + _LEFT)
    return any(piece.start() <= start and end <= piece.end() for piece in near)


def _may_be_unit(text: str, at: int) -> bool:
    """Whether the word at a place is of doses: all letters of one are. It costs little to see."""
    while at and text[at - 1].isalpha() and text[at].isalpha():
        at -= 1
    return not text[at].isalpha() or _WORD.match(text, at) is not None
