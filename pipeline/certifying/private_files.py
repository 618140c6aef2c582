"""Local files of their owner alone: made once, or added to line by line."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
from collections.abc import Callable

from ...models.core.errors import UsageError
from ...models.core.shortage import raise_shortage

_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def make_private_folder(path: str) -> None:
    """Makes a folder of mode 0700, or looks whether it is.

    Raises:
        UsageError: if others can look into it, or it cannot be made.
    """
    with contextlib.suppress(FileExistsError):
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            raise
        except OSError as error:
            raise_shortage(error)
            raise UsageError(
                f"the folder of a campaign cannot be made ({type(error).__name__})"
            ) from None
    require_private(os.lstat(path), folder=True)


def read_private(path: str) -> bytes | None:
    """The content of a file; None if there is none.

    Raises:
        UsageError: if others can read it, or it is no file.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | _FLAGS)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise_shortage(error)
        raise UsageError(f"a file of a campaign cannot be read ({type(error).__name__})") from None
    with os.fdopen(descriptor, "rb") as file:
        require_private(os.fstat(descriptor))
        return file.read()


def create_private(path: str, content: bytes) -> None:
    """Writes a new file, whole and on disk, or not at all.

    Raises:
        FileExistsError: if there is one by that name.
        UsageError: if it cannot be written.
    """
    fresh = f"{path}.new"
    try:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(fresh)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        os.link(fresh, path)  # fails where the name is taken; renaming does not
        os.unlink(fresh)
        _sync_folder(os.path.dirname(path))
    except FileExistsError:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(fresh)
        raise
    except OSError as error:
        raise_shortage(error)
        raise UsageError(
            f"a file of a campaign cannot be written ({type(error).__name__})"
        ) from None


def append_private(path: str, make: Callable[[bytes], bytes]) -> None:
    """Adds a line to a file, and waits until it is on disk; others who add to it wait.

    Args:
        path: of the file; it is made if there is none.
        make: gives the line with its end, of the whole lines that are there. A last line without
            its end, which a killed process left, goes.

    Raises:
        UsageError: if others can read the file, or it cannot be written.
    """
    is_new = not os.path.lexists(path)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | _FLAGS, 0o600)
        with os.fdopen(descriptor, "r+b") as file:
            require_private(os.fstat(descriptor))
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            content = file.read()
            whole = content[: content.rfind(b"\n") + 1]
            line = make(whole)
            file.truncate(len(whole))
            file.seek(len(whole))
            file.write(line)
            file.flush()
            os.fsync(descriptor)
        if is_new:
            _sync_folder(os.path.dirname(path))
    except OSError as error:
        raise_shortage(error)
        raise UsageError(
            f"the register of campaigns cannot be written ({type(error).__name__})"
        ) from None


def require_private(status: os.stat_result, *, folder: bool = False) -> None:
    """Refuses what others can read or change, and what is of another kind.

    Raises:
        UsageError: saying what to do.
    """
    is_kind = stat.S_ISDIR if folder else stat.S_ISREG
    if not is_kind(status.st_mode):
        raise UsageError("a file of a campaign is of another kind: move it away")
    if stat.S_IMODE(status.st_mode) & 0o077 or status.st_uid != os.geteuid():
        raise UsageError(
            "restricted/review must belong to you, its folders with mode 0700 and its files with "
            "0600: ask first who may have read or changed them; then `chmod`"
        )


def _sync_folder(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
