"""What the documents table tells of a note beside its keys and counts: nothing, by default."""

from __future__ import annotations

import dataclasses
import datetime
import re
from typing import Any

from ..core.errors import UsageError
from ..core.resources import require_keys

PERIODS = ("year", "month")
"""How much of a note's date may be told."""

_ISO = re.compile(r"\s*(\d{4})-(\d{2})(?!\d)")
_ISO_BASIC = re.compile(r"\s*(\d{4})(\d{2})\d{2}(?!\d)")
_YEAR_LAST = re.compile(r"\s*\d{1,2}[/.-]\d{1,2}[/.-](\d{4})(?!\d)")


@dataclasses.dataclass(frozen=True, slots=True)
class Telling:
    """What a policy lets the documents table tell.

    Attributes:
        note_type: whether the value of the column of role `type`.
        period: of the first column of role `date` its "year" or "month"; None for nothing.

    Raises:
        UsageError: for another period.
    """

    note_type: bool = False
    period: str | None = None

    def __post_init__(self) -> None:
        if self.period is not None and self.period not in PERIODS:
            raise UsageError(f"policy: [documents] period: expected one of {list(PERIODS)}")

    @classmethod
    def parse(cls, value: object, base: Telling) -> Telling:
        """Reads [documents] of a policy file; what it leaves out is as in `base`.

        Raises:
            UsageError: for another key, or a value of another kind.
        """
        table = require_keys("policy: [documents]", value, ("note_type", "period"))
        if not isinstance(table.get("note_type", False), bool):
            raise UsageError("policy: [documents] note_type: expected true or false")
        if not isinstance(table.get("period", ""), str):
            raise UsageError(f"policy: [documents] period: expected one of {list(PERIODS)}")
        return dataclasses.replace(base, **table)

    def check_hipaa(self) -> None:
        """Refuses what Safe Harbor does not let stand.

        Raises:
            UsageError: for months.
        """
        if self.period == "month":
            raise UsageError(
                "policy: [documents] period: month is refused under hipaa, for all elements of "
                "dates but the year are identifiers of 45 CFR 164.514(b)(2)(i)(C); "
                "allowed: ['year']"
            )


NOTHING = Telling()


def period_of(value: Any, period: str) -> str | None:
    """The "year" (2019) or "month" (2019-03) of a date; None where it is not understood.

    Understood are dates and times of Arrow, and texts that begin as 2019-03-04, 20190304, or, for
    years alone, as 3/4/2019: which of these two numbers is the month, nothing tells.
    """
    if isinstance(value, datetime.date):  # a datetime is one
        year, month = value.year, value.month
    elif isinstance(value, str):
        if found := _ISO.match(value) or _ISO_BASIC.match(value):
            year, month = int(found[1]), int(found[2])
        elif period == "year" and (found := _YEAR_LAST.match(value)):
            year, month = int(found[1]), 1
        else:
            return None
    else:
        return None
    if not 1 <= month <= 12 or not 1800 <= year <= 2200:
        return None
    return f"{year:04}" if period == "year" else f"{year:04}-{month:02}"
