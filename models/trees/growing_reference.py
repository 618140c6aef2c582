"""The reference of `native/grow.c`: C4.5 on columns of bytes in numpy, the same trees.

Sums of weights are exact, so their order is free; what is not exact (entropies, estimates) is added
up in the order of codes, then classes, as there.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats, Ints
from .arithmetic import entropies, entropy, log2, one_minus_exp

_Bytes = npt.NDArray[np.uint8]

LEAF = 65535
"""In place of the column of a leaf."""

LEVELS = 64
MOST_CODE = 254

LEAST_GAIN = 1e-6
"""A gain of less is none; as in Weka."""

GAIN_SLACK = 1e-3
"""A split may gain so much less than the average; as in Quinlan's program and in Weka."""

ERROR_SLACK = 0.1
"""A smaller tree may be estimated to err so much more; as in Weka."""

_CELLS_AT_ONCE = 1 << 21


@dataclasses.dataclass(frozen=True, slots=True)
class GrowingLimits:
    """What growing and pruning compare with.

    Attributes:
        least: weight of a leaf, at least 1.
        deviations: the normal quantile of 1 - confidence.
        log_confidence: natural logarithm of the confidence.
    """

    least: float
    deviations: float
    log_confidence: float


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class _Node:
    items: Ints
    totals: Floats
    weight: float
    class_: int
    wrong: float
    errors: float
    column: int = LEAF
    threshold: int = 0
    left: _Node | None = None
    right: _Node | None = None


def grow_by_reference(
    codes: _Bytes, classes: _Bytes, weights: Floats, n_classes: int, limits: GrowingLimits
) -> tuple[npt.NDArray[np.uint16], _Bytes, _Bytes]:
    """Grows and prunes a tree; see `growing.GrownTree` for what it gives.

    Args:
        codes: [column, item], at most `MOST_CODE`.
        classes: of the items.
        weights: on the grid.
        n_classes: how many there are.
        limits: see there.
    """
    task = _Task(codes, classes, weights, n_classes, limits)
    root = task.grow(np.arange(len(classes)), 0)
    task.prune(root)
    columns: list[int] = []
    values: list[int] = []
    predicted = np.zeros(len(classes), np.uint8)
    stack = [root]
    while stack:
        node = stack.pop()
        columns.append(node.column)
        if node.left is None or node.right is None:
            values.append(node.class_)
            predicted[node.items] = node.class_
        else:
            values.append(node.threshold)
            stack += [node.right, node.left]
    return np.array(columns, np.uint16), np.array(values, np.uint8), predicted


def leaf_errors(weight: float, wrong: float, limits: GrowingLimits) -> float:
    """The errors that a leaf is estimated to make, of items of a weight, so much of it wrong.

    Pessimistic: the upper bound of a binomial share at the confidence (Quinlan 1993, §4.2), in the
    approximation of Quinlan's program and of Weka.
    """
    return wrong + _added_errors(weight, wrong, limits)


