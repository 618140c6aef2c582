"""Parquet: typed columns in row groups.

Values and types pass as Arrow holds them. A few need care: view types, for which Arrow lacks
kernels, travel as their large forms and are written as what they were; INT96 timestamps are read in
microseconds, because in nanoseconds year 9999 would wrap silently.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..columns import Ints
from ..errors import ScrublineError, UsageError
from ..roles import Columns
from ..shortage import raise_shortage
from ..storage import InputFile
from .arrow_types import (
    map_type,
    passing_schema,
    without_dictionary,
    without_time,
    without_view,
)
from .base import (
    Chunk,
    Format,
    LazySink,
    Limits,
    Locator,
    OpenPart,
    PartRow,
    PartWriter,
    Reader,
    Settings,
    table_rows,
)
from .column_types import shown_type, typed, unsuitable
from .parquet_sizes import is_over, most_bytes, require_indices, string_paths

ROW_GROUP_ROWS = 8192
ROW_GROUP_BYTES = 32 << 20
"""A row group of the output is cut before the row that would take it over either; by rows alone."""

HOLD_BYTES = 64 << 20
"""A row group that decodes to more is decoded twice: to see that it is intact, and to be read."""

_DECODE_ROWS, _DECODE_BYTES = 1024, 8 << 20
_ROWS_AT_ONCE = 8
"""Few, since each may name the one value of a page; Arrow takes as long over many."""
_READ_BUFFER_BYTES = 4 << 20
_MAX_GROUP_ROWS = 2**31 - 1

_ORIGIN = b"scrubline:origin"
"""Field metadata inside a chunk: the field as it was in the file; empty if it was not there."""


class Parquet:
    """The format `parquet`."""

    name = "parquet"
    suffixes = (".parquet", ".pq")
    sampled = False
    measure = "row groups"
    file_is_record = False
    counts_rows = True
    holds_patient_key = True
    takes: frozenset[str] = frozenset()

    def configured(self, settings: Settings) -> Format:
        """Itself: its files say all themselves."""
        return self

    def check_roles(self, columns: Columns) -> None:
        """A table has room for any columns."""

    def check_types(self, storage: Reader, file: InputFile, columns: Columns) -> bool:
        """Refuses roles for which the schema's types cannot do, unless the column is all null."""
        suits_all = True
        with _opened(storage, file) as reader:
            schema = reader.schema_arrow
            for name, role in typed(columns):
                if name not in schema.names:
                    continue
                kind = schema.field(name).type
                if not unsuitable(role, kind, is_text=self.is_text(kind)):
                    continue
                suits_all = False
                if _has_values(reader, name):
                    raise UsageError(
                        f"column {name!r} has role {role} and holds values of type "
                        f"{shown_type(kind)}, which no row can use for it: give it another role, "
                        "or write it as text first"
                    )
        return suits_all

    def columns(self, storage: Reader, file: InputFile) -> tuple[str, ...]:
        """Names in the file's schema."""
        with _opened(storage, file) as reader:
            return tuple(reader.schema_arrow.names)

    def column_types(self, storage: Reader, file: InputFile) -> dict[str, str]:
        """Column -> its Arrow type as text, which may hold names of nested fields.

        Raises:
            UsageError: if the footer cannot be read.
        """
        with _opened(storage, file) as reader:
            return {field.name: str(field.type) for field in reader.schema_arrow}

    def schema_token(self, storage: Reader, file: InputFile) -> str:
        """Hash of the schema."""
        with _opened(storage, file) as reader:
            schema = passing_schema(reader.schema_arrow)
        return hashlib.sha256(schema.serialize().to_pybytes()).hexdigest()

    def plan(
        self, storage: Reader, index: int, file: InputFile, split_bytes: int, limits: Limits
    ) -> list[Locator]:
        """Runs of row groups of up to `split_bytes`, or of one larger row group."""
        with _opened(storage, file) as reader:
            sizes = _stored_bytes(reader.metadata, file.size)
        ends = _cuts(np.array(sizes, np.int64), len(sizes), split_bytes)
        return [
            Locator(index, start, end, sum(sizes[start:end]))
            for start, end in itertools.pairwise([0, *ends])
        ]

    def read(
        self,
        storage: Reader,
        file: InputFile,
        locator: Locator,
        columns: tuple[str, ...],
        limits: Limits,
    ) -> Iterator[Chunk]:
        """Yields the rows of row groups [start, end), only the declared columns.

        A row group that does not decode, or unpacks to more than its share of the file may, gives
        as many error rows as the footer says it holds. A
        declared column that the file lacks is all null, and is left out again when written.
        """
        with _opened(storage, file) as reader:
            view = _View(reader.schema_arrow, columns)
            sizes = _stored_bytes(reader.metadata, file.size)
            with _opened(storage, file, string_paths(reader)) as folded:
                for group in range(locator.start, locator.end):
                    most = most_bytes(sizes[group], limits)
                    over = is_over(folded, group, view.present, most)
                    yield from _group_chunks(reader, group, view, limits, 0 if over else most)

    def is_text(self, kind: pa.DataType) -> bool:
        """Strings of any layout, dictionaries of them, and columns that are null throughout."""
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        return bool(
            pa.types.is_string(kind)
            or pa.types.is_large_string(kind)
            or pa.types.is_string_view(kind)
            or pa.types.is_null(kind)
        )

    def cells(self, column: pa.ChunkedArray | pa.Array) -> list[str | None]:
        """The values' Python form; of dates and times, also nested ones, their numbers.

        Python has no dates beyond the year 9999 and no nanoseconds, and what it gives for them
        depends on whether pandas is installed.
        """
        plain = map_type(column.type, without_time)
        try:
            values = (column if plain == column.type else column.cast(plain)).to_pylist()
        except Exception as error:  # a type that Arrow cannot cast: the bytes that it would send
            raise_shortage(error)
            return [_wire_form(column.slice(row, 1)) for row in range(len(column))]
        return [v if v is None or isinstance(v, str) else repr(v) for v in values]

    def decode(self, column: pa.ChunkedArray | pa.Array) -> list[object]:
        """Python values; dates and times as ISO 8601 text, the same on every machine."""
        kind = column.type
        if pa.types.is_dictionary(kind):
            column, kind = column.cast(kind.value_type), kind.value_type
        if pa.types.is_timestamp(kind):
            column = column.cast(pa.timestamp(kind.unit)).cast(pa.string())
            return [None if v is None else v.replace(" ", "T") for v in column.to_pylist()]
        if pa.types.is_temporal(kind):
            column = column.cast(pa.string()) if not pa.types.is_interval(kind) else column
        try:
            values: list[object] = column.to_pylist()
        except Exception as error:  # a nested time that Python cannot hold: no text, and no id
            raise_shortage(error)
            values = [None if not cell.is_valid else () for cell in column]
        return values

    def encode_text(self, values: Sequence[str | None], like: pa.DataType) -> pa.Array:
        """Texts in a string, large string or dictionary type."""
        if pa.types.is_null(like) and all(value is None for value in values):
            return pa.nulls(len(values))
        if pa.types.is_dictionary(like):
            return self.encode_text(values, like.value_type).dictionary_encode().cast(like)
        if pa.types.is_null(like):
            like = pa.string()
        return pa.array(values, like)

    def writer(self, open_part: OpenPart, stem: str) -> PartWriter:
        """Writes `<stem>.parquet`, Zstandard; the same rows give the same bytes."""
        return _ParquetWriter(LazySink(open_part, stem + self.suffixes[0]))

    def part_rows(self, storage: Reader, file: InputFile, columns: Columns) -> Iterator[PartRow]:
        """Yields a row a row, of the columns that the file has."""
        return table_rows(self, storage, file, columns, self.columns(storage, file))


