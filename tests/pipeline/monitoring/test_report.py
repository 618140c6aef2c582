"""What monitoring reads of a run: report, metrics, logs; however it ends, and without PHI."""

import dataclasses
import json
import logging
import re
from pathlib import Path

import pytest
from scrubline.models.core.errors import GateFailed, RunFailed, UsageError
from scrubline.models.jobs.output_rows import COUNTS, Tally
from scrubline.models.storage.storage import Storage
from scrubline.pipeline import preparation, work
from scrubline.pipeline.monitoring.report import (
    REFRESH_SECONDS,
    Recorder,
    require_apart,
)
from scrubline.pipeline.outputs.state import lock_file
from scrubline.pipeline.process.exit_codes import STATES
from scrubline.pipeline.run import plan_and_freeze

from ..cli.test_main import COLUMNS, _as_before, job  # noqa: F401 - fixtures
from ..conftest import BROKEN, note, write_corpus
from .test_prometheus import parsed

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forked")]

ROOT = Path(__file__).parents[3]


@pytest.fixture
def watched(tmp_path):
    """Words that ask for a report and metrics, and their files."""
    report, metrics = tmp_path / "told/last.json", tmp_path / "told/scrubline.prom"
    return ["--report", report, "--metrics-file", metrics], report, metrics


def read(report, metrics):
    return json.loads(report.read_text()), parsed(metrics.read_text())


def value(gauges, name):
    return gauges[f"scrubline_{name}"][()]


def state(gauges):
    (one,) = (labels for labels, on in gauges["scrubline_run_state"].items() if on)
    return dict(one)["state"]


def test_a_published_run_is_told(scrubline, job, watched, tmp_path):  # noqa: F811
    words, *files = watched
    code, _, _ = scrubline("scrub", *job, "--max-quarantined", "0.1", "--workers", 1, *words)
    assert code == 0
    report, gauges = read(*files)
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    assert (report["state"], report["exit_code"], report["error"]) == ("published", 0, None)
    for name in ("run", "counts", "labels", "errors"):
        assert report[name] == manifest[name]
    assert report["hashes"]["content_digest"] == manifest["content_digest"]
    assert report["hashes"]["fingerprint"] == manifest["fingerprint"]
    assert report["hashes"]["recognisers"] == manifest["recognisers"]
    assert report["inputs"] == 3 and report["input_bytes"] > 1000
    assert report["units"] == {"planned": 1, "left_at_start": 1, "done": 1}
    assert set(report["phases"]) == {"planning", "working", "finishing", "publishing"}
    assert sum(report["phases"].values()) == pytest.approx(report["seconds"], abs=0.1)
    assert report["steps"]["Recognise"]["documents"] > 50
    assert report["memory"]["worker_peak_bytes"] > 1e7
    assert report["throughput"]["rows_per_second"] > 0
    assert (report["workers"], report["runner"], report["command"]) == (1, "direct", "scrub")
    assert report["prediction"] is None
    for name in COUNTS:
        assert value(gauges, name) == manifest["counts"][name]
    assert value(gauges, "quarantined_ratio") == BROKEN / 64
    assert value(gauges, "exit_code") == 0 and value(gauges, "progress_ratio") == 1
    assert value(gauges, "last_success_time_seconds") >= value(gauges, "start_time_seconds")
    assert gauges["scrubline_spans_by_label"] == {
        (("label", name),): count for name, count in manifest["labels"].items()
    }
    assert state(gauges) == "published" and value(gauges, "run_in_progress") == 0


def test_a_held_run_is_told_and_the_last_success_stays(scrubline, job, watched):  # noqa: F811
    words, *files = watched
    files[1].parent.mkdir()
    files[1].write_text("scrubline_last_success_time_seconds 1234.5\n")
    code, _, err = scrubline("scrub", *job, *words)
    report, gauges = read(*files)
    assert code == report["exit_code"] == value(gauges, "exit_code") == 3
    assert report["state"] == state(gauges) == "held"
    assert report["error"]["class"] == "GateFailed" and report["error"]["message"] in err
    assert report["counts"]["rows_quarantined"] == BROKEN
    assert report["hashes"]["content_digest"] is None
    assert value(gauges, "last_success_time_seconds") == 1234.5


