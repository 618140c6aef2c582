"""Plain text tables, good on a terminal and in a log file."""

from __future__ import annotations

from collections.abc import Sequence

from .intervals import Interval


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines: the first column to the left, the others to the right, two blanks between them."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            [cells[0].ljust(widths[0])]
            + [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)]
        ).rstrip()
        for cells in rows
    ]


def shown_ratio(value: float | None) -> str:
    """Four decimals, or a hyphen where the ratio is undefined."""
    return "-" if value is None else f"{value:.4f}"


def shown_interval(found: Interval | None) -> str:
    """Both ends to three decimals, or a hyphen where the number is undefined."""
    if found is None:
        return "-"
    low, high = (f"{end:.3f}" for end in (found.low, found.high))
    return f"{low}-{high}"
