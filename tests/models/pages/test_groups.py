"""Small groups are merged so that neither they nor what is left of a total tells them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.pages.groups import LEAST, merge_small


@pytest.mark.parametrize(
    ("groups", "shown", "merged", "rest"),
    [
        ({}, [], 0, ()),
        ({"a": (5,), "b": (100,)}, ["a", "b"], 0, ()),
        ({"a": (100,), "b": (3,), "c": (2,)}, ["a"], 2, (5,)),
        # Alone it would be the total less the rest: the next smallest joins it.
        ({"a": (100,), "b": (3,), "c": (7,)}, ["a"], 2, (10,)),
        ({"a": (100,), "b": (4,)}, [], 2, (104,)),
        ({"a": (4,)}, [], 1, (4,)),
        # Many spans in one text are one person's.
        ({"a": (40, 1), "b": (9, 9), "c": (50, 50)}, ["c"], 2, (49, 10)),
        ({"a": (0,), "b": (6,)}, ["a", "b"], 0, ()),
    ],
)
def test_by_hand(groups, shown, merged, rest):
    found = merge_small(groups)
    assert (list(found.shown), found.merged, found.rest) == (shown, merged, rest)


@given(st.dictionaries(st.text(max_size=3), st.tuples(st.integers(0, 30), st.integers(0, 30))))
def test_laws(groups):
    found = merge_small(groups)
    assert all(not 0 < n < LEAST for counts in found.shown.values() for n in counts)
    assert list(found.shown) == [name for name in groups if name in found.shown]
    assert len(found.shown) + found.merged == len(groups)
    whole = [sum(column) for column in zip(*groups.values(), strict=True)]
    told = [sum(column) for column in zip(*found.shown.values(), strict=True)] or [0, 0]
    rest = found.rest or (0, 0)
    assert [a + b for a, b in zip(told, rest, strict=True)] == (whole or [0, 0])
    # Only where nothing is left to join can they be few.
    assert not found.is_few or not any(any(counts) for counts in found.shown.values())
