"""Annotated corpora as input: the texts are scrubbed; gold tags hold PHI and are left out.

The output is in the same format without any tag, a document under its doc_key. The formats, how
strictly they are read and what XML itself changes (raw CR LF is LF) are described in `..corpora`; a
document that is wrong there is an error row here, under the word for the fault.

`.xml` and `.txt` do not determine the format, so these formats are used if the user names them;
CoNLL also by its endings.
"""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Iterator, Sequence
from typing import IO, ClassVar, cast

import pyarrow as pa

from ..core.errors import UsageError
from ..corpora import CORPORA, AnnotatedDocument, CorpusError, FolderFormat, StreamFormat
from ..storage.input_files import InputFile
from .chunks import ChunkCutter, LazySink, PlainCells
from .column_roles import Columns, Role
from .options import UTF8, Limits
from .protocol import (
    Chunk,
    FormatTraits,
    Locator,
    OpenPart,
    PartRow,
    PartWriter,
    Reader,
    Unreadable,
)
from .text import named_texts, part_row, text_row, whole_content

MARKUP = 16
"""A document of a stream may take so many times its budget of bytes in its file, tags and all."""

_READ_AHEAD_BYTES = 1 << 22
"""More than the readers of XML may request beyond the end of a document."""


class _Corpus(PlainCells, abc.ABC):
    """What all corpora share.

    Attributes:
        corpus: reads and writes files.
        key: the name of the column with role id.
    """

    corpus: FolderFormat | StreamFormat
    key: ClassVar[str]

    @property
    def name(self) -> str:
        """That of the corpus."""
        return self.corpus.name

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Those of the corpus."""
        return self.corpus.endings

    def check_roles(self, columns: Columns) -> None:
        """A written document is a text under its doc_key: it has no room for anything else."""
        roles = dict(columns.roles)
        if roles.get("text") is not Role.TEXT or roles.get(self.key, Role.ID) not in (
            Role.ID,
            Role.DROP,
        ):
            raise UsageError(
                f"in a corpus, column text must have role text, and column {self.key} role id or "
                "drop"
            )

    def columns(self, storage: Reader, file: InputFile) -> tuple[str, ...]:
        """The document's id (or the path of its file, which is one; PHI), and the text."""
        return (self.key, "text")

    def plan(
        self, storage: Reader, index: int, file: InputFile, split_bytes: int, limits: Limits
    ) -> list[Locator]:
        """The whole file: it can only be read from its beginning."""
        return [Locator(index, 0, file.size, file.size)]


# -- a document a file


@dataclasses.dataclass(frozen=True)
class CorpusFiles(_Corpus):
    """The format `i2b2_2014`: a file is a document, whose id is its path.

    Attributes:
        corpus: reads and writes a file.
    """

    corpus: FolderFormat

    key = "path"

    @property
    def traits(self) -> FormatTraits:
        """Those of a format whose files are documents; file names do not say which format."""
        return FormatTraits(
            locator_unit="bytes", family=self.name, file_is_record=True, explicit_only=True
        )

    def read(
        self,
        storage: Reader,
        file: InputFile,
        locator: Locator,
        columns: tuple[str, ...],
        limits: Limits,
    ) -> Iterator[Chunk]:
        """Yields one chunk of one row."""
        cutter = ChunkCutter(columns, limits)
        row = self._row(storage, file, limits)
        if isinstance(row, str):
            yield from cutter.add_error(row)
        else:
            yield from cutter.add([row.get(name) for name in columns], file.size)
        yield from cutter.rest()

    def writer(self, open_part: OpenPart, stem: str) -> PartWriter:
        """Writes `<stem>/<doc_key>` with the corpus's endings for each row; no other column."""
        return _FilesWriter(self.corpus, open_part, stem)

    def part_rows(self, storage: Reader, file: InputFile, columns: Columns) -> Iterator[PartRow]:
        """Yields the one row; its doc_key is the file's name."""
        yield part_row(
            self._row(storage, file, Limits.of_published(file.size)), columns, self.suffixes[0]
        )

    def _row(self, storage: Reader, file: InputFile, limits: Limits) -> dict[str, str] | str:
        """The cells of the document; or an error code."""
        content = whole_content(storage, file, limits)
        if isinstance(content, str):
            return content
        try:
            document = self.corpus.read([content], "")
        except CorpusError as error:
            return error.fault
        return {self.key: file.path, "text": document.text}


