"""What formats are built from: their defaults, cells that are texts, chunks, lazy output files."""

from __future__ import annotations

import abc
import contextlib
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, BinaryIO, Self

import pyarrow as pa

from ..storage.input_files import InputFile
from .column_roles import DOC_KEY, PATIENT_KEY, Columns, Role
from .encodings import require_encodable
from .nested_columns import Nesting
from .nested_texts import texts_of_rows
from .options import UTF8, FormatOptions, Limits
from .protocol import Chunk, Format, Locator, OpenPart, PartRow, Reader, SampleRange, Sink

_WRITTEN = frozenset({Role.TEXT, Role.TYPE, Role.DATE, Role.BIRTH, Role.PASS, Role.HASH})
"""Roles of input columns that go out under their own names."""


class FormatDefaults:
    """A format without options whose columns may have any role and any type, none nested."""

    @property
    def nesting(self) -> Nesting | None:
        """None: cells hold no others."""
        return None

    def configured(self, options: FormatOptions) -> Self:
        """The format itself: it reads no options."""
        return self

    def check_roles(self, columns: Columns) -> None:
        """Accepts all: a record has room for any columns."""

    def check_types(self, storage: Reader, file: InputFile, columns: Columns) -> bool:
        """Accepts all: only records show what their cells hold."""
        return True

    def schema_token(self, storage: Reader, file: InputFile) -> str:
        """Always empty: files with any columns may share a part."""
        return ""

    def sample(
        self, storage: Reader, file: InputFile, locator: Locator, at: int, most_bytes: int
    ) -> SampleRange | None:
        """None: a locator can only be read from its beginning."""
        return None


class PlainCells(FormatDefaults):
    """A format whose cells are the texts themselves, in Arrow's type string.

    Attributes:
        encoding: of the files that are written.
    """

    encoding: str = UTF8

    def is_text(self, kind: pa.DataType) -> bool:
        """True: only the value of a cell shows whether it is a text."""
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
        """The texts.

        Raises:
            UsageError: for a text that the encoding cannot hold. It always holds what was read from
                such a file; a replacement may be the exception.
        """
        for value in values:
            if value:
                require_encodable(value, self.encoding)
        return pa.array(values, pa.string())


def table_rows(
    form: Format, storage: Reader, file: InputFile, columns: Columns, available: Iterable[str]
) -> Iterator[PartRow]:
    """`Format.part_rows` of formats whose records carry doc_key and patient_key as columns.

    Args:
        available: the columns that the file may have.
    """
    by_input = columns.roles_by_input()
    written = (name for name, roles in by_input.items() if not _WRITTEN.isdisjoint(roles))
    present = frozenset(available)
    names = tuple(name for name in (DOC_KEY, PATIENT_KEY, *written) if name in present)
    fields = [name for name in columns.named(Role.TEXT) if not columns.is_path(name)]
    decoded = {DOC_KEY, PATIENT_KEY, *fields}
    limits = Limits.of_published(file.size)
    for locator in form.plan(storage, 0, file, file.size + 1, limits):
        for chunk in form.read(storage, file, locator, names, limits):
            values: dict[str, Sequence[Any]] = {
                name: form.decode(column) if name in decoded else form.cells(column)
                for name, column in zip(names, chunk.columns.columns, strict=True)
            }
            nested = texts_of_rows(form, columns, chunk.columns) if columns.paths else {}
            for row in range(chunk.columns.num_rows):
                cells = {name: column[row] for name, column in values.items()}
                yield PartRow(
                    cells.pop(DOC_KEY, None),
                    cells.pop(PATIENT_KEY, None),
                    {field: cells.pop(field, None) for field in fields} | nested.get(row, {}),
                    cells,
                )


def even_ranges(index: int, file: InputFile, split_bytes: int) -> list[Locator]:
    """`Format.plan` where records begin anywhere: each belongs to the range in which it starts."""
    parts = -(-file.size // split_bytes)
    edges = [file.size * part // parts for part in range(parts + 1)] if parts else [0]
    return [Locator(index, a, b, b - a) for a, b in itertools.pairwise(edges)]


def range_at(locator: Locator, at: int, most_bytes: int) -> SampleRange:
    """`Format.sample` of such a range: its bytes from `at` on."""
    start = locator.start + max(0, min(at, locator.bytes - most_bytes))
    end = min(locator.end, start + most_bytes)
    return SampleRange(Locator(locator.file, start, end, end - start))


class ChunkCutter:
    """Cuts a stream of records into chunks by count and size alone.

    A record is its cells in the order of the columns (None for a missing one) and its size in
    bytes.
    """

    def __init__(self, columns: tuple[str, ...], limits: Limits) -> None:
        self._schema = pa.schema([(name, pa.string()) for name in columns])
        self._limits = limits
        self._clear()

    def add(
        self, cells: Sequence[str | None], size: int, error: str | None = None
    ) -> Iterator[Chunk]:
        """Adds a record; yields the chunk before it when it is full."""
        if self._rows and self._bytes + size > self._limits.batch_bytes:
            yield from self.rest()
        if error is not None:
            self._errors[len(self._rows)] = error
        self._rows.append(cells)
        self._bytes += size
        if len(self._rows) >= self._limits.batch_documents:
            yield from self.rest()

    def add_error(self, code: str) -> Iterator[Chunk]:
        """Adds a record that could not be read."""
        return self.add((None,) * len(self._schema), 0, code)

    def rest(self) -> Iterator[Chunk]:
        """Yields the records that are still held, if any."""
        rows, errors = self._rows, self._errors
        self._clear()
        if rows:
            cells = [
                pa.array([row[i] for row in rows], pa.string()) for i in range(len(self._schema))
            ]
            yield Chunk(pa.Table.from_arrays(cells, schema=self._schema), errors)

    def _clear(self) -> None:
        self._rows: list[Sequence[str | None]] = []
        self._errors: dict[int, str] = {}
        self._bytes = 0


class Streamed(abc.ABC):
    """A `Reader` of content that can only be made from its beginning: unpacked, or in UTF-8."""

    @abc.abstractmethod
    def blocks(self, block_bytes: int) -> Iterator[bytes]:
        """Yields the whole content in non-empty blocks; `block_bytes` is a wish."""

    def open_read(self, url: str, *, buffer_bytes: int = 0) -> BinaryIO:
        """Refuses, since nothing here can seek."""
        raise TypeError("this content can only be read from its beginning")

    def read_range(self, url: str, start: int, end: int) -> bytes:
        """The bytes [start, end) of the content; fewer if it ends before."""
        return b"".join(self.read_blocks(url, start, end))

    def read_blocks(self, url: str, start: int, end: int, block_bytes: int = 0) -> Iterator[bytes]:
        """Yields the bytes [start, end) of the content; raises what `blocks` raises."""
        if start >= end:
            return
        position = 0
        for block in self.blocks(block_bytes):
            low, high = max(start - position, 0), min(end - position, len(block))
            position += len(block)
            if low < high:
                yield block[low:high]
            if position >= end:
                return


class LazySink:
    """The one file of a part, opened by the first write and committed by `close`."""

    def __init__(self, open_part: OpenPart, name: str) -> None:
        self._open_part = open_part
        self._name = name
        self._stack = contextlib.ExitStack()
        self._sink: Sink | None = None

    def open(self) -> Sink:
        """The file; the first call opens it."""
        if self._sink is None:
            self._sink = self._stack.enter_context(self._open_part(self._name))
        return self._sink

    def close(self) -> None:
        """Commits the file, if it was opened."""
        self._stack.close()
