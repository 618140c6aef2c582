"""The sample of an estimate: what is drawn, and that all of it is told."""

import dataclasses
import json
from collections import Counter

import pytest
from scrubline.models.formats import FORMATS, Locator
from scrubline.models.jobs.plan import Plan, Unit
from scrubline.models.storage.input_files import InputFile
from scrubline.pipeline.monitoring.sampling import PIECE_BYTES, SampleLimits, drawn, sample
from scrubline.pipeline.options import Options
from scrubline.pipeline.run import prepare

from ..conftest import note
from ..makers import make


def plan_of(*sizes):
    """A unit a tuple of sizes, a file a size."""
    files = [InputFile(f"f{n}", size, "", "") for n, size in enumerate(sum(sizes, ()))]
    units, at = [], 0
    for index, unit in enumerate(sizes):
        locators = tuple(Locator(at + n, 0, size, size) for n, size in enumerate(unit))
        units.append(Unit(index, str(index), "text", (), locators))
        at += len(unit)
    return Plan(tuple(files), tuple(units))


def test_pieces_fall_by_bytes_and_not_by_files():
    plan = plan_of((90_000_000,), *((10_000,),) * 1000)
    units = Counter(
        min(unit, 1) for unit, _, _ in drawn(plan, SampleLimits(bytes=100 * PIECE_BYTES))
    )
    assert units == {0: 90, 1: 10}


def test_a_piece_is_within_its_locator():
    plan = plan_of((3, 0, 400_000), (0,), (1_000_000, 5))
    places = list(drawn(plan, SampleLimits()))
    assert len(places) == (1_400_008) // PIECE_BYTES
    for unit, number, at in places:
        assert 0 <= at < plan.units[unit].locators[number].bytes


def test_the_seed_decides():
    plan = plan_of((90_000_000,), (90_000_000,))
    one, same, other = (list(drawn(plan, SampleLimits(seed=seed))) for seed in (1, 1, 2))
    assert one == same != other
    assert one != sorted(one)  # so that time may be up at any of them
    assert len(one) == 24


def test_nothing_is_drawn_of_nothing():
    assert (
        list(drawn(plan_of(), SampleLimits())) == list(drawn(plan_of((0,)), SampleLimits())) == []
    )


@pytest.fixture
def archive(tmp_path, options):
    """A job over 1.5 MB of notes in two files, one five times the other; rules alone."""
    folder = tmp_path / "archive"
    folder.mkdir()
    for name, first, last in (("a", 0, 5000), ("b", 5000, 6000)):
        lines = [json.dumps(note(n)) for n in range(first, last)]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    return dataclasses.replace(
        options, inputs=(str(folder),), split_bytes=200_000, recognisers=("date", "phone")
    )


@pytest.mark.slow
def test_a_sample_predicts_what_the_whole_holds(storage, archive):
    run = prepare(storage, archive)
    job, plan = run.job, run.plan
    basis = sample(storage, job, plan, SampleLimits(bytes=1_000_000))
    assert (basis.pieces, basis.work.units) == (4, len(plan.units))
    assert basis.rates["rows"] * basis.work.bytes == pytest.approx(6000, rel=0.03)
    assert basis.rates["quarantined"] == 0
    assert basis.output_rates.keys() == {"data", "audit", "documents"}
    assert basis.start_seconds > 0 and basis.memory_bytes > 1e7
    assert storage.list_names(job.output) == []


def test_time_is_bounded_but_one_piece_is_always_looked_at(storage, archive):
    run = prepare(storage, archive)
    job, plan = run.job, run.plan
    assert sample(storage, job, plan, SampleLimits(seconds=-1)).pieces == 1