def test_a_refusal_is_told(scrubline, job, watched):  # noqa: F811
    words, *files = watched
    code, _, _ = scrubline("scrub", *job, "--column", "text=drop", *words)
    report, gauges = read(*files)
    assert code == report["exit_code"] == 2
    assert report["state"] == state(gauges) == "refused"
    assert report["run"] is None and report["counts"] is None
    assert "last_success_time_seconds" not in "".join(gauges)


def test_a_refusal_of_the_options_keeps_the_last_success(scrubline, job, watched, tmp_path):  # noqa: F811
    words, *files = watched
    files[1].parent.mkdir()
    files[1].write_text("scrubline_last_success_time_seconds 1234.5\n")
    (tmp_path / "nightly.toml").write_text("hodl = true\n")
    code, _, _ = scrubline("scrub", *job, "--config", tmp_path / "nightly.toml", *words)
    _, gauges = read(*files)
    assert code == value(gauges, "exit_code") == 2
    assert value(gauges, "last_success_time_seconds") == 1234.5


@pytest.mark.parametrize("command", ["scrub", "resume"])
def test_who_is_kept_out_by_the_lock_leaves_report_and_gauges_alone(
    scrubline,
    job,  # noqa: F811
    watched,
    storage,
    command,
):
    words, *files = watched
    assert scrubline("scrub", *job, *words, "--max-quarantined", 1)[0] == 0
    before = [file.read_bytes() for file in files]
    out = job[job.index("--output") + 1]
    with storage.locked(lock_file(str(out))):
        asked = job if command == "scrub" else ("--output", out)
        assert scrubline(command, *asked, *words)[0] == 5
    assert [file.read_bytes() for file in files] == before


def test_a_failure_is_told_and_then_the_resumed_run(scrubline, job, watched, monkeypatch):  # noqa: F811
    words, *files = watched

    def fail(*given):
        raise RunFailed("the disk is gone")

    with monkeypatch.context() as patched:
        patched.setattr(work, "reconcile", fail)
        assert scrubline("scrub", *job, *words)[0] == 1
    report, gauges = read(*files)
    assert (report["state"], report["exit_code"]) == ("failed", 1)
    assert report["error"] == {"class": "RunFailed", "message": "the disk is gone"}
    assert report["units"]["done"] == 1 and value(gauges, "progress_ratio") == 1
    out = job[job.index("--output") + 1]
    assert scrubline("resume", "--output", out, "--max-quarantined", 1, *words)[0] == 0
    report, _ = read(*files)
    assert (report["command"], report["state"]) == ("resume", "published")
    assert report["units"] == {"planned": 1, "left_at_start": 0, "done": 0}


def test_a_night_that_failed_before_it_was_planned_is_no_success(
    scrubline,
    job,  # noqa: F811
    watched,
    monkeypatch,
):
    words, *files = watched
    assert scrubline("scrub", *job, "--max-quarantined", 1)[0] == 0
    files[1].parent.mkdir()
    files[1].write_text("scrubline_last_success_time_seconds 1234.5\n")

    def fail(*given):
        raise RunFailed("the store is away")

    with monkeypatch.context() as patched:
        patched.setattr(preparation, "inspect_inputs", fail)
        code, _, err = scrubline("scrub", *job, *words)
    assert code == 1 and "resume" not in err
    out = job[job.index("--output") + 1]
    code, _, err = scrubline("resume", "--output", out, *words)
    report, gauges = read(*files)
    assert code == report["exit_code"] == 2 and "there is no unfinished run" in err
    assert report["state"] == state(gauges) == "refused"
    assert value(gauges, "last_success_time_seconds") == 1234.5


def test_a_foreign_error_is_told_by_its_class(scrubline, job, watched, monkeypatch):  # noqa: F811
    words, *files = watched

    def fail(*given):
        raise KeyError("Okafor")

    monkeypatch.setattr(work, "reconcile", fail)
    assert scrubline("scrub", *job, *words)[0] == 1
    assert read(*files)[0]["error"] == {"class": "KeyError", "message": None}


