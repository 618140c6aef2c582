"""Whole runs on real engines on loopback: Prism, a Flink cluster, Spark.

Skipped, with the reason, where an engine is not installed: `make test-engines` installs them.
"""

import contextlib
import dataclasses
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from scrubline.models.core.errors import RunFailed, UsageError
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.options import options_from, read_config
from scrubline.pipeline.outputs.manifest import read_manifest
from scrubline.pipeline.outputs.publishing import part_digest
from scrubline.pipeline.run import plan_and_freeze, resume

from ...servers.beam import logs_shown, worker_pool
from ...servers.engines import NotInstalled
from ...servers.flink import finished_jobs, flink, flink_cluster
from ...servers.prism import prism
from ...servers.spark import spark
from ...waiting import GUARD_SECONDS, wait_until
from ..conftest import BROKEN, note, write_corpus
from ..hostile_worker import EXIT, HANG, KILL
from .test_portable import bounded

pytestmark = pytest.mark.engines

ROOT = Path(__file__).resolve().parents[3]
ENGINES = {"prism": prism, "flink": flink, "spark": spark}
HOSTILE = ROOT / "tests/pipeline/hostile_worker.py"
HOSTILE_SITE = os.pathsep.join(
    filter(None, (str(HOSTILE.parent / "hostile_site"), os.environ.get("PYTHONPATH")))
)
COMMAND = (sys.executable, "-c", "from scrubline.pipeline.cli.main import command; command()")


@pytest.fixture(scope="module", params=ENGINES)
def engine(request, tmp_path_factory):
    """A running engine and a pool of workers: its name, its folder and Beam's options by kind."""
    folder = tmp_path_factory.mktemp(request.param)
    try:
        with (
            logs_shown(folder),
            ENGINES[request.param](folder) as options,
            worker_pool(folder) as pool,
            worker_pool(folder, PYTHONPATH=HOSTILE_SITE) as hostile,
        ):
            kinds = {
                "LOOPBACK": ("--environment_type=LOOPBACK",),
                "EXTERNAL": pool,
                "hostile": hostile,
            }
            yield (
                request.param,
                folder,
                {kind: (*options, *more) for kind, more in kinds.items()},
            )
    except NotInstalled as error:
        pytest.skip(str(error))


@pytest.fixture(params=["LOOPBACK", "EXTERNAL"])
def kind(request):
    return request.param


@pytest.fixture
def on_engine(engine, kind, options):
    """Options of a run of many small units on the engine."""
    name, folder, kinds = engine
    with logs_shown(folder):
        yield dataclasses.replace(options, runner=name, beam=kinds[kind], split_bytes=1500)


def called(run, wanted):
    fields = dataclasses.fields(wanted)
    return bounded(run, **{field.name: getattr(wanted, field.name) for field in fields})


def assert_equal_and_clean(storage, manifest, direct, output, key_source=None):
    assert manifest["content_digest"] == direct["content_digest"]
    assert part_digest(manifest) == part_digest(direct)
    assert manifest["counts"] == direct["counts"]
    assert manifest["errors"] == direct["errors"]
    assert verify(storage, output, originals=True, key_source=key_source)[0] == []
    assert not (Path(output) / "_staging").exists()


def test_the_demo_corpus_comes_out_as_of_the_direct_runner(
    engine, kind, run, storage, key_file, tmp_path
):
    name, folder, kinds = engine
    config = read_config((ROOT / "demo/scrubline.toml").read_bytes())
    base = options_from(
        config,
        {
            "inputs": (str(ROOT / "demo/parquet"),),
            "output": str(tmp_path / "engine"),
            "key_source": key_file,
            "split_bytes": 4000,
            "progress": False,
        },
    )
    direct = called(run, dataclasses.replace(base, output=str(tmp_path / "direct")))
    with logs_shown(folder):
        manifest = called(run, dataclasses.replace(base, runner=name, beam=kinds[kind]))
        assert_equal_and_clean(storage, manifest, direct, base.output)
    if name == "flink":
        assert finished_jobs(kinds[kind]) > 0
    assert manifest["report"]["runner"] == name
    assert manifest["report"]["units"] > 2
    # Prism loses what bundles counted that it splits; the manifest's own counts are of receipts.
    counted = manifest["report"]["metrics"]["Write"]["documents"]
    assert 0 < counted <= manifest["counts"]["documents"]
    assert name == "prism" or counted == manifest["counts"]["documents"]


