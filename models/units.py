"""Work units and the frozen plan that lists them.

The plan is two Parquet files under restricted/<run>/: `plan.parquet` (a row a unit) and
`files.parquet` (a row an input file). Only unit numbers travel between machines: names of input
files may hold PHI.
"""

from __future__ import annotations

import dataclasses
import io
import json
from collections.abc import Mapping

import pyarrow as pa
import pyarrow.parquet as pq

from .errors import UsageError
from .formats import Locator
from .keys import fingerprint
from .kinds import require_kinds
from .storage import InputFile, Storage

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
_NIGHT = b"scrubline night"
"""Key of the counts of a `Night` in the metadata of files.parquet."""


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Unit:
    """What one worker does at one go.

    Attributes:
        index: position in the plan.
        name: stem of its parts' names: index, and a hash of the fingerprint and of its inputs'
            identities.
        format: key of `FORMATS`.
        partition: hive keys and values of its inputs (the same for all of them).
        locators: stretches of input files, in order.
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
class Night:
    """What a run takes of its inputs, if it does not take all.

    Attributes:
        counts: of the inputs by what became of them; see `pipeline.changes`.
        dropped: inputs that are gone and whose units go with this run.
    """

    counts: Mapping[str, int]
    dropped: tuple[InputFile, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Plan:
    """All units of a run, in order, and the files that they read."""

    files: tuple[InputFile, ...]
    units: tuple[Unit, ...]
    night: Night | None = None

    @property
    def inputs(self) -> tuple[InputFile, ...]:
        """The inputs whose earlier units this run replaces: those that it reads or drops."""
        return self.files + (self.night.dropped if self.night else ())

    @property
    def is_nothing(self) -> bool:
        """Whether inputs were looked through and none is to be touched."""
        return self.night is not None and not self.inputs

    def write(self, storage: Storage, folder: str) -> None:
        """Writes both tables into `folder`."""
        units = pa.Table.from_pylist(
            [
                {
                    "unit": unit.index,
                    "name": unit.name,
                    "format": unit.format,
                    "partition": [{"key": k, "value": v} for k, v in unit.partition],
                    "bytes": unit.bytes,
                    "locators": [dataclasses.asdict(locator) for locator in unit.locators],
                }
                for unit in self.units
            ],
            _UNITS,
        )
        files = pa.Table.from_pylist(
            [
                {
                    "url": file.url,
                    "size": file.size,
                    "version": file.version,
                    "path": file.path,
                    "partition": [{"key": k, "value": v} for k, v in file.partition],
                    "dropped": index >= len(self.files),
                }
                for index, file in enumerate(self.inputs)
            ],
            _FILES,
        )
        if self.night is not None:
            counts = json.dumps(dict(self.night.counts)).encode()
            files = files.replace_schema_metadata({_NIGHT: counts})
        storage.write_bytes(f"{folder}/files.parquet", _parquet(files))
        storage.write_bytes(f"{folder}/plan.parquet", _parquet(units))

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
            raise UsageError(
                f"the plan of this run cannot be read ({type(error).__name__})"
            ) from None

    @classmethod
    def _of(cls, units: bytes, files: bytes) -> Plan:
        """The plan in two tables; raises whatever is wrong with them."""
        table = pq.read_table(io.BytesIO(files))
        dropped: list[InputFile] = []
        read: list[InputFile] = []
        for f in table.to_pylist():
            file = InputFile(f["url"], f["size"], f["version"], f["path"], _pairs(f["partition"]))
            (dropped if f.get("dropped") else read).append(file)
        counts = (table.schema.metadata or {}).get(_NIGHT)
        plan = cls(
            tuple(read),
            tuple(
                Unit(
                    u["unit"],
                    u["name"],
                    u["format"],
                    _pairs(u["partition"]),
                    tuple(Locator(**locator) for locator in u["locators"]),
                )
                for u in pq.read_table(io.BytesIO(units)).to_pylist()
            ),
            Night(json.loads(counts), tuple(dropped)) if counts is not None else None,
        )
        require_kinds(plan)
        if any(
            not 0 <= locator.file < len(plan.files)
            for unit in plan.units
            for locator in unit.locators
        ):
            raise ValueError("a locator of a file that is not there")
        return plan


def unit_name(
    index: int, job_fingerprint: str, files: tuple[InputFile, ...], locators: tuple[Locator, ...]
) -> str:
    """`000012-` and 12 hex digits for the fingerprint and the identities of the unit's inputs."""
    parts = [job_fingerprint]
    for locator in locators:
        file = files[locator.file]
        parts += [file.url, str(file.size), file.version, str(locator.start), str(locator.end)]
    return f"{index:06d}-{fingerprint(*parts)[:12]}"


def _parquet(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def _pairs(rows: list[dict[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((row["key"], row["value"]) for row in rows)
