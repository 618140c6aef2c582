"""The directory at the end of a zip archive, read a run of entries at a time.

`zipfile` holds all of it, which for millions of members fills the memory: it is given an archive of
a few entries instead.

Sources: APPNOTE.TXT 6.3.10. Overlapping members are refused: D. Fifield, "A better zip bomb", WOOT
2019.
"""

from __future__ import annotations

import array
import contextlib
import dataclasses
import errno
import itertools
import struct
import zipfile
from collections.abc import Iterator, Sequence
from typing import IO, Any, BinaryIO, cast

import numpy as np

from ..core.errors import ScrublineError, UsageError
from ..core.shortage import raise_shortage
from ..storage.input_files import InputFile
from ..storage.readers import SeekingReader
from .options import UNPACKED_FREE_BYTES, Limits
from .protocol import Reader

_NO_ZIP = "it is not a zip archive, or its directory is damaged or truncated"

_END_BYTES = 22 + 0xFFFF + 76
"""The end record with its longest comment, and the two records of zip64 before it."""

_ENTRIES_AT_ONCE = 10_000
"""Entries of a directory that are read together: `zipfile` takes about 600 bytes for each."""


@contextlib.contextmanager
def open_entries(
    storage: Reader, file: InputFile, start: int, end: int
) -> Iterator[zipfile.ZipFile]:
    """The archive as if it had only the entries [start, end): the others are never held.

    Raises:
        UsageError: if there is no directory, or the part that is read is damaged.
    """
    with storage.open_read(file.url) as stream:
        with _as_no_zip():
            place = _DirectoryPlace.of(stream)
            entries = b"".join(itertools.islice(_raw_entries(stream, place), start, end))
            archive = zipfile.ZipFile(cast(IO[bytes], place.with_entries(stream, entries)))
        with archive:
            yield archive


@contextlib.contextmanager
def open_directory(
    storage: Reader, file: InputFile
) -> Iterator[Iterator[Sequence[zipfile.ZipInfo]]]:
    """The whole directory, a run of entries at a time.

    Raises:
        UsageError: as `open_entries`.
    """

    def runs(stream: BinaryIO) -> Iterator[Sequence[zipfile.ZipInfo]]:
        with _as_no_zip():
            place = _DirectoryPlace.of(stream)
            raw = _raw_entries(stream, place)
        while True:
            with _as_no_zip():
                batch = list(itertools.islice(raw, _ENTRIES_AT_ONCE))
                spliced = place.with_entries(stream, b"".join(batch))
                with zipfile.ZipFile(cast(IO[bytes], spliced)) as archive:
                    entries = archive.infolist()
            if not batch:
                return
            yield entries

    with storage.open_read(file.url) as stream:
        yield runs(stream)


@contextlib.contextmanager
def _as_no_zip() -> Iterator[None]:
    """Raises UsageError for all that `zipfile` raises for strange names and sizes."""
    damaged = False
    try:
        yield
    except ScrublineError:
        raise
    except (
        zipfile.BadZipFile,
        RuntimeError,
        ValueError,
        OverflowError,
        EOFError,
        struct.error,
    ) as error:
        raise_shortage(error)
        damaged = True
    except OSError as error:
        if error.errno != errno.EINVAL:  # a seek to before the start: an offset that lies
            raise
        damaged = True
    if damaged:
        raise UsageError(_NO_ZIP)


_ENTRY = struct.Struct("<4s24xHHH12x")
"""Of an entry of the directory (4.3.12): signature, and lengths of name, extra and comment."""

_ENTRY_BLOCK_BYTES = 1 << 20
_zipfile: Any = zipfile
"""What its type declarations leave out: where the directory is."""


@dataclasses.dataclass(frozen=True, slots=True)
class _DirectoryPlace:
    """Where the directory of an archive is.

    Attributes:
        start: byte of the file.
        size: in bytes.
        stated: offset in the end record: less than `start` by the bytes before the archive.
    """

    start: int
    size: int
    stated: int

    @classmethod
    def of(cls, stream: BinaryIO) -> _DirectoryPlace:
        record = _zipfile._EndRecData(stream)
        if not record:
            raise zipfile.BadZipFile
        size, stated, end = (
            int(record[i])
            for i in (_zipfile._ECD_SIZE, _zipfile._ECD_OFFSET, _zipfile._ECD_LOCATION)
        )
        if record[_zipfile._ECD_SIGNATURE] == _zipfile.stringEndArchive64:
            end -= _zipfile.sizeEndCentDir64 + _zipfile.sizeEndCentDir64Locator
        if end - size < 0:
            raise zipfile.BadZipFile
        return cls(end - size, size, stated)

    def with_entries(self, stream: BinaryIO, entries: bytes) -> _Spliced:
        """The archive with other entries in the place of its directory."""
        # 4.3.14 to 4.3.16. Whatever the archive had, here is room for any size.
        end_64 = struct.pack(
            "<4sQHHLLQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, 0, 0, len(entries), self.stated
        )
        locator = struct.pack("<4sLQL", b"PK\6\7", 0, self.start + len(entries), 1)
        end = struct.pack("<4sHHHHLLH", b"PK\5\6", *(0xFFFF,) * 4, *(0xFFFFFFFF,) * 2, 0)
        return _Spliced(stream, self.start, entries + end_64 + locator + end)


