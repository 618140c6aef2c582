"""Each is compared with what it says, character by character."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.redaction.stretches import (
    Stretch,
    any_set,
    overlap_counter,
    subtract,
    touched,
    union,
)

STRETCHES = st.lists(
    st.tuples(st.integers(0, 20), st.integers(1, 6)).map(lambda pair: (pair[0], sum(pair))),
    max_size=8,
)
DISJOINT = STRETCHES.map(union)


def characters(stretches: list[Stretch] | tuple[Stretch, ...]) -> set[int]:
    return {i for start, end in stretches for i in range(start, end)}


@pytest.mark.parametrize(
    ("stretches", "expected"),
    [
        ([], ()),
        ([(3, 5), (0, 2)], ((0, 2), (3, 5))),
        ([(0, 2), (2, 3)], ((0, 3),)),
        ([(0, 9), (2, 3), (8, 10)], ((0, 10),)),
    ],
)
def test_union(stretches, expected):
    assert union(stretches) == expected


@given(STRETCHES)
def test_a_union_is_of_the_same_characters_and_apart(stretches):
    joined = union(stretches)
    assert characters(joined) == characters(stretches)
    assert all(a[1] < b[0] for a, b in zip(joined, joined[1:], strict=False))


@given(DISJOINT, DISJOINT)
def test_what_is_subtracted_is_gone_and_all_else_is_there(stretches, holes):
    left = subtract(stretches, holes)
    assert characters([row[:2] for row in left]) == characters(stretches) - characters(holes)
    assert left == sorted(left)
    assert all(stretches[at][0] <= start < end <= stretches[at][1] for start, end, at in left)


@given(DISJOINT, st.integers(0, 20), st.integers(1, 6))
def test_touched_are_those_that_overlap(stretches, start, length):
    on = range(*touched(stretches)(start, start + length))
    asked = set(range(start, start + length))
    assert list(on) == [i for i, one in enumerate(stretches) if characters([one]) & asked]


@given(STRETCHES, st.integers(0, 20), st.integers(1, 6))
def test_overlaps_are_counted(stretches, start, length):
    asked = set(range(start, start + length))
    expected = sum(bool(characters([one]) & asked) for one in stretches)
    assert overlap_counter(stretches)(start, start + length) == expected


@given(st.lists(st.booleans(), min_size=8, max_size=8), st.integers(0, 8), st.integers(0, 8))
def test_a_tree_of_flags_says_whether_one_is_set(leaves, low, high):
    flags = bytearray(8) + bytearray(leaves)
    for node in range(7, 0, -1):
        flags[node] = flags[2 * node] | flags[2 * node + 1]
    assert any_set(flags, 8 + low, 8 + high) == any(leaves[low:high])
