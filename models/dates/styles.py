"""How the parts of a date print: padding, names in their form and case, ordinals, Roman, in words.

A style is what was seen at one part of a written date, without its value: the same style prints any
other value in the same way. What a style cannot print it refuses with None.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Final, Protocol

from .lexicon import CalendarName, NameForm


class Style(Protocol):
    """How one part prints."""

    def printed(self, value: int) -> str | None:
        """The part with this value (month and weekday from 1), or None if it cannot be said."""


@dataclasses.dataclass(frozen=True, slots=True)
class PaddedNumber:
    """A number, with zeros in front up to a width: `5`, `05`, `2024`."""

    width: int = 1

    def printed(self, value: int) -> str:
        """The number."""
        return f"{value:0{self.width}d}"


@dataclasses.dataclass(frozen=True, slots=True)
class TwoDigits:
    """The last two digits of a year: `24`."""

    def printed(self, value: int) -> str:
        """Its last two digits."""
        return f"{value % 100:02d}"


CASES: Final[Mapping[str, Callable[[str], str]]] = {
    "lower": str.lower,
    "capital": str.capitalize,
    "upper": str.upper,
    "words": str.title,
}
"""Cases of a name, as they are tried."""


def case_of(written: str, name: str) -> str | None:
    """The case in which a name in lower case is written so; None for a mixed one (`mAY`)."""
    return next((case for case, change in CASES.items() if change(name) == written), None)


@dataclasses.dataclass(frozen=True, slots=True)
class NameInCase:
    """A name of a form in a case: `May`, `MAYO`, `tues`, `VI`, `twenty-second`.

    Attributes:
        form: all names, in lower case; "" for one that this form cannot say.
        first: the value of the first name.
        case: key of `CASES`.
    """

    form: NameForm
    first: int
    case: str

    def printed(self, value: int) -> str | None:
        """The name, if the form has one."""
        place = value - self.first
        if not 0 <= place < len(self.form) or not self.form[place]:
            return None
        return CASES[self.case](self.form[place])


@dataclasses.dataclass(frozen=True, slots=True)
class EnglishOrdinal:
    """A day with st, nd, rd or th: `3rd`, `21ST`."""

    width: int
    case: str

    def printed(self, value: int) -> str:
        """The number with its ending."""
        teen = value % 100 in (11, 12, 13)
        ending = "th" if teen else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
        return f"{value:0{self.width}d}{CASES[self.case](ending)}"


@dataclasses.dataclass(frozen=True, slots=True)
class MarkedFirst:
    """A day with a mark, which Spanish gives to the first of a month alone: `1º`, `1ro`, `1.º`.

    Attributes:
        mark: what stands behind the number.
        always: whether other days have it too, since one had.
    """

    width: int
    mark: str
    always: bool

    def printed(self, value: int) -> str:
        """The number, with the mark if it is the first."""
        number = f"{value:0{self.width}d}"
        return number + self.mark if self.always or value == 1 else number


@dataclasses.dataclass(frozen=True, slots=True)
class KeptWord:
    """A word that stays, whatever the value: of a season."""

    word: str

    def printed(self, value: int) -> str:
        """The word."""
        return self.word


@dataclasses.dataclass(frozen=True, slots=True)
class OneValue:
    """A text that says one value alone: letters of several weekdays."""

    text: str
    value: int

    def printed(self, value: int) -> str | None:
        """The text, for its value."""
        return self.text if value == self.value else None


def named(written: str, name: CalendarName, first: int = 1) -> NameInCase | None:
    """The style of a name as it is written; None if its case is mixed."""
    case = case_of(written, name.form[name.value - first])
    return None if case is None else NameInCase(name.form, first, case)
