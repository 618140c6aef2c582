import numpy as np
import pytest
from hypothesis import given

from ...examples import examples
from .makers import counts, document, measured, pairs

GOLD = [document("Dr {DOCTOR Ann Lee} on {DATE 3 May} at home.")]
PREDICTED = [document("Dr {PHI Ann} Lee on {PHI 3 May at} home.")]
# Dr non-PHI; Ann PHI; Lee missed; on non-PHI; 3, May PHI; at false; home, "." non-PHI.


def test_by_hand():
    matrix = measured(GOLD, PREDICTED, "phi_confusion")
    assert matrix.row_names == matrix.column_names == ("PHI", "non-PHI")
    assert matrix.counts == ((3, 1), (1, 4))
    scores = matrix.scores()
    assert scores["PHI"] == pytest.approx((3 / 4, 3 / 4, 3 / 4))
    assert scores["non-PHI"] == pytest.approx((4 / 5, 4 / 5, 4 / 5))


def test_rows_are_true_and_columns_predicted():
    missed = measured(GOLD, [document("Dr Ann Lee on 3 May at home.")], "phi_confusion")
    assert missed.counts == ((0, 4), (0, 5))
    assert missed.scores()["PHI"] == (None, 0, 0)
    assert missed.scores()["non-PHI"] == pytest.approx((5 / 9, 1, 10 / 14))


def test_labels_do_not_matter_and_part_of_a_token_suffices():
    gold = [document("{A Ann}-{B Lee} x{C yz}")]
    found = [document("{Z A}nn-{PHI L}ee {Q xyz}")]
    assert measured(gold, found, "phi_confusion").counts == ((3, 0), (0, 1))


@given(pairs())
@examples(50)
def test_it_agrees_with_the_label_blind_tokens(sides):
    gold, predicted = sides
    matrix = measured(gold, predicted, "phi_confusion")
    (tp, fn), (fp, tn) = matrix.counts
    assert (tp, fp, fn) == counts(gold, predicted, "token_blind")
    assert np.sum(matrix.counts) == tp + fp + fn + tn
