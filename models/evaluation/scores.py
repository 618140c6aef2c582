"""Precision, recall and F1 from per-document counts: shared by span, token and character metrics.

A quotient without a denominator is undefined and is None, never 0 or 1: precision where nothing was
predicted, recall where nothing is gold, F1 where both hold. F1 is 2 TP / (2 TP + FP + FN), so that
it is 0 and not undefined where only one side has anything. The macro level is the mean over the
labels that occur on either side; there, and only there, an undefined value counts as 0.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from ..columns import Ints
from .intervals import Interval, Resampling, interval, ratio
from .tables import aligned, shown_interval, shown_ratio


@dataclasses.dataclass(frozen=True, slots=True)
class Score:
    """Counts of true positives, false positives and false negatives, and what follows from them."""

    tp: int
    fp: int
    fn: int

    @property
    def precision(self) -> float | None:
        """Share of what was predicted that is gold."""
        return _quotient(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float | None:
        """Share of what is gold that was predicted."""
        return _quotient(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float | None:
        """Harmonic mean of precision and recall."""
        return _quotient(2 * self.tp, 2 * self.tp + self.fp + self.fn)


@dataclasses.dataclass(frozen=True, slots=True)
class Average:
    """Means over labels."""

    precision: float
    recall: float
    f1: float


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Per-document counts of one metric.

    Attributes:
        tp, fp, fn: one row a document; one column a label, or one column in all if label-blind.
        labels: names of the columns; None if label-blind.
    """

    tp: Ints
    fp: Ints
    fn: Ints
    labels: tuple[str, ...] | None

    def __post_init__(self) -> None:
        columns = 1 if self.labels is None else len(self.labels)
        if not self.tp.shape == self.fp.shape == self.fn.shape == (len(self.tp), columns):
            shapes = (self.tp.shape, self.fp.shape, self.fn.shape)
            raise ValueError(f"Tally: expected three tables with {columns} columns, got {shapes}")

    def summary(self, title: str, resampling: Resampling) -> Scores:
        """Sums the counts over documents, with intervals for the micro level."""
        sums = [counts.sum(axis=0).tolist() for counts in (self.tp, self.fp, self.fn)]
        by_label = dict(zip(self.labels or (), map(Score, *sums), strict=self.labels is not None))
        micro = np.stack([counts.sum(axis=1) for counts in (self.tp, self.fp, self.fn)], axis=1)
        tp, fp, fn = resampling.sums(micro).T
        return Scores(
            title=title,
            micro=Score(*(sum(counts) for counts in sums)),
            macro=_average(by_label),
            by_label=MappingProxyType(by_label),
            precision_interval=interval(ratio(tp, tp + fp)),
            recall_interval=interval(ratio(tp, tp + fn)),
            f1_interval=interval(ratio(2 * tp, 2 * tp + fp + fn)),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Scores:
    """One metric over all documents.

    Attributes:
        title: what is counted, for people.
        micro: over the counts of all labels together.
        macro: mean over the labels; None if label-blind or without labels.
        by_label: sorted by label; empty if label-blind.
        precision_interval, recall_interval, f1_interval: of `micro`; None if undefined.
    """

    title: str
    micro: Score
    macro: Average | None
    by_label: Mapping[str, Score]
    precision_interval: Interval | None
    recall_interval: Interval | None
    f1_interval: Interval | None

    def as_json(self) -> dict[str, object]:
        """A JSON object; undefined numbers are null."""
        intervals = {
            "precision": self.precision_interval,
            "recall": self.recall_interval,
            "f1": self.f1_interval,
        }
        micro = _score_json(self.micro)
        micro["intervals"] = {
            name: [round(found.low, 6), round(found.high, 6)] if found else None
            for name, found in intervals.items()
        }
        rows: dict[str, object] = {"title": self.title, "micro": micro}
        if self.macro:
            names = ("precision", "recall", "f1")
            rows["macro"] = {name: round(getattr(self.macro, name), 6) for name in names}
            rows["by_label"] = {label: _score_json(score) for label, score in self.by_label.items()}
        return rows

    def as_lines(self) -> list[str]:
        """Plain text: micro with its intervals, macro, then the labels, most frequent first."""
        table = [(self.title, "P", "R", "F1", "TP", "FP", "FN"), _cells("micro", self.micro)]
        intervals = (self.precision_interval, self.recall_interval, self.f1_interval)
        table.append(("  95 %", *map(shown_interval, intervals), "", "", ""))
        if self.macro:
            means = (self.macro.precision, self.macro.recall, self.macro.f1)
            table.append(("  macro", *map(shown_ratio, means), "", "", ""))
        by_gold = sorted(self.by_label.items(), key=lambda row: (-row[1].tp - row[1].fn, row[0]))
        return aligned([*table, *(_cells(label, score) for label, score in by_gold)])


def _average(by_label: Mapping[str, Score]) -> Average | None:
    if not by_label:
        return None
    scores = list(by_label.values())
    return Average(
        sum(score.precision or 0.0 for score in scores) / len(scores),
        sum(score.recall or 0.0 for score in scores) / len(scores),
        sum(score.f1 or 0.0 for score in scores) / len(scores),
    )


def _quotient(numerator: int, denominator: int) -> float | None:
    return numerator / denominator if denominator else None


def _score_json(score: Score) -> dict[str, object]:
    ratios = {name: getattr(score, name) for name in ("precision", "recall", "f1")}
    return {
        **{name: None if value is None else round(value, 6) for name, value in ratios.items()},
        "tp": score.tp,
        "fp": score.fp,
        "fn": score.fn,
    }


def _cells(name: str, score: Score) -> tuple[str, ...]:
    ratios = map(shown_ratio, (score.precision, score.recall, score.f1))
    return (f"  {name}", *ratios, *map(str, (score.tp, score.fp, score.fn)))
