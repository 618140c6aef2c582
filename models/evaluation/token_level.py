"""Tokens: a token has a label if it shares at least one character with a span of that label.

Where spans overlap, a token has several labels, and each counts. One shared character is enough on
either side, so these scores forgive a cut inside a token; those of characters and leaks do not.
"""

from __future__ import annotations

import numpy as np

from ..core.arrays import Flags, Ints
from .comparison import Comparison, count_by_document, covered
from .scores import DocumentCounts


def count_tokens(comparison: Comparison) -> DocumentCounts:
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
    return DocumentCounts(tp, fp, fn, comparison.label_names)


def count_tokens_blind(comparison: Comparison) -> DocumentCounts:
    """Fine tokens by document, label-blind: PHI or not."""
    flags = (comparison.covered(comparison.gold), comparison.removed)
    touched = (touched_by(comparison, characters) for characters in flags)
    tp, fp, fn = (counts[:, None] for counts in _outcomes(comparison, *touched))
    return DocumentCounts(tp, fp, fn, None)


def touched_by(comparison: Comparison, characters: Flags) -> Flags:
    """For each token, whether any of its characters is flagged."""
    before = np.concatenate(([0], np.cumsum(characters, dtype=np.int64)))
    starts, ends = comparison.token_places()
    flags: Flags = before[ends] > before[starts]
    return flags


def _outcomes(comparison: Comparison, gold: Flags, predicted: Flags) -> tuple[Ints, Ints, Ints]:
    offsets = comparison.tokens.document_offsets
    return (
        count_by_document(gold & predicted, offsets),
        count_by_document(~gold & predicted, offsets),
        count_by_document(gold & ~predicted, offsets),
    )
