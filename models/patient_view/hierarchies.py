"""How far each attribute of the view may be generalised: levels, the same for all patients.

Level 0 is as fine as anything that leaves a worker: at or above what Safe Harbor lets stay (45 CFR
164.514(b)(2)(i)). At the last level every value is `ANY`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from .occupations import kind_of_work
from .states import DIVISION_OF, ELSEWHERE, REGION_OF

ANY = "*"
UNKNOWN = ""
"""Of a patient of whom nothing is known; a value like others, below the last level."""

Level = Callable[[str], str]


@dataclasses.dataclass(frozen=True, slots=True)
class Hierarchy:
    """An attribute and its levels.

    Attributes:
        name: of the attribute.
        levels: value of level 0 -> value of each level from 1 on; the last gives `ANY`.
        shown: what each level shows, for people; the last shows nothing.
    """

    name: str
    levels: tuple[Level, ...]
    shown: tuple[str, ...]

    @property
    def most(self) -> int:
        """The last level."""
        return len(self.levels)

    def at(self, value: str, level: int) -> str:
        """A value of level 0 at a level."""
        if not level or (value == UNKNOWN and level < self.most):
            return value
        return self.levels[level - 1](value)

    def says(self, level: int) -> str:
        """What a level shows, for people."""
        return self.shown[level] if level < self.most else "hidden"

    def codes(self, values: Sequence[str], level: int) -> npt.NDArray[np.int64]:
        """For each of some values of level 0 its place among those of a level, sorted."""
        shown = [self.at(value, level) for value in values]
        numbers = {value: number for number, value in enumerate(sorted(set(shown)))}
        return np.array([numbers[value] for value in shown], np.int64)


def _any(value: str) -> str:
    return ANY


def _bands(width: int) -> Level:
    """Ages by bands of some years; of 90 and more there is one band (45 CFR 164.514)."""

    def of(value: str) -> str:
        if value == OLDEST:
            return OLDEST
        low = int(value.partition("-")[0]) // width * width
        return f"{low}-{min(low + width, 90) - 1}"

    return of


OLDEST = "90+"


def age_band(years: int) -> str:
    """The band of five years of an age: `65-69`, `90+`."""
    return OLDEST if years >= 90 else f"{years // 5 * 5}-{years // 5 * 5 + 4}"


def _prefix(size: int) -> Level:
    return lambda value: value[:size] + ANY * (3 - size)


def _years(width: int) -> Level:
    def of(value: str) -> str:
        low = int(value) // width * width
        return f"{low}-{low + width - 1}"

    return of


HIERARCHIES: Mapping[str, Hierarchy] = {
    one.name: one
    for one in (
        Hierarchy("age", (_bands(10), _bands(30), _any), ("5 years", "10 years", "30 years")),
        Hierarchy("profession", (kind_of_work, _any), ("23 groups", "6 kinds of work")),
        Hierarchy("sex", (_any,), ("F, M",)),
        Hierarchy(
            "state",
            (
                lambda state: DIVISION_OF.get(state, ELSEWHERE),
                lambda state: REGION_OF.get(state, ELSEWHERE),
                _any,
            ),
            ("states", "divisions", "regions"),
        ),
        Hierarchy("year", (_years(5), _years(10), _any), ("years", "5 years", "10 years")),
        Hierarchy("zip3", (_prefix(2), _prefix(1), _any), ("3 digits", "2 digits", "1 digit")),
    )
}
"""The attributes of the view, by name."""
