import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.evaluation import intervals
from scrubline.models.evaluation.intervals import Interval, Resampling, interval, ratio, wilson

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
    assert interval(np.arange(41.0), 9) == Interval(1.0, 39.0)


def test_undefined_values_are_left_out():
    assert interval(np.array([np.nan, 0.5, np.nan, 0.5]), 1) == interval(np.array([0.5]), 1)
    assert interval(np.array([np.nan]), 3) is None
    assert interval(np.array([]), 3) is None


# Computed with scipy 1.17: binomtest(count, of).proportion_ci(method="wilson").
WILSON = [
    (0, 1, 0.0, 0.7934506856227626),
    (1, 1, 0.20654931437723745, 1.0),
    (0, 15, 0.0, 0.20388330103584862),
    (0, 20, 0.0, 0.16112515805281935),
    (3, 5, 0.23072428127601297, 0.8823792257673521),
    (91, 91, 0.9594959960711198, 1.0),
]


@pytest.mark.parametrize(("count", "of", "low", "high"), WILSON)
def test_wilson_as_published(count, of, low, high):
    found = wilson(count, of)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-12)


def test_wilson_as_scipy_has_it():
    stats = pytest.importorskip("scipy.stats")
    for of in (1, 2, 3, 15, 100, 12345):
        for count in {0, 1, of // 3, of - 1, of}:
            found = stats.binomtest(count, of).proportion_ci(method="wilson")
            assert wilson(count, of) == Interval(
                pytest.approx(found.low, abs=1e-12), pytest.approx(found.high, abs=1e-12)
            )


@pytest.mark.parametrize(("count", "of"), [(0, 0), (-1, 3), (4, 3)])
def test_wilson_refuses_what_is_no_proportion(count, of):
    with pytest.raises(ValueError, match="expected 0 <= count <= of"):
        wilson(count, of)


@pytest.mark.parametrize("documents", [1, 2, 15, 91])
def test_without_variance_nothing_is_certain(documents):
    assert interval(np.zeros(50), documents) == wilson(0, documents)
    found, expected = interval(np.ones(50), documents), wilson(documents, documents)
    assert found.high == 1.0 and found.low == pytest.approx(expected.low)
    middle = interval(np.full(50, 0.25), documents)
    assert 0 < middle.low < 0.25 < middle.high < 1
    equal = interval(np.zeros(50), documents, least=-1.0)
    assert -equal.low == equal.high == wilson(0, documents).high


def test_variance_leaves_the_bootstrap_as_it_was():
    values = np.linspace(0.9, 1.0, 41)
    assert (
        interval(values, 1)
        == interval(values, 1000)
        == Interval(pytest.approx(0.9025), pytest.approx(0.9975))
    )


def test_ratio_is_nan_without_denominator():
    found = ratio(np.array([1, 0, 3]), np.array([2, 0, 0])).tolist()
    assert found[0] == 0.5
    assert np.isnan(found[1:]).all()


@given(st.integers(1, 30), st.integers(0, 5), st.integers(0, 3))
def test_equal_documents_give_an_interval_by_their_number(documents, tp, fn):
    counts = np.tile(np.array([[tp, tp + fn]], np.int64), (documents, 1))
    found = interval(ratio(*Resampling(20).sums(counts).T), documents)
    if not tp + fn:
        assert found is None
        return
    value, unseen = tp / (tp + fn), wilson(0, documents).high
    assert found.high - found.low == pytest.approx(unseen)
    assert found.low <= value <= found.high
    assert (found.low == 0) == (tp == 0) and (found.high == 1) == (fn == 0)


def test_width_is_that_of_a_binomial():
    # 400 documents, half of them flagged: standard error 0.025, so 0.5 +- 0.049.
    counts = np.stack([np.arange(400) % 2, np.ones(400, np.int64)], axis=1)
    found = interval(ratio(*Resampling(4000).sums(counts).T), 400)
    assert found is not None
    assert found.low == pytest.approx(0.451, abs=0.005)
    assert found.high == pytest.approx(0.549, abs=0.005)
