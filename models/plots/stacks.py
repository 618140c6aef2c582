"""Parts of a whole: stacked columns over nights, stacked bars by name, bars on a common scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .drawing import area, names_of, shortened, svg, text, ticks_of

_WIDTH = 360.0
_LEFT, _RIGHT, _TOP = 46.0, 12.0, 14.0
_COLUMNS_HEIGHT = 150.0
_LEGEND_ROW, _BAR_ROW = 17.0, 19.0
_NAME_WIDTH, _NAME_CHARACTERS = 132.0, 16
_LEAST_NAMED = 26.0
"""Width of a part in which its share is written."""


def stacked_columns(
    columns: Sequence[tuple[str, Mapping[str, float]]],
    order: Sequence[str],
    *,
    title: str,
    desc: str,
) -> str:
    """A column a night, cut into parts, with the legend below.

    Args:
        columns: name of the night -> its parts; the first and the last are named.
        order: names of the parts, from the bottom.
        title, desc: for screen readers.
    """
    most = max((sum(parts.values()) for _, parts in columns), default=0.0)
    ticks = ticks_of([0.0, most])
    base = _TOP + _COLUMNS_HEIGHT
    wide = (_WIDTH - _LEFT - _RIGHT) / max(len(columns), 1)
    parts = []
    for tick, name in zip(ticks, names_of(ticks), strict=True):
        y = base - _COLUMNS_HEIGHT * tick / ticks[-1]
        parts.append(
            f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{_WIDTH - _RIGHT}" y2="{y:.1f}" class="grid"/>'
            + text(_LEFT - 5, y + 4, name, anchor="end", small=True)
        )
    thick = min(0.8 * wide, 40.0)
    for at, (_, values) in enumerate(columns):
        y = base
        for number, name in enumerate(order):
            high = _COLUMNS_HEIGHT * values.get(name, 0.0) / ticks[-1]
            y -= high
            if high >= 0.05:
                parts.append(area(number, _LEFT + wide * at + (wide - thick) / 2, y, thick, high))
    if columns:
        parts.append(text(_LEFT, base + 14, columns[0][0], small=True))
    if len(columns) > 1:
        parts.append(text(_WIDTH - _RIGHT, base + 14, columns[-1][0], anchor="end", small=True))
    legend, height = _legend(order, base + 22)
    return svg(_WIDTH, height, [*parts, *legend], title=title, desc=desc)


def _legend(order: Sequence[str], top: float) -> tuple[list[str], float]:
    """Two names a row; gives the lines and where they end."""
    parts = []
    for number, name in enumerate(order):
        x = 8 + (number % 2) * _WIDTH / 2
        y = top + (number // 2) * _LEGEND_ROW
        parts.append(area(number, x, y, 22, 11))
        parts.append(text(x + 28, y + 10, shortened(name, 20)))
    return parts, top + -(-len(order) // 2) * _LEGEND_ROW + 4


def shares(
    rows: Sequence[tuple[str, Sequence[float]]],
    order: Sequence[str],
    *,
    title: str,
    desc: str,
) -> str:
    """A bar a name, all of one length, cut into shares; those that have room are written in it.

    Args:
        rows: name -> the parts, in the order of `order`.
        order: names of the parts.
        title, desc: for screen readers.
    """
    long = _WIDTH - _NAME_WIDTH - _RIGHT
    legend, y = _legend(order, 4)
    parts = list(legend)
    for name, values in rows:
        total, x = sum(values), _NAME_WIDTH
        parts.append(text(_NAME_WIDTH - 6, y + 13, shortened(name, _NAME_CHARACTERS), anchor="end"))
        for number, value in enumerate(values):
            width = long * value / total if total else 0.0
            if width >= 0.1:
                parts.append(area(number, x, y + 2, width, _BAR_ROW - 5))
            if width >= _LEAST_NAMED:
                said = f"{value / total:.0%}"
                parts.append(_label(x + width / 2, y + 13, said))
            x += width
        y += _BAR_ROW
    return svg(_WIDTH, y + 4, parts, title=title, desc=desc)


def _label(x: float, y: float, said: str) -> str:
    """Letters on a plate, so that they are read over any colour."""
    wide = 7.0 * len(said) + 4
    return (
        f'<rect x="{x - wide / 2:.1f}" y="{y - 10:.1f}" width="{wide:.1f}" height="12" '
        'class="plate"/>' + text(x, y, said, anchor="middle", small=True)
    )


def named_bars(
    rows: Sequence[tuple[str, float]], *, most: float, title: str, desc: str, decimals: int = 1
) -> str:
    """A bar a name, with its value beside it; several such plots have one scale.

    Args:
        rows: name -> value.
        most: the value of the longest bar of all plots.
        title, desc: for screen readers.
        decimals: of the values as they are written.
    """
    long = _WIDTH - _NAME_WIDTH - _RIGHT - 44
    parts, y = [], 4.0
    for name, value in rows:
        width = long * value / most if most else 0.0
        parts.append(text(_NAME_WIDTH - 6, y + 13, shortened(name, _NAME_CHARACTERS), anchor="end"))
        parts.append(area(0, _NAME_WIDTH, y + 2, max(width, 1.0), _BAR_ROW - 5))
        parts.append(text(_NAME_WIDTH + width + 6, y + 13, f"{value:,.{decimals}f}", small=True))
        y += _BAR_ROW
    return svg(_WIDTH, y + 4, parts, title=title, desc=desc)
