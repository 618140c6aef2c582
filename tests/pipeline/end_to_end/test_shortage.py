"""Runs for which there is too little memory: the same bytes, or nothing published and a remedy."""

import argparse
import dataclasses
import errno
import json
import re
import resource
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrubline.models.core.errors import RunFailed, Shortage
from scrubline.models.formats.column_roles import Columns
from scrubline.models.jobs import steps
from scrubline.models.jobs.amendments import RunAmendments
from scrubline.pipeline.commands.inspect import read_rows
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.outputs.publishing import part_digest
from scrubline.pipeline.process import cgroups
from scrubline.pipeline.run import plan_and_freeze, scrub
from scrubline.pipeline.runners import beam as execute
from scrubline.pipeline.runners import supervisor, units
from scrubline.pipeline.runners.supervisor import Supervisor, WorkerSettings

from benchmarks import shortage

from ...examples import rest
from .. import hostile_worker
from ..conftest import note, write_corpus
from ..runners.test_supervisor import fake_child

pytestmark = pytest.mark.slow

REMEDY = "fewer --workers"


def digests(manifest):
    return manifest["content_digest"], part_digest(manifest)


RULES = ("date", "medical_record")
"""A few rules: what they find does not matter here."""


@pytest.fixture
def options(options, tmp_path):
    corpus = write_corpus(tmp_path / "corpus", notes=60, files=2)
    return dataclasses.replace(
        options,
        inputs=(str(corpus),),
        split_bytes=6000,
        batch_documents=16,
        recognisers=RULES,
    )


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """The same notes for several tests, none of which may change them."""
    return write_corpus(tmp_path_factory.mktemp("corpus") / "in", notes=60, files=2)


@pytest.fixture(scope="module")
def known():
    return {}


@pytest.fixture
def whole(run, corpus, tmp_path, known):
    """The manifest of a run over them with all the memory that it asks for: one for all tests."""
    if not known:
        known.update(run(inputs=(str(corpus),), output=str(tmp_path / "whole")))
    return known


@pytest.fixture
def supervised(forked, monkeypatch):
    """Makes runs use hostile children; counts what each child is given."""
    given = []

    class Noting(Supervisor):
        def _give(self, child, units, pace):
            given.append((tuple(units), int(pace), child.alone))
            super()._give(child, units, pace)

    monkeypatch.setattr(units, "Supervisor", Noting)
    hostile_worker.start_hostile_workers(monkeypatch.setattr)
    return given


def mark(folder, name, at, text):
    """Puts a marked note into a file."""
    path = folder / name
    lines = path.read_text(encoding="utf-8").splitlines()
    lines.insert(at, json.dumps(note(900) | {"note_id": "marked", "text": text}))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


# -- down the stairs


@pytest.mark.parametrize(
    ("workers", "rows", "paces"),
    [(0, 4, {0, 1}), (2, 1, {0, 1, 2}), rest(0, 1, {0, 1, 2}), rest(2, 4, {0, 1})],
)
def test_smaller_batches_write_the_same_bytes(
    whole, corpus, run, monkeypatch, supervised, workers, rows, paces
):
    monkeypatch.setenv("HOSTILE_ROWS", str(rows))
    if not workers:
        short = hostile_worker.falling_short(steps.tokenize_documents, rows)
        monkeypatch.setattr(steps, "tokenize_documents", short)
    manifest = run(workers=workers, inputs=(str(corpus),))
    assert digests(manifest) == digests(whole)
    assert manifest["errors"] == whole["errors"]
    if workers:
        assert {pace for _, pace, _ in supervised} == paces
        assert all(alone == (pace == 2) for _, pace, alone in supervised)


@pytest.mark.parametrize("what", [hostile_worker.OOM, hostile_worker.SHORT])
def test_a_row_for_which_there_is_too_little_memory_ends_the_run_and_can_be_skipped(
    options, storage, scrubline, supervised, tmp_path, what
):
    mark(tmp_path / "corpus", "part1.jsonl", 9, f"MRN: 7654321 {what}")
    job, plan = plan_and_freeze(storage, options)
    unit = next(u.index for u in plan.units if u.locators[0].file == 1)
    words = ["resume", "--output", options.output, "--workers", "2", "--max-quarantined", "0.5"]
    code, _, err = scrubline(*words)
    assert code == 1
    assert f"unit {unit}, row 9, tried on its own" in err and REMEDY in err
    assert f"--skip {unit}:9" in err
    assert not (tmp_path / "out/data").exists() and not (tmp_path / "out/_SUCCESS").exists()
    assert RunAmendments.read(storage, job.restricted).units == {}
    code, out, err = scrubline(*words, "--skip", f"{unit}:9", "--json")
    assert code == 0, err
    manifest = json.loads(out)
    assert manifest["errors"]["skip-list: Skipped"] == 1
    assert manifest["report"]["skipped"] == [f"{unit}:9"]
    rows = read_rows(storage, options.output, manifest, "quarantine")
    assert [row["ordinal"] for row in rows if row["error"] == "Skipped"] == [9]
    assert verify(storage, options.output, originals=True, key_source=None)[0] == []


