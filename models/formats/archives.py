"""Archives of texts: zip, tar and tar.gz; every member is a document, as a file of `text` is.

Member names are only ids: nothing is ever unpacked to disk, so `../` and absolute names lead
nowhere. Folders and hidden members (as `listing.is_visible` has it, and `__MACOSX/`) are no
documents; links, devices and members that cannot be unpacked are error rows. Every other member is
read as text, whatever its name ends with: what is none fails by its encoding.

Sources: APPNOTE.TXT 6.3.10 (zip); POSIX.1-2001 pax and ustar (tar). Overlapping members of a zip
are refused: D. Fifield, "A better zip bomb", WOOT 2019. The size that a directory says bounds what
is unpacked, and must be that of the content.
"""

from __future__ import annotations

import abc
import array
import contextlib
import copy
import dataclasses
import errno
import io
import itertools
import logging
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import IO, Any, BinaryIO, ClassVar, cast

import numpy as np
import pyarrow as pa

from ..errors import ScrublineError, UsageError
from ..listing import is_visible
from ..roles import Columns
from ..storage import InputFile
from .base import (
    UNPACKED_FREE_BYTES,
    UTF8,
    Chunk,
    ChunkCutter,
    Format,
    LazySink,
    Limits,
    Locator,
    OpenPart,
    PartRow,
    PartWriter,
    PlainCells,
    Reader,
    Settings,
    Sink,
    Unreadable,
    whole,
)
from .gzipped import LEVEL, GzipSink, gunzip
from .text import TextFiles, named_texts, part_row, text_row

_log = logging.getLogger(__name__)

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time that zip can hold: no clock may show in a part."""

_MEMBER_SUFFIX = TextFiles.suffixes[0]

_DAMAGE = (EOFError, ValueError, OverflowError)
"""What the standard library raises of a damaged archive beside errors of its own."""

Member = tuple[str, bytes | str]
"""Name and content of a member, or name and error code."""


@dataclasses.dataclass(frozen=True)
class _Archive(PlainCells, abc.ABC):
    """What all archives of texts share.

    Attributes:
        encoding: of the members.
    """

    encoding: str = UTF8

    name = ""
    suffixes: ClassVar[tuple[str, ...]] = ()
    sampled = False
    measure = "members"
    file_is_record = False
    holds_patient_key = False
    takes = frozenset({"encoding"})

    def configured(self, settings: Settings) -> Format:
        """With the encoding."""
        return cast(Format, type(self)(settings.encoding))

    def check_roles(self, columns: Columns) -> None:
        """As text files."""
        TextFiles().check_roles(columns)

    def columns(self, storage: Reader, file: InputFile) -> tuple[str, ...]:
        """The member's name in the archive (its id; PHI), and the text."""
        return ("path", "text")

    @abc.abstractmethod
    def members(
        self, storage: Reader, file: InputFile, start: int, end: int, limits: Limits
    ) -> Iterator[Member]:
        """Yields the documents of a stretch.

        Raises:
            Unreadable: if its rest cannot be read.
        """

    def read(
        self,
        storage: Reader,
        file: InputFile,
        locator: Locator,
        columns: tuple[str, ...],
        limits: Limits,
    ) -> Iterator[Chunk]:
        """Yields a row a member."""
        cutter = ChunkCutter(columns, limits)
        try:
            for name, content in self.members(storage, file, locator.start, locator.end, limits):
                row = _row(name, content, self.encoding)
                if isinstance(row, str):
                    yield from cutter.add_error(row)
                else:
                    yield from cutter.add([row.get(one) for one in columns], len(content))
        except Unreadable as error:
            yield from cutter.add_error(error.code)
        yield from cutter.rest()

    def part_rows(self, storage: Reader, file: InputFile, columns: Columns) -> Iterator[PartRow]:
        """Yields a row a member; its doc_key is the member's name."""
        limits = dataclasses.replace(whole(file), document_bytes=_LARGEST_MEMBER_BYTES)
        try:
            for name, content in self.members(storage, file, 0, _TO_THE_END, limits):
                yield part_row(_row(name, content, self.encoding), columns, _MEMBER_SUFFIX)
        except Unreadable as error:
            yield part_row(error.code, columns, _MEMBER_SUFFIX)


def _row(name: str, content: bytes | str, encoding: str) -> dict[str, str] | str:
    return content if isinstance(content, str) else text_row(name, content, encoding)


