"""Curves: drawn for any numbers, alike each time, and nothing to fetch."""

from __future__ import annotations

import itertools
import math
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.evaluation.intervals import Interval
from scrubline.models.plots.bars import bars, differences_plot
from scrubline.models.plots.curves import lines
from scrubline.models.plots.drawing import COLOURS, names_of, standalone, ticks_of

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    "curves",
    [
        {},
        {"none": []},
        {"one": [(1.0, 2.0)]},
        {"gap": [(1.0, None), (2.0, 3.0)]},
        {"long": [(float(n), 1.0 / (n + 1)) for n in range(100)]},
        {"flat": [(0.0, 1.0), (1.0, 1.0)]},
        {'<&">': [(0.0, -1e9), (5.0, 1e9)], "b": [(2.0, 3.0)]},
        {"tiny": [(0.0, 1e-12), (1e-9, 2e-12)]},
    ],
)
def test_any_lines_make_a_picture_that_fetches_nothing(curves):
    svg = standalone(lines(curves, across="x & y", up='"z"'), "a < b")
    root = ElementTree.fromstring(svg)
    tags = [element.tag.rpartition("}")[2] for element in root.iter()]
    assert tags.count("polyline") == len(curves)
    assert set(tags) <= {"svg", "title", "style", "rect", "text", "line", "circle", "polyline"}
    texts = [element.text for element in root.iter() if element.tag.endswith(("text", "title"))]
    assert {"a < b", "x & y", '"z"', *curves} <= set(texts)
    for line in root.iter("{http://www.w3.org/2000/svg}polyline"):
        for point in line.attrib["points"].split():
            x, y = map(float, point.split(","))
            assert 70 <= x <= 490 and 40 <= y <= 340
    assert standalone(lines(curves, across="x & y", up='"z"'), "a < b") == svg


def test_legend_shows_the_class_of_each_curve():
    curves = {name: [(0.0, n / 10), (1.0, n / 5)] for n, name in enumerate("abcdef")}
    root = ElementTree.fromstring(standalone(lines(curves, across="k"), "t"))
    drawn = [line.attrib["class"] for line in root.iter(f"{SVG}polyline")]
    swatches = [one for one in root.iter(f"{SVG}line") if one.attrib["class"] in drawn]
    assert [one.attrib["class"] for one in swatches] == drawn == [f"k{n}" for n in range(6)]
    places = {text.text: text.attrib for text in root.iter(f"{SVG}text")}
    for name, swatch in zip(curves, swatches, strict=True):
        assert float(places[name]["y"]) == float(swatch.attrib["y1"]) + 4
        assert float(places[name]["x"]) > float(swatch.attrib["x2"])
    [style] = root.iter(f"{SVG}style")
    assert all(
        f".k{n}{{fill:none;stroke:{colour};" in style.text for n, colour in enumerate(COLOURS)
    )


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ([0.8105, 0.8475], ["0.81", "0.82", "0.83", "0.84", "0.85"]),
        ([1, 50], ["0", "10", "20", "30", "40", "50"]),
        ([1, 3], ["1", "2", "3"]),
        ([2, 2], ["1", "2", "3"]),
        ([0.1298, 0.9617], ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        ([-1.0, 0.25], ["-1.0", "-0.8", "-0.6", "-0.4", "-0.2", "0.0", "0.2", "0.4"]),
        ([0, 12000], ["0", "2,000", "4,000", "6,000", "8,000", "10,000", "12,000"]),
        ([], ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
    ],
)
def test_ticks_are_round(values, names):
    assert names_of(ticks_of(values)) == names


@given(st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=5))
def test_ticks_hold_all_values_in_even_steps(values):
    ticks = ticks_of(values)
    span = ticks[-1] - ticks[0]
    assert ticks[0] - 1e-6 * span <= min(values) <= max(values) <= ticks[-1] + 1e-6 * span
    assert 2 <= len(ticks) <= 10
    step = span / (len(ticks) - 1)
    assert all(math.isclose(b - a, step, rel_tol=1e-3) for a, b in itertools.pairwise(ticks))
    mantissa = step / 10.0 ** math.floor(math.log10(step) + 1e-9)
    assert any(math.isclose(mantissa, times, rel_tol=1e-3) for times in (1, 2, 5))


@given(st.lists(st.integers(-1000, 10**6), min_size=1, max_size=5))
def test_ticks_of_counts_are_whole_numbers(counts):
    assert all(tick == int(tick) for tick in ticks_of([float(count) for count in counts]))


def test_points_are_named_and_the_one_in_use_is_ringed():
    curves = {"a": [(0.0, 0.5), (1.0, 0.7)]}
    marks = {"a": [(0.0, 0.5, "bias <1", False), (1.0, 0.7, "bias 2", True)]}
    drawn = standalone(lines(curves, across="k", marks=marks), "t")
    root = ElementTree.fromstring(drawn)
    (ring,) = [circle for circle in root.iter(f"{SVG}circle") if circle.attrib.get("r") == "6"]
    texts = {text.text: text.attrib for text in root.iter(f"{SVG}text")}
    assert float(texts["bias <1"]["x"]) > 70  # to the right of the first point
    assert texts["bias 2"]["text-anchor"] == "end"  # there is no room to its right
    assert float(texts["bias 2"]["x"]) == float(ring.attrib["cx"]) - 10


def test_differences_have_round_ticks_on_both_sides_of_nothing():
    drawn = standalone(differences_plot([("x", 0.0137, Interval(0.0071, 0.0193))]), "t")
    said = [text.text for text in ElementTree.fromstring(drawn).iter(f"{SVG}text")]
    assert said == ["-0.02", "-0.01", "0.00", "+0.01", "+0.02", "x"]


def test_whiskers_are_seen_on_any_bar():
    drawn = bars([("x", [("P", 0.5, Interval(0.4, 0.6))])])
    assert drawn.index('class="halo"') < drawn.index('class="whisker"')
