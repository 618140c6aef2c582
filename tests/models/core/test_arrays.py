import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.arrays import require_equal_lengths, require_offsets


def test_equal_lengths_are_told():
    assert require_equal_lengths("Rows", a=[1, 2], b=np.zeros(2), c=("x", "y")) == 2
    assert require_equal_lengths("Rows") == 0


def test_unequal_lengths_are_named():
    with pytest.raises(ValueError, match=r"Rows: columns differ in length: \{'a': 2, 'b': 1\}"):
        require_equal_lengths("Rows", a=[1, 2], b=["Smith"])


@pytest.mark.parametrize(
    "offsets", [[], [1, 2], [0, 1], [0, 3, 2], [0, 2, 1, 2], [-1, 2], [0, 2, 3]]
)
def test_bad_row_pointers(offsets):
    with pytest.raises(ValueError, match="Tokens: row pointers must rise from 0 to 2"):
        require_offsets("Tokens", np.array(offsets, np.int64), 2)


@given(st.lists(st.integers(0, 5)))
def test_row_pointers_of_any_lengths_are_good(lengths):
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    require_offsets("Tokens", offsets, sum(lengths))
    with pytest.raises(ValueError, match="row pointers"):
        require_offsets("Tokens", offsets, sum(lengths) + 1)
