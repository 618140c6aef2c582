"""HIDE's token scores: BIO tags of tokens, with and without true negatives, and their confusions.

Source: Gardner et al. 2010, "An Evaluation of Feature Sets and Sampling Techniques for
De-identification of Medical Records", sections 5.3 and 6, Tables 3 and 4. The paper's matrix counts
white space as tokens, its scores with true negatives do not; here there is a matrix of either.
"""

from __future__ import annotations

import numpy as np

from ..core.arrays import Flags, Ints
from ..crf.codec import OUTSIDE
from ..text.plain import with_blanks
from ..text.segmentation import ItemBounds
from .comparison import Comparison
from .conll import item_tags
from .matrices import Cells
from .scores import DocumentCounts
from .strict import tally_rows


def count_tags(comparison: Comparison) -> DocumentCounts:
    """Tokens by document and tag except O: prefix (`B-` or `I-`) and label must both be correct."""
    cells = find_confusions(comparison)
    outside = cells.row_names.index(OUTSIDE)
    names = tuple(name for name in cells.row_names if name != OUTSIDE)

    def rows(tags: Ints) -> list[tuple[int, ...]]:
        tokens = np.flatnonzero(tags != outside)
        columns = (cells.documents[tokens], tokens, tags[tokens])
        return list(zip(*(column.tolist() for column in columns), strict=True))

    # O is last, so the indexes of the other tags are those of `names`.
    return tally_rows(comparison, rows(cells.rows), rows(cells.columns), names)


def count_with_negatives(comparison: Comparison) -> DocumentCounts:
    """The same, but a token that is correctly O also counts as a true positive."""
    cells = find_confusions(comparison)
    outside = cells.row_names.index(OUTSIDE)
    equal = cells.rows == cells.columns

    def by_document(flags: Flags) -> Ints:
        counts = np.bincount(cells.documents[flags], minlength=len(comparison))
        return counts.astype(np.int64)[:, None]

    return DocumentCounts(
        by_document(equal),
        by_document(~equal & (cells.columns != outside)),
        by_document(~equal & (cells.rows != outside)),
        None,
    )


def find_confusions(comparison: Comparison) -> Cells:
    """The true tag (row) and the predicted one (column) of each token; O is the last."""
    tokens = comparison.tokens
    return _confusions(comparison, ItemBounds(tokens.document_offsets, tokens.starts, tokens.ends))


def find_confusions_with_blanks(comparison: Comparison) -> Cells:
    """The same of tokens and of white space between them in a line, as in Tables 3 and 4."""
    return _confusions(comparison, with_blanks(comparison.texts, comparison.tokens))


def _confusions(comparison: Comparison, items: ItemBounds) -> Cells:
    gold, predicted = (
        [tag for tags in item_tags(comparison, side, items) for tag in tags]
        for side in (comparison.gold, comparison.predicted)
    )
    names = (*sorted({*gold, *predicted} - {OUTSIDE}), OUTSIDE)
    number = {name: n for n, name in enumerate(names)}
    documents = np.repeat(
        np.arange(len(comparison), dtype=np.int64), np.diff(items.document_offsets)
    )
    return Cells(
        documents,
        np.array([number[tag] for tag in gold], np.int64),
        np.array([number[tag] for tag in predicted], np.int64),
        names,
        names,
        "true tag",
        "predicted tag",
    )
