"""Private files to which lines are only ever added, each on disk before anybody goes on.

A line that a killed process left without its end was never acknowledged to anybody: it is dropped,
by readers and by whoever adds the next line.

Where rows have the hash of the row before, those that were changed, taken out or put between show.
That the last ones were cut off does not, nor that somebody wrote all of it anew: copies of its end
elsewhere show that.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar

from ..core.checked_json import parse_json
from ..storage.private_files import FLAGS, read_private, require_private, sync_folder

FIRST = "0" * 64
"""In place of the hash of a row before the first."""

PLACE = "restricted/review"
"""What messages call the folder of such files."""

_TAIL_BYTES = 65_536


class ChainedRow(Protocol):
    """A row with its number, from 1, and the hash of the row before."""

    @property
    def seq(self) -> int:
        """Its number."""

    @property
    def prev(self) -> str:
        """See `hash_of_row`."""


Row = TypeVar("Row", bound=ChainedRow)


def whole_lines(content: bytes) -> list[bytes]:
    """The lines that have their end, without it."""
    return content.split(b"\n")[:-1]


def hash_of_row(line: bytes | None) -> str:
    """What the next row says of a line without its end; of None, that there is none."""
    return FIRST if line is None else hashlib.sha256(line).hexdigest()


def walk_chain(content: bytes, kind: type[Row]) -> Iterator[tuple[Row | None, bool]]:
    """Yields each whole line as a row, None if it is none, and whether it follows from the last."""
    expected = FIRST
    for number, line in enumerate(whole_lines(content), 1):
        row = None
        with contextlib.suppress(ValueError):
            row = parse_json(line, kind)
        yield row, row is not None and (row.seq, row.prev) == (number, expected)
        expected = hash_of_row(line)


def append_line(path: str, make: Callable[[bytes | None], bytes]) -> bytes:
    """Adds a line to a file that is the user's alone, and waits until it is on disk.

    Whoever else adds to the file waits. What could not be written whole is taken back.

    Args:
        path: of a local file; it is made if there is none.
        make: gives the line with its end, of the last whole one that is there, or None; b"" to
            add none.

    Raises:
        UsageError: if the file is open to others, or no file.
        OSError: if the line cannot be written; the file then ends as before.
    """
    is_new = not os.path.lexists(path)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | FLAGS, 0o600)
    try:
        require_private(os.fstat(descriptor), PLACE)
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
        sync_folder(os.path.dirname(path))
    return line


def read_lines(path: str) -> bytes:
    """The content of such a file; nothing if there is none. See `read_private`."""
    return read_private(path, PLACE) or b""


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
