"""Tokens: a token has a label if it shares at least one character with a span of that label.

Where spans overlap a token has several labels, each counted for itself. One shared character is
enough on either side, so these numbers forgive a cut inside a token; characters and leaks do not.
"""

from __future__ import annotations

import numpy as np

from ..columns import Flags, Ints
from .comparison import Comparison, LabelledSpans, count_by_document, covered
from .scores import Tally


def count_tokens(comparison: Comparison) -> Tally:
    """Fine tokens by document and label."""
    sides = []
    for spans in (comparison.gold, comparison.predicted):
        first, last = comparison.touched_tokens(spans)
        sides.append((spans.labels, first, last))
    size = len(comparison.tokens)
    columns = [
        _outcomes(
            comparison,
            *(
                covered(first[labels == label], last[labels == label], size)
                for labels, first, last in sides
            ),
        )
        for label in range(len(comparison.label_names))
    ]
    # (labels, outcomes, documents) -> three tables (documents, labels)
    table = np.array(columns, np.int64).reshape(len(columns), 3, len(comparison))
    tp, fp, fn = table.transpose(1, 2, 0)
    return Tally(tp, fp, fn, comparison.label_names)


def count_tokens_blind(comparison: Comparison) -> Tally:
    """Fine tokens by document, whatever the label: is it PHI or not."""
    flags = (
        _touched(comparison, comparison.gold),
        _touched(comparison, comparison.predicted),
    )
    tp, fp, fn = (counts[:, None] for counts in _outcomes(comparison, *flags))
    return Tally(tp, fp, fn, None)


def _touched(comparison: Comparison, spans: LabelledSpans) -> Flags:
    return covered(*comparison.touched_tokens(spans), len(comparison.tokens))


def _outcomes(comparison: Comparison, gold: Flags, predicted: Flags) -> tuple[Ints, Ints, Ints]:
    offsets = comparison.tokens.document_offsets
    return (
        count_by_document(gold & predicted, offsets),
        count_by_document(~gold & predicted, offsets),
        count_by_document(gold & ~predicted, offsets),
    )
