"""Text files: a document a file, strictly in its encoding, kept code point for code point.

A byte-order mark, carriage returns and NUL are part of the text.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Self

import pyarrow as pa

from ..core.errors import UsageError
from ..storage.input_files import InputFile
from .chunks import ChunkCutter, PlainCells
from .column_roles import Columns, Role
from .encodings import decode
from .options import UNKNOWN_SIZE, UTF8, FormatOptions, Limits
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

_SAFE_KEY = re.compile(r"[A-Za-z0-9_-]{1,200}")


@dataclasses.dataclass(frozen=True)
class TextFiles(PlainCells):
    """The format `text`.

    Attributes:
        encoding: of its files, read and written.
    """

    encoding: str = UTF8

    name = "text"
    suffixes = (".txt", ".text")
    traits = FormatTraits(
        locator_unit="bytes",
        family="texts",
        options=frozenset({"encoding"}),
        file_is_record=True,
    )

    def configured(self, options: FormatOptions) -> Self:
        """The format with the encoding."""
        return dataclasses.replace(self, encoding=options.encoding)

    def check_roles(self, columns: Columns) -> None:
        """A written file is a text under its doc_key: it has no room for anything else."""
        roles = dict(columns.roles)
        if roles.get("text") is not Role.TEXT or roles.get("path") not in (Role.ID, Role.DROP):
            raise UsageError(
                "in text files, column text must have role text, and column path (the name of the "
                "file) role id or drop"
            )

    def columns(self, storage: Reader, file: InputFile) -> tuple[str, ...]:
        """The file's path below the input folder (its id; PHI), and the text."""
        return ("path", "text")

    def plan(
        self, storage: Reader, index: int, file: InputFile, split_bytes: int, limits: Limits
    ) -> list[Locator]:
        """The whole file: a document is never split."""
        return [Locator(index, 0, file.size, file.size)]

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
        content = whole_content(storage, file, limits)
        row = text_row(file.path, content, self.encoding)
        if isinstance(row, str):
            yield from cutter.add_error(row)
        else:
            yield from cutter.add([row.get(name) for name in columns], len(content))
        yield from cutter.rest()

    def writer(self, open_part: OpenPart, stem: str) -> PartWriter:
        """Writes `<stem>/<doc_key>.txt` for each row; other columns are left out."""
        return _TextWriter(open_part, stem, self.encoding)

    def part_rows(self, storage: Reader, file: InputFile, columns: Columns) -> Iterator[PartRow]:
        """Yields the one row; its doc_key is the file's name."""
        content = whole_content(storage, file, Limits.of_published(file.size))
        row = text_row(file.path, content, self.encoding)
        yield part_row(row, columns, self.suffixes[0])


def text_row(path: str, content: bytes | str, encoding: str) -> dict[str, str] | str:
    """The cells of a document that is a whole file or archive member; or an error code.

    Args:
        path: of the file or member.
        content: of it, or the error code that stands for it.
        encoding: of the content.
    """
    if isinstance(content, str):
        return content
    text = decode(content, encoding)
    return "BadEncoding" if text is None else {"path": path, "text": text}


def part_row(row: dict[str, str] | str, columns: Columns, suffix: str) -> PartRow:
    """A written text as a row; its doc_key is its name without folders and `suffix`."""
    texts: dict[str, str | None] = dict.fromkeys(columns.named(Role.TEXT))
    if isinstance(row, str):
        return PartRow(None, None, texts, {})
    texts["text"] = row["text"]
    return PartRow(row["path"].rsplit("/", 1)[-1].removesuffix(suffix), None, texts, {})


def named_texts(table: pa.Table, column: str = "text") -> Iterator[tuple[str, str]]:
    """Yields (doc_key, text) of rows to be written, each a file or archive member.

    Raises:
        ValueError: if a doc_key cannot be a file's name, or there is no text.
    """
    keys, texts = table.column("doc_key").to_pylist(), table.column(column).to_pylist()
    for key, text in zip(keys, texts, strict=True):
        if key is None or not _SAFE_KEY.fullmatch(key) or text is None:
            raise ValueError("a row of the text format needs a doc_key of [A-Za-z0-9_-] and a text")
        yield key, text


def whole_content(storage: Reader, file: InputFile, limits: Limits) -> bytes | str:
    """The bytes of a file that is one document, or an error code."""
    known = file.size != UNKNOWN_SIZE
    if known and file.size > limits.document_bytes:
        return "OverBudget:bytes"
    if file.size == 0:
        return b""
    # A byte more than planned, so that a file that has grown is not cut in silence.
    most = file.size if known else limits.document_bytes
    try:
        content = storage.read_range(file.url, 0, most + 1)
    except Unreadable as error:
        return error.code
    if known:
        return content if len(content) == file.size else "InputChanged"
    return content if len(content) <= limits.document_bytes else "OverBudget:bytes"


class _TextWriter:
    def __init__(self, open_part: OpenPart, stem: str, encoding: str) -> None:
        self._open_part = open_part
        self._stem = stem
        self._encoding = encoding

    def write(self, table: pa.Table) -> None:
        for key, text in named_texts(table):
            with self._open_part(f"{self._stem}/{key}{TextFiles.suffixes[0]}") as sink:
                sink.write(text.encode(self._encoding))

    def close(self) -> None:
        """Nothing is open between rows."""
