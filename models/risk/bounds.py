"""Upper bounds of a share from a sample whose size was fixed before it was read.

Sources: Clopper and Pearson 1934, "The use of confidence or fiducial limits illustrated in the
case of the binomial", Biometrika 26:404-413. Sampling without replacement: the same test inverted
for the hypergeometric distribution. A bound is exact for one look at the end: it must not be
computed again and again until it suffices (`sequential` is for that).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np

from ..core.arrays import Floats
from ..core.display_names import counted
from ..core.errors import UsageError

ALPHA = 0.05

LARGE_PART = 20
"""From a twentieth of the population on, a sample is treated as drawn without replacement."""

LEAST_PLANTED = 60
"""With fewer planted spans nothing is stated. Of 60, all found, the recall is .926 or more."""

RECALL_PART = 5
"""One part in so many of alpha is for the reader's recall, the others for what was read."""

_ROUNDING = 1e-9
"""A chance that is alpha but for rounding refutes nothing."""

_EQUAL = 1e-12
"""Bisection ends where it knows a bound to this part of it."""


def log_factorials(most: int) -> Floats:
    """log(0!), log(1!), ... log(most!)."""
    return np.array([math.lgamma(i + 1) for i in range(most + 1)])


def _log_sum(terms: Floats) -> float:
    most = float(terms.max(initial=-math.inf))
    return most if most == -math.inf else most + math.log(float(np.exp(terms - most).sum()))


def _check(k: int, n: int, alpha: float) -> None:
    if not 0 <= k <= n or n < 1:
        raise ValueError(f"{k} of {n}: expected 0 <= k <= n and 1 <= n")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha is {alpha}, expected more than 0 and less than 1")


def _log_choices(n: int, k: int) -> Floats:
    """Logs of the numbers of ways to choose 0, 1, ... k of n."""
    i = np.arange(k + 1)
    whole, logs = math.lgamma(n + 1), log_factorials(k)
    rest = np.array([math.lgamma(n - j + 1) for j in range(k + 1)])
    return np.asarray(whole - logs[i] - rest)


def binomial_tail(k: int, n: int, share: float) -> float:
    """P(X <= k) of X of Binomial(n, share), summed from the small end: exact far out as well."""
    return math.exp(_log_binomial_tail(_log_choices(n, k), n, share)) if k >= 0 else 0.0


def _log_binomial_tail(choices: Floats, n: int, share: float) -> float:
    if share <= 0:
        return 0.0
    i = np.arange(len(choices))
    if share >= 1:
        return 0.0 if len(choices) == n + 1 else -math.inf
    terms = choices + i * math.log(share) + (n - i) * math.log1p(-share)
    return min(0.0, _log_sum(terms))


def binomial_upper(k: int, n: int, alpha: float = ALPHA) -> float:
    """The least share under which k or fewer of n would be seen with probability alpha at most.

    Raises:
        ValueError: unless 0 <= k <= n, 1 <= n and 0 < alpha < 1.
    """
    _check(k, n, alpha)
    if k == n:
        return 1.0
    choices, level = _log_choices(n, k), math.log(alpha)
    return least_share(lambda share: _log_binomial_tail(choices, n, share) <= level)


def binomial_lower(k: int, n: int, alpha: float = ALPHA) -> float:
    """The greatest share under which k or more of n would be seen with probability alpha at most.

    Raises:
        ValueError: as `binomial_upper`.
    """
    _check(k, n, alpha)
    if k == 0:
        return 0.0
    # What is not seen has the shares turned round. Both are rounded to the safe side.
    return 1.0 - binomial_upper(n - k, n, alpha)


def least_share(holds: Callable[[float], bool], most: float = 1.0) -> float:
    """The least share at which something holds that holds from some share on, by bisection.

    Returns:
        A share at which it holds, or `most` if it does below that nowhere: rounding never makes a
        bound smaller.
    """
    low, high = 0.0, most
    while high - low > _EQUAL * high:
        middle = (low + high) / 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high


def _log_drawn(n: int, marked: int, population: int) -> Floats:
    """Log of P(x of the n that are drawn are marked), for x from 0 to n."""
    clean = population - marked
    gamma = math.lgamma
    every = gamma(population + 1) - gamma(n + 1) - gamma(population - n + 1)
    whole = gamma(marked + 1) + gamma(clean + 1) - every
    logs = np.full(n + 1, -math.inf)
    for x in range(max(0, n - clean), min(n, marked) + 1):
        rest = gamma(x + 1) + gamma(marked - x + 1) + gamma(n - x + 1) + gamma(clean - n + x + 1)
        logs[x] = whole - rest
    return logs


def hypergeometric_tail(k: int, n: int, marked: int, population: int) -> float:
    """P(X <= k) where n of a population are drawn without replacement and X of them are marked."""
    return thinned_tail((np.arange(n + 1) <= k).astype(np.float64), n, marked, population)


