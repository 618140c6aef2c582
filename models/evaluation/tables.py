"""Plain text tables for terminals and log files."""

from __future__ import annotations

from collections.abc import Sequence

from .intervals import Interval


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines with the first column left-aligned, the others right-aligned, two spaces apart."""
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


def shown_interval(found: Interval | None, *, signed: bool = False) -> str:
    """Both ends to three decimals, or a hyphen where the number is undefined."""
    if found is None:
        return "-"
    if signed:
        return f"{found.low:+.3f} to {found.high:+.3f}"
    return f"{found.low:.3f}-{found.high:.3f}"


def ratio_json(value: float | None) -> float | None:
    """Rounded to 1e-6; None where the ratio is undefined."""
    return None if value is None else round(value, 6)


def interval_json(found: Interval | None) -> list[float] | None:
    """Both ends rounded to 1e-6; None where the number is undefined."""
    return None if found is None else [round(found.low, 6), round(found.high, 6)]
