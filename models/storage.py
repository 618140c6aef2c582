"""Storage: every file that Scrubline lists, reads, writes, moves or deletes, by fsspec URL.

The only module that touches fsspec. Three rules hold for every backend:

- What is written appears whole or not at all, and the same bytes appear however often a write was
  retried.
- Transient faults are retried with capped exponential backoff; what is left is a `StorageError`.
- Messages never hold the name of an input file (it may be PHI). An output is named relative to the
  output root, without the values of hive folders.

Credentials come from the environment or from fsspec's own configuration files, never from a caller.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import fcntl
import functools
import hashlib
import io
import logging
import os
import re
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any, BinaryIO, TypeVar, cast

import fsspec
from fsspec.core import split_protocol, url_to_fs
from fsspec.implementations.local import LocalFileSystem
from fsspec.registry import known_implementations

from .errors import InputChanged, ScrublineError, StorageError, UsageError
from .faults import failure_class, is_transient, jitter
from .listing import (
    DANGLING,
    SPECIAL,
    Entry,
    files_below,
    files_with_times,
    info_of,
    is_visible,
    match_files,
    meant_names,
    relative_to,
)
from .locks import StoreLock, tell_unlocked
from .partitions import Partition, parse_partition

_log = logging.getLogger(__name__)

T = TypeVar("T")

LOCAL_BLOCK_BYTES = 1 << 20
REMOTE_BLOCK_BYTES = 8 << 20
"""A remote block is one request; below some megabytes its latency rules."""

_UNWRITABLE = frozenset(
    {errno.EACCES, errno.EEXIST, errno.EISDIR, errno.ENOTDIR, errno.EPERM, errno.EROFS}
)
"""Of a place, not of its state: no later try helps."""

OBJECT_STORES = frozenset(
    {"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oss", "oci", "memory"}
)
"""Protocols whose put of a whole object is atomic. Beside them, only local files are written."""


_CONDITIONAL = frozenset({"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "memory"})
"""Protocols whose file systems are asked for a conditional put; whether the store does it shows."""


def _no_check() -> None:
    """Of a lock that cannot be lost, or was never there."""


class MissingFileError(StorageError, FileNotFoundError):
    """There is no file at the URL; unlike other FileNotFoundErrors it does not tell the name."""


class StorageAccessError(StorageError):
    """Storage refused: permission, or something else is in the way. No retry helps."""


@dataclasses.dataclass(frozen=True, slots=True)
class InputFile:
    """One file of the input. Its names may be PHI and are absent from its repr.

    Attributes:
        url: absolute fsspec URL.
        size: in bytes.
        version: an etag where the store has one, else modification time in nanoseconds and size.
        path: relative to the folder, or to the fixed part of the glob, that was asked for.
        partition: hive folders of `path`, unescaped.
    """

    url: str = dataclasses.field(repr=False)
    size: int
    version: str
    path: str = dataclasses.field(repr=False)
    partition: Partition = dataclasses.field(default=(), repr=False)


@dataclasses.dataclass(frozen=True, slots=True)
class FoundFile:
    """A file of our own, as a listing shows it.

    Attributes:
        name: below the folder that was listed.
        size: in bytes.
        modified: seconds since 1970; 0 where the store does not say.
    """

    name: str
    size: int
    modified: float


@dataclasses.dataclass(frozen=True, slots=True)
class Written:
    """What one finished write put in place.

    Attributes:
        url: as given to `Storage.create`.
        bytes: size.
        sha256: of the content, lower-case hexadecimal.
    """

    url: str
    bytes: int
    sha256: str


@dataclasses.dataclass(frozen=True, slots=True)
class Storage:
    """Access to files by URL or local path. Cheap and picklable: holds no handle or filesystem.

    Attributes:
        root: output root; only used to name outputs in messages.
        tries: how often an operation is tried in all.
        base_seconds, cap_seconds: the first wait between tries, which doubles, and the longest.
        sleep: waits; tests give their own.
    """

    root: str = ""
    tries: int = 6
    base_seconds: float = 0.2
    cap_seconds: float = 10.0
    sleep: Callable[[float], None] = time.sleep

    # -- listing

    def list_files(self, urls: Sequence[str]) -> list[InputFile]:
        """The files that URLs mean: a file, a folder (recursive), a glob (`*`, `?`, `[...]`, `**`).

        Names below the folder or glob root that begin with `.` or `_` are skipped (as in Spark, a
        `_key=value` folder is not), and so are devices and pipes. Links are followed unless they
        lead back to a folder above. A file that two URLs mean is listed once, under its longest
        path. A name that exists is taken literally, whatever signs it holds.

        Returns:
            files: sorted by path, then URL.

        Raises:
            UsageError: if a URL leads to no file, or a file cannot be taken as input.
        """
        found: dict[str, InputFile] = {}
        for ordinal, url in enumerate(urls, 1):
            fs, path = _filesystem(url)
            root, entries = self._retry("list", url, functools.partial(match_files, fs, path))
            leaves = [e for e in entries if not e.folder]
            files = [e for e in leaves if is_visible(relative_to(root, e.path))]
            if hidden := len(leaves) - len(files):
                _log.warning(
                    "input %d of %d: %d files are left out, as their names begin with '.' or '_'",
                    ordinal,
                    len(urls),
                    hidden,
                )
            if not files:
                raise UsageError(
                    f"input {ordinal} of {len(urls)} leads to no file (names that begin with '.' "
                    "or '_' do not count); expected a file, a folder or a glob"
                )
            if any(entry.version == SPECIAL for entry in files):
                raise UsageError(
                    f"input {ordinal} of {len(urls)} is a pipe, a socket or a device; expected a "
                    "file, a folder or a glob"
                )
            if any(entry.version == DANGLING for entry in files):
                raise UsageError(
                    f"input {ordinal} of {len(urls)} holds a symbolic link that leads nowhere; "
                    "mend or remove it, so that no document is left out (`find -xtype l` shows it)"
                )
            folders: dict[str, str] = {}
            for entry in files:
                file = _input_file(fs, root, entry, folders)
                known = found.get(file.url)
                if known is None or (len(known.path), known.path) < (len(file.path), file.path):
                    found[file.url] = file
        if not found:
            raise UsageError("no input was given; expected at least one file, folder or glob")
        return sorted(found.values(), key=lambda file: (file.path, file.url))

    def meant(self, urls: Sequence[str], known: Iterable[str]) -> set[str]:
        """Which of some known files the URLs mean, by their names, whether they are there or not.

        A file to which a link within a folder or glob leads is not seen to be meant by it.

        Args:
            urls: as for `list_files`.
            known: absolute URLs, as `InputFile.url`.
        """
        known = tuple(known)
        found: set[str] = set()
        for url in urls:
            fs, path = _filesystem(url)
            root, wanted = self._retry("look up", url, functools.partial(meant_names, fs, path))
            prefix = str(fs.unstrip_protocol(root)).rstrip("/") + "/"
            found.update(
                one
                for one in known
                if one.startswith(prefix) and wanted.fullmatch(one[len(prefix) :])
            )
        return found

    def list_names(self, url: str) -> list[str]:
        """Relative paths of all files below a folder, sorted; none if there is no such folder."""
        return sorted(self.list_sizes(url))

    def list_sizes(self, url: str) -> dict[str, int]:
        """Relative path -> size of all files below a folder; none if there is no such folder."""
        fs, path = _filesystem(url)
        try:
            entries = self._retry("list", url, lambda: files_below(fs, path))
        except MissingFileError:
            return {}
        return {
            relative_to(path, e.path): e.size for e in entries if not e.folder and e.path != path
        }

    def list_found(self, url: str) -> list[FoundFile]:
        """All files below a folder with size and time, by name; none if there is no folder."""
        fs, path = _filesystem(url)
        try:
            found = self._retry("list", url, lambda: files_with_times(fs, path))
        except MissingFileError:
            return []
        return sorted(
            (FoundFile(relative_to(path, e.path), e.size, time) for e, time in found),
            key=lambda file: file.name,
        )

    def exists(self, url: str) -> bool:
        """Whether a file or folder is there; a fault is an error, never False."""
        fs, path = _filesystem(url)
        try:
            self._retry("look up", url, lambda: info_of(fs, path))
        except MissingFileError:
            return False
        return True

    def check_unchanged(self, file: InputFile) -> None:
        """Compares size and version of an input file with what was listed.

        Raises:
            InputChanged: if they differ or the file is gone.
        """
        fs, path = _filesystem(file.url)
        try:
            entry = self._retry("look up", file.url, lambda: info_of(fs, path))
        except MissingFileError:
            entry = None
        if entry is None or (entry.size, entry.version) != (file.size, file.version):
            raise InputChanged(
                f"an input file {'is gone' if entry is None else 'changed'} after it was planned: "
                "give the run up with `scrubline resume --output ... --discard` and scrub again"
            )

    # -- reading

    def open_read(self, url: str, *, buffer_bytes: int = LOCAL_BLOCK_BYTES) -> BinaryIO:
        """A seekable binary reader, each block retried; with `buffer_bytes` 0 it reads as asked.

        Raises:
            MissingFileError: if there is no such file.
        """
        raw = _RangeReader(self, url)
        return cast(BinaryIO, io.BufferedReader(raw, buffer_bytes) if buffer_bytes else raw)

    def read_range(self, url: str, start: int, end: int) -> bytes:
        """The bytes [start, end) of a file; fewer if it ends before."""
        return b"".join(self.read_blocks(url, start, end))

    def read_blocks(self, url: str, start: int, end: int, block_bytes: int = 0) -> Iterator[bytes]:
        """Yields the bytes [start, end) of a file in blocks; fewer if it ends before.

        Args:
            url: the file.
            start: byte offset of the first.
            end: byte offset one past the last; equal to `start`, nothing is touched.
            block_bytes: largest block; 0 for what suits the store.
        """
        if start >= end:
            return
        fs, path = _filesystem(url)
        local = isinstance(fs, LocalFileSystem)
        step = block_bytes or (LOCAL_BLOCK_BYTES if local else REMOTE_BLOCK_BYTES)
        with contextlib.ExitStack() as stack:
            if local:
                descriptor = self._retry("open", url, lambda: os.open(path, os.O_RDONLY))
                stack.callback(os.close, descriptor)
            while start < end:
                stop = min(end, start + step)
                if local:
                    block = self._retry(
                        "read", url, functools.partial(os.pread, descriptor, stop - start, start)
                    )
                else:
                    block = self._retry("read", url, functools.partial(_get, fs, path, start, stop))
                if not block:
                    return
                yield block
                start += len(block)

    def read_bytes(self, url: str) -> bytes:
        """The whole of a small file."""
        fs, path = _filesystem(url)
        if isinstance(fs, LocalFileSystem):
            return self._retry("read", url, lambda: _local_bytes(path))
        return self._retry("read", url, lambda: bytes(fs.cat_file(path)))

    # -- writing

    def create(self, url: str) -> Writer:
        """A binary writer for a `with` block: the file appears whole when the block ends well.

        When an exception passes, nothing appears and nothing is left behind; a file that was there
        stays. Local content goes to a hidden file beside the target, is synced to disk and renamed.
        For object stores it is held in memory (no disk of a worker sees it) and put as one object.

        Raises:
            UsageError: if the store cannot put a file in one step.
        """
        fs, path = _filesystem(url)
        if isinstance(fs, LocalFileSystem):
            return _LocalWriter(self, url, path)
        if OBJECT_STORES.isdisjoint(_protocols(fs)):
            raise UsageError(
                f"cannot write by protocol {_protocols(fs)[0]!r}, which has no atomic put; "
                f"expected local files or one of {sorted(OBJECT_STORES)}"
            )
        return _ObjectWriter(self, url, fs, path)

    def write_bytes(self, url: str, data: bytes) -> Written:
        """Puts a small file in one step."""
        with self.create(url) as writer:
            writer.write(data)
        return writer.written

    def create_exclusively(self, url: str, data: bytes) -> bool | None:
        """Puts a small object if there is none; whether it did. Of several, one is told True.

        Asked again after a fault, it may find what it made itself and say False.

        Returns:
            made: None if the store does not decide that.
        """
        fs, path = _filesystem(url)
        if _CONDITIONAL.isdisjoint(_protocols(fs)):
            return None

        def put() -> bool | None:
            try:
                fs.pipe_file(path, data, mode="create")
            except FileExistsError:
                return False
            except (RuntimeError, TypeError):  # it knows no such mode
                return None
            except OSError as error:
                # What s3fs makes of an answer 412 that does not name its condition, or of one that
                # does not know the header.
                if error.errno != errno.EINVAL:
                    raise
                return False if self.exists(url) else None
            return True

        try:
            return self._retry("create", url, put)
        except StorageAccessError:
            raise
        except StorageError:
            self.exists(url)  # which raises if it is not this kind of write alone that fails
            return None

    @contextlib.contextmanager
    def locked(self, url: str) -> Iterator[Callable[[], None]]:
        """Holds a lock for a `with` block, so that no two processes are in one at once.

        On the machine's own file systems, and network ones that take `flock`, the lock is gone with
        its process, however that ends. On object stores with conditional writes it is an object
        with a sign of life, see `locks`. Elsewhere nothing is locked, which is told once.

        Yields:
            check: raises RunFailed if the lock was lost meanwhile.

        Raises:
            UsageError: if another process holds it, or the output may not be written.
        """
        fs, path = _filesystem(url)
        if not isinstance(fs, LocalFileSystem):
            lock = StoreLock(self, url)
            if not lock.acquire():
                tell_unlocked(_protocols(fs)[0])
                yield _no_check
                return
            try:
                yield lock.check
            finally:
                lock.release()
            return

        def opened() -> int:
            try:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            except OSError as error:
                if error.errno not in _UNWRITABLE:
                    raise
                kind = failure_class(error)
            raise UsageError(
                f"the output cannot be written ({kind}); expected a folder, there or to be made, "
                "in which this user may write"
            )

        descriptor = self._retry("lock", url, opened)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise UsageError(
                    "another process works on this output: wait until it has ended"
                ) from None
            except OSError as error:
                _log.warning(
                    "the output's file system takes no locks (%s): see to it that only one "
                    "process works on it",
                    failure_class(error),
                )
            yield _no_check
        finally:
            os.close(descriptor)

    def move(self, source: str, target: str) -> None:
        """Renames a file, or copies it inside the store and deletes the source.

        Safe to repeat: a target without its source counts as moved.

        Raises:
            MissingFileError: if neither is there.
        """
        fs, old = _filesystem(source)
        other, new = _filesystem(target)
        if _protocols(fs) != _protocols(other):
            raise ValueError("move: source and target must be in the same store")
        if old == new:
            return
        if isinstance(fs, LocalFileSystem):
            self._retry("move to", target, lambda: _rename(old, new))
            return
        if not self.exists(source):
            if self.exists(target):
                return
            raise MissingFileError(f"nothing to move{self._named(source)}")
        self._retry("copy to", target, lambda: fs.cp_file(old, new))
        self.delete(source)

    def delete(self, url: str) -> None:
        """Deletes a file; nothing happens if there is none."""
        fs, path = _filesystem(url)
        remove = (
            (lambda: os.unlink(path))
            if isinstance(fs, LocalFileSystem)
            else lambda: fs.rm_file(path)
        )
        with contextlib.suppress(MissingFileError):
            self._retry("delete", url, remove)

    def delete_folder(self, url: str) -> None:
        """Deletes a folder with all that is in it; nothing happens if there is none."""
        fs, path = _filesystem(url)
        with contextlib.suppress(MissingFileError):
            self._retry("delete", url, lambda: (fs.invalidate_cache(), fs.rm(path, recursive=True)))

    # -- retrying

    def _retry(self, operation: str, url: str, action: Callable[[], T]) -> T:
        """The result of `action`, tried again after transient faults.

        The error is raised outside of every `except` block, so that no chained one carries a name.
        """
        waited = self.base_seconds
        for attempt in range(1, self.tries + 1):
            try:
                return action()
            except ScrublineError:
                raise
            except Exception as error:
                final = not is_transient(error)
                kind = failure_class(error)
                cause = type(error)
            if final or attempt == self.tries:
                break
            self.sleep(min(self.cap_seconds, waited) * jitter(operation, url, attempt))
            waited *= 2
        where = self._named(url)
        if issubclass(cause, FileNotFoundError):
            raise MissingFileError(f"cannot {operation}{where}: there is no such file")
        if final:
            raise StorageAccessError(f"cannot {operation}{where}: storage refused ({kind})")
        raise StorageError(f"cannot {operation}{where}: {kind} after {self.tries} tries")

    def _named(self, url: str) -> str:
        """` '<path below the output root>'` of an output, ` an input file` of anything else."""
        root = self.root.rstrip("/")
        if not root or not url.startswith(root + "/"):
            return " an input file" if root else " a file"
        return " " + repr(re.sub(r"=[^/]*/", "=*/", url[len(root) + 1 :]))


class Writer:
    """A binary sink that commits on `close` and forgets everything on `discard`.

    Deliberately no `io.IOBase`: that closes itself when collected, which would commit half a part.
    """

    def __init__(self, storage: Storage, url: str) -> None:
        self._storage = storage
        self._url = url
        self._hash = hashlib.sha256()
        self._bytes = 0
        self._written: Written | None = None
        self.closed = False

    @property
    def written(self) -> Written:
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
        self._written = Written(self._url, self._bytes, self._hash.hexdigest())

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


class _LocalWriter(Writer):
    def __init__(self, storage: Storage, url: str, path: str) -> None:
        super().__init__(storage, url)
        self._path = path
        folder = os.path.dirname(path)
        # A random name: a process believed dead may still be writing the same part.
        self._temporary = os.path.join(folder, f".scrubline-{secrets.token_hex(8)}.tmp")
        storage._retry("write", url, lambda: os.makedirs(folder, exist_ok=True))
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        self._descriptor = storage._retry(
            "write", url, lambda: os.open(self._temporary, flags, 0o666)
        )

    def _append(self, view: memoryview) -> None:
        done = 0
        while done < view.nbytes:
            # At an explicit offset, so that a retried write never doubles bytes.
            done += self._storage._retry(
                "write",
                self._url,
                functools.partial(os.pwrite, self._descriptor, view[done:], self._bytes + done),
            )

    def _commit(self) -> None:
        # Not retried: after a failed fsync the kernel may drop the dirty pages and report success.
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            failure = failure_class(error)
        else:
            failure = ""
        if failure:
            raise StorageError(f"cannot sync{self._storage._named(self._url)}: {failure}")
        descriptor, self._descriptor = self._descriptor, -1
        os.close(descriptor)
        self._storage._retry("write", self._url, lambda: os.replace(self._temporary, self._path))
        _sync_folder(os.path.dirname(self._path))

    def _drop(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        with contextlib.suppress(OSError):
            os.unlink(self._temporary)


class _ObjectWriter(Writer):
    def __init__(self, storage: Storage, url: str, fs: Any, path: str) -> None:
        super().__init__(storage, url)
        self._fs = fs
        self._path = path
        self._content = io.BytesIO()

    def _append(self, view: memoryview) -> None:
        self._content.write(view)

    def _commit(self) -> None:
        content = self._content.getvalue()
        self._content = io.BytesIO()
        self._storage._retry("write", self._url, lambda: self._fs.pipe_file(self._path, content))

    def _drop(self) -> None:
        self._content = io.BytesIO()


class _RangeReader(io.RawIOBase):
    """Random access by ranges, each retried; raises StorageError and never an OSError.

    So a decoder's own errors (a corrupt page) can be told from a failing store.
    """

    def __init__(self, storage: Storage, url: str) -> None:
        super().__init__()
        self._storage = storage
        self._url = url
        self._at = 0
        self._descriptor = -1
        self._fs, self._path = _filesystem(url)
        self._local = isinstance(self._fs, LocalFileSystem)
        entry = storage._retry("open", url, lambda: info_of(self._fs, self._path))
        if entry.folder:
            raise StorageAccessError(f"cannot open{storage._named(url)}: it is a folder")
        self._size = entry.size
        if self._local:
            self._descriptor = storage._retry("open", url, lambda: os.open(self._path, os.O_RDONLY))

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        if base + offset < 0:
            raise OSError(errno.EINVAL, "seek before the start of the file")
        self._at = base + offset
        return self._at

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        end = min(self._size, self._at + view.nbytes)
        done = 0
        while self._at < end:
            block = self._storage._retry("read", self._url, lambda: self._fetch(self._at, end))
            if not block:
                raise StorageError(
                    f"cannot read{self._storage._named(self._url)}: it became shorter"
                )
            view[done : done + len(block)] = block
            done += len(block)
            self._at += len(block)
        return done

    def _fetch(self, start: int, end: int) -> bytes:
        if self._local:
            return os.pread(self._descriptor, end - start, start)
        return _get(self._fs, self._path, start, end)

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        super().close()


# -- filesystems


def _filesystem(url: str) -> tuple[Any, str]:
    """The filesystem, of which fsspec keeps one a process and thread, and the path in it."""
    # "::" chains protocols only where another one follows; elsewhere it is part of a name.
    chained = "::" in url and "://" in url.rpartition("::")[2]
    try:
        kind = fsspec.get_filesystem_class(split_protocol(url)[0] or "file")
    except (ValueError, ImportError) as error:
        # A URL may hold a name anywhere: only a kind that exists is repeated.
        protocol = split_protocol(url)[0]
        kind_of = f"the kind {protocol}://" if protocol in known_implementations else "this kind"
        raise UsageError(
            f"storage of {kind_of} is unknown or not installed "
            f"({type(error).__name__}); see the extras s3, gcs and azure"
        ) from None
    if chained or "::" not in url:
        fs, path = url_to_fs(url, use_listings_cache=False)
    else:
        fs = kind(**kind._get_kwargs_from_urls(url), use_listings_cache=False)
        path = kind._strip_protocol(url)
    return fs, str(path)


def _protocols(fs: Any) -> tuple[str, ...]:
    return (fs.protocol,) if isinstance(fs.protocol, str) else tuple(fs.protocol)


def _get(fs: Any, path: str, start: int, end: int) -> bytes:
    try:
        return bytes(fs.cat_file(path, start=start, end=end))
    except OSError as error:
        # S3 answers 416 where the range begins at or after the end.
        if error.errno == errno.EINVAL and start >= info_of(fs, path).size:
            return b""
        raise


def _local_bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _rename(old: str, new: str) -> None:
    os.makedirs(os.path.dirname(new), exist_ok=True)
    try:
        os.replace(old, new)
    except FileNotFoundError:
        if not os.path.exists(new):
            raise
    _sync_folder(os.path.dirname(new))


def _sync_folder(path: str) -> None:
    """Makes a rename survive a power cut, where the file system lets a folder be synced."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _real_path(path: str, folders: dict[str, str]) -> str:
    """`os.path.realpath` of a file, which would ask for every folder above each file anew."""
    folder, name = os.path.split(path)
    if os.path.islink(path):
        return os.path.realpath(path)
    if folder not in folders:
        folders[folder] = os.path.realpath(folder)
    return os.path.join(folders[folder], name)


def _input_file(fs: Any, root: str, entry: Entry, folders: dict[str, str]) -> InputFile:
    relative = relative_to(root, entry.path)
    # One file that two links or ways lead to is one input, tonight and on later nights.
    local = "file" in _protocols(fs)
    url = str(fs.unstrip_protocol(_real_path(entry.path, folders) if local else entry.path))
    try:
        url.encode()
    except UnicodeEncodeError:
        readable = False
    else:
        readable = True
    if not readable:
        raise UsageError("the name of an input file is not valid UTF-8; rename it")
    return InputFile(url, entry.size, entry.version, relative, parse_partition(relative))
