"""Bounds against scipy, their laws, and how often they hold."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scrubline.models.core.errors import UsageError
from scrubline.models.risk.bounds import (
    LEAST_PLANTED,
    ReaderRecall,
    alpha_of_reading,
    binomial_lower,
    binomial_tail,
    binomial_upper,
    hypergeometric_tail,
    hypergeometric_upper,
    shared_alpha,
    upper_bound,
)

from ...examples import examples

GRID = [
    (k, n, alpha)
    for n in (1, 2, 7, 59, 149, 393, 1000, 4379)
    for k in sorted({0, 1, 2, n // 50, n // 7, n // 2, n - 1, n})
    if k <= n
    for alpha in (0.2, 0.05, 0.04, 0.01, 1e-4)
]


def test_fixed_bounds_are_scipys():
    for k, n, alpha in GRID:
        upper = 1.0 if k == n else stats.beta.ppf(1 - alpha, k + 1, n - k)
        lower = 0.0 if k == 0 else stats.beta.ppf(alpha, k, n - k + 1)
        assert binomial_upper(k, n, alpha) == pytest.approx(upper, abs=1e-9), (k, n, alpha)
        assert binomial_lower(k, n, alpha) == pytest.approx(lower, abs=1e-9), (k, n, alpha)


def test_tails_are_scipys():
    for k, n, share in [(0, 5, 0.3), (3, 100, 0.02), (70, 4379, 0.015), (9, 9, 0.5), (2, 9, 1.0)]:
        assert binomial_tail(k, n, share) == pytest.approx(
            stats.binom.cdf(k, n, share), rel=1e-9, abs=1e-12
        )
    for k, n, marked, population in [(0, 5, 3, 20), (3, 50, 20, 200), (5, 5, 9, 9), (1, 9, 9, 10)]:
        assert hypergeometric_tail(k, n, marked, population) == pytest.approx(
            stats.hypergeom.cdf(k, population, marked, n), rel=1e-9, abs=1e-12
        )


@pytest.mark.parametrize("population", [1, 10, 60, 200, 1500])
def test_bounds_without_replacement_are_scipys(population):
    for n in sorted({1, population // 9 + 1, population // 2 + 1, population}):
        for k in sorted({0, 1, n // 10, n // 2, n}):
            if k > n:
                continue
            marked = np.arange(k, population - n + k + 1)
            tails = stats.hypergeom.cdf(k, population, marked, n)
            expected = marked[tails > 0.05 * (1 - 1e-9)].max() / population
            assert hypergeometric_upper(k, n, population) == expected, (k, n)


def test_what_readers_may_have_missed_is_in_the_bound_of_a_small_population():
    def slowly(k, n, population, alpha, recall):
        marked = np.arange(population + 1)
        x = np.arange(n + 1)
        drawn = stats.hypergeom.pmf(x[None, :], population, marked[:, None], n)
        tails = drawn @ stats.binom.cdf(k, x, recall)
        return marked[tails > alpha * (1 - 1e-9)].max() / population

    for k, n, population in [(0, 300, 300), (0, 100, 300), (4, 100, 300), (30, 40, 60), (0, 1, 9)]:
        for recall in (0.5, 0.903, 0.955):
            expected = slowly(k, n, population, 0.04, recall)
            assert hypergeometric_upper(k, n, population, 0.04, recall) == expected
    # Everything was read and nothing seen: two leaks are missed with a chance of .002, one of .045.
    assert hypergeometric_upper(0, 300, 300, 0.04, 0.955) == 1 / 300
    assert hypergeometric_upper(0, 300, 300, 0.05) == 0


def test_the_method_follows_the_part_that_is_drawn():
    assert upper_bound(0, 149, 149 * 20)[1] == "Clopper-Pearson"
    assert upper_bound(0, 149, 149 * 20 - 1)[1] == "hypergeometric"
    assert upper_bound(0, 149, 10**6) == (binomial_upper(0, 149), "Clopper-Pearson")
    assert upper_bound(3, 149, 10**6, 0.04, 0.9)[0] == binomial_upper(3, 149, 0.04) / 0.9
    assert upper_bound(149, 149, 10**6, 0.04, 0.9)[0] == 1


@given(st.data())
@examples(300)
def test_bounds_rise_with_leaks_and_fall_with_notes_and_alpha(data):
    n = data.draw(st.integers(1, 400))
    k = data.draw(st.integers(0, n))
    population = data.draw(st.integers(n + 1, 3000))
    alpha = data.draw(st.floats(0.001, 0.4))
    recall = data.draw(st.floats(0.5, 1))
    for bound in (
        lambda k, n, a: binomial_upper(k, n, a),
        lambda k, n, a: hypergeometric_upper(k, n, population, a, recall),
    ):
        found = bound(k, n, alpha)
        assert k / population <= found <= 1
        assert bound(k, n + 1, alpha) <= found + 1e-12
        assert bound(k, n, min(0.5, 2 * alpha)) <= found + 1e-12
        if k < n:
            assert bound(k + 1, n, alpha) >= found - 1e-12
    less = hypergeometric_upper(k, n, population, alpha, 0.9 * recall)
    assert less >= hypergeometric_upper(k, n, population, alpha, recall)
    assert binomial_lower(k, n, alpha) <= k / n <= binomial_upper(k, n, alpha)


@pytest.mark.parametrize("k, n, alpha", [(-1, 5, 0.05), (6, 5, 0.05), (0, 0, 0.05), (0, 5, 0.0)])
def test_what_is_no_sample_has_no_bound(k, n, alpha):
    with pytest.raises(ValueError, match="expected"):
        binomial_upper(k, n, alpha)
    with pytest.raises(ValueError, match="expected"):
        hypergeometric_upper(k, n, 10, alpha)


def test_a_population_is_no_smaller_than_its_sample():
    with pytest.raises(ValueError, match="5 drawn of 4"):
        hypergeometric_upper(0, 5, 4)


def test_recall_is_the_lower_bound_at_its_part_of_alpha():
    assert ReaderRecall(100, 100).at_least(0.05) == pytest.approx(0.955, abs=5e-4)
    assert ReaderRecall(100, 97).at_least(0.05) == pytest.approx(0.903, abs=5e-4)
    assert ReaderRecall(60, 60).at_least(0.05) == pytest.approx(0.926, abs=5e-4)
    assert ReaderRecall(60, 60).at_least(0.05) == pytest.approx(0.01 ** (1 / 60), abs=1e-12)
    assert alpha_of_reading(0.05) == pytest.approx(0.04)
    assert shared_alpha(0.05, 5) == pytest.approx(0.01)


def test_without_enough_planted_spans_nothing_is_stated():
    assert LEAST_PLANTED == 60
    with pytest.raises(UsageError, match="59 planted spans"):
        ReaderRecall(59, 59).at_least(0.05)
    with pytest.raises(ValueError, match="3 found of 2"):
        ReaderRecall(2, 3)


def _coverage(population, leaks, n, recall, draws, seed):
    """How often the corrected bound of a fixed sample is at least the truth."""
    rng = np.random.default_rng(seed)
    truth, held = leaks / population, 0
    bounds = {}
    for _ in range(draws):
        drawn = rng.hypergeometric(leaks, population - leaks, n)
        k, found = rng.binomial(drawn, recall), rng.binomial(100, recall)
        if (k, found) not in bounds:
            least = ReaderRecall(100, int(found)).at_least(0.05)
            bounds[k, found] = upper_bound(int(k), n, population, alpha_of_reading(0.05), least)[0]
        held += bounds[k, found] >= truth
    return held / draws


@pytest.mark.parametrize("recall", [0.9, 0.95, 0.999])
@pytest.mark.parametrize(
    "population, leaks, n",
    [(100_000, 3000, 500), (100_000, 2000, 150), (300, 1, 300), (300, 9, 150), (60, 3, 60)],
)
def test_the_corrected_bound_holds(population, leaks, n, recall):
    draws = 400
    held = _coverage(population, leaks, n, recall, draws, seed=leaks)
    assert held >= 0.95 - 2 * math.sqrt(0.95 * 0.05 / draws)


@pytest.mark.parametrize("population", [150, 100_000])
def test_readers_who_find_nothing_that_is_planted_bound_nothing(population):
    recall = ReaderRecall(100, 0).at_least(0.05)
    assert upper_bound(0, 100, population, 0.04, recall)[0] == 1.0
