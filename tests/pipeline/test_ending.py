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
from scrubline.models.errors import UsageError
from scrubline.models.storage import Storage
from scrubline.pipeline import cli, ending
from scrubline.pipeline.publish import part_digest
from scrubline.pipeline.runs import resume, scrub
from scrubline.pipeline.verify import verify

from .conftest import write_corpus

pytestmark = pytest.mark.usefixtures("signals_as_in_a_terminal")

SOON = 120

STALLING = """
import ctypes, os, sys
from scrubline.models import at_once, faults
from scrubline.pipeline import cli, ending

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
if operation == "hear":
    from scrubline.pipeline.supervisor import Supervisor
    Supervisor._hear = lambda self, child, answer: never_answers()
cli.command()
"""


@pytest.fixture(autouse=True)
def _quick_children(tmp_path_factory, monkeypatch):
    """Spares child processes what Beam would import and no test needs."""
    folder = tmp_path_factory.mktemp("absent")
    for name in ("boto3", "pymongo"):
        (folder / f"{name}.py").write_text("raise ImportError")
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)


@pytest.fixture
def options(options, tmp_path):
    source = write_corpus(tmp_path / "small", notes=12, files=3, broken=False)
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


def assert_goes_on(options, tmp_path):
    undisturbed = dataclasses.replace(options, output=str(tmp_path / "undisturbed"))
    expected = digests(scrub(Storage(), undisturbed))
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
        *((place, signal.SIGTERM) for place in PLACES),
        *((place, signal.SIGINT) for place in ("gates", "the manifest")),
        ("gates", signal.SIGHUP),
    ],
)
def test_a_signal_ends_the_launcher_wherever_it_waits(options, tmp_path, place, number):
    operation, part, resumable = PLACES[place]
    process = start(operation, part, *words_of(options))
    process.send_signal(number)
    out, err = process.communicate(timeout=SOON)
    assert (process.returncode, set(out.split())) in ((1, set()), (1, {"stalled"})), err
    assert "stopped." in err and "Traceback" not in err
    assert ("go on with `scrubline resume`" in err) == resumable
    assert not (Path(options.output) / "_SUCCESS").exists()
    if resumable:
        assert_goes_on(options, tmp_path)


def test_a_signal_ends_a_launcher_whose_workers_run(options, tmp_path):
    process = start("hear", "", *words_of(options), "--workers", "2")
    process.send_signal(signal.SIGTERM)
    # The pipe of standard error is theirs too: this ends when they have.
    assert "stopped." in process.communicate(timeout=SOON)[1]
    assert process.returncode == 1
    assert_goes_on(options, tmp_path)


@pytest.mark.parametrize("part", ["/manifest.json", "/audit/"])
def test_a_signal_ends_verify(options, part):
    scrub(Storage(), options)
    process = start("read", part, "verify", "--output", options.output)
    process.send_signal(signal.SIGTERM)
    assert "stopped." in process.communicate(timeout=SOON)[1]
    assert process.returncode == 1


@pytest.mark.parametrize("workers", [0, 1])
def test_a_launcher_without_progress_ends_itself_and_says_where_it_was(options, tmp_path, workers):
    words = (*words_of(options), "--workers", workers, "--watchdog-seconds", "1")
    process = start("write", "/manifest.json", *words)
    out, err = process.communicate(timeout=SOON)
    assert (process.returncode, set(out.split())) in ((1, set()), (1, {"stalled"})), err
    assert "there was no sign of progress for" in err and "never_answers" in err, err
    assert "promote < execute" in err and str(tmp_path) not in err
    assert_goes_on(options, tmp_path)


def test_the_watchdog_counts_silence_and_not_time(monkeypatch):
    monkeypatch.setattr(ending, "TICK_SECONDS", 0.01)
    monkeypatch.setattr(ending, "LEAST_PATIENCE_SECONDS", 0.0)
    ended = threading.Event()
    monkeypatch.setattr(ending, "end_now", lambda words: ended.set())
    moments = iter(range(0, 10**9, 3600))
    monkeypatch.setattr(ending.time, "monotonic", lambda: next(moments))  # stopped for hours
    with ending.ended_without_progress(watchdog_seconds=100 * 0.02 / ending.PATIENCE):
        assert not ended.wait(0.05)
    with ending.ended_without_progress(watchdog_seconds=0.02):
        assert ended.wait(SOON)


@pytest.mark.parametrize(
    ("command", "stalls", "advice"),
    [
        ("scrub", "runs.scrub", "No run was begun: give the same command again. If storage"),
        ("scrub", "runs.execute", "kept: go on with `scrubline resume`. If storage is only slow"),
        ("resume", "runs.resume", "kept: go on with `scrubline resume`. If storage is only slow"),
        ("plan", "runs.plan_and_freeze", "Look whether storage answers, then give the same"),
        ("verify", "verify.verify", "Look whether storage answers, then give the same command"),
        ("diff", "differences.diff", "Look whether storage answers, then give the same command"),
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
        assert ended.wait(SOON)
        raise UsageError("ended")

    monkeypatch.setattr(ending, "TICK_SECONDS", 0.01)
    monkeypatch.setattr(ending, "LEAST_PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(ending, "end_now", end_now)
    monkeypatch.setattr(cli, "WATCHDOG_SECONDS", 0.01)
    monkeypatch.setattr(f"scrubline.pipeline.{stalls}", stalled)
    words = [command, *words_of(options)[1:]] if command in ("scrub", "plan") else [command]
    if command in ("verify", "diff", "resume"):
        Path(options.output).mkdir()
        words += ["--output", options.output]
    if command == "plan":
        (tmp_path / "how.toml").write_text("watchdog_seconds = 0.01")
        words += ["--config", str(tmp_path / "how.toml")]
    elif command in ("scrub", "resume"):
        # Long enough to come to the run; four times this is how long it may be silent.
        words += ["--watchdog-seconds", "0.5" if stalls == "runs.execute" else "0.01"]
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
        "import sys, threading; from scrubline.pipeline import cli, ending\n"
        "ending.FINAL_SECONDS = 0.1\n"
        "threading.Thread(target=threading.Event().wait).start()\n"
        "cli.command()"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, "status", "--output", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=SOON,
    )
    assert ended.returncode == 2
    assert "there is no such output" in ended.stderr


def test_too_few_threads_are_a_clear_message(monkeypatch, scrubline, tmp_path):
    from scrubline.pipeline import cli

    def command(parsed):
        parsed.frozen = True
        raise RuntimeError("can't start new thread")

    monkeypatch.setitem(cli.COMMANDS, "status", command)
    code, _, err = scrubline("status", "--output", tmp_path)
    assert code == 1
    assert (
        "no thread or process could be started" in err
        and "resume" in err
        and "report this line" not in err
    )


def test_an_output_that_was_stopped_while_it_was_published_verifies_later(options, tmp_path):
    process = start("move to", "/audit/", *words_of(options))
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=SOON)
    assert_goes_on(options, tmp_path)
    faults, _ = verify(Storage(), options.output, originals=True, key_source=None)
    assert faults == []
    assert json.loads((Path(options.output) / "manifest.json").read_bytes())["parts"]
