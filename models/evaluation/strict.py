"""Strict spans: a predicted span counts if a gold span has the same start, end and label.

Source: Marimon et al. 2019, "Automatic De-identification of Medical Texts in Spanish: the MEDDOCAN
Track", sub-track 1; the same idea as the strict entity level of i2b2 2014 (Stubbs et al. 2015).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..columns import Ints
from .comparison import Comparison
from .scores import Tally


def count_strict_spans(comparison: Comparison) -> Tally:
    """Spans by document and label; spans of one side that are equal count once."""
    gold, predicted = comparison.gold.rows(), comparison.predicted.rows()
    shape = (len(comparison), len(comparison.label_names))

    def counts(rows: Iterable[tuple[int, int, int, int]]) -> Ints:
        places = [document * shape[1] + label for document, _, _, label in rows]
        flat = np.bincount(np.array(places, np.int64), minlength=shape[0] * shape[1])
        return flat.astype(np.int64).reshape(shape)

    return Tally(
        tp=counts(gold & predicted),
        fp=counts(predicted - gold),
        fn=counts(gold - predicted),
        labels=comparison.label_names,
    )
