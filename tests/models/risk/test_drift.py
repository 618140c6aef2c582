"""Drift: against scipy, how often it is a false alarm, and what it sees."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats
from scrubline.models.risk.drift import (
    Distribution,
    distribution_of,
    drifted,
    leaks_more,
    least_distance,
    new_types,
    smirnov_tail,
)

from ...examples import examples


def test_the_tail_is_scipys():
    for n, m in [(200, 200), (5000, 200), (100_000, 1000)]:
        for distance in (0.001, 0.02, 0.05, 0.1, 0.3, 0.9):
            t = distance * math.sqrt(n * m / (n + m))
            assert smirnov_tail(distance, n, m) == pytest.approx(special.kolmogorov(t), abs=1e-9)


def distance(one, other):
    """The greatest difference of two samples' shares of values up to some value."""
    values = np.unique([*one, *other])
    shares = [np.searchsorted(np.sort(x), values, "right") / len(x) for x in (one, other)]
    return np.abs(shares[0] - shares[1]).max()


def test_where_all_values_are_known_it_is_the_distance():
    rng = np.random.default_rng(0)
    frame = rng.integers(0, 30, 2000)
    night = rng.integers(2, 35, 150)
    known = distribution_of(frame)
    # The least and greatest values are all among the knots, for many documents have them.
    expected = stats.ks_2samp(frame, night, method="asymp").statistic
    assert distance(frame, night) == pytest.approx(expected)
    assert least_distance(known, night) == pytest.approx(expected, abs=1e-6)


@given(
    st.lists(st.integers(0, 10**4), min_size=1, max_size=600),
    st.lists(st.integers(0, 10**4), min_size=1, max_size=80),
)
@examples(200)
def test_it_is_never_more_than_the_distance_and_little_less(frame, night):
    known = distribution_of(frame)
    expected = distance(frame, night)
    found = least_distance(known, night)
    assert found <= expected + 1e-6
    if len(frame) > 300:
        assert found >= expected - 0.05


def test_few_documents_tell_no_distribution():
    assert distribution_of([1, 2, 3] * 3) == Distribution(9)
    assert least_distance(Distribution(9), [5, 6]) == 0
    extremes = distribution_of([*range(1000), 99_999])
    assert max(extremes.values) < 1000 and min(extremes.values) == 5
    assert len(extremes.values) == 100


def test_distributions_that_cannot_be():
    with pytest.raises(ValueError, match="as many shares"):
        Distribution(9, (1.0,), (), ())
    with pytest.raises(ValueError, match="must rise"):
        Distribution(9, (2.0, 1.0), (0.1, 0.2), (0.1, 0.2))


def nights(rng, count, size, shift=0.0, other=0.0):
    for _ in range(count):
        tokens = np.exp(rng.normal(5.5, 0.7, size)).astype(int)
        risk = np.round(4 * rng.normal(-6, 2, size)) + shift
        n = int(other * size)
        tokens[:n] = np.exp(rng.normal(3, 0.3, n)).astype(int)
        yield {"tokens": tokens, "risk": risk, "spans_per_token": rng.beta(2, 40, size)}


def test_false_alarms_are_rare_and_other_notes_are_seen():
    rng = np.random.default_rng(7)
    (frame,) = nights(rng, 1, 5000)
    known = {name: distribution_of(values) for name, values in frame.items()}
    assert sum(bool(drifted(known, night)) for night in nights(rng, 300, 200)) <= 2
    assert all(drifted(known, night) == ("risk",) for night in nights(rng, 20, 1000, shift=4))
    seen = [drifted(known, night) for night in nights(rng, 20, 1000, other=0.2)]
    assert all("tokens" in one for one in seen)
    assert drifted(known, {"tokens": frame["tokens"]}) == ()
    assert drifted(known, {}) == ()


def test_new_types():
    assert new_types(["letter", "other"], ["letter", "nursing", "nursing", "a"]) == ("a", "nursing")


def test_a_certificate_expires_when_more_leaks_and_seldom_otherwise():
    assert leaks_more(10, 60, 0.02, 0.05)
    assert not leaks_more(0, 500, 0.02, 0.05) and not leaks_more(1, 10, 0.02, 0.05)
    assert leaks_more(1, 10, 0.0, 0.05) and not leaks_more(10, 10, 1.0, 0.05)
    rng = np.random.default_rng(3)
    wrong = 0
    for _ in range(200):
        leaks = np.cumsum(rng.random(900) < 0.02)
        wrong += any(leaks_more(int(leaks[n - 1]), n, 0.02, 0.05) for n in range(10, 901, 10))
    assert wrong / 200 <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 200)
    found = 0
    for _ in range(20):
        leaks = np.cumsum(rng.random(1500) < 0.06)
        found += any(leaks_more(int(leaks[n - 1]), n, 0.02, 0.05) for n in range(10, 1501, 10))
    assert found >= 19
