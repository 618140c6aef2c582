"""Values that take long to compute, kept in files of the user's cache, which processes map.

What is made of the program's own code and models is computed once per machine. Its name is the hash
of everything that determines it. A file that is damaged, or that another user could have written,
is ignored and replaced.

    magic, size of the header, SHA-256 of all that follows; header in JSON; arrays, each aligned

Arrays are in the byte order of the machine that wrote them.

`SCRUBLINE_CACHE` names the folder; "0" turns the cache off. If anything goes wrong, values are
computed anew.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import logging
import math
import mmap
import os
import re
import stat
import struct
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from .user_cache import user_cache

FOLDER = "SCRUBLINE_CACHE"
_MAGIC = b"SCRUBLN1"
_HEAD = struct.Struct("<8sQ32s")
_ALIGNED = 64
_MOST_HEADER = 1 << 20
_TYPES = ("u1", "u2", "u4", "u8", "i4", "i8", "f4", "f8")
_NAME = re.compile("[0-9a-f]{64}")
_DRAFT = ("scrubline-", ".part")
_LONG_AGO = 24 * 3600.0

_log = logging.getLogger(__name__)


def read(name: str, suffix: str) -> Any | None:
    """The value written under a name (tuples, numbers, strings, read-only arrays), or None."""
    path = _path(name, suffix)
    if path is None:
        return None
    try:
        content = _mapped(path)
        value = None if content is None else _unpacked(content, name)
    except (OSError, ValueError, LookupError, TypeError, struct.error) as error:
        _log.warning("ignoring a file in the cache (%s)", type(error).__name__)
        return None
    if value is not None:
        with contextlib.suppress(OSError):
            os.utime(path)
    return value


def write(name: str, suffix: str, value: Any, *, most_files: int, least_bytes: int = 0) -> None:
    """Keeps a value for `read`, if there is a folder.

    Args:
        name: 64 hexadecimal digits.
        suffix: of what kind it is.
        value: see `read`.
        most_files: how many of this kind are kept, the most recently used.
        least_bytes: values with fewer in their arrays are not worth a file.
    """
    path = _path(name, suffix)
    if path is None:
        return
    arrays: list[np.ndarray[Any, Any]] = []
    shape = _packed(value, arrays)
    if sum(array.nbytes for array in arrays) < least_bytes:
        return
    try:
        _write(path, shape, arrays)
        _forget(path.parent, suffix, most_files)
    except OSError as error:
        _log.info("cannot cache a file (%s)", type(error).__name__)


def is_kept(name: str, suffix: str) -> bool:
    """Whether a value was written under a name."""
    path = _path(name, suffix)
    # Not `Path.is_file`, which raises where the folder cannot be entered.
    return path is not None and os.path.isfile(path)


def _path(name: str, suffix: str) -> Path | None:
    folder = cache_folder()
    return None if folder is None else folder / f"{name}{suffix}"


@functools.cache
def cache_folder() -> Path | None:
    """The folder of the cache; None if there is none that only the user can write."""
    chosen = os.environ.get(FOLDER)
    if chosen == "0":
        return None
    try:
        folder = Path(chosen) if chosen else user_cache()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _require_own(folder.stat())
    except (OSError, RuntimeError, ValueError) as error:
        _log.info("no cache (%s)", type(error).__name__)
        return None
    return folder


def _require_own(status: os.stat_result) -> None:
    """Raises PermissionError if another user could have written the file."""
    if hasattr(os, "geteuid") and (
        status.st_uid != os.geteuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    ):
        raise PermissionError


def _mapped(path: Path) -> memoryview | None:
    try:
        # No links, which may lead to files that others can write; no waiting for a pipe's writer.
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    try:
        status = os.fstat(file)
        _require_own(status)
        if not stat.S_ISREG(status.st_mode):
            raise ValueError
        return memoryview(mmap.mmap(file, 0, access=mmap.ACCESS_READ))
    finally:
        os.close(file)


def _unpacked(content: memoryview, name: str) -> Any:
    magic, size, digest = _HEAD.unpack_from(content)
    body = content[_HEAD.size :]
    if magic != _MAGIC or size > min(_MOST_HEADER, len(body)):
        raise ValueError
    if hashlib.sha256(body).digest() != digest:
        raise ValueError
    header = json.loads(bytes(body[:size]))
    if header["name"] != name:
        raise ValueError
    arrays = []
    for kind, shape, offset in header["arrays"]:
        if kind not in _TYPES or not all(isinstance(n, int) and n >= 0 for n in (*shape, offset)):
            raise ValueError
        count = int(np.prod(shape, dtype=np.int64))
        array = np.frombuffer(content, np.dtype(kind), count, _HEAD.size + size + offset)
        arrays.append(array.reshape(shape))
    return _restored(header["value"], arrays)


def _packed(value: Any, arrays: list[np.ndarray[Any, Any]]) -> Any:
    """A value as JSON; its arrays are moved to `arrays`."""
    if isinstance(value, np.ndarray):
        arrays.append(np.ascontiguousarray(value))
        return {"array": len(arrays) - 1}
    if isinstance(value, tuple | list):
        return [_packed(item, arrays) for item in value]
    if value is None or isinstance(value, str | int):
        return value
    raise TypeError(type(value).__name__)


def _restored(value: Any, arrays: list[np.ndarray[Any, Any]]) -> Any:
    if isinstance(value, dict):
        return arrays[value["array"]]
    if isinstance(value, list):
        return tuple(_restored(item, arrays) for item in value)
    return value


def _write(path: Path, shape: Any, arrays: list[np.ndarray[Any, Any]]) -> None:
    described, size = [], 0
    for array in arrays:
        size += -size % _ALIGNED
        described.append((array.dtype.str[1:], array.shape, size))
        size += array.nbytes
    # It includes the name, so a file that replaced another is recognised.
    described_as = {"name": path.stem, "value": shape, "arrays": described}
    header = json.dumps(described_as).encode()
    header = header.ljust(len(header) + -(_HEAD.size + len(header)) % _ALIGNED)
    digest = hashlib.sha256(header)
    for chunk in _chunks(arrays):
        digest.update(chunk)
    with tempfile.NamedTemporaryFile(
        dir=path.parent, prefix=_DRAFT[0], suffix=_DRAFT[1], delete=False
    ) as file:
        try:
            file.write(_HEAD.pack(_MAGIC, len(header), digest.digest()))
            file.write(header)
            for chunk in _chunks(arrays):
                file.write(chunk)
            file.close()
            os.replace(file.name, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(file.name)
            raise


def _chunks(arrays: list[np.ndarray[Any, Any]]) -> Iterator[bytes | memoryview]:
    """Yields the bytes of the arrays and the padding between them."""
    size = 0
    for array in arrays:
        yield bytes(-size % _ALIGNED)
        yield array.reshape(-1).view(np.uint8).data
        size += -size % _ALIGNED + array.nbytes


def _forget(folder: Path, suffix: str, most_files: int) -> None:
    """Removes all but the most recently used files, and drafts of writers that were killed."""
    used: dict[Path, float] = {}
    for path in folder.iterdir():
        # Another process may remove files at the same time.
        with contextlib.suppress(FileNotFoundError):
            used[path] = path.stat().st_mtime
    own = [path for path in used if path.suffix == suffix and _NAME.fullmatch(path.stem)]
    kept = sorted(own, key=used.__getitem__, reverse=True)
    drafts = folder.glob("*".join(_DRAFT))
    stale = [path for path in drafts if used.get(path, math.inf) < time.time() - _LONG_AGO]
    for path in (*kept[most_files:], *stale):
        path.unlink(missing_ok=True)
