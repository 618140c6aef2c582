"""Files that hold words of the notes: private, written atomically, with a checksum.

The cache of features and the work folder of a search hold such files on a local disk.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

from ..core.errors import RunFailed, UsageError
from ..core.shortage import raise_shortage

_HEX = 64


def private_folder(path: str, option: str) -> Path:
    """The folder, created with mode 0700 if it does not exist.

    Args:
        path: local.
        option: that gave it, for messages.

    Raises:
        UsageError: if it cannot be created, belongs to another user, or others may read it.
    """
    if "://" in path or "::" in path:
        raise UsageError(f"{option} must be a folder on a local disk")
    folder = Path(path)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.stat()
    except OSError as error:
        raise_shortage(error)
        raise UsageError(f"{option}: cannot create the folder ({type(error).__name__})") from None
    if os.name == "posix" and found.st_uid != os.geteuid():
        # Whatever its mode: the owner can read it, even if an administrator runs this.
        raise UsageError(
            f"{option}: the folder belongs to another user, and it will hold words of the notes; "
            "give a new one"
        )
    if os.name == "posix" and found.st_mode & 0o077:
        raise UsageError(
            f"{option}: others may read the folder, and it will hold words of the notes; "
            "give a new one, or chmod 700"
        )
    return folder


def write_private(path: Path, content: bytes) -> None:
    """Writes a file with its checksum, mode 0600; it appears whole or not at all.

    Raises:
        RunFailed: if it cannot be written.
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
        raise RunFailed(f"cannot write a training file ({type(error).__name__})") from None
    finally:
        # Whatever stopped it, even Ctrl-C: leave no partial file with words of notes.
        if draft:
            with contextlib.suppress(OSError):
                os.unlink(draft)


def read_private(path: Path) -> bytes | None:
    """The content, or None if the file is missing or damaged."""
    try:
        raw = path.read_bytes()
    except OSError:
        return None
    content = raw[_HEX + 1 :]
    if raw[: _HEX + 1] != hashlib.sha256(content).hexdigest().encode() + b"\n":
        return None
    return content
