"""HIDE's token scores: BIO tags of tokens, with and without true negatives, and their confusions.

Source: Gardner et al. 2010, "An Evaluation of Feature Sets and Sampling Techniques for
De-identification of Medical Records", sections 5.3 and 6, Tables 3 and 4. The paper's matrix counts
blanks as tokens; here tokens are never blank, as in its scores with true negatives.
"""

from __future__ import annotations

import numpy as np

from ..columns import Flags, Ints
from ..crf.codec import OUTSIDE
from .comparison import Comparison
from .conll import token_tags
from .matrices import Cells
from .scores import Tally
from .strict import tally_rows


def count_tags(comparison: Comparison) -> Tally:
    """Tokens by document and tag but O: the tag has to be right, `B-` or `I-` and label."""
    cells = find_confusions(comparison)
    outside = cells.row_names.index(OUTSIDE)
    names = tuple(name for name in cells.row_names if name != OUTSIDE)

    def rows(tags: Ints) -> list[tuple[int, ...]]:
        at = np.flatnonzero(tags != outside)
        columns = (cells.documents[at], at, tags[at])
        return list(zip(*(column.tolist() for column in columns), strict=True))

    # O sorts last, so that the others' indexes are those of `names`.
    return tally_rows(comparison, rows(cells.rows), rows(cells.columns), names)


def count_with_negatives(comparison: Comparison) -> Tally:
    """The same, where a token that is rightly O counts as a true positive as well."""
    cells = find_confusions(comparison)
    outside = cells.row_names.index(OUTSIDE)
    equal = cells.rows == cells.columns

    def by_document(flags: Flags) -> Ints:
        counts = np.bincount(cells.documents[flags], minlength=len(comparison))
        return counts.astype(np.int64)[:, None]

    return Tally(
        by_document(equal),
        by_document(~equal & (cells.columns != outside)),
        by_document(~equal & (cells.rows != outside)),
        None,
    )


def find_confusions(comparison: Comparison) -> Cells:
    """The true tag (row) and the predicted one (column) of each token; O is the last."""
    gold, predicted = (
        [tag for tags in token_tags(comparison, side) for tag in tags]
        for side in (comparison.gold, comparison.predicted)
    )
    names = (*sorted({*gold, *predicted} - {OUTSIDE}), OUTSIDE)
    number = {name: at for at, name in enumerate(names)}
    documents = np.repeat(
        np.arange(len(comparison), dtype=np.int64), np.diff(comparison.tokens.document_offsets)
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
