"""Standard output and input: what a command prints for its user, and the one text that it reads.

Commands print through `show` and nothing else, so that a full disk or a closed pipe is recognized
as what it is, whichever command meets it. Messages go to standard error; see `logs.say`.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator

from ...models.core.errors import UsageError

_SHORTAGES = (errno.ENOMEM, errno.EMFILE, errno.ENFILE)
"""What the machine lacks; no fault of the stream."""


class StdoutError(Exception):
    """Standard output cannot be written.

    Attributes:
        is_abandoned: whether its reader has closed it, as `| head` does: no news to anyone.
    """

    def __init__(self, cause: OSError) -> None:
        # Imported late: it loads what few commands need, and none to start.
        from ...models.storage.retries import failure_class

        super().__init__(f"standard output cannot be written ({failure_class(cause)})")
        self.is_abandoned = isinstance(cause, BrokenPipeError)


def show(*lines: str, flush: bool = False) -> None:
    """Prints lines on standard output.

    Args:
        flush: whether to write them out at once, for commands that take long.

    Raises:
        StdoutError: if they cannot be written.
    """
    with _recognized():
        for line in lines:
            print(line, flush=flush)


def show_bytes(content: bytes) -> None:
    """Writes bytes to standard output as they are.

    Raises:
        StdoutError: if they cannot be written.
    """
    with _recognized():
        sys.stdout.buffer.write(content)


def flush_stdout() -> None:
    """Writes out what was printed; does nothing where standard output is closed.

    Raises:
        StdoutError: if it cannot be written. What is left is dropped: it would fail again while
            Python ends.
    """
    if sys.stdout is None or sys.stdout.closed:
        return
    try:
        with _recognized():
            sys.stdout.flush()
    except StdoutError:
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise


@contextlib.contextmanager
def _recognized() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _SHORTAGES:
            raise
        raise StdoutError(error) from None


def read_stdin_bytes() -> bytes:
    """All of standard input.

    Raises:
        UsageError: if it is closed.
    """
    if sys.stdin is None:
        raise UsageError("standard input is closed: there is nothing to read")
    return sys.stdin.buffer.read()


def read_stdin() -> str:
    """All of standard input, which must be UTF-8.

    Raises:
        UsageError: if it is closed, or not UTF-8.
    """
    try:
        return read_stdin_bytes().decode()
    except UnicodeDecodeError:
        raise UsageError("standard input is not UTF-8") from None
