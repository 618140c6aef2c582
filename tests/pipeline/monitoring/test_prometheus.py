"""Prometheus' text format, read back by Prometheus' own parser."""

import math

import pytest
from prometheus_client.parser import text_string_to_metric_families
from scrubline.pipeline.monitoring.prometheus import Gauge, gauge, labelled, rendered, value_in


def parsed(text):
    """name -> {labels: value}, of what a strict reader understands."""
    families = list(text_string_to_metric_families(text))
    assert all(family.type == "gauge" and family.documentation for family in families)
    return {
        family.name: {tuple(sorted(s.labels.items())): s.value for s in family.samples}
        for family in families
    }


def test_gauges_come_back():
    hostile = 'a "quoted" \\ back\nslash, {brace}='
    text = rendered(
        [
            gauge("rows", "How many.\nTwo lines \\ of it.", 12),
            gauge("unknown", "Left out.", None),
            labelled("spans", "By label.", "label", {"DATE": 1.5, hostile: 2, "é🙂": 3}),
            gauge("odd", "Odd.", math.inf),
            Gauge("info", "Two labels.", (((("a", "1"), ("b", "")), 1),)),
        ]
    )
    assert parsed(text) == {
        "scrubline_rows": {(): 12},
        "scrubline_spans": {
            (("label", "DATE"),): 1.5,
            (("label", hostile),): 2,
            (("label", "é🙂"),): 3,
        },
        "scrubline_odd": {(): math.inf},
        "scrubline_info": {(("a", "1"), ("b", "")): 1},
    }
    assert text.endswith("\n") and "unknown" not in text


@pytest.mark.parametrize("number", [0, 1, -2.5, 1e-9, 1.7953763746e9, 12345678901234])
def test_numbers_are_exact(number):
    text = rendered([gauge("n", "N.", number)])
    assert parsed(text)["scrubline_n"] == {(): number}
    assert value_in(text, "n") == number


def test_what_is_not_there_is_not_found():
    assert value_in(rendered([gauge("rows_in", "R.", 1)]), "rows") is None
    assert value_in("scrubline_rows many\n", "rows") is None


def test_a_name_comes_once_and_is_one():
    with pytest.raises(ValueError, match="one name"):
        rendered([gauge("a", "A.", 1), gauge("a", "A.", 2)])
    for name in ("A", "a-b", "", "1a"):
        with pytest.raises(ValueError, match="not valid"):
            gauge(name, "A.", 1)
