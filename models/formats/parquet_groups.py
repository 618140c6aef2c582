"""The rows of one row group of a Parquet file, decoded; a damaged group becomes error rows."""

from __future__ import annotations

import base64
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from ..core.errors import ScrublineError
from ..core.shortage import raise_shortage
from .arrow_types import map_type, passing_schema, without_dictionary, without_view
from .nested_arrow import ORIGIN
from .options import Limits
from .parquet_sizes import cut_rows, require_indices, row_bytes
from .protocol import Chunk

HOLD_BYTES = 64 << 20
"""A row group that decodes to more is decoded twice: to check that it is intact, and to be read."""

_DECODE_ROWS, _DECODE_BYTES = 1024, 8 << 20
_ROWS_AT_ONCE = 8
"""Few, since each may name the one value of a page; Arrow takes as long over many."""


class SchemaView:
    """How the declared columns come out of a file of one schema."""

    def __init__(self, schema: pa.Schema, columns: tuple[str, ...]) -> None:
        schema = passing_schema(schema)
        found = {field.name: field for field in schema}
        self.present = [name for name in columns if name in found]
        fields = []
        for name in columns:
            field = found.get(name)
            if field is None:
                fields.append(pa.field(name, pa.null(), metadata={ORIGIN: b""}))
                continue
            workable = map_type(field.type, without_view)
            if workable != field.type:
                origin = base64.b64encode(pa.schema([field]).serialize().to_pybytes())
                field = field.with_type(workable).with_metadata(
                    {**(field.metadata or {}), ORIGIN: origin}
                )
            # Error rows are null whatever the file says; they never reach the writer.
            fields.append(field)
        self.schema = pa.schema(fields, schema.metadata)

    def tables(self, batches: Sequence[pa.RecordBatch]) -> _Decoded:
        """As `table`, of several batches."""
        kinds = batches[0].schema.types
        if all(map_type(kind, without_dictionary) == kind for kind in kinds):
            # Columns cost more than their rows here; dictionaries may differ, and be damaged.
            batches = pa.Table.from_batches(batches).combine_chunks().to_batches()
        found: list[pa.Table] = []
        errors: dict[int, str] = {}
        rows = 0
        for batch in batches:
            table, wrong = self.table(batch)
            found.append(table)
            errors |= {rows + row: code for row, code in wrong.items()}
            rows += batch.num_rows
        return pa.concat_tables(found), errors

    def table(self, batch: pa.RecordBatch) -> tuple[pa.Table, dict[int, str]]:
        """The declared columns; rows with invalid UTF-8 are errors."""
        read = {name: batch.column(name) for name in self.present}
        bad: set[int] = set()
        for column in read.values():
            if pa.types.is_dictionary(column.type):
                require_indices(column)
                column = column.cast(column.type.value_type)
            bad |= _invalid_rows(column)
        errors = {row: "BadEncoding" for row in sorted(bad)}
        arrays = []
        for field in self.schema:
            column = read.get(field.name, pa.nulls(batch.num_rows, pa.null()))
            whole = _with_nulls(column, list(errors))
            arrays.append(whole if whole.type == field.type else whole.cast(field.type))
        return pa.Table.from_arrays(arrays, schema=self.schema), errors

    def lost(self, rows: int) -> pa.Table:
        """Null rows."""
        return pa.Table.from_arrays(
            [pa.nulls(rows, field.type) for field in self.schema], schema=self.schema
        )


_Decoded = tuple[pa.Table, dict[int, str]]
"""Some rows, and which of them are errors."""


def group_chunks(
    reader: Any, group: int, view: SchemaView, limits: Limits, most: int
) -> Iterator[Chunk]:
    """Yields the rows of a row group; error rows if its values are more than `most` bytes."""
    count = reader.metadata.row_group(group).num_rows
    held, wrong = _verified(lambda: _decoded(reader, group, view), count, most)
    if wrong:
        for start in range(0, count, limits.batch_documents):
            rows = min(limits.batch_documents, count - start)
            yield Chunk(view.lost(rows), dict.fromkeys(range(rows), wrong))
        return
    yield from cut_chunks(_decoded(reader, group, view) if held is None else held, limits)


def cut_chunks(decoded: Iterable[_Decoded], limits: Limits) -> Iterator[Chunk]:
    """Yields rows, each piece with its errors, in chunks within the caps of a batch."""
    for table, errors in decoded:
        sizes = row_bytes(table)
        ends = cut_rows(sizes, limits.batch_documents, limits.batch_bytes)
        for start, end in itertools.pairwise([0, *ends]):
            inside = {row - start: code for row, code in errors.items() if start <= row < end}
            yield Chunk(table.slice(start, end - start), inside)


def _decoded(reader: Any, group: int, view: SchemaView) -> Iterator[_Decoded]:
    """Yields the rows of a row group, cut by the file and never by the limits."""
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in reader.iter_batches(
        batch_size=_ROWS_AT_ONCE, row_groups=[group], columns=view.present, use_threads=False
    ):
        held.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows >= _DECODE_ROWS or size >= _DECODE_BYTES:
            yield view.tables(held)
            held, rows, size = [], 0, 0
    if held:
        yield view.tables(held)


def _verified(
    decoded: Callable[[], Iterator[_Decoded]], rows: int, most: int
) -> tuple[list[_Decoded] | None, str]:
    """Decodes a row group to its end.

    Returns:
        What it held, if that is little, else None; and its error class, or "" if it is intact.
    """
    held: list[_Decoded] = []
    size = values = found = 0
    if not most:
        return None, _OVER
    try:
        for table, errors in decoded():
            found += table.num_rows
            size += table.nbytes
            values += int(row_bytes(table).sum())
            if values > most:
                return None, _OVER
            if size <= HOLD_BYTES:
                held.append((table, errors))
            else:
                held.clear()
    except ScrublineError:
        raise
    except Exception as error:  # whatever a damaged page makes the decoder raise
        raise_shortage(error)
        return None, _CORRUPT
    return (held if size <= HOLD_BYTES else None), "" if found == rows else _CORRUPT


_CORRUPT, _OVER = "CorruptRowGroup", "OverBudget:unpacked"


def _invalid_rows(column: pa.Array) -> set[int]:
    """Rows whose strings are not UTF-8; Parquet readers do not look."""
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        return {row for row in range(len(column)) if not _valid(column.slice(row, 1))}
    return set()


def _valid(column: pa.Array) -> bool:
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _with_nulls(column: pa.Array, rows: Sequence[int]) -> pa.ChunkedArray:
    """The column with some rows made null. By slices, since not every type has a kernel for it."""
    parts, start = [], 0
    for row in rows:
        parts += [column.slice(start, row - start), pa.nulls(1, column.type)]
        start = row + 1
    return pa.chunked_array([*parts, column.slice(start)], type=column.type)
