"""Evaluation: predicted annotations against gold ones.

One file a family of metrics, a line for each metric in `METRICS`; reports keep that order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

from ..corpora import AnnotatedDocument
from ..tokenizing import tokenize_documents
from ..tokens import Tokens
from .characters import count_characters
from .comparison import align
from .intervals import Interval, Resampling
from .leaks import Share, Shares, find_leaks
from .report import Metric, Report
from .scores import Average, Score, Scores
from .strict import count_strict_spans
from .token_level import count_tokens, count_tokens_blind

__all__ = [
    "METRICS",
    "Average",
    "Interval",
    "Metric",
    "Report",
    "Resampling",
    "Score",
    "Scores",
    "Share",
    "Shares",
    "compare",
]

METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        "documents": Metric("Documents", find_leaks),
        "character": Metric("Characters, label-blind", count_characters),
        "token_blind": Metric("Tokens, label-blind", count_tokens_blind),
        "token": Metric("Tokens", count_tokens),
        "strict": Metric("Spans, strict", count_strict_spans),
    }
)


def compare(
    gold: Iterable[AnnotatedDocument],
    predicted: Iterable[AnnotatedDocument],
    *,
    ignore: Collection[str] = (),
    label_map: Callable[[str], str | None] | None = None,
    tokenize: Callable[[Sequence[str]], Tokens] = tokenize_documents,
    resamples: int = 1000,
    seed: int = 0,
) -> Report:
    """Scores predicted annotations against gold ones; the order of the documents does not matter.

    Args:
        gold: documents with unique `doc_id`.
        predicted: the same documents with the same texts, matched by `doc_id`.
        ignore: labels (after mapping) whose spans are dropped from both sides.
        label_map: applied to the labels of both sides first; None drops a span.
        tokenize: gives the tokens that the token metrics count.
        resamples: bootstrap resamples for the 95 % intervals; 0 for none.
        seed: of the bootstrap.

    Raises:
        UsageError: if the two sides do not hold the same documents, saying how many differ.
    """
    comparison = align(gold, predicted, tokenize, label_map, ignore)
    resampling = Resampling(resamples, seed)
    return Report(
        documents=len(comparison),
        characters=int(comparison.text_offsets[-1]),
        tokens=len(comparison.tokens),
        gold_spans=len(comparison.gold),
        predicted_spans=len(comparison.predicted),
        ignored=tuple(sorted(ignore)),
        resampling=resampling,
        metrics=MappingProxyType(
            {
                name: metric.measure(comparison).summary(metric.title, resampling)
                for name, metric in METRICS.items()
            }
        ),
    )
