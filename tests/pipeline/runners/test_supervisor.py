"""The supervisor with real children: whatever happens to them, one end state, or an error soon."""

import contextlib
import dataclasses
import functools
import heapq
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import textwrap

import pytest
from scrubline.models.core.errors import RunFailed, UsageError
from scrubline.models.formats import Locator
from scrubline.models.jobs.amendments import RunAmendments
from scrubline.models.jobs.plan import Plan, Unit
from scrubline.pipeline.commands.inspect import read_rows
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.outputs.publishing import part_digest
from scrubline.pipeline.run import plan_and_freeze, resume
from scrubline.pipeline.runners import units
from scrubline.pipeline.runners.supervisor import Supervisor, WorkerSettings, largest_first

from ...waiting import alive, children_of, wait_until
from .. import hostile_worker
from ..conftest import note, write_corpus


def digests(manifest):
    return manifest["content_digest"], part_digest(manifest)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("corpus") / "in", notes=90, files=3)


@pytest.fixture
def options(options, corpus):
    return dataclasses.replace(options, inputs=(str(corpus),), split_bytes=2000)


@pytest.fixture
def whole(run, options, tmp_path):
    """The manifest of the same run in one process."""
    return run(output=str(tmp_path / "whole"))


@pytest.fixture
def supervised(monkeypatch):
    """Makes runs use another command for their children."""

    def use(command, **more):
        settings = functools.partial(WorkerSettings, command=command)
        monkeypatch.setattr(units, "WorkerSettings", lambda **given: settings(**{**given, **more}))

    return use


@pytest.mark.slow
def test_workers_run_no_file_of_the_current_folder(run, tmp_path, monkeypatch):
    folder = tmp_path / "shared"
    folder.mkdir()
    for name in ("bisect", "json", "tokenize", "scrubline"):
        (folder / f"{name}.py").write_text(f"open({str(folder / 'ran')!r}, 'w')\nraise SystemExit")
    monkeypatch.chdir(folder)
    assert run(workers=1)["counts"]["rows_out"] > 0
    assert not (folder / "ran").exists()


@pytest.mark.slow
def test_two_workers_write_what_one_process_writes_though_one_is_killed(
    run, whole, storage, options, monkeypatch
):
    assert whole["report"]["units"] > 8
    reaped = []

    class Killing(Supervisor):
        """Kills the worker that is the third to say that it begins with a batch."""

        begun = 0

        def _on_message(self, child, answer):
            if "at" in answer:
                self.begun += 1
                if self.begun == 3:
                    child.process.kill()
            super()._on_message(child, answer)

        def _reap(self, child):
            super()._reap(child)
            reaped.append((child.process.returncode, len(child.units)))

    monkeypatch.setattr(units, "Supervisor", Killing)
    manifest = run(workers=2)
    ((code, left),) = reaped
    assert code == -signal.SIGKILL and left > 0, "no worker was killed at its work"
    assert digests(manifest) == digests(whole)
    assert verify(storage, options.output, originals=True, key_source=None)[0] == []
    assert manifest["report"]["workers"] == 2
    assert manifest["report"]["metrics"]["Write"]["documents"] > 0


def finished(plan, order, workers):
    """When the last of so many workers is done, who take units one by one; in bytes."""
    ends = [0] * workers
    for unit in order:
        heapq.heappush(ends, heapq.heappop(ends) + plan.units[unit].bytes)
    return max(ends)


def test_a_huge_unit_among_small_ones_does_not_keep_all_waiting():
    sizes = [*[1] * 100, 50, *[2] * 25]
    units = tuple(
        Unit(n, str(n), "text", (), (Locator(0, 0, size, size),)) for n, size in enumerate(sizes)
    )
    plan = Plan((), units)
    order = largest_first(plan, range(len(units)))
    assert order == [100, *range(101, 126), *range(100)]
    assert finished(plan, order, 4) == 50 == sum(sizes) / 4
    assert finished(plan, range(len(units)), 4) > 70
    assert largest_first(plan, [5, 100, 3]) == [100, 3, 5]


@pytest.fixture
def poisoned(tmp_path):
    """A corpus with two deadly documents in one unit and a third that never ends in another."""
    folder = write_corpus(tmp_path / "poisoned", notes=30, files=2, broken=False)
    for name, marks in {
        "part0": (hostile_worker.KILL, hostile_worker.EXIT),
        "part1": (hostile_worker.HANG,),
    }.items():
        path = folder / f"{name}.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines()
        for index, mark in enumerate(marks):
            row = note(800 + index) | {"note_id": f"{name}-{index}", "text": f"MRN: 7654321 {mark}"}
            lines.insert(2 + 3 * index, json.dumps(row))
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


