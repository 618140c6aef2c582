"""Parquet files that fit into memory, read without threads.

Arrow's own way to read a file goes through its dataset scanner and a pool of threads: when memory
is short a task of that pool can be lost, and its reader waits forever, deaf to signals.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq


def table_in(content: bytes, columns: Sequence[str] | None = None) -> pa.Table:
    """The table in a file.

    Args:
        columns: those that are read, in this order; None for all.

    Raises:
        pa.ArrowException, OSError: if it is no such file, or damaged.
        KeyError: if it lacks a column.
    """
    file = pq.ParquetFile(io.BytesIO(content), pre_buffer=False)
    names = None if columns is None else list(columns)
    table = file.read(columns=names, use_threads=False)
    return table if names is None else table.select(names)


def row_groups_between(file: pq.ParquetFile, low: Any, high: Any) -> list[int]:
    """The row groups whose first column may have a value with `low` <= value < `high`."""
    groups = []
    for number in range(file.num_row_groups):
        bounds = file.metadata.row_group(number).column(0).statistics
        is_known = bounds is not None and bounds.has_min_max
        if not is_known or (bounds.min < high and bounds.max >= low):
            groups.append(number)
    return groups
