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
from ..storage import InputFile
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

ROW_GROUP_ROWS = 8192
ROW_GROUP_BYTES = 32 << 20
"""A row group of the output is cut before the row that would take it over either; by rows alone."""

HOLD_BYTES = 64 << 20
"""A row group that decodes to more is decoded twice: to see that it is intact, and to be read."""

_DECODE_ROWS, _DECODE_BYTES = 1024, 8 << 20
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
    holds_patient_key = True
    takes: frozenset[str] = frozenset()

    def configured(self, settings: Settings) -> Format:
        """Itself: its files say all themselves."""
        return self

    def check_roles(self, columns: Columns) -> None:
        """A table has room for any columns."""

    def columns(self, storage: Reader, file: InputFile) -> tuple[str, ...]:
        """Names in the file's schema."""
        with _opened(storage, file) as reader:
            return tuple(reader.schema_arrow.names)

    def schema_token(self, storage: Reader, file: InputFile) -> str:
        """Hash of the schema."""
        with _opened(storage, file) as reader:
            schema = _passing(reader.schema_arrow)
        return hashlib.sha256(schema.remove_metadata().serialize().to_pybytes()).hexdigest()

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

        A row group that does not decode gives as many error rows as the footer says it holds. A
        declared column that the file lacks is all null, and is left out again when written.
        """
        with _opened(storage, file) as reader:
            view = _View(reader.schema_arrow, columns)
            for group in range(locator.start, locator.end):
                yield from _group_chunks(reader, group, view, limits)

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
        plain = _map_type(column.type, _without_time)
        try:
            values = (column if plain == column.type else column.cast(plain)).to_pylist()
        except Exception:  # a type that Arrow cannot cast: the bytes that it would send
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
        except Exception:  # a nested time that Python cannot hold: no text, and no id either
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
def _opened(storage: Reader, file: InputFile) -> Iterator[Any]:
    """A reader of the file.

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
            )
            problem = _problem(reader)
        except ScrublineError:
            raise
        except Exception as error:  # Arrow raises many kinds, and its messages may quote the file
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


class _View:
    """How the declared columns come out of a file of one schema."""

    def __init__(self, schema: pa.Schema, columns: tuple[str, ...]) -> None:
        schema = _passing(schema)
        self.present = [name for name in columns if name in schema.names]
        fields = []
        for name in columns:
            if name not in schema.names:
                fields.append(pa.field(name, pa.null(), metadata={_ORIGIN: b""}))
                continue
            field = schema.field(name)
            workable = _map_type(field.type, _without_view)
            if workable != field.type:
                origin = base64.b64encode(pa.schema([field]).serialize().to_pybytes())
                field = field.with_type(workable).with_metadata(
                    {**(field.metadata or {}), _ORIGIN: origin}
                )
            # Error rows are null whatever the file says; the writer is given none of them.
            fields.append(field)
        self.schema = pa.schema(fields, schema.metadata)

    def table(self, batch: pa.RecordBatch) -> tuple[pa.Table, dict[int, str]]:
        """The declared columns; rows with invalid UTF-8 are errors."""
        read = {name: batch.column(name) for name in self.present}
        bad: set[int] = set()
        for column in read.values():
            if pa.types.is_dictionary(column.type):
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


def _group_chunks(reader: Any, group: int, view: _View, limits: Limits) -> Iterator[Chunk]:
    about = reader.metadata.row_group(group)
    # The batches to decode in depend on the file alone, never on the limits: so does what is an
    # error.
    mean = max(1, about.total_byte_size // max(1, about.num_rows))
    decode_rows = int(min(_DECODE_ROWS, max(1, _DECODE_BYTES // mean)))

    def decoded() -> Iterator[tuple[pa.Table, dict[int, str]]]:
        for batch in reader.iter_batches(
            batch_size=decode_rows, row_groups=[group], columns=view.present, use_threads=False
        ):
            yield view.table(batch)

    held, intact = _verified(decoded, about.num_rows)
    if not intact:
        for start in range(0, about.num_rows, limits.batch_documents):
            rows = min(limits.batch_documents, about.num_rows - start)
            yield Chunk(view.lost(rows), dict.fromkeys(range(rows), "CorruptRowGroup"))
        return
    for table, errors in decoded() if held is None else held:
        sizes = row_bytes(table)
        ends = _cuts(sizes, limits.batch_documents, limits.batch_bytes)
        for start, end in itertools.pairwise([0, *ends]):
            inside = {row - start: code for row, code in errors.items() if start <= row < end}
            yield Chunk(table.slice(start, end - start), inside)


def _verified(
    decoded: Callable[[], Iterator[tuple[pa.Table, dict[int, str]]]], rows: int
) -> tuple[list[tuple[pa.Table, dict[int, str]]] | None, bool]:
    """Decodes a row group to its end: what it held, if that is little; and whether it is intact."""
    held: list[tuple[pa.Table, dict[int, str]]] = []
    size = found = 0
    try:
        for table, errors in decoded():
            found += table.num_rows
            size += table.nbytes
            if size <= HOLD_BYTES:
                held.append((table, errors))
            else:
                held.clear()
    except ScrublineError:
        raise
    except Exception:  # whatever a damaged page makes the decoder raise
        return None, False
    return (held if size <= HOLD_BYTES else None), found == rows


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


def _passing(schema: pa.Schema) -> pa.Schema:
    """The schema without the file's metadata: free text that nobody declared."""
    return schema.with_metadata(None)


def _map_type(kind: pa.DataType, leaf: Callable[[pa.DataType], pa.DataType]) -> pa.DataType:
    """Applies `leaf` to a type and, from outside in, to the types nested in it."""
    kind = leaf(kind)

    def inner(field: pa.Field) -> pa.Field:
        return field.with_type(_map_type(field.type, leaf))

    if pa.types.is_map(kind):
        return pa.map_(inner(kind.key_field), inner(kind.item_field), kind.keys_sorted)
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(inner(kind.value_field), kind.list_size)
    if pa.types.is_large_list(kind):
        return pa.large_list(inner(kind.value_field))
    if pa.types.is_list(kind):
        return pa.list_(inner(kind.value_field))
    if pa.types.is_struct(kind):
        return pa.struct([inner(field) for field in kind])
    return kind


def _wire_form(cell: pa.ChunkedArray | pa.Array) -> str | None:
    if cell.null_count:
        return None
    batch = pa.table({"": cell}).combine_chunks().to_batches()[0]
    return hashlib.sha256(batch.serialize().to_pybytes()).hexdigest()


def _without_time(kind: pa.DataType) -> pa.DataType:
    """The integer type that a date, time or duration is stored as; other types as they are."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_date32(kind) or pa.types.is_time32(kind):
        return pa.int32()
    if (
        pa.types.is_timestamp(kind)
        or pa.types.is_date64(kind)
        or pa.types.is_time64(kind)
        or pa.types.is_duration(kind)
    ):
        return pa.int64()
    return kind


def _without_view(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_string_view(kind):
        return pa.large_string()
    return pa.large_binary() if pa.types.is_binary_view(kind) else kind


def _without_dictionary(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


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
                    _map_type(schema.field(field.name).type, _without_dictionary)
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