def test_a_place_that_cannot_be_written_is_told_at_once(scrubline, job, tmp_path):  # noqa: F811
    (tmp_path / "file").write_text("")
    code, _, err = scrubline("scrub", *job, "--report", tmp_path / "file/report.json")
    assert code == 2 and "--report or --metrics-file cannot be written" in err
    assert not (tmp_path / "out").exists()


# -- during the run


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


def test_metrics_are_refreshed_at_a_modest_rate(storage, options, tmp_path):
    frozen, plan = plan_and_freeze(storage, dataclasses.replace(options, split_bytes=2000))
    clock, place = Clock(), tmp_path / "m.prom"
    recorder = Recorder("scrub", storage, metrics_file=str(place), clock=clock)
    recorder.opened(report=None, metrics_file=None, workers=2, runner="direct")
    recorder.locked()
    recorder.frozen(storage, frozen, plan)
    recorder.work_began(range(len(plan.units)))
    before = place.read_bytes()
    clock.now += REFRESH_SECONDS - 1
    recorder.batch_began(10)
    assert place.read_bytes() == before
    clock.now += 1
    recorder.units_done([0], {"ReadUnits": {"batch_ms_sum": 500, "documents": 10}})
    gauges = parsed(place.read_text())
    assert state(gauges) == "running" and value(gauges, "run_in_progress") == 1
    assert value(gauges, "units_done") == 1
    assert value(gauges, "progress_ratio") == pytest.approx(1 / len(plan.units))
    assert value(gauges, "rows_per_second") == pytest.approx(10 / REFRESH_SECONDS, abs=0.01)
    assert gauges["scrubline_step_seconds"] == {(("step", "ReadUnits"),): 0.5}
    assert "scrubline_exit_code" not in gauges and "scrubline_rows_in" not in gauges


def test_metrics_are_refreshed_until_all_is_published(storage, options, tmp_path):
    frozen, plan = plan_and_freeze(storage, options)
    clock, place = Clock(), tmp_path / "m.prom"
    recorder = Recorder("scrub", storage, metrics_file=str(place), clock=clock)
    recorder.locked()
    recorder.frozen(storage, frozen, plan)
    steps = (
        lambda: recorder.tallied(Tally(), {}),
        recorder.checked,
        lambda: recorder.publishing(2),
        recorder.part_moved,
    )
    for step in steps:
        clock.now += REFRESH_SECONDS
        step()
        assert value(parsed(place.read_text()), "updated_time_seconds") == clock.now
    clock.now += 1
    recorder.part_moved()
    assert value(parsed(place.read_text()), "updated_time_seconds") == clock.now - 1


def test_a_night_is_told_by_its_counts(scrubline, job, watched, tmp_path):  # noqa: F811
    words, *files = watched
    canaries = tmp_path / "canaries.jsonl"
    canaries.write_text('{"id": 2, "gone": ["7000002"]}\n')
    words = [*words, "--incremental", "--max-quarantined", "1"]
    assert scrubline("scrub", *job, *words, "--canaries", canaries)[0] == 0
    report, gauges = read(*files)
    assert report["incremental"]["new"] == 3 and report["repeated_ids"] == 0
    assert report["canaries"] == {"all": 1, "in_this_run": 1}
    assert gauges["scrubline_inputs_by_kind"][(("kind", "new"),)] == 3
    assert gauges["scrubline_canaries"][(("which", "in_this_run"),)] == 1
    assert value(gauges, "repeated_ids") == 0
    assert scrubline("scrub", *job, *words)[0] == 0
    report, gauges = read(*files)
    assert (report["state"], report["incremental"]["untouched"]) == ("idle", 3)
    assert gauges["scrubline_inputs_by_kind"][(("kind", "untouched"),)] == 3