_TO_THE_END = 1 << 62
_LARGEST_MEMBER_BYTES = 2_000_000_000
"""What was published was within its budgets; Arrow's strings end a little above."""


# -- zip

_NO_ZIP = "it is no zip archive, or its directory is damaged or cut off"

_END_BYTES = 22 + 0xFFFF + 76
"""The end record with its longest comment, and the two records of zip64 before it."""


class ZipArchive(_Archive):
    """The format `zip`. A stretch is a run of entries of the directory at the archive's end."""

    name = "zip"
    suffixes = (".zip",)

    def plan(
        self, storage: Reader, index: int, file: InputFile, split_bytes: int, limits: Limits
    ) -> list[Locator]:
        """Runs of members that unpack to about `split_bytes`.

        Raises:
            UsageError: if there is no directory, members overlap, or all together they unpack to
                more than the budget.
        """
        directory = _Directory()
        hidden = 0
        with _zip_directory(storage, file) as runs:
            for entries in runs:
                directory.add(entries)
                hidden += sum(not (_is_folder(e) or _is_document(e.filename)) for e in entries)
        if len(directory.sizes) != _entry_count(storage, file):
            raise UsageError("the directory of a zip archive is damaged: entries are missing")
        directory.check(file, limits)
        _tell_hidden(hidden)
        sizes = directory.sizes
        locators: list[Locator] = []
        start = size = 0
        for position, unpacked in enumerate(sizes):
            if position > start and size + unpacked > split_bytes:
                locators.append(Locator(index, start, position, size))
                start, size = position, 0
            size += unpacked
        if start < len(sizes):
            locators.append(Locator(index, start, len(sizes), size))
        return locators

    def members(
        self, storage: Reader, file: InputFile, start: int, end: int, limits: Limits
    ) -> Iterator[Member]:
        """Yields the documents among the entries [start, end)."""
        try:
            with _zip(storage, file, start, end) as archive:
                for entry in archive.infolist():
                    content = _unzipped(archive, entry, limits.document_bytes)
                    # A damaged name may look like a folder's or a hidden one's: its content, or the
                    # second copy of the name before it, tells.
                    aside = _is_folder(entry) or not _is_document(entry.filename)
                    if aside and content != "DamagedMember" and not (_is_folder(entry) and content):
                        continue
                    yield entry.filename, content
        except UsageError:
            raise Unreadable("DamagedArchive") from None

    def writer(self, open_part: OpenPart, stem: str) -> PartWriter:
        """Writes `<stem>.zip` with `<doc_key>.txt` for each row; other columns are left out."""
        return _ZipWriter(LazySink(open_part, stem + self.suffixes[0]), self.encoding)


def member_sizes(storage: Reader, file: InputFile, start: int, end: int) -> list[int]:
    """Unpacked sizes of the entries [start, end) of a zip archive's directory, as it tells them."""
    with _zip(storage, file, start, end) as archive:
        return [entry.file_size for entry in archive.infolist()]


_ENTRIES_AT_ONCE = 10_000
"""Entries of a directory that are looked at together: `zipfile` takes about 600 bytes for each."""


@contextlib.contextmanager
def _zip(storage: Reader, file: InputFile, start: int, end: int) -> Iterator[zipfile.ZipFile]:
    """The archive as if it had the entries [start, end) alone: what others take is never held.

    Raises:
        UsageError: if there is no directory, or what is looked at of it is damaged.
    """
    with storage.open_read(file.url) as stream:
        with _as_no_zip():
            place = _DirectoryPlace.of(stream)
            entries = b"".join(itertools.islice(_raw_entries(stream, place), start, end))
            archive = zipfile.ZipFile(cast(IO[bytes], place.with_entries(stream, entries)))
        with archive:
            yield archive


@contextlib.contextmanager
def _zip_directory(
    storage: Reader, file: InputFile
) -> Iterator[Iterator[Sequence[zipfile.ZipInfo]]]:
    """The whole directory, a run of entries at a time.

    Raises:
        UsageError: as `_zip`.
    """

    def runs(stream: BinaryIO) -> Iterator[Sequence[zipfile.ZipInfo]]:
        with _as_no_zip():
            place = _DirectoryPlace.of(stream)
            raw = _raw_entries(stream, place)
        while True:
            with _as_no_zip():
                some = list(itertools.islice(raw, _ENTRIES_AT_ONCE))
                spliced = place.with_entries(stream, b"".join(some))
                with zipfile.ZipFile(cast(IO[bytes], spliced)) as archive:
                    entries = archive.infolist()
            if not some:
                return
            yield entries

    with storage.open_read(file.url) as stream:
        yield runs(stream)


