"""Zip archives of texts; any run of members can be read.

Source: APPNOTE.TXT 6.3.10. The size in the directory bounds what is unpacked, and must be that of
the content.
"""

from __future__ import annotations

import copy
import errno
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import IO, Any

from ..core.errors import ScrublineError, UsageError
from ..core.shortage import raise_shortage
from ..storage.input_files import InputFile
from .archives import DAMAGE, Archive, ArchiveWriter, Member, is_document, warn_hidden
from .chunks import LazySink
from .gzipped import LEVEL
from .options import Limits
from .protocol import Locator, OpenPart, PartWriter, Reader, SampleRange, Unreadable
from .samples import run_at
from .zip_directory import Directory, entry_count, open_directory, open_entries

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time that zip can hold: no clock may show in a part."""


class ZipArchive(Archive):
    """The format `zip`. A range is a run of entries of the directory at the archive's end."""

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
        directory = Directory()
        hidden = 0
        with open_directory(storage, file) as runs:
            for entries in runs:
                directory.add(entries)
                hidden += sum(not (_is_folder(e) or is_document(e.filename)) for e in entries)
        if len(directory.sizes) != entry_count(storage, file):
            raise UsageError(
                "the directory of a zip archive is damaged: entries are missing; copy it again"
            )
        directory.check(file, limits)
        warn_hidden(hidden)
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

    def sample(
        self, storage: Reader, file: InputFile, locator: Locator, at: int, most_bytes: int
    ) -> SampleRange:
        """The members from the one at `at` on that unpack to `most_bytes`, at least one."""
        with open_entries(storage, file, locator.start, locator.end) as archive:
            sizes = [entry.file_size for entry in archive.infolist()]
        first, count, size = run_at(sizes, at, most_bytes)
        start = locator.start + first
        return SampleRange(Locator(locator.file, start, start + count, size), count)

    def members(
        self, storage: Reader, file: InputFile, start: int, end: int, limits: Limits
    ) -> Iterator[Member]:
        """Yields the documents among the entries [start, end)."""
        try:
            with open_entries(storage, file, start, end) as archive:
                for entry in archive.infolist():
                    content = _unzipped(archive, entry, limits.document_bytes)
                    # A damaged name may look like a folder's or a hidden one's: its content, or the
                    # second copy of the name before it, shows which.
                    aside = _is_folder(entry) or not is_document(entry.filename)
                    if aside and content != "DamagedMember" and not (_is_folder(entry) and content):
                        continue
                    yield entry.filename, content
        except UsageError:
            raise Unreadable("DamagedArchive") from None

    def writer(self, open_part: OpenPart, stem: str) -> PartWriter:
        """Writes `<stem>.zip` with `<doc_key>.txt` for each row; other columns are left out."""
        return _ZipWriter(LazySink(open_part, stem + self.suffixes[0]), self.encoding)


def _is_folder(entry: zipfile.ZipInfo) -> bool:
    return entry.filename.endswith("/")  # `is_dir` of Python 3.11 trips over an empty name


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
    except RuntimeError as error:  # a way of packing that zipfile does not know
        raise_shortage(error)
        return "UnknownCompression"
    except (*DAMAGE, zipfile.BadZipFile, zlib.error) as error:
        raise_shortage(error)
        return "DamagedMember"
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        return "DamagedMember"
    whole = len(content) == entry.file_size and zlib.crc32(content) == entry.CRC
    return content if whole else "DamagedMember"


def _packed(entry: zipfile.ZipInfo) -> zipfile.ZipInfo:
    """The entry of the same bytes, as if they were stored so.

    zipfile's own unpacking respects no bound for bzip2 and LZMA, and ignores what a stream holds
    beyond the size in the directory.
    """
    packed = copy.copy(entry)
    packed.compress_type, packed.file_size = zipfile.ZIP_STORED, entry.compress_size
    del packed.CRC
    return packed


def _stored(stream: IO[bytes], size: int) -> bytes:
    return stream.read(size + 1)


def _inflated(stream: IO[bytes], size: int) -> bytes:
    """Unpacks at most `size` bytes and one more, which shows that there are too many.

    Raises:
        EOFError: if the stream of deflate ends before or after the packed bytes.
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


class _ZipWriter(ArchiveWriter):
    def begin(self, stream: Any) -> Any:
        return zipfile.ZipFile(stream, "w", allowZip64=True)

    def add(self, archive: Any, name: str, content: bytes) -> None:
        entry = zipfile.ZipInfo(name, _EPOCH)
        entry.create_system, entry.external_attr = 3, 0o600 << 16
        archive.writestr(entry, content, zipfile.ZIP_DEFLATED, LEVEL)
