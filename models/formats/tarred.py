"""Tar archives of texts, plain and through gzip.

Source: POSIX.1-2001 pax and ustar.
"""

from __future__ import annotations

import dataclasses
import io
import itertools
import tarfile
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, cast

from ..core.errors import UsageError
from ..storage.input_files import InputFile
from .archives import DAMAGE, TO_THE_END, Archive, ArchiveWriter, Member, is_document, warn_hidden
from .chunks import LazySink
from .gzipped import GzipSink, gunzip
from .options import Limits
from .protocol import Locator, OpenPart, PartWriter, Reader, Unreadable

_tarfile: Any = tarfile
"""What its type declarations leave out: the kinds of bad headers, the members seen so far."""


class TarArchive(Archive):
    """The format `tar`. A range is the bytes of a run of members with their headers."""

    name = "tar"
    suffixes = (".tar",)
    traits = dataclasses.replace(Archive.traits, locator_unit="bytes")

    def plan(
        self, storage: Reader, index: int, file: InputFile, split_bytes: int, limits: Limits
    ) -> list[Locator]:
        """Runs of members of about `split_bytes`; every header is read.

        Raises:
            UsageError: if a header is damaged or changes all members after it, or the archive has
                no end.
        """
        edges = [0]
        hidden = 0
        try:
            with storage.open_read(file.url) as stream:
                for member in _tar(stream, 0):
                    if member.offset > edges[-1] and member.offset - edges[-1] >= split_bytes:
                        edges.append(member.offset)
                    hidden += not (member.isdir() or is_document(member.name))
        except _ChangesMembers:
            raise UsageError(
                "a global header of a tar archive sets names, sizes or encodings of the members "
                "after it, which is not supported: create the archive again"
            ) from None
        except Unreadable:
            raise UsageError("it is not a tar archive, or it is damaged or truncated") from None
        warn_hidden(hidden)
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


class TarGzArchive(Archive):
    """The format `tar.gz`: a tar archive through gzip, one range per file."""

    name = "tar.gz"
    suffixes = (".tar.gz", ".tgz")
    traits = dataclasses.replace(Archive.traits, locator_unit="bytes")

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
            yield from _untarred(cast(BinaryIO, stream), 0, TO_THE_END, limits.document_bytes)

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
    """A pax global header sets names or sizes: it would count for only one range of several."""

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

    # The maps of sparse members, which `tarfile` keeps, may have any length, and are not needed.

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
    """Yields the members from a header on; the caller may read each before it takes the next.

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
        # What follows the end would be ignored: for example archives that were joined by `cat`.
        while block := archive.fileobj.read(1 << 16):
            if block.strip(b"\0"):
                raise Unreadable("DamagedArchive")
    except (*DAMAGE, tarfile.TarError):
        raise Unreadable("DamagedArchive") from None


def _check_member(member: tarfile.TarInfo, archive: Any) -> None:
    """Compares a member with its place, which ends at `archive.offset`, and forgets globals.

    Harmless global headers (a comment, times, owners) thereby count nowhere, so that it does not
    matter in which range they are.

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
        if member.isdir() or not is_document(member.name):
            continue
        content: bytes | str
        if not member.isreg() or _is_sparse(member):  # a few bytes may stand for any number
            content = "NotAFile"
        elif member.size > most_bytes:
            content = "OverBudget:bytes"
        else:
            try:
                content = extract(member).read()
            except (*DAMAGE, tarfile.TarError):
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


class _TarWriter(ArchiveWriter):
    def begin(self, stream: Any) -> Any:
        return tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT)

    def add(self, archive: Any, name: str, content: bytes) -> None:
        entry = tarfile.TarInfo(name)
        entry.size, entry.mode = len(content), 0o600
        archive.addfile(entry, io.BytesIO(content))
        archive.members.clear()
