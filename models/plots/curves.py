"""Curves over common axes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from types import MappingProxyType

from .drawing import names_of, series, svg, ticks_of

_DOTTED = 30
"""Most points of a curve that are drawn as dots; more would hide the line."""

Mark = tuple[float, float, str, bool]
"""A point of a curve, what is written beside it, and whether it is ringed."""


def lines(
    curves: Mapping[str, Sequence[tuple[float, float | None]]],
    *,
    across: str,
    up: str = "",
    marks: Mapping[str, Sequence[Mark]] = MappingProxyType({}),
    title: str = "",
) -> str:
    """Curves over common axes with round ticks, and a legend with a swatch for each curve.

    Args:
        curves: name -> points, joined in the given order; points without a value are left out.
        across: title of the horizontal axis.
        up: title of the vertical axis.
        marks: name of a curve -> points of it that are named; the one in use is ringed.
        title: for screen readers.
    """
    drawn = {name: [(x, y) for x, y in points if y is not None] for name, points in curves.items()}
    every = [point for points in drawn.values() for point in points]
    left, top, width, height = 70.0, 40.0, 420.0, 300.0
    x_ticks, y_ticks = (ticks_of([point[axis] for point in every]) for axis in (0, 1))
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
    for y, name in zip(y_ticks, names_of(y_ticks), strict=True):
        _, at_y = place(x_low, y)
        parts.append(
            f'<line x1="{left}" y1="{at_y}" x2="{left + width}" y2="{at_y}" class="grid"/>'
            f'<text x="{left - 6}" y="{at_y + 4}" text-anchor="end">{name}</text>'
        )
    for x, name in zip(x_ticks, names_of(x_ticks), strict=True):
        at_x, at_y = place(x, y_low)
        parts.append(
            f'<line x1="{at_x}" y1="{at_y}" x2="{at_x}" y2="{at_y + 4}" class="axis"/>'
            f'<text x="{at_x}" y="{at_y + 18}" text-anchor="middle">{name}</text>'
        )
    named: list[tuple[str, tuple[float, float]]] = []
    for number, (name, points) in enumerate(drawn.items()):
        of = series(number)
        places = [place(x, y) for x, y in points]
        path = " ".join(f"{x},{y}" for x, y in places)
        parts.append(f'<polyline points="{path}" class="k{of}"/>')
        if len(places) <= _DOTTED:
            parts += [f'<circle cx="{x}" cy="{y}" r="3" class="f{of}"/>' for x, y in places]
        for x, y, said, ringed in marks.get(name, ()):
            at = place(x, y)
            parts += _ring(*at, of) if ringed else ()
            # Curves that run together would write the same twice, one over the other.
            if not any(said == other and math.dist(at, there) < 24 for other, there in named):
                named.append((said, at))
        baseline = top + 16 * (number + 1)
        parts.append(
            f'<line x1="{left + width + 6}" y1="{baseline - 4}" x2="{left + width + 22}" '
            f'y2="{baseline - 4}" class="k{of}"/>'
            f'<text x="{left + width + 25}" y="{baseline}">{escape(name)}</text>'
        )
    parts += [_named(*at, said, left + width, top + height) for said, at in named]
    return svg(left + width + 165, top + height + 50, parts, title=title)


def _ring(x: float, y: float, of: int) -> list[str]:
    return [f'<circle cx="{x}" cy="{y}" r="6" class="mark f{of}"/>']


def _named(x: float, y: float, said: str, right: float, bottom: float) -> str:
    """The name of a point, below it and on the side where there is room."""
    side = f'x="{x - 10}" text-anchor="end"' if x > right - 90 else f'x="{x + 10}"'
    base = y + 17 if y < bottom - 24 else y - 8
    return f'<text {side} y="{base:.1f}" class="small">{escape(said)}</text>'
