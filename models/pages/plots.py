"""Plots as inline SVG, drawn without a library: a page must not load anything."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from types import MappingProxyType
from typing import Protocol

_LABEL_WIDTH = 310
_PLOT_WIDTH = 480
_ROW = 15
_TICKS = 5
"""About how many steps between ticks an axis has."""

_DOTTED = 30
"""Most points of a curve that are drawn as dots; more would hide the line."""

STYLE = (
    "text{font:12px sans-serif;fill:#222}.small{font-size:10px}.grid{stroke:#ddd}"
    ".axis{stroke:#888}.whisker{stroke:#222;stroke-width:1.4}.halo{stroke:#fff;stroke-width:3}"
    ".mark{stroke:#222}"
)
"""The stylesheet of plots."""

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Blue, vermillion, bluish green, reddish purple, orange, sky blue: distinguishable with any colour
vision. Source: Okabe and Ito 2008, "Color Universal Design", https://jfly.uni-koeln.de/color/."""

_OF_BARS = ("#56b4e9", "#0072b2", "#cc79a7", "#e69f00", "#009e73", "#d55e00")
"""The same in another order: of precision, recall and F1 none looks like a warning."""

Mark = tuple[float, float, str, bool]
"""A point of a curve, what is written beside it, and whether it is ringed."""


class LowAndHigh(Protocol):
    """Two ends, the lower one first."""

    @property
    def low(self) -> float:
        """The lower end."""
        ...

    @property
    def high(self) -> float:
        """The upper end."""
        ...


Bar = tuple[str, float | None, LowAndHigh | None]
"""Name of a bar, its length from 0 to 1, and the interval drawn over it."""


def bars(groups: Sequence[tuple[str, Sequence[Bar]]]) -> str:
    """Horizontal bars from 0 to 1 in named groups; the interval is a line over the bar.

    Args:
        groups: name -> bars; bars at the same position in their groups share a colour.
    """
    parts, y = [], 22.0
    bottom = 22 + sum(_ROW * len(rows) + 6 for _, rows in groups)
    for tick in range(0, 11, 2):
        x = _x(tick / 10)
        parts.append(f'<line x1="{x}" y1="18" x2="{x}" y2="{bottom}" class="grid"/>')
        parts.append(f'<text x="{x}" y="12" text-anchor="middle">{tick / 10:.1f}</text>')
    for name, rows in groups:
        middle = y + _ROW * len(rows) / 2 + 4
        parts.append(
            f'<text x="{_LABEL_WIDTH - 42}" y="{middle}" text-anchor="end">{escape(name)}</text>'
        )
        for at, (what, value, found) in enumerate(rows):
            parts.append(
                f'<text x="{_LABEL_WIDTH - 6}" y="{y + 11}" text-anchor="end" class="small">'
                f"{escape(what)}</text>"
            )
            if value is not None:
                colour = _OF_BARS[at % len(_OF_BARS)]
                parts.append(
                    f'<rect x="{_LABEL_WIDTH}" y="{y + 2}" width="{_x(value) - _LABEL_WIDTH:.1f}" '
                    f'height="{_ROW - 4}" fill="{colour}"/>'
                    f'<text x="{_x(1) + 8}" y="{y + 11}" class="small">{value:.4f}</text>'
                )
            if found is not None:
                parts.append(_whisker(found, y + _ROW / 2))
            y += _ROW
        y += 6
    return _svg(_LABEL_WIDTH + _PLOT_WIDTH + 60, bottom + 6, parts)


def histogram(columns: Sequence[tuple[str, int]]) -> str:
    """Columns with their names below and their counts above."""
    most = max((count for _, count in columns), default=0) or 1
    width, height, base = 80, 150, 176
    parts = []
    for at, (name, count) in enumerate(columns):
        size = round(height * count / most, 1)
        x = 10 + at * width
        parts.append(
            f'<rect x="{x}" y="{base - size}" width="{width - 12}" height="{size}" '
            f'fill="{COLOURS[1 if at else 0]}"/>'
            f'<text x="{x + (width - 12) / 2}" y="{base - size - 5}" text-anchor="middle">'
            f"{count}</text>"
            f'<text x="{x + (width - 12) / 2}" y="{base + 16}" text-anchor="middle">'
            f"{escape(name)}</text>"
        )
    return _svg(20 + width * len(columns), base + 26, parts)


