"""A worker whose detectors and storage misbehave: `python hostile_worker.py`.

With `run` and a command line, a launcher whose storage and workers do; with `command-lines`, a list
of such lines in JSON from standard input. The folder `hostile_site` on PYTHONPATH makes Python
workers of engines hostile.

Texts decide what happens: markers kill, hang or raise. The environment variable HOSTILE_FAULTS (a
share) makes writes fail, HOSTILE_ROWS (a number) lets memory run out where a batch has more rows,
HOSTILE_HANGS (a folder) gets a file for each worker that hangs, named by its process id.
Nothing else differs from the worker that is shipped.
"""

import errno
import logging
import os
import random
import resource
import runpy
import signal
import sys
import threading
import types
import warnings

KILL, EXIT, HANG, LEAK = "TESTKILL", "TESTEXIT", "TESTHANG", "TESTLEAK"
OOM, SHORT = "TESTOOM", "TESTSHORT"
"""As the kernel does where memory runs out, and as Python does."""
CRASH = "TESTCRASH"


def hostile(recognise_all):
    """Wraps `recognise_all` so that marked texts do harm."""

    def wrapped(document, context, names):
        if KILL in document.text:
            # As a fault of a library does. SIGKILL would be taken for a lack of memory.
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            os.kill(os.getpid(), signal.SIGSEGV)
        if OOM in document.text:
            os.kill(os.getpid(), signal.SIGKILL)
        if SHORT in document.text:
            raise MemoryError
        if CRASH in document.text:
            os.kill(os.getpid(), signal.SIGSEGV)
        if EXIT in document.text:
            os._exit(7)
        if HANG in document.text:
            if folder := os.environ.get("HOSTILE_HANGS"):
                open(os.path.join(folder, str(os.getpid())), "w").close()
            threading.Event().wait()
        if LEAK in document.text:
            # What careless libraries do with what they are given.
            warnings.warn(document.text, stacklevel=1)
            logging.getLogger("careless").error("cannot parse %s", document.text)
            raise ValueError(f"cannot parse {document.text}")
        return recognise_all(document, context, names)

    return wrapped


def falling_short(tokenize_documents, rows):
    """Wraps `tokenize_documents` so that memory runs out over more than so many texts at once."""

    def wrapped(texts, **more):
        if len(texts) > rows:
            raise MemoryError
        return tokenize_documents(texts, **more)

    return wrapped


class FaultyOs(types.ModuleType):
    """The module `os` with reads and writes that fail and name the file, as real errors do.

    Attributes:
        fails: asked before each operation with its name; an errno, or 0 to let it through.
        failed: how many did fail.
    """

    def __init__(self, fails):
        super().__init__("os")
        self.fails, self.failed = fails, 0

    def __getattr__(self, name):
        return getattr(os, name)

    def _maybe(self, operation, path):
        # A folder is synced where that can be done: nobody is told of faults.
        if number := 0 if os.path.isdir(path) else self.fails(operation):
            self.failed += 1
            raise OSError(number, os.strerror(number), str(path))

    def open(self, path, flags, *rest, dir_fd=None):
        if not flags & os.O_DIRECTORY:  # a folder is entered on the way to a file
            self._maybe("create" if flags & os.O_CREAT else "open", whole(path, dir_fd))
        return os.open(path, flags, *rest, dir_fd=dir_fd)

    def pread(self, descriptor, count, offset):
        self._maybe("pread", os.readlink(f"/proc/self/fd/{descriptor}"))
        return os.pread(descriptor, count, offset)

    def pwrite(self, descriptor, data, offset):
        self._maybe("pwrite", os.readlink(f"/proc/self/fd/{descriptor}"))
        return os.pwrite(descriptor, data, offset)

    def fsync(self, descriptor):
        self._maybe("fsync", os.readlink(f"/proc/self/fd/{descriptor}"))
        os.fsync(descriptor)

    def replace(self, old, new, *, src_dir_fd=None, dst_dir_fd=None):
        self._maybe("replace", whole(new, dst_dir_fd))
        os.replace(old, new, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)


def whole(path, folder):
    """A path that is relative to the descriptor of a folder, made absolute."""
    return path if folder is None else f"{os.readlink(f'/proc/self/fd/{folder}')}/{path}"


def now_and_then(share, seed, operations=("create", "pwrite", "replace", "pread")):
    """Lets operations fail by chance, as a shaky network does."""
    chance = random.Random(seed)
    return lambda operation: errno.EIO if operation in operations and chance.random() < share else 0


def break_disk(disk, put=setattr):
    """Puts a `FaultyOs` in the place of `os` in all modules that open, read, write or rename."""
    from scrubline.dictionaries import files
    from scrubline.models.storage import folders, local_locks, readers, storage, writers

    for module in (files, folders, local_locks, readers, storage, writers):
        put(module, "os", disk)


def without_waiting():
    """Defaults of `Storage` with which retries do not wait: its last field is `sleep`."""
    from scrubline.models.storage.storage import Storage

    defaults = Storage.__init__.__defaults__
    assert callable(defaults[-1])
    return (*defaults[:-1], lambda seconds: None)


def harm():
    """Makes this process hostile; to be called before Beam is imported."""
    # Beam imports these if it can, which takes longer than all the rest of a small test's worker.
    sys.modules |= dict.fromkeys(("boto3", "pymongo"))
    from scrubline.models.jobs import steps
    from scrubline.models.storage.storage import Storage

    steps.recognise_all = hostile(steps.recognise_all)
    disk = runpy.run_path(os.path.join(os.path.dirname(__file__), "../quick_disk.py"))
    disk["wait_for_no_disk"]()
    if rows := os.environ.get("HOSTILE_ROWS"):
        steps.tokenize_documents = falling_short(steps.tokenize_documents, int(rows))
    if share := float(os.environ.get("HOSTILE_FAULTS", "0")):
        break_disk(FaultyOs(now_and_then(share, os.getpid())))
        Storage.__init__.__defaults__ = without_waiting()


def command():
    """Starts this file."""
    return sys.executable, __file__


def start_hostile_workers(set_attribute):
    """Makes runs start this file as their children, by `setattr` or a test's monkeypatch."""
    import functools

    from scrubline.pipeline.runners import units
    from scrubline.pipeline.runners.supervisor import WorkerSettings

    set_attribute(units, "WorkerSettings", functools.partial(WorkerSettings, command=command()))


def command_lines(lines):
    """Runs command lines in this process, with hostile children; gives their exit codes."""
    from scrubline.pipeline.cli import main as cli

    start_hostile_workers(setattr)
    codes = []
    for line in lines:
        try:
            cli.main(line)
        except SystemExit as end:
            codes.append(end.code)
    return codes


if __name__ == "__main__":
    harm()
    if sys.argv[1:] == ["command-lines"]:
        import json

        print(json.dumps(command_lines(json.load(sys.stdin))))
    elif sys.argv[1:2] == ["run"]:
        sys.exit(*command_lines([sys.argv[2:]]))
    else:
        from scrubline.pipeline.runners import worker

        worker.main()