# -- reading


@contextlib.contextmanager
def _opened(storage: Reader, file: InputFile, folded: Sequence[str] | None = None) -> Iterator[Any]:
    """A reader of the file.

    Args:
        folded: paths of leaves to be read as dictionaries.

    Raises:
        UsageError: if the footer cannot be read or makes no sense.
    """
    with storage.open_read(file.url, buffer_bytes=0) as source:
        reader, problem = None, ""
        try:
            reader = pq.ParquetFile(
                source,
                buffer_size=_READ_BUFFER_BYTES,
                pre_buffer=False,
                coerce_int96_timestamp_unit="us",
                read_dictionary=folded,
            )
            problem = _problem(reader)
        except ScrublineError:
            raise
        except Exception as error:  # Arrow raises many kinds, and its messages may quote the file
            raise_shortage(error)
            problem = type(error).__name__
        if reader is None or problem:
            raise UsageError(f"not readable as Parquet ({problem}); expected an intact footer")
        yield reader


def _problem(reader: Any) -> str:
    names = reader.schema_arrow.names
    if len(set(names)) != len(names):
        return "two columns of one name"
    rows = [reader.metadata.row_group(i).num_rows for i in range(reader.num_row_groups)]
    if any(not 0 <= count <= _MAX_GROUP_ROWS for count in rows):
        return "impossible row count"
    if sum(rows) != reader.metadata.num_rows:
        return "row counts that disagree"
    return ""


def row_groups(storage: Reader, file: InputFile) -> list[tuple[int, int]]:
    """Size and rows of each row group, as the footer tells; see `_stored_bytes`."""
    with _opened(storage, file) as reader:
        sizes = _stored_bytes(reader.metadata, file.size)
        return [(size, reader.metadata.row_group(i).num_rows) for i, size in enumerate(sizes)]


