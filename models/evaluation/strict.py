"""Strict spans: a predicted span is correct if a gold span has the same start, end and label.

Sources: Stubbs et al. 2015, the strict entity level of i2b2 2014; Marimon et al. 2019, "Automatic
De-identification of Medical Texts in Spanish: the MEDDOCAN Track", sub-track 1 (NER).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ..core.arrays import Ints
from .comparison import Comparison
from .scores import DocumentCounts

Row = tuple[int, ...]
"""Anything that one side says of a document: the document first, the label's index last."""


def count_strict_spans(comparison: Comparison) -> DocumentCounts:
    """Spans by document and label; equal spans of one side count once."""
    gold, predicted = comparison.gold.rows(), comparison.predicted.rows()
    return tally_rows(comparison, gold, predicted, comparison.label_names)


def tally_rows(
    comparison: Comparison,
    gold: Iterable[Row],
    predicted: Iterable[Row],
    labels: Sequence[str] | None,
) -> DocumentCounts:
    """Counts the rows of both sides, of the predicted side only and of the gold side only.

    Args:
        comparison: for the number of documents.
        gold, predicted: rows; equal ones count once.
        labels: that the last item of a row is an index of; None if rows have no label.
    """
    truth, found = set(gold), set(predicted)
    return tally_of(len(comparison), labels, truth & found, found - truth, truth - found)


def tally_of(
    documents: int,
    labels: Sequence[str] | None,
    tp: Iterable[Row],
    fp: Iterable[Row],
    fn: Iterable[Row],
) -> DocumentCounts:
    """Counts rows by document and label; for the arguments see `tally_rows`."""
    width = 1 if labels is None else len(labels)

    def table(rows: Iterable[Row]) -> Ints:
        places = [row[0] * width + (0 if labels is None else row[-1]) for row in rows]
        flat = np.bincount(np.array(places, np.int64), minlength=documents * width)
        return flat.astype(np.int64).reshape(documents, width)

    return DocumentCounts(
        table(tp), table(fp), table(fn), None if labels is None else tuple(labels)
    )
