"""The shim answers the interpreter's calls as its rules say, and others not at all."""

import errno
import os
import subprocess
import sys

import pytest

from ..waiting import GUARD_SECONDS

# Each prints what Python makes of the first and of the second call.
CALLS = {
    "open": "os.open(P + '/there', os.O_RDONLY)",
    "create": "os.open(P + '/new', os.O_CREAT | os.O_WRONLY)",
    "read": "os.read(there, 4)",
    "pread": "os.pread(there, 4, 0)",
    "write": "os.write(there, b'abcd')",
    "pwrite": "os.pwrite(there, b'abcd', 0)",
    "rename": "os.replace(P + '/there', P + '/there')",
    "fsync": "os.fsync(there)",
    "unlink": "os.unlink(P + '/' + next(spare))",
    "mkdir": "os.makedirs(P + '/' + next(fresh))",
    "list": "sorted(os.listdir(P))[:1]",
    "stat": "os.stat(P + '/there').st_size",
    "lock": "fcntl.flock(there, fcntl.LOCK_EX)",
    "thread": "_thread.start_new_thread(print, (), {'end': ''})",
    "malloc": "len(b'x' * next(large))",
    "mmap": "len(mmap.mmap(-1, 1 << 20))",
    "fork": "os.fork() or os._exit(0)",
    "exec": "os.execv('/bin/true', ['true']) if next(turn) else None",
}

SCRIPT = """
import _thread, ctypes, fcntl, itertools, mmap, os, sys
P = sys.argv[1]
spare, fresh = iter(["spare1", "spare2"]), iter(["fresh1", "fresh2"])
large, turn = itertools.repeat(1 << 20), iter([1, 0])
there = os.open(P + "/there", os.O_RDWR)
shim = ctypes.CDLL(None)
shim.faults_arm(sys.argv[2].encode(), ctypes.c_char(b"l"))
for _ in range(2):
    try:
        result = %s
    except (OSError, MemoryError, RuntimeError) as error:
        result = getattr(error, "errno", None) or type(error).__name__
    os.write(1, f"{result}\\n".encode())
os._exit(0)
"""


@pytest.fixture
def place(tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    for name in ("there", "spare1", "spare2"):
        (place / name).write_text("content")
    return place


@pytest.fixture
def answers(shim, place, tmp_path):
    def run(op, answer, value, first=1, times=1, where=None, role="l"):
        rule = f"{op},{answer},{value},{first},{times},{role},{place if where is None else where}"
        ended = subprocess.run(
            [sys.executable, "-c", SCRIPT % CALLS[op], place, f"{tmp_path}/counters\n{rule}"],
            env=os.environ | {"LD_PRELOAD": str(shim)},
            capture_output=True,
            text=True,
            timeout=GUARD_SECONDS,
            check=True,
        )
        return ended.stdout.split("\n")[:2]

    return run


@pytest.mark.parametrize("op", CALLS)
def test_the_call_that_is_meant_fails_and_the_next_one_does_not(answers, op):
    number = {"thread": errno.EAGAIN, "malloc": errno.ENOMEM}.get(op, errno.EIO)
    named = {"thread": "RuntimeError", "malloc": "MemoryError"}.get(op, str(number))
    where = "" if op in ("thread", "malloc", "mmap", "fork", "exec") else None
    first, second = answers(op, "error", number, where=where)
    assert first == named
    assert second != named


@pytest.mark.parametrize(
    "other", [{"where": "/elsewhere"}, {"role": "w"}, {"first": 3}], ids=["place", "role", "number"]
)
def test_what_is_not_meant_is_let_through(answers, other):
    assert str(errno.EIO) not in answers("stat", "error", errno.EIO, **other)


@pytest.mark.parametrize(
    ("op", "answer", "value", "expected"),
    [
        ("read", "short", 0, ["b'co'", "b'nten'"]),
        ("pread", "short", 0, ["b'co'", "b'cont'"]),
        ("pwrite", "short", 0, ["2", "4"]),
        ("stat", "size", 3, ["10", "7"]),
        ("unlink", "late", errno.EIO, [str(errno.EIO), "None"]),
    ],
)
def test_lies_and_short_answers(answers, place, op, answer, value, expected):
    assert answers(op, answer, value) == expected
    # `late` did what it said had failed.
    assert (place / "spare1").exists() == (op != "unlink")


def test_clocks_jump_and_waits_still_end(shim, tmp_path):
    script = (
        "import threading, time; threading.Event().wait(0.05); time.sleep(0.01); "
        "print(int(time.time()), int(time.monotonic()))"
    )
    rules = f"{tmp_path}/c\nclock,jump,-63072000,1,9999999,a,\nmonotonic,jump,7200,1,9999999,a,"

    def clocks(**environment):
        ended = subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | environment,
            capture_output=True,
            text=True,
            timeout=GUARD_SECONDS,
            check=True,
        )
        return map(int, ended.stdout.split())

    wall, steady = clocks()
    jumped, shifted = clocks(LD_PRELOAD=str(shim), SCRUBLINE_FAULTS=rules)
    assert jumped < wall - 60_000_000
    assert shifted >= steady + 7200
