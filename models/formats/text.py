"""Text files: a document a file, strict UTF-8, kept code point for code point.

A byte-order mark, carriage returns and NUL are part of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pyarrow as pa

from ..errors import UsageError
from ..roles import Columns, Role
from ..storage import InputFile, Storage
from .base import Chunk, ChunkCutter, Limits, Locator, OpenPart, PartRow, PartWriter, whole

_SAFE_KEY = re.compile(r"[A-Za-z0-9_-]{1,200}")


class TextFiles:
    """The format `text`."""

    name = "text"
    suffixes = (".txt", ".text")
    sampled = False
    measure = "bytes"
    file_is_record = True
    holds_patient_key = False

    def check_roles(self, columns: Columns) -> None:
        """A written file is a text under its doc_key: there is no place for anything else."""
        roles = dict(columns.roles)
        if roles.get("text") is not Role.TEXT or roles.get("path") not in (Role.ID, Role.DROP):
            raise UsageError(
                "of text files, the column text must have role text, and path, the name of the "
                "file, role id or drop"
            )

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

    def part_rows(self, storage: Storage, file: InputFile, columns: Columns) -> Iterator[PartRow]:
        """Yields the one row; its doc_key is the file's name."""
        content = _content(storage, file, whole(file))
        lost = isinstance(content, str)
        name = file.path.rsplit("/", 1)[-1].removesuffix(self.suffixes[0])
        texts: dict[str, str | None] = dict.fromkeys(columns.named(Role.TEXT))
        if not isinstance(content, str):
            texts["text"] = content.decode()
        yield PartRow(None if lost else name, None, texts, {})


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