class Brat(CorpusFiles):
    """The format `brat`: documents are the .txt files; the .ann files beside them are not read."""

    def plan(
        self, storage: Reader, index: int, file: InputFile, split_bytes: int, limits: Limits
    ) -> list[Locator]:
        """The whole of a .txt file, nothing of an .ann file.

        Raises:
            UsageError: for a file that is neither, as it is unknown whether it is a document.
        """
        if self._is_annotation(file):
            return []
        if not file.path.lower().endswith(self.suffixes[0]):
            raise UsageError(
                "a brat corpus has .txt files (texts) and .ann files (annotations, which are not "
                "read), and this file is neither: use a glob that leaves it out"
            )
        return super().plan(storage, index, file, split_bytes, limits)

    def part_rows(self, storage: Reader, file: InputFile, columns: Columns) -> Iterator[PartRow]:
        """Yields the row of a .txt file."""
        if not self._is_annotation(file):
            yield from super().part_rows(storage, file, columns)

    def _is_annotation(self, file: InputFile) -> bool:
        return file.path.lower().endswith(self.suffixes[1])

    def _row(self, storage: Reader, file: InputFile, limits: Limits) -> dict[str, str] | str:
        content = whole_content(storage, file, limits)
        return text_row(file.path, content, UTF8)


class _FilesWriter:
    def __init__(self, corpus: FolderFormat, open_part: OpenPart, stem: str) -> None:
        self._corpus = corpus
        self._open_part = open_part
        self._stem = stem

    def write(self, table: pa.Table) -> None:
        for key, text in named_texts(table):
            contents = self._corpus.write(AnnotatedDocument(key, text), 1)
            for ending, content in zip(self._corpus.endings, contents, strict=True):
                with self._open_part(f"{self._stem}/{key}{ending}") as sink:
                    sink.write(content)

    def close(self) -> None:
        """Nothing is open between rows."""


# -- many documents a file


@dataclasses.dataclass(frozen=True)
class CorpusStream(_Corpus):
    """The formats `i2b2_2006` and `conll`: a file holds any number of documents.

    Documents that have no id of their own are called by the file's path without its ending, and
    their ordinal.

    Attributes:
        corpus: reads and writes a file.
        mark: what each document in a file begins with. After a malformed document it is unknown
            what follows; so reading ends, and each mark up to the end of the file is an error row:
            the gate on quarantined rows sees how much is held back.
        explicit_only: see `FormatTraits`.
    """

    corpus: StreamFormat
    mark: bytes
    explicit_only: bool = False

    key = "doc_id"

    @property
    def traits(self) -> FormatTraits:
        """Those of a format whose files hold many documents."""
        return FormatTraits(
            locator_unit="bytes", family=self.name, explicit_only=self.explicit_only
        )

    def read(
        self,
        storage: Reader,
        file: InputFile,
        locator: Locator,
        columns: tuple[str, ...],
        limits: Limits,
    ) -> Iterator[Chunk]:
        """Yields the documents; then error rows for what follows the first malformed one."""
        cutter = ChunkCutter(columns, limits)
        for document in self._documents(storage, file, limits):
            if isinstance(document, str):
                yield from cutter.add_error(document)
                continue
            size = len(document.text.encode())
            if size > limits.document_bytes:
                yield from cutter.add_error("OverBudget:bytes")
                continue
            row = {self.key: document.doc_id, "text": document.text}
            yield from cutter.add([row.get(name) for name in columns], size)
        yield from cutter.rest()

    def writer(self, open_part: OpenPart, stem: str) -> PartWriter:
        """Writes one file `<stem>` with the corpus's first ending; no other column."""
        return _StreamWriter(self.corpus, LazySink(open_part, stem + self.suffixes[0]))

    def part_rows(self, storage: Reader, file: InputFile, columns: Columns) -> Iterator[PartRow]:
        """Yields one row per document; its doc_key is the document's id."""
        for document in self._documents(storage, file, Limits.of_published(file.size)):
            row: dict[str, str] | str = "Malformed"
            if isinstance(document, AnnotatedDocument):
                row = {"path": document.doc_id, "text": document.text}
            yield part_row(row, columns, "")

    def _documents(
        self, storage: Reader, file: InputFile, limits: Limits
    ) -> Iterator[AnnotatedDocument | str]:
        """Yields the documents, or an error code for each that cannot be had."""
        blocks = storage.read_blocks(file.url, 0, file.size)
        stream = _Content(blocks, MARKUP * limits.document_bytes + _READ_AHEAD_BYTES, self.mark)
        name, _, ending = file.path.rpartition(".")
        name = name if f".{ending.lower()}" in self.suffixes else file.path
        found = 0
        try:
            for document in self.corpus.read(cast("IO[bytes]", stream), name):
                stream.begin()
                found += 1
                yield document
        except CorpusError as error:
            code = error.fault
        except Unreadable as error:
            code = error.code
        else:
            return
        # At least the one that is wrong; no more than the marks, though they may be mere text.
        for _ in range(max(1, stream.count_marks() - found)):
            yield code


