"""Files that hold words of the notes: for their owner only, whole or not at all, checked when read.

Both the cache of features and the work folder of a search are such folders on a local disk.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

from ..errors import RunFailed, UsageError
from ..shortage import raise_shortage

_HEX = 64


def private_folder(path: str, option: str) -> Path:
    """The folder, made with mode 0700 if it is not there.

    Args:
        path: local.
        option: that named it, for messages.

    Raises:
        UsageError: if it cannot be one, or others may read it: it is another user's, or open.
    """
    if "://" in path or "::" in path:
        raise UsageError(f"{option} must be a folder on a local disk")
    folder = Path(path)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.stat()
    except OSError as error:
        raise_shortage(error)
        raise UsageError(f"{option}: no such folder can be made ({type(error).__name__})") from None
    if os.name == "posix" and found.st_uid != os.geteuid():
        # Whatever its mode: its owner reads it, and an administrator would write to it.
        raise UsageError(
            f"{option}: that folder is another user's, and it will hold words of the notes: "
            "give a new one"
        )
    if os.name == "posix" and found.st_mode & 0o077:
        raise UsageError(
            f"{option}: others may read that folder, and it will hold words of the notes: "
            "give a new one, or chmod 700"
        )
    return folder


def write_private(path: Path, content: bytes) -> None:
    """Writes a file with its checksum, mode 0600; it appears whole or not at all.

    Raises:
        RunFailed: if the disk is full or refuses.
    """
    draft = ""
    try:
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".draft-")
        with os.fdopen(handle, "wb") as stream:
            stream.write(hashlib.sha256(content).hexdigest().encode() + b"\n")
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(draft, path)
        draft = ""
    except OSError as error:
        raise_shortage(error)
        raise RunFailed(f"a file of training cannot be written ({type(error).__name__})") from None
    finally:
        # Whatever stopped it, Ctrl-C too: no half a file with words of notes stays.
        if draft:
            with contextlib.suppress(OSError):
                os.unlink(draft)


def read_private(path: Path) -> bytes | None:
    """The content, or None if there is no such file or it is not what was written."""
    try:
        raw = path.read_bytes()
    except OSError:
        return None
    content = raw[_HEX + 1 :]
    if raw[: _HEX + 1] != hashlib.sha256(content).hexdigest().encode() + b"\n":
        return None
    return content