def lines(
    curves: Mapping[str, Sequence[tuple[float, float | None]]],
    *,
    across: str,
    up: str = "",
    marks: Mapping[str, Sequence[Mark]] = MappingProxyType({}),
) -> str:
    """Curves over common axes with round ticks, and a legend with a swatch for each curve.

    Args:
        curves: name -> points, joined in the given order; points without a value are left out.
        across: title of the horizontal axis.
        up: title of the vertical axis.
        marks: name of a curve -> points of it that are named; the one in use is ringed.
    """
    drawn = {name: [(x, y) for x, y in points if y is not None] for name, points in curves.items()}
    every = [point for points in drawn.values() for point in points]
    left, top, width, height = 70.0, 40.0, 420.0, 300.0
    x_ticks, y_ticks = (_ticks([point[axis] for point in every]) for axis in (0, 1))
    x_low, x_high, y_low, y_high = x_ticks[0], x_ticks[-1], y_ticks[0], y_ticks[-1]

    def place(x: float, y: float) -> tuple[float, float]:
        return (
            round(left + width * (x - x_low) / (x_high - x_low), 1),
            round(top + height * (1 - (y - y_low) / (y_high - y_low)), 1),
        )

    parts = [
        f'<text x="{left}" y="{top + height + 38}">{escape(across)}</text>',
        f'<text x="8" y="{top - 12}">{escape(up)}</text>',
    ]
    for y, name in zip(y_ticks, _names(y_ticks), strict=True):
        _, at_y = place(x_low, y)
        parts.append(
            f'<line x1="{left}" y1="{at_y}" x2="{left + width}" y2="{at_y}" class="grid"/>'
            f'<text x="{left - 6}" y="{at_y + 4}" text-anchor="end">{name}</text>'
        )
    for x, name in zip(x_ticks, _names(x_ticks), strict=True):
        at_x, at_y = place(x, y_low)
        parts.append(
            f'<line x1="{at_x}" y1="{at_y}" x2="{at_x}" y2="{at_y + 4}" class="axis"/>'
            f'<text x="{at_x}" y="{at_y + 18}" text-anchor="middle">{name}</text>'
        )
    named: list[tuple[str, tuple[float, float]]] = []
    for number, (name, points) in enumerate(drawn.items()):
        colour = COLOURS[number % len(COLOURS)]
        places = [place(x, y) for x, y in points]
        path = " ".join(f"{x},{y}" for x, y in places)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        if len(places) <= _DOTTED:
            parts += [f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>' for x, y in places]
        for x, y, said, ringed in marks.get(name, ()):
            at = place(x, y)
            parts += _ring(*at, colour) if ringed else ()
            # Curves that run together would write the same twice, one over the other.
            if not any(said == other and math.dist(at, there) < 24 for other, there in named):
                named.append((said, at))
        # The stylesheet overrides the attribute `fill`: the swatch has its colour as a style, and
        # the name stays dark on white.
        baseline = top + 16 * (number + 1)
        parts.append(
            f'<rect x="{left + width + 10}" y="{baseline - 9}" width="10" height="10" '
            f'style="fill:{colour}"/>'
            f'<text x="{left + width + 25}" y="{baseline}">{escape(name)}</text>'
        )
    parts += [_named(*at, said, left + width, top + height) for said, at in named]
    return _svg(left + width + 165, top + height + 50, parts)


def _ring(x: float, y: float, colour: str) -> list[str]:
    return [f'<circle cx="{x}" cy="{y}" r="6" fill="{colour}" stroke-width="2" class="mark"/>']


def _named(x: float, y: float, said: str, right: float, bottom: float) -> str:
    """The name of a point, below it and on the side where there is room."""
    side = f'x="{x - 10}" text-anchor="end"' if x > right - 90 else f'x="{x + 10}"'
    base = y + 17 if y < bottom - 24 else y - 8
    return f'<text {side} y="{base:.1f}" class="small">{escape(said)}</text>'


def _ticks(values: Sequence[float]) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten around the values; whole numbers for counts."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    counts = all(float(value).is_integer() for value in (*values, low, high)) and bool(values)
    if low == high:
        low, high = (low - 1, high + 1) if counts else (low - 0.5, high + 0.5)
    rough = (high - low) / _TICKS
    power = math.floor(math.log10(rough))
    nearest = min((1, 2, 5, 10), key=lambda times: abs(math.log(times * 10.0**power / rough)))
    if counts and nearest * 10.0**power < 1:
        nearest, power = 1, 0
    unit = 10.0**power if power >= 0 else 10.0**-power
    steps = range(
        math.floor(round(low / (nearest * 10.0**power), 9)),
        math.ceil(round(high / (nearest * 10.0**power), 9)) + 1,
    )
    # Division by a whole number gives 0.3 where multiplication gives 0.30000000000000004.
    return [n * nearest * unit if power >= 0 else n * nearest / unit for n in steps]


def _names(ticks: Sequence[float]) -> list[str]:
    """Ticks as text, with as many decimals as their step needs."""
    step = ticks[1] - ticks[0]
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    if decimals > 6 or max(map(abs, ticks)) >= 1e6:
        return [f"{tick:.6g}" for tick in ticks]
    return [f"{tick:,.{decimals}f}" for tick in ticks]


def standalone(svg: str, title: str) -> str:
    """A plot as a standalone file, with its styles, and a title for screen readers."""
    head, inner = svg.split(">", 1)
    return (
        f'{head} xmlns="http://www.w3.org/2000/svg"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style>"
        f'<rect width="100%" height="100%" fill="#ffffff"/>{inner}\n'
    )


def differences_plot(rows: Sequence[tuple[str, float, LowAndHigh | None]]) -> str:
    """Differences with their intervals around a line at 0."""
    ends = [abs(end) for _, value, found in rows for end in _ends(value, found)]
    # Alike on both sides of 0, which is one of the ticks.
    ticks = _ticks([-(max(ends, default=0.0) or 1.0), max(ends, default=0.0) or 1.0])
    reach = ticks[-1]
    centre, half = _LABEL_WIDTH + _PLOT_WIDTH / 2, _PLOT_WIDTH / 2 - 10
    bottom = 24 + 24 * len(rows)
    parts = []
    for tick, name in zip(ticks, _names(ticks), strict=True):
        x = round(centre + half * tick / reach, 1)
        parts.append(f'<line x1="{x}" y1="18" x2="{x}" y2="{bottom}" class="grid"/>')
        parts.append(
            f'<text x="{x}" y="12" text-anchor="middle">{"+" if tick > 0 else ""}{name}</text>'
        )
    parts.append(f'<line x1="{centre}" y1="18" x2="{centre}" y2="{bottom}" class="axis"/>')
    for at, (name, value, found) in enumerate(rows):
        y = 36 + 24 * at
        parts.append(
            f'<text x="{_LABEL_WIDTH - 6}" y="{y + 4}" text-anchor="end">{escape(name)}</text>'
        )
        if found is not None:
            low, high = (centre + half * end / reach for end in (found.low, found.high))
            parts.append(
                f'<line x1="{low:.1f}" y1="{y}" x2="{high:.1f}" y2="{y}" class="whisker"/>'
            )
        parts.append(
            f'<circle cx="{centre + half * value / reach:.1f}" cy="{y}" r="4" fill="{COLOURS[0]}"/>'
        )
    return _svg(_LABEL_WIDTH + _PLOT_WIDTH + 20, bottom + 12, parts)


def _ends(value: float, found: LowAndHigh | None) -> tuple[float, ...]:
    return (value,) if found is None else (value, found.low, found.high)


def _whisker(found: LowAndHigh, y: float) -> str:
    low, high = _x(found.low), _x(found.high)
    return (
        f'<line x1="{low}" y1="{y}" x2="{high}" y2="{y}" class="halo"/>'
        f'<line x1="{low}" y1="{y}" x2="{high}" y2="{y}" class="whisker"/>'
        f'<line x1="{low}" y1="{y - 3}" x2="{low}" y2="{y + 3}" class="whisker"/>'
        f'<line x1="{high}" y1="{y - 3}" x2="{high}" y2="{y + 3}" class="whisker"/>'
    )


def _x(value: float) -> float:
    return round(_LABEL_WIDTH + _PLOT_WIDTH * min(1.0, max(0.0, value)), 1)


def _svg(width: float, height: float, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">'
        + "".join(parts)
        + "</svg>"
    )
