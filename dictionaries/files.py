"""Files that a user names: only regular ones are opened, so that no read waits forever.

This stands in the lowest room because lists are read here; policies, keys and all other files are
read in the same way.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from typing import Any

NO_FILE = (
    "a file was expected, but this is a pipe, a socket, a device or a folder, which is not read: "
    "write what a command prints, as in <(vault read ...) or /dev/stdin, to a file of mode 0600 "
    "first (a key can also come from an environment variable: env:NAME)"
)


NO_HOST = (
    "a file:// URL names a host, or a relative path: expected file:///absolute/path "
    "(file://localhost/absolute/path is the same), or the path alone"
)


class NotARegularFile(OSError):
    """Something other than a regular file of this machine was named.

    Attributes:
        strerror: what is wrong and what to do, without the name.
    """

    def __init__(self, problem: str = NO_FILE) -> None:
        super().__init__(errno.EINVAL, problem)


LOCAL_URL = re.compile(r"\A(?:file|local):(?://(?:localhost(?=/))?)?", re.IGNORECASE)
"""What comes before the path in the URL of a local file; RFC 8089 calls this machine localhost."""

_HOST = re.compile(r"(?:file|local)://(?!/|localhost/)", re.IGNORECASE)


def names_a_host(url: str) -> bool:
    """Whether a URL of a local file has something other than this machine before its path."""
    return _HOST.match(url) is not None


def open_regular(path: str, *, folder: int | None = None, follow: bool = True) -> int:
    """Opens a regular file for reading; gives its descriptor.

    Args:
        path: of the file; with `folder` its name in it.
        folder: descriptor of a folder.
        follow: whether the file may be a link to one.

    Raises:
        NotARegularFile: if it is a pipe, a socket, a device or a folder; it is not waited for.
        OSError: as of opening.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    try:
        descriptor = os.open(path, flags, dir_fd=folder)
    except OSError as error:
        if error.errno != errno.ENXIO:  # of a socket, or of a device that is not there
            raise
        descriptor = -1
    if descriptor < 0:
        raise NotARegularFile
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotARegularFile
    return descriptor


def read_named(name_or_url: str, limit: int = -1, *, unpack: bool = False) -> bytes:
    """The first bytes of a file by its path or any fsspec URL.

    Args:
        limit: how many, once unpacked; -1 for all.
        unpack: undo the compression that the ending of the name tells.

    Raises:
        NotARegularFile: see `open_regular`; also for a URL that names a host.
        Exception: whatever storage libraries raise; they quote the URL.
    """
    if names_a_host(name_or_url):
        raise NotARegularFile(NO_HOST)
    import fsspec  # not at the top: `scrubline --help` needs only the names above
    from fsspec.compression import compr
    from fsspec.implementations.local import LocalFileSystem
    from fsspec.utils import infer_compression

    compression = infer_compression(name_or_url) if unpack else None
    if "::" not in name_or_url and _is_local(name_or_url):
        path = str(LocalFileSystem._strip_protocol(LOCAL_URL.sub("", name_or_url, count=1)))
        with os.fdopen(open_regular(path), "rb") as file:
            stream: Any = compr[compression](file, mode="rb") if compression else file
            return bytes(stream.read(limit))
    with fsspec.open(name_or_url, "rb", compression=compression) as stream:
        return bytes(stream.read(limit))


def _is_local(url: str) -> bool:
    return "://" not in url or LOCAL_URL.match(url) is not None