def test_a_row_for_which_this_process_has_too_little_memory_is_named(
    options, storage, scrubline, tmp_path, monkeypatch
):
    mark(tmp_path / "corpus", "part0.jsonl", 5, f"MRN: 7654321 {hostile_worker.SHORT}")
    monkeypatch.setattr(steps, "recognise_all", hostile_worker.hostile(steps.recognise_all))
    plan_and_freeze(storage, options)
    words = ["resume", "--output", options.output, "--max-quarantined", "0.5"]
    code, _, err = scrubline(*words)
    assert code == 1 and "unit 0, row 5, tried on its own" in err and REMEDY in err
    assert not (tmp_path / "out/data").exists()
    code, out, _ = scrubline(*words, "--skip", "0:5", "--json")
    assert code == 0 and json.loads(out)["errors"]["skip-list: Skipped"] == 1


def test_rows_that_cannot_be_read_are_never_said_to_be_left_out(
    options, storage, scrubline, tmp_path, caplog
):
    corpus = write_corpus(tmp_path / "broken", notes=40, files=2)
    options = dataclasses.replace(options, inputs=(str(corpus),))
    _, plan = plan_and_freeze(storage, options)
    unit = next(u.index for u in plan.units if u.locators[0].file == 1)
    words = ["resume", "--output", options.output, "--max-quarantined", "0.5", "--json"]
    code, out, err = scrubline(
        *words, *(w for row in (2, 3, 6) for w in ("--skip", f"{unit}:{row}"))
    )
    assert code == 0, err
    manifest = json.loads(out)
    found = {
        row["ordinal"]: f"{row['stage']}: {row['error']}"
        for row in read_rows(storage, options.output, manifest, "quarantine")
    }
    assert {row: found[row] for row in (2, 3, 6)} == {
        2: "read: BadJson",
        3: "skip-list: Skipped",
        6: "read: NotText",
    }
    assert manifest["report"]["skipped"] == [f"{unit}:3"]
    assert "2 rows given with --skip could not be read" in err
    assert verify(storage, options.output, originals=True, key_source=None)[0] == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("3", "UNIT:ORDINAL"),
        ("a:b", "UNIT:ORDINAL"),
        ("-1:2", "UNIT:ORDINAL"),
        ("1:²", "UNIT:ORDINAL"),
        ("999:0", "units 0 to"),
    ],
)
def test_skip_takes_a_unit_of_the_plan(options, storage, scrubline, given, said):
    job, _ = plan_and_freeze(storage, options)
    code, _, err = scrubline("resume", "--output", options.output, f"--skip={given}")
    assert code == 2 and said in err
    assert RunAmendments.read(storage, job.restricted).units == {}


def test_skip_knows_the_rows_of_units_that_are_done(options, storage, scrubline, tmp_path):
    with pytest.raises(Exception, match="quarantined"):
        scrub(storage, dataclasses.replace(options, max_quarantined=0.0))
    words = ["resume", "--output", options.output, "--max-quarantined", "0.5"]
    code, _, err = scrubline(*words, "--skip", "0:100000")
    assert code == 2 and "rows, counted from 0" in err
    code, _, err = scrubline(*words, "--skip", "0:1", "--discard")
    assert code == 2 and "choose one" in err
    code, out, err = scrubline(*words, "--skip", "0:1", "--skip", "0:2", "--json")
    assert code == 0, err
    assert json.loads(out)["report"]["skipped"] == ["0:1", "0:2"]


# -- the supervisor alone, with children that do no work


def run_fake(storage, options, tmp_path, lines, workers=1, **settings):
    job, plan = plan_and_freeze(storage, dataclasses.replace(options, split_bytes=10**9))
    (tmp_path / "starts").mkdir()
    command = fake_child(tmp_path / "starts", lines)
    settings = WorkerSettings(workers=workers, command=command, **settings)
    Supervisor(storage, job, plan, settings).run([0])


def starts(tmp_path):
    return len(list((tmp_path / "starts").iterdir()))


