"""Processes of Scrubline that begin with everything imported: forked on request of `stub.c`.

    [LD_PRELOAD=shim.so] python zygote.py SOCKET STUB

Starting a launcher and a worker by `python -m` takes most of the time of a small run. Here a
process imports once what both of them need, and forks itself for each. `sys.executable` is the
stub, so a launcher that starts a worker by its command line gets one that was forked too.

In the fork nothing of Scrubline differs, but that no disk is waited for. With the shim of
`tests/faults` waits between tries are short, too, and what the environment asks for is injected, by
the shim (SCRUBLINE_FAULTS) and at the seam of storage (SCRUBLINE_SEAM).
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import gc
import io
import os
import resource
import runpy
import selectors
import signal
import socket
import struct
import subprocess
import sys
import time
import types
from pathlib import Path
from typing import Any

SHORTEST_SECONDS = 0.01
ENDING_SECONDS = 60.0
"""Patience with threads that are about to end."""

_sleep = time.sleep


def _brief(seconds: float) -> None:
    """Waits between tries and looks, but hardly."""
    _sleep(min(seconds, SHORTEST_SECONDS))


def _shim() -> Any:
    """The shim's functions; None where it was not preloaded."""
    library = ctypes.CDLL(None)
    return library if hasattr(library, "faults_arm") else None


def _preload(stub: str) -> None:
    """Imports what launchers and workers import, without a thread."""
    if _shim() is not None:
        time.sleep = _brief
        subprocess._USE_VFORK = False  # type: ignore[attr-defined]  # the shim sees fork, not vfork
    sys.executable = stub
    del sys.path[0]  # of this file; a fork gets its own
    import apache_beam.runners.portability.fn_api_runner  # noqa: F401
    import pyarrow.dataset  # noqa: F401
    import pyarrow.parquet  # noqa: F401
    import s3fs  # noqa: F401
    from scrubline.models.formats import FORMATS  # noqa: F401
    from scrubline.models.jobs import steps  # noqa: F401
    from scrubline.pipeline import run  # noqa: F401
    from scrubline.pipeline.runners import beam as execute  # noqa: F401

    tests = Path(__file__).parents[1]
    runpy.run_path(str(tests / "quick_beam.py"))["answer_once"]()
    if _shim() is None:  # which is asked for a disk, too, and does not wait either
        runpy.run_path(str(tests / "quick_disk.py"))["wait_for_no_disk"]()
    _warm_up()
    gc.freeze()  # so that collections in forks leave these pages shared
    deadline = time.monotonic() + ENDING_SECONDS
    while (left := _threads() - {"jemalloc_bg_thd"}) and time.monotonic() < deadline:
        _sleep(SHORTEST_SECONDS)  # the command's own watcher of signals is about to end
    assert not left, f"one with threads cannot be forked: {left}"


def _warm_up() -> None:
    """Scrubs a text, so that rules, lists and tables are in memory."""
    from scrubline.pipeline.cli import main as cli

    before = sys.stdin, sys.stdout
    sys.stdin = io.TextIOWrapper(io.BytesIO(b"Seen 1/2/2019 by Dr. Smith. MRN: 123456.\n"))
    sys.stdout = io.TextIOWrapper(io.BytesIO())
    try:
        cli.main(["scrub", "-", "--model", "none"])
    except SystemExit as ended:
        assert not ended.code, "cannot scrub a text"
    finally:
        sys.stdin, sys.stdout = before


def _threads() -> set[str]:
    """Names of the threads beside the main one. Arrow's jemalloc takes care of its own in forks."""
    others = [task for task in os.listdir("/proc/self/task") if int(task) != os.getpid()]
    found = set()
    for task in others:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has ended
            found.add(Path(f"/proc/self/task/{task}/comm").read_text().strip())
    return found


def _received(line: socket.socket) -> tuple[list[str], str, dict[str, str], list[int]]:
    """Words, folder, environment and streams of a request."""
    size, streams, _, _ = socket.recv_fds(line, 4, 3)
    left, content = struct.unpack("I", size)[0], b""
    while len(content) < left:
        content += line.recv(left - len(content))
    count, *rest = os.fsdecode(content).split("\0")[:-1]
    words, (folder, *pairs) = rest[: int(count)], rest[int(count) :]
    return words, folder, dict(pair.split("=", 1) for pair in pairs), streams


