"""What `report.html` says of drift."""

import collections
import random

import pyarrow as pa
import pytest
from scrubline.pipeline.outputs.history_rows import SCHEMA, night_rows
from scrubline.pipeline.outputs.night_counts import SPANS
from scrubline.pipeline.outputs.output_page import page
from scrubline.pipeline.outputs.page_nights import Nights

from benchmarks.history import night

from .test_output_page import COUNTS, Tables, manifest_of


def section(count, change=lambda number, counts: None, types=("progress",)):
    """The section on drift of so many nights, and the rows of its tables."""
    rows = []
    for number in range(count):
        manifest, counts = night(number, types)
        change(number, counts)
        rows += night_rows(manifest, counts)
    content = page(manifest_of(), COUNTS, Nights(pa.Table.from_pylist(rows, SCHEMA)))
    said = content.decode().split('id="drift"')[1].split("<h2")[0]
    return said, Tables(content).rows["Drift"]


def of_type(counts, name="progress"):
    return counts.types[name]


def test_nights_like_each_other_did_not_drift():
    said, rows = section(12)
    assert "The last night, 2024-01-12, did not drift by: tokens, density of spans, risk." in said
    assert said.count("<figure>") == 3 and 'class="outside"' not in said
    heads = [row for row in rows if row[0] == "day, UTC"]
    assert heads == [["day, UTC", "5%", "25%", "50%", "75%", "95%", "distance", ""]] * 3
    assert rows[1][0] == "2024-01-12" and 0 < float(rows[1][6]) < 0.05 and rows[1][7] == ""
    assert not any("new" in row for row in rows)


def test_another_kind_of_texts_is_told():
    def change(number, counts):
        if number == 11:
            found = of_type(counts).risks
            moved = {risk + 9: texts for risk, texts in found.items()}
            found.clear()
            found.update(moved)

    said, rows = section(12, change)
    assert "The last night, 2024-01-12, drifted by: risk (" in said
    assert said.count('class="outside"') == 1 and "drifted: 2024-01-12." in said
    assert [row[0] for row in rows if row[-1] == "drifted"] == ["2024-01-12"]


def test_risk_is_compared_where_documents_have_one():
    def change(number, counts):
        of_type(counts).risks.clear()

    said, _ = section(8, change)
    assert "did not drift by: tokens, density of spans." in said and "Risk of a text" not in said

    def of_late(number, counts):
        if number < 4:
            of_type(counts).risks.clear()

    said, rows = section(8, of_late)
    assert "did not drift by: tokens, density of spans." in said and "Risk of a text" in said
    assert rows[-1] and ["2024-01-01", "", "", "", "", "", "", ""] in rows


def test_new_types_and_labels_outside_their_band():
    def change(number, counts):
        if number < 9:
            del counts.types["ward"]
        else:
            found = of_type(counts)
            found.labels["DATE"][SPANS] += found.tokens
            del found.labels["AGE"]
            del found.texts_with["AGE"]

    said, rows = section(10, change, ("progress", "ward"))
    assert "Types of notes that no night before had: ward." in said
    told = {row[0]: row for row in rows if len(row) == 4}
    assert told["DATE"][3] == "outside" and "Labels outside their band" in said
    assert "DATE" in said.split("Labels outside their band")[1].split(".")[0]


def test_types_are_not_new_where_none_were_told_before():
    def change(number, counts):
        if number < 9:
            counts.types[None] = counts.types.pop("progress")

    said, _ = section(10, change)
    assert "no night before had" not in said


@pytest.mark.parametrize(("texts", "shown"), [(9, 0), (10, 1), (20, 3), (99, 3), (100, 5)])
def test_quantiles_of_few_texts_are_not_shown(texts, shown):
    def change(number, counts):
        found = of_type(counts)
        draw = random.Random(number)
        found.documents = texts
        found.lengths = collections.Counter(draw.randint(10, 99) for _ in range(texts))

    _, rows = section(1, change)
    assert sum(bool(cell) for cell in rows[1][1:6]) == shown and rows[1][6:] == ["", ""]


def test_little_is_not_compared():
    said, _ = section(5)
    assert "The last night is not compared" in said and "No label was outside" in said
    content = page(manifest_of(), COUNTS).decode()
    assert "begins with the next run" in content.split('id="drift"')[1].split("<h2")[0]
