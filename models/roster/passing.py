"""What is left of a roster in values that nothing changes: those of columns that pass.

In texts the matcher finds it and the guard asserts that it is gone. A value that passes is not
matched, so the matcher's own code is asked here beside the guard's, which knows fewer forms.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from ..core.known_values import NAME_ATTRIBUTES, KnownAttribute, KnownValue
from .folding import LETTERS, fold, spellings
from .guard import OwnIdentifier
from .matcher import Matcher, RosterClass

_ALONE = {
    RosterClass.STRONG: OwnIdentifier.NAME,
    RosterClass.NUMBER: OwnIdentifier.NUMBER,
    RosterClass.DATE: OwnIdentifier.DATE,
}
_ADDRESSES = ("STREET", "EMAIL")
"""Labels; towns and postcodes are columns of many tables, and identify no one."""

_WORDED = (*NAME_ATTRIBUTES, KnownAttribute.STREET, KnownAttribute.EMAIL)
_LEAST_DIGITS = 3
"""Of a number or birth date that is found: ids of letters and digits have three (`AB123`)."""

_WORD = re.compile(r"[^\W\d_]{2,}")


class PassingGuard:
    """Says what values that pass hold of one patient's roster for certain.

    Args:
        known: of one patient.
        kept: labels that the policy keeps on purpose.
    """

    __slots__ = ("_found", "_kept", "_known", "_matcher", "_needles")

    def __init__(self, known: Sequence[KnownValue], kept: Collection[str]) -> None:
        self._known, self._kept = known, kept
        self._matcher: Matcher | None = None
        self._needles: set[str] | None = None
        self._found: dict[str, frozenset[OwnIdentifier]] = {}

    def __repr__(self) -> str:
        return "PassingGuard()"

    def left_in(self, value: str) -> frozenset[OwnIdentifier]:
        """What a value holds: no nickname, no name within an edit, and a weak one in full alone.

        `White` is the value of a column of its own, `Grace White` is a name.
        """
        if value not in self._found:
            self._found[value] = frozenset(self._left_in(value) if self._may_hold(value) else ())
        return self._found[value]

    def _may_hold(self, value: str) -> bool:
        """Whether it is worth the matcher: the values of most columns are codes."""
        folded = fold(value)
        if sum(map(str.isdigit, folded)) >= _LEAST_DIGITS:
            return True
        if self._needles is None:  # most patients have no value that comes so far
            names = (value.value for value in self._known if value.attribute in _WORDED)
            written = {form for name in names for form in spellings(name)}
            self._needles = {word for form in written for word in LETTERS.findall(form)}
        return any(needle in folded for needle in self._needles)

    def _left_in(self, value: str) -> Iterator[OwnIdentifier]:
        if self._matcher is None:
            self._matcher = Matcher(self._known, fuzzy=0, kept=self._kept)
        for one in self._matcher.candidates(value):
            words = _WORD.findall(value[one.start : one.end])
            if one.found in _ALONE:
                yield _ALONE[one.found]
            elif one.found is RosterClass.ADDRESS:
                if one.label in _ADDRESSES:
                    yield OwnIdentifier.ADDRESS
            elif one.found is not RosterClass.NEAR and len(words) > 1:
                yield OwnIdentifier.NAME
