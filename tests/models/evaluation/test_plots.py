"""Curves: drawn for any numbers, alike each time, and nothing to fetch."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest
from scrubline.models.evaluation.plots import lines, standalone


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
            assert 0 <= x <= 640 and 0 <= y <= 400
    assert standalone(lines(curves, across="x & y", up='"z"'), "a < b") == svg
