"""A worker whose detectors and storage misbehave, as a process of its own: `python hostile_worker.py`.

Texts decide what happens: markers kill, hang or raise. The environment variable HOSTILE_FAULTS (a share)
makes writes fail. Nothing else differs from the worker that is shipped.
"""

import errno
import logging
import os
import random
import signal
import sys
import time
import types
import warnings

KILL, EXIT, HANG, LEAK = "TESTKILL", "TESTEXIT", "TESTHANG", "TESTLEAK"
COMMAND = (sys.executable, __file__)


def hostile(recognise_all):
    """Wraps `recognise_all` so that marked texts do harm."""

    def wrapped(document, context, names):
        if KILL in document.text:
            os.kill(os.getpid(), signal.SIGKILL)
        if EXIT in document.text:
            os._exit(7)
        if HANG in document.text:
            time.sleep(3600)
        if LEAK in document.text:
            # All that a careless library may do with what it is given.
            print(document.text)
            warnings.warn(document.text, stacklevel=1)
            logging.getLogger("careless").error("cannot parse %s", document.text)
            raise ValueError(f"cannot parse {document.text}")
        return recognise_all(document, context, names)

    return wrapped


class FaultyOs(types.ModuleType):
    """The module `os` with writes that fail now and then, naming the file."""

    def __init__(self, share, seed):
        super().__init__("os")
        self._random, self.share, self.failed = random.Random(seed), share, 0

    def __getattr__(self, name):
        return getattr(os, name)

    def maybe(self, path):
        if self._random.random() < self.share:
            self.failed += 1
            raise OSError(errno.EIO, "Input/output error", str(path))

    def open(self, path, flags, *rest):
        if flags & os.O_CREAT:
            self.maybe(path)
        return os.open(path, flags, *rest)

    def pwrite(self, descriptor, data, offset):
        self.maybe(descriptor)
        return os.pwrite(descriptor, data, offset)

    def replace(self, old, new):
        self.maybe(new)
        os.replace(old, new)


def harm():
    """Makes this process hostile."""
    from scrubline.models import steps, storage

    steps.recognise_all = hostile(steps.recognise_all)
    if share := float(os.environ.get("HOSTILE_FAULTS", "0")):
        storage.os = FaultyOs(share, os.getpid())
        # The last field is `sleep`: a test cannot wait as long as a run can.
        defaults = storage.Storage.__init__.__defaults__
        assert defaults[-1] is time.sleep
        storage.Storage.__init__.__defaults__ = (*defaults[:-1], lambda seconds: None)


if __name__ == "__main__":
    harm()
    from scrubline.pipeline import worker

    worker.main()
