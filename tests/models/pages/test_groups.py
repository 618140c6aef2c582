"""Small groups are merged, counts rounded, and no total tells what was merged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.pages.groups import LEAST, merge_small, rounded, told


@pytest.mark.parametrize(
    ("groups", "shown", "merged", "rest"),
    [
        ({}, {}, 0, ()),
        ({"a": (5,), "b": (103,)}, {"a": (5,), "b": (105,)}, 0, ()),
        ({"a": (100,), "b": (3,), "c": (2,)}, {"a": (100,)}, 2, (5,)),
        ({"a": (4,)}, {}, 1, (4,)),
        # Many spans in one text are one person's.
        ({"a": (40, 1), "b": (9, 9), "c": (50, 52)}, {"b": (10, 10), "c": (50, 50)}, 1, (40, 1)),
        ({"a": (0,), "b": (6,)}, {"a": (0,), "b": (5,)}, 0, ()),
    ],
)
def test_by_hand(groups, shown, merged, rest):
    found = merge_small(groups)
    assert (found.shown, found.merged, found.rest) == (shown, merged, rest)


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, "0"),
        (1, "fewer than 5"),
        (4, "fewer than 5"),
        (5, "5"),
        (7, "5"),
        (8, "10"),
        (1234, "1,235"),
    ],
)
def test_counts_in_words(count, words):
    assert told(count) == words


@given(st.dictionaries(st.text(max_size=3), st.tuples(st.integers(0, 30), st.integers(0, 30))))
def test_laws(groups):
    found = merge_small(groups)
    assert all(n % LEAST == 0 for counts in found.shown.values() for n in counts)
    assert list(found.shown) == [name for name in groups if name in found.shown]
    assert len(found.shown) + found.merged == len(groups)


@given(st.lists(st.integers(5, 10_000), min_size=1), st.integers(1, 4))
def test_a_total_less_what_is_shown_leaves_more_than_one_answer(large, small):
    """Others give the same page, but where all counts were rounded as far as can be one way."""
    total = rounded(sum(large) + small)
    least = sum(max(rounded(n) - 2, LEAST) for n in large)
    most = sum(rounded(n) + 2 for n in large)
    answers = {
        hidden
        for hidden in range(1, LEAST)
        if any(rounded(rest + hidden) == total for rest in range(least, most + 1))
    }
    errors = {n - rounded(n) for n in large}
    one_way = errors in ({2}, {-2}) or LEAST in large and errors <= {0, -2}
    assert small in answers and (len(answers) > 1 or one_way and small in (1, LEAST - 1))
