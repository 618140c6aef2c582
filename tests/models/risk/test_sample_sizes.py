"""How many notes must be read: the numbers of the table that a campaign prints."""

import pytest
from scipy import stats
from scrubline.models.risk.bounds import ReaderRecall, binomial_upper, upper_bound
from scrubline.models.risk.sample_sizes import (
    Reading,
    SampleSizes,
    fixed_notes,
    sample_sizes,
    sequential_notes,
)

TABLE = [
    SampleSizes(0.05, 59, 76, 153, 361, 1679),
    SampleSizes(0.02, 149, 193, 386, 969, 4318),
    SampleSizes(0.01, 299, 388, 773, 1941, 8753),
    SampleSizes(0.005, 598, 777, 1549, 3885, 17512),
]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: str(row.target))
def test_the_table(row):
    assert sample_sizes(row.target) == row


@pytest.mark.parametrize("target, truth, n", [(0.05, 0.0125, 153), (0.02, 0.01, 969)])
def test_numbers_are_the_least(target, truth, n):
    def chance(n):
        k = max((k for k in range(min(n, 20)) if binomial_upper(k, n) <= target), default=-1)
        return stats.binom.cdf(k, n, truth)

    assert chance(n) >= 0.8
    assert all(chance(fewer) < 0.8 for fewer in range(max(1, n - 12), n))


def test_planted_spans_make_them_an_eighth_larger():
    reading = Reading(planted=100)
    assert [fixed_notes(t, 0, reading) for t in (0.05, 0.02, 0.01, 0.005)] == [66, 167, 336, 673]
    assert [sequential_notes(t, reading) for t in (0.05, 0.02)] == [86, 219]


def test_small_populations():
    for population in (200, 1000, 4000, 100_000):
        reading = Reading(planted=100, population=population)
        n = fixed_notes(0.02, 0, reading)
        recall = ReaderRecall(100, 100).at_least(0.05)
        assert upper_bound(0, n, population, 0.04, recall)[0] <= 0.02
        assert upper_bound(0, n - 1, population, 0.04, recall)[0] > 0.02
    assert fixed_notes(0.02, 0, Reading(population=10**7)) == 149
    assert sequential_notes(0.02, Reading(population=10**7)) == 193


def test_what_cannot_be_certified():
    # All twenty are read and found clean: one may have been missed, which is 5 %.
    assert fixed_notes(0.02, 0, Reading(planted=60, population=20)) is None
    assert sequential_notes(0.02, Reading(planted=60, population=20)) is None
