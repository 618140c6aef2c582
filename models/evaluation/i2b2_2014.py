"""The scores of the i2b2/UTHealth 2014 de-identification track, as its script computes them.

Source: Stubbs, Kotfila and Uzuner 2015, "Automated systems for the de-identification of
longitudinal clinical narratives", section 3.2, and the rules of its evaluation script
(github.com/kotfic/i2b2_evaluation_scripts). The strict level is in `strict.py`; here are the
relaxed and token levels, the HIPAA subset and the categories. Where the article and the script
differ, the script is followed, since it produced the published numbers. `docs/evaluation.md` lists
its rules.

PHI of unknown kind (`labels.UNKNOWN_KIND`) is no label of the track: all scores here leave its
spans out, on both sides. Label-blind scores count them.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Sequence

import numpy as np

from ..core.arrays import Ints
from ..core.labels import CATEGORIES, SCORED_AS_HIPAA, UNKNOWN_KIND
from .comparison import Comparison, LabelledSpans
from .scores import DocumentCounts
from .strict import Row, count_strict_spans, tally_of, tally_rows

END_TOLERANCE = 2
"""How many characters the end may be off at the relaxed level; the start must be exact."""

_TOKEN = re.compile("[a-zA-Z0-9]+")


def count_relaxed(comparison: Comparison) -> DocumentCounts:
    """Spans with the same start and label whose ends are at most two characters apart.

    The script keeps tags in sets in which such tags are equal. So on each side, longest first as
    our XML writes them, a tag that equals an earlier one is dropped. True positives are the tags of
    a document's smaller set (of the predicted one, if the sizes are equal) that equal one of the
    other set. So two spans may match the same span.
    """
    comparison = _of_known_kind(comparison)
    sides = []
    for spans in (comparison.gold, comparison.predicted):
        documents: list[list[Row]] = [[] for _ in comparison.texts]
        columns = (spans.documents, spans.starts, spans.ends, spans.labels)
        for row in zip(*(column.tolist() for column in columns), strict=True):
            documents[row[0]].append(row)
        sides.append([_distinct(rows) for rows in documents])
    tp: list[Row] = []
    fp: list[Row] = []
    fn: list[Row] = []
    for gold, predicted in zip(*sides, strict=True):
        truth, found = _equal(gold, predicted), _equal(predicted, gold)
        tp += found if len(predicted) <= len(gold) else truth
        fp += set(predicted).difference(found)
        fn += set(gold).difference(truth)
    return tally_of(len(comparison), comparison.label_names, tp, fp, fn)


def count_script_tokens(comparison: Comparison) -> DocumentCounts:
    """Runs of ASCII letters and digits in the spans, each with its offsets and label.

    A span without such a run counts as one empty token at its end.
    """
    comparison = _of_known_kind(comparison)
    gold = _script_tokens(comparison, comparison.gold)
    predicted = _script_tokens(comparison, comparison.predicted)
    return tally_rows(comparison, gold, predicted, comparison.label_names)


def count_hipaa_strict(comparison: Comparison) -> DocumentCounts:
    """`count_strict_spans` of the labels that the script counts as HIPAA's."""
    return count_strict_spans(_only(comparison, SCORED_AS_HIPAA))


def count_hipaa_relaxed(comparison: Comparison) -> DocumentCounts:
    """`count_relaxed` of the same labels."""
    return count_relaxed(_only(comparison, SCORED_AS_HIPAA))


def count_hipaa_tokens(comparison: Comparison) -> DocumentCounts:
    """`count_script_tokens` of the same labels."""
    return count_script_tokens(_only(comparison, SCORED_AS_HIPAA))


def count_categories(comparison: Comparison) -> DocumentCounts:
    """Strict spans summed by category; the label (sub-category) must be correct too."""
    return by_category(count_strict_spans(_of_known_kind(comparison)))


def by_category(counted: DocumentCounts) -> DocumentCounts:
    """The columns of native labels summed by category."""
    labels = counted.labels or ()
    used = [name for name, members in CATEGORIES.items() if set(members) & set(labels)]

    def summed(counts: Ints) -> Ints:
        columns = [
            counts[:, [label in CATEGORIES[name] for label in labels]].sum(axis=1) for name in used
        ]
        return np.array(columns, np.int64).reshape(len(used), len(counts)).T.copy()

    return DocumentCounts(summed(counted.tp), summed(counted.fp), summed(counted.fn), tuple(used))


def _distinct(rows: Sequence[Row]) -> list[Row]:
    kept: list[Row] = []
    ends: dict[tuple[int, int], list[int]] = {}
    for row in sorted(rows, key=lambda row: (row[1], -row[2], row[3])):
        others = ends.setdefault((row[1], row[3]), [])
        if all(abs(row[2] - end) > END_TOLERANCE for end in others):
            others.append(row[2])
            kept.append(row)
    return kept


def _equal(rows: Sequence[Row], others: Sequence[Row]) -> list[Row]:
    """The rows that equal one of the others at the relaxed level."""
    ends: dict[tuple[int, int], list[int]] = {}
    for _, start, end, label in others:
        ends.setdefault((start, label), []).append(end)
    return [
        row
        for row in rows
        if any(abs(row[2] - end) <= END_TOLERANCE for end in ends.get((row[1], row[3]), ()))
    ]


def _script_tokens(comparison: Comparison, spans: LabelledSpans) -> set[Row]:
    tokens: set[Row] = set()
    columns = (spans.documents, spans.starts, spans.ends, spans.labels)
    for document, start, end, label in zip(*(c.tolist() for c in columns), strict=True):
        found = [match.span() for match in _TOKEN.finditer(comparison.texts[document], start, end)]
        tokens.update((document, *place, label) for place in found or [(end, end)])
    return tokens


def _of_known_kind(comparison: Comparison) -> Comparison:
    if UNKNOWN_KIND not in comparison.label_names:
        return comparison
    return _only(comparison, set(comparison.label_names) - {UNKNOWN_KIND})


def _only(comparison: Comparison, labels: Collection[str]) -> Comparison:
    """The comparison, with only the spans of some labels."""
    names = tuple(name for name in comparison.label_names if name in labels)
    numbers = np.array(
        [names.index(name) if name in names else -1 for name in comparison.label_names], np.int64
    )

    def kept(spans: LabelledSpans) -> LabelledSpans:
        mapped = numbers[spans.labels]
        rows = mapped >= 0
        return LabelledSpans(
            spans.documents[rows], spans.starts[rows], spans.ends[rows], mapped[rows]
        )

    return dataclasses.replace(
        comparison,
        label_names=names,
        gold=kept(comparison.gold),
        predicted=kept(comparison.predicted),
    )