def _limits(line: socket.socket) -> dict[int, tuple[int, int]]:
    """Limits of the process at the other end, which its fork has too."""
    pid, _, _ = struct.unpack("3i", line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    kinds = [value for name, value in vars(resource).items() if name.startswith("RLIMIT_")]
    try:
        return {kind: resource.prlimit(pid, kind) for kind in kinds}
    except ProcessLookupError:  # who asked has been killed
        return {}


def _become(words: list[str], folder: str, environment: dict[str, str], streams: list[int]) -> None:
    """Makes this fork the process that was asked for; returns or raises when that ends."""
    faulthandler.register(signal.SIGUSR1)  # the laboratory asks those that hang where they are
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    kind, what, sys.argv, first = _asked(words)
    if first is not None:
        sys.path.insert(0, first)
    works = what.endswith(".worker")
    if seam := environment.get("SCRUBLINE_SEAM"):
        from tests.faults import seam as hooks

        hooks.install(seam, "w" if works else "l")
    if (shim := _shim()) is not None:
        text = environment.get("SCRUBLINE_FAULTS", "").encode()
        assert shim.faults_arm(text, ctypes.c_char(b"w" if works else b"l")) >= 0, "bad rules"
    if kind == "-c":
        sys.modules["__main__"] = main = types.ModuleType("__main__")
        exec(compile(what, "<string>", "exec"), main.__dict__)
    elif kind == "script":
        runpy.run_path(what, run_name="__main__")
    elif works:
        from scrubline.pipeline.runners import worker

        worker.main()
    elif what == "scrubline.pipeline.cli.main":
        from scrubline.pipeline.cli import main as cli

        cli.command()
    else:
        runpy.run_module(what, run_name="__main__", alter_sys=True)


def _asked(words: list[str]) -> tuple[str, str, list[str], str | None]:
    """What a command line of Python asks for.

    Returns:
        "-m", "-c" or "script"; the module, code or file; `sys.argv`; first folder of `sys.path`.
    """
    safe = words[1] == "-P"
    kind, *rest = words[2:] if safe else words[1:]
    if kind in ("-m", "-c"):
        what, *rest = rest
        return kind, what, [what if kind == "-m" else kind, *rest], None if safe else os.getcwd()
    assert not kind.startswith("-"), f"a fork cannot be started with {kind}"
    return "script", kind, [kind, *rest], str(Path(kind).resolve().parent)


def _serve(path: str) -> tuple[list[str], str, dict[str, str], list[int]]:
    """Forks on request until standard input ends; returns in forks only."""
    selector = selectors.DefaultSelector()
    door = socket.socket(socket.AF_UNIX)
    door.bind(path)
    door.listen(64)
    selector.register(door, selectors.EVENT_READ, "door")
    selector.register(0, selectors.EVENT_READ, "end")
    print("ready", flush=True)
    children: dict[int, tuple[int, socket.socket]] = {}
    while True:
        for key, _ in selector.select():
            if key.data == "end":
                for pid, _ in children.values():
                    os.kill(pid, signal.SIGKILL)
                os._exit(0)
            elif key.data == "door":
                line, _ = door.accept()
                request = _received(line)
                limits = _limits(line)
                pid = os.fork()
                if pid == 0:
                    selector.close()
                    door.close()
                    line.close()
                    for handle, (_, other) in children.items():
                        os.close(handle)
                        other.close()
                    for kind, limit in limits.items():
                        resource.setrlimit(kind, limit)
                    return request
                for stream in request[3]:
                    os.close(stream)
                handle = os.pidfd_open(pid)
                children[handle] = pid, line
                selector.register(handle, selectors.EVENT_READ, "ended")
                selector.register(line, selectors.EVENT_READ, handle)
            elif key.data == "ended":
                pid, line = children.pop(key.fd)
                _, status = os.waitpid(pid, 0)
                selector.unregister(key.fd)
                os.close(key.fd)
                selector.unregister(line)
                with contextlib.suppress(OSError):  # who asked has been killed
                    line.send(struct.pack("i", os.waitstatus_to_exitcode(status)))
                line.close()
            elif key.data in children:  # the stub has ended: it was killed
                os.kill(children[key.data][0], signal.SIGKILL)


if __name__ == "__main__":
    _preload(sys.argv[2])
    _become(*_serve(sys.argv[1]))
