"""Predictions from invented timings: pure functions."""

import dataclasses
import json
import re
from pathlib import Path

import pytest
from scrubline.models.core.errors import RunFailed
from scrubline.pipeline.cost_model import (
    COUNTED,
    ActualCost,
    Assumed,
    Basis,
    PlannedWork,
    SamplePiece,
    basis_of,
    compared,
    comparison,
    duration,
    parts_of,
    predict,
    prediction_json,
    table,
)

NOTHING_ELSE = Assumed(efficiency=1.0, group_seconds=0.0, file_seconds=0.0, core_hour_price=0.1)


def piece(size=1000, seconds=2.0, **counts):
    return SamplePiece(size, seconds, {name: counts.get(name, 0) for name in COUNTED})


def basis(*pieces, work=None, assumed=NOTHING_ELSE, written=None, cores=4, start=5.0):
    return basis_of(
        pieces,
        work or PlannedWork(bytes=100_000, units=10, largest_bytes=10_000),
        written=written or {},
        start_seconds=start,
        memory_bytes=300,
        seed=7,
        cores=cores,
        assumed=assumed,
    )


def test_pieces_that_are_all_alike_are_scaled_up():
    found = basis(
        piece(rows=2, documents=2, tokens=50, spans=4, quarantined=1),
        piece(rows=2, documents=2, tokens=50, spans=4, quarantined=1),
        written={"audit": 100, "data": 1600},
    )
    predicted = predict(found, 1)
    assert predicted.counts == {
        **{"rows": 200, "documents": 200, "tokens": 5000},
        **{"spans": 400, "quarantined": 100},
    }
    assert predicted.seconds == 5.0 + 100_000 * 0.002
    assert predicted.output_bytes == 85_000
    assert predicted.error == 0
    assert predicted.core_hours == pytest.approx(205 / 3600)
    assert predicted.cost == pytest.approx(0.1 * 205 / 3600)


def test_start_is_counted_apart_from_throughput():
    slow, fast = basis(piece(), start=50.0), basis(piece(), start=5.0)
    assert predict(slow, 4).seconds - predict(fast, 4).seconds == 45.0


def test_half_of_the_bytes_in_huge_documents_is_half_of_the_sample():
    # 1 MB in one document of 1 MB, 1 MB in 1,000 of 1 kB: drawn by bytes, each as often.
    work = PlannedWork(bytes=2_000_000, units=2, largest_bytes=1_000_000)
    pieces = [piece(1_000_000, 100.0, documents=1), piece(10_000, 3.0, documents=10)] * 3
    predicted = predict(basis(*pieces, work=work), 1)
    assert predicted.counts["documents"] == 1001  # and not 2e6 * 33 / 3.03e6 = 22
    assert predicted.seconds == pytest.approx(5 + 100 + 300)


def test_workers_share_the_work_at_the_efficiency_assumed():
    assumed = dataclasses.replace(NOTHING_ELSE, efficiency=0.8)
    found = basis(piece(), assumed=assumed)
    alone = predict(found, 1).seconds - 5
    assert predict(found, 0) == predict(found, 1)
    assert predict(found, 4).seconds == pytest.approx(5 + alone / (4 * 0.8))
    assert predict(found, 16).seconds == predict(found, 4).seconds  # four cores
    assert predict(found, 16).core_hours > predict(found, 4).core_hours


def test_the_largest_unit_is_the_least_that_is_waited_for():
    work = PlannedWork(bytes=100_000, units=2, largest_bytes=90_000)
    assert predict(basis(piece(), work=work), 4).seconds == 5 + 90_000 * 0.002


def test_files_and_groups_take_their_time():
    assumed = dataclasses.replace(NOTHING_ELSE, file_seconds=0.5, group_seconds=3.0)
    work = PlannedWork(bytes=100_000, units=100, largest_bytes=1000)
    predicted = predict(basis(piece(rows=1), work=work, assumed=assumed), 1)
    assert predicted.parts == 300
    assert predicted.seconds == 5 + 200 + 300 * 0.5 + 2 * 3.0


@pytest.mark.parametrize(
    ("work", "rows", "quarantined", "files"),
    [
        (PlannedWork(10, 0, 0), 0, 0, 0),
        (PlannedWork(10, 4, 5), 100, 0, 12),
        (PlannedWork(10, 4, 5), 100, 100, 16),
        (PlannedWork(10, 4, 5, files_a_row=True), 100, 0, 108),
        (PlannedWork(10, 4, 5, files_a_row=True), 100, 1, 99 + 8 + 1),
    ],
)
def test_files_of_the_output(work, rows, quarantined, files):
    assert parts_of(work, rows, quarantined) == files


def test_an_open_part_is_held_whole_on_an_object_store():
    local = PlannedWork(bytes=100_000, units=10, largest_bytes=10_000)
    remote = dataclasses.replace(local, remote=True)
    written = {"data": 2000}
    assert predict(basis(piece(), work=local, written=written), 1).memory_bytes == 300
    assert predict(basis(piece(), work=remote, written=written), 1).memory_bytes == 20_300