def _added_errors(weight: float, wrong: float, limits: GrowingLimits) -> float:
    if wrong < 1.0:
        none = weight * one_minus_exp(-limits.log_confidence / weight)
        return none if wrong == 0.0 else none + wrong * (_added_errors(weight, 1.0, limits) - none)
    if wrong + 0.5 >= weight:
        return max(weight - wrong, 0.0)
    z, share = limits.deviations, (wrong + 0.5) / weight
    spread = math.sqrt(share / weight - share * share / weight + z * z / (4 * weight * weight))
    bound = (share + z * z / (2 * weight) + z * spread) / (1 + z * z / weight)
    return bound * weight - wrong


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Task:
    codes: _Bytes
    classes: _Bytes
    weights: Floats
    n_classes: int
    limits: GrowingLimits

    def node(self, items: Ints) -> _Node:
        """A leaf."""
        totals: Floats = np.bincount(
            self.classes[items], self.weights[items], self.n_classes
        ).astype(np.float64)
        weight = float(totals.sum())
        class_ = int(totals.argmax())
        wrong = weight - float(totals[class_])
        return _Node(items, totals, weight, class_, wrong, leaf_errors(weight, wrong, self.limits))

    def part(self, node: _Node, items: Ints) -> tuple[Ints, Ints]:
        """Items by the split of a node."""
        left = self.codes[node.column][items] <= node.threshold
        return items[left], items[~left]

    def grow(self, items: Ints, level: int) -> _Node:
        node = self.node(items)
        if level + 1 >= LEVELS or node.wrong == 0.0 or node.weight < 2 * self.limits.least:
            return node
        if (split := self.split(node)) is not None:
            node.column, node.threshold = split
            left, right = self.part(node, items)
            node.left, node.right = self.grow(left, level + 1), self.grow(right, level + 1)
        return node

    def split(self, node: _Node) -> tuple[int, int] | None:
        """Column and threshold of the split with the best ratio of those that gain enough."""
        splits = self.splits(node)
        valid = np.flatnonzero(splits.thresholds >= 0)
        if not len(valid):
            return None
        # One after another, as in C; `sum` would add pairwise.
        average = float(np.cumsum(splits.gains[valid])[-1]) / len(valid)
        enough = valid[splits.gains[valid] >= average - GAIN_SLACK]
        if not len(enough):
            return None
        best = int(enough[splits.ratios[enough].argmax()])
        return best, int(splits.thresholds[best])

    def splits(self, node: _Node) -> _Splits:
        """The best threshold of each column."""
        met = np.flatnonzero(node.totals)
        numbers = np.zeros(self.n_classes, np.int64)
        numbers[met] = np.arange(len(met))
        local, weights = numbers[self.classes[node.items]], self.weights[node.items]
        height = int(self.codes[:, node.items].max(initial=0)) + 1
        columns = max(1, _CELLS_AT_ONCE // (height * len(met)))
        parts = []
        for first in range(0, len(self.codes), columns):
            codes = self.codes[first : first + columns, node.items]
            keys = (np.arange(len(codes))[:, None] * height + codes) * len(met) + local
            cells = np.bincount(
                keys.ravel(), np.tile(weights, len(codes)), len(codes) * height * len(met)
            )
            table: Floats = cells.astype(np.float64).reshape(len(codes), height, len(met))
            parts.append(self.of_columns(node, table, node.totals[met]))
        return _Splits(
            *(np.concatenate([np.zeros(0), *(part[i] for part in parts)]) for i in range(3))
        )

    def of_columns(
        self, node: _Node, cells: Floats, totals: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Thresholds, gains and ratios of columns, from weights by [column, code, class]."""
        least, weight = self.limits.least, node.weight
        every = entropy(weight)
        for total in totals.tolist():
            every -= entropy(total)
        left = np.cumsum(cells, axis=1)
        left_sums = _added_up(entropies(left), 0.0)
        right_terms = entropies(totals - left)
        start = entropies(totals)
        first = float(np.cumsum(start)[-1])
        right_sums = _added_up(right_terms, first, start)
        lefts = left.sum(axis=2)
        rights = weight - lefts
        # A threshold is a code that is met.
        allowed = (cells.sum(axis=2) > 0.0) & (lefts >= least) & (rights >= least)
        parts = entropies(lefts) + entropies(rights)
        gains = np.where(allowed, (every - ((parts - left_sums) - right_sums)) / weight, -np.inf)
        best = gains.argmax(axis=1)
        rows = np.arange(len(cells))
        tried = allowed.sum(axis=1)
        found = gains[rows, best] > 0.0
        gain = np.where(found, gains[rows, best], 0.0)
        gain = gain - log2(np.maximum(tried, 1).astype(np.float64)) / weight
        information = (entropy(weight) - parts[rows, best]) / weight
        found &= (gain > LEAST_GAIN) & (information > 0.0)
        ratio = np.where(found, gain / np.where(found, information, 1.0), 0.0)
        return np.where(found, best, -1), gain, ratio

    def errors_with(self, node: _Node, items: Ints) -> float:
        """Estimated errors of a subtree, were these its items."""
        if node.left is None or node.right is None:
            return self.node(items).errors
        left, right = self.part(node, items)
        return self.errors_with(node.left, left) + self.errors_with(node.right, right)

    def settled(self, node: _Node, items: Ints) -> _Node:
        """A subtree with other items."""
        made = self.node(items)
        if node.left is not None and node.right is not None:
            made.column, made.threshold = node.column, node.threshold
            left, right = self.part(node, items)
            made.left, made.right = self.settled(node.left, left), self.settled(node.right, right)
            made.errors = made.left.errors + made.right.errors
        return made

    def prune(self, node: _Node) -> None:
        """Prunes from the leaves up: a subtree becomes a leaf, or its heavier branch."""
        while node.left is not None and node.right is not None:
            self.prune(node.left)
            self.prune(node.right)
            node.errors = node.left.errors + node.right.errors
            branch = node.left if node.left.weight >= node.right.weight else node.right
            raised = self.errors_with(branch, node.items)
            alone = leaf_errors(node.weight, node.wrong, self.limits)
            if alone <= node.errors + ERROR_SLACK and alone <= raised + ERROR_SLACK:
                node.column, node.left, node.right, node.errors = LEAF, None, None, alone
            elif raised <= node.errors + ERROR_SLACK:
                made = self.settled(branch, node.items)
                for field in dataclasses.fields(made):
                    setattr(node, field.name, getattr(made, field.name))
            else:
                return


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Splits:
    """The best split of each column; a threshold of -1 where there is none."""

    thresholds: Floats
    gains: Floats
    ratios: Floats


def _added_up(terms: Floats, first: float, start: Floats | float = 0.0) -> Floats:
    """Sums of the terms of all classes, behind each code: what has changed is added, in order."""
    count, height, classes = terms.shape
    before = np.concatenate(
        (np.broadcast_to(np.asarray(start), (count, 1, classes)), terms[:, :-1]), axis=1
    )
    steps = (terms - before).reshape(count, height * classes)
    steps = np.concatenate((np.full((count, 1), first), steps), axis=1)
    return np.cumsum(steps, axis=1)[:, classes::classes]
