"""What archives of texts share (zip, tar, tar.gz): a member is a document, as a file of `text` is.

Member names are only ids: nothing is ever unpacked to disk, so `../` and absolute names lead
nowhere. Folders and hidden members (as `listing.is_visible` has it, and `__MACOSX/`) are no
documents; links, devices and members that cannot be unpacked are error rows. Every other member is
read as text, whatever its name ends with: what is none fails by its encoding.
"""

from __future__ import annotations

import abc
import dataclasses
import io
import logging
from collections.abc import Iterator
from typing import Any, ClassVar, cast

import pyarrow as pa

from ..listing import is_visible
from ..roles import Columns
from ..storage import InputFile
from .base import (
    UTF8,
    Chunk,
    ChunkCutter,
    Format,
    LazySink,
    Limits,
    Locator,
    PartRow,
    PlainCells,
    Reader,
    Settings,
    Sink,
    Unreadable,
    whole,
)
from .text import TextFiles, named_texts, part_row, text_row

_log = logging.getLogger(__name__)

MEMBER_SUFFIX = TextFiles.suffixes[0]

DAMAGE = (EOFError, ValueError, OverflowError)
"""What the standard library raises of a damaged archive beside errors of its own."""

TO_THE_END = 1 << 62
"""Of a stretch, whatever it counts."""

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
    sampled = False
    measure = "members"
    file_is_record = False
    counts_rows = False
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
                row = text_row(name, content, self.encoding)
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
            for name, content in self.members(storage, file, 0, TO_THE_END, limits):
                row = text_row(name, content, self.encoding)
                yield part_row(row, columns, MEMBER_SUFFIX)
        except Unreadable as error:
            yield part_row(error.code, columns, MEMBER_SUFFIX)


class ArchiveWriter(abc.ABC):
    """Writes a member a row into the one file of a part, which the first opens."""

    def __init__(self, sink: LazySink, encoding: str) -> None:
        self._sink = sink
        self._encoding = encoding
        self._archive: Any = None

    @abc.abstractmethod
    def begun(self, stream: Any) -> Any:
        """An archive that writes to an unseekable stream; `close` ends it."""

    @abc.abstractmethod
    def add(self, archive: Any, name: str, content: bytes) -> None:
        """Appends a member, with nothing of this machine, user or time."""

    def write(self, table: pa.Table) -> None:
        """Appends rows."""
        for key, text in named_texts(table):
            if self._archive is None:
                self._archive = self.begun(_Written(self._sink.open()))
            self.add(self._archive, key + MEMBER_SUFFIX, text.encode(self._encoding))

    def close(self) -> None:
        """Ends the archive and commits the file, if there was a row."""
        if self._archive is not None:
            self._archive.close()
        self._sink.close()


class _Written(io.RawIOBase):
    """A sink as an unseekable stream, which zipfile and tarfile write to."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._sink.write(bytes(data))
        return len(data)


def is_document(name: str) -> bool:
    """Whether a member is one by its name; tidy names only are looked at for hidden folders."""
    parts = [part for part in name.split("/") if part not in ("", ".", "..")]
    return is_visible("/".join(parts)) if parts else True


def tell_hidden(hidden: int) -> None:
    """Warns of members that are no documents by their names; of none it says nothing."""
    if hidden:
        _log.warning(
            "%d members of an archive are left out, as their names begin with '.' or '_'", hidden
        )
