"""Precision, recall and F1 from per-document counts: shared by span, token and character metrics.

A quotient whose denominator is 0 is undefined and is None, never 0 or 1: precision where nothing
was predicted, recall where nothing is gold, F1 where both hold. F1 is 2 TP / (2 TP + FP + FN), so
it is 0 and not undefined where only one side has anything. In means, and only there, an undefined
value counts as 0. There are two means: over the labels that occur on either side, and over the
documents. The latter is the macro level of i2b2 2014: its F1 is that of the mean precision and the
mean recall.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from ..core.arrays import Floats, Ints
from .intervals import Interval, Resampling, interval, ratio
from .tables import aligned, interval_json, ratio_json, shown_interval, shown_ratio

RATIOS = ("precision", "recall", "f1")


@dataclasses.dataclass(frozen=True, slots=True)
class Score:
    """Counts of true positives, false positives and false negatives, and their ratios."""

    tp: int
    fp: int
    fn: int

    @property
    def precision(self) -> float | None:
        """Share of the predicted that is gold."""
        return _quotient(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float | None:
        """Share of the gold that was predicted."""
        return _quotient(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float | None:
        """Harmonic mean of precision and recall."""
        return _quotient(2 * self.tp, 2 * self.tp + self.fp + self.fn)


@dataclasses.dataclass(frozen=True, slots=True)
class Average:
    """Means over labels, or over documents."""

    precision: float
    recall: float
    f1: float


@dataclasses.dataclass(frozen=True, slots=True)
class Intervals:
    """95 % intervals of a score; None where no resample defines it."""

    precision: Interval | None
    recall: Interval | None
    f1: Interval | None


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class DocumentCounts:
    """Per-document counts of one metric.

    Attributes:
        tp, fp, fn: one row per document; one column per label, or a single one if label-blind.
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
            raise ValueError(
                f"DocumentCounts: expected {columns} columns in each table, got {shapes}"
            )

    def totals(self) -> Ints:
        """True positives, false positives and false negatives of each document, over all labels."""
        return np.stack([counts.sum(axis=1) for counts in (self.tp, self.fp, self.fn)], axis=1)

    def summary(self, title: str, resampling: Resampling) -> Scores:
        """Sums over documents, with intervals for everything but the mean over labels."""
        sums = [counts.sum(axis=0).tolist() for counts in (self.tp, self.fp, self.fn)]
        by_label = dict(zip(self.labels or (), map(Score, *sums), strict=self.labels is not None))
        drawn = resampling.sums(np.concatenate([self.tp, self.fp, self.fn], axis=1))
        columns = np.split(drawn, 3, axis=1)
        documents = document_ratios(self.totals())
        means = resampling.sums(documents) / max(1, len(documents))
        mean_intervals = (
            interval(values, len(documents)) for values in (*means.T, harmonic(means))
        )
        return Scores(
            title=title,
            micro=Score(*(sum(counts) for counts in sums)),
            macro=_average(by_label),
            documents=Average(*_with_f1(documents.mean(axis=0))) if len(documents) else None,
            deviations=(
                (float(documents[:, 0].std()), float(documents[:, 1].std()))
                if len(documents)
                else None
            ),
            by_label=MappingProxyType(by_label),
            intervals=_intervals(self.totals().T, [column.sum(axis=1) for column in columns]),
            document_intervals=Intervals(*mean_intervals),
            label_intervals=MappingProxyType(
                {
                    label: _intervals(
                        [counts[:, number] for counts in (self.tp, self.fp, self.fn)],
                        [column[:, number] for column in columns],
                    )
                    for number, label in enumerate(by_label)
                }
            ),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Scores:
    """One metric over all documents.

    Attributes:
        title: what is counted, for people.
        micro: over the counts of all labels together.
        macro: mean over the labels; None if label-blind or without labels.
        documents: mean over the documents, as in the i2b2 2014 script; None without documents.
        deviations: standard deviation over the documents of precision and of recall.
        by_label: sorted by label; empty if label-blind.
        intervals, document_intervals: of `micro` and of `documents`.
        label_intervals: label -> intervals of its score.
    """

    title: str
    micro: Score
    macro: Average | None
    documents: Average | None
    deviations: tuple[float, float] | None
    by_label: Mapping[str, Score]
    intervals: Intervals
    document_intervals: Intervals
    label_intervals: Mapping[str, Intervals]

    def as_json(self) -> dict[str, object]:
        """A JSON object; undefined numbers are null."""
        rows: dict[str, object] = {
            "title": self.title,
            "micro": _score_json(self.micro) | {"intervals": _intervals_json(self.intervals)},
        }
        if self.documents and self.deviations:
            rows["macro_documents"] = _average_json(self.documents) | {
                "precision_deviation": ratio_json(self.deviations[0]),
                "recall_deviation": ratio_json(self.deviations[1]),
                "intervals": _intervals_json(self.document_intervals),
            }
        if self.macro:
            rows["macro"] = _average_json(self.macro)
            rows["by_label"] = {
                label: _score_json(score)
                | {"intervals": _intervals_json(self.label_intervals[label])}
                for label, score in self.by_label.items()
            }
        return rows

    def as_lines(self, *, labels: bool = True) -> list[str]:
        """Plain text: micro, its intervals if any, means, then the labels, most frequent first."""
        table = [(self.title, "P", "R", "F1", "TP", "FP", "FN"), _cells("micro", self.micro)]
        ends = (self.intervals.precision, self.intervals.recall, self.intervals.f1)
        if any(ends):
            table.append(("  95 %", *map(shown_interval, ends), "", "", ""))
        for name, mean in (("macro, documents", self.documents), ("macro, labels", self.macro)):
            if mean:
                means = (mean.precision, mean.recall, mean.f1)
                table.append((f"  {name}", *map(shown_ratio, means), "", "", ""))
        if labels:
            table += [_cells(label, score) for label, score in self.most_frequent_first()]
        return aligned(table)

    def most_frequent_first(self) -> list[tuple[str, Score]]:
        """Labels with their scores, most frequent in gold first."""
        return sorted(self.by_label.items(), key=lambda row: (-row[1].tp - row[1].fn, row[0]))


def document_ratios(totals: Ints) -> Floats:
    """Precision and recall of each document, 0 where undefined, from rows of (TP, FP, FN)."""
    tp, fp, fn = totals.T
    return np.nan_to_num(np.stack([ratio(tp, tp + fp), ratio(tp, tp + fn)], axis=1))


def harmonic(means: Floats) -> Floats:
    """F1 of each row of (precision, recall); 0 where both are 0."""
    precision, recall = means.T
    return np.nan_to_num(ratio(2 * precision * recall, precision + recall))


def _with_f1(means: Floats) -> tuple[float, float, float]:
    precision, recall = means.tolist()
    return precision, recall, float(harmonic(means[None])[0])


def fractions(counts: Sequence[Ints] | Ints) -> list[tuple[Ints, Ints]]:
    """Numerators and denominators of precision, recall and F1, from TP, FP and FN."""
    tp, fp, fn = counts
    return [(tp, tp + fp), (tp, tp + fn), (2 * tp, 2 * tp + fp + fn)]


def _intervals(documents: Sequence[Ints] | Ints, drawn: Sequence[Ints]) -> Intervals:
    """Intervals from TP, FP and FN of each document and of each resample."""
    intervals = (
        interval(ratio(*resampled), int((denominators > 0).sum()))
        for (_, denominators), resampled in zip(fractions(documents), fractions(drawn), strict=True)
    )
    return Intervals(*intervals)


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


def _average_json(average: Average) -> dict[str, object]:
    return {name: ratio_json(getattr(average, name)) for name in RATIOS}


def _intervals_json(intervals: Intervals) -> dict[str, object]:
    return {name: interval_json(getattr(intervals, name)) for name in RATIOS}


def _score_json(score: Score) -> dict[str, object]:
    return {
        **{name: ratio_json(getattr(score, name)) for name in RATIOS},
        "tp": score.tp,
        "fp": score.fp,
        "fn": score.fn,
    }


def _cells(name: str, score: Score) -> tuple[str, ...]:
    ratios = map(shown_ratio, (score.precision, score.recall, score.f1))
    return (f"  {name}", *ratios, *map(str, (score.tp, score.fp, score.fn)))
