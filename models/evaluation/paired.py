"""Two models on the same documents: how much they differ, and whether it may be chance.

Source: Efron and Tibshirani 1993, "An Introduction to the Bootstrap", ch. 13 and 16. Each resample
draws the same documents for both models, so documents that are hard for both favour neither.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np

from ..core.arrays import Floats, Ints
from .intervals import Interval, Resampling, interval, ratio, sign_p
from .portions import Portions
from .report import Report
from .scores import RATIOS, DocumentCounts, fractions
from .tables import aligned, interval_json, ratio_json, shown_interval, shown_ratio

HEADLINE = (
    ("documents", "leaked"),
    ("character", "recall"),
    ("character", "precision"),
    ("character", "f1"),
    ("strict", "recall"),
    ("strict", "precision"),
    ("strict", "f1"),
    ("clinical", "all terms"),
)
"""Metric and score, in the order in which they are shown."""


_NOTES = (
    "  diff: second minus first; 95 % and p: from resamples drawn for both, p from the sign of the",
    "  difference; fewer, more: documents with fewer or more such errors in the second",
)


@dataclasses.dataclass(frozen=True, slots=True)
class ScoreDifference:
    """One score of two models.

    Attributes:
        metric: name in `METRICS`.
        score: "precision", "recall", "f1", or the name of a portion.
        first, second: the score of each; None if undefined.
        interval: 95 % interval of the difference, second minus first.
        p: two-sided, of no difference; see `sign_p`.
        fewer, more: documents in which the second makes fewer or more errors: false positives for
            precision, false negatives for recall, both for F1, the count for a portion.
    """

    metric: str
    score: str
    first: float | None
    second: float | None
    interval: Interval | None
    p: float | None
    fewer: int
    more: int

    @property
    def difference(self) -> float | None:
        """Second minus first."""
        if self.first is None or self.second is None:
            return None
        return self.second - self.first

    def cells(self) -> tuple[str, ...]:
        """Name, both scores, difference, interval, p, fewer and more, formatted for a table."""
        return (
            f"{self.metric} {self.score}",
            shown_ratio(self.first),
            shown_ratio(self.second),
            "-" if self.difference is None else f"{self.difference:+.4f}",
            shown_interval(self.interval, signed=True),
            "-" if self.p is None else f"{self.p:.3f}",
            str(self.fewer),
            str(self.more),
        )

    def as_json(self) -> dict[str, object]:
        """A JSON object; undefined numbers are null."""
        return {
            "metric": self.metric,
            "score": self.score,
            "first": ratio_json(self.first),
            "second": ratio_json(self.second),
            "difference": ratio_json(self.difference),
            "interval": interval_json(self.interval),
            "p": ratio_json(self.p),
            "documents_with_fewer_errors": self.fewer,
            "documents_with_more_errors": self.more,
        }


def differences(first: Report, second: Report) -> tuple[ScoreDifference, ...]:
    """Every score that both reports have, those of `HEADLINE` first.

    Args:
        first, second: of the same documents, and with the same resampling.

    Raises:
        ValueError: if the documents or the resampling differ.
    """
    if first.documents != second.documents or first.resampling != second.resampling:
        raise ValueError("differences: the reports differ in documents or resampling")
    found = {
        (difference.metric, difference.score): difference
        for name in first.measured
        if name in second.measured
        for difference in _of_metric(name, first, second)
    }
    order = {key: place for place, key in enumerate(HEADLINE)}
    keys = sorted(found, key=lambda key: order.get(key, len(order)))
    return tuple(found[key] for key in keys)


def difference_lines(rows: tuple[ScoreDifference, ...]) -> list[str]:
    """Lines of a plain text table: the scores of `HEADLINE`."""
    head = ("Second model against the first", "first", "second", "diff", "95 %", "p")
    table: list[tuple[str, ...]] = [(*head, "fewer", "more")]
    for row in rows:
        if (row.metric, row.score) in HEADLINE:
            name, *cells = row.cells()
            table.append((f"  {name}", *cells))
    return [*aligned(table), *_NOTES]


def _of_metric(name: str, first: Report, second: Report) -> Iterator[ScoreDifference]:
    sides = first.measured[name], second.measured[name]
    if isinstance(sides[0], DocumentCounts) and isinstance(sides[1], DocumentCounts):
        yield from _of_counts(name, (sides[0], sides[1]), first.resampling)
    elif isinstance(sides[0], Portions) and isinstance(sides[1], Portions):
        yield from _of_portions(name, (sides[0], sides[1]), first.resampling)


def _of_counts(
    name: str, sides: tuple[DocumentCounts, DocumentCounts], resampling: Resampling
) -> Iterator[ScoreDifference]:
    values = [_ratios(side.totals().sum(axis=0, keepdims=True))[0] for side in sides]
    drawn = [_ratios(resampling.sums(side.totals())) for side in sides]
    totals = [side.totals().T for side in sides]
    errors = [np.stack([fp, fn, fp + fn], axis=1) for _, fp, fn in totals]
    denominators = [[below for _, below in fractions(side)] for side in totals]
    for column, score in enumerate(RATIOS):
        yield _difference(
            (name, score),
            (values[0][column], values[1][column]),
            drawn[1][:, column] - drawn[0][:, column],
            errors[1][:, column] - errors[0][:, column],
            _either(denominators[0][column], denominators[1][column]),
        )


def _of_portions(
    name: str, sides: tuple[Portions, Portions], resampling: Resampling
) -> Iterator[ScoreDifference]:
    for portion in sides[0].counts:
        if portion not in sides[1].counts:
            continue
        pairs = [np.stack(side.counts[portion], axis=1).astype(np.int64) for side in sides]
        values = [ratio(*pair.sum(axis=0)[:, None]) for pair in pairs]
        drawn = [_rates(resampling, pair) for pair in pairs]
        yield _difference(
            (name, portion),
            (values[0][0], values[1][0]),
            drawn[1] - drawn[0],
            pairs[1][:, 0] - pairs[0][:, 0],
            _either(pairs[0][:, 1], pairs[1][:, 1]),
        )


def _difference(
    key: tuple[str, str],
    values: tuple[float, float],
    drawn: Floats,
    errors: Ints,
    documents: int,
) -> ScoreDifference:
    first, second = (None if np.isnan(value) else float(value) for value in values)
    return ScoreDifference(
        *key,
        first,
        second,
        interval(drawn, documents, least=-1.0),
        sign_p(drawn),
        int((errors < 0).sum()),
        int((errors > 0).sum()),
    )


def _either(first: Ints, second: Ints) -> int:
    """In how many documents either denominator is above 0."""
    return int(((first > 0) | (second > 0)).sum())


def _ratios(counts: Ints) -> Floats:
    return np.stack([ratio(*fraction) for fraction in fractions(counts.T)], axis=1)


def _rates(resampling: Resampling, pair: Ints) -> Floats:
    return ratio(*resampling.sums(pair).T)
