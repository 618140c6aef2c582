"""What archives of texts share (zip, tar, tar.gz): a member is a document, as a file of `text` is.

Member names are only ids: nothing is ever unpacked to disk, so `../` and absolute names lead
nowhere. Folders and hidden members (see `listing.is_visible`; also `__MACOSX/`) are not documents;
links, devices and members that cannot be unpacked are error rows. Every other member is read as
text, whatever the ending of its name: a member that is not text fails by its encoding.
"""

from __future__ import annotations

import abc
import dataclasses
import io
import logging
from collections.abc import Iterator
from typing import Any, ClassVar, Self

import pyarrow as pa

from ..storage.input_files import InputFile
from ..storage.listing import is_visible
from .chunks import ChunkCutter, LazySink, PlainCells
from .column_roles import Columns
from .options import UTF8, FormatOptions, Limits
from .protocol import Chunk, FormatTraits, Locator, PartRow, Reader, Sink, Unreadable
from .text import TextFiles, named_texts, part_row, text_row

_log = logging.getLogger(__name__)

MEMBER_SUFFIX = TextFiles.suffixes[0]

DAMAGE = (EOFError, ValueError, OverflowError)
"""What the standard library raises for a damaged archive beside its own errors."""

TO_THE_END = 1 << 62
"""End of a range, whatever it counts."""

_LARGEST_MEMBER_BYTES = 2_000_000_000
"""What was published was within its budgets; Arrow's strings end a little above."""

Member = tuple[str, bytes | str]
"""Name and content of a member, or name and error code."""


@dataclasses.dataclass(frozen=True)
class Archive(PlainCells, abc.ABC):
    """What all archives of texts share.

    Attributes:
        encoding: of the members.
    """

    encoding: str = UTF8

    name = ""
    suffixes: ClassVar[tuple[str, ...]] = ()
    traits = FormatTraits(locator_unit="members", family="texts", options=frozenset({"encoding"}))

    def configured(self, options: FormatOptions) -> Self:
        """The format with the encoding."""
        return dataclasses.replace(self, encoding=options.encoding)

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
        """Yields the documents of a range.

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
        """Yields one row per member."""
        cutter = ChunkCutter(columns, limits)
        try:
            for path, content in self.members(storage, file, locator.start, locator.end, limits):
                row = text_row(path, content, self.encoding)
                if isinstance(row, str):
                    yield from cutter.add_error(row)
                else:
                    yield from cutter.add([row.get(name) for name in columns], len(content))
        except Unreadable as error:
            yield from cutter.add_error(error.code)
        yield from cutter.rest()

    def part_rows(self, storage: Reader, file: InputFile, columns: Columns) -> Iterator[PartRow]:
        """Yields one row per member; its doc_key is the member's name."""
        limits = dataclasses.replace(
            Limits.of_published(file.size), document_bytes=_LARGEST_MEMBER_BYTES
        )
        try:
            for name, content in self.members(storage, file, 0, TO_THE_END, limits):
                row = text_row(name, content, self.encoding)
                yield part_row(row, columns, MEMBER_SUFFIX)
        except Unreadable as error:
            yield part_row(error.code, columns, MEMBER_SUFFIX)


class ArchiveWriter(abc.ABC):
    """Writes a member per row into the one file of a part, which the first row opens."""

    def __init__(self, sink: LazySink, encoding: str) -> None:
        self._sink = sink
        self._encoding = encoding
        self._archive: Any = None

    @abc.abstractmethod
    def begin(self, stream: Any) -> Any:
        """An archive that writes to an unseekable stream; its `close` completes it."""

    @abc.abstractmethod
    def add(self, archive: Any, name: str, content: bytes) -> None:
        """Appends a member, with nothing of this machine, user or time."""

    def write(self, table: pa.Table) -> None:
        """Appends rows."""
        for key, text in named_texts(table):
            if self._archive is None:
                self._archive = self.begin(_UnseekableSink(self._sink.open()))
            self.add(self._archive, key + MEMBER_SUFFIX, text.encode(self._encoding))

    def close(self) -> None:
        """Ends the archive and commits the file, if there was a row."""
        if self._archive is not None:
            self._archive.close()
        self._sink.close()


class _UnseekableSink(io.RawIOBase):
    """A sink as an unseekable stream, which zipfile and tarfile write to."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._sink.write(bytes(data))
        return len(data)


def is_document(name: str) -> bool:
    """Whether a member is a document by its name; `.` and `..` in it do not count as hidden."""
    parts = [part for part in name.split("/") if part not in ("", ".", "..")]
    return is_visible("/".join(parts)) if parts else True


def warn_hidden(hidden: int) -> None:
    """Warns of members that are left out because of their names, if there are any."""
    if hidden:
        _log.warning(
            "%d members of an archive are left out: names that start with '.' or '_' are ignored",
            hidden,
        )
