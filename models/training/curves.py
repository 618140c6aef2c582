"""The curve of a training: the loss after each iteration, and at most so many points of it."""

from __future__ import annotations

from collections.abc import Sequence

Point = tuple[int, float]
"""Iteration and loss."""

MOST_POINTS = 50


def thinned(curve: Sequence[Point]) -> list[list[float]]:
    """At most 50 points of a curve, evenly chosen, the first and the last among them."""
    size = len(curve)
    if size <= MOST_POINTS:
        chosen = list(range(size))
    else:
        chosen = [round(n * (size - 1) / (MOST_POINTS - 1)) for n in range(MOST_POINTS)]
    return [[curve[n][0], curve[n][1]] for n in chosen]