@pytest.mark.slow
def test_documents_that_kill_or_hang_are_isolated_and_quarantined(
    storage, options, supervised, poisoned, tmp_path, monkeypatch
):
    options = dataclasses.replace(options, inputs=(str(poisoned),), split_bytes=1500)
    job, plan = plan_and_freeze(storage, options)
    # A copy of the frozen run, to be resumed later with the skip-list alone.
    shutil.copytree(tmp_path / "out", tmp_path / "again")

    hangs = tmp_path / "hangs"
    hangs.mkdir()
    monkeypatch.setenv("HOSTILE_HANGS", str(hangs))

    class Watching(Supervisor):
        """Has been waiting forever for a worker as soon as that hangs; not for a slow one."""

        def _watch(self):
            for child in self._children:
                if (hangs / str(child.process.pid)).exists():
                    child.heard = -math.inf
            super()._watch()

    supervised(hostile_worker.command())
    monkeypatch.setattr(units, "Supervisor", Watching)
    manifest = resume(storage, dataclasses.replace(options, workers=2))
    assert list(hangs.iterdir())
    assert manifest["errors"] == {"skip-list: KillsWorker": 3}
    assert manifest["counts"]["rows_in"] == 33
    assert manifest["counts"]["rows_out"] == 30
    skipped = RunAmendments.read(storage, job.restricted)
    assert sorted(len(facts.skip) for facts in skipped.units.values()) == [1, 2]
    quarantined = read_rows(storage, options.output, manifest, "quarantine")
    assert {(row["stage"], row["error"]) for row in quarantined} == {("skip-list", "KillsWorker")}
    assert all(row["doc_key"] for row in quarantined)
    assert verify(storage, options.output, originals=True, key_source=None)[0] == []

    # Resumed from the recorded facts, no child dies any more, and not one byte differs.
    (tmp_path / f"again/restricted/{job.run}/rework.json").write_bytes(
        (tmp_path / f"out/restricted/{job.run}/rework.json").read_bytes()
    )
    again = dataclasses.replace(options, output=str(tmp_path / "again"))
    assert digests(resume(storage, again)) == digests(manifest)


@pytest.mark.parametrize(
    "command",
    [
        ("/nowhere/no-such-program",),
        (sys.executable, "-c", "raise SystemExit(3)"),
        (sys.executable, "-c", "print('no JSON at all', flush=True); input(); input(); input()"),
    ],
    ids=["no program", "ends at once", "speaks something else"],
)
def test_children_that_cannot_work_end_the_run(run, supervised, command):
    supervised(command)
    with pytest.raises(RunFailed, match="worker"):
        run(workers=2)


def test_a_child_that_never_speaks_is_given_up(run, supervised, monkeypatch):
    monkeypatch.setattr("scrubline.pipeline.runners.supervisor.START_SECONDS", 0.2)
    supervised((sys.executable, "-c", "import time; time.sleep(3600)"))
    with pytest.raises(RunFailed, match="before they start"):
        run(workers=1, watchdog_seconds=0.2)


@contextlib.contextmanager
def held_open(pipe):
    """Lets who reads from a named pipe read until the end of the `with` block."""
    writer = os.open(pipe, os.O_RDWR)
    try:
        yield
    finally:
        os.close(writer)


def fake_child(tmp_path, lines):
    """A command for children that speak the protocol and do no work: Beam is slow to import."""
    script = f"""
        import json, os, subprocess, sys, time
        def answer(**value):
            print(json.dumps(value), flush=True)
        sys.stdin.readline()
        count = len(os.listdir({str(tmp_path)!r}))
        open(os.path.join({str(tmp_path)!r}, str(count)), "w").close()
        for line in sys.stdin:
            units = json.loads(line)["units"]
            {lines}
    """
    return (sys.executable, "-c", textwrap.dedent(script))


@pytest.mark.parametrize(
    ("lines", "error", "message", "starts"),
    [
        # Nothing but the reader can be blamed, in isolation neither.
        (
            "answer(at=[units[0], -1, 0]); os._exit(9)",
            RunFailed,
            "while reading unit 0.*no single row",
            5,
        ),
        # An error of ours is tried again, in the same child, then told.
        ("answer(error='StorageError', message='no')", RunFailed, "^no$", 1),
        ("answer(error='UsageError', message='no')", UsageError, "^no$", 1),
        ("answer(error='annotations', message='no')", RunFailed, "^no$", 1),
        # The pipe does not end with the child, as a grandchild holds it.
        (
            "subprocess.Popen(['cat', HELD], close_fds=False); os._exit(9)",
            RunFailed,
            "before they start",
            3,
        ),
    ],
)
@pytest.mark.slow
def test_what_children_say_and_how_they_die_ends_the_run(
    storage, options, tmp_path, lines, error, message, starts
):
    job, plan = plan_and_freeze(storage, dataclasses.replace(options, split_bytes=10**9))
    (tmp_path / "starts").mkdir()
    os.mkfifo(tmp_path / "held")
    command = fake_child(tmp_path / "starts", lines.replace("HELD", repr(str(tmp_path / "held"))))
    with held_open(tmp_path / "held"), pytest.raises(error, match=message):
        settings = WorkerSettings(workers=1, command=command)
        Supervisor(storage, job, plan, settings).run([0])
    assert len(list((tmp_path / "starts").iterdir())) == starts


def test_a_worker_that_refuses_the_job_ends_the_run(storage, options, tmp_path):
    plan_and_freeze(storage, options)
    (tmp_path / "key.txt").write_text("scrubline-key-v1:" + "QUJE" * 10 + "QUI=\n")
    with pytest.raises(UsageError, match="wrong master key"):
        resume(storage, dataclasses.replace(options, workers=2))
    assert not (tmp_path / "out/data").exists()


@pytest.mark.slow
def test_children_end_with_their_supervisor_and_the_run_can_be_resumed(
    whole, storage, options, tmp_path
):
    plan_and_freeze(storage, options)
    command = [
        sys.executable,
        "-m",
        "scrubline.pipeline.cli.main",
        "resume",
        "--output",
        options.output,
    ]
    run = subprocess.Popen(
        [*command, "--workers", "2", "--max-quarantined", "0.5"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        receipts = tmp_path / "out/_staging"
        wait_until(lambda: list(receipts.rglob("receipts/*.json")), "the work began")
        children = children_of(run.pid)
    finally:
        run.kill()
        run.wait()
    wait_until(lambda: not any(alive(pid) for pid in children), "the children ended")
    if not (tmp_path / "out/_SUCCESS").exists():  # it may have been done before it was killed
        resume(storage, options)
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    assert digests(manifest) == digests(whole)
