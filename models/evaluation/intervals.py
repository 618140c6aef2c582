"""Bootstrap intervals over documents, and Wilson's interval where resamples do not vary.

Sources: Efron and Tibshirani 1993, "An Introduction to the Bootstrap", ch. 13 (percentile
interval). Wilson 1927, "Probable inference, the law of succession, and statistical inference",
Journal of the American Statistical Association 22:209-212 (score interval of a proportion). Whole
documents are drawn, because the errors within a document depend on each other.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats, Ints

Values = TypeVar("Values", Ints, Floats)

_QUANTILES = (0.025, 0.975)
_NORMAL = 1.959963984540054
"""The standard normal distribution's quantile at 0.975."""

_EQUAL = 1e-9
"""Smaller differences between resamples are rounding, not variance."""

_DRAWN_AT_ONCE = 1 << 22


@dataclasses.dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % confidence interval; see `interval`."""

    low: float
    high: float


@dataclasses.dataclass(frozen=True, slots=True)
class Resampling:
    """How often documents are resampled, and with which seed.

    Every metric draws the same documents, so the metrics of a report can be compared.

    Attributes:
        resamples: 0 for no intervals.
        seed: of numpy's PCG64.
    """

    resamples: int = 1000
    seed: int = 0

    def sums(self, values: Values) -> Values:
        """Sums over documents drawn with replacement.

        Args:
            values: one row per document, counts or floats.

        Returns:
            One row per resample, with the columns of `values`; no rows without documents.
        """
        documents, columns = values.shape
        if documents == 0:
            return np.zeros((0, columns), values.dtype)
        generator = np.random.Generator(np.random.PCG64(self.seed))
        step = max(1, _DRAWN_AT_ONCE // documents)
        chunks = [np.zeros((0, columns), values.dtype)]
        for begin in range(0, self.resamples, step):
            rows = min(step, self.resamples - begin)
            drawn = generator.integers(documents, size=(rows, documents))
            drawn += np.arange(rows)[:, None] * documents
            times = np.bincount(drawn.ravel(), minlength=rows * documents)
            # Floats run on BLAS, and sums of integers below 2**53 are exact in any order.
            product = times.reshape(rows, documents).astype(np.float64) @ values.astype(np.float64)
            chunks.append(product.astype(values.dtype))
        return np.concatenate(chunks)


def interval(
    values: Floats, documents: int, *, least: float = 0.0, most: float = 1.0
) -> Interval | None:
    """The interval of a number, from its value in each resample; NaN (undefined) is left out.

    If all resamples give the same number, their middle 95 % would claim certainty; but no error in
    one document, or in ten, says little about the next one. At most a share u of documents may
    then differ from those seen, where u is the upper end of Wilson's interval of 0 out of
    `documents`, and each moves the number at most to `least` or `most`. For a share of 0 or 1 this
    is Wilson's interval.

    Args:
        values: one number per resample.
        documents: how many documents could have changed the number.
        least, most: the range of the number.

    Returns:
        None if the number is defined in no resample.
    """
    defined = values[~np.isnan(values)]
    if len(defined) == 0:
        return None
    low, high = np.quantile(defined, _QUANTILES).tolist()
    if float(defined.max() - defined.min()) > _EQUAL:
        return Interval(low, high)
    value, unseen = float(defined[0]), wilson(0, max(1, documents)).high
    return Interval(value - unseen * (value - least), value + unseen * (most - value))


def wilson(count: int, of: int) -> Interval:
    """Wilson's 95 % score interval of a proportion, without continuity correction.

    Raises:
        ValueError: unless 0 <= count <= of and of > 0.
    """
    if not 0 <= count <= of or of < 1:
        raise ValueError(f"wilson: expected 0 <= count <= of and of > 0, got {count} of {of}")
    share, squared = count / of, _NORMAL * _NORMAL
    centre = share + squared / (2 * of)
    half = _NORMAL * math.sqrt(share * (1 - share) / of + squared / (4 * of * of))
    low, high = ((centre + side * half) / (1 + squared / of) for side in (-1, 1))
    # Exact at the ends, despite rounding.
    return Interval(0.0 if count == 0 else low, 1.0 if count == of else high)


def ratio(numerators: npt.ArrayLike, denominators: npt.ArrayLike) -> Floats:
    """Quotients, NaN where the denominator is 0."""
    below = np.asarray(denominators, np.float64)
    quotients: Floats = np.asarray(numerators, np.float64) / np.where(below == 0, np.nan, below)
    return quotients


def sign_p(differences: Floats) -> float | None:
    """Two-sided p of "no difference", from the sign of the difference in each resample.

    It is twice the share of resamples on the rarer side of 0; those at 0 count on both sides. One
    is added to numerator and denominator, so p is never 0 (Davison and Hinkley 1997, "Bootstrap
    Methods and their Application", section 4.2). NaN is left out.

    Returns:
        None if the difference is defined in no resample.
    """
    defined = differences[~np.isnan(differences)]
    if len(defined) == 0:
        return None
    rarer = min(int((defined <= 0).sum()), int((defined >= 0).sum()))
    return min(1.0, 2 * (rarer + 1) / (len(defined) + 1))
