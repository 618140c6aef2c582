"""Work units and the frozen plan that lists them.

The plan is two Parquet files under restricted/<run>/: `plan.parquet` (one row per unit) and
`files.parquet` (a row an input file). Only unit numbers travel between machines: names of input
files may hold PHI.
"""

from __future__ import annotations

import dataclasses
import io
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..core.errors import UsageError
from ..core.keys import fingerprint
from ..core.shortage import raise_shortage
from ..core.small_parquet import table_in
from ..core.type_checks import check_field_types
from ..formats import Locator
from ..storage.hive import Partition
from ..storage.input_files import InputFile
from ..storage.storage import Storage

_LOCATOR = pa.struct(
    [("file", pa.int64()), ("start", pa.int64()), ("end", pa.int64()), ("bytes", pa.int64())]
)
_UNITS = pa.schema(
    [
        ("unit", pa.int64()),
        ("name", pa.string()),
        ("format", pa.string()),
        ("partition", pa.list_(pa.struct([("key", pa.string()), ("value", pa.string())]))),
        ("bytes", pa.int64()),
        ("locators", pa.list_(_LOCATOR)),
    ]
)
_FILES = pa.schema(
    [
        ("url", pa.string()),
        ("size", pa.int64()),
        ("version", pa.string()),
        ("path", pa.string()),
        ("partition", pa.list_(pa.struct([("key", pa.string()), ("value", pa.string())]))),
        ("dropped", pa.bool_()),
    ]
)
_INCREMENT = b"scrubline night"
"""Key of the counts of an `Increment` in the metadata of files.parquet; plans of earlier versions
have it too."""


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Unit:
    """What a worker does at a time: it is done as a whole or not at all.

    Attributes:
        index: position in the plan.
        name: stem of its parts' names: index, and a hash of the fingerprint and of its inputs'
            identities.
        format: key of `FORMATS`.
        partition: hive keys and values of its inputs (the same for all of them).
        locators: ranges of input files, in order.
    """

    index: int
    name: str
    format: str
    partition: tuple[tuple[str, str], ...]
    locators: tuple[Locator, ...]

    @property
    def bytes(self) -> int:
        """Size of its inputs, as far as known."""
        return sum(locator.bytes for locator in self.locators)


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Increment:
    """What an incremental run reads of its inputs.

    Attributes:
        counts: of inputs by kind; see `pipeline.outputs.incremental`.
        dropped: inputs that no longer exist, and whose units the run removes.
    """

    counts: Mapping[str, int]
    dropped: tuple[InputFile, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Plan:
    """All units of a run, in order, and the files that they read."""

    files: tuple[InputFile, ...]
    units: tuple[Unit, ...]
    increment: Increment | None = None

    @property
    def inputs(self) -> tuple[InputFile, ...]:
        """The inputs whose earlier units this run replaces: those that it reads or drops."""
        return self.files + (self.increment.dropped if self.increment else ())

    @property
    def is_nothing(self) -> bool:
        """Whether this is an incremental run for which no input has to be read or dropped."""
        return self.increment is not None and not self.inputs

    def write(self, storage: Storage, folder: str) -> None:
        """Writes both tables into `folder`."""
        for name, content in self.contents().items():
            storage.write_bytes(f"{folder}/{name}", content)

    def contents(self) -> dict[str, bytes]:
        """File name -> content of both tables."""
        # By columns: a plan of a million files must not become millions of dicts first.
        flat = [locator for unit in self.units for locator in unit.locators]
        ends = np.cumsum([0, *(len(unit.locators) for unit in self.units)])
        units = pa.table(
            [
                [unit.index for unit in self.units],
                [unit.name for unit in self.units],
                [unit.format for unit in self.units],
                _named([unit.partition for unit in self.units]),
                [unit.bytes for unit in self.units],
                pa.ListArray.from_arrays(
                    pa.array(ends, pa.int32()),
                    pa.StructArray.from_arrays(
                        [
                            pa.array([getattr(loc, field.name) for loc in flat], pa.int64())
                            for field in _LOCATOR
                        ],
                        fields=list(_LOCATOR),
                    ),
                ),
            ],
            _UNITS,
        )
        files = pa.table(
            [
                [file.url for file in self.inputs],
                [file.size for file in self.inputs],
                [file.version for file in self.inputs],
                [file.path for file in self.inputs],
                _named([file.partition for file in self.inputs]),
                [index >= len(self.files) for index in range(len(self.inputs))],
            ],
            _FILES,
        )
        if self.increment is not None:
            counts = json.dumps(dict(self.increment.counts)).encode()
            files = files.replace_schema_metadata({_INCREMENT: counts})
        return {"files.parquet": parquet_bytes(files), "plan.parquet": parquet_bytes(units)}

    @classmethod
    def read(cls, storage: Storage, folder: str) -> Plan:
        """Reads what `write` wrote.

        Raises:
            UsageError: if there is no plan.
        """
        try:
            units, files = (
                storage.read_bytes(f"{folder}/{name}.parquet") for name in ("plan", "files")
            )
        except FileNotFoundError:
            raise UsageError("there is no plan for this run under restricted/") from None
        try:
            return cls._of(units, files)
        except Exception as error:  # Arrow raises many kinds, and its messages may quote the file
            raise_shortage(error)
            raise UsageError(
                f"the plan of this run cannot be read ({type(error).__name__}): try "
                "`scrubline resume --output ...` again; if it fails again, give the run up with "
                "`scrubline resume --output ... --discard`"
            ) from None

    @classmethod
    def _of(cls, units: bytes, files: bytes) -> Plan:
        """The plan in two tables; raises whatever is wrong with them."""
        found, listed = _checked(units, _UNITS), _checked(files, _FILES)
        sizes = _list(found["locators"])
        locators = list(map(Locator, *(column.to_pylist() for column in sizes.flatten().flatten())))
        ends = np.cumsum([0, *sizes.value_lengths().to_pylist()]).tolist()
        inputs = map(
            InputFile,
            *(listed[name].to_pylist() for name in ("url", "size", "version", "path")),
            _pairs(listed["partition"]),
        )
        read: list[InputFile] = []
        dropped: list[InputFile] = []
        for file, is_dropped in zip(inputs, listed["dropped"].to_pylist(), strict=True):
            (dropped if is_dropped else read).append(file)
        if any(not 0 <= locator.file < len(read) for locator in locators):
            raise ValueError("a locator of a file that the plan does not have")
        counts = (listed.schema.metadata or {}).get(_INCREMENT)
        increment = Increment(json.loads(counts), tuple(dropped)) if counts is not None else None
        if increment is not None:
            check_field_types(increment)
        return cls(
            tuple(read),
            tuple(
                Unit(index, name, form, partition, tuple(locators[first:end]))
                for index, name, form, partition, (first, end) in zip(
                    *(found[name].to_pylist() for name in ("unit", "name", "format")),
                    _pairs(found["partition"]),
                    itertools.pairwise(ends),
                    strict=True,
                )
            ),
            increment,
        )


def unit_name(
    index: int, job_fingerprint: str, files: tuple[InputFile, ...], locators: tuple[Locator, ...]
) -> str:
    """`000012-` and 12 hex digits for the fingerprint and the identities of the unit's inputs."""
    parts = [job_fingerprint]
    for locator in locators:
        file = files[locator.file]
        parts += [file.url, str(file.size), file.version, str(locator.start), str(locator.end)]
    return f"{index:06d}-{fingerprint(*parts)[:12]}"


def parquet_bytes(table: pa.Table, rows_of_group: int | None = None) -> bytes:
    """A table as a file of an output; equal tables are equal bytes.

    Args:
        rows_of_group: fewer than usual where ranges of rows are read by themselves.
    """
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd", row_group_size=rows_of_group)
    return sink.getvalue()


def _named(partitions: Sequence[Partition]) -> pa.Array:
    """Hive keys and values of each file or unit, as a column."""
    known = [[{"key": k, "value": v} for k, v in partition] for partition in partitions]
    return pa.array(known, _UNITS.field("partition").type)


def _pairs(column: pa.ChunkedArray) -> Iterator[Partition]:
    """What `_named` was given; equal partitions are one object, as there are few of them."""
    lists = _list(column)
    if not len(lists.flatten()):
        return itertools.repeat((), len(lists))
    seen: dict[Partition, Partition] = {}

    def of(row: list[dict[str, str]]) -> Partition:
        pairs = tuple((pair["key"], pair["value"]) for pair in row)
        return seen.setdefault(pairs, pairs)

    return (of(row.as_py()) for row in lists)


def _list(column: pa.ChunkedArray) -> pa.ListArray:
    whole = column.combine_chunks()
    return pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole


def _checked(content: bytes, schema: pa.Schema) -> pa.Table:
    """The table in a file, if it has this schema and nothing in it is null.

    Raises:
        TypeError: if it does not.
    """
    table = table_in(content)
    if "dropped" in schema.names and "dropped" not in table.schema.names:
        # Written by a version that could not drop inputs.
        table = table.append_column("dropped", pa.array([False] * table.num_rows))
    if not table.schema.equals(schema):
        raise TypeError("not the columns of a plan")
    for column in table.columns:
        parts: list[Any] = list(column.chunks)
        while parts:
            part = parts.pop()
            if part.null_count:
                raise TypeError("a null in a plan")
            if pa.types.is_list(part.type):
                parts.append(part.flatten())
            elif pa.types.is_struct(part.type):
                parts += part.flatten()
    return table
