"""`scrubline inspect --sql`: views over the tables of an output, for DuckDB.

The statements are in `views.sql`; here the places of the files are put in.
"""

from __future__ import annotations

import importlib.resources

import pyarrow as pa

from ...models.jobs.audit import AUDIT, DOCUMENTS, QUARANTINE
from ...models.storage.storage import Storage
from ..outputs.history_rows import SCHEMA
from ..outputs.state import HISTORY, require_there
from ..preparation import absolute_place

_SCHEMAS = {"audit": AUDIT, "documents": DOCUMENTS, "quarantine": QUARANTINE, "history": SCHEMA}
_TYPES = {
    pa.string(): "VARCHAR",
    pa.int64(): "BIGINT",
    pa.float64(): "DOUBLE",
    pa.bool_(): "BOOLEAN",
    pa.timestamp("ms", "UTC"): "TIMESTAMPTZ",
    pa.list_(pa.string()): "VARCHAR[]",
    pa.list_(pa.int64()): "BIGINT[]",
    pa.map_(pa.string(), pa.int64()): "MAP(VARCHAR, BIGINT)",
    pa.map_(pa.int64(), pa.int64()): "MAP(BIGINT, BIGINT)",
}
"""Type of a column -> the type in SQL."""


def sql_views(storage: Storage, output: str) -> str:
    """SQL that makes the views; local places are absolute in it.

    Raises:
        UsageError: if there is no such output.
    """
    require_there(storage, output)
    text = importlib.resources.files(__package__).joinpath("views.sql").read_text("utf-8")
    for table in _SCHEMAS:
        text = text.replace(f"{{{table}}}", _source(storage, absolute_place(output), table))
    return text.rstrip("\n")


def _source(storage: Storage, output: str, table: str) -> str:
    """What is read for a table: its files, or no rows where it has none."""
    columns = ", ".join(f'NULL::{_TYPES[one.type]} AS "{one.name}"' for one in _SCHEMAS[table])
    nothing = f"SELECT {columns} WHERE false"
    if table == "history":
        place, is_there = f"{output}/{HISTORY}", storage.exists(f"{output}/{HISTORY}")
    else:
        place = f"{output}/{table}/**/*.parquet"
        is_there = bool(storage.list_sizes(f"{output}/{table}"))
    if not is_there:
        return f"({nothing})"
    place = place.replace("'", "''")
    files = f"FROM read_parquet('{place}', union_by_name = true)"
    return f"({files} UNION ALL BY NAME {nothing})"  # earlier versions wrote fewer columns