def _raw_entries(stream: BinaryIO, place: _DirectoryPlace) -> Iterator[bytes]:
    """Yields the bytes of each entry of a directory, which is read in blocks."""
    at, end = place.start, place.start + place.size
    block, used = b"", 0
    while at + used < end or used < len(block):
        if len(block) - used < _ENTRY.size or (
            len(block) - used < _ENTRY.size + sum(_ENTRY.unpack_from(block, used)[1:])
        ):
            at += len(block)
            stream.seek(at)
            more = stream.read(min(_ENTRY_BLOCK_BYTES, end - at))
            block, used = block[used:] + more, 0
            at -= len(block) - len(more)
            if not more:
                raise zipfile.BadZipFile
            continue
        signature, *lengths = _ENTRY.unpack_from(block, used)
        if signature != b"PK\1\2":
            raise zipfile.BadZipFile
        size = _ENTRY.size + sum(lengths)
        yield block[used : used + size]
        used += size


class _Spliced(SeekingReader):
    """A file up to some byte, and other bytes from there."""

    def __init__(self, stream: BinaryIO, start: int, rest: bytes) -> None:
        super().__init__(start + len(rest))
        self._stream, self._start, self._rest = stream, start, rest

    def read(self, size: int = -1) -> bytes:
        """The requested number of bytes, unless the end comes first."""
        if size is None or size < 0:
            size = max(0, self._size - self._at)
        found = b""
        if self._at < self._start:
            self._stream.seek(self._at)
            found = self._stream.read(min(size, self._start - self._at))
            self._at += len(found)
            if self._at < self._start:
                return found
        first = self._at - self._start
        rest = self._rest[first : first + size - len(found)]
        self._at += len(rest)
        return found + rest


def entry_count(storage: Reader, file: InputFile) -> int:
    """How many entries the end of the archive speaks of; `zipfile` does not compare it."""
    tail = storage.read_range(file.url, max(0, file.size - _END_BYTES), file.size)
    # As `zipfile` looks for it: at the very end, else the last before a comment.
    plain = tail[-22:-18] == b"PK\5\6" and tail[-2:] == b"\0\0"
    at = len(tail) - 22 if plain else tail.rfind(b"PK\5\6")
    (count,) = struct.unpack_from("<H", tail, at + 10)
    at_64 = tail.rfind(b"PK\6\6", 0, at)
    if count == 0xFFFF and at_64 >= 0:
        (count,) = struct.unpack_from("<Q", tail, at_64 + 32)
    return int(count)


_BEYOND = 1 << 62


def _within(offset: int) -> int:
    return max(-_BEYOND, min(_BEYOND, offset))


class Directory:
    """Of each entry what planning needs, some bytes each: sizes, and which bytes it takes."""

    def __init__(self) -> None:
        self.sizes = array.array("q")
        self._starts, self._ends = array.array("q"), array.array("q")

    def add(self, entries: Sequence[zipfile.ZipInfo]) -> None:
        """Adds entries; numbers beyond any file, of a directory that lies, stay so."""
        self.sizes.extend(_within(entry.file_size) for entry in entries)
        self._starts.extend(_within(entry.header_offset) for entry in entries)
        # After its header (30 bytes and its name) each member has its own bytes.
        self._ends.extend(_within(e.header_offset + 30 + e.compress_size) for e in entries)

    def check(self, file: InputFile, limits: Limits) -> None:
        """Refuses bombs.

        Raises:
            UsageError: if members overlap, or all together unpack to more than the budget.
        """
        starts, ends = np.array(self._starts, np.int64), np.array(self._ends, np.int64)
        order = np.lexsort((ends, starts))
        if (ends[order][:-1] > starts[order][1:]).any():
            raise UsageError("the members of a zip archive overlap: it is a bomb or damaged")
        if sum(self.sizes) > max(file.size * limits.unpacked_ratio, UNPACKED_FREE_BYTES):
            raise UsageError(
                f"a zip archive would unpack to more than {limits.unpacked_ratio} times its size "
                "(budget unpacked_ratio): if it is not a bomb, unpack it, or raise the budget"
            )