KILLED = "os.kill(os.getpid(), 9)"
CRASHED = "__import__('resource').setrlimit(4, (0, 0)); os.kill(os.getpid(), 11)"


@pytest.mark.parametrize(
    ("lines", "said", "times"),
    [
        (
            f"answer(at=[0, 4, 1]); {KILLED}",
            "unit 0, row 4, tried on its own: .*SIGKILL.*--skip 0:4",
            4,
        ),
        (f"answer(at=[0, -1, 0]); {KILLED}", "unit 0, while reading it: .*the row is not known", 4),
        (KILLED, "workers cannot start to work: .*SIGKILL", 3),
        ("answer(error='Shortage', message='m')", "workers cannot start to work: m", 3),
        (
            "answer(at=[0, 4, 1]); answer(error='Shortage', message='m')",
            "row 4, tried on its own: m",
            4,
        ),
        ("answer(at=[0, 4, 1]); os._exit(75)", "row 4, tried on its own: memory ran out", 4),
    ],
)
def test_a_shortage_ends_the_run_after_a_fresh_worker_tried_alone(
    storage, options, tmp_path, lines, said, times
):
    with pytest.raises(Shortage, match=said):
        run_fake(storage, options, tmp_path, lines)
    assert starts(tmp_path) == times


@pytest.mark.parametrize(("end", "code"), [(CRASHED, -11), ("os._exit(127)", 127)])
def test_a_crash_is_no_documents_fault_where_the_address_space_is_limited(
    storage, options, tmp_path, monkeypatch, end, code
):
    monkeypatch.setattr(supervisor, "address_space_is_limited", lambda: True)
    said = f"row 4, tried on its own: a worker ended .{code}.*ulimit -v"
    with pytest.raises(Shortage, match=said):
        run_fake(storage, options, tmp_path, f"answer(at=[0, 4, 1]); {end}")
    assert starts(tmp_path) == 4


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x\nscrubline.models.core.errors.Shortage: unit 3: m [while running 'A']", "^unit 3: m$"),
        ("Traceback\n  File\nMemoryError", "memory ran out: use fewer"),
        ("RuntimeError: can't start new thread [while running 'A']", "no thread or process"),
    ],
)
def test_a_shortage_is_known_through_a_runners_wrapping(text, said):
    found = execute._ours(RuntimeError(text))
    assert type(found) is Shortage and re.search(said, str(found))
    assert type(execute._ours(RuntimeError("Quorvath: MemoryError"))) is RunFailed


def test_a_kill_by_the_kernel_is_told_as_one(storage, options, tmp_path, monkeypatch):
    kills = iter(range(100))
    monkeypatch.setattr(supervisor, "oom_kills", lambda: next(kills))
    with pytest.raises(Shortage, match="the kernel killed a worker because memory ran out"):
        run_fake(storage, options, tmp_path, f"answer(at=[0, 4, 1]); {KILLED}")


def test_workers_that_cannot_be_started_leave_the_others_at_work(
    whole, corpus, run, monkeypatch, forked
):
    started, real = [], subprocess.Popen

    def only_one(*words, **more):
        if started:
            raise BlockingIOError(errno.EAGAIN, "fork")
        started.append(real(*words, **more))
        return started[0]

    class Few(Supervisor):
        def _start(self):
            with monkeypatch.context() as patch:
                patch.setattr(supervisor.subprocess, "Popen", only_one)
                return super()._start()

    monkeypatch.setattr(units, "Supervisor", Few)
    assert digests(run(workers=3, inputs=(str(corpus),))) == digests(whole)
    assert len(started) == 1


def test_no_worker_at_all_names_the_remedy(run, monkeypatch):
    def refused(*words, **more):
        raise BlockingIOError(errno.EAGAIN, "fork")

    monkeypatch.setattr(supervisor.subprocess, "Popen", refused)
    with pytest.raises(Shortage, match="EAGAIN.*no thread or process could be started: raise"):
        run(workers=2)


# -- control groups


@pytest.mark.parametrize(
    ("own", "file", "content"),
    [
        ("0::/a/b\n", "a/b/memory.events", "low 0\nmax 7\noom 3\noom_kill 2\noom_group_kill 0\n"),
        ("0::/host/path\n", "memory.events", "oom_kill 2\n"),
        ("0::/a\n", "unified/a/memory.events", "oom_kill 2\n"),
        ("8:pids:/x\n4:memory:/a\n0::/\n", "memory/a/memory.oom_control", "oom_kill 2\n"),
        ("4:cpu,memory:/gone\n", "memory/memory.oom_control", "under_oom 0\noom_kill 2\n"),
    ],
)
def test_kills_of_the_kernel_are_read_from_either_version(tmp_path, own, file, content):
    (tmp_path / "own").write_text(own)
    place = tmp_path / "cgroup" / file
    place.parent.mkdir(parents=True)
    place.write_text(content)
    assert cgroups.oom_kills(str(tmp_path / "own"), str(tmp_path / "cgroup")) == 2


