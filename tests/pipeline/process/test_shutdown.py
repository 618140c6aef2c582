"""The launcher ends within seconds when asked to, and by itself when nothing goes on.

Storage that never answers is a call into C that no signal interrupts, as a read from a network file
system that is gone: it is put where one kind of request meets one kind of file.
"""

import dataclasses
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.commands import advice as advice_given
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.outputs.publishing import part_digest
from scrubline.pipeline.process import shutdown as ending
from scrubline.pipeline.run import resume, scrub

from ...examples import rest
from ...waiting import GUARD_SECONDS
from ..conftest import write_corpus

pytestmark = pytest.mark.usefixtures("signals_as_in_a_terminal")


STALLING = """
import ctypes, os, sys
from scrubline.models.core import parallel_calls as at_once
from scrubline.models.storage import retries as faults
from scrubline.pipeline.cli import main as cli
from scrubline.pipeline.process import shutdown as ending

operation, part, *sys.argv[1:] = sys.argv[1:]
ending.HEED_SECONDS = ending.UNWIND_SECONDS = 0.5
at_once.PARTING_SECONDS = 0.1
asked = faults.Retrying.retry
mutex = ctypes.create_string_buffer(64)

def never_answers():
    ending.LEAST_PATIENCE_SECONDS = 0  # only now, so that a slow machine is not taken for this
    os.write(1, b"stalled\\n")
    while True:
        ctypes.CDLL(None).pthread_mutex_lock(mutex)

def retry(self, what, url, action):
    if what == operation and part in url:
        never_answers()
    return asked(self, what, url, action)

faults.Retrying.retry = retry
if "--workers" in sys.argv:
    from scrubline.pipeline.runners.supervisor import Supervisor
    Supervisor._watch = lambda self: None  # how slow a worker is decides nothing here
    if operation == "hear":
        Supervisor._on_message = lambda self, child, answer: never_answers()
cli.command()
"""


@pytest.fixture(autouse=True)
def _quick_children(tmp_path_factory, monkeypatch):
    """Spares child processes what Beam would import and no test needs."""
    folder = tmp_path_factory.mktemp("absent")
    for name in ("boto3", "pymongo"):
        (folder / f"{name}.py").write_text("raise ImportError")
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("in") / "small", notes=12, files=3, broken=False)


@pytest.fixture
def options(options, source):
    return dataclasses.replace(
        options, inputs=(str(source),), split_bytes=1000, recognisers=("email",)
    )


def words_of(options):
    words = ["scrub", "--output", options.output, "--key-file", options.key_source]
    words += ["--input", options.inputs[0], "--model", "none", "--recogniser", "email"]
    for name, role in options.columns.roles:
        words += ["--column", f"{name}={role}"]
    return [*words, "--split-bytes", str(options.split_bytes)]