def test_tonight_is_told_apart_from_what_was_left(scrubline, job, watched, tmp_path):  # noqa: F811
    words, *files = watched
    write_corpus(tmp_path / "source", broken=False)
    assert scrubline("plan", *job)[0] == 0
    words = [*words, "--incremental", "--finish-pending"]
    assert scrubline("scrub", *job, *words)[0] == 0
    report, gauges = read(*files)
    # Tonight had nothing to do; what is told is of the run that was left, and is published.
    assert (report["state"], report["incremental"]["untouched"]) == ("published", 3)
    assert report["run"] and report["counts"]["rows_out"] == 60
    (tmp_path / "source/late.jsonl").write_text(json.dumps(note(99)) + "\n")
    assert scrubline("scrub", *job, *words)[0] == 0
    report, _ = read(*files)
    assert report["units"] == {"planned": 1, "left_at_start": 1, "done": 1}
    assert (report["incremental"]["new"], report["inputs"]) == (1, 1)


@pytest.mark.parametrize(
    ("report", "metrics", "match"),
    [
        ("out/manifest.json", None, "--report lies in an input or in the output"),
        (None, "source/part0.jsonl", "--metrics-file lies in an input or in the output"),
        ("link/r.json", None, "--report lies in an input"),
        ("same", "./same", "are one file"),
        ("source/..", None, "--report is no file"),
        ("r.json", "m.prom", None),
        ("of us", "of us too", None),
        ("empty", None, None),
        ("of somebody", None, "--report is a file of something else"),
        (None, "of somebody", "--metrics-file is a file of something else"),
        (None, "of us", "--metrics-file is a file of something else"),
        ("none/../of somebody", None, "--report is a file of something else"),
        (None, "none/../of somebody", "--metrics-file is a file of something else"),
        ("none/../same", "same", "are one file"),
        (None, "none/../out/data/x", "--metrics-file lies in an input or in the output"),
    ],
)
def test_report_and_metrics_have_places_of_their_own(tmp_path, report, metrics, match):
    (tmp_path / "source").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "source")
    told = Recorder("scrub", Storage(), report=str(tmp_path / "of us"))
    told.locked()
    (tmp_path / "of us too").write_text(told.metrics())
    (tmp_path / "empty").touch()
    (tmp_path / "of somebody").write_text('{"id": "n1", "text": "Dr. Ann Poe"}')
    places = (str(tmp_path / "source"), str(tmp_path / "out"))
    given = [f"{tmp_path}/{name}" if name else None for name in (report, metrics)]
    if match is None:
        require_apart(Storage(), *given, places)
        return
    with pytest.raises(UsageError, match=match):
        require_apart(Storage(), *given, places)


@pytest.mark.parametrize("option", ["--report", "--metrics-file"])
@pytest.mark.parametrize("wrong", [[], ["--max-gone", "2"], ["--output", ""]])
def test_what_they_may_not_be_written_over_stays_as_it_is(scrubline, job, tmp_path, option, wrong):  # noqa: F811
    key = next(tmp_path.glob("key*"))
    assert scrubline("scrub", *job, "--max-quarantined", "0.2")[0] == 0
    victims = [tmp_path / "source/part0.jsonl", key, tmp_path / "out/manifest.json"]
    for victim in victims:
        before = victim.read_bytes()
        code, _, err = scrubline("scrub", *job, *wrong, option, victim)
        assert code == 2 and victim.read_bytes() == before
    # `resume` is not told where the inputs are.
    assert scrubline("plan", *job, "--split-bytes", "999")[0] == 0
    for victim in victims:
        before = victim.read_bytes()
        code, _, err = scrubline("resume", "--output", tmp_path / "out", option, victim)
        assert code == 2 and victim.read_bytes() == before
    assert not list((tmp_path / "source").glob("new*"))
    assert scrubline("scrub", *job, *wrong, option, tmp_path / "source/new.json")[0] == 2
    assert not (tmp_path / "source/new.json").exists()


def test_metrics_that_cannot_be_written_any_more_end_no_run(storage, options, tmp_path, caplog):
    folder = tmp_path / "gone"
    clock = Clock()
    recorder = Recorder("scrub", storage, metrics_file=str(folder / "m.prom"), clock=clock)
    recorder.opened(report=None, metrics_file=None, workers=0, runner="direct")
    recorder.locked()
    (folder / "m.prom").unlink()
    folder.rmdir()
    folder.write_text("")
    clock.now += REFRESH_SECONDS
    recorder.batch_began(1)
    assert "cannot be written" in caplog.text and str(folder) not in caplog.text


