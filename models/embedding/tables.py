"""`scrub_table`: a table of Arrow in memory, as the format Parquet reads it."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ..core.display_names import ColumnNames, declared_list
from ..core.errors import DocumentError, UsageError
from ..core.keys import canonical_id
from ..formats import FORMATS, Chunk, Limits
from ..formats.arrow_types import map_type, without_view
from ..formats.column_roles import Role
from ..formats.column_types import typed, unsuitable, unsuitable_error
from ..formats.parquet_groups import SchemaView, cut_chunks
from ..formats.parquet_writer import original_field
from ..jobs.amendments import UnitAmendments
from ..scrubber import Scrubber
from .rows import ROW, ROW_ID, Roles, RowScrubber

_PARQUET = FORMATS["parquet"]
_ROWS_AT_ONCE = 1024

ERROR = "error"
"""The column that `ScrubbedTable.every_row` adds."""


class ScrubbedTable(NamedTuple):
    """What comes of a table: `table, audit, quarantine = scrub_table(...)`.

    Attributes:
        table: the rows without their PHI, in order; without those that failed. Its first column is
            doc_key, or `row` if no column has role `id`.
        audit: one row for each span.
        quarantine: one row for each row that failed; no text is in it.
    """

    table: pa.Table
    audit: pa.Table
    quarantine: pa.Table

    def __repr__(self) -> str:
        return (
            f"<ScrubbedTable rows={self.table.num_rows} spans={self.audit.num_rows} "
            f"quarantined={self.quarantine.num_rows}>"
        )

    def every_row(self) -> pa.Table:
        """One table with a row for each row of the input, in its order, and the column `error`.

        For programs that take one table. A row that failed has nulls, but for its doc_key or row
        and the class of its error; `error` is null in all others.

        Raises:
            UsageError: if the table has a column `error` of its own.
        """
        if ERROR in self.table.column_names:
            raise UsageError(f"every_row: the table has a column {ERROR}: rename it")
        failed = self.quarantine[ROW].to_pylist()
        rows = self.table.num_rows + len(failed)
        good = sorted(set(range(rows)) - set(failed))
        at = pc.index_in(pa.array(range(rows), pa.int64()), pa.array(good, pa.int64()))
        schema = pa.schema([field.with_nullable(True) for field in self.table.schema])
        workable = pa.schema([f.with_type(map_type(f.type, without_view)) for f in schema])
        table = self.table.cast(workable).take(at)
        wrong = pc.index_in(pa.array(range(rows), pa.int64()), self.quarantine[ROW])
        name = table.column_names[0]
        own = self.quarantine[name].take(wrong).cast(table.schema.field(0).type)
        table = table.set_column(0, table.schema.field(0), pc.coalesce(table.column(0), own))
        table = table.cast(schema)
        return table.append_column(ERROR, self.quarantine[ERROR].take(wrong))


def scrub_table(
    table: pa.Table,
    columns: Mapping[str, str],
    *,
    scrubber: Scrubber | None = None,
    key: str | None = None,
) -> ScrubbedTable:
    """A table without its PHI, the audit of what was done, and the rows that failed.

    Args:
        table: of Arrow; its metadata does not go out.
        columns: column -> role, of all columns: "text", "id", "patient", "type", "date", "birth",
            "pass", "drop", "hash" or "known:WHAT", as `scrubline scrub --column` takes them.
        scrubber: what it is scrubbed with; None opens `Scrubber()`.
        key: for roles id, patient and hash: URL of the key file, or "env:NAME"; None is
            "env:SCRUBLINE_KEY".

    Raises:
        UsageError: if it is no table of Arrow; if a column is undeclared or missing, or a role does
            not fit its type; if there is no key and one is needed.
        Shortage: if the machine lacks something. No content of a row raises.
    """
    _require_table(table)
    roles = Roles.of(columns)
    _check(table, roles)
    scrubber = Scrubber() if scrubber is None else scrubber
    rows = RowScrubber(scrubber, roles, roles.keys(key, scrubber.policy))
    if not roles.has_id:
        table = table.append_column(ROW_ID, pa.array(range(table.num_rows), pa.int64()))
    results = list(rows.results(_chunks(table, roles), _PARQUET, _repeated_ids(table, roles)))
    data = pa.concat_tables([result.data for result in results])
    return ScrubbedTable(
        _as_it_was(data),
        pa.concat_tables([result.tables["audit"] for result in results]),
        pa.concat_tables([result.tables["quarantine"] for result in results]),
    )


_INTO_TABLE = {
    "RecordBatch": "pyarrow.Table.from_batches([batch])",
    "RecordBatchReader": "reader.read_all()",
    "list": "pyarrow.Table.from_pylist(rows)",
    "dict": "pyarrow.table(columns)",
    "LazyFrame": "frame.collect().to_arrow()",
    "pandas": "pyarrow.Table.from_pandas(frame, preserve_index=False)",
    "polars": "frame.to_arrow()",
    "duckdb": "relation.to_arrow_table()",
    "pyspark": "each batch of mapInArrow as a table (docs/embedding.md)",
}
"""Name of a type, or package that it is from -> how a table of Arrow is made of it."""


def _require_table(table: object) -> None:
    """Refuses what is no table of Arrow.

    Raises:
        UsageError: with the line that makes one.
    """
    if isinstance(table, pa.Table):
        return
    kind = type(table)
    how = _INTO_TABLE.get(kind.__name__) or _INTO_TABLE.get(kind.__module__.partition(".")[0])
    instead = f": give {how}" if how else ""
    raise UsageError(
        f"scrub_table takes a pyarrow.Table, not a {kind.__module__}.{kind.__name__}{instead}"
    )


def _check(table: pa.Table, roles: Roles) -> None:
    """Refuses what a run refuses when it is planned."""
    present = table.column_names
    if len(set(present)) != len(present):
        raise UsageError("the table has two columns of one name")
    declared = {name: role for name, role in roles.columns.roles if name != ROW_ID}
    names = ColumnNames(present, declared)
    if undeclared := [name for name in present if name not in declared]:
        why = (
            "the table has columns without a declared role: {}. Undeclared columns are never "
            f"passed on: give each a role in `columns`, one of {', '.join(Role)}"
        )
        raise UsageError(
            why.format(names.listed(undeclared, False)),
            on_terminal=why.format(names.listed(undeclared, True)),
        )
    if missing := [n for n, role in declared.items() if n not in present and role != Role.DROP]:
        raise UsageError(f"the table lacks declared columns: {declared_list(missing)}")
    for name, role in typed(roles.columns):
        if name == ROW_ID:
            continue
        kind = table.schema.field(name).type
        has_values = table.column(name).null_count < table.num_rows
        if has_values and unsuitable(role, kind, is_text=_PARQUET.is_text(kind)):
            raise unsuitable_error(name, role, kind)


def _chunks(table: pa.Table, roles: Roles) -> Iterator[Chunk]:
    """Yields the rows as those of a Parquet file: valid UTF-8 and workable types."""
    names = tuple(name for name, _ in roles.columns.roles)
    view = SchemaView(table.schema, names)
    if not table.num_rows:
        yield Chunk(view.lost(0), {})
    batches = table.to_batches(max_chunksize=_ROWS_AT_ONCE)
    yield from cut_chunks((view.table(batch) for batch in batches), Limits())


def _repeated_ids(table: pa.Table, roles: Roles) -> UnitAmendments:
    """The ordinals of rows with an id that earlier rows have."""
    (name,) = roles.columns.named(Role.ID)
    ordinals: dict[int, int] = {}
    seen: Counter[str] = Counter()
    if name != ROW_ID:
        for row, value in enumerate(_ids(table, name)):
            try:
                canonical = canonical_id(value)
            except DocumentError:
                continue  # it fails its row, later
            if canonical is not None:
                if seen[canonical]:
                    ordinals[row] = seen[canonical]
                seen[canonical] += 1
    return UnitAmendments({}, ordinals)


def _ids(table: pa.Table, name: str) -> list[object]:
    view = SchemaView(table.schema, (name,))
    batches = table.select([name]).to_batches()
    columns = [view.table(batch)[0].column(0) for batch in batches]
    return list(itertools.chain.from_iterable(map(_PARQUET.decode, columns)))


def _as_it_was(table: pa.Table) -> pa.Table:
    """The table with the types that its columns had where they came from."""
    fields = [field for field in map(original_field, table.schema) if field is not None]
    kept = table.select([field.name for field in fields])
    return kept.cast(pa.schema(fields, table.schema.metadata))
