"""Writing files: whole or not at all, on local disks and on object stores."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import functools
import hashlib
import io
import os
import secrets
from types import TracebackType
from typing import Any

from ..core.errors import StorageError
from ..core.shortage import remedy_of
from .folders import PRIVATE_FILE, entered, file_mode, sync
from .retries import Retrying, failure_class


@dataclasses.dataclass(frozen=True, slots=True)
class WriteResult:
    """What one finished write put in place.

    Attributes:
        url: as given to `Storage.create`.
        bytes: size.
        sha256: of the content, lower-case hexadecimal.
    """

    url: str
    bytes: int
    sha256: str


class Writer:
    """A binary sink that commits on `close` and drops everything on `discard`.

    Deliberately no `io.IOBase`: that closes itself when collected, which would commit half a part.
    """

    def __init__(self, retrying: Retrying, url: str) -> None:
        self._retrying = retrying
        self._url = url
        self._hash = hashlib.sha256()
        self._bytes = 0
        self._written: WriteResult | None = None
        self.closed = False

    @property
    def written(self) -> WriteResult:
        """Size and hash of the file.

        Raises:
            ValueError: before the writer was closed, or after it was discarded.
        """
        if self._written is None:
            raise ValueError("the file has not been written yet")
        return self._written

    def write(self, data: bytes | bytearray | memoryview) -> int:
        """Appends all of `data`."""
        if self.closed:
            raise ValueError("write to a closed file")
        view = memoryview(data).cast("B")
        self._append(view)
        self._hash.update(view)
        self._bytes += view.nbytes
        return view.nbytes

    def tell(self) -> int:
        """Bytes written so far."""
        return self._bytes

    def flush(self) -> None:
        """Does nothing: what is written counts only once closed."""

    def close(self) -> None:
        """Puts the file in place; a second call does nothing."""
        if self.closed:
            return
        try:
            self._commit()
        except BaseException:
            self.discard()
            raise
        self.closed = True
        self._written = WriteResult(self._url, self._bytes, self._hash.hexdigest())

    def discard(self) -> None:
        """Drops what was written, unless it was committed."""
        if not self.closed:
            self.closed = True
            self._drop()

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()

    def _append(self, view: memoryview) -> None:
        raise TypeError("abstract")

    def _commit(self) -> None:
        raise TypeError("abstract")

    def _drop(self) -> None:
        raise TypeError("abstract")


class LocalWriter(Writer):
    """Writes a hidden file beside the target, syncs it to disk and renames it.

    A link in the place of the target is replaced, not followed; see `folders` for those above it.
    """

    def __init__(
        self, retrying: Retrying, url: str, path: str, *, root: str = "", private: bool = False
    ) -> None:
        """Makes the hidden file.

        Args:
            path: absolute.
            root: of the output, absolute; "" if that is not known.
            private: readable by its owner only, wherever it lies.
        """
        super().__init__(retrying, url)
        self._path, self._root = path, root
        # A random name: a process believed dead may still be writing the same part.
        self._temporary = f".scrubline-{secrets.token_hex(8)}.tmp"
        self._private = private
        self._descriptor = retrying.retry("write", url, self._made)

    def _made(self) -> int:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        mode = PRIVATE_FILE if self._private else file_mode(self._path, self._root)
        with entered(self._path, self._root, make=True, private=self._private) as (folder, _):
            return os.open(self._temporary, flags, mode, dir_fd=folder)

    def _append(self, view: memoryview) -> None:
        done = 0
        while done < view.nbytes:
            # At an explicit offset, so that a retried write never doubles bytes.
            done += self._retrying.retry(
                "write",
                self._url,
                functools.partial(os.pwrite, self._descriptor, view[done:], self._bytes + done),
            )

    def _commit(self) -> None:
        # Not retried: after a failed fsync the kernel may drop the dirty pages and report success.
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            failure = failure_class(error) + remedy_of(error.errno)
        else:
            failure = ""
        if failure:
            raise StorageError(f"cannot sync{self._retrying.named(self._url)}: {failure}")
        descriptor, self._descriptor = self._descriptor, -1
        os.close(descriptor)
        self._retrying.retry("write", self._url, self._put)

    def _put(self) -> None:
        with entered(self._path, self._root) as (folder, name):
            os.replace(self._temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            sync(folder)

    def _drop(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        with contextlib.suppress(OSError, StorageError):
            try:
                with entered(self._path, self._root) as (folder, _):
                    os.unlink(self._temporary, dir_fd=folder)
            except OSError as error:
                if error.errno not in (errno.EMFILE, errno.ENFILE):
                    raise
                # By its path, which opens no file; through a link there is no file of that name.
                os.unlink(os.path.join(os.path.dirname(self._path), self._temporary))


class ObjectWriter(Writer):
    """Holds the content in memory and puts it as one object."""

    def __init__(self, retrying: Retrying, url: str, fs: Any, path: str) -> None:
        super().__init__(retrying, url)
        self._fs = fs
        self._path = path
        self._content = io.BytesIO()

    def _append(self, view: memoryview) -> None:
        self._content.write(view)

    def _commit(self) -> None:
        content = self._content.getvalue()
        self._content = io.BytesIO()
        self._retrying.retry("write", self._url, lambda: self._fs.pipe_file(self._path, content))

    def _drop(self) -> None:
        self._content = io.BytesIO()
