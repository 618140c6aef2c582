"""Groups of units: small ones together, large ones alone, none left out."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.formats import Locator
from scrubline.models.jobs.plan import Plan, Unit
from scrubline.pipeline.unit_groups import (
    GROUP_BYTES,
    GROUP_UNITS,
    group_length,
    groups_of,
    most_groups,
)

SIZES = st.lists(st.sampled_from([0, 1, 1000, GROUP_BYTES // 3, GROUP_BYTES, 5 * GROUP_BYTES]))


def plan_of(sizes):
    units = [
        Unit(index, str(index), "text", (), (Locator(0, 0, size, size),))
        for index, size in enumerate(sizes)
    ]
    return Plan((), tuple(units))


@pytest.mark.parametrize(
    ("sizes", "most", "expected"),
    [
        ([], GROUP_UNITS, 0),
        ([GROUP_BYTES * 9], GROUP_UNITS, 1),
        ([1, GROUP_BYTES, 1], GROUP_UNITS, 2),
        ([GROUP_BYTES - 1, 0, 1, 1], GROUP_UNITS, 3),
        ([1] * 100, GROUP_UNITS, GROUP_UNITS),
        ([1] * 100, 1000, GROUP_UNITS),
        ([1] * 100, 3, 3),
    ],
)
def test_a_group_ends_with_the_unit_that_fills_it(sizes, most, expected):
    assert group_length(sizes, most) == expected


def test_sizes_are_asked_for_no_further_than_needed():
    sizes = iter([1, GROUP_BYTES, 1, 1])
    assert group_length(sizes) == 2 and list(sizes) == [1, 1]


@given(SIZES, st.randoms(use_true_random=False))
def test_groups_hold_all_units_once_and_in_order(sizes, random):
    plan, units = plan_of(sizes), list(range(len(sizes)))
    random.shuffle(units)
    groups = list(groups_of(plan, units))
    assert list(itertools.chain.from_iterable(groups)) == units
    for group in groups:
        assert 0 < len(group) <= GROUP_UNITS
        assert sum(sizes[unit] for unit in group[:-1]) < GROUP_BYTES


@given(SIZES)
def test_there_are_never_more_groups_than_the_most(sizes):
    count = len(list(groups_of(plan_of(sizes), range(len(sizes)))))
    assert count <= most_groups(len(sizes), sum(sizes)) <= len(sizes)
