"""The memory of the command's processes is in no core; other processes are left as they are."""

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from scrubline.pipeline.process import core_dumps as memory_dumps

from ...waiting import GUARD_SECONDS
from .. import hostile_worker

CANARY = "Quuxford"
PR_GET_DUMPABLE = 3

SHOW = f"""
import ctypes, json, resource
marks = [*resource.getrlimit(resource.RLIMIT_CORE)]
try:
    marks.append(ctypes.CDLL(None).prctl({PR_GET_DUMPABLE}, 0, 0, 0, 0))
except AttributeError:
    marks.append(None)
print(json.dumps(marks), flush=True)
"""
"""Prints the limit on core files, soft and hard, and whether the process can be dumped."""

linux = pytest.mark.skipif(sys.platform != "linux", reason="the mark is Linux's")


def python(code, *, cwd=None, **environment):
    """Runs a program that may write cores of any size."""
    most = resource.getrlimit(resource.RLIMIT_CORE)[1]
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        timeout=GUARD_SECONDS,
        cwd=cwd,
        env=os.environ | environment,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (most, most)),
    )


def marks_after(code, **environment):
    done = python(code + SHOW, **environment)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout.splitlines()[-1])


NOTHING = marks_after("")
"""What a process has that nothing marked."""

COMMAND = """
import sys
from scrubline.pipeline.cli import main as cli
from scrubline.pipeline.commands import policy
sys.argv = ["scrubline", "policy", "list"]
policy.run = lambda parsed: exec(SHOW) or 0
SHOW = '''%s'''
cli.command()
"""


def test_importing_and_using_the_library_changes_nothing():
    code = """
import scrubline.pipeline.cli.main, scrubline.pipeline.runners.worker
from scrubline.models.scrubber import Scrubber
Scrubber(recognisers=("date",)).scrub("Seen on 3/4/2019.")
try:
    scrubline.pipeline.cli.main.main(["policy", "list"])
except SystemExit:
    pass
"""
    assert marks_after(code) == NOTHING


@linux
def test_the_command_cannot_be_dumped_unless_a_variable_says_so():
    done = python(COMMAND % SHOW)
    assert (done.returncode, json.loads(done.stdout)) == (0, [0, 0, 0])
    assert b"DUMPABLE" not in done.stderr
    done = python(COMMAND % SHOW, SCRUBLINE_DUMPABLE="1")
    assert (done.returncode, json.loads(done.stdout)) == (0, NOTHING)
    assert done.stderr.count(b"SCRUBLINE_DUMPABLE=1") == 1
    done = python(COMMAND % SHOW, SCRUBLINE_DUMPABLE="0")
    assert (done.returncode, json.loads(done.stdout)) == (0, [0, 0, 0])


WORKER = """
import os
from scrubline.pipeline.runners import worker
reading, writing = os.pipe()
os.close(writing)
os.dup2(reading, 0)  # the supervisor is dead: the worker ends at once
out = os.dup(1)
worker.main()
os.dup2(out, 1)
"""


@linux
def test_a_worker_marks_itself_for_exec_takes_the_mark_of_its_launcher_away():
    assert marks_after(WORKER) == [0, 0, 0]
    assert marks_after(WORKER, SCRUBLINE_DUMPABLE="1") == NOTHING


@linux
def test_processes_of_training_keep_the_mark():
    fork = "import os\nfrom scrubline.pipeline.process.core_dumps import forbid_dumps\n"
    fork += "forbid_dumps()\n"
    fork += "if os.fork():\n    os.wait()\n    os._exit(0)\n"
    assert marks_after(fork) == [0, 0, 0]


@linux
def test_what_the_command_reads_of_its_own_processes_can_be_read_by_any_user():
    code = """
import ctypes, encodings.ascii, json, os, resource, signal
from scrubline.pipeline.process.core_dumps import forbid_dumps
from scrubline.pipeline.metrics import peak_memory
if os.getuid() == 0:  # all is imported: another user may not read this installation
    os.setgid(65534)
    os.setuid(65534)
forbid_dumps()
assert open("/proc/self/status").read()
assert peak_memory() > 1 << 20
assert os.readlink("/proc/self/ns/pid")
handle = os.open("/dev/null", os.O_RDONLY)
assert os.readlink(f"/proc/self/fd/{handle}") == "/dev/null"
os.close(os.open(f"/dev/fd/{handle}", os.O_RDONLY))
child = os.fork()
if not child:
    signal.pause()
for name in ("status", "stat", "statm", "cgroup"):
    assert open(f"/proc/{child}/{name}").read()
os.kill(child, 9)
os.wait()
"""
    assert marks_after(code) == [0, 0, 0]


CRASH = """
import os, signal
from scrubline.pipeline.process.core_dumps import forbid_dumps
canary = "Quux" + "ford" * 1000
forbid_dumps()
os.kill(os.getpid(), signal.SIGSEGV)
"""


def cores_are_files_here():
    """Whether the system writes cores into the folder of the process, and may."""
    pattern = Path("/proc/sys/kernel/core_pattern")
    if not pattern.exists() or pattern.read_text().strip().startswith(("|", "/")):
        return False
    return resource.getrlimit(resource.RLIMIT_CORE)[1] != 0


@linux
def test_a_crash_leaves_no_core(tmp_path):
    done = python(CRASH, cwd=tmp_path)
    assert done.returncode == -signal.SIGSEGV
    assert list(tmp_path.iterdir()) == []
    if cores_are_files_here():  # the search itself works: without the mark there is one
        python(CRASH, cwd=tmp_path, SCRUBLINE_DUMPABLE="1")
        assert len(list(tmp_path.iterdir())) == 1


@linux
@pytest.mark.slow
def test_a_worker_that_crashes_in_a_run_leaves_no_core(tmp_path):
    """A document that kills its worker by SIGSEGV, until it is quarantined."""
    rows = [{"note_id": n, "text": f"{CANARY} {n}"} for n in range(6)]
    rows[3]["text"] += f" {hostile_worker.CRASH}"
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "key.txt").write_text("scrubline-key-v1:" + "QUJD" * 10 + "QUI=\n")
    folder = tmp_path / "here"
    folder.mkdir()
    line = ["scrub", "--input", str(tmp_path / "in.jsonl"), "--output", str(tmp_path / "out")]
    line += ["--key-file", str(tmp_path / "key.txt"), "--model", "none", "--workers", "1"]
    line += ["--column", "note_id=id", "--column", "text=text", "--max-quarantined", "1"]
    most = resource.getrlimit(resource.RLIMIT_CORE)[1]
    done = subprocess.run(
        [sys.executable, hostile_worker.__file__, "run", *line],
        capture_output=True,
        timeout=GUARD_SECONDS,
        cwd=folder,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (most, most)),
    )
    assert done.returncode == 0, done.stderr.decode()
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    assert manifest["errors"] == {"skip-list: KillsWorker": 1}
    assert list(folder.iterdir()) == []


def test_the_warning_names_the_variable():
    assert memory_dumps.WARNING.startswith(f"{memory_dumps.VARIABLE}=1")