def test_quarantined_rows_and_repeated_ids_are_the_same(run, on_engine, storage, tmp_path):
    # A repeated id is numbered, and its unit runs again: two jobs, one after the other.
    again = Path(on_engine.inputs[0]) / "part3.jsonl"
    again.write_text(
        '{"note_id": 7, "patient_id": "1", "kind": "x", "text": "On 1/2/2019.", "n": 1}\n'
    )
    direct = run(output=str(tmp_path / "direct"), split_bytes=on_engine.split_bytes)
    assert direct["report"]["repeated_ids"] == 1
    assert direct["counts"]["rows_quarantined"] == BROKEN
    manifest = called(run, on_engine)
    assert_equal_and_clean(storage, manifest, direct, on_engine.output)


def test_a_run_that_was_killed_is_resumed(run, on_engine, kind, storage, tmp_path):
    write_corpus(tmp_path / "in", notes=600)
    changed = {"split_bytes": 4000, "batch_documents": 4}
    wanted = dataclasses.replace(on_engine, **changed)
    job, plan = plan_and_freeze(storage, wanted)
    receipts = Path(job.staging) / "receipts"
    command = [*COMMAND, "resume", "--output", wanted.output, "--runner", wanted.runner]
    launcher = subprocess.Popen(
        [*command, "--", *wanted.beam], stdin=subprocess.DEVNULL, cwd=ROOT, process_group=0
    )
    try:
        wait_until(
            lambda: any(receipts.glob("*.json")) or launcher.poll() is not None, "a unit is done"
        )
        assert launcher.poll() is None, "the run ended before it was killed"
        done = len(list(receipts.glob("*.json")))
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(launcher.pid, signal.SIGKILL)
        launcher.wait()
    assert done < len(plan.units)
    assert not (Path(wanted.output) / "_SUCCESS").exists()

    def resumed():
        try:
            return bounded(resume, storage, wanted)
        except RunFailed:
            # A job server with a Spark inside runs one job: the one of the launcher that was killed
            # goes on where its workers are elsewhere, and must end first.
            assert wanted.runner == "spark" and kind == "EXTERNAL"

    manifest = wait_until(resumed, "the job of the killed launcher has ended")
    direct = run(output=str(tmp_path / "direct"), **changed)
    assert_equal_and_clean(storage, manifest, direct, wanted.output)


def test_a_failed_bundle_publishes_nothing(run, on_engine, storage, tmp_path):
    job, plan = plan_and_freeze(storage, on_engine)
    # A part cannot be written where a folder of its name stands.
    part = Path(job.staging) / f"data/{plan.units[1].name}.jsonl"
    part.mkdir(parents=True)
    (part / "something").touch()
    with pytest.raises(RunFailed, match="Is.*irectory|EISDIR|storage refused") as caught:
        bounded(resume, storage, on_engine)
    assert plan.files[0].url not in str(caught.value)
    output = Path(on_engine.output)
    assert not (output / "data").exists()
    assert not (output / "_SUCCESS").exists()
    (part / "something").unlink()
    part.rmdir()
    manifest = bounded(resume, storage, on_engine)
    direct = run(output=str(tmp_path / "direct"), split_bytes=on_engine.split_bytes)
    assert_equal_and_clean(storage, manifest, direct, on_engine.output)


def test_a_worker_with_another_key_refuses(on_engine, storage, tmp_path):
    plan_and_freeze(storage, on_engine)
    (tmp_path / "key.txt").write_text("scrubline-key-v1:" + "QUJE" * 10 + "QUI=\n")
    with pytest.raises(UsageError, match="wrong master key"):
        bounded(resume, storage, on_engine)
    assert not (Path(on_engine.output) / "data").exists()


def scrub_with_a_note(options, text, *words):
    """A launcher of hostile workers, over one more note; gives exit code, manifest and messages."""
    more = json.dumps(note(9100) | {"text": text})
    (Path(options.inputs[0]) / "part9.jsonl").write_text(more + "\n")
    command = [sys.executable, HOSTILE, "run", "scrub", "--model", "none", "--json"]
    command += ["--max-quarantined", "0.5", "--split-bytes", "1500"]
    for column, role in options.columns.roles:
        command += ["--column", f"{column}={role}"]
    command += ["--input", options.inputs[0], "--key-file", options.key_source, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=GUARD_SECONDS, cwd=ROOT)
    return done.returncode, json.loads(done.stdout or "null"), done.stderr


