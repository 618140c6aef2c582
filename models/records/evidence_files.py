"""Evidence and facts as files, sorted by key, so that ranges of keys are read by themselves."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..core.record_links import ALL_KEYS, Evidence, Facts
from ..core.small_parquet import row_groups_between

EVIDENCE = pa.schema([("key", pa.uint64()), ("kind", pa.uint8()), ("documents", pa.uint32())])
FACTS = pa.schema([("key", pa.uint64()), ("label", pa.uint8()), ("documents", pa.uint8())])

_ROWS_OF_GROUP = 1 << 13


def evidence_bytes(evidence: Evidence) -> bytes:
    """Evidence as a file; equal evidence is equal bytes."""
    columns = [evidence.keys, evidence.codes, evidence.documents]
    return _file(pa.Table.from_arrays(columns, schema=EVIDENCE))


def read_evidence(source: Any, low: int = 0, high: int = ALL_KEYS) -> Evidence:
    """The rows of a file with `low` <= key < `high`.

    Args:
        source: a file that can be read and sought in.

    Raises:
        pa.ArrowException, OSError, KeyError: if it is no such file, or damaged.
    """
    file = pq.ParquetFile(source, pre_buffer=False)
    groups = row_groups_between(file, low, high)
    table = file.read_row_groups(groups, columns=EVIDENCE.names, use_threads=False)
    keys = table["key"].to_numpy()
    first, end = (
        len(keys) if bound >= ALL_KEYS else int(np.searchsorted(keys, np.uint64(bound)))
        for bound in (low, high)
    )
    codes, counts = table["kind"].to_numpy(), table["documents"].to_numpy()
    return Evidence(keys[first:end], codes[first:end], counts[first:end])


def facts_bytes(facts: Facts) -> bytes:
    """Facts as a file; equal facts are equal bytes."""
    return _file(pa.Table.from_arrays([facts.keys, facts.codes, facts.documents], schema=FACTS))


def facts_in(table: pa.Table) -> Facts:
    """The facts of a table that has the columns of `FACTS`."""
    return Facts(*(table[name].to_numpy() for name in FACTS.names))


def _file(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(
        table, sink, compression="zstd", row_group_size=_ROWS_OF_GROUP, use_dictionary=False
    )
    return sink.getvalue()
