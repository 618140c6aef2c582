import numpy as np
import pytest
from scrubline.models.evaluation import METRICS, compare, difference_lines, differences
from scrubline.models.evaluation.intervals import Resampling, sign_p, wilson
from scrubline.models.evaluation.paired import HEADLINE

from .makers import document, tokenize

GOLD = [document("{DATE a} {DATE b} {CITY c} d", f"{n:02}") for n in range(30)]
WORSE = [document("{DATE a} b {CITY c} {CITY d}", d.doc_id) for d in GOLD]
BETTER = [
    document("{DATE a} {DATE b} {CITY c} d" if n % 3 else "{DATE a} b c d", d.doc_id)
    for n, d in enumerate(GOLD)
]


def compared(first, second, **options):
    options = {"tokenize": tokenize, "resamples": 400} | options
    return differences(*(compare(GOLD, side, **options) for side in (first, second)))


def one(found, metric, score):
    (row,) = [row for row in found if (row.metric, row.score) == (metric, score)]
    return row


def test_differences_by_hand():
    found = compared(WORSE, BETTER)
    recall = one(found, "strict", "recall")
    # 2 of 3 everywhere against 3 of 3 in twenty documents and 1 of 3 in ten.
    assert (recall.first, recall.second) == pytest.approx((2 / 3, (60 + 10) / 90))
    assert recall.difference == pytest.approx(70 / 90 - 60 / 90)
    assert (recall.fewer, recall.more) == (20, 10)
    assert recall.interval.low < recall.difference < recall.interval.high
    precision = one(found, "strict", "precision")
    assert (precision.first, precision.second) == pytest.approx((2 / 3, 1))
    assert (precision.fewer, precision.more) == (30, 0)
    # The same in every resample of 30 documents: Wilson's bound of 0 out of 30 on either side.
    unseen = wilson(0, 30).high
    assert precision.interval.low == pytest.approx(1 / 3 - unseen * 4 / 3)
    assert precision.interval.high == pytest.approx(1 / 3 + unseen * 2 / 3)
    assert precision.p == pytest.approx(2 / 401)  # no resample at or below 0
    f1 = one(found, "strict", "f1")
    assert (f1.fewer, f1.more) == (20, 0)  # two mistakes against none, or against two
    leaked = one(found, "documents", "leaked")
    assert (leaked.first, leaked.second) == pytest.approx((1, 1 / 3))
    assert (leaked.fewer, leaked.more) == (20, 0)


def test_the_other_way_round_has_the_other_sign():
    there, back = compared(WORSE, BETTER), compared(BETTER, WORSE)
    for row, other in zip(there, back, strict=True):
        assert (row.metric, row.score) == (other.metric, other.score)
        assert (row.first, row.second) == (other.second, other.first)
        assert (row.fewer, row.more) == (other.more, other.fewer)
        assert row.p == other.p
        if row.interval:
            assert row.interval.low == pytest.approx(-other.interval.high)


def test_a_model_does_not_differ_from_itself():
    for row in compared(WORSE, WORSE):
        assert row.difference in (0, None)
        assert row.p in (1, None)
        assert (row.fewer, row.more) == (0, 0)
        if row.interval is not None:  # 30 documents do not show that no document can differ
            assert -row.interval.low == row.interval.high >= wilson(0, 30).high


def test_resamples_are_the_same_documents_for_both():
    """Each document is better by the same: were they drawn apart, the interval would be wide."""
    uneven = [document("{X a} " * (n % 7 + 1) + "b", f"{n:02}") for n in range(30)]
    none = [document("a " * (n % 7 + 1) + "b", f"{n:02}") for n in range(30)]
    reports = [compare(uneven, side, tokenize=tokenize, resamples=200) for side in (none, uneven)]
    row = one(differences(*reports), "strict", "recall")
    assert (row.interval.low, row.interval.high) == (1 - 2 * wilson(0, 30).high, 1)


def test_headline_comes_first_and_every_metric_is_there():
    found = compared(WORSE, BETTER)
    assert tuple((row.metric, row.score) for row in found[: len(HEADLINE)]) == HEADLINE
    assert {row.metric for row in found} <= METRICS.keys()
    assert {"conll", "meddocan_merged", "hide", "i2b2_2014_hipaa_token"} <= {
        row.metric for row in found
    }
    lines = difference_lines(found)
    assert len([line for line in lines if line.startswith("  strict ")]) == 3
    assert max(map(len, lines)) <= 100


def test_json_of_a_difference():
    row = one(compared(WORSE, BETTER), "strict", "precision").as_json()
    assert row["difference"] == 0.333333
    assert row["documents_with_fewer_errors"] == 30
    assert one(compared(WORSE, BETTER), "i2b2_2006_token", "f1").as_json()["p"] <= 1


def test_undefined_scores_have_no_difference():
    empty = [document("a b c d", d.doc_id) for d in GOLD]
    row = one(compared(empty, BETTER), "strict", "precision")
    assert (row.first, row.difference, row.interval, row.p) == (None, None, None, None)
    assert "-" in difference_lines((row,))[1].split()


def test_without_resamples_there_is_no_p():
    row = one(compared(WORSE, BETTER, resamples=0), "strict", "f1")
    assert (row.interval, row.p) == (None, None)
    assert row.difference > 0


def test_reports_of_different_documents_are_refused():
    reports = (
        compare(GOLD, WORSE, tokenize=tokenize),
        compare(GOLD[:3], WORSE[:3], tokenize=tokenize),
    )
    with pytest.raises(ValueError, match="differ in documents"):
        differences(*reports)
    reports = (
        compare(GOLD, WORSE, tokenize=tokenize, seed=1),
        compare(GOLD, WORSE, tokenize=tokenize, seed=2),
    )
    with pytest.raises(ValueError, match="resampling"):
        differences(*reports)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0] * 99, 2 / 100),
        ([-1.0] * 99, 2 / 100),
        ([1.0] * 90 + [-1.0] * 9, 20 / 100),
        ([0.0] * 9 + [1.0] * 90, 20 / 100),  # at 0 counts on both sides
        ([0.0] * 99, 1.0),
        ([1.0, -1.0] * 50, 1.0),
        ([np.nan, 1.0], 1.0),
        ([np.nan], None),
        ([], None),
    ],
)
def test_p_by_sign(values, expected):
    assert sign_p(np.array(values)) == (None if expected is None else pytest.approx(expected))


def test_means_are_drawn_as_counts_are():
    counts = np.array([[1], [2], [5]], np.int64)
    drawn = Resampling(50, 3)
    assert drawn.sums(counts * 0.5).tolist() == (drawn.sums(counts) * 0.5).tolist()