@pytest.mark.parametrize("harm", [KILL, EXIT, HANG])
def test_a_document_that_kills_or_hangs_workers_is_quarantined(engine, harm, options, tmp_path):
    name, folder, kinds = engine
    if harm == HANG and name != "flink":
        pytest.skip("takes minutes: on one engine is enough")
    # Of engines only the clock tells that a worker hangs.
    patience = ("--watchdog-seconds", "15") if harm == HANG else ()
    here = ("--workers", "1", *patience, "--output", str(tmp_path / "here"))
    code, expected, said = scrub_with_a_note(options, harm, *here)
    assert code == 0, said
    assert expected["errors"]["skip-list: KillsWorker"] == 1
    with logs_shown(folder):
        code, manifest, said = scrub_with_a_note(
            options,
            harm,
            *(*patience, "--output", str(tmp_path / "engine")),
            *("--report", str(tmp_path / "report.json"), "--runner", name),
            *("--", *kinds["hostile"]),
        )
        assert code == 0, said
    assert manifest["content_digest"] == expected["content_digest"]
    assert manifest["counts"] == expected["counts"]
    assert manifest["errors"] == expected["errors"]
    assert "units are run here" in said
    assert json.loads((tmp_path / "report.json").read_text())["retries"]["job"] > 0


@pytest.mark.parametrize("victim", ["task manager", "job manager", "job server"])
def test_a_part_of_a_flink_cluster_that_is_killed(victim, run, options, storage, tmp_path):
    write_corpus(tmp_path / "in", notes=600)
    changed = {"split_bytes": 4000, "batch_documents": 4}
    folder = tmp_path / "flink"
    folder.mkdir()
    try:
        with logs_shown(folder), flink_cluster(folder) as cluster, worker_pool(folder) as pool:
            wanted = dataclasses.replace(
                options, runner="flink", beam=(*cluster.options, *pool), **changed
            )
            job, _ = plan_and_freeze(storage, wanted)
            command = [*COMMAND, "resume", "--output", wanted.output, "--runner", "flink"]
            launcher = subprocess.Popen(
                [*command, "--", *wanted.beam], stdin=subprocess.DEVNULL, cwd=ROOT
            )
            receipts = Path(job.staging) / "receipts"
            try:
                wait_until(
                    lambda: receipts.exists() or launcher.poll() is not None, "a unit is done"
                )
                assert launcher.poll() is None, "the run ended before the kill"
                cluster.processes[victim].kill()
                code = launcher.wait(GUARD_SECONDS)
            finally:
                launcher.kill()
                launcher.wait()
            # A job server is asked for answers when it dies, and no other one knows the job.
            assert code == 0 or victim == "job server"
            assert (code == 0) == (Path(wanted.output) / "_SUCCESS").exists()
            manifest = (
                read_manifest(storage, wanted.output)
                if code == 0
                else bounded(resume, storage, wanted)
            )
    except NotInstalled as error:
        pytest.skip(str(error))
    direct = run(output=str(tmp_path / "direct"), **changed)
    assert_equal_and_clean(storage, manifest, direct, wanted.output)


@pytest.mark.parametrize("name", ENGINES)
def test_the_command_line_starts_an_engine_and_ends_it(name, options, tmp_path):
    """Without a server of the test's: the launcher starts Prism or the job server itself."""
    command = [*COMMAND, "scrub", "--model", "none", "--json", "--max-quarantined", "0.5"]
    for column, role in options.columns.roles:
        command += ["--column", f"{column}={role}"]
    command += ["--input", options.inputs[0], "--key-file", options.key_source]
    direct = subprocess.run(
        [*command, "--output", tmp_path / "direct"], capture_output=True, timeout=GUARD_SECONDS
    )
    done = subprocess.run(
        [*command, "--output", tmp_path / "engine", "--runner", name],
        capture_output=True,
        text=True,
        timeout=GUARD_SECONDS,
    )
    if "is not installed" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    found, expected = json.loads(done.stdout), json.loads(direct.stdout)
    assert found["content_digest"] == expected["content_digest"]
    assert "555-867" not in done.stderr