def test_the_error_is_that_of_the_mean():
    found = basis(piece(seconds=1.0), piece(seconds=3.0))
    assert found.error == pytest.approx(2**0.5 / 2**0.5 / 2)  # stdev 1.41, of two, of 2
    assert basis(piece()).error == 1


def test_an_empty_plan_has_a_prediction():
    found = basis(piece(0, 0.1), work=PlannedWork(0, 0, 0))
    predicted = predict(found, 2)
    assert (predicted.seconds, predicted.parts, predicted.counts["rows"]) == (5.0, 0, 0)
    assert table(found, 2)


def test_a_basis_survives_json_and_nothing_else_is_one():
    found = basis(piece(rows=1), written={"data": 1})
    assert Basis.from_json(json.loads(json.dumps(found.to_json()))) == found
    for wrong in ({}, {**found.to_json(), "rates": 3}, {**found.to_json(), "more": 1}):
        with pytest.raises(RunFailed, match="prediction.json is damaged"):
            Basis.from_json(wrong)


OUTCOME = ActualCost(
    workers=2,
    counts=dict.fromkeys(COUNTED, 120),
    seconds=210.0,
    memory_bytes=0,
    output_bytes=50,
    parts=30,
)


def test_outcome_stands_beside_what_was_predicted_for_as_many_workers():
    found = basis(piece(rows=1))
    rows = {row["quantity"]: row for row in compared(found, OUTCOME)}
    assert rows["rows"] == {"quantity": "rows", "predicted": 100, "outcome": 120, "ratio": 1.2}
    assert rows["seconds"]["predicted"] == 105
    assert rows["seconds"]["ratio"] == 2.0
    assert rows["documents"]["ratio"] is None  # 0 were predicted
    assert rows["memory_bytes"]["outcome"] is None  # nobody could see it
    assert rows["core_hours"]["outcome"] == pytest.approx(2 * 210 / 3600, abs=1e-4)
    json.dumps(list(rows.values()), allow_nan=False)
    lines = comparison(list(rows.values()))
    assert [line for line in lines if line.split() == ["rows", "100", "120", "1.20"]]


def test_of_a_resumed_run_no_time_is_compared():
    rows = compared(basis(piece(rows=1)), dataclasses.replace(OUTCOME, whole=False))
    told_of = {row["quantity"]: row["ratio"] for row in rows}
    assert told_of["rows"] == 1.2
    assert told_of["seconds"] is told_of["cost"] is None


def test_the_table_tells_what_is_assumed():
    text = table(basis(piece(rows=1), cores=2), 4)
    assert "with 4 workers" in text and "with 1 worker" in text
    assert "more workers than cores" in text
    assert "an example" in text and "100% of the speed" in text
    assert max(map(len, text.splitlines())) < 120


def test_json_has_prediction_and_basis():
    value = json.loads(json.dumps(prediction_json(basis(piece(rows=1)), 2), allow_nan=False))
    assert value["prediction"]["workers"] == 2
    assert value["basis"]["assumed"]["efficiency"] == 1.0


@pytest.mark.parametrize(
    ("seconds", "text"), [(3.04, "3.0 s"), (600, "10.0 min"), (36_000, "10.00 h")]
)
def test_durations(seconds, text):
    assert duration(seconds) == text


# -- the table of sizes in the manual

ROOT = Path(__file__).parents[2]
SIZES = [
    [float(cell.replace(",", "").removesuffix(" GB")) for cell in line.strip("| ").split(" | ")]
    for line in re.findall(
        r"^\| [\d,]+ \| .* GB \|$", (ROOT / "docs/operations.md").read_text("utf-8"), re.MULTILINE
    )
]


@pytest.mark.parametrize("row", SIZES, ids=lambda row: f"{row[0]:.0f}")
def test_the_table_of_sizes_is_its_arithmetic(row):
    notes, gigabytes, units, files, one, workers, hours, core_hours, cost, memory, ids = row
    told = (ROOT / "docs/performance.md").read_text("utf-8")
    (figure,) = re.findall(r"([\d,]+) tokens/s with `en-default` and all rules", told)
    speed = float(figure.replace(",", ""))
    assert gigabytes == pytest.approx(notes * 3100 / 1e9, rel=0.01)
    assert units == max(1, round(notes * 3100 / 32e6)) and files == 3 * units
    exact = notes * 890 / speed / 3600
    assert one == pytest.approx(exact, abs=0.006)
    lanes = workers * Assumed().efficiency if workers > 1 else 1
    assert hours == pytest.approx(exact / lanes, abs=0.006)
    assert core_hours == pytest.approx(workers * exact / lanes, abs=0.006)
    assert cost == pytest.approx(workers * exact / lanes * Assumed().core_hour_price, abs=0.006)
    assert memory == pytest.approx(0.6 * workers) and ids == pytest.approx(
        min(notes * 8e-9, 1), abs=0.06
    )


def test_there_are_sizes():
    assert [row[0] for row in SIZES] == [1e4, 1e5, 1e6, 1e7, 1e8, 5e8]
