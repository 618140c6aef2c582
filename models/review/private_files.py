"""Local folders and files of their owner alone: what others can look into is refused."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable

from ..core.errors import UsageError
from ..core.shortage import raise_shortage

FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
"""Of every opening: no link is followed, and no pipe waited for."""


def make_private_folder(path: str) -> None:
    """Makes a folder of mode 0700, or looks whether it is.

    Raises:
        UsageError: if others can look into it, or it cannot be made.
    """
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        pass
    except OSError as error:
        raise_shortage(error)
        raise UsageError(
            f"a folder below restricted/review cannot be made ({type(error).__name__})"
        ) from None
    require_private(os.lstat(path), folder=True)


def read_private(path: str) -> bytes | None:
    """The content of a file; None if there is none.

    Raises:
        UsageError: if others can read it, it is no file, or it cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | FLAGS)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise_shortage(error)
        raise UsageError(
            f"a file below restricted/review cannot be read ({type(error).__name__})"
        ) from None
    with os.fdopen(descriptor, "rb") as file:
        require_private(os.fstat(descriptor))
        return file.read()


def write_private(path: str, pieces: Iterable[bytes], *, replace: bool = False) -> int:
    """Writes a file, whole and on disk, or not at all; gives the number of pieces.

    Raises:
        FileExistsError: if there is one by that name, which is not to be replaced.
        OSError: if it cannot be written.
    """
    fresh, count = f"{path}.new", 0
    with contextlib.suppress(FileNotFoundError):
        os.unlink(fresh)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | FLAGS, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            for piece in pieces:
                file.write(piece)
                count += 1
            file.flush()
            os.fsync(descriptor)
        if replace:
            os.replace(fresh, path)
        else:
            os.link(fresh, path)  # fails where the name is taken; renaming does not
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(fresh)
    sync_folder(os.path.dirname(path))
    return count


def require_private(status: os.stat_result, *, folder: bool = False) -> None:
    """Refuses what others can read or change, and what is of another kind.

    Raises:
        UsageError: saying what to do.
    """
    is_kind = stat.S_ISDIR if folder else stat.S_ISREG
    if not is_kind(status.st_mode):
        raise UsageError("something below restricted/review is of another kind: move it away")
    if stat.S_IMODE(status.st_mode) & 0o077 or status.st_uid != os.geteuid():
        raise UsageError(
            "restricted/review must belong to you, its folders with mode 0700 and its files with "
            "0600: ask first who may have read or changed them; then `chmod`"
        )


def sync_folder(path: str) -> None:
    """Waits until the names in a folder are on disk."""
    descriptor = os.open(path or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
