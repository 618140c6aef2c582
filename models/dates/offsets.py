"""By how many days a patient's dates move: keyed, never zero, the same in every run.

One offset a patient keeps all intervals of a record. It hides the calendar, not the person: whoever
knows one true date of a patient knows the offset, and with it all dates of that patient alone.
"""

from __future__ import annotations

import dataclasses
import hmac
from typing import Final, Literal, get_args

from ..core.errors import UsageError
from ..core.suggestions import did_you_mean
from .orders import ORDERS, Order

PURPOSE: Final = "date offset"
"""The purpose under which `core.keys.hkdf` derives the subkey."""

Direction = Literal["past", "future", "both"]
MOST_DAYS: Final = 73_000
"""Two hundred years: a larger offset leaves 1800 to 2199 from either end."""

_WEEK = 7
_YEAR_OF_WEEKS = 364
_WEEKS_OFF_SEASON = 3


@dataclasses.dataclass(frozen=True, slots=True)
class DateSettings:
    """How dates are shifted; frozen with the job.

    Attributes:
        days: the largest offset, in days. With `season`, of its whole years; the weeks come on top.
        weekday: whether weekdays stay, so that offsets are multiples of 7.
        season: whether seasons stay: 364 a + 7 b days with a from 1 and b from -3 to 3. Seasons
            that notes name stay then as well.
        direction: whether dates move into the past, so that none lies in the future, into the
            future, or either way.
        order: of day and month in numbers where a note does not tell; None leaves it to the
            language.

    Raises:
        UsageError: if a value is not possible, or two contradict each other.
    """

    days: int = 364
    weekday: bool = True
    season: bool = False
    direction: Direction = "past"
    order: Order | None = None

    def __post_init__(self) -> None:
        for name in ("weekday", "season"):
            if not isinstance(getattr(self, name), bool):
                raise UsageError(f"dates.{name}: true or false is expected")
        if isinstance(self.days, bool) or not isinstance(self.days, int):
            raise UsageError("dates.days: a whole number of days is expected")
        if self.season and not self.weekday:
            raise UsageError("dates.season keeps weekdays too: it cannot go with weekday = false")
        least = _YEAR_OF_WEEKS if self.season else _WEEK if self.weekday else 1
        if not least <= self.days <= MOST_DAYS:
            why = "season" if self.season else "weekday" if self.weekday else "any weekday"
            raise UsageError(
                f"dates.days: {least} to {MOST_DAYS} is expected with {why}, not {self.days}"
            )
        for name, value, known in (
            ("direction", self.direction, get_args(Direction)),
            ("order", self.order, (*ORDERS, None)),
        ):
            if value not in known:
                names = [each for each in known if each]
                raise UsageError(
                    f"dates.{name}: one of {', '.join(names)} is expected"
                    f"{did_you_mean(str(value), names)}"
                )

    @property
    def count(self) -> int:
        """How many offsets there are, all equally likely."""
        if self.season:
            one_way = self.days // _YEAR_OF_WEEKS * (2 * _WEEKS_OFF_SEASON + 1)
        else:
            one_way = self.days // (_WEEK if self.weekday else 1)
        return one_way * (2 if self.direction == "both" else 1)

    def nth(self, number: int) -> int:
        """The offset with a number from 0 to `count` - 1, in days."""
        backwards = self.direction == "past"
        if self.direction == "both":
            number, backwards = number // 2, number % 2 == 0
        if self.season:
            years, weeks = divmod(number, 2 * _WEEKS_OFF_SEASON + 1)
            days = _YEAR_OF_WEEKS * (years + 1) + _WEEK * (weeks - _WEEKS_OFF_SEASON)
        else:
            days = (number + 1) * (_WEEK if self.weekday else 1)
        return -days if backwards else days


def offset(subkey: bytes, patient: str, settings: DateSettings) -> int:
    """The days by which all dates of a patient move; never 0.

    HMAC-SHA256 under the subkey, of length-prefixed fields, modulo the number of offsets (of 128
    bits, so that no offset is likelier than another by more than one in 10^33). Settings that allow
    other offsets give one that has nothing to do with the first.

    Args:
        subkey: of `PURPOSE`.
        patient: the canonical id (`core.keys.canonical_id`), or the patient's key.
        settings: which offsets there are.
    """
    shape = f"{settings.days} {settings.weekday} {settings.season} {settings.direction}"
    fields = (b"date offset 1", shape.encode(), patient.encode("utf-8", "surrogatepass"))
    message = b"".join(len(field).to_bytes(8, "big") + field for field in fields)
    drawn = int.from_bytes(hmac.digest(subkey, message, "sha256")[:16], "big")
    return settings.nth(drawn % settings.count)
