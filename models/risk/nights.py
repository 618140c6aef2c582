"""Whether the documents of a night are distributed like those of the nights before.

What they have at or below a value is the median of the nights before: neither a great one, such as
the first over an archive, nor a few odd ones stand for all. What is compared is what `drift`
compares with a frame, by the same law.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence

import numpy as np

from .drift import NIGHTLY_ALPHA, smirnov_tail

LEAST_COMPARED = 20
"""A night of fewer documents is not compared, nor are others with it."""

LEAST_DISTANCE = 0.05
"""With many documents chance allows for less: but so small a change is that of any two weeks."""


@dataclasses.dataclass(frozen=True, slots=True)
class NightDrift:
    """How far a night lies from those before it.

    Attributes:
        distance: of Kolmogorov and Smirnov: the greatest share of documents by which the night has
            more, or fewer, at or below some value.
        is_drift: whether it is neither small nor chance.
    """

    distance: float
    is_drift: bool


def drift_of_nights(
    nights: Sequence[Mapping[int, int]], *, least: int, most: int, series: int
) -> list[NightDrift | None]:
    """What is to be said of each night; None where there is too little to compare.

    Args:
        nights: value -> documents of each, in order of time.
        least, most: nights before one with which it is compared, the latest ones.
        series: how many numbers of documents are looked at; they share the chance that a night is
            wrongly said to have drifted, `NIGHTLY_ALPHA`.
    """
    values = np.array(sorted(set().union(*nights)), np.int64)
    counts = np.zeros((len(nights), len(values)))
    for at, night in enumerate(nights):
        counts[at, np.searchsorted(values, list(night))] = list(night.values())
    totals = counts.sum(axis=1)
    shares = counts.cumsum(axis=1) / np.maximum(totals, 1)[:, None]
    found: list[NightDrift | None] = []
    for at in range(len(nights)):
        before = [n for n in range(max(0, at - most), at) if totals[n] >= LEAST_COMPARED]
        if len(before) < least or totals[at] < LEAST_COMPARED:
            found.append(None)
            continue
        distance = float(np.abs(shares[at] - np.median(shares[before], axis=0)).max())
        # As many documents in one sample would leave as much to chance as the mean of the nights;
        # their median leaves pi / 2 times the variance.
        worth = len(before) ** 2 / float((1 / totals[before]).sum()) * 2 / math.pi
        tail = smirnov_tail(distance, int(worth), int(totals[at]))
        found.append(
            NightDrift(distance, distance >= LEAST_DISTANCE and tail <= NIGHTLY_ALPHA / series)
        )
    return found
