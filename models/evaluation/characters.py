"""Characters: how much of the PHI is covered, whatever the labels and wherever spans are cut.

Every code point inside a span counts, white space too.
"""

from __future__ import annotations

from .comparison import Comparison, count_by_document
from .scores import Tally


def count_characters(comparison: Comparison) -> Tally:
    """Code points by document: gold and predicted, predicted only, gold only."""
    gold = comparison.covered(comparison.gold)
    predicted = comparison.covered(comparison.predicted)
    tp, fp, fn = (
        count_by_document(flags, comparison.text_offsets)[:, None]
        for flags in (gold & predicted, ~gold & predicted, gold & ~predicted)
    )
    return Tally(tp, fp, fn, None)
