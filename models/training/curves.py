"""The loss after each iteration of a training, reduced to a few points."""

from __future__ import annotations

from collections.abc import Sequence

Point = tuple[int, float]
"""Iteration and loss."""

MOST_POINTS = 50


def thinned(curve: Sequence[Point]) -> list[list[float]]:
    """At most `MOST_POINTS` points of a curve, evenly spaced, with the first and the last."""
    size = len(curve)
    if size <= MOST_POINTS:
        chosen = list(range(size))
    else:
        chosen = [round(n * (size - 1) / (MOST_POINTS - 1)) for n in range(MOST_POINTS)]
    return [[curve[n][0], curve[n][1]] for n in chosen]
