"""Parquet: typed columns in row groups.

Values and types pass as Arrow holds them. A few need care: view types, for which Arrow lacks
kernels, travel as their large forms and are written as what they were; INT96 timestamps are read in
microseconds, because in nanoseconds year 9999 would wrap silently.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..core.errors import ScrublineError, UsageError
from ..core.shortage import raise_shortage
from ..storage.input_files import InputFile
from .arrow_types import map_type, passing_schema, without_time
from .chunks import FormatDefaults, LazySink, table_rows
from .column_roles import Columns, Role
from .column_types import typed, unsuitable, unsuitable_error
from .jsonl import require_declared
from .nested_arrow import ArrowNesting, declared_types, undeclared
from .nested_paths import show_path
from .options import Limits
from .parquet_groups import SchemaView, group_chunks
from .parquet_sizes import cut_rows, is_over, most_bytes, string_paths
from .parquet_writer import ParquetWriter
from .protocol import (
    Chunk,
    FormatTraits,
    Locator,
    OpenPart,
    PartRow,
    PartWriter,
    Reader,
    SampleRange,
)
from .samples import run_at

_READ_BUFFER_BYTES = 4 << 20
_ROWS_PROBED = 1024
_MAX_GROUP_ROWS = 2**31 - 1


class Parquet(FormatDefaults):
    """The format `parquet`."""

    name = "parquet"
    suffixes = (".parquet", ".pq")
    traits = FormatTraits(
        locator_unit="row groups", family="Parquet", counts_rows=True, holds_patient_key=True
    )

    def check_types(self, storage: Reader, file: InputFile, columns: Columns) -> bool:
        """Refuses roles for which the schema's types cannot do, unless the column is all null."""
        suits_all = True
        with _opened(storage, file) as reader:
            schema = reader.schema_arrow
            _check_nested(passing_schema(schema), columns, self.is_text)
            for name, role in typed(columns):
                if name not in schema.names:
                    continue
                kind = schema.field(name).type
                if not unsuitable(role, kind, is_text=self.is_text(kind)):
                    continue
                suits_all = False
                if _has_values(reader, name):
                    raise unsuitable_error(name, role, kind)
        return suits_all

    @property
    def nesting(self) -> ArrowNesting:
        """Structs, lists and maps."""
        return ArrowNesting()

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
        ends = cut_rows(np.array(sizes, np.int64), len(sizes), split_bytes)
        return [
            Locator(index, start, end, sum(sizes[start:end]))
            for start, end in itertools.pairwise([0, *ends])
        ]

    def sample(
        self, storage: Reader, file: InputFile, locator: Locator, at: int, most_bytes: int
    ) -> SampleRange:
        """The row group at `at`, whatever its size."""
        with _opened(storage, file) as reader:
            sizes = _stored_bytes(reader.metadata, file.size)[locator.start : locator.end]
            first, _, _ = run_at(sizes, at, 1)
            start = locator.start + first
            rows = reader.metadata.row_group(start).num_rows
        return SampleRange(Locator(locator.file, start, start + 1, sizes[first]), rows)

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
            view = SchemaView(reader.schema_arrow, columns)
            sizes = _stored_bytes(reader.metadata, file.size)
            with _opened(storage, file, string_paths(reader)) as folded:
                for group in range(locator.start, locator.end):
                    most = most_bytes(sizes[group], limits)
                    over = is_over(folded, group, view.present, most)
                    yield from group_chunks(reader, group, view, limits, 0 if over else most)

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

        Python has no dates beyond the year 9999 and no nanoseconds, and its result for them
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
        return ParquetWriter(LazySink(open_part, stem + self.suffixes[0]))

    def part_rows(self, storage: Reader, file: InputFile, columns: Columns) -> Iterator[PartRow]:
        """Yields one row per row, of the columns that the file has."""
        return table_rows(self, storage, file, columns, self.columns(storage, file))


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
            raise UsageError(
                f"not readable as Parquet ({problem}): the footer is damaged or missing; copy the "
                "file again"
            )
        yield reader


def _check_nested(schema: pa.Schema, columns: Columns, is_text: Callable[[Any], bool]) -> None:
    """Refuses values without a role within nested columns, and roles that do not fit.

    Raises:
        UsageError: with the path, as messages name columns.
    """
    roles = dict(columns.roles)
    lacking: list[str] = []
    for name, node in columns.nested.items():
        if name not in schema.names:
            continue
        kind = schema.field(name).type
        if missed := [show_path(path) for path in undeclared(kind, (name,), node)]:
            lacking += missed
            continue
        for leaf, of_leaf in declared_types(kind, node):
            role = roles[leaf]
            if pa.types.is_null(of_leaf) or role in (Role.PASS, Role.DROP):
                continue
            if unsuitable(role, of_leaf, is_text=is_text(of_leaf)):
                raise unsuitable_error(leaf, role, of_leaf)
    require_declared(lacking, columns)


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


def _stored_bytes(metadata: Any, file_bytes: int) -> list[int]:
    """About the size of each row group: the file's, shared out by their sizes when decoded.

    The footer has exact ones for each column, but in pyarrow 25 reading a damaged column entry
    aborts the process ("Repetition level histogram size mismatch").
    """
    decoded = [
        max(1, metadata.row_group(i).total_byte_size) for i in range(metadata.num_row_groups)
    ]
    return [file_bytes * size // sum(decoded) for size in decoded]


def _has_values(reader: Any, name: str) -> bool:
    """Whether a column has a value that is not null; False if it is damaged: then its rows fail.

    Values are decoded up to the first one: a column without any has next to nothing to decode. Null
    counts of the footer are not used, for the reason that `_stored_bytes` gives; they may be
    missing, too.
    """
    try:
        batches = reader.iter_batches(batch_size=_ROWS_PROBED, columns=[name], use_threads=False)
        return any(batch.column(0).null_count < batch.num_rows for batch in batches)
    except ScrublineError:
        raise
    except Exception as error:  # whatever a damaged page makes the decoder raise
        raise_shortage(error)
        return False


def _wire_form(cell: pa.ChunkedArray | pa.Array) -> str | None:
    if cell.null_count:
        return None
    batch = pa.table({"": cell}).combine_chunks().to_batches()[0]
    return hashlib.sha256(batch.serialize().to_pybytes()).hexdigest()