@pytest.mark.parametrize(
    ("error", "stopped", "expected"),
    [
        (UsageError("x"), (), "refused"),
        (GateFailed("x"), (), "held"),
        (RunFailed("x"), (), "failed"),
        (RunFailed("x"), (15,), "stopped"),
        (KeyboardInterrupt(), (), "stopped"),
        (None, (), "discarded"),
    ],
)
def test_states(storage, tmp_path, error, stopped, expected):
    place = tmp_path / "r.json"
    recorder = Recorder("resume", storage, report=str(place))
    try:
        with recorder.recording(stopped):
            if error is not None:
                raise error
    except type(error or ValueError()):
        pass
    report = json.loads(place.read_text())
    assert (report["state"], report["exit_code"]) == (expected, STATES[expected])
    assert expected in STATES


def test_warnings_are_counted(storage, tmp_path):
    place = tmp_path / "r.json"
    with Recorder("scrub", storage, report=str(place)).recording():
        for number in (1, 1, 2):
            logging.getLogger("scrubline.x").warning("unit %d is odd", number)
        logging.getLogger("scrubline.x").info("nothing")
        logging.getLogger("elsewhere").warning("Okafor")
    told = json.loads(place.read_text())["warnings"]
    assert told["count"] == 3
    assert told["messages"] == [
        {"message": "unit 1 is odd", "count": 2},
        {"message": "unit 2 is odd", "count": 1},
    ]


# -- no PHI, and logs as JSON


def test_nothing_that_is_told_names_a_patient_or_an_input(scrubline, watched, tmp_path, key_file):
    words, report, metrics = watched
    folder = write_corpus(tmp_path / "OkaforWard", notes=8, files=1)
    name = folder / "Okafor-48219033.jsonl"
    row = note(0) | {"note_id": "Okafor1", "text": "Mr. Danielle Okafor, MRN: 48219033."}
    name.write_text(json.dumps(row) + '\n{"note_id": "Okafor2", "text": 7}\n')
    code, out, err = scrubline(
        *("scrub", "--input", folder, "--output", tmp_path / "out", "--key-file", key_file),
        *("--model", "none", *COLUMNS, "--max-quarantined", 1, "--workers", 1, *words),
        *("--log-format", "json", "--log-level", "DEBUG"),
    )
    assert code == 0
    for text in (report.read_text(), metrics.read_text(), err, out):
        assert not re.search("okafor|48219033|danielle", text, re.IGNORECASE)
    lines = [json.loads(line) for line in err.splitlines()]
    assert {"worker-1"} <= {line["worker"] for line in lines}
    for line in lines:
        assert set(line) == {"time", "level", "run", "worker", "logger", "message"}
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line["time"])
    run = json.loads(report.read_text())["run"]
    assert {line["run"] for line in lines if line["worker"] == "worker-1"} == {run}


def test_errors_are_lines_of_json_too(scrubline, job):  # noqa: F811
    code, _, err = scrubline("scrub", *job, "--log-format", "json")
    assert code == 3
    *_, last = (json.loads(line) for line in err.splitlines())
    assert last["level"] == "ERROR" and last["worker"] == "launcher"
    assert "rows are quarantined" in last["message"] and last["run"]
    assert scrubline("scrub", *job, "--log-format", "xml")[0] == 2


# -- the manual


def test_every_field_and_every_gauge_is_described(storage):
    recorder = Recorder("scrub", Storage())
    page = (ROOT / "docs/tables.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([\w.]+)` \|", page.split("## The run report\n")[1], re.MULTILINE)
    assert sorted(recorder.report()) == sorted(listed)
    operations = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    source = (ROOT / "pipeline/monitoring/gauges.py").read_text(encoding="utf-8")
    names = set(re.findall(r'(?:gauge|labelled|Gauge)\(\s*"(\w+)"', source)) | set(COUNTS)
    told = set(re.findall(r"`scrubline_(\w+)`", operations))
    assert told == names
