"""Tables that a command writes beside any run: of keys, of the people of generated records."""

from __future__ import annotations

import contextlib
import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from .new_files import new_file

_ROWS_AT_ONCE = 50_000
"""Rows in memory, and of a Parquet row group."""

Row = Sequence[str | int | None]
_Write = Callable[[list[Row]], object]


class TableFile:
    """A table that is being written.

    Attributes:
        rows: how many were added.
    """

    def __init__(self, write: _Write) -> None:
        self._write = write
        self._held: list[Row] = []
        self.rows = 0

    def add(self, rows: Iterable[Row]) -> None:
        """Adds rows, each in the order of the columns."""
        for row in rows:
            self._held.append(row)
            self.rows += 1
            if len(self._held) >= _ROWS_AT_ONCE:
                self.flush()

    def flush(self) -> None:
        """Writes what is held."""
        if self._held:
            self._write(self._held)
            self._held.clear()


def table_ending(place: str | None) -> str | None:
    """The ending of a file name that says how a table is written; None if it says nothing."""
    ending = place.rpartition(".")[2] if place else ""
    return ending if ending in _WRITERS else None


@contextlib.contextmanager
def new_table(
    place: str, option: str, columns: Sequence[str], integers: Sequence[str] = ()
) -> Iterator[TableFile]:
    """A new table, written as its ending says; it appears whole when the block ends well.

    Args:
        place: a file on this machine whose `table_ending` is known.
        option: as the user knows it, for messages.
        columns: their names, in order.
        integers: those of whole numbers; the others are of text.

    Raises:
        UsageError: see `new_file`.
    """
    ending = table_ending(place)
    assert ending is not None
    with new_file(place, option) as stream, contextlib.ExitStack() as opened:
        schema = pa.schema([(n, pa.int64() if n in integers else pa.string()) for n in columns])
        file = TableFile(_WRITERS[ending](stream, schema, opened))
        yield file
        file.flush()


def _parquet(stream: BinaryIO, schema: pa.Schema, opened: contextlib.ExitStack) -> _Write:
    writer = opened.enter_context(pq.ParquetWriter(stream, schema))

    def write(rows: list[Row]) -> None:
        columns = [list(column) for column in zip(*rows, strict=True)]
        writer.write_table(pa.table(columns, schema=schema))

    return write


def _csv(stream: BinaryIO, schema: pa.Schema, opened: contextlib.ExitStack) -> _Write:
    def write(rows: list[Row]) -> None:
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="\n").writerows(rows)
        stream.write(text.getvalue().encode("utf-8", "surrogatepass"))

    write([schema.names])
    return write


def _json_lines(stream: BinaryIO, schema: pa.Schema, opened: contextlib.ExitStack) -> _Write:
    def write(rows: list[Row]) -> None:
        lines = (json.dumps(dict(zip(schema.names, row, strict=True))) + "\n" for row in rows)
        stream.write("".join(lines).encode())

    return write


_WRITERS: Mapping[str, Callable[[BinaryIO, pa.Schema, contextlib.ExitStack], _Write]] = {
    "parquet": _parquet,
    "csv": _csv,
    "jsonl": _json_lines,
}
"""Ending of the file -> what writes it."""
