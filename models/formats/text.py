"""Text files: a document a file, strict UTF-8, kept code point for code point.

A byte-order mark, carriage returns and NUL are part of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pyarrow as pa

from ..storage import InputFile, Storage
from .base import Chunk, ChunkCutter, Limits, Locator, OpenPart, PartWriter

_SAFE_KEY = re.compile(r"[A-Za-z0-9_-]{1,200}")


class TextFiles:
    """The format `text`."""

    name = "text"
    suffixes = (".txt", ".text")

    def columns(self, storage: Storage, file: InputFile) -> tuple[str, ...]:
        """The file's path below the input folder (its id; PHI), and the text."""
        return ("path", "text")

    def schema_token(self, storage: Storage, file: InputFile) -> str:
        """Always empty."""
        return ""

    def plan(
        self, storage: Storage, index: int, file: InputFile, split_bytes: int
    ) -> list[Locator]:
        """The whole file: a document is never split."""
        return [Locator(index, 0, file.size, file.size)]

    def read(
        self,
        storage: Storage,
        file: InputFile,
        locator: Locator,
        columns: tuple[str, ...],
        limits: Limits,
    ) -> Iterator[Chunk]:
        """Yields one chunk of one row."""
        cutter = ChunkCutter(columns, limits)
        content = _content(storage, file, limits)
        if isinstance(content, str):
            yield from cutter.add_error(content)
        else:
            values = {"path": file.path, "text": content.decode()}
            yield from cutter.add([values.get(name) for name in columns], len(content))
        yield from cutter.rest()

    def is_text(self, kind: pa.DataType) -> bool:
        """Whether a cell is a text is for its value to say."""
        return True

    def cells(self, column: pa.ChunkedArray | pa.Array) -> list[str | None]:
        """The cells as they are."""
        values: list[str | None] = column.to_pylist()
        return values

    def decode(self, column: pa.ChunkedArray | pa.Array) -> list[object]:
        """The texts."""
        values: list[object] = column.to_pylist()
        return values

    def encode_text(self, values: Sequence[str | None], like: pa.DataType) -> pa.Array:
        """The texts."""
        return pa.array(values, pa.string())

    def writer(self, open_part: OpenPart, stem: str) -> PartWriter:
        """Writes `<stem>/<doc_key>.txt` for each row; other columns are left out."""
        return _TextWriter(open_part, stem)


def _content(storage: Storage, file: InputFile, limits: Limits) -> bytes | str:
    """The file's bytes, known to be UTF-8; or an error code."""
    if file.size > limits.document_bytes:
        return "OverBudget:bytes"
    # A byte more than planned, so that a file that has grown is not cut in silence.
    content = storage.read_range(file.url, 0, file.size + 1) if file.size else b""
    if len(content) != file.size:
        return "InputChanged"
    try:
        content.decode()
    except UnicodeDecodeError:
        return "BadEncoding"
    return content


class _TextWriter:
    def __init__(self, open_part: OpenPart, stem: str) -> None:
        self._open_part = open_part
        self._stem = stem

    def write(self, table: pa.Table) -> None:
        keys, texts = table.column("doc_key").to_pylist(), table.column("text").to_pylist()
        for key, text in zip(keys, texts, strict=True):
            if key is None or not _SAFE_KEY.fullmatch(key) or text is None:
                raise ValueError(
                    "a row of the text format needs a doc_key of [A-Za-z0-9_-] and a text"
                )
            with self._open_part(f"{self._stem}/{key}{TextFiles.suffixes[0]}") as sink:
                sink.write(text.encode())

    def close(self) -> None:
        """Nothing is open between rows."""
