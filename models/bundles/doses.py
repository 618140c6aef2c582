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
        begin = max(0, found.start - _LEFT)
        near = text[begin : found.end + _LEFT]
        # What begins with a figure may be an age or an address.
        pieces = _PORTION if text[found.start].isdigit() else _DOSE
        if not any(
            piece.start() <= found.start - begin and found.end - begin <= piece.end()
            for piece in pieces.finditer(near)
        ):
            yield found
