"""What is left of a roster in values that nothing changes: those of columns that pass.

In texts the matcher finds it and the guard asserts that it is gone. A value that passes is not
matched, so the matcher's own code is asked here beside the guard's, which knows fewer forms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .guard import OwnIdentifier
from .matcher import Matcher, RosterClass

_ALONE = {
    RosterClass.STRONG: OwnIdentifier.NAME,
    RosterClass.NUMBER: OwnIdentifier.NUMBER,
    RosterClass.DATE: OwnIdentifier.DATE,
}
_ADDRESSES = ("STREET", "EMAIL")
"""Labels; towns and postcodes are columns of many tables, and identify no one."""

_WORD = re.compile(r"[^\W\d_]{2,}")


def left_in(matcher: Matcher, text: str) -> Iterator[OwnIdentifier]:
    """Yields what a value holds for certain: no name within an edit, and a weak one in full alone.

    `White` is the value of a column of its own, `Grace White` is a name.
    """
    for one in matcher.candidates(text):
        if one.found in _ALONE:
            yield _ALONE[one.found]
        elif one.found is RosterClass.ADDRESS:
            if one.label in _ADDRESSES:
                yield OwnIdentifier.ADDRESS
        elif (
            one.found is not RosterClass.NEAR and len(_WORD.findall(text[one.start : one.end])) > 1
        ):
            yield OwnIdentifier.NAME