def _seen_at_most(k: int, n: int, recall: float) -> Floats:
    """P(k or fewer of x are seen), each with probability `recall`, for x from 0 to n."""
    shares = np.ones(n + 1)
    log_miss = math.log1p(-recall) if recall < 1 else -math.inf
    for x in range(k, n):
        misses = (x - k) * log_miss if x > k else 0.0
        logs = math.lgamma(x + 1) - math.lgamma(k + 1) - math.lgamma(x - k + 1)
        exactly_k = math.exp(logs + k * math.log(recall) + misses)
        shares[x + 1] = max(0.0, shares[x] - recall * exactly_k)
    return shares


def hypergeometric_upper(
    k: int, n: int, population: int, alpha: float = ALPHA, recall: float = 1.0
) -> float:
    """The greatest share of a population that k of n, drawn without replacement, do not refute.

    Args:
        k, n: seen, of so many drawn.
        population: from which they were drawn.
        alpha: of the bound.
        recall: of what is there, each is seen with this probability or more. It is part of the
            test: where most of a small population was read, dividing by it would forget that the
            few that there are may all have been missed.

    Raises:
        ValueError: as `binomial_upper`, and if the population is smaller than the sample.
    """
    _check(k, n, alpha)
    if population < n:
        raise ValueError(f"{n} drawn of {population}")
    if not 0 < recall <= 1:
        raise ValueError(f"a recall of {recall}: expected over 0 and at most 1")
    seen = _seen_at_most(k, n, recall)
    # `low` is not refuted: k were seen. All that was not drawn or not seen may be there.
    low, high = k, population if recall < 1 else population - (n - k)
    while low < high:
        middle = (low + high + 1) // 2
        if thinned_tail(seen, n, middle, population) > alpha * (1 - _ROUNDING):
            low = middle
        else:
            high = middle - 1
    return low / population


def thinned_tail(seen: Floats, n: int, marked: int, population: int) -> float:
    """P(k or fewer are seen) where n are drawn of a population with so many that could be.

    Args:
        seen: P(k or fewer are seen) where 0, 1, ... n are there.
        n, marked, population: drawn, there to be seen, altogether.
    """
    return min(1.0, float(np.exp(_log_drawn(n, marked, population)) @ seen))


def upper_bound(
    k: int, n: int, population: int, alpha: float = ALPHA, recall: float = 1.0
) -> tuple[float, str]:
    """The bound of a share of a population, of which n were drawn at random without replacement.

    Args:
        k, n, population: seen, drawn, altogether.
        alpha: of the bound; where a recall is given, `alpha_of_reading`.
        recall: `ReaderRecall.at_least`. A unit with a leak is seen with this probability or more,
            so that the share of leaking units is at most the bound of the seen ones over it.

    Returns:
        The bound, and by which method: "hypergeometric" where more than a twentieth was drawn, else
        "Clopper-Pearson", which is wider than that (Hoeffding 1956, "On the distribution of the
        number of successes in independent trials": draws without replacement, and such as are seen
        with less than certainty, scatter no more than binomial ones).
    """
    is_large = n * LARGE_PART > population
    if recall <= 0:  # of readers who found nothing that was planted, nothing is known
        return 1.0, "hypergeometric" if is_large else "Clopper-Pearson"
    if is_large:
        return hypergeometric_upper(k, n, population, alpha, recall), "hypergeometric"
    return min(1.0, binomial_upper(k, n, alpha) / recall), "Clopper-Pearson"


@dataclasses.dataclass(frozen=True, slots=True)
class ReaderRecall:
    """How many of the planted spans the readers found.

    Attributes:
        planted: removed spans that were shown as if they had been left.
        found: those of them that were marked.
    """

    planted: int
    found: int

    def __post_init__(self) -> None:
        if not 0 <= self.found <= self.planted:
            raise ValueError(f"{self.found} found of {self.planted} planted")

    def at_least(self, alpha: float) -> float:
        """The lower bound of the share that is found of what is left, at its part of alpha.

        Raises:
            UsageError: with fewer than `LEAST_PLANTED`.
        """
        if self.planted < LEAST_PLANTED:
            raise UsageError(
                f"{counted(self.planted, 'planted span')} shown in notes that were read to the "
                f"end, at least {LEAST_PLANTED} are needed: without them nothing is known of what "
                "readers miss, and nothing can be stated"
            )
        return binomial_lower(self.found, self.planted, alpha / RECALL_PART)


def alpha_of_reading(alpha: float) -> float:
    """The part of alpha that is left for what was read."""
    return alpha * (RECALL_PART - 1) / RECALL_PART


def shared_alpha(alpha: float, statements: int) -> float:
    """The alpha of each of several statements that are to hold together (Bonferroni)."""
    return alpha / max(1, statements)
