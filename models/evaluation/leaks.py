"""Documents: in how many would a reader of the scrubbed text still find PHI.

A document leaks if any character of a gold span is not removed. Where a detector
gives `Ann` and `Lee` for `Ann Lee`, only the blank between them stays; such documents leak like all
others, and how many have no worse leak is told beside.
"""

from __future__ import annotations

import numpy as np

from ..columns import Ints
from .comparison import Comparison, count_by_document
from .portions import Portions


def find_leaks(comparison: Comparison) -> Portions:
    """Which documents leak.

    Returns:
        By name:
        leaked: a gold character is not covered; of all documents.
        leaked_where_phi: the same, of the documents with a gold span.
        leaked_blanks_only: every such character is white space; of all documents.
        clean: no gold character is left; of all documents.
        exact: the predicted spans are the gold ones, labels included; of all documents.
    """
    gold = comparison.covered(comparison.gold)
    left = gold & ~comparison.removed
    leaked = count_by_document(left, comparison.text_offsets) > 0
    has_phi = count_by_document(gold, comparison.text_offsets) > 0
    every = np.ones(len(comparison), np.bool_)
    exact = every.copy()
    wrong = comparison.gold.rows() ^ comparison.predicted.rows()
    exact[[document for document, _, _, _ in wrong]] = False
    return Portions(
        {
            "leaked": (leaked, every),
            "leaked_where_phi": (leaked & has_phi, has_phi),
            "leaked_blanks_only": (leaked & (find_leaked_ink(comparison) == 0), every),
            "clean": (~leaked, every),
            "exact": (exact, every),
        }
    )


def find_leaked_ink(comparison: Comparison) -> Ints:
    """How many characters that are not white space each document leaks."""
    left = comparison.covered(comparison.gold) & ~comparison.removed
    found = np.zeros(len(comparison), np.int64)
    offsets = comparison.text_offsets.tolist()
    for document in np.flatnonzero(count_by_document(left, comparison.text_offsets)).tolist():
        text = comparison.texts[document]
        places = np.flatnonzero(left[offsets[document] : offsets[document + 1]])
        found[document] = sum(not text[place].isspace() for place in places)
    return found
