"""Writes the rows of a part as one Parquet file, in row groups of a fixed size."""

from __future__ import annotations

import base64
import itertools
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..core.arrays import Ints
from .arrow_types import map_type, without_dictionary
from .chunks import LazySink
from .nested_arrow import ORIGIN
from .parquet_sizes import cut_rows, row_bytes

ROW_GROUP_ROWS = 8192
ROW_GROUP_BYTES = 32 << 20
"""A row group of the output ends before the row that would take it over either limit."""


class ParquetWriter:
    """Gathers rows into whole row groups, so that the file does not show how the rows arrived.

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
        """Appends rows."""
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
        ends = cut_rows(self._sizes, ROW_GROUP_ROWS, ROW_GROUP_BYTES)
        # The last piece is not known to be whole until a further row does not fit.
        if len(ends) > 1:
            rows = pa.concat_tables(self._waiting)
            for start, end in itertools.pairwise([0, *ends[:-1]]):
                self._write_group(rows.slice(start, end - start))
            self._waiting = [rows.slice(ends[-2])]
            self._sizes = self._sizes[ends[-2] :]

    def close(self) -> None:
        """Writes the last row group and commits the file."""
        if self._file is not None:
            if len(self._sizes):
                self._write_group(pa.concat_tables(self._waiting))
            self._file.close()
        self._sink.close()

    def _begin(self, schema: pa.Schema) -> None:
        original = pa.schema(
            [o for o in map(original_field, schema) if o is not None], schema.metadata
        )
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
    kept = {k: v for k, v in (field.metadata or {}).items() if k != ORIGIN}
    return field.with_metadata(kept or None)


def original_field(field: pa.Field) -> pa.Field | None:
    """The field as it was in the input file; None if it was not there."""
    origin = (field.metadata or {}).get(ORIGIN)
    if origin is None:
        return field
    if not origin:
        return None
    read: pa.Field = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(origin))).field(0)
    return read


class _PlainFile:
    """What Arrow needs of a file, without a way to close it: the opener does that."""

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
