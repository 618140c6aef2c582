"""Characters: how much of the PHI is covered, whatever the labels and the ends of spans.

Every code point inside a span counts, including white space. A character counts as found if it
would be removed: by the cover if the predicted documents state it, else by the predicted spans.
"""

from __future__ import annotations

from .comparison import Comparison, count_by_document
from .scores import DocumentCounts


def count_characters(comparison: Comparison) -> DocumentCounts:
    """Code points by document: gold and removed, removed only, gold only."""
    gold, removed = comparison.covered(comparison.gold), comparison.removed
    tp, fp, fn = (
        count_by_document(flags, comparison.text_offsets)[:, None]
        for flags in (gold & removed, ~gold & removed, gold & ~removed)
    )
    return DocumentCounts(tp, fp, fn, None)
