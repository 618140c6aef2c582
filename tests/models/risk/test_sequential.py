"""Bounds that hold whenever reading stops: by formula, their laws, and how often they hold."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.risk.bounds import binomial_upper
from scrubline.models.risk.sequential import (
    STAKES,
    WEIGHTS,
    corrected_sequential_upper,
    log_capital,
    log_capital_of_more,
    most_hidden,
    sequential_upper,
)

from ...examples import examples, rest


def test_capital_is_the_formula():
    values, mean, most = [0, 0, 1, 0, 2.5], 0.4, 3.0
    expected = sum(
        w * math.prod(1 + c * (mean - x) / (most - mean) for x in values)
        for c, w in zip(STAKES, WEIGHTS, strict=True)
    )
    assert sum(WEIGHTS) == pytest.approx(1)
    assert log_capital(values, mean, most=most)[-1] == pytest.approx(math.log(expected))
    # Drawn without replacement, what is left has the mean less what was seen.
    left = [(50 * mean - sum(values[:i])) / (50 - i) for i in range(len(values))]
    expected = sum(
        w * math.prod(1 + c * (m - x) / (most - m) for m, x in zip(left, values, strict=True))
        for c, w in zip(STAKES, WEIGHTS, strict=True)
    )
    found = log_capital(values, mean, most=most, population=50)
    assert found[-1] == pytest.approx(math.log(expected))
    assert len(found) == len(values)


def test_each_bet_is_fair_at_the_supposed_mean():
    for mean in (0.005, 0.02, 0.3, 0.9):
        win = np.exp(log_capital([0.0], mean)[0])
        loss = np.exp(log_capital([1.0], mean)[0])
        assert mean * loss + (1 - mean) * win == pytest.approx(1)


@pytest.mark.parametrize("leaks", [1, 2, 3])
def test_capital_of_a_small_population_is_a_martingale_whatever_comes_first(leaks):
    """By enumeration: the mean over all orders, stopped as soon as it is high, is one at most."""
    from itertools import combinations

    population = 6
    for level in (1.1, 1.5, 2, 4):
        reached = []
        for places in combinations(range(population), leaks):
            values = [float(i in places) for i in range(population)]
            path = np.exp(log_capital(values, leaks / population, population=population))
            over = np.flatnonzero(path >= level)
            reached.append(path[over[0]] if len(over) else path[-1])
        assert np.mean(reached) <= 1 + 1e-9


def test_treating_a_small_population_as_a_large_one_would_be_unfair():
    # One leak in two notes: stop when the first is clean, else read on.
    first = math.exp(log_capital([0.0], 0.5)[-1])
    both = math.exp(log_capital([1.0, 0.0], 0.5)[-1])
    assert (first + both) / 2 > 1.04


def test_the_order_does_not_matter_where_the_population_is_large():
    rng = np.random.default_rng(1)
    values = (rng.random(500) < 0.03).astype(float) * rng.random(500)
    assert len({sequential_upper(rng.permutation(values)) for _ in range(5)}) == 1


def test_known_bounds():
    # The numbers of notes without a leak that refute 5, 2, 1 and 0.5 %.
    for target, notes in [(0.05, 76), (0.02, 193), (0.01, 388), (0.005, 777)]:
        assert sequential_upper([0] * notes) <= target < sequential_upper([0] * (notes - 1))
    assert sequential_upper([]) == 1
    assert sequential_upper([1] * 50) == 1
    assert sequential_upper([3.0] * 50, most=3.0) == 3
    assert sequential_upper([0] * 20, population=20) == 0
    assert sequential_upper([0] * 19 + [1], population=20) == pytest.approx(1 / 20)
    assert sequential_upper([0] * 300, most=5.0) == pytest.approx(5 * sequential_upper([0] * 300))


def test_values_are_what_they_may_be():
    with pytest.raises(ValueError, match="not in"):
        log_capital([2.0], 0.5)
    with pytest.raises(ValueError, match="3 drawn of 2"):
        log_capital([0, 0, 0], 0.5, population=2)


VALUES = st.lists(st.sampled_from([0, 0, 0, 0, 0.5, 1]), min_size=1, max_size=60)


@given(VALUES, st.integers(0, 100), st.floats(0.001, 0.3))
@examples(100)
def test_capital_rises_with_the_mean_and_the_bound_with_leaks(values, more, alpha):
    population = len(values) + more
    for many in (None, population):
        paths = [log_capital(values, m, population=many)[-1] for m in np.linspace(0, 1, 21)]
        assert all(b >= a - 1e-9 for a, b in zip(paths, paths[1:], strict=False))
        bound = sequential_upper(values, alpha, population=many)
        assert np.mean(values) <= bound + 1e-9 or many == population
        assert bound >= sequential_upper([*values, 0], alpha, population=many and many + 1) * (
            0 if many else 1
        )
        assert sequential_upper(values, min(0.5, 2 * alpha), population=many) <= bound + 1e-12
        worse = [1, *values[1:]]
        assert sequential_upper(worse, alpha, population=many) >= bound - 1e-12
    # Fewer notes are needed of a small population, if few leak.
    assert sequential_upper([0] * len(values), alpha, population=population) <= sequential_upper(
        [0] * len(values), alpha
    )


def test_a_bound_that_may_be_looked_at_any_time_is_wider_than_one_that_may_not():
    for k, n in [(0, 149), (3, 393), (12, 973)]:
        assert sequential_upper([1] * k + [0] * (n - k)) > binomial_upper(k, n)


@given(st.floats(0, 300), st.floats(0.5, 0.99), st.sampled_from([1.0, 10.0]))
@examples(200)
def test_what_can_be_hidden(seen, recall, most):
    total = most_hidden(seen, recall, 0.0025, most=most)
    assert total >= seen / recall - 1e-9
    assert most_hidden(seen + 1, recall, 0.0025, most=most) >= total
    assert most_hidden(seen, recall - 0.1, 0.0025, most=most) >= total
    assert most_hidden(seen, 1.0, 0.0025) == seen


def test_hidden_totals_are_no_less_than_exact_ones():
    from scipy import stats

    for seen in (0, 1, 5, 40, 190):
        for recall in (0.8, 0.955):
            totals = np.arange(seen, 3 * seen + 60)
            exact = totals[stats.binom.cdf(seen, totals, recall) > 0.0025].max()
            assert exact <= most_hidden(seen, recall, 0.0025) <= 1.25 * exact + 2


POPULATIONS = [
    ("rate .005", 0.005, 1.0, None),
    ("rate .02", 0.02, 1.0, None),
    ("rate .1", 0.1, 1.0, None),
    ("rate .3", 0.3, 1.0, None),
    ("values of leaks a note", 0.05, 10.0, None),
    ("without replacement", 0.05, 1.0, 1200),
]


def worst_moments(rate, most, population, draws, notes, seed):
    """How many draws never refute the truth at any moment of so many notes."""
    rng = np.random.default_rng(seed)
    held = 0
    for _ in range(draws):
        if population is not None:
            leaks = round(rate * population)
            values = rng.permutation(np.arange(population) < leaks)[:notes].astype(float)
            truth = leaks / population
        else:
            values = (rng.random(notes) < rate).astype(float)
            truth = rate
            if most > 1:  # 1 to 10 leaks, mostly few
                sizes = np.arange(1, 11)
                parts = 0.6 ** np.arange(10)
                parts /= parts.sum()
                values *= rng.choice(sizes, notes, p=parts)
                truth = rate * float(sizes @ parts)
        path = log_capital(values, truth, most=most, population=population)
        held += path.max() < math.log(20)
    return held


def test_bounds_hold_at_the_worst_moment_quickly():
    draws = 60
    for number, (name, rate, most, population) in enumerate(POPULATIONS):
        held = worst_moments(rate, most, population, draws, 1000, number)
        assert held / draws >= 0.95 - 2 * math.sqrt(0.95 * 0.05 / draws), name


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(POPULATIONS)))
def test_bounds_hold_at_the_worst_moment(number):
    name, rate, most, population = POPULATIONS[number]
    notes = 2000 if population is None else population
    held = worst_moments(rate, most, population, 1000, notes, 100 + number)
    assert held / 1000 >= 0.95 - 2 * math.sqrt(0.95 * 0.05 / 1000), name


@pytest.mark.slow
@pytest.mark.parametrize(
    "population, leaks, recall",
    [
        *((300, 1, 0.8), (300, 6, 0.955), (2000, 40, 0.8)),
        *(rest(300, 1, 0.955), rest(300, 6, 0.8), rest(2000, 40, 0.955)),
    ],
)
def test_the_corrected_bound_holds_when_reading_stops_at_the_best_moment(population, leaks, recall):
    """Given the true recall; reading stops where the bound is lowest of a few looks."""
    rng = np.random.default_rng(leaks)
    draws, held = 200, 0
    truth = leaks / population
    for _ in range(draws):
        order = rng.permutation(population) < leaks
        seen = (order & (rng.random(population) < recall)).astype(float)
        looks = (100, 200, 300)
        held += all(
            corrected_sequential_upper(seen[:n], recall, population=population) >= truth
            for n in looks
        )
    assert held / draws >= 0.95 - 2 * math.sqrt(0.95 * 0.05 / draws)


def test_evidence_that_more_leaks():
    assert log_capital_of_more(0, 0, 0.02) == 0
    assert log_capital_of_more(0, 100, 0.02) < 0
    assert log_capital_of_more(12, 100, 0.02) > math.log(20)
    by_hand = np.mean(
        [(1 - c) ** 97 * (1 + c * 49) ** 3 for c in (0.3, 0.15, 0.08, 0.04, 0.02, 0.01)]
    )
    assert log_capital_of_more(3, 100, 0.02) == pytest.approx(math.log(by_hand))
    with pytest.raises(ValueError, match="below 1"):
        log_capital_of_more(1, 2, 1.0)


@pytest.mark.parametrize("population", [None, 500])
def test_readers_who_find_nothing_that_is_planted_bound_nothing(population):
    found = corrected_sequential_upper([0.0] * 50, 0.0, most=10.0, population=population)
    assert found == 10.0