class _Content:
    """A file as a binary stream, which returns exactly what is requested, however blocks are cut.

    So what a corpus's reader makes of a file does not depend on the storage.
    """

    def __init__(self, blocks: Iterator[bytes], most_bytes: int, mark: bytes) -> None:
        """Reads nothing yet.

        Args:
            blocks: the content.
            most_bytes: returned between two calls of `begin`; more is `Unreadable`.
            mark: what is counted.
        """
        self._blocks = blocks
        self._most_bytes = most_bytes
        self._mark = mark
        self._held = bytearray()
        self._at = 0  # in what is held: the end of what was returned
        self._given = 0
        self._marks = 0
        self._tail = b"\n"  # of what was seen: a mark may lie in two blocks

    def begin(self) -> None:
        """A document has ended."""
        self._given = 0

    def read(self, size: int) -> bytes:
        """That many bytes; fewer at the end."""
        while len(self._held) - self._at < size and self._pull():
            pass
        return self._give(min(len(self._held), self._at + size))

    def readline(self) -> bytes:
        """The bytes up to and with the next line feed; nothing at the end."""
        looked = self._at
        while (end := self._held.find(b"\n", looked)) < 0:
            self._check(len(self._held))
            looked = len(self._held) - self._at
            if not self._pull():
                return self._give(len(self._held))
        return self._give(end + 1)

    def count_marks(self) -> int:
        """How many marks the whole content has, as far as it can be read."""
        self._held.clear()
        self._at = 0
        try:
            while self._pull():
                self._held.clear()
        except Unreadable:
            pass
        return self._marks

    def _pull(self) -> bool:
        """Holds one more block, if there is one, and drops what was returned."""
        block = next(self._blocks, b"")
        del self._held[: self._at]
        self._at = 0
        self._held += block
        seen = self._tail + block
        self._marks += seen.count(self._mark)
        self._tail = seen[max(0, len(seen) - len(self._mark) + 1) :]
        return bool(block)

    def _give(self, end: int) -> bytes:
        self._check(end)
        piece = bytes(self._held[self._at : end])
        self._given += len(piece)
        self._at = end
        return piece

    def _check(self, end: int) -> None:
        if self._given + end - self._at > self._most_bytes:
            raise Unreadable("OverBudget:bytes")


class _StreamWriter:
    def __init__(self, corpus: StreamFormat, sink: LazySink) -> None:
        self._corpus = corpus
        self._sink = sink
        self._footer: Sequence[bytes] | None = None

    def write(self, table: pa.Table) -> None:
        for key, text in named_texts(table):
            # Each by itself: until repeated ids are numbered, a part may have a doc_key twice.
            header, piece, *footer = self._corpus.write([AnnotatedDocument(key, text)])
            sink = self._sink.open()
            if self._footer is None:
                sink.write(header)
            self._footer = footer
            sink.write(piece)

    def close(self) -> None:
        for piece in self._footer or ():
            self._sink.open().write(piece)
        self._sink.close()


def _files(name: str) -> FolderFormat:
    corpus = CORPORA[name]
    assert isinstance(corpus, FolderFormat)
    return corpus


def _stream(name: str) -> StreamFormat:
    corpus = CORPORA[name]
    assert isinstance(corpus, StreamFormat)
    return corpus


I2B2_2014 = CorpusFiles(_files("i2b2_2014"))
I2B2_2006 = CorpusStream(_stream("i2b2_2006"), b"<RECORD", explicit_only=True)
BRAT = Brat(_files("brat"))
CONLL = CorpusStream(_stream("conll"), b"\n-DOCSTART-")
