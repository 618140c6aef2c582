"""Evaluation: predicted annotations against gold ones.

A new metric is a file here and a line in `METRICS`; reports keep the order of the table.
`docs/evaluation.md` says what each metric means, whose definition it follows and how to read it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from ..core.tokens import Tokens
from ..corpora import COVER, AnnotatedDocument
from ..text.tokenizer import tokenize_documents
from .characters import count_characters
from .clinical import find_destroyed_terms, shipped_terms, term_finder
from .comparison import Comparison, FindTerms, WhatIsKnown, align, count_by_document
from .conll import count_phrases
from .hide import (
    count_tags,
    count_with_negatives,
    find_confusions,
    find_confusions_with_blanks,
)
from .i2b2_2006 import count_words, native_or_2006
from .i2b2_2014 import (
    count_categories,
    count_hipaa_relaxed,
    count_hipaa_strict,
    count_hipaa_tokens,
    count_relaxed,
    count_script_tokens,
)
from .intervals import Interval, Resampling
from .known_names import find_known_names
from .label_sets import label_warnings, native_only
from .leaks import find_leaked_ink, find_leaks
from .matrices import Matrix
from .meddocan import count_merged_spans, count_sensitive_spans, find_leak_score
from .paired import ScoreDifference, difference_lines, differences
from .portions import Share, Shares
from .report import DocumentErrors, Metric, Report
from .scores import Average, Score, Scores
from .stat_deid import find_phi_confusions
from .strict import count_strict_spans
from .token_level import count_tokens, count_tokens_blind
from .wi_deid import find_error_groups, find_extents, find_label_confusions

__all__ = [
    "COVER",
    "METRICS",
    "Average",
    "ScoreDifference",
    "Interval",
    "Matrix",
    "Metric",
    "Report",
    "Resampling",
    "Score",
    "Scores",
    "Share",
    "Shares",
    "compare",
    "difference_lines",
    "differences",
    "evaluate",
    "term_finder",
]


_RELEASE, _ANY = "Release", "Spans and tokens"
_I2B2, _MEDDOCAN = "i2b2", "MEDDOCAN"
_HIDE, _WI_DEID, _STAT_DEID = "HIDE", "Errors (WI-deId)", "Stat De-id"

METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        "documents": Metric("Documents", find_leaks, _RELEASE),
        "character": Metric("Characters, label-blind", count_characters, _RELEASE),
        "token_blind": Metric("Tokens, label-blind", count_tokens_blind, _RELEASE),
        "known_names": Metric(
            "Words of names that the roster knows, removed",
            find_known_names,
            _RELEASE,
            of_roster=True,
        ),
        "clinical": Metric("Clinical terms destroyed", find_destroyed_terms, _RELEASE),
        "strict": Metric("Spans, strict", count_strict_spans, _ANY, labels=True),
        "token": Metric("Tokens", count_tokens, _ANY),
        "conll": Metric("CoNLL phrases", count_phrases, _ANY),
        "i2b2_2014_relaxed": Metric("i2b2 2014 relaxed", count_relaxed, _I2B2),
        "i2b2_2014_token": Metric("i2b2 2014 token", count_script_tokens, _I2B2),
        "i2b2_2014_category": Metric(
            "i2b2 2014 strict by category", count_categories, _I2B2, True, native_only
        ),
        "i2b2_2014_hipaa_strict": Metric(
            "i2b2 2014 HIPAA strict", count_hipaa_strict, _I2B2, lacks=native_only
        ),
        "i2b2_2014_hipaa_relaxed": Metric(
            "i2b2 2014 HIPAA relaxed", count_hipaa_relaxed, _I2B2, lacks=native_only
        ),
        "i2b2_2014_hipaa_token": Metric(
            "i2b2 2014 HIPAA token", count_hipaa_tokens, _I2B2, lacks=native_only
        ),
        "i2b2_2006_token": Metric("i2b2 2006 words", count_words, _I2B2, lacks=native_or_2006),
        "meddocan_leak": Metric("MEDDOCAN leak score", find_leak_score, _MEDDOCAN),
        "meddocan_strict": Metric("MEDDOCAN spans, strict", count_sensitive_spans, _MEDDOCAN),
        "meddocan_merged": Metric("MEDDOCAN spans, merged", count_merged_spans, _MEDDOCAN),
        "hide": Metric("HIDE token tags", count_tags, _HIDE),
        "hide_negatives": Metric("HIDE with true negatives", count_with_negatives, _HIDE),
        "hide_confusion": Metric("HIDE confusion matrix", find_confusions, _HIDE),
        "hide_confusion_blanks": Metric(
            "HIDE confusion matrix, with blanks", find_confusions_with_blanks, _HIDE
        ),
        "phi_confusion": Metric("PHI and non-PHI tokens", find_phi_confusions, _STAT_DEID),
        "error_groups": Metric("Error groups", find_error_groups, _WI_DEID),
        "error_labels": Metric("Labels, gold as predicted", find_label_confusions, _WI_DEID),
        "error_extents": Metric("Extents by label", find_extents, _WI_DEID),
    }
)
"""The table of metrics. `strict` is also i2b2 2014's strict level and MEDDOCAN's sub-track 1."""


def compare(
    gold: Iterable[AnnotatedDocument],
    predicted: Iterable[AnnotatedDocument],
    *,
    ignore: Collection[str] = (),
    label_map: Callable[[str], str | None] | None = None,
    tokenize: Callable[[Sequence[str]], Tokens] = tokenize_documents,
    find_terms: FindTerms | None = None,
    what_is_known: WhatIsKnown | None = None,
    metrics: Collection[str] | None = None,
    resamples: int = 1000,
    seed: int = 0,
) -> Report:
    """Scores predicted annotations against gold ones; the order of documents does not matter.

    Args:
        gold: documents with unique `doc_id`.
        predicted: the same documents with the same texts, matched by `doc_id`. If `meta["cover"]`
            of each lists what would be removed, leaks and label-blind scores use that.
        ignore: labels (after mapping) whose spans are dropped on both sides.
        label_map: applied to the labels of both sides first; None drops a span.
        tokenize: makes the tokens that the token metrics count.
        find_terms: finds the clinical terms of a text; None for the shipped dictionaries.
        what_is_known: of the people of a gold document, for how much of it is removed; None
            without a roster.
        metrics: names in `METRICS` to compute; None for all that the labels allow.
        resamples: bootstrap resamples for the 95 % intervals; 0 for none.
        seed: of the bootstrap.

    Raises:
        UsageError: if the two sides do not hold the same documents; it says how many differ.
    """
    comparison = align(
        *(gold, predicted, tokenize, label_map, ignore, find_terms or _shipped, what_is_known)
    )
    return evaluate(
        comparison, ignore=ignore, metrics=metrics, resampling=Resampling(resamples, seed)
    )


def _shipped(text: str) -> Sequence[tuple[int, int, str]]:
    """Terms of the shipped dictionaries, which are loaded on first use."""
    return shipped_terms()(text)


def evaluate(
    comparison: Comparison,
    *,
    ignore: Collection[str] = (),
    metrics: Collection[str] | None = None,
    resampling: Resampling = Resampling(),  # noqa: B008 - frozen
) -> Report:
    """Computes the metrics of two aligned sides.

    Args:
        comparison: from `align`.
        ignore: the labels that `align` left out, for the report.
        metrics: see `compare`.
        resampling: of the intervals.
    """
    wanted = {
        name: metric
        for name, metric in METRICS.items()
        if (metrics is None or name in metrics)
        and not (metric.of_roster and comparison.known is None)
    }
    labels = comparison.label_names
    left_out = {name: why for name, metric in wanted.items() if (why := metric.lacks(labels))}
    measured = {
        name: metric.measure(comparison) for name, metric in wanted.items() if name not in left_out
    }
    return Report(
        documents=len(comparison),
        characters=int(comparison.text_offsets[-1]),
        tokens=len(comparison.tokens),
        gold_spans=len(comparison.gold),
        predicted_spans=len(comparison.predicted),
        ignored=tuple(sorted(ignore)),
        removed="cover" if comparison.has_cover else "predicted spans",
        resampling=resampling,
        metrics=MappingProxyType(
            {
                name: counts.summary(METRICS[name].title, resampling)
                for name, counts in measured.items()
            }
        ),
        measured=MappingProxyType(measured),
        groups=MappingProxyType({name: METRICS[name].group for name in measured}),
        detailed=frozenset(name for name in measured if METRICS[name].labels),
        left_out=MappingProxyType(left_out),
        errors=_errors(comparison),
        warnings=tuple(
            label_warnings(
                *(
                    [comparison.label_names[label] for label in np.unique(side.labels)]
                    for side in (comparison.gold, comparison.predicted)
                )
            )
        ),
    )


def _errors(comparison: Comparison) -> tuple[DocumentErrors, ...]:
    gold, strict = comparison.covered(comparison.gold), count_strict_spans(comparison).totals()
    columns = (
        comparison.ordinals,
        strict[:, 0] + strict[:, 2],
        strict[:, 2],
        strict[:, 1],
        count_by_document(gold & ~comparison.removed, comparison.text_offsets),
        find_leaked_ink(comparison),
        count_by_document(~gold & comparison.removed, comparison.text_offsets),
    )
    rows = zip(*(np.asarray(column).tolist() for column in columns), strict=True)
    return tuple(sorted((DocumentErrors(*row) for row in rows), key=lambda row: row.ordinal))
