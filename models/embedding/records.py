"""Records of Python (mappings of names to values), scrubbed as rows of a table are.

The cells of their chunks are places in a list of the values, so that a value that is only passed on
stays the very same object, of whatever type.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from ..core.budgets import BATCH_BYTES, BATCH_DOCUMENTS
from ..core.missing_values import is_missing
from ..formats import Chunk
from ..formats.column_roles import DOC_KEY, Columns, Role
from .rows import ROW, ROW_ID, RowScrubber


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class ScrubbedRecord:
    """What comes of one record.

    Attributes:
        record: without PHI; None if it failed.
        audit: one row for each span, as in the audit of a run, without run.
        stage, error: of the quarantine; "" unless it failed.
        doc_key: None if no column has role `id`, or the id could not be read.
    """

    record: dict[str, Any] | None
    audit: tuple[dict[str, Any], ...] = ()
    stage: str = ""
    error: str = ""
    doc_key: str | None = None


class ObjectCells:
    """Cells that are places in a list of Python values; see `formats.protocol.CellForm`."""

    nesting = None

    def __init__(self) -> None:
        self._values: list[Any] = []

    def column(self, values: Sequence[Any]) -> pa.Array:
        """Cells of values; only None has a null cell."""
        first = len(self._values)
        self._values += values
        places = [None if v is None else first + at for at, v in enumerate(values)]
        return pa.array(places, pa.int64())

    def values(self, column: pa.ChunkedArray | pa.Array) -> list[Any]:
        """The values, as they came."""
        return [None if at is None else self._values[at] for at in column.to_pylist()]

    def is_text(self, kind: pa.DataType) -> bool:
        """True: only a value shows whether it is a text."""
        return True

    def decode(self, column: pa.ChunkedArray | pa.Array) -> list[object]:
        """The values; None for what says that there is none."""
        return [None if is_missing(value) else value for value in self.values(column)]

    def encode_text(self, values: Sequence[str | None], like: pa.DataType) -> pa.Array:
        """Cells of texts."""
        return self.column(values)

    def cells(self, column: pa.ChunkedArray | pa.Array) -> list[str | None]:
        """None for each: no digest is made of records."""
        return [None] * len(column)


def scrub_records(
    records: Sequence[Mapping[str, Any]], rows: RowScrubber
) -> Iterator[ScrubbedRecord]:
    """Yields what comes of each record, in order. No content of a record raises.

    A name that is not declared fails its record (`UndeclaredColumn`); one that a record lacks is
    absent from what comes of it too. Repeated ids are not numbered: records come in any order, so
    that those with one id have one doc_key.

    Args:
        records: names and values.
        rows: what they are scrubbed with.

    Raises:
        Shortage: if the machine lacks something.
    """
    for some in _packed(records, rows.roles.columns):
        yield from _scrubbed(some, rows)


def _scrubbed(records: list[Mapping[str, Any]], rows: RowScrubber) -> list[ScrubbedRecord]:
    cells, columns = ObjectCells(), rows.roles.columns
    declared = {name for name, _ in columns.roles}
    errors = {
        at: "UndeclaredColumn" for at, record in enumerate(records) if not declared >= set(record)
    }
    arrays = {
        name: cells.column(
            list(range(len(records))) if name == ROW_ID else [r.get(name) for r in records]
        )
        for name, _ in columns.roles
    }
    (result,) = rows.results([Chunk(pa.table(arrays), errors)], cells)
    failed = {row[ROW]: row for row in result.tables["quarantine"].to_pylist()}
    good = [at for at in range(len(records)) if at not in failed]
    audit: dict[int, list[dict[str, Any]]] = {at: [] for at in good}
    for row in result.tables["audit"].to_pylist():
        audit[row.pop(ROW)].append(row)
    names = [name for name in result.data.column_names if name != ROW]
    found = [cells.values(result.data.column(name)) for name in names]
    done = [ScrubbedRecord(None)] * len(records)
    for place, at in enumerate(good):
        out = {
            name: column[place]
            for name, column in zip(names, found, strict=True)
            if name in records[at] or name not in declared
        }
        done[at] = ScrubbedRecord(out, tuple(audit[at]), doc_key=out.get(DOC_KEY))
    for at, row in failed.items():
        done[at] = ScrubbedRecord(None, (), row["stage"], row["error"], row["doc_key"])
    return done


def _packed(
    records: Sequence[Mapping[str, Any]], columns: Columns
) -> Iterator[list[Mapping[str, Any]]]:
    """Yields the records within the caps of a batch, by the length of their texts."""
    held: list[Mapping[str, Any]] = []
    size = 0
    texts = columns.named(Role.TEXT)
    for record in records:
        more = sum(len(v) for name in texts if isinstance(v := record.get(name), str))
        if held and (len(held) == BATCH_DOCUMENTS or size + more > BATCH_BYTES):
            yield held
            held, size = [], 0
        held.append(record)
        size += more
    if held:
        yield held
