"""Bounds that hold whenever reading stops: e-values of bets with fixed stakes.

For a supposed mean, K is the capital of a player who bets, note after note, that fewer leaks come
than that mean would bring. If the mean is at least as supposed, each bet is fair or worse, and K
reaches 1/alpha with probability alpha at most, at any time (Ville). Means at which K has reached it
are refuted. Fixed stakes make K rise with the supposed mean, so that bisection finds the bound.

Sources: Ville 1939; Waudby-Smith and Ramdas 2024, "Estimating means of bounded random variables by
betting", J R Stat Soc B 86:1-27 (arXiv 2010.09686), §4, and §5 for draws without replacement.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..core.arrays import Floats
from .bounds import ALPHA, alpha_of_reading, least_share

STAKES = (1.0, 0.9, 0.7, 0.5, 0.35, 0.25, 0.15, 0.1, 0.05, 0.02)
"""Parts of the capital that are staked. The first is the best where no leak is seen at all."""

WEIGHTS = (0.3, *(0.7 / 9,) * 9)
"""Part of the capital that plays each stake."""

STAKES_ON_MORE = (0.3, 0.15, 0.08, 0.04, 0.02, 0.01)
"""Stakes of the bet that more comes than a small mean: the best one is about what is more."""


def log_capital(
    values: Sequence[float] | Floats,
    mean: float,
    *,
    most: float = 1.0,
    population: int | None = None,
) -> Floats:
    """The log of K after each of some values: of the bet that the mean is below the supposed one.

    Args:
        values: in the order in which they were drawn, each in [0, most].
        mean: the supposed one, in [0, most].
        most: the greatest value that there can be.
        population: of a draw without replacement, how many there are to draw from. What is left has
            the supposed mean less what was seen. None if each draw is of the whole: then the last
            number does not depend on the order.

    Returns:
        A number for each value: infinite where the values cannot be if the mean is as supposed.
    """
    x = _checked(values, most, population)
    logs = _log_factors(x, _expected(x, mean, population), most, STAKES)
    with np.errstate(invalid="ignore"):  # what is gone stays so, whatever comes
        sums = np.cumsum(logs, axis=1)
    gone = np.logical_or.accumulate(logs == -math.inf, axis=1)
    return _log_total(np.where(gone, -math.inf, sums), WEIGHTS)


def _checked(values: Sequence[float] | Floats, most: float, population: int | None) -> Floats:
    x = np.asarray(values, np.float64)
    if ((x < 0) | (x > most)).any():
        raise ValueError(f"values are not in [0, {most}]")
    if population is not None and len(x) > population:
        raise ValueError(f"{len(x)} drawn of {population}")
    return x


def _expected(x: Floats, mean: float, population: int | None) -> Floats:
    """The mean of what is left before each value, if the mean of all is as supposed."""
    if population is None:
        return np.full(len(x), mean)
    left = population - np.arange(len(x), dtype=np.float64)
    return np.asarray((population * mean - (np.cumsum(x) - x)) / left)


def _log_factors(x: Floats, expected: Floats, most: float, stakes: Sequence[float]) -> Floats:
    """Log of what each stake becomes with each value: a row a stake."""
    c = np.array(stakes)[:, None]
    room = most - expected
    with np.errstate(divide="ignore", invalid="ignore"):
        factors = (room + c * (expected - x)) / room
        # If all that is left must be `most`, anything less refutes it; `most` itself costs the
        # stake as everywhere.
        sure = np.where(x < most, math.inf, 1 - c)
        return np.asarray(np.log(np.where(room <= 0, sure, np.maximum(factors, 0))))


def _log_total(logs: Floats, weights: Sequence[float]) -> Floats:
    """Log of the whole capital, of the logs of what each stake has become."""
    logs = logs + np.log(np.array(weights)).reshape(-1, *(1,) * (logs.ndim - 1))
    top = logs.max(axis=0, initial=-math.inf)
    finite = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore", over="ignore"):
        return np.asarray(finite + np.log(np.exp(logs - finite).sum(axis=0)))


def sequential_upper(
    values: Sequence[float] | Floats,
    alpha: float = ALPHA,
    *,
    most: float = 1.0,
    population: int | None = None,
) -> float:
    """An upper bound of the mean that holds whenever reading stops: the least refuted mean.

    Args:
        values, most, population: see `log_capital`.
        alpha: with this probability at most, the bound is ever below the mean.

    Returns:
        At most `most`.
    """
    x = _checked(values, most, population)
    level = -math.log(alpha)
    # Where the order says nothing, equal values are counted: the same bound to the last bit.
    seen, counts = (
        (x, np.ones(len(x))) if population is not None else np.unique(x, return_counts=True)
    )

    def is_refuted(mean: float) -> bool:
        logs = _log_factors(seen, _expected(seen, mean, population), most, STAKES)
        gone = (logs == -math.inf).any(axis=1)
        with np.errstate(invalid="ignore"):
            sums = (logs * counts).sum(axis=1)
        return bool(_log_total(np.where(gone, -math.inf, sums), WEIGHTS) >= level)

    bound = least_share(is_refuted, most)
    if population is not None:
        bound = min(bound, (float(x.sum()) + most * (population - len(x))) / population)
    return bound


SEEN_PART = 20
"""One part in so many of alpha is for how many leaks of the population could be seen at all."""


def corrected_sequential_upper(
    values: Sequence[float] | Floats,
    recall: float,
    alpha: float = ALPHA,
    *,
    most: float = 1.0,
    population: int | None = None,
) -> float:
    """The bound of `sequential_upper` for what is there, not what readers see of it.

    What the readers would see of the whole population is bounded first, then what there can be, if
    they see so little of it. Both are needed where the population is not large: of three leaks
    in it, all may be missed.

    Args:
        values, most, population: see `log_capital`; of what was seen.
        recall: `ReaderRecall.at_least`.
        alpha: of which the recall has had its part (`bounds.RECALL_PART`).
    """
    if recall <= 0:  # see `bounds.upper_bound`
        return most
    part = alpha_of_reading(alpha) - alpha / SEEN_PART
    seen = sequential_upper(values, part, most=most, population=population)
    if population is None:
        return min(most, seen / recall)
    total = most_hidden(seen * population, recall, alpha / SEEN_PART, most=most)
    return min(most, total / population)


def most_hidden(seen: float, recall: float, alpha: float, *, most: float = 1.0) -> float:
    """How much there can be of which no more is seen: the least total that this would refute.

    Args:
        seen: the sum of what is seen.
        recall: of each part, this share is seen on average, or more; parts independently.
        alpha: of the bound.
        most: the greatest part.

    The bound is Chernoff's: parts in [0, most] scatter no more than parts that are `most`, seen or
    not, since log(1 - s + s exp(-lx)) is convex in x and 0 at 0 (Hoeffding 1963, "Probability
    inequalities for sums of bounded random variables", Theorem 1).
    """
    if recall >= 1:
        return seen
    level = -math.log(alpha)

    def is_refuted(total: float) -> bool:
        share = seen / total
        if share >= recall:
            return False
        unlike = (1 - share) * math.log((1 - share) / (1 - recall))
        unlike += share * math.log(share / recall) if share > 0 else 0.0
        return total / most * unlike >= level

    high = max(most, 2 * seen / recall)
    while not is_refuted(high):
        high *= 2
    return least_share(is_refuted, high)


def log_capital_of_more(leaks: int, notes: int, share: float) -> float:
    """The log of the e-value against "at most this share leaks", after some notes.

    The same bet turned round: that notes without a leak are fewer than 1 - share. It is evidence
    at 1/alpha, whenever it is looked at, and does not depend on the order of notes.

    Args:
        leaks: notes with a leak.
        notes: all that were read.
        share: the certified bound, over 0 and below 1.
    """
    if not 0 < share < 1:
        raise ValueError(f"a share of {share}: expected over 0 and below 1")
    values = np.array([0.0, 1.0])  # of the bet turned round: with a leak, and without
    logs = _log_factors(values, np.full(2, 1 - share), 1.0, STAKES_ON_MORE)
    even = (1 / len(STAKES_ON_MORE),) * len(STAKES_ON_MORE)
    return float(_log_total(logs @ np.array([leaks, notes - leaks]), even))
