"""A lock on a local disk: a file that one process holds by `flock`; it ends with that process.

It works on network file systems that take `flock` too. What stands in the file is for people.
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

from ..dictionaries.files import NotARegularFile, open_regular
from .errors import OutputBusy, UsageError
from .faults import Retrying, failure_class
from .folders import PRIVATE_FILE, entered
from .locks import NOBODY, Holder

_log = logging.getLogger(__name__)

_UNWRITABLE = frozenset({errno.EACCES, errno.EEXIST, errno.ENOTDIR, errno.EPERM, errno.EROFS})
"""Of a place, not of its state: no later try helps."""

_NO_FILES = frozenset({errno.EISDIR, errno.ELOOP, errno.ENXIO})
"""Of a lock that is a folder, a link, or a socket."""

_IS_NO_FILE = (
    "restricted/LOCK of the output is a link, a pipe or a folder, and has to be a file: remove it"
)
_MOST_BYTES = 1 << 16
"""Read of a lock; holders write some hundred."""

_CANNOT_BE_MADE = (
    "the output cannot be made: its file system takes no new folder there; expected a folder, "
    "there or to be made, in which this user may write"
)

_LOOKS, _LOOK_SECONDS = 5, 0.02


@contextlib.contextmanager
def held(retrying: Retrying, url: str, path: str, root: str) -> Iterator[None]:
    """Holds a lock for a `with` block.

    Args:
        path: absolute, of the lock.
        root: of the output; see `folders.entered`.

    Raises:
        OutputBusy: if another process holds it.
        UsageError: if the output may not be written, or the lock is something else than a lock.
    """
    descriptor = retrying.retry("lock", url, functools.partial(_opened, path, root))
    try:
        try:
            _take(descriptor)
        except BlockingIOError:
            raise OutputBusy(
                "another process works on this output: wait until it has ended"
            ) from None
        except OSError as error:
            _log.warning(
                "the output's file system takes no locks (%s): make sure that only one "
                "process works on it",
                failure_class(error),
            )
        content = retrying.retry("read", url, lambda: os.pread(descriptor, _MOST_BYTES, 0))
        if not Holder.may_have_written(content):
            raise UsageError(
                "restricted/LOCK of the output holds something that no run wrote, which is "
                "left as it is: look at it, and remove it if nothing needs it"
            )
        with contextlib.suppress(OSError):  # it only tells: the lock itself is held
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, Holder.this_process(time.time()).to_bytes(), 0)
        yield
    finally:
        os.close(descriptor)


def holder_of(path: str) -> Holder | None:
    """Who holds a lock; None if no process does, `NOBODY` if it does not say who.

    Raises:
        UsageError: if this user may not look at it, or it is not a file.
    """
    try:
        descriptor = open_regular(path, follow=False)
    except FileNotFoundError:
        return None
    except PermissionError:
        raise UsageError("the lock of the output is for its owner alone to look at") from None
    except OSError as error:
        if not isinstance(error, NotARegularFile) and error.errno != errno.ELOOP:
            raise
        raise UsageError(_IS_NO_FILE) from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return Holder.from_bytes(os.pread(descriptor, _MOST_BYTES, 0)) or NOBODY
    except OSError:
        pass  # nothing can be locked there
    finally:
        os.close(descriptor)
    return None


def _opened(path: str, root: str) -> int:
    """Opens the file of a lock, made if it is not there, and nothing else than a file.

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
        f"the output cannot be written ({kind}); expected a folder, there or to be made, "
        "in which this user may write"
    )


def _take(descriptor: int) -> None:
    """Locks a file for this process; tries again, as a process that only looks at it holds it too.

    Raises:
        OSError: BlockingIOError if another process holds it.
    """
    for _ in range(_LOOKS - 1):
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        time.sleep(_LOOK_SECONDS)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