def _stored_bytes(metadata: Any, file_bytes: int) -> list[int]:
    """About the size of each row group: the file's, shared out by their sizes when decoded.

    The footer has exact ones for each column, but in pyarrow 25 a look at a damaged column entry
    aborts the process ("Repetition level histogram size mismatch").
    """
    decoded = [
        max(1, metadata.row_group(i).total_byte_size) for i in range(metadata.num_row_groups)
    ]
    return [file_bytes * size // sum(decoded) for size in decoded]


def _has_values(reader: Any, name: str) -> bool:
    """Whether a column has a value that is not null; of a damaged one, rows are quarantined.

    Values are decoded up to the first one: a column without any has next to nothing to decode. Null
    counts of the footer are not asked, for the reason that `_stored_bytes` gives; they may be
    missing, too.
    """
    try:
        batches = reader.iter_batches(batch_size=_DECODE_ROWS, columns=[name], use_threads=False)
        return any(batch.column(0).null_count < batch.num_rows for batch in batches)
    except ScrublineError:
        raise
    except Exception as error:  # whatever a damaged page makes the decoder raise
        raise_shortage(error)
        return False


class _View:
    """How the declared columns come out of a file of one schema."""

    def __init__(self, schema: pa.Schema, columns: tuple[str, ...]) -> None:
        schema = passing_schema(schema)
        found = {field.name: field for field in schema}
        self.present = [name for name in columns if name in found]
        fields = []
        for name in columns:
            field = found.get(name)
            if field is None:
                fields.append(pa.field(name, pa.null(), metadata={_ORIGIN: b""}))
                continue
            workable = map_type(field.type, without_view)
            if workable != field.type:
                origin = base64.b64encode(pa.schema([field]).serialize().to_pybytes())
                field = field.with_type(workable).with_metadata(
                    {**(field.metadata or {}), _ORIGIN: origin}
                )
            # Error rows are null whatever the file says; the writer is given none of them.
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


def _group_chunks(
    reader: Any, group: int, view: _View, limits: Limits, most: int
) -> Iterator[Chunk]:
    """Yields the rows of a row group; error rows if its values are more than `most` bytes."""
    count = reader.metadata.row_group(group).num_rows
    held, wrong = _verified(lambda: _decoded(reader, group, view), count, most)
    if wrong:
        for start in range(0, count, limits.batch_documents):
            rows = min(limits.batch_documents, count - start)
            yield Chunk(view.lost(rows), dict.fromkeys(range(rows), wrong))
        return
    for table, errors in _decoded(reader, group, view) if held is None else held:
        sizes = row_bytes(table)
        ends = _cuts(sizes, limits.batch_documents, limits.batch_bytes)
        for start, end in itertools.pairwise([0, *ends]):
            inside = {row - start: code for row, code in errors.items() if start <= row < end}
            yield Chunk(table.slice(start, end - start), inside)


def _decoded(reader: Any, group: int, view: _View) -> Iterator[_Decoded]:
    """Yields the rows of a row group, cut by the file alone and never by the limits."""
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
        What it held, if that is little, else None; and the class of what is wrong with it, or "".
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


# -- types


def _wire_form(cell: pa.ChunkedArray | pa.Array) -> str | None:
    if cell.null_count:
        return None
    batch = pa.table({"": cell}).combine_chunks().to_batches()[0]
    return hashlib.sha256(batch.serialize().to_pybytes()).hexdigest()


def _cuts(sizes: Ints, most_rows: int, most_bytes: int) -> list[int]:
    """Ends of consecutive pieces of rows, each as long as both caps allow, at least one row."""
    total = np.concatenate([[0], np.cumsum(sizes)])
    ends: list[int] = []
    start = 0
    while start < len(sizes):
        fitting = int(np.searchsorted(total, total[start] + most_bytes, side="right")) - 1
        start = max(start + 1, min(fitting, start + most_rows))
        ends.append(min(start, len(sizes)))
    return ends


def row_bytes(table: pa.Table) -> Ints:
    """Size of each row: bytes of strings and binaries, list elements counted with what is in them.

    Depends on the values alone, not on chunks, offsets or buffers.
    """
    sizes = np.zeros(table.num_rows, np.int64)
    for column in table.columns:
        at = 0
        for chunk in column.chunks:
            sizes[at : at + len(chunk)] += _value_bytes(chunk)
            at += len(chunk)
    return sizes


def _value_bytes(array: pa.Array) -> npt.NDArray[np.int64]:
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return _value_bytes(array.storage)
    if pa.types.is_dictionary(kind):
        return _value_bytes(array.cast(kind.value_type))
    if pa.types.is_map(kind):
        pair = pa.struct([kind.key_field, kind.item_field])
        return _value_bytes(array.cast(pa.list_(pair)))
    if pa.types.is_struct(kind):
        return sum((_value_bytes(part) for part in array.flatten()), np.ones(len(array), np.int64))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        lengths = pc.fill_null(pc.list_value_length(array), 0).to_numpy(zero_copy_only=False)
        inner = np.concatenate([[0], np.cumsum(_value_bytes(array.flatten()))])
        ends = np.cumsum(lengths)
        sizes: npt.NDArray[np.int64] = inner[ends] - inner[ends - lengths] + 4
        return sizes
    if (
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
    ):
        found = pc.fill_null(pc.binary_length(array), 0).to_numpy(zero_copy_only=False)
        return np.asarray(found, np.int64) + 4
    try:
        width = kind.bit_width
    except ValueError:  # null, and what has no fixed width
        width = 8
    return np.full(len(array), max(1, width // 8), np.int64)


# -- writing


class _ParquetWriter:
    """Gathers rows to whole row groups, so that the file does not show how the rows came.

    Dictionary columns are written as their values: the order of a batch's dictionary would show.
    The Arrow schema in the footer says what they were, as Arrow itself does.
    """

    def __init__(self, sink: LazySink) -> None:
        self._sink = sink
        self._schema: pa.Schema | None = None
        self._stored: pa.Schema | None = None
        self._file: Any = None
        self._waiting: list[pa.Table] = []
        self._sizes: Ints = np.zeros(0, np.int64)

    def write(self, table: pa.Table) -> None:
        if self._file is None:
            self._begin(table.schema)
        assert self._schema is not None and self._stored is not None
        if table.schema.names != [*self._schema.names]:
            raise ValueError("every write to a part needs the same columns")
        plain = pa.Table.from_arrays(
            [table.column(field.name).cast(field.type) for field in self._stored],
            schema=self._stored,
        )
        self._waiting.append(plain)
        self._sizes = np.concatenate([self._sizes, row_bytes(plain)])
        ends = _cuts(self._sizes, ROW_GROUP_ROWS, ROW_GROUP_BYTES)
        # The last piece is not known to be whole until a further row does not fit.
        if len(ends) > 1:
            rows = pa.concat_tables(self._waiting)
            for start, end in itertools.pairwise([0, *ends[:-1]]):
                self._write_group(rows.slice(start, end - start))
            self._waiting = [rows.slice(ends[-2])]
            self._sizes = self._sizes[ends[-2] :]

    def close(self) -> None:
        if self._file is not None:
            if len(self._sizes):
                self._write_group(pa.concat_tables(self._waiting))
            self._file.close()
        self._sink.close()

    def _begin(self, schema: pa.Schema) -> None:
        original = pa.schema([o for o in map(_original, schema) if o is not None], schema.metadata)
        self._schema = schema
        self._stored = pa.schema(
            [
                _clean(schema.field(field.name)).with_type(
                    map_type(schema.field(field.name).type, without_dictionary)
                )
                for field in original
            ]
        )
        self._file = pq.ParquetWriter(
            _PlainFile(self._sink.open()),
            self._stored,
            compression="zstd",
            compression_level=3,
            store_schema=False,
        )
        self._file.add_key_value_metadata(
            {
                **(schema.metadata or {}),
                b"ARROW:schema": base64.b64encode(original.serialize().to_pybytes()),
            }
        )

    def _write_group(self, rows: pa.Table) -> None:
        self._file.write_table(rows.combine_chunks(), row_group_size=max(1, rows.num_rows))


def _clean(field: pa.Field) -> pa.Field:
    kept = {k: v for k, v in (field.metadata or {}).items() if k != _ORIGIN}
    return field.with_metadata(kept or None)


def _original(field: pa.Field) -> pa.Field | None:
    """The field as it was in the input file; None if it was not there."""
    origin = (field.metadata or {}).get(_ORIGIN)
    if origin is None:
        return field
    if not origin:
        return None
    read: pa.Field = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(origin))).field(0)
    return read


class _PlainFile:
    """What Arrow needs of a file, and no way to close it: that is for whoever opened it."""

    closed = False

    def __init__(self, sink: Any) -> None:
        self._sink = sink
        self._bytes = 0

    def write(self, data: Any) -> int:
        view = memoryview(data)
        self._sink.write(view)
        self._bytes += view.nbytes
        return view.nbytes

    def tell(self) -> int:
        return self._bytes

    def flush(self) -> None:
        """Nothing is kept back."""

    def close(self) -> None:
        """Left to the owner."""

    def readable(self) -> bool:
        return False

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False