def test_where_nothing_can_be_read_the_kernel_has_killed_nothing(tmp_path):
    assert cgroups.oom_kills(str(tmp_path / "none"), str(tmp_path)) == 0
    assert cgroups.oom_kills() >= 0


def test_a_limited_address_space_is_seen():
    code = (
        "import resource\n"
        "from scrubline.pipeline.process.cgroups import address_space_is_limited as f\n"
        "print(f()); resource.setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40)); print(f())"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    unlimited = resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY
    assert out.stdout.split() == [str(not unlimited), "True"]


# -- the command line


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError("Quorvath"), "memory ran out: use fewer --workers"),
        (RuntimeError("can't start new thread"), "no thread or process could be started: raise"),
        (ImportError("x.so: failed to map segment from shared object"), "memory ran out"),
        (OSError(24, "open", "/a/Quorvath"), "too many files are open: raise ulimit -n"),
    ],
    ids=repr,
)
def test_the_command_names_the_remedy_wherever_it_falls_short(
    scrubline, monkeypatch, error, said, options
):
    def fail(parsed):
        raise error

    monkeypatch.setattr("scrubline.pipeline.commands.resume.run", fail)
    code, _, err = scrubline("resume", "--output", options.output)
    assert code == 1
    assert said in err and "resume --output" in err
    assert "Quorvath" not in err and "report" not in err


# -- real limits; `python -m benchmarks.shortage` has ten sizes of each, with a model


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    options = argparse.Namespace(model="none", notes=20, workers=1, seed=0)
    study = shortage.Study(tmp_path_factory.mktemp("study"), options)
    assert study.scrub(study.folder / "whole")[0] == 0
    return study, study.outcome(study.folder / "whole")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limits are Linux's")
@pytest.mark.parametrize(
    ("kind", "megabytes", "codes"),
    [
        rest("ulimit", 400, {1}),
        ("ulimit", 900, {0, 1}),
        ("cgroup", 100, {1, -9}),
    ],
)
def test_with_less_memory_the_same_rows_come_out_or_the_remedy(study, kind, megabytes, codes):
    if kind == "cgroup":
        try:
            with shortage.control_group(megabytes):
                pass
        except OSError as error:
            pytest.skip(f"no control group can be made here ({errno.errorcode[error.errno]})")
    one = study[0].one(kind, megabytes, study[1])
    assert one["holds"], one
    assert one["code"] in codes


def test_a_row_group_over_budget_is_counted_row_by_row_and_holds_no_run(storage, options, tmp_path):
    folder = tmp_path / "tables"
    folder.mkdir()
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 80, pa.int32()), pa.array(["x" * 10**6]))
    table = pa.table([pa.array([f"{n}" for n in range(80)]), texts.cast(pa.string())], ["id", "t"])
    pq.write_table(table, folder / "bomb.parquet", dictionary_pagesize_limit=1 << 30)
    pq.write_table(pa.table([["a"], ["MRN: 1234567."]], ["id", "t"]), folder / "good.parquet")
    columns = Columns.parse([("id", "id"), ("t", "text")])
    one = dataclasses.replace(options, inputs=(str(folder),), columns=columns, max_quarantined=0.99)
    manifest = scrub(storage, one)
    assert manifest["errors"] == {"read: OverBudget:unpacked": 80}
    assert manifest["counts"]["rows_out"] == 1


def test_a_small_address_space_is_announced_before_the_run(tmp_path):
    words = [
        sys.executable,
        "-m",
        "scrubline.pipeline.cli.main",
        "resume",
        "--output",
        tmp_path / "none",
    ]
    for megabytes, code, is_announced in (("500", 1, False), ("2000", 2, True), ("5000", 2, False)):
        limited = f'ulimit -v {megabytes}000; exec "$@"'
        done = subprocess.run(
            ["bash", "-c", limited, "-", *map(str, words)], capture_output=True, text=True
        )
        assert done.returncode == code
        assert ("fits into less than 512 MB: allow more" in done.stderr) == (code == 1)
        said = "the address space is limited to" in done.stderr and "code 127" in done.stderr
        assert said == is_announced
