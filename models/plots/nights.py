"""Values over time: a curve, and the band in which the nights before would have it lie."""

from __future__ import annotations

import dataclasses
import datetime
import math
import statistics
from collections.abc import Callable, Sequence

from .drawing import names_of, svg, text, ticks_of

_WIDTH, _HEIGHT = 360.0, 170.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 12.0, 14.0, 24.0

LEAST_NIGHTS, MOST_NIGHTS = 5, 30
"""Nights before one from which a band is made: fewer than the least make none."""

_SPREAD = 3 * 1.4826
"""Three standard deviations of a normal distribution, by its median absolute deviation."""

_LEAST_SPREAD = 0.05
"""Share of the median by which nights may differ, however alike the earlier ones were."""

_MOST_TICKS = 6
_DAY_STEPS = (1, 2, 7, 14)
_MONTH_STEPS = (1, 2, 3, 6, 12, 24, 60, 120)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclasses.dataclass(frozen=True, slots=True)
class Night:
    """A value of a night.

    Attributes:
        day: when it was.
        value: None where there is none: the curve has a gap.
        grain: how far rounding alone may move the value: no band is narrower.
        changed: whether what made it (models, rules, policy) is another than the night before.
    """

    day: datetime.date
    value: float | None
    grain: float = 0.0
    changed: bool = False


Band = tuple[float, float] | None
"""The least and the greatest value that surprise nobody; None where too little is known."""


def bands(nights: Sequence[Night]) -> list[Band]:
    """For each night the band of those before it: their median and three deviations around it.

    The deviation is the median absolute one (Hampel 1974), so that a single odd night does not
    widen the band of those that follow.
    """
    found: list[Band] = []
    for at, night in enumerate(nights):
        earlier = nights[max(0, at - MOST_NIGHTS) : at]
        before = [one.value for one in earlier if one.value is not None]
        if len(before) < LEAST_NIGHTS:
            found.append(None)
            continue
        middle = statistics.median(before)
        deviation = statistics.median(abs(one - middle) for one in before)
        half = max(_SPREAD * deviation, _LEAST_SPREAD * abs(middle), night.grain)
        found.append((max(0.0, middle - half), middle + half))
    return found


def is_outside(value: float | None, band: Band) -> bool:
    """Whether a value lies outside its band."""
    return value is not None and band is not None and not band[0] <= value <= band[1]


def night_curve(
    nights: Sequence[Night],
    areas: Sequence[Sequence[Band]],
    odd: Sequence[bool],
    *,
    title: str,
    desc: str,
) -> str:
    """A value over the nights; dashed lines stand where something was changed.

    Args:
        nights: in order of time; of two on one day both are drawn.
        areas: bands behind the curve, one over the other; each has one a night.
        odd: whether a night has a diamond.
        title, desc: for screen readers.
    """
    values = [night.value for night in nights]
    ends = [end for area in areas for band in area if band is not None for end in band]
    ticks = ticks_of([0.0, *(one for one in values if one is not None), *ends])
    first, last = (night.day.toordinal() for night in (nights[0], nights[-1]))
    span = max(last - first, 1)

    def x_of(day: datetime.date) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (day.toordinal() - first) / span

    def y_of(value: float) -> float:
        share = (value - ticks[0]) / (ticks[-1] - ticks[0])
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - share)

    parts = _grid(ticks, y_of)
    for day, name in time_ticks(nights[0].day, nights[-1].day):
        x = x_of(day)
        parts.append(
            f'<line x1="{x:.1f}" y1="{_HEIGHT - _BOTTOM}" x2="{x:.1f}" '
            f'y2="{_HEIGHT - _BOTTOM + 4}" class="axis"/>'
            + text(x, _HEIGHT - 6, name, anchor="middle", small=True)
        )
    for night in nights:
        if night.changed:
            x = x_of(night.day)
            parts.append(
                f'<line x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{_HEIGHT - _BOTTOM}" '
                'class="change"/>'
            )
    places = [x_of(night.day) for night in nights]
    for area in areas:
        parts += [_band(run) for run in _runs(list(zip(places, area, strict=True)), y_of)]
    drawn = [
        (x, None if value is None else y_of(value)) for x, value in zip(places, values, strict=True)
    ]
    parts += _pieces(drawn)
    parts += [
        f'<path d="M{x:.1f} {y - 5:.1f}l5 5l-5 5l-5-5z" class="outside"/>'
        for (x, y), is_odd in zip(drawn, odd, strict=True)
        if y is not None and is_odd
    ]
    return svg(_WIDTH, _HEIGHT, parts, title=title, desc=desc)


def _grid(ticks: Sequence[float], y_of: Callable[[float], float]) -> list[str]:
    parts = []
    for tick, name in zip(ticks, names_of(ticks), strict=True):
        y = y_of(tick)
        parts.append(
            f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{_WIDTH - _RIGHT}" y2="{y:.1f}" class="grid"/>'
            + text(_LEFT - 5, y + 4, name, anchor="end", small=True)
        )
    return parts


def _runs(
    bands_at: list[tuple[float, Band]], y_of: Callable[[float], float]
) -> list[list[tuple[float, float, float]]]:
    """Stretches of neighbours that have a band: x, and y of both ends."""
    runs: list[list[tuple[float, float, float]]] = [[]]
    for x, band in bands_at:
        if band is None:
            runs.append([])
        else:
            runs[-1].append((x, y_of(band[0]), y_of(band[1])))
    return [run for run in runs if len(run) > 1]


def _band(run: list[tuple[float, float, float]]) -> str:
    there = [f"{x:.1f},{high:.1f}" for x, _, high in run]
    back = [f"{x:.1f},{low:.1f}" for x, low, _ in reversed(run)]
    return f'<polygon points="{" ".join(there + back)}" class="band"/>'


def _pieces(drawn: Sequence[tuple[float, float | None]]) -> list[str]:
    """The curve between its gaps; a night by itself is a dot."""
    pieces: list[list[tuple[float, float]]] = [[]]
    for x, height in drawn:
        if height is None:
            pieces.append([])
        else:
            pieces[-1].append((x, height))
    parts = []
    for piece in filter(None, pieces):
        if len(piece) == 1:
            parts.append(
                f'<circle cx="{piece[0][0]:.1f}" cy="{piece[0][1]:.1f}" r="3" class="f0"/>'
            )
        else:
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in piece)
            parts.append(f'<polyline points="{path}" class="k0"/>')
    return parts


def time_ticks(first: datetime.date, last: datetime.date) -> list[tuple[datetime.date, str]]:
    """Days, or beginnings of months or years, that divide a time into a few parts."""
    days = (last - first).days
    for step in _DAY_STEPS:
        if days / step < _MOST_TICKS:
            found = [first + datetime.timedelta(days=n) for n in range(0, days + 1, step)]
            return [(day, f"{day.day} {_MONTHS[day.month - 1]}") for day in found]
    begin = 12 * first.year + first.month - (1 if first.day == 1 else 0)
    end = 12 * last.year + last.month - 1
    step = next((one for one in _MONTH_STEPS if (end - begin) / one < _MOST_TICKS), 0)
    step = step or _MONTH_STEPS[-1] * math.ceil((end - begin) / _MONTH_STEPS[-1] / _MOST_TICKS)
    months = range(-(-begin // step) * step, end + 1, step)
    return [(datetime.date(n // 12, n % 12 + 1, 1), _month(n, step)) for n in months]


def _month(number: int, step: int) -> str:
    year = number // 12
    return str(year) if step % 12 == 0 else f"{_MONTHS[number % 12]} {year % 100:02}"