def start(operation, part, *words):
    process = subprocess.Popen(
        [sys.executable, "-c", STALLING, operation, part, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "stalled\n", process.communicate()
    return process


def digests(manifest):
    return manifest["content_digest"], part_digest(manifest)


@pytest.fixture(scope="module")
def undisturbed():
    """Digests of a run that nobody disturbs, once for all tests."""
    return []


def assert_goes_on(options, tmp_path, undisturbed):
    if not undisturbed:
        there = dataclasses.replace(options, output=str(tmp_path / "undisturbed"))
        undisturbed.append(digests(scrub(Storage(), there)))
    (expected,) = undisturbed
    again = resume if any(Path(options.output).glob("_staging/*/RUN")) else scrub
    assert digests(again(Storage(), options)) == expected


PLACES = {
    "listing the input": ("list", "/small", False),
    "looking at the input": ("open", "/small/", False),
    "planning": ("write", "/plan.parquet", False),
    "gates": ("read", "/documents/", True),
    "writing the catalogue": ("write", "/catalogue.parquet", True),
    "publication": ("move to", "/data/", True),
    "the manifest": ("write", "/manifest.json", True),
}
"""What stalls: request, part of the URL, whether `resume` goes on."""


@pytest.mark.parametrize(
    ("place", "number"),
    [
        *((place, signal.SIGTERM) for place in ("listing the input", "publication", "gates")),
        *((place, signal.SIGINT) for place in ("planning", "the manifest")),
        ("writing the catalogue", signal.SIGHUP),
        rest("looking at the input", signal.SIGTERM),
        *(rest(place, signal.SIGTERM) for place in ("planning", "writing the catalogue")),
        *(rest("gates", number) for number in (signal.SIGINT, signal.SIGHUP)),
        rest("the manifest", signal.SIGTERM),
    ],
)
@pytest.mark.slow
def test_a_signal_ends_the_launcher_wherever_it_waits(
    options, tmp_path, undisturbed, place, number
):
    operation, part, resumable = PLACES[place]
    process = start(operation, part, *words_of(options))
    process.send_signal(number)
    out, err = process.communicate(timeout=GUARD_SECONDS)
    assert (process.returncode, set(out.split())) in ((1, set()), (1, {"stalled"})), err
    assert "stopped." in err and "Traceback" not in err
    assert ("continue with `scrubline resume --output ...`" in err) == resumable
    assert not (Path(options.output) / "_SUCCESS").exists()
    if resumable:
        assert_goes_on(options, tmp_path, undisturbed)


@pytest.mark.slow
def test_a_signal_ends_a_launcher_whose_workers_run(options, tmp_path, undisturbed):
    process = start("hear", "", *words_of(options), "--workers", "2")
    process.send_signal(signal.SIGTERM)
    # The pipe of standard error is theirs too: this ends when they have.
    assert "stopped." in process.communicate(timeout=GUARD_SECONDS)[1]
    assert process.returncode == 1
    assert_goes_on(options, tmp_path, undisturbed)


@pytest.mark.parametrize("part", [rest("/manifest.json"), "/audit/"])
@pytest.mark.slow
def test_a_signal_ends_verify(options, part):
    scrub(Storage(), options)
    process = start("read", part, "verify", "--output", options.output)
    process.send_signal(signal.SIGTERM)
    assert "stopped." in process.communicate(timeout=GUARD_SECONDS)[1]
    assert process.returncode == 1


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.slow
def test_a_launcher_without_progress_ends_itself_and_says_where_it_was(
    options, tmp_path, undisturbed, workers
):
    words = (*words_of(options), "--workers", workers, "--watchdog-seconds", "1")
    process = start("write", "/manifest.json", *words)
    out, err = process.communicate(timeout=GUARD_SECONDS)
    assert (process.returncode, set(out.split())) in ((1, set()), (1, {"stalled"})), err
    assert "no sign of progress for" in err and "never_answers" in err, err
    assert "promote < publish < execute" in err and str(tmp_path) not in err
    assert_goes_on(options, tmp_path, undisturbed)


def test_the_watchdog_counts_silence_and_not_time(monkeypatch):
    monkeypatch.setattr(ending, "TICK_SECONDS", 0.01)
    monkeypatch.setattr(ending, "LEAST_PATIENCE_SECONDS", 0.0)
    ended = threading.Event()
    monkeypatch.setattr(ending, "end_now", lambda words: ended.set())
    moments = iter(range(0, 10**9, 3600))
    monkeypatch.setattr(ending.time, "monotonic", lambda: next(moments))  # stopped for hours
    # Of each of these hours two ticks count.
    with ending.ended_without_progress(watchdog_seconds=20 * 0.02 / ending.PATIENCE):
        assert ended.wait(GUARD_SECONDS)
    assert next(moments) / 3600 >= 20


@pytest.mark.parametrize(
    ("command", "stalls", "advice"),
    [
        ("scrub", "commands.scrub_corpus.scrub", "No run was started: run the same command again"),
        (
            "scrub",
            "run.execute",
            "kept: continue with `scrubline resume --output ...`. If storage is only slow",
        ),
        (
            "resume",
            "commands.resume.resume",
            "kept: continue with `scrubline resume --output ...`. If storage",
        ),
        ("plan", "commands.plan.plan_and_freeze", "Check whether storage answers, then run the"),
        ("verify", "commands.verify.verify", "Check whether storage answers, then run the same"),
        ("diff", "commands.diff.diff", "Check whether storage answers, then run the same command"),
    ],
)
def test_what_it_advises_the_command_has(
    scrubline, options, tmp_path, monkeypatch, command, stalls, advice
):
    said, ended = [], threading.Event()

    def end_now(words):
        said.append(words)
        ended.set()

    def stalled(*given, **more):
        # Only now, so that a slow machine is not taken for this.
        monkeypatch.setattr(ending, "LEAST_PATIENCE_SECONDS", 0.0)
        assert ended.wait(GUARD_SECONDS)
        raise UsageError("ended")

    monkeypatch.setattr(ending, "TICK_SECONDS", 0.01)
    monkeypatch.setattr(ending, "LEAST_PATIENCE_SECONDS", GUARD_SECONDS)
    monkeypatch.setattr(ending, "end_now", end_now)
    monkeypatch.setattr(advice_given, "WATCHDOG_SECONDS", 0.01)
    monkeypatch.setattr(f"scrubline.pipeline.{stalls}", stalled)
    words = [command, *words_of(options)[1:]] if command in ("scrub", "plan") else [command]
    if command in ("verify", "diff", "resume"):
        Path(options.output).mkdir()
        words += ["--output", options.output]
    if command == "plan":
        (tmp_path / "how.toml").write_text("watchdog_seconds = 0.01")
        words += ["--config", str(tmp_path / "how.toml")]
    elif command in ("scrub", "resume"):
        words += ["--watchdog-seconds", "0.01"]
    assert scrubline(*words)[0] == 2
    assert advice in said[0]
    assert ("--watchdog-seconds" in said[0]) == (command in ("scrub", "resume"))


def test_where_no_thread_can_be_started_work_goes_on_unwatched(options, monkeypatch):
    def refused(function, arguments):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(ending._thread, "start_new_thread", refused)
    with ending.ended_without_progress(1), ending.ended_by_signals((15,), bool, str):
        pass
    monkeypatch.setattr(ending, "FINAL_SECONDS", 0)
    done = []
    ending.end_soon(lambda: done.append(1))
    assert done == [1]


def test_threads_that_libraries_leave_behind_do_not_hold_the_process(tmp_path):
    code = (
        "import sys, threading\n"
        "from scrubline.pipeline.cli import main as cli\n"
        "from scrubline.pipeline.process import shutdown as ending\n"
        "ending.FINAL_SECONDS = 0.1\n"
        "threading.Thread(target=threading.Event().wait).start()\n"
        "cli.command()"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, "status", "--output", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=GUARD_SECONDS,
    )
    assert ended.returncode == 2
    assert "there is no such output" in ended.stderr


def test_too_few_threads_are_a_clear_message(monkeypatch, scrubline, tmp_path):
    def command(parsed):
        parsed.frozen = True
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("scrubline.pipeline.commands.status.run", command)
    code, _, err = scrubline("status", "--output", tmp_path)
    assert code == 1
    assert (
        "no thread or process could be started" in err
        and "resume" in err
        and "report this line" not in err
    )


@pytest.mark.slow
def test_an_output_that_was_stopped_while_it_was_published_verifies_later(
    options, tmp_path, undisturbed
):
    process = start("move to", "/audit/", *words_of(options))
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=GUARD_SECONDS)
    assert_goes_on(options, tmp_path, undisturbed)
    faults, _ = verify(Storage(), options.output, originals=True, key_source=None)
    assert faults == []
    assert json.loads((Path(options.output) / "manifest.json").read_bytes())["parts"]
