"""Local files to which lines are only ever added, each on disk before anybody goes on.

A line that a killed process left without its end was never acknowledged to anybody: it is dropped,
by readers and by whoever adds the next line.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
from collections.abc import Callable

from ..core.errors import UsageError

_TAIL_BYTES = 65_536


def whole_lines(content: bytes) -> list[bytes]:
    """The lines that have their end, without it."""
    return content.split(b"\n")[:-1]


def append_line(path: str, make: Callable[[bytes | None], bytes]) -> bytes:
    """Adds a line to a file that is the user's alone, and waits until it is on disk.

    Whoever else adds to the file waits. What could not be written whole is taken back.

    Args:
        path: of a local file; it is made if there is none.
        make: gives the line with its end, of the last whole one that is there, or None.

    Raises:
        UsageError: if the file is open to others, or no file.
        OSError: if the line cannot be written; the file then ends as before.
    """
    is_new = not os.path.lexists(path)
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    descriptor = os.open(path, flags, 0o600)
    try:
        require_private(os.fstat(descriptor))
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        size, last = _last_line(descriptor)
        line = make(last)
        os.ftruncate(descriptor, size)
        try:
            _write(descriptor, size, line)
            os.fsync(descriptor)
        except OSError:
            with contextlib.suppress(OSError):  # else the next line that is added does it
                os.ftruncate(descriptor, size)
            raise
    finally:
        os.close(descriptor)
    if is_new:
        _sync_folder(os.path.dirname(path))
    return line


def read_lines(path: str) -> bytes:
    """The content of such a file; nothing if there is none.

    Raises:
        UsageError: if the file is open to others, or no file.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return b""
    with os.fdopen(descriptor, "rb") as file:
        require_private(os.fstat(descriptor))
        return file.read()


def require_private(status: os.stat_result, *, folder: bool = False) -> None:
    """Refuses what others can read or change, and what is of another kind.

    Raises:
        UsageError: saying what to do.
    """
    is_kind = stat.S_ISDIR if folder else stat.S_ISREG
    if not is_kind(status.st_mode):
        raise UsageError("review: a file of the review is of another kind: move it away")
    if stat.S_IMODE(status.st_mode) & 0o077 or status.st_uid != os.geteuid():
        raise UsageError(
            "review: the folder of the review must belong to you and have mode 0700, its files "
            "0600: whoever may have read or changed it has to be asked about first; then `chmod`"
        )


def _write(descriptor: int, at: int, line: bytes) -> None:
    done = 0
    while done < len(line):
        done += os.pwrite(descriptor, line[done:], at + done)


def _last_line(descriptor: int) -> tuple[int, bytes | None]:
    """Where the last whole line ends, and that line without its end."""
    size = os.fstat(descriptor).st_size
    tail, begin = b"", size
    while begin > 0 and tail.count(b"\n") < 2:
        step = min(_TAIL_BYTES, begin)
        begin -= step
        tail = os.pread(descriptor, step, begin) + tail
    end = tail.rfind(b"\n")
    if end < 0:
        return 0, None
    return begin + end + 1, tail[tail.rfind(b"\n", 0, end) + 1 : end]


def _sync_folder(path: str) -> None:
    descriptor = os.open(path or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
