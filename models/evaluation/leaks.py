"""Documents: in how many of them a reader of the scrubbed text would still find PHI.

A document leaks if any character of a gold span is not removed. If a detector finds `Ann` and `Lee`
for `Ann Lee`, only the space between them stays; such documents count as leaks, and the number of
documents without any worse leak is reported separately.
"""

from __future__ import annotations

import numpy as np

from ..core.arrays import Ints
from .comparison import Comparison, count_by_document
from .portions import Portions


def find_leaks(comparison: Comparison) -> Portions:
    """Which documents leak.

    Returns:
        By name:
        leaked: a gold character is not covered; of all documents.
        leaked_where_phi: the same, of the documents with a gold span.
        leaked_blanks_only: every uncovered gold character is white space; of all documents.
        clean: every gold character is covered; of all documents.
        exact: the predicted spans equal the gold ones, labels included; of all documents.
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
    """How many characters other than white space each document leaks."""
    left = comparison.covered(comparison.gold) & ~comparison.removed
    found = np.zeros(len(comparison), np.int64)
    offsets = comparison.text_offsets.tolist()
    for document in np.flatnonzero(count_by_document(left, comparison.text_offsets)).tolist():
        text = comparison.texts[document]
        places = np.flatnonzero(left[offsets[document] : offsets[document + 1]])
        found[document] = sum(not text[place].isspace() for place in places)
    return found
