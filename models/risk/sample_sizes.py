"""How many notes must be read, so that a target is certified: said before anybody reads."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable

import numpy as np

from .bounds import (
    ALPHA,
    LARGE_PART,
    ReaderRecall,
    alpha_of_reading,
    binomial_tail,
    hypergeometric_tail,
    hypergeometric_upper,
)
from .sequential import corrected_sequential_upper, sequential_upper

CHANCE = 0.8
"""With which probability the sample suffices."""

MOST_NOTES = 1_000_000


@dataclasses.dataclass(frozen=True, slots=True)
class Reading:
    """What stands before a campaign: how sure, how many planted, of how many.

    Attributes:
        alpha: of the statement.
        planted: spans that will be planted, and that all are supposed to be found; None for a bound
            of what is found, uncorrected.
        population: documents or patients of the frame; None for more than can matter.
    """

    alpha: float = ALPHA
    planted: int | None = None
    population: int | None = None

    @property
    def recall(self) -> float:
        """The recall of readers who find all that is planted."""
        return 1.0 if self.planted is None else _recall(self.planted, self.alpha)

    def refutes(self, k: int, n: int, target: float) -> bool:
        """Whether k of n, looked at once, put the bound at the target or below."""
        alpha = self.alpha if self.planted is None else alpha_of_reading(self.alpha)
        if self.population is None or n * LARGE_PART <= self.population:
            return binomial_tail(k, n, target * self.recall) <= alpha
        return hypergeometric_upper(k, n, self.population, alpha, self.recall) <= target

    def refutes_clean(self, n: int, target: float) -> bool:
        """Whether n without a leak put the sequential bound at the target or below."""
        values = np.zeros(n)
        if self.planted is None:
            return sequential_upper(values, self.alpha, population=self.population) <= target
        return (
            corrected_sequential_upper(values, self.recall, self.alpha, population=self.population)
            <= target
        )

    def chance(self, k: int, n: int, truth: float) -> float:
        """P(k of n or fewer leak), where this share of the population does."""
        if self.population is None or n * LARGE_PART <= self.population:
            return binomial_tail(k, n, truth)
        return hypergeometric_tail(k, n, round(truth * self.population), self.population)


@functools.cache
def _recall(planted: int, alpha: float) -> float:
    return ReaderRecall(planted, planted).at_least(alpha)


def _least(is_enough: Callable[[int], bool], low: int, most: int) -> int | None:
    """The least number from `low` to `most` that is enough, if all greater ones are; or None."""
    high = low
    while not is_enough(high):
        if high >= most:
            return None
        low, high = high + 1, min(most, 2 * high)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle + 1, high)
    return low


def fixed_notes(
    target: float, truth: float, reading: Reading | None = None, chance: float = CHANCE
) -> int | None:
    """The least sample that certifies a target with some chance, looked at once, at its end.

    Args:
        target: the bound must be at most this.
        truth: the share that leaks in truth, below the target.
        reading: alpha, planted spans, population.
        chance: with which the number of leaks is small enough.

    Returns:
        None if not even all of the population, or a million, would do.
    """
    reading = reading or Reading()
    most = reading.population or MOST_NOTES
    n = 1
    for k in range(most):
        # With k leaks allowed, the least n is the best: with a larger one there are more leaks.
        least = _least(lambda n, k=k: reading.refutes(k, n, target), max(n, k + 1), most)  # type: ignore[misc]
        if least is None:
            return None
        n = least
        if reading.chance(k, n, truth) >= chance:
            return n
    return None


def sequential_notes(target: float, reading: Reading | None = None) -> int | None:
    """The least number of notes without any leak after which a sequential bound is at the target.

    Returns:
        None as for `fixed_notes`.
    """
    reading = reading or Reading()
    most = reading.population or MOST_NOTES
    return _least(lambda n: reading.refutes_clean(n, target), 1, most)


@dataclasses.dataclass(frozen=True, slots=True)
class SampleSizes:
    """A row of the table that a campaign prints: notes to read for a target; None for "not at all".

    Attributes:
        target: the bound that is asked for.
        clean: if no note leaks, with a fixed sample.
        clean_sequential: if no note leaks and reading stops as soon as it suffices.
        quarter, half, three_quarters: if in truth this part of the target leaks, with a chance of
            80 %.
    """

    target: float
    clean: int | None
    clean_sequential: int | None
    quarter: int | None
    half: int | None
    three_quarters: int | None


def sample_sizes(target: float, reading: Reading | None = None) -> SampleSizes:
    """How many notes a target takes, by what is true of them."""
    return SampleSizes(
        target,
        fixed_notes(target, 0.0, reading),
        sequential_notes(target, reading),
        *(fixed_notes(target, target * part, reading) for part in (0.25, 0.5, 0.75)),
    )
