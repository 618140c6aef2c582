"""Characters: how much of the PHI is covered, whatever the labels and wherever spans are cut.

Every code point inside a span counts, white space too. What counts as found is what would be
removed: the cover where the predicted documents tell it, else the predicted spans.
"""

from __future__ import annotations

from .comparison import Comparison, count_by_document
from .scores import Tally


def count_characters(comparison: Comparison) -> Tally:
    """Code points by document: gold and removed, removed only, gold only."""
    gold, removed = comparison.covered(comparison.gold), comparison.removed
    tp, fp, fn = (
        count_by_document(flags, comparison.text_offsets)[:, None]
        for flags in (gold & removed, ~gold & removed, gold & ~removed)
    )
    return Tally(tp, fp, fn, None)
