"""Values over nights, and parts of a whole: any numbers give a picture, and the same one twice."""

import datetime
import re
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.plots.nights import (
    LEAST_NIGHTS,
    Night,
    bands,
    is_outside,
    night_curve,
    time_ticks,
)
from scrubline.models.plots.stacks import named_bars, shares, stacked_columns

DAY = datetime.date(2026, 11, 3)


def nights(*values, grain=0.0):
    return [Night(DAY + datetime.timedelta(n), value, grain) for n, value in enumerate(values)]


def texts(drawn):
    return [one.text for one in ElementTree.fromstring(drawn).iter() if one.text]


def test_a_band_comes_from_the_nights_before_alone():
    found = bands(nights(*[10.0] * LEAST_NIGHTS, 99.0, 10.0))
    assert found[:LEAST_NIGHTS] == [None] * LEAST_NIGHTS
    assert found[LEAST_NIGHTS:] == [(9.5, 10.5)] * 2, "one odd night does not widen the next band"
    low, high = bands(nights(8.0, 9.0, 10.0, 11.0, 12.0, 0.0))[-1]
    assert (round(low, 3), round(high, 3)) == (5.552, 14.448)
    assert bands(nights(*[0.0] * 5, 0.3, grain=0.5))[-1] == (0.0, 0.5)
    assert bands(nights(None, 1.0, 1.0, 1.0, 1.0, 1.0))[-1] is None, "four values are too few"
    assert not is_outside(None, (1.0, 2.0)) and not is_outside(3.0, None)
    assert is_outside(2.1, (1.0, 2.0)) and not is_outside(2.0, (1.0, 2.0))


@pytest.mark.parametrize(
    ("last", "names"),
    [
        (DAY, ["3 Nov"]),
        (DAY + datetime.timedelta(3), ["3 Nov", "4 Nov", "5 Nov", "6 Nov"]),
        (datetime.date(2026, 11, 30), ["3 Nov", "10 Nov", "17 Nov", "24 Nov"]),
        (datetime.date(2027, 3, 15), ["Dec 26", "Jan 27", "Feb 27", "Mar 27"]),
        (datetime.date(2029, 12, 31), ["2027", "2028", "2029"]),
    ],
)
def test_time_ticks(last, names):
    assert [name for _, name in time_ticks(DAY, last)] == names


@given(st.dates(), st.integers(0, 200_000))
def test_there_are_some_ticks_and_never_many(first, days):
    last = min(first.toordinal() + days, datetime.date.max.toordinal())
    found = time_ticks(first, datetime.date.fromordinal(last))
    assert len(found) <= 7 and [day for day, _ in found] == sorted({day for day, _ in found})
    assert all(first <= day <= datetime.date.fromordinal(last) for day, _ in found)


values = st.none() | st.floats(0, 1e9).map(lambda value: round(value, 2))


@given(st.lists(st.tuples(values, st.booleans()), min_size=1, max_size=60))
def test_any_nights_make_a_picture_that_fetches_nothing(drawn):
    points = [
        Night(DAY + datetime.timedelta(n), value, 0.1, changed)
        for n, (value, changed) in enumerate(drawn)
    ]
    area = bands(points)
    odd = [is_outside(point.value, band) for point, band in zip(points, area, strict=True)]
    svg = night_curve(points, [area], odd, title="a < b", desc='"c" & d')
    root = ElementTree.fromstring(svg)
    assert [one.text for one in root[:2]] == ["a < b", '"c" & d']
    assert {one.tag for one in root.iter()} <= {
        *("svg", "title", "desc", "line", "text", "polygon", "polyline", "circle", "path")
    }
    assert "fill=" not in svg and "style" not in svg and "url" not in svg and "nan" not in svg
    assert svg.count('class="outside"') == sum(odd)
    assert svg.count('class="change"') == sum(point.changed for point in points)
    for pair in re.findall(r"(-?[\d.]+),(-?[\d.]+)", svg):
        assert 0 <= float(pair[0]) <= 360 and 0 <= float(pair[1]) <= 170
    assert night_curve(points, [area], odd, title="a < b", desc='"c" & d') == svg


def test_stacked_columns_add_up():
    columns = [("2026-11-01", {"a": 3.0, "b": 1.0}), ("2026-11-02", {"a": 2.0})]
    svg = stacked_columns(columns, ["a", "b", "c"], title="t", desc="d")
    heights = {
        name: [float(h) for h in re.findall(rf'height="([\d.]+)" class="{name}"', svg)]
        for name in ("f0", "f1", "f2")
    }
    assert heights == {"f0": [112.5, 75.0, 11.0], "f1": [37.5, 11.0], "f2": [11.0]}
    assert {"2026-11-01", "2026-11-02", "a", "b", "c"} <= set(texts(svg))
    assert "fill=" not in svg
    ElementTree.fromstring(stacked_columns([], [], title="t", desc="d"))


def test_shares_are_told_without_colour():
    svg = shares([("DATE", [1, 1, 2]), ("<x>", [0, 0, 0])], ["r", "m", "b"], title="t", desc="d")
    assert texts(svg).count("25%") == 2 and texts(svg).count("50%") == 1 and "<x>" in texts(svg)
    assert 'class="t1"' in svg and 'class="t2"' in svg, "each part has a texture of its own"
    assert 'class="t0"' not in svg


def test_bars_of_several_plots_have_one_scale():
    wide = [
        float(re.search(r'width="([\d.]+)" height="14.0" class="f0"', svg)[1])
        for svg in (
            named_bars([("a", value)], most=8.0, title="t", desc="d") for value in (8.0, 2.0)
        )
    ]
    assert wide[0] == 4 * wide[1]
    assert "abcdefghijklmno…" in texts(
        named_bars([("abcdefghijklmnopqrst", 1.0)], most=1.0, title="t", desc="d")
    )
