"""Classes, and what they tell, against sums that are written out."""

import itertools
import math
from collections import Counter, defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.patient_view.anonymity import (
    CountedTable,
    Distance,
    Requirement,
    generalised,
    least_levels,
    loss_of,
)
from scrubline.models.patient_view.hierarchies import ANY, HIERARCHIES, UNKNOWN, age_band
from scrubline.models.patient_view.occupations import GROUPS
from scrubline.models.patient_view.states import DIVISION_OF, REGION_OF, STATE_OF

CHOSEN = tuple(HIERARCHIES[name] for name in ("age", "sex", "zip3"))
ROW = st.tuples(
    st.sampled_from([UNKNOWN, *(age_band(age) for age in (3, 4, 44, 47, 61, 89, 90, 104))]),
    st.sampled_from([UNKNOWN, "f", "m"]),
    st.sampled_from([UNKNOWN, "021", "022", "038", "941"]),
)
ROWS = st.lists(st.tuples(ROW, st.sampled_from("abcd")), min_size=1, max_size=40)
LEVELS = st.tuples(*(st.integers(0, h.most) for h in CHOSEN))


def table_of(rows):
    return CountedTable.of(CHOSEN, [row for row, _ in rows], {"ill": [what for _, what in rows]})


def classes_of(rows, levels):
    found = defaultdict(list)
    for row, what in rows:
        key = tuple(h.at(v, level) for h, v, level in zip(CHOSEN, row, levels, strict=True))
        found[key].append(what)
    return found


def too_alike(members, need):
    counts = Counter(members)
    share = [count / len(members) for count in counts.values()]
    entropy = -sum(p * math.log(p) for p in share)
    return (
        len(members) < need.k
        or len(counts) < need.l_distinct
        or math.exp(entropy) < need.l_entropy * (1 - 1e-9)
    )


def too_far(members, everybody, need):
    values = sorted({what for one in everybody for what in one})
    total = sum(map(len, everybody))
    whole = Counter(what for one in everybody for what in one)
    counts = Counter(members)
    apart = [counts[v] / len(members) - whole[v] / total for v in values]
    if need.distance is Distance.EQUAL:
        far = sum(map(abs, apart)) / 2
    else:
        # Of values that nobody has any more the places stay.
        far = sum(map(abs, itertools.accumulate(apart))) / max(1, len(values) - 1)
    return far > need.t + 1e-9


def failing(classes, need):
    """How many patients and classes are left out; too far is far from what is released."""
    left = [members for members in classes if not too_alike(members, need)]
    while bad := [members for members in left if too_far(members, left, need)]:
        left = [members for members in left if members not in bad]
    return sum(map(len, classes)) - sum(map(len, left)), len(classes) - len(left)


NEEDS = st.builds(
    Requirement,
    k=st.integers(1, 6),
    suppressed=st.sampled_from([0.0, 0.1, 0.5]),
    l_distinct=st.integers(1, 3),
    l_entropy=st.sampled_from([1.0, 1.5, 2.0]),
    t=st.sampled_from([0.2, 0.5, 1.0]),
    distance=st.sampled_from(list(Distance)),
)


@given(ROWS, LEVELS, NEEDS)
def test_classes_are_those_of_a_slow_sum(rows, levels, need):
    found = generalised(table_of(rows), levels, need)
    expected = classes_of(rows, levels)
    assert sorted(found.sizes.tolist()) == sorted(map(len, expected.values()))
    assert (found.suppressed, found.fails.sum()) == failing(list(expected.values()), need)


@given(ROWS, NEEDS)
def test_the_levels_are_the_least_that_do(rows, need):
    table = table_of(rows)
    allowed = int(need.suppressed * len(rows))
    every = list(itertools.product(*(range(h.most + 1) for h in CHOSEN)))
    fine = [levels for levels in every if generalised(table, levels, need).suppressed <= allowed]
    if not fine:
        with pytest.raises(UsageError, match="no levels do"):
            least_levels(table, need)
        return
    least = min(round(loss_of(CHOSEN, levels), 9) for levels in fine)
    chosen = least_levels(table, need)
    assert chosen.levels == min(
        levels for levels in fine if round(loss_of(CHOSEN, levels), 9) == least
    )


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("age", "60-64", ["60-64", "60-69", "60-89", ANY]),
        ("age", "0-4", ["0-4", "0-9", "0-29", ANY]),
        ("age", "90+", ["90+", "90+", "90+", ANY]),
        ("age", UNKNOWN, [UNKNOWN, UNKNOWN, UNKNOWN, ANY]),
        ("sex", "f", ["f", ANY]),
        ("zip3", "021", ["021", "02*", "0**", ANY]),
        ("state", "MA", ["MA", "New England", "Northeast", ANY]),
        ("state", "PR", ["PR", "elsewhere", "elsewhere", ANY]),
        (
            "profession",
            "education and library",
            ["education and library", "management, business, science and arts", ANY],
        ),
        ("year", "2019", ["2019", "2015-2019", "2010-2019", ANY]),
    ],
)
def test_levels(name, value, shown):
    hierarchy = HIERARCHIES[name]
    assert [hierarchy.at(value, level) for level in range(hierarchy.most + 1)] == shown


def test_each_level_is_coarser_than_the_one_before():
    for hierarchy in HIERARCHIES.values():
        values = {
            "age": [age_band(age) for age in range(100)],
            "year": [str(year) for year in range(1990, 2030)],
            "zip3": [f"{n:03d}" for n in range(0, 1000, 7)],
            "profession": list(GROUPS.values()),
        }.get(hierarchy.name, ["f", "m", "MA", "CA", "TX"])
        for level in range(hierarchy.most):
            above = defaultdict(set)
            for value in values:
                above[hierarchy.at(value, level)].add(hierarchy.at(value, level + 1))
            assert all(len(one) == 1 for one in above.values())


def test_the_fifty_states_and_the_district_have_a_division():
    assert DIVISION_OF.keys() == REGION_OF.keys()
    assert len(DIVISION_OF) == 51
    assert set(STATE_OF.values()) - DIVISION_OF.keys() == {"AS", "GU", "MP", "PR", "VI"}


@pytest.mark.parametrize(
    "wrong", [{"k": 0}, {"l_distinct": 0}, {"l_entropy": 0.5}, {"t": 2}, {"suppressed": -1}]
)
def test_requirements_out_of_range_are_refused(wrong):
    with pytest.raises(UsageError):
        Requirement(**wrong)