@contextlib.contextmanager
def _as_no_zip() -> Iterator[None]:
    """What `zipfile` raises of strange names and sizes, which is whatever comes, as UsageError."""
    damaged = False
    try:
        yield
    except ScrublineError:
        raise
    except (zipfile.BadZipFile, RuntimeError, ValueError, OverflowError, EOFError, struct.error):
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
        told: offset that the end record says: less than `start` by what was put before the archive.
    """

    start: int
    size: int
    told: int

    @classmethod
    def of(cls, stream: BinaryIO) -> _DirectoryPlace:
        record = _zipfile._EndRecData(stream)
        if not record:
            raise zipfile.BadZipFile
        size, told, end = (
            int(record[i])
            for i in (_zipfile._ECD_SIZE, _zipfile._ECD_OFFSET, _zipfile._ECD_LOCATION)
        )
        if record[_zipfile._ECD_SIGNATURE] == _zipfile.stringEndArchive64:
            end -= _zipfile.sizeEndCentDir64 + _zipfile.sizeEndCentDir64Locator
        if end - size < 0:
            raise zipfile.BadZipFile
        return cls(end - size, size, told)

    def with_entries(self, stream: BinaryIO, entries: bytes) -> _Spliced:
        """The archive with other entries in the place of its directory."""
        # 4.3.14 to 4.3.16. Whatever the archive had, here is room for any size.
        end_64 = struct.pack(
            "<4sQHHLLQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, 0, 0, len(entries), self.told
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


class _Spliced(io.RawIOBase):
    """A file up to some byte, and other bytes from there."""

    def __init__(self, stream: BinaryIO, start: int, rest: bytes) -> None:
        super().__init__()
        self._stream, self._start, self._rest = stream, start, rest
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        size = self._start + len(self._rest)
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: size}[whence]
        if base + offset < 0:
            raise OSError(errno.EINVAL, "seek before the start of the file")
        self._at = base + offset
        return self._at

    def read(self, size: int = -1) -> bytes:
        """As many bytes as asked for, unless the end comes first."""
        if size is None or size < 0:
            size = max(0, self._start + len(self._rest) - self._at)
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


def _entry_count(storage: Reader, file: InputFile) -> int:
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


class _Directory:
    """Of each entry what planning needs, some bytes each: sizes, and which bytes it takes."""

    def __init__(self) -> None:
        self.sizes = array.array("q")
        self._starts, self._ends = array.array("q"), array.array("q")

    def add(self, entries: Sequence[zipfile.ZipInfo]) -> None:
        """Adds entries; numbers beyond any file, of a directory that lies, stay so."""
        self.sizes.extend(min(entry.file_size, _BEYOND) for entry in entries)
        self._starts.extend(_within(entry.header_offset) for entry in entries)
        # Behind its header (30 bytes and its name) each member has its own bytes.
        self._ends.extend(_within(e.header_offset + 30 + e.compress_size) for e in entries)

    def check(self, file: InputFile, limits: Limits) -> None:
        """Refuses bombs.

        Raises:
            UsageError: see `ZipArchive.plan`.
        """
        starts, ends = np.array(self._starts, np.int64), np.array(self._ends, np.int64)
        order = np.lexsort((ends, starts))
        if (ends[order][:-1] > starts[order][1:]).any():
            raise UsageError("the members of a zip archive overlap: it is a bomb, or damaged")
        if sum(self.sizes) > max(file.size * limits.unpacked_ratio, UNPACKED_FREE_BYTES):
            raise UsageError(
                f"a zip archive would unpack to more than {limits.unpacked_ratio} times its size, "
                "the budget unpacked_ratio"
            )


def _unzipped(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, most_bytes: int) -> bytes | str:
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if entry.create_system == 3 and kind not in (0, stat.S_IFREG, stat.S_IFDIR):  # 3: Unix
        return "NotAFile"
    if entry.flag_bits & 1:
        return "Encrypted"
    if entry.compress_type not in _METHODS:
        return "UnknownCompression"
    if entry.file_size > most_bytes:
        return "OverBudget:bytes"
    try:
        with archive.open(_packed(entry)) as stream:
            content = _METHODS[entry.compress_type](stream, entry.file_size)
    except ScrublineError:
        raise
    except RuntimeError:  # a way of packing that zipfile does not know
        return "UnknownCompression"
    except (*_DAMAGE, zipfile.BadZipFile, zlib.error):
        return "DamagedMember"
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        return "DamagedMember"
    whole = len(content) == entry.file_size and zlib.crc32(content) == entry.CRC
    return content if whole else "DamagedMember"


def _packed(entry: zipfile.ZipInfo) -> zipfile.ZipInfo:
    """The entry of the same bytes, as if they were stored so.

    zipfile's own unpacking heeds no bound for bzip2 and LZMA, and overlooks what a stream holds
    beyond the size that the directory says.
    """
    packed = copy.copy(entry)
    packed.compress_type, packed.file_size = zipfile.ZIP_STORED, entry.compress_size
    del packed.CRC
    return packed


def _stored(stream: IO[bytes], size: int) -> bytes:
    return stream.read(size + 1)


def _inflated(stream: IO[bytes], size: int) -> bytes:
    """Unpacks at most `size` bytes and one more, which tells that there are too many.

    Raises:
        EOFError: if the stream of deflate ends before or behind the packed bytes.
    """
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
    content = bytearray()
    while not unpacker.eof and len(content) <= size:
        packed = unpacker.unconsumed_tail or stream.read(_PIECE_BYTES)
        block = unpacker.decompress(packed, size + 1 - len(content))
        if not packed and not block:
            raise EOFError
        content += block
    if unpacker.unused_data or (unpacker.eof and stream.read(1)):
        raise EOFError
    return bytes(content)


_METHODS: Mapping[int, Callable[[IO[bytes], int], bytes]] = MappingProxyType(
    {zipfile.ZIP_STORED: _stored, zipfile.ZIP_DEFLATED: _inflated}
)
"""All that exports use. Bzip2 and LZMA stay out: a header of LZMA may ask for gigabytes."""

_PIECE_BYTES = 1 << 16


class _ZipWriter:
    def __init__(self, sink: LazySink, encoding: str) -> None:
        self._sink = sink
        self._encoding = encoding
        self._archive: zipfile.ZipFile | None = None

    def write(self, table: pa.Table) -> None:
        for key, text in named_texts(table):
            if self._archive is None:
                self._archive = zipfile.ZipFile(_stream(self._sink.open()), "w", allowZip64=True)
            entry = zipfile.ZipInfo(key + _MEMBER_SUFFIX, _EPOCH)
            entry.create_system, entry.external_attr = 3, 0o600 << 16
            self._archive.writestr(entry, text.encode(self._encoding), zipfile.ZIP_DEFLATED, LEVEL)

    def close(self) -> None:
        if self._archive is not None:
            self._archive.close()
        self._sink.close()


# -- tar

_tarfile: Any = tarfile
"""What its type declarations leave out: the kinds of bad headers, the members seen so far."""


class TarArchive(_Archive):
    """The format `tar`. A stretch is the bytes of a run of members with their headers."""

    name = "tar"
    suffixes = (".tar",)
    measure = "bytes"

    def plan(
        self, storage: Reader, index: int, file: InputFile, split_bytes: int, limits: Limits
    ) -> list[Locator]:
        """Runs of members of about `split_bytes`; every header is looked at.

        Raises:
            UsageError: if a header is damaged or changes all members behind it, or the archive has
                no end.
        """
        edges = [0]
        names: list[str] = []
        try:
            with storage.open_read(file.url) as stream:
                for member in _tar(stream, 0):
                    if member.offset > edges[-1] and member.offset - edges[-1] >= split_bytes:
                        edges.append(member.offset)
                    if not member.isdir() and not _is_document(member.name):
                        names.append(member.name)
        except _ChangesMembers:
            raise UsageError(
                "a global header of a tar archive sets names, sizes or encodings of the members "
                "behind it; expected: none that does. Pack the archive again"
            ) from None
        except Unreadable:
            raise UsageError("it is no tar archive, or it is damaged or cut off") from None
        _warn_hidden(names)
        edges.append(file.size)
        return [Locator(index, a, b, b - a) for a, b in itertools.pairwise(edges) if a < b]

    def members(
        self, storage: Reader, file: InputFile, start: int, end: int, limits: Limits
    ) -> Iterator[Member]:
        """Yields the documents whose headers begin in the bytes [start, end)."""
        if file.size:
            with storage.open_read(file.url) as stream:
                yield from _untarred(stream, start, end, limits.document_bytes)

    def writer(self, open_part: OpenPart, stem: str) -> PartWriter:
        """Writes `<stem>.tar` with `<doc_key>.txt` for each row; other columns are left out."""
        return _TarWriter(LazySink(open_part, stem + self.suffixes[0]), self.encoding)


class TarGzArchive(_Archive):
    """The format `tar.gz`: a tar archive through gzip, one stretch a file."""

    name = "tar.gz"
    suffixes = (".tar.gz", ".tgz")
    measure = "bytes"

    def plan(
        self, storage: Reader, index: int, file: InputFile, split_bytes: int, limits: Limits
    ) -> list[Locator]:
        """The whole file, unseen: damage is found when it is read, and is an error row."""
        return [Locator(index, 0, file.size, file.size)]

    def members(
        self, storage: Reader, file: InputFile, start: int, end: int, limits: Limits
    ) -> Iterator[Member]:
        """Yields the documents, in one pass."""
        if file.size:
            blocks = gunzip(storage, file, limits)
            stream = io.BufferedReader(_Pulled(blocks), 1 << 16)
            yield from _untarred(cast(BinaryIO, stream), 0, _TO_THE_END, limits.document_bytes)

    def writer(self, open_part: OpenPart, stem: str) -> PartWriter:
        """Writes `<stem>.tar.gz` with `<doc_key>.txt` for each row; no other column."""
        sink = LazySink(lambda name: GzipSink(open_part(name)), stem + self.suffixes[0])
        return _TarWriter(sink, self.encoding)


_EXTENSIONS = frozenset(
    {
        *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
        *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
    }
)
"""Kinds of headers whose content `tarfile` reads as a whole."""

_EXTENSION_BYTES = 1 << 20
"""The most that one may hold: names are far shorter, and the content of tar.gz may be a bomb."""

_CHANGES_MEMBERS = frozenset({"path", "linkpath", "size", "hdrcharset"})
_SPARSE = "GNU.sparse."


class _ChangesMembers(Unreadable):
    """A pax global header sets what makes a member: it would count for one stretch of several."""

    def __init__(self) -> None:
        super().__init__("DamagedArchive")


class _StrictTarInfo(tarfile.TarInfo):
    """`tarfile` takes a damaged header for the archive's end, and would lose what follows."""

    _sparse_structs: tuple[Any, bool, int]

    @classmethod
    def frombuf(cls, buf: Any, encoding: Any, errors: Any) -> Any:
        member = super().frombuf(buf, encoding, errors)
        if member.size < 0 or (member.type in _EXTENSIONS and member.size > _EXTENSION_BYTES):
            raise _tarfile.InvalidHeaderError
        return member

    @classmethod
    def fromtarfile(cls, tarfile_: Any) -> Any:
        try:
            return super().fromtarfile(tarfile_)
        except _tarfile.EOFHeaderError:
            raise
        # Headers about headers about headers are read by recursion.
        except (tarfile.HeaderError, ValueError, OverflowError, RecursionError):
            raise Unreadable("DamagedArchive") from None

    # The maps of sparse members, which `tarfile` keeps, may have any length; nobody needs them.

    def _proc_sparse(self, archive: Any) -> Any:
        _, more, size = self._sparse_structs
        while more:
            block = archive.fileobj.read(tarfile.BLOCKSIZE)
            if len(block) < tarfile.BLOCKSIZE:
                raise _tarfile.TruncatedHeaderError
            more = block[504]
        self.sparse: Any = []
        self.offset_data = archive.fileobj.tell()
        archive.offset = self.offset_data + -(-self.size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE
        self.size = size
        return self

    def _proc_gnusparse_10(self, member: Any, headers: Any, archive: Any) -> None:
        member.sparse = []


def _tar(stream: BinaryIO, start: int) -> Iterator[tarfile.TarInfo]:
    """Yields the members from a header on; the caller may read each before the next is asked for.

    Raises:
        Unreadable: at a damaged header, or where the archive ends without the end that it needs.
    """
    for member, _ in _opened_tar(stream, start):
        yield member


def _opened_tar(
    stream: BinaryIO, start: int
) -> Iterator[tuple[tarfile.TarInfo, Callable[[tarfile.TarInfo], Any]]]:
    stream_is_seekable = stream.seekable()
    if stream_is_seekable:
        stream.seek(start)
    try:
        if stream_is_seekable:
            archive = _tarfile.TarFile(fileobj=stream, tarinfo=_StrictTarInfo, errors="replace")
        else:
            archive = _tarfile.open(
                fileobj=stream, mode="r|", tarinfo=_StrictTarInfo, errors="replace"
            )
        while (member := archive.next()) is not None:
            _check_member(member, archive)
            yield member, archive.extractfile
            # It keeps all that it has seen: an archive of millions would fill the memory.
            archive.members.clear()
        # What follows the end would be ignored: archives that were joined by `cat`, for one.
        while block := archive.fileobj.read(1 << 16):
            if block.strip(b"\0"):
                raise Unreadable("DamagedArchive")
    except (*_DAMAGE, tarfile.TarError):
        raise Unreadable("DamagedArchive") from None


def _check_member(member: tarfile.TarInfo, archive: Any) -> None:
    """Compares a member with its place, which ends at `archive.offset`, and forgets globals.

    Harmless global headers (a comment, times, owners) thereby count nowhere, so that it does not
    matter in which stretch they stand.

    Raises:
        Unreadable: if its size, which a pax header may set, is not that of its bytes (CPython 3.11
            goes back for a negative one, for ever); or at a global header that may not be.
    """
    if any(key in _CHANGES_MEMBERS or key.startswith(_SPARSE) for key in archive.pax_headers):
        raise _ChangesMembers
    archive.pax_headers.clear()
    end = member.offset_data + (member.size if member.isreg() else 0)
    if member.size < 0 or (end > archive.offset and not _is_sparse(member)):
        raise Unreadable("DamagedArchive")


def _is_sparse(member: tarfile.TarInfo) -> bool:
    return member.issparse() or any(key.startswith(_SPARSE) for key in member.pax_headers)


def _untarred(stream: BinaryIO, start: int, end: int, most_bytes: int) -> Iterator[Member]:
    for member, extract in _opened_tar(stream, start):
        if member.offset >= end:
            return
        if member.isdir() or not _is_document(member.name):
            continue
        content: bytes | str
        if not member.isreg() or _is_sparse(member):  # a few bytes may stand for any number
            content = "NotAFile"
        elif member.size > most_bytes:
            content = "OverBudget:bytes"
        else:
            try:
                content = extract(member).read()
            except (*_DAMAGE, tarfile.TarError):
                raise Unreadable("DamagedArchive") from None
            if len(content) != member.size:
                raise Unreadable("DamagedArchive")
        yield member.name, content


class _Pulled(io.RawIOBase):
    """A readable, unseekable stream of blocks."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        if not self._left:
            self._left = memoryview(next(self._blocks, b""))
        count = min(len(target), len(self._left))
        target[:count] = self._left[:count]
        self._left = self._left[count:]
        return count


class _TarWriter:
    def __init__(self, sink: LazySink, encoding: str) -> None:
        self._sink = sink
        self._encoding = encoding
        self._archive: Any = None  # a tarfile.TarFile

    def write(self, table: pa.Table) -> None:
        for key, text in named_texts(table):
            if self._archive is None:
                stream = _stream(self._sink.open())
                self._archive = tarfile.open(  # noqa: SIM115 - closed with the part
                    fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT
                )
            content = text.encode(self._encoding)
            entry = tarfile.TarInfo(key + _MEMBER_SUFFIX)
            entry.size, entry.mode = len(content), 0o600
            self._archive.addfile(entry, io.BytesIO(content))
            self._archive.members.clear()

    def close(self) -> None:
        if self._archive is not None:
            self._archive.close()
        self._sink.close()


# -- what both need


class _Written(io.RawIOBase):
    """A sink as an unseekable stream, which zipfile and tarfile write to."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._sink.write(bytes(data))
        return len(data)


def _stream(sink: Sink) -> Any:
    return _Written(sink)


def _is_document(name: str) -> bool:
    """Whether a member is one by its name; tidy names only are looked at for hidden folders."""
    parts = [part for part in name.split("/") if part not in ("", ".", "..")]
    return is_visible("/".join(parts)) if parts else True


def _warn_hidden(names: Iterator[str] | Sequence[str]) -> None:
    _tell_hidden(sum(not _is_document(name) for name in names))


def _tell_hidden(hidden: int) -> None:
    if hidden:
        _log.warning(
            "%d members of an archive are left out, as their names begin with '.' or '_'", hidden
        )


def _is_folder(entry: zipfile.ZipInfo) -> bool:
    return entry.filename.endswith("/")  # `is_dir` of Python 3.11 trips over an empty name
