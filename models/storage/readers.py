"""Reading files from any place: ranges of their bytes, and streams that seek."""

from __future__ import annotations

import errno
import functools
import io
import os
from typing import Any

from fsspec.implementations.local import LocalFileSystem

from ...dictionaries.files import open_regular
from ..core.errors import StorageError
from .filesystems import filesystem
from .listing import info_of
from .retries import Retrying, StorageAccessError

LOCAL_BLOCK_BYTES = 1 << 20
REMOTE_BLOCK_BYTES = 8 << 20
"""A remote block is one request; below some megabytes, latency dominates."""


class Ranges:
    """A file read by ranges, each tried again after transient faults; to be closed."""

    def __init__(self, retrying: Retrying, url: str, fs: Any, path: str) -> None:
        self._retrying, self._url, self._fs, self._path = retrying, url, fs, path
        self._descriptor = -1
        if isinstance(fs, LocalFileSystem):
            self._descriptor = retrying.retry("open", url, lambda: open_regular(path))

    @property
    def block_bytes(self) -> int:
        """The size of a block that suits the store."""
        return REMOTE_BLOCK_BYTES if self._descriptor < 0 else LOCAL_BLOCK_BYTES

    def get(self, start: int, end: int) -> bytes:
        """The bytes [start, end), or some at their beginning; none only where the file ends."""
        return self._retrying.retry("read", self._url, functools.partial(self._get, start, end))

    def close(self) -> None:
        """Lets the file go; a second call does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _get(self, start: int, end: int) -> bytes:
        if self._descriptor >= 0:
            return os.pread(self._descriptor, end - start, start)
        return _range(self._fs, self._path, start, end)


def _range(fs: Any, path: str, start: int, end: int) -> bytes:
    try:
        return bytes(fs.cat_file(path, start=start, end=end))
    except Exception as error:
        # S3 and Google answer 416 where the range begins at or after the end; s3fs makes EINVAL
        # of it, gcsfs an error of its own with the code.
        beyond = getattr(error, "errno", None) == errno.EINVAL or (
            str(getattr(error, "code", None)) == "416"
        )
        if beyond and start >= info_of(fs, path).size:
            return b""
        raise


class SeekingReader(io.RawIOBase):
    """A raw stream of a known size that is read from anywhere.

    A subclass reads from byte `_at` on, and advances it.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always."""
        return True

    def tell(self) -> int:
        """Where the next read begins; it may be beyond the end."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """As of any stream.

        Raises:
            OSError: EINVAL, of a place before the start.
        """
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        if base + offset < 0:
            raise OSError(errno.EINVAL, "seek before the start of the file")
        self._at = base + offset
        return self._at


class RangeReader(SeekingReader):
    """Random access by ranges, each retried; raises StorageError and never an OSError.

    So a decoder's own errors (a corrupt page) can be distinguished from a failing store.
    """

    _ranges: Ranges | None = None

    def __init__(self, retrying: Retrying, url: str) -> None:
        fs, path = filesystem(url)
        entry = retrying.retry("open", url, lambda: info_of(fs, path))
        if entry.folder:
            raise StorageAccessError(f"cannot open{retrying.named(url)}: it is a folder")
        super().__init__(entry.size)
        self._named = retrying.named(url)
        self._ranges = Ranges(retrying, url, fs, path)

    def readinto(self, buffer: Any) -> int:
        """Fills the buffer, unless the end comes first."""
        assert self._ranges is not None
        view = memoryview(buffer).cast("B")
        end = min(self._size, self._at + view.nbytes)
        done = 0
        while self._at < end:
            block = self._ranges.get(self._at, end)
            if not block:
                raise StorageError(
                    f"cannot read{self._named}: it has become shorter since it was opened"
                )
            view[done : done + len(block)] = block
            done += len(block)
            self._at += len(block)
        return done

    def close(self) -> None:
        """Lets the file go."""
        if self._ranges is not None:
            self._ranges.close()
        super().close()
