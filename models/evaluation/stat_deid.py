"""PHI and non-PHI tokens, label-blind: a confusion of two classes, each with its P, R and F.

Source: Tafvizi et al. 2010, "Evaluation" and Table 2; so in Uzuner et al. 2008. There a word is a
word of the gold annotation; here it is a fine token, and is PHI if it shares a character with a
gold span, or with what is removed. The table is easily read the wrong way round, and the paper's
text did: here rows are true classes, columns predicted ones.
"""

from __future__ import annotations

import numpy as np

from .comparison import Comparison
from .matrices import Cells
from .token_level import touched_by

PHI, NON_PHI = "PHI", "non-PHI"


def find_phi_confusions(comparison: Comparison) -> Cells:
    """The true class (row) and the predicted one (column) of each fine token."""
    gold = touched_by(comparison, comparison.covered(comparison.gold))
    predicted = touched_by(comparison, comparison.removed)
    documents = np.repeat(
        np.arange(len(comparison), dtype=np.int64), np.diff(comparison.tokens.document_offsets)
    )
    names = (PHI, NON_PHI)
    return Cells(
        documents,
        (~gold).astype(np.int64),
        (~predicted).astype(np.int64),
        names,
        names,
        "true class",
        "predicted class",
    )