@pytest.mark.parametrize("form", [n for n, form in FORMATS.items() if not form.traits.record])
def test_every_format_can_be_sampled(storage, options, tmp_path, form):
    rows = [(f"n{n}.txt", f"Seen on 3/{n % 28 + 1}/2019, MRN: {7_000_000 + n}.") for n in range(40)]
    folder = tmp_path / "made"
    for path, data in make(form, "notes", rows)[0].items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    columns = None if form.startswith(("jsonl", "csv", "tsv", "parquet")) else ()
    if columns is None:
        columns = options.columns.parse([("path", "id"), ("text", "text")])
    chosen = dataclasses.replace(
        options,
        inputs=(str(folder),),
        columns=columns or None,
        format=form,
        recognisers=("date",),
    )
    run = prepare(storage, chosen)
    job, plan = run.job, run.plan
    basis = sample(storage, job, plan, SampleLimits())
    assert basis.rates["rows"] * basis.work.bytes == pytest.approx(40, rel=0.05)
    assert basis.rates["spans"] > 0


# -- end to end


def words(options, output):
    return [
        *("--input", *options.inputs, "--output", output, "--key-file", options.key_source),
        *("--model", "none", "--recogniser", "date", "--recogniser", "phone"),
        *(w for n, r in options.columns.roles for w in ("--column", f"{n}={r}")),
    ]


@pytest.mark.slow
def test_a_prediction_is_kept_and_printed_against_the_outcome(scrubline, archive, tmp_path):
    out = tmp_path / "planned"
    code, printed, _ = scrubline("plan", *words(archive, out), "--estimate", "--workers", "2")
    assert code == 0
    assert "estimate from" in printed and "with 2 workers" in printed and "assumed:" in printed
    (kept,) = (out / "restricted").glob("*/prediction.json")
    assert "a.jsonl" not in kept.read_text()
    code, printed, _ = scrubline("resume", "--output", out)
    assert code == 0
    (rows,) = (line.split() for line in printed.splitlines() if line.startswith("  rows "))
    assert 0.95 < float(rows[-1]) < 1.05
    report = json.loads((out / "manifest.json").read_text())["report"]
    told = {row["quantity"]: row for row in report["prediction"]}
    assert told["rows"]["outcome"] == 6000
    assert 0.9 < told["output_bytes"]["ratio"] < 1.1
    assert told["memory_bytes"]["outcome"] > 1e7
    assert told["seconds"]["ratio"] is not None


@pytest.mark.slow
def test_estimate_as_json_and_without_a_trace(scrubline, archive, tmp_path):
    out = tmp_path / "dry"
    command = ["scrub", *words(archive, out), "--dry-run", "--estimate", "--json"]
    code, printed, _ = scrubline(*command, "--core-hour-price", "0.5")
    assert code == 0
    value = json.loads(printed)
    assert value["basis"]["assumed"]["core_hour_price"] == 0.5
    assert value["prediction"]["counts"]["rows"] == pytest.approx(6000, rel=0.05)
    assert not out.exists()


@pytest.mark.slow
def test_scrub_estimates_first_if_asked(scrubline, archive, tmp_path):
    code, printed, _ = scrubline("scrub", *words(archive, tmp_path / "both"), "--estimate")
    assert code == 0
    assert printed.index("estimate from") < printed.index("predicted")


@pytest.mark.slow
def test_without_an_estimate_nothing_is_told_of_one(scrubline, archive, tmp_path):
    code, printed, _ = scrubline("scrub", *words(archive, tmp_path / "plain"))
    assert code == 0 and "predict" not in printed


@pytest.mark.slow
def test_a_damaged_prediction_ends_no_run(scrubline, archive, tmp_path):
    out = tmp_path / "damaged"
    assert scrubline("plan", *words(archive, out), "--estimate")[0] == 0
    (kept,) = (out / "restricted").glob("*/prediction.json")
    kept.write_text("{}")
    code, printed, err = scrubline("resume", "--output", out)
    assert code == 0 and "predicted" not in printed
    assert "prediction.json is damaged" in err


def test_a_price_must_be_one(scrubline, archive, tmp_path):
    command = ["plan", *words(archive, tmp_path / "x"), "--core-hour-price", "nan"]
    assert scrubline(*command)[0] == 2
    assert Options().core_hour_price > 0
