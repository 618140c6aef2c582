"""Storage: every file that Scrubline lists, reads, writes, moves or deletes, by fsspec URL.

Other modules leave files to this one; it uses `listing`, `readers`, `writers`, `filesystems` and
`retries`. Four rules hold for every backend:

- A file appears whole or not at all, with the same bytes however often its write was retried.
- A local path means the same file to every operation, whatever `..` it holds; see `places`.
- Transient faults are retried with capped exponential backoff; the others raise `StorageError`.
- Messages never hold the name of an input file (it may be PHI). An output is named relative to the
  output root, without the values of hive folders.

Credentials come from the environment or from fsspec's own configuration files, never from a caller.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, BinaryIO, cast

from fsspec.implementations.local import LocalFileSystem

from ...dictionaries.files import NO_FILE, NotARegularFile, open_regular
from ..core.errors import InputChanged, StorageError, UsageError
from .filesystems import filesystem, protocols, scheme_of
from .folders import move_file, name_error, remove_empty_folders, remove_file, remove_tree
from .input_files import InputFile, list_input_files, meant_files
from .listing import (
    FolderContents,
    ListingEntry,
    files_below,
    files_with_times,
    info_of,
    modified_of,
    names_at,
    names_below,
    relative_to,
)
from .local_locks import held, holder_of
from .lock_holder import Holder, holder_in
from .locks import StoreLock, warn_unlocked
from .places import SCHEMES, leads_out, local_path
from .readers import LOCAL_BLOCK_BYTES, RangeReader, Ranges
from .retries import MissingFileError, Retrying, StorageAccessError
from .writers import LocalWriter, ObjectWriter, Writer, WriteResult


def _no_check() -> None:
    """The check of a lock that cannot be lost, or was never taken."""


@dataclasses.dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that Scrubline wrote, as a listing shows it.

    Attributes:
        name: below the folder that was listed.
        size: in bytes.
        modified: seconds since 1970; 0 where the store does not say.
    """

    name: str
    size: int
    modified: float


