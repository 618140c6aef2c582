"""Growing one tree of C4.5: the parameters, and the fastest way to do it.

Sources: Quinlan 1993, "C4.5: Programs for Machine Learning", §2.3 (gain ratio), §4.2 (pessimistic
pruning), with the penalty for numeric splits of Quinlan 1996 (JAIR 4, §3); where these leave a
choice, it is that of Weka's J48, which Szarvas et al. 2006 used.

Deviations from J48: no branch is lighter than `least`, whatever the number of classes (J48 asks a
tenth of the weight a class for, up to 25); a node on the 64th level is a leaf; the first collapse
of subtrees that do not err less is left out, since pruning would do it; logarithms, weights and
the normal quantile are in a form that is equal on every machine.
"""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats
from ..core.errors import UsageError
from ..native import extension, warn_if_absent
from .arithmetic import natural_log
from .growing_reference import LEAF, MOST_CODE, GrowingLimits, grow_by_reference

__all__ = [
    "LEAF",
    "MOST_CODE",
    "Bytes",
    "Grow",
    "GrownTree",
    "TreeParameters",
    "grow_in_python",
    "grow_natively",
    "grower",
    "snapped",
]

Bytes = npt.NDArray[np.uint8]


@dataclasses.dataclass(frozen=True, slots=True)
class TreeParameters:
    """How trees are grown.

    Attributes:
        least: weight of a leaf, 1 to a million; weights are 1 an item on average.
        confidence: of pruning, .001 to .5; less prunes more.

    Raises:
        UsageError: if a value is out of range.
    """

    least: int = 5
    confidence: float = 0.35

    def __post_init__(self) -> None:
        if isinstance(self.least, bool) or not isinstance(self.least, int):
            raise UsageError("boosted-trees: least must be a whole number")
        if not 1 <= self.least <= 1_000_000:
            raise UsageError("boosted-trees: least must be from 1 to 1000000")
        if not isinstance(self.confidence, float) or not 0.001 <= self.confidence <= 0.5:
            raise UsageError("boosted-trees: confidence must be a number from 0.001 to 0.5")

    @property
    def limits(self) -> GrowingLimits:
        """The same as numbers of pruning."""
        quantile = 0.0
        if self.confidence < 0.5:
            quantile = statistics.NormalDist().inv_cdf(1.0 - self.confidence)
        return GrowingLimits(float(self.least), quantile, natural_log(self.confidence))


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class GrownTree:
    """A tree, and what it says of the items that it was grown on.

    Attributes:
        columns: of each node in pre-order; `LEAF` of a leaf.
        values: the most code of the left child, which follows its parent; the class of a leaf.
        predicted: the class that it gives each item.
    """

    columns: npt.NDArray[np.uint16]
    values: Bytes
    predicted: Bytes


Grow = Callable[[Bytes, Bytes, Floats, int, TreeParameters], GrownTree]
"""From codes [column, item], classes, weights on the grid and the number of classes to a tree."""


def grower() -> Grow:
    """The fastest way to grow trees; all give the same."""
    if extension() is not None:
        return grow_natively
    warn_if_absent()
    return grow_in_python


def grow_natively(
    codes: Bytes, classes: Bytes, weights: Floats, n_classes: int, parameters: TreeParameters
) -> GrownTree:
    """See `Grow`; by the extension, which lets other threads run."""
    native = extension()
    assert native is not None
    predicted = np.zeros(len(classes), np.uint8)
    limits = parameters.limits
    columns, values = native.grow_tree(
        codes,
        classes,
        weights,
        n_classes,
        limits.least,
        limits.deviations,
        limits.log_confidence,
        predicted,
    )
    return GrownTree(np.frombuffer(columns, np.uint16), np.frombuffer(values, np.uint8), predicted)


def grow_in_python(
    codes: Bytes, classes: Bytes, weights: Floats, n_classes: int, parameters: TreeParameters
) -> GrownTree:
    """See `Grow`; by the reference."""
    return GrownTree(*grow_by_reference(codes, classes, weights, n_classes, parameters.limits))


def snapped(weights: Floats) -> Floats:
    """The weights on a grid so fine that all sums of them are exact, in any order.

    A grid has 2^52 steps for the sum; weights must be 1 an item on average.
    """
    steps = float(2 ** (52 - len(weights).bit_length()))
    return np.rint(weights * steps) / steps
