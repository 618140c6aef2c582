"""How much the row groups of a Parquet file unpack to, found without unpacking them.

A page may name one value of megabytes in each of its rows, in some bytes. Read as dictionaries,
strings stay what they are in the file, values once and an index a row, so that the size of all rows
can be added up within the memory of the pages.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ..core.arrays import Ints
from ..core.shortage import raise_shortage
from .options import UNPACKED_FREE_BYTES, Limits

_ROWS = 1024


def most_bytes(stored_bytes: int, limits: Limits) -> int:
    """What a row group of so many bytes in the file may unpack to, as any compressed file."""
    return max(stored_bytes * limits.unpacked_ratio, UNPACKED_FREE_BYTES)


def string_paths(reader: Any) -> list[str]:
    """Paths of the leaves that can be read as dictionaries."""
    schema = reader.schema
    leaves = (schema.column(number) for number in range(len(schema)))
    return [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]


def is_over(reader: Any, group: int, columns: list[str], most: int) -> bool:
    """Whether the rows of a row group are more than so many bytes.

    Args:
        reader: a `ParquetFile` that reads `string_paths` as dictionaries.
        group: number of the row group.
        columns: top-level names of those that are counted.
        most: bytes.

    Returns:
        False too where that cannot be found so: the group is damaged, or Arrow cannot read one of
        its encodings as a dictionary. Code that unpacks it has to count as well.
    """
    if reader.metadata.row_group(group).total_byte_size > most:
        return True
    total = 0
    try:
        for batch in reader.iter_batches(
            batch_size=_ROWS, row_groups=[group], columns=columns, use_threads=False
        ):
            total += sum(_bytes(column) for column in batch.columns)
            if total > most:
                return True
    except Exception as error:  # whatever a damaged page makes the decoder raise
        raise_shortage(error)
    return False


def require_indices(array: pa.DictionaryArray) -> None:
    """Checks that each index has a value: unpacking a damaged page would read any memory.

    Raises:
        IndexError: if one has none.
    """
    bounds = pc.min_max(array.indices).as_py()
    if bounds["min"] is not None and not 0 <= bounds["min"] <= bounds["max"] < len(
        array.dictionary
    ):
        raise IndexError


def _bytes(array: pa.Array) -> int:
    """About the bytes of an array's values, were its dictionaries unpacked."""
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return _bytes(array.storage)
    if pa.types.is_dictionary(kind):
        require_indices(array)
        lengths = pc.fill_null(pc.binary_length(array.dictionary), 0)
        found = pc.drop_null(array.indices).to_numpy(zero_copy_only=False)
        return int(np.asarray(lengths, np.int64)[found].sum()) + 4 * len(array)
    if pa.types.is_map(kind):
        return _bytes(array.keys) + _bytes(array.items)
    if pa.types.is_struct(kind):
        return sum(map(_bytes, array.flatten()))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return _bytes(array.flatten()) + 4 * len(array)
    return int(array.nbytes)


def cut_rows(sizes: Ints, most_rows: int, most_bytes: int) -> list[int]:
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

    Depends only on the values, not on chunks, offsets or buffers.
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