class Storage(Retrying):
    """Access to files by URL or local path, every operation tried again as `Retrying` says.

    Cheap and picklable: holds no handle or filesystem. On local disks nothing below an output's
    root is written or deleted through a link, and what belongs to `restricted/` and `_staging/` is
    private to its owner, whatever the umask; see `folders`.
    """

    __slots__ = ()

    @property
    def _root(self) -> str:
        """The output's root as an absolute local path; "" if it is not local, or not known."""
        return (self.root and local_path(self.root)) or ""

    def _own(self, url: str) -> tuple[Any, str]:
        """The filesystem and path of what is to be written or deleted.

        Raises:
            LinkInOutputError: if a name below the root leads out of it.
        """
        if leads_out(url, self.root):
            raise name_error()
        return filesystem(url)

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
            UsageError: if a URL matches no files, or a file cannot be read as input.
        """
        return list_input_files(self, urls)

    def meant(self, urls: Sequence[str], known: Iterable[str]) -> set[str]:
        """Which of some known files the URLs mean, by their names, whether they are there or not.

        A file to which a link within a folder or glob leads is not seen to be meant by it.

        Args:
            urls: as for `list_files`.
            known: absolute URLs, as `InputFile.url`.
        """
        return meant_files(self, urls, known)

    def list_names(self, url: str) -> list[str]:
        """Relative paths of all files below a folder, sorted; none if there is no such folder."""
        return sorted(self.list_sizes(url))

    def list_sizes(self, url: str) -> dict[str, int]:
        """Relative path -> size of all files below a folder; none if there is no such folder."""
        fs, path = filesystem(url)
        try:
            entries = self.retry("list", url, lambda: files_below(fs, path))
        except MissingFileError:
            return {}
        return {
            relative_to(path, e.path): e.size for e in entries if not e.folder and e.path != path
        }

    def list_at(self, url: str) -> list[str]:
        """The names in a folder, sorted, whatever they are; none if there is no such folder."""
        fs, path = filesystem(url)
        return self.retry("list", url, lambda: names_at(fs, path))

    def list_all(self, url: str) -> FolderContents:
        """All that is below a folder, hidden names and links too; none is followed."""
        fs, path = filesystem(url)
        return self.retry("list", url, lambda: names_below(fs, path))

    def list_found(self, url: str) -> list[FoundFile]:
        """All files below a folder with size and time, by name; none if there is no folder."""
        fs, path = filesystem(url)
        try:
            found = self.retry("list", url, lambda: files_with_times(fs, path))
        except MissingFileError:
            return []
        return sorted(
            (FoundFile(relative_to(path, e.path), e.size, time) for e, time in found),
            key=lambda file: file.name,
        )

    def exists(self, url: str) -> bool:
        """Whether a file or folder is there; a fault is an error, never False."""
        return self._look_up(url) is not None

    def modified(self, url: str) -> float | None:
        """When a file was last written by its store's own clock, in seconds since 1970.

        Returns:
            moment: None if the store does not say.

        Raises:
            MissingFileError: if there is no such file.
        """
        fs, path = filesystem(url)
        return self.retry("look up", url, lambda: modified_of(fs, path)) or None

    def check_unchanged(self, file: InputFile) -> None:
        """Compares size and version of an input file with what was listed.

        Raises:
            InputChanged: if they differ or the file was removed.
        """
        entry = self._look_up(file.url)
        if entry is None or (entry.size, entry.version) != (file.size, file.version):
            raise InputChanged(
                f"an input file {'was removed' if entry is None else 'changed'} after it was "
                "planned: "
                "discard the run with `scrubline resume --output OUT --discard`, then scrub again"
            )

    def _look_up(self, url: str) -> ListingEntry | None:
        fs, path = filesystem(url)
        try:
            return self.retry("look up", url, lambda: info_of(fs, path))
        except MissingFileError:
            return None

    # -- reading

    def open_read(self, url: str, *, buffer_bytes: int = LOCAL_BLOCK_BYTES) -> BinaryIO:
        """A seekable binary reader, each block retried; with `buffer_bytes` 0 it reads as asked.

        Raises:
            MissingFileError: if there is no such file.
        """
        raw = RangeReader(self, url)
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
        with contextlib.closing(Ranges(self, url, *filesystem(url))) as ranges:
            step = block_bytes or ranges.block_bytes
            while start < end:
                block = ranges.get(start, min(end, start + step))
                if not block:
                    return
                yield block
                start += len(block)

    def read_bytes(self, url: str) -> bytes:
        """The whole of a small file.

        Raises:
            UsageError: if it is a pipe, a device or a folder; it is not waited for.
        """
        fs, path = filesystem(url)
        if isinstance(fs, LocalFileSystem):
            if (content := self.retry("read", url, lambda: _local_bytes(path))) is None:
                raise UsageError(NO_FILE)
            return content
        return self.retry("read", url, lambda: bytes(fs.cat_file(path)))

    # -- writing

    def create(self, url: str) -> Writer:
        """A binary writer for a `with` block: the file appears whole when the block ends well.

        If an exception passes, nothing appears and nothing remains; an earlier file stays. Local
        content goes to a hidden file beside the target, is synced to disk and renamed. For object
        stores it is held in memory (no disk of a worker sees it) and put as one object.

        Raises:
            UsageError: if the store cannot put a file in one step.
        """
        fs, path = self._own(url)
        if isinstance(fs, LocalFileSystem):
            return LocalWriter(self, url, path, root=self._root, private=self.private)
        if not scheme_of(fs).is_written:
            known = sorted(name for name, scheme in SCHEMES.items() if scheme.is_written)
            raise UsageError(
                f"outputs cannot be written by {protocols(fs)[0]}://, which cannot put a file in "
                f"one step; expected a local folder, or a URL of one of {known}"
            )
        return ObjectWriter(self, url, fs, path)

    def write_bytes(self, url: str, data: bytes) -> WriteResult:
        """Puts a small file in one step."""
        with self.create(url) as writer:
            writer.write(data)
        return writer.written

    def create_exclusively(self, url: str, data: bytes) -> bool | None:
        """Puts a small object unless it exists; whether it did. Of several callers, one gets True.

        Repeated after a fault, it may find its own object and return False.

        Returns:
            made: None if the store does not decide that.
        """
        fs, path = self._own(url)
        if not scheme_of(fs).is_conditional:
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

        for _ in range(2):  # a store that throttled may not do so any more
            try:
                return self.retry("create", url, put)
            except StorageAccessError:
                raise
            except StorageError:
                # Raises if other writes fail, too.
                self.write_bytes(f"{url}.try", b"")
                self.delete(f"{url}.try")
        return None

    @contextlib.contextmanager
    def locked(self, url: str) -> Iterator[Callable[[], None]]:
        """Holds a lock for a `with` block, so that no two processes are in one at once.

        On the machine's own file systems, and network ones that take `flock`, the lock ends with
        its process, however that ends. On object stores with conditional writes it is an object
        with a lease, see `locks`. Elsewhere nothing is locked, and a warning says so once.

        Yields:
            check: raises RunFailed if the lock was lost meanwhile.

        Raises:
            OutputBusy: if another process holds it.
            UsageError: if the output may not be written.
        """
        fs, path = self._own(url)
        if not isinstance(fs, LocalFileSystem):
            lock = StoreLock(self, url)
            if not lock.acquire():
                warn_unlocked(protocols(fs)[0])
                yield _no_check
                return
            try:
                yield lock.check
            finally:
                lock.release()
            return

        with held(self, url, path, self._root):
            yield _no_check

    def lock_holder(self, url: str) -> Holder | None:
        """Who holds a lock; None if no process does, `UNKNOWN_HOLDER` if it does not say who.

        Raises:
            UsageError: if this user may not read it.
        """
        fs, path = filesystem(url)
        if isinstance(fs, LocalFileSystem):
            return holder_of(path)
        try:
            return holder_in(self.read_bytes(url))
        except FileNotFoundError:
            return None

    def move(self, source: str, target: str) -> None:
        """Renames a file, or copies it inside the store and deletes the source.

        Safe to repeat: a target without its source counts as moved.

        Raises:
            MissingFileError: if neither is there.
        """
        fs, old = self._own(source)
        other, new = self._own(target)
        if protocols(fs) != protocols(other):
            raise ValueError("move: source and target must be in the same store")
        if old == new:
            return
        if isinstance(fs, LocalFileSystem):
            self.retry("move to", target, lambda: move_file(old, new, self._root))
            return
        if not self.exists(source):
            if self.exists(target):
                return
            raise MissingFileError(f"nothing to move{self.named(source)}")
        self.retry("copy to", target, lambda: fs.cp_file(old, new))
        self.delete(source)

    def delete(self, url: str) -> None:
        """Deletes a file; nothing happens if there is none."""
        fs, path = self._own(url)
        remove = (
            (lambda: remove_file(path, self._root))
            if isinstance(fs, LocalFileSystem)
            else lambda: fs.rm_file(path)
        )
        with contextlib.suppress(MissingFileError):
            self.retry("delete", url, remove)

    def delete_empty_folders(self, url: str) -> None:
        """Deletes the folders that a deleted file of a table leaves empty; stores have none."""
        fs, path = self._own(url)
        if isinstance(fs, LocalFileSystem):
            self.retry("delete", url, lambda: remove_empty_folders(path, self._root))

    def delete_folder(self, url: str) -> None:
        """Deletes a folder with all that is in it; nothing happens if there is none."""
        fs, path = self._own(url)

        def remove() -> None:
            if isinstance(fs, LocalFileSystem):
                remove_tree(path, self._root)
            else:
                fs.invalidate_cache()
                fs.rm(path, recursive=True)

        with contextlib.suppress(MissingFileError):
            self.retry("delete", url, remove)


def _local_bytes(path: str) -> bytes | None:
    """The content of a file; None if it is not a regular file."""
    try:
        descriptor = open_regular(path)
    except NotARegularFile:
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read()
