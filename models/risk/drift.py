"""Whether a later night still looks like the frame that was certified, and leaks no more.

Three watches, none of which says that nothing has changed: distributions of what a run counts of
documents (two-sample Kolmogorov-Smirnov), note types that the frame did not have, and an e-value
over the few notes that are read each night. Small changes of few notes are seen by none of them.

Sources: Smirnov 1948, "Table for estimating the goodness of fit of empirical distributions",
Ann Math Stat 19:279-281; `sequential` for the e-value.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ..core.arrays import Floats
from .sequential import log_capital_of_more

NIGHTLY_ALPHA = 0.001
"""Of a false alarm in a night, over all distributions."""

SERIES = ("risk", "tokens", "spans_per_token")
"""What is compared, of documents."""

_KNOTS = 100
_DECIMALS = 6
_LEAST_GROUP = 5
"""So many of the least and of the greatest values are not told: they tell of single documents."""


@dataclasses.dataclass(frozen=True, slots=True)
class Distribution:
    """How a number is distributed over the documents of a frame, known exactly at some values.

    Attributes:
        count: documents.
        values: some of the values, rising.
        below, at_most: share of documents below each, and at or below each.
    """

    count: int
    values: tuple[float, ...] = ()
    below: tuple[float, ...] = ()
    at_most: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        columns = (self.values, self.below, self.at_most)
        if len({len(column) for column in columns}) != 1 or self.count < 0:
            raise ValueError("a distribution has as many shares as values")
        if any(list(column) != sorted(column) for column in columns):
            raise ValueError("values and shares of a distribution must rise")


def distribution_of(values: Sequence[float] | Floats) -> Distribution:
    """The distribution of some numbers, at 100 values or fewer."""
    x = np.sort(np.asarray(values, np.float64))
    n = len(x)
    if n <= 2 * _LEAST_GROUP:
        return Distribution(n)
    ranks = np.linspace(_LEAST_GROUP, n - 1 - _LEAST_GROUP, _KNOTS).round().astype(int)
    knots = np.unique(x[ranks])
    return Distribution(
        n,
        tuple(knots.tolist()),
        tuple((np.searchsorted(x, knots, "left") / n).round(_DECIMALS).tolist()),
        tuple((np.searchsorted(x, knots, "right") / n).round(_DECIMALS).tolist()),
    )


def least_distance(known: Distribution, values: Sequence[float] | Floats) -> float:
    """The least that the Kolmogorov-Smirnov distance of two samples can be.

    Between two of its known values, a distribution may lie anywhere between its shares there: only
    what lies outside counts. It is the distance itself where all values are known.
    """
    x = np.sort(np.asarray(values, np.float64))
    if not len(x) or not known.values:
        return 0.0
    knots = np.array(known.values)
    below, at_most = np.array(known.below), np.array(known.at_most)
    floor, ceiling = np.append(0.0, at_most), np.append(below, 1.0)

    def share(of: Floats, side: str) -> Floats:
        return np.asarray(np.searchsorted(x, of, "right" if side == "right" else "left") / len(x))

    at, before = share(x, "right"), share(x, "left")
    right = np.searchsorted(knots, x, "right")
    left = np.searchsorted(knots, x, "left")
    is_knot = right > left
    most_at = np.where(is_knot, at_most[np.minimum(left, len(knots) - 1)], ceiling[right])
    found = [
        at - most_at,
        floor[left] - before,
        np.abs(share(knots, "right") - at_most),
        np.abs(share(knots, "left") - below),
    ]
    return max(0.0, float(np.concatenate(found).max()))


def smirnov_tail(distance: float, n: int, m: int) -> float:
    """P(the distance of two samples of one distribution is as great), for large samples.

    Small samples, and equal values, make it rarer than this says.
    """
    t = distance * math.sqrt(n * m / (n + m))
    if t < 0.2:  # the tail is 1 to 12 places, and the series converges slowly
        return 1.0
    terms = ((-1) ** (j - 1) * math.exp(-2 * (j * t) ** 2) for j in range(1, 101))
    return min(1.0, max(0.0, 2 * math.fsum(terms)))


def drifted(
    frame: Mapping[str, Distribution],
    night: Mapping[str, Sequence[float] | Floats],
    alpha: float = NIGHTLY_ALPHA,
) -> tuple[str, ...]:
    """The series of a night that are not distributed as in the frame, sorted.

    Args:
        frame: series -> its distribution. One without values, or that the night does not have, is
            not compared.
        night: series -> a value a document.
        alpha: of a false alarm over all series of the frame together.
    """
    compared = {name for name, known in frame.items() if known.values and len(night.get(name, ()))}
    return tuple(
        name
        for name in sorted(compared)
        if smirnov_tail(
            least_distance(frame[name], night[name]), frame[name].count, len(night[name])
        )
        <= alpha / len(compared)
    )


def new_types(frame: Iterable[str], night: Iterable[str]) -> tuple[str, ...]:
    """The note types of a night that the frame did not have, sorted: nothing was stated of them."""
    return tuple(sorted(set(night) - set(frame)))


def leaks_more(leaks: int, notes: int, bound: float, alpha: float) -> bool:
    """Whether the notes read since a certificate refute its bound; then it has expired.

    May be asked after every note: with probability alpha at most it is ever wrong.

    Args:
        leaks: notes with a leak, of all nights since.
        notes: all notes read since.
        bound: the certified share of documents. A bound of 1 cannot be refuted.
        alpha: of the certificate.
    """
    if bound >= 1:
        return False
    if bound <= 0:
        return leaks > 0
    return log_capital_of_more(leaks, notes, bound) >= -math.log(alpha)
