"""Bars from 0 to 1 in groups, columns of counts, differences with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Protocol

from .drawing import OF_BARS, names_of, svg, ticks_of

_LABEL_WIDTH = 310
_PLOT_WIDTH = 480
_ROW = 15


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


def bars(groups: Sequence[tuple[str, Sequence[Bar]]], *, title: str = "") -> str:
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
                parts.append(
                    f'<rect x="{_LABEL_WIDTH}" y="{y + 2}" width="{_x(value) - _LABEL_WIDTH:.1f}" '
                    f'height="{_ROW - 4}" class="f{OF_BARS[at % len(OF_BARS)]}"/>'
                    f'<text x="{_x(1) + 8}" y="{y + 11}" class="small">{value:.4f}</text>'
                )
            if found is not None:
                parts.append(_whisker(found, y + _ROW / 2))
            y += _ROW
        y += 6
    return svg(_LABEL_WIDTH + _PLOT_WIDTH + 60, bottom + 6, parts, title=title)


def histogram(columns: Sequence[tuple[str, int]], *, title: str = "") -> str:
    """Columns with their names below and their counts above."""
    most = max((count for _, count in columns), default=0) or 1
    width, height, base = 80, 150, 176
    parts = []
    for at, (name, count) in enumerate(columns):
        size = round(height * count / most, 1)
        x = 10 + at * width
        parts.append(
            f'<rect x="{x}" y="{base - size}" width="{width - 12}" height="{size}" '
            f'class="f{1 if at else 0}"/>'
            f'<text x="{x + (width - 12) / 2}" y="{base - size - 5}" text-anchor="middle">'
            f"{count}</text>"
            f'<text x="{x + (width - 12) / 2}" y="{base + 16}" text-anchor="middle">'
            f"{escape(name)}</text>"
        )
    return svg(20 + width * len(columns), base + 26, parts, title=title)


def differences_plot(
    rows: Sequence[tuple[str, float, LowAndHigh | None]], *, title: str = ""
) -> str:
    """Differences with their intervals around a line at 0."""
    ends = [abs(end) for _, value, found in rows for end in _ends(value, found)]
    # Alike on both sides of 0, which is one of the ticks.
    ticks = ticks_of([-(max(ends, default=0.0) or 1.0), max(ends, default=0.0) or 1.0])
    reach = ticks[-1]
    centre, half = _LABEL_WIDTH + _PLOT_WIDTH / 2, _PLOT_WIDTH / 2 - 10
    bottom = 24 + 24 * len(rows)
    parts = []
    for tick, name in zip(ticks, names_of(ticks), strict=True):
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
            f'<circle cx="{centre + half * value / reach:.1f}" cy="{y}" r="4" class="f0"/>'
        )
    return svg(_LABEL_WIDTH + _PLOT_WIDTH + 20, bottom + 12, parts, title=title)


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
