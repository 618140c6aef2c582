"""Bootstrap intervals over documents.

Source: Efron and Tibshirani 1993, "An Introduction to the Bootstrap", ch. 13 (percentile interval).
What is drawn is whole documents, because the errors of one document depend on each other.
"""

from __future__ import annotations

import dataclasses
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ..columns import Floats, Ints

Values = TypeVar("Values", Ints, Floats)

_QUANTILES = (0.025, 0.975)
_DRAWN_AT_ONCE = 1 << 22


@dataclasses.dataclass(frozen=True, slots=True)
class Interval:
    """The middle 95 % of a number over the resamples."""

    low: float
    high: float


@dataclasses.dataclass(frozen=True, slots=True)
class Resampling:
    """How often documents are drawn anew, and from which seed.

    The same documents are drawn for every metric, so that metrics of one report can be compared.

    Attributes:
        resamples: 0 for no intervals.
        seed: of numpy's PCG64.
    """

    resamples: int = 1000
    seed: int = 0

    def sums(self, values: Values) -> Values:
        """Sums of what each document has over documents drawn with replacement.

        Args:
            values: one row a document, counts or floats.

        Returns:
            One row a resample, with the columns of `values`; no row if there are no documents.
        """
        documents, columns = values.shape
        if documents == 0:
            return np.zeros((0, columns), values.dtype)
        generator = np.random.Generator(np.random.PCG64(self.seed))
        step = max(1, _DRAWN_AT_ONCE // documents)
        parts = [np.zeros((0, columns), values.dtype)]
        for begin in range(0, self.resamples, step):
            rows = min(step, self.resamples - begin)
            drawn = generator.integers(documents, size=(rows, documents))
            drawn += np.arange(rows)[:, None] * documents
            times = np.bincount(drawn.ravel(), minlength=rows * documents)
            # Floats run on BLAS, and sums of integers below 2**53 are exact in any order.
            product = times.reshape(rows, documents).astype(np.float64) @ values.astype(np.float64)
            parts.append(product.astype(values.dtype))
        return np.concatenate(parts)


def interval(values: Floats) -> Interval | None:
    """The interval of a number from its value in each resample; NaN (undefined there) is left out.

    Returns:
        None if the number is defined in no resample.
    """
    defined = values[~np.isnan(values)]
    if len(defined) == 0:
        return None
    low, high = np.quantile(defined, _QUANTILES).tolist()
    return Interval(low, high)


def ratio(numerators: npt.ArrayLike, denominators: npt.ArrayLike) -> Floats:
    """Quotients, NaN where the denominator is 0."""
    below = np.asarray(denominators, np.float64)
    quotients: Floats = np.asarray(numerators, np.float64) / np.where(below == 0, np.nan, below)
    return quotients


def sign_p(differences: Floats) -> float | None:
    """Two-sided p of "no difference", by the sign of a difference in each resample.

    Twice the share of resamples on the rarer side of 0, those at 0 counted on both; one is added
    above and below, so that it is never 0 (Davison and Hinkley 1997, "Bootstrap Methods and their
    Application", section 4.2). NaN is left out.

    Returns:
        None if the difference is defined in no resample.
    """
    defined = differences[~np.isnan(differences)]
    if len(defined) == 0:
        return None
    rarer = min(int((defined <= 0).sum()), int((defined >= 0).sum()))
    return min(1.0, 2 * (rarer + 1) / (len(defined) + 1))
