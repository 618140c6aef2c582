"""C4.5: numbers worked out on paper, and both ways of growing a tree against each other."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scrubline.models import native
from scrubline.models.core.errors import UsageError
from scrubline.models.trees.arithmetic import entropies, log2, natural_log, one_minus_exp
from scrubline.models.trees.growing import (
    LEAF,
    TreeParameters,
    grow_in_python,
    grow_natively,
    snapped,
)
from scrubline.models.trees.growing_reference import GrowingLimits, _Task, leaf_errors

from ...examples import examples

needs_extension = pytest.mark.skipif(
    native.extension() is None, reason="the native extension is not built here"
)
WAYS = [pytest.param(grow_natively, marks=needs_extension), grow_in_python]


def grown(way, columns, classes, weights=None, *, least=1, confidence=0.35):
    """Columns and values of the nodes, and what is predicted."""
    classes = np.array(classes, np.uint8)
    codes = np.array(columns, np.uint8).reshape(-1, len(classes))
    weights = np.ones(len(classes)) if weights is None else np.array(weights, np.float64)
    parameters = TreeParameters(least, confidence)
    tree = way(codes, classes, weights, int(classes.max()) + 1, parameters)
    return tree.columns.tolist(), tree.values.tolist(), tree.predicted.tolist()


def test_logarithms_are_right():
    numbers = np.concatenate((np.logspace(-12, 12, 5000), 2.0 ** np.arange(-30, 30)))
    assert np.allclose(log2(numbers), np.log2(numbers), rtol=1e-15, atol=2e-16)
    assert (log2(2.0 ** np.arange(-30, 30)) == np.arange(-30, 30)).all()
    assert entropies(np.array([0.0, 1.0, 2.0, 8.0])).tolist() == [0.0, 0.0, 2.0, 24.0]
    assert natural_log(0.35) == pytest.approx(math.log(0.35), abs=1e-15)
    for y in (0.0, 1e-9, 0.1, 1.0, 6.9, 16.0):
        assert one_minus_exp(y) == pytest.approx(-math.expm1(-y), rel=1e-13)


def test_gain_and_ratio_of_a_split():
    # 8 items, classes 4 + 4: 1 bit. At code <= 0: 3 of class 0 alone; 1 + 4 remain, whose entropy
    # is -(.2 log .2 + .8 log .8) = .721928 bits. Gain: 1 - 5/8 * .721928 = .548795.
    # The other threshold, <= 1, leaves 3 + 2 (.970951) and 1 + 2 (.918296): 1 - .606844 - .344361
    # = .048795. Two thresholds were tried: the penalty is log(2) / 8 = .125, so .423795.
    # The split itself takes -(3/8 log 3/8 + 5/8 log 5/8) = .954434 bits: ratio .444028.
    codes = np.array([[0, 0, 0, 2, 1, 1, 2, 2]], np.uint8)
    classes = np.array([0, 0, 0, 0, 1, 1, 1, 1], np.uint8)
    limits = TreeParameters(1, 0.35).limits
    task = _Task(codes, classes, np.ones(8), 2, limits)
    found = task.splits(task.node(np.arange(8)))
    assert found.thresholds.tolist() == [0]
    assert found.gains[0] == pytest.approx(0.423795, abs=1e-6)
    assert found.ratios[0] == pytest.approx(0.444028, abs=1e-6)


@pytest.mark.parametrize(
    ("weight", "wrong", "expected"),
    [
        # Without an error: N (1 - .35 ^ (1 / N)). Of 6: .35 ^ (1 / 6) = .839483, so .963105.
        (6.0, 0.0, 0.963105),
        (1.0, 0.0, 0.65),
        # With one: f = 1.5 / 16 = .09375, z = .385320 (the quantile of .65), z^2 = .148472.
        # Bound: (.09375 + .004640 + .385320 * sqrt(.005859 - .000549 + .000145)) / 1.009279
        # = (.098390 + .028459) / 1.009279 = .125683; of 16 items 2.010921.
        (16.0, 1.0, 2.010921),
        # Half an error: what is added lies half way between none and one. None: 16 * (1 - .936492)
        # = 1.016122; one: 1.010921. .5 + (1.016122 + 1.010921) / 2 = 1.513522.
        (16.0, 0.5, 1.513522),
        # All wrong.
        (3.0, 2.9, 3.0),
    ],
)
def test_pessimistic_errors(weight, wrong, expected):
    limits = TreeParameters(5, 0.35).limits
    assert leaf_errors(weight, wrong, limits) == pytest.approx(expected, abs=2e-5)


def test_limits_of_a_confidence():
    limits = TreeParameters(5, 0.35).limits
    assert limits.deviations == pytest.approx(0.38532, abs=1e-5)
    assert limits == GrowingLimits(5.0, limits.deviations, natural_log(0.35))
    assert TreeParameters(5, 0.5).limits.deviations == 0.0


@pytest.mark.parametrize(
    "wrong",
    [{"least": 0}, {"least": 1.0}, {"least": True}, {"confidence": 0.0}, {"confidence": 0.6}]
    + [{"confidence": 1}, {"confidence": float("nan")}, {"least": 10**7}],
)
def test_parameters_out_of_range_are_refused(wrong):
    with pytest.raises(UsageError, match="boosted-trees"):
        TreeParameters(**wrong)


@pytest.mark.parametrize("way", WAYS)
def test_small_trees(way):
    one = [0] * 6 + [7] * 6
    split = ([0, LEAF, LEAF], [0, 0, 1], [0] * 6 + [1] * 6)
    assert grown(way, [one], [0] * 6 + [1] * 6) == split
    # Equal columns: the first. Without columns, and with one class: a leaf.
    assert grown(way, [one, one], [0] * 6 + [1] * 6) == split
    assert grown(way, [], [0] * 6 + [1] * 7) == ([LEAF], [1], [1] * 13)
    assert grown(way, [one], [1] * 12) == ([LEAF], [1], [1] * 12)
    # A tie of classes: the lower.
    assert grown(way, [[0] * 12], [1] * 6 + [0] * 6)[1] == [0]
    # Not enough in a leaf.
    assert grown(way, [one], [0] * 6 + [1] * 6, least=7)[0] == [LEAF]
    assert grown(way, [one], [0] * 6 + [1] * 6, least=6)[0] == [0, LEAF, LEAF]


@pytest.mark.parametrize("way", WAYS)
def test_weights_count_as_items(way):
    codes = [0, 0, 1, 1]
    assert grown(way, [codes], [0, 0, 1, 1], [3.0, 3.0, 1.0, 1.0], least=3)[0] == [LEAF]
    assert grown(way, [codes], [0, 0, 1, 1], [3.0, 3.0, 2.0, 1.0], least=3)[0][0] == 0
    # Items without weight say nothing.
    assert grown(way, [codes], [0, 0, 1, 1], [2.0, 2.0, 0.0, 0.0]) == ([LEAF], [0], [0] * 4)


@pytest.mark.parametrize("way", WAYS)
def test_the_best_ratio_wins_only_with_enough_gain(way):
    # The second column parts two items off: its ratio is high, its gain below the average.
    classes = [0] * 10 + [1] * 10
    good = [0] * 9 + [1] + [0] + [1] * 9
    sliver = [1] * 18 + [2] * 2
    assert grown(way, [sliver, good], classes, least=2)[0][0] == 1


@pytest.mark.parametrize("way", WAYS)
def test_a_subtree_that_estimates_no_fewer_errors_is_pruned(way):
    # Grown, the column parts 10 + 2 into 6 + 0 and 4 + 2. Of 12 items with 2 wrong, f = 2.5 / 12:
    # (.208333 + .006186 + .385320 * sqrt(.014002)) / 1.012373 = .256936, times 12 is 3.0832.
    # Of 6 with 2 wrong, f = 2.5 / 6: (.416667 + .012373 + .385320 * sqrt(.041540)) / 1.024745
    # = .495317, times 6 is 2.9719; of 6 with none .9631. Together 3.9350: more, so one leaf.
    codes, classes = [0] * 6 + [1] * 6, [0] * 10 + [1] * 2
    limits = TreeParameters(2, 0.35).limits
    assert leaf_errors(12, 2, limits) == pytest.approx(3.0832, abs=1e-4)
    assert leaf_errors(6, 0, limits) + leaf_errors(6, 2, limits) == pytest.approx(3.9350, abs=1e-4)
    assert grown(way, [codes], classes, least=2) == ([LEAF], [0], [0] * 12)


def random_table(seed: int):
    """Codes, classes and weights that are worth a tree, ties and noise among them."""
    chance = np.random.default_rng(seed)
    items, columns, n_classes = (int(chance.integers(*r)) for r in ((1, 160), (0, 8), (1, 6)))
    tops = chance.choice([1, 2, 3, 8, 255], columns)
    codes = np.array([chance.integers(0, top, items) for top in tops], np.uint8)
    codes = codes.reshape(columns, items)
    classes = chance.integers(0, n_classes, items)
    if columns and seed % 5:
        told = (codes[0] > codes[0].mean()) + 2 * (codes[-1] > codes[-1].mean())
        classes = np.where(chance.random(items) < 0.15, classes, told % n_classes)
    weights = chance.choice([1.0, 0.3, 2.7, 0.01, 0.0], items) if seed % 2 else np.ones(items)
    weights[0] += 1.0
    weights = snapped(weights * (items / weights.sum()))
    parameters = TreeParameters(
        int(chance.integers(1, 6)), float(chance.choice([0.05, 0.25, 0.35, 0.5]))
    )
    return codes, classes.astype(np.uint8), weights, n_classes, parameters


@needs_extension
def test_both_ways_grow_the_same_trees(monkeypatch):
    sizes, raised = [], []
    settled = _Task.settled

    def noted(task, node, items):
        raised.append(node)
        return settled(task, node, items)

    monkeypatch.setattr(_Task, "settled", noted)
    for seed in range(examples(2000).max_examples):
        table = random_table(seed)
        native_tree, reference = grow_natively(*table), grow_in_python(*table)
        for name in ("columns", "values", "predicted"):
            assert np.array_equal(getattr(native_tree, name), getattr(reference, name)), seed
        sizes.append(len(reference.columns))
    assert max(sizes) > 40
    assert raised
    assert sum(size > 1 for size in sizes) > len(sizes) / 3


@needs_extension
def test_both_ways_grow_the_same_large_tree():
    chance = np.random.default_rng(5)
    classes = chance.integers(0, 12, 4000).astype(np.uint8)
    tops = chance.choice([1, 4, 50], 12)
    codes = np.array(
        [
            np.minimum(
                np.where(chance.random(4000) < 0.3, classes, chance.integers(0, 12, 4000)), t
            )
            for t in tops
        ],
        np.uint8,
    )
    args = codes, classes, np.ones(4000), 12, TreeParameters(5, 0.35)
    found, expected = grow_natively(*args), grow_in_python(*args)
    assert len(expected.columns) > 200
    assert found.columns.tolist() == expected.columns.tolist()
    assert found.values.tolist() == expected.values.tolist()


@pytest.mark.parametrize("way", WAYS)
def test_the_order_of_items_and_the_machine_do_not_matter(way):
    codes, classes, weights, n_classes, parameters = random_table(7)
    tree = way(codes, classes, weights, n_classes, parameters)
    order = np.random.default_rng(0).permutation(len(classes))
    other = way(
        np.ascontiguousarray(codes[:, order]), classes[order], weights[order], n_classes, parameters
    )
    assert (other.columns == tree.columns).all()
    assert (other.values == tree.values).all()
    assert (other.predicted == tree.predicted[order]).all()


@pytest.mark.parametrize("way", WAYS)
def test_a_chain_of_many_levels_ends(way):
    # Each level could part off one more class.
    classes = np.repeat(np.arange(120), 2).astype(np.uint8)
    codes = classes[None, :].copy()
    tree = way(codes, classes, np.ones(240), 120, TreeParameters(1, 0.5))
    most, above = 0, []
    for column in tree.columns.tolist():
        most = max(most, len(above) + 1)
        if column != LEAF:
            above.append(False)
            continue
        while above and above[-1]:
            above.pop()
        if above:
            above[-1] = True
    assert 5 < most <= 64
    assert (tree.predicted == classes).mean() > 0.5
