"""The numbers of the i2b2/UTHealth 2014 de-identification track, as its script computes them.

Source: Stubbs, Kotfila and Uzuner 2015, "Automated systems for the de-identification of
longitudinal clinical narratives", section 3.2, and the rules of its evaluation script
(github.com/kotfic/i2b2_evaluation_scripts). Strict is `strict.py`'s; here are relaxed and token,
the subset HIPAA and the categories. Where article and script differ, the script holds: it made the
published numbers. `docs/evaluation.md` lists its rules.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Sequence

import numpy as np

from ..columns import Ints
from ..labels import CATEGORIES
from .comparison import Comparison, LabelledSpans
from .scores import Tally
from .strict import Row, count_strict_spans, tally_of, tally_rows

END_TOLERANCE = 2
"""Characters that the end may be off at the relaxed level; the start may not be off at all."""

HIPAA_LABELS = frozenset(
    {
        "PATIENT",
        "CITY",
        "STREET",
        "ZIP",
        "ORGANIZATION",
        "AGE",
        "DATE",
        "PHONE",
        "FAX",
        "EMAIL",
        "SSN",
        "MEDICALRECORD",
        "HEALTHPLAN",
        "ACCOUNT",
        "LICENSE",
        "VEHICLE",
        "DEVICE",
        "BIOID",
    }
)
"""What the script counts as HIPAA's.

Its list names ID/IDNUM too, but with a blank behind it that no tag has: IDNUM never passes.
"""

_TOKEN = re.compile("[a-zA-Z0-9]+")


def count_relaxed(comparison: Comparison) -> Tally:
    """Spans whose start and label are equal and whose ends are at most two characters apart.

    The script keeps tags in sets in which such tags are equal. So of those of one side, longest
    first as our XML writes them, one that equals an earlier one is dropped; true positives are the
    tags of the smaller set of a document (the predicted one, if none is) that equal one of the
    other. One span may so be matched by two.
    """
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


def count_script_tokens(comparison: Comparison) -> Tally:
    """Runs of ASCII letters and digits in the spans, each with its place and label.

    A span without any counts as one empty token at its end.
    """
    gold = _script_tokens(comparison, comparison.gold)
    predicted = _script_tokens(comparison, comparison.predicted)
    return tally_rows(comparison, gold, predicted, comparison.label_names)


def count_hipaa_strict(comparison: Comparison) -> Tally:
    """`count_strict_spans` of the labels that the script counts as HIPAA's."""
    return count_strict_spans(_only(comparison, HIPAA_LABELS))


def count_hipaa_relaxed(comparison: Comparison) -> Tally:
    """`count_relaxed` of them."""
    return count_relaxed(_only(comparison, HIPAA_LABELS))


def count_hipaa_tokens(comparison: Comparison) -> Tally:
    """`count_script_tokens` of them."""
    return count_script_tokens(_only(comparison, HIPAA_LABELS))


def count_categories(comparison: Comparison) -> Tally:
    """Strict spans summed by category; the label (sub-category) has to be right too."""
    return by_category(count_strict_spans(comparison))


def by_category(tally: Tally) -> Tally:
    """The columns of native labels summed by category."""
    labels = tally.labels or ()
    used = [name for name, members in CATEGORIES.items() if set(members) & set(labels)]

    def summed(counts: Ints) -> Ints:
        columns = [
            counts[:, [label in CATEGORIES[name] for label in labels]].sum(axis=1) for name in used
        ]
        return np.array(columns, np.int64).reshape(len(used), len(counts)).T.copy()

    return Tally(summed(tally.tp), summed(tally.fp), summed(tally.fn), tuple(used))


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


def _only(comparison: Comparison, labels: Collection[str]) -> Comparison:
    """The comparison with the spans of some labels alone."""
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
