"""Local folders and files of their owner alone: what others can look into is refused.

They hold words of notes, or what people said of them: reviews of an output, the cache of features,
the work folder of a search. Each file appears whole or not at all.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path

from ..core.errors import RunFailed, UsageError
from ..core.shortage import raise_shortage

FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
"""Of every opening: no link is followed, and no pipe waited for."""

DRAFT = ".draft-"
"""What the name of a file begins with that is being written; a killed process leaves it."""

_HEX = 64


def named_private_folder(path: str, option: str) -> Path:
    """The folder that an option names, made with mode 0700 if it does not exist.

    Raises:
        UsageError: if it is on no local disk, cannot be made, or others can look into it.
    """
    if "://" in path or "::" in path:
        raise UsageError(f"{option} must be a folder on a local disk")
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _failed(error, f"{option}: the folder cannot be made") from None
    make_private_folder(os.path.realpath(path), option)
    return Path(path)


def make_private_folder(path: str, place: str) -> None:
    """Makes a folder of mode 0700, or looks whether it is.

    Args:
        path: of a folder in one that is there.
        place: what messages call it; they hold no path.

    Raises:
        UsageError: if others can look into it, or it cannot be made.
    """
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        pass
    except OSError as error:
        raise _failed(error, f"{place}: a folder cannot be made") from None
    require_private(os.lstat(path), place, folder=True)


def require_private(status: os.stat_result, place: str, *, folder: bool = False) -> None:
    """Refuses what others can read or change, and what is of another kind.

    Whatever its mode, an owner can read it: even if an administrator runs this, it must be theirs.

    Raises:
        UsageError: saying what to do.
    """
    is_kind = stat.S_ISDIR if folder else stat.S_ISREG
    if not is_kind(status.st_mode):
        raise UsageError(f"{place}: something is of another kind: move it away")
    if stat.S_IMODE(status.st_mode) & 0o077 or status.st_uid != os.geteuid():
        raise UsageError(
            f"{place} must belong to you, its folders with mode 0700 and its files with 0600: "
            "ask first who may have read or changed them; then `chmod`"
        )


def read_private(path: str, place: str) -> bytes | None:
    """The content of a file; None if there is none.

    Raises:
        UsageError: if others can read it, it is no file, or it cannot be read.
    """
    try:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | FLAGS)) as file:
            require_private(os.fstat(file.fileno()), place)
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _failed(error, f"{place}: a file cannot be read") from None


def write_private(path: str, pieces: Iterable[bytes], *, replace: bool = False) -> int:
    """Writes a file, whole and on disk, or not at all; gives the number of pieces.

    Raises:
        FileExistsError: if there is one by that name, which is not to be replaced.
        OSError: if it cannot be written.
    """
    # A draft has a name of its own: two processes that write one file do not mix.
    descriptor, draft = tempfile.mkstemp(dir=os.path.dirname(path) or ".", prefix=DRAFT)
    count = 0
    try:
        with os.fdopen(descriptor, "wb") as file:
            for piece in pieces:
                file.write(piece)
                count += 1
            file.flush()
            os.fsync(descriptor)
        if replace:
            os.replace(draft, path)
        else:
            os.link(draft, path)  # fails where the name is taken; renaming does not
    finally:
        # Whatever stopped it, even Ctrl-C: nothing of it is left.
        with contextlib.suppress(OSError):
            os.unlink(draft)
    sync_folder(os.path.dirname(path))
    return count


def sync_folder(path: str) -> None:
    """Waits until the names in a folder are on disk."""
    descriptor = os.open(path or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# -- with a checksum: what can be made again


def write_checked(path: Path, content: bytes) -> None:
    """Writes a file that begins with its checksum.

    Raises:
        RunFailed: if it cannot be written.
    """
    checksum = hashlib.sha256(content).hexdigest().encode()
    try:
        write_private(str(path), [checksum, b"\n", content], replace=True)
    except OSError as error:
        raise_shortage(error)
        raise RunFailed(f"cannot write a training file ({type(error).__name__})") from None


def read_checked(path: Path) -> bytes | None:
    """The content; None if the file is missing, damaged or open to others."""
    try:
        raw = read_private(str(path), "a training file") or b""
    except UsageError:
        return None
    content = raw[_HEX + 1 :]
    if raw[: _HEX + 1] != hashlib.sha256(content).hexdigest().encode() + b"\n":
        return None
    return content


def _failed(error: OSError, says: str) -> UsageError:
    raise_shortage(error)
    return UsageError(f"{says} ({type(error).__name__})")
