"""Times as messages and tables write them: HL7's digits, and ISO 8601 as FHIR and people have it.

Source: HL7 v2.5.1 chapter 2A, TS: `YYYY[MM[DD[HH[MM[SS[.S[S[S[S]]]]]]]]][+/-ZZZZ]`; HL7 v3 Data
Types R1, TS, the same; FHIR R4, dateTime and instant; ISO 8601-1:2019.

The *plain* form is ISO 8601's extended one, as precise as what it was made of: `2019`,
`2019-02-11`, `2019-02-11T06:52`, `2019-02-11T06:52:07.25-05:00`.
"""

from __future__ import annotations

import datetime
import re
from typing import Final

from ..core.errors import DocumentError

BAD_DATE: Final = "BadDate"
"""The error class of what is no date or time that a message can hold."""

WITHOUT_ZONE: Final = "TimeWithoutZone"
"""The error class of a time of day of which FHIR would have to know the zone."""

_ISO: Final = re.compile(
    r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2})"
    r"(?:[T ]([0-9]{2})(?::([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?)?"
    r" ?(Z|[+-][0-9]{2}(?::?[0-9]{2})?)?)?)?)?"
)
_DIGITS: Final = re.compile(
    r"([0-9]{4})(?:([0-9]{2})(?:([0-9]{2})"
    r"(?:([0-9]{2})(?:([0-9]{2})(?:([0-9]{2})(?:\.([0-9]{1,9}))?)?)?"
    r"([+-][0-9]{4})?)?)?)?"
)
_MOST_DIGITS: Final = 4
"""Of a fraction of a second in HL7."""

_TIME_OF_FHIR: Final = re.compile(r"(.{10}T[0-9]{2}:[0-9]{2})(:[0-9]{2}(?:\.[0-9]+)?)?([+-].{5})?")


def plain_time(text: str) -> str | None:
    """A date or time in the plain form; None for what is none, or does not exist."""
    text = text.strip()
    match = _ISO.fullmatch(text) or _DIGITS.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    offset = _offset(zone)
    try:
        datetime.date(int(year), int(month or 1), int(day or 1))
        datetime.time(int(hour or 0), int(minute or 0), int(second or 0))
        if offset is not None:
            datetime.timezone(offset)
    except ValueError:
        return None
    digits = (fraction or "").rstrip("0")
    time = ":".join(part for part in (hour, minute, second) if part)
    return (
        "-".join(part for part in (year, month, day) if part)
        + (f"T{time}" if time else "")
        + (f".{digits}" if digits else "")
        + ("" if offset is None else _shown(offset))
    )


def in_zone(time: str, zone: datetime.tzinfo) -> str:
    """A time of day in the plain form with the offset that a zone has then; any other stays.

    Where a clock is set back, of two instants the first is meant.

    Raises:
        DocumentError: `BAD_DATE`, for an offset of seconds, as zones had before there were zones.
    """
    day, is_time, clock = time.partition("T")
    if not is_time or set("+-") & set(clock):
        return time
    whole = f"{day}T{clock.partition('.')[0]}"
    offset = datetime.datetime.fromisoformat(whole).replace(tzinfo=zone).utcoffset()
    if offset is None or offset.seconds % 60:
        raise DocumentError(BAD_DATE)
    return time + _shown(offset)


def as_digits(time: str) -> str:
    """A time in the plain form as HL7 writes it.

    Raises:
        DocumentError: `BAD_DATE`, for a second with more digits than HL7 has.
    """
    day, _, clock = time.partition("T")
    if len(re.split(r"[+-]", clock)[0].partition(".")[2]) > _MOST_DIGITS:
        raise DocumentError(BAD_DATE)
    return day.replace("-", "") + clock.replace(":", "")


def as_fhir(time: str) -> str:
    """A time in the plain form as FHIR writes it: with seconds and zone, or a day and no more.

    Raises:
        DocumentError: `BAD_DATE` for an hour alone; `WITHOUT_ZONE`.
    """
    if "T" not in time:
        return time
    match = _TIME_OF_FHIR.fullmatch(time)
    if match is None:
        raise DocumentError(BAD_DATE)
    if match[3] is None:
        raise DocumentError(WITHOUT_ZONE)
    return f"{match[1]}{match[2] or ':00'}{match[3]}"


def _offset(zone: str | None) -> datetime.timedelta | None:
    """What a zone adds to UTC; a whole day, which no zone does, for one that does not exist."""
    if zone is None:
        return None
    if zone == "Z":
        return datetime.timedelta(0)
    hours, minutes = int(zone[1:3]), int(zone[3:].lstrip(":") or 0)
    added = datetime.timedelta(hours=hours, minutes=minutes)
    if minutes > 59 or hours > 23:
        return datetime.timedelta(days=1)
    return -added if zone[0] == "-" else added


def _shown(offset: datetime.timedelta) -> str:
    minutes = round(offset.total_seconds() / 60)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
