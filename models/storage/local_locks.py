"""A lock on a local disk: a file that one process holds by `flock`; it ends with that process.

It also works on network file systems that support `flock`. The content of the file is for people.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import functools
import logging
import os
import stat
import time
from collections.abc import Iterator

from ...dictionaries.files import NotARegularFile, open_regular
from ..core.errors import OutputBusy, UsageError
from .folders import PRIVATE_FILE, entered
from .lock_holder import Holder, holder_in
from .retries import Retrying, failure_class

_log = logging.getLogger(__name__)

_UNWRITABLE = frozenset({errno.EACCES, errno.EEXIST, errno.ENOTDIR, errno.EPERM, errno.EROFS})
"""Errors of the place, not of its state: no later try helps."""

_NO_FILES = frozenset({errno.EISDIR, errno.ELOOP, errno.ENXIO})
"""Errors for a lock that is a folder, a link or a socket."""

_IS_NO_FILE = (
    "restricted/LOCK of the output is a link, a pipe or a folder instead of a file: remove it"
)
_MOST_BYTES = 1 << 16
"""How much of a lock is read; holders write a few hundred bytes."""

_CANNOT_BE_MADE = (
    "the output folder cannot be created here; expected a folder that exists or can be created, "
    "in which this user may write"
)

_TRIES, _WAIT_SECONDS = 5, 0.02


@contextlib.contextmanager
def held(retrying: Retrying, url: str, path: str, root: str) -> Iterator[None]:
    """Holds a lock for a `with` block.

    Args:
        path: absolute, of the lock.
        root: of the output; see `folders.entered`.

    Raises:
        OutputBusy: if another process holds it.
        UsageError: if the output may not be written, or the file is not a lock.
    """
    descriptor = retrying.retry("lock", url, functools.partial(_opened, path, root))
    try:
        try:
            _take(descriptor)
        except BlockingIOError:
            raise OutputBusy(
                "another process is working on this output: wait until it has ended"
            ) from None
        except OSError as error:
            _log.warning(
                "the file system of the output does not support locks (%s): make sure that only "
                "one process works on this output",
                failure_class(error),
            )
        content = retrying.retry("read", url, lambda: os.pread(descriptor, _MOST_BYTES, 0))
        if not Holder.may_have_written(content):
            raise UsageError(
                "restricted/LOCK of the output was not written by a run and is left as it is: "
                "check it, and remove it if it is not needed"
            )
        with contextlib.suppress(
            OSError
        ):  # the content is only information: the lock itself is held
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, Holder.this_process(time.time()).to_bytes(), 0)
        yield
    finally:
        os.close(descriptor)


def holder_of(path: str) -> Holder | None:
    """Who holds a lock; None if no process does, `UNKNOWN_HOLDER` if it does not say who.

    Raises:
        UsageError: if this user may not read it, or it is not a file.
    """
    try:
        descriptor = open_regular(path, follow=False)
    except FileNotFoundError:
        return None
    except PermissionError:
        raise UsageError(
            "only the owner of the output may read its lock: use that account"
        ) from None
    except OSError as error:
        if not isinstance(error, NotARegularFile) and error.errno != errno.ELOOP:
            raise
        raise UsageError(_IS_NO_FILE) from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return holder_in(os.pread(descriptor, _MOST_BYTES, 0))
    except OSError:
        pass  # nothing can be locked there
    finally:
        os.close(descriptor)
    return None


def _opened(path: str, root: str) -> int:
    """Opens the file of a lock, creating it if necessary, and only if it is a regular file.

    Raises:
        UsageError: if it is something else, or the output may not be written.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        with entered(path, root, make=True) as (folder, name):
            descriptor = os.open(name, flags, PRIVATE_FILE, dir_fd=folder)
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return descriptor
        os.close(descriptor)
        kind = ""
    except OSError as error:
        if isinstance(error, FileNotFoundError):  # of /proc and the like, which make no folders
            raise UsageError(_CANNOT_BE_MADE) from None
        if error.errno not in _UNWRITABLE | _NO_FILES:
            raise
        kind = "" if error.errno in _NO_FILES else failure_class(error)
    if not kind:
        raise UsageError(_IS_NO_FILE)
    raise UsageError(
        f"the output cannot be written ({kind}); expected a folder that exists or can be created, "
        "in which this user may write"
    )


def _take(descriptor: int) -> None:
    """Locks a file for this process; retries, as a process that only reads it holds it briefly too.

    Raises:
        OSError: BlockingIOError if another process holds it.
    """
    for _ in range(_TRIES - 1):
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        time.sleep(_WAIT_SECONDS)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
