import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.evaluation import intervals
from scrubline.models.evaluation.intervals import Interval, Resampling, interval, ratio

COUNTS = np.array([[1, 2], [3, 4], [0, 100], [7, 0]], np.int64)


def test_each_resample_sums_as_many_documents_as_there_are():
    ones = np.ones((50, 1), np.int64)
    assert Resampling(resamples=30).sums(ones).tolist() == [[50]] * 30


def test_sums_are_of_documents_drawn_with_replacement():
    generator = np.random.Generator(np.random.PCG64(5))
    drawn = generator.integers(4, size=(10, 4))
    expected = [COUNTS[row].sum(axis=0).tolist() for row in drawn]
    assert Resampling(10, seed=5).sums(COUNTS).tolist() == expected


@pytest.mark.parametrize("drawn_at_once", [1, 4, 9, 12, 1000])
def test_memory_limit_changes_nothing(monkeypatch, drawn_at_once):
    expected = Resampling(17).sums(COUNTS).tolist()
    monkeypatch.setattr(intervals, "_DRAWN_AT_ONCE", drawn_at_once)
    assert Resampling(17).sums(COUNTS).tolist() == expected


def test_the_seed_decides():
    assert Resampling(9, 1).sums(COUNTS).tolist() == Resampling(9, 1).sums(COUNTS).tolist()
    assert Resampling(9, 1).sums(COUNTS).tolist() != Resampling(9, 2).sums(COUNTS).tolist()


@pytest.mark.parametrize(
    ("resampling", "counts", "shape"),
    [
        (Resampling(0), COUNTS, (0, 2)),
        (Resampling(5), COUNTS[:0], (0, 2)),
        (Resampling(5), COUNTS[:, :0], (5, 0)),
    ],
)
def test_nothing_to_draw(resampling, counts, shape):
    assert resampling.sums(counts).shape == shape


def test_interval_by_hand():
    # 0..40: the 2.5 % quantile lies at position 0.025 * 40 = 1, the 97.5 % quantile at 39.
    assert interval(np.arange(41.0)) == Interval(1.0, 39.0)


def test_undefined_values_are_left_out():
    assert interval(np.array([np.nan, 0.5, np.nan])) == Interval(0.5, 0.5)
    assert interval(np.array([np.nan])) is None
    assert interval(np.array([])) is None


def test_ratio_is_nan_without_denominator():
    found = ratio(np.array([1, 0, 3]), np.array([2, 0, 0])).tolist()
    assert found[0] == 0.5
    assert np.isnan(found[1:]).all()


@given(st.integers(1, 30), st.integers(0, 5), st.integers(0, 3))
def test_equal_documents_give_an_interval_without_width(documents, tp, fn):
    counts = np.tile(np.array([[tp, tp + fn]], np.int64), (documents, 1))
    found = interval(ratio(*Resampling(20).sums(counts).T))
    value = tp / (tp + fn) if tp + fn else None
    assert found == (None if value is None else Interval(value, value))


def test_width_is_that_of_a_binomial():
    # 400 documents, half of them flagged: standard error 0.025, so 0.5 +- 0.049.
    counts = np.stack([np.arange(400) % 2, np.ones(400, np.int64)], axis=1)
    found = interval(ratio(*Resampling(4000).sums(counts).T))
    assert found is not None
    assert found.low == pytest.approx(0.451, abs=0.005)
    assert found.high == pytest.approx(0.549, abs=0.005)
