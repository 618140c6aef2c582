from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.training.curves import MOST_POINTS, thinned


@given(st.integers(0, 400))
def test_a_thinned_curve_keeps_its_ends(size):
    curve = [(n + 1, 1000.0 / (n + 1)) for n in range(size)]
    kept = thinned(curve)
    assert len(kept) == min(size, MOST_POINTS)
    assert kept == sorted(kept)
    assert all(tuple(point) in curve for point in kept)
    if size:
        assert kept[0] == list(curve[0]) and kept[-1] == list(curve[-1])
    assert len({point[0] for point in kept}) == len(kept)
