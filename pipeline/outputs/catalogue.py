"""The catalogue: which unit holds the latest version of each input, and what each unit wrote.

It lies under restricted/ (it names inputs) in two Parquet files, replaced whole at each promotion:
`catalogue.parquet`, one row per input and unit, and `units.parquet`, one row per promoted unit.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from ...models.core.errors import UsageError
from ...models.core.shortage import raise_shortage
from ...models.core.small_parquet import table_in
from ...models.jobs.plan import Plan, parquet_bytes
from ...models.jobs.receipts import Receipt
from ...models.storage.folders import TABLES
from ...models.storage.input_files import InputFile
from ...models.storage.storage import Storage
from .state import MANIFEST

_INPUTS = pa.schema(
    [
        ("url", pa.string()),
        ("size", pa.int64()),
        ("version", pa.string()),
        ("run", pa.string()),
        ("unit", pa.string()),
        ("fingerprint", pa.string()),
    ]
)
FILES = ("restricted/catalogue.parquet", "restricted/units.parquet")
"""Where it lies, below the output."""

_NO_UNIT = ""
"""In place of a unit's name, for inputs from which nothing is read."""

_UNITS = pa.schema([("unit", pa.string()), ("run", pa.string()), ("receipt", pa.string())])


def is_part(table: str, path: str) -> bool:
    """Whether a path may be that of a part of a table."""
    head, *steps = path.split("/")
    return table in TABLES and head == table and bool(steps) and not {"", ".", ".."} & set(steps)


def parts_there(storage: Storage, output: str) -> set[str]:
    """The paths of all files among the open parts of an output."""
    return {
        f"{table}/{name}" for table in TABLES for name in storage.list_sizes(f"{output}/{table}")
    }


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class CatalogueEntry:
    """A promoted unit.

    Attributes:
        run: the run that wrote it.
        receipt: what it wrote.
        inputs: URL -> (size, version) of the inputs that it read.
        fingerprint: of the run's job; "" where an earlier version wrote the catalogue.
    """

    run: str
    receipt: Receipt
    inputs: Mapping[str, tuple[int, str]]
    fingerprint: str = ""


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Idle:
    """An input from which a run read nothing: empty, or without a document, as brat's .ann files.

    Attributes:
        size, version: see `InputFile`.
        run, fingerprint: see `CatalogueEntry`.
    """

    size: int
    version: str
    run: str
    fingerprint: str


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Catalogue:
    """All promoted units of an output by name, the superseded ones left out.

    Attributes:
        units: by name.
        idle: inputs that are in no unit, by URL.
    """

    units: Mapping[str, CatalogueEntry] = dataclasses.field(default_factory=dict)
    idle: Mapping[str, Idle] = dataclasses.field(default_factory=dict)

    def incomplete(self, storage: Storage, output: str) -> set[str]:
        """The units with a part that is missing from an output, or that tells no view any more."""
        there = parts_there(storage, output)
        views = {name: v.path for name, e in self.units.items() if (v := e.receipt.view_part)}
        if views:
            there |= {f"restricted/{name}" for name in storage.list_sizes(f"{output}/restricted")}
        return {
            name
            for name, entry in self.units.items()
            for part in entry.receipt.parts
            if part.table in TABLES and part.path not in there
        } | {name for name, path in views.items() if path not in there}

    def superseded_by(self, files: Iterable[InputFile]) -> set[str]:
        """The units that a run over `files` replaces: those all of whose inputs it reads.

        Raises:
            UsageError: if a unit holds some of these inputs and others too: replacing it would lose
                the others, keeping it would double these.
        """
        urls = {file.url for file in files}
        old = set()
        for name, entry in self.units.items():
            shared = urls & entry.inputs.keys()
            if shared and shared != entry.inputs.keys():
                raise UsageError(
                    f"this output holds a unit ({name}) made from some of these inputs and from "
                    f"{len(entry.inputs.keys() - urls)} others: give all of them as input, "
                    "or another output"
                )
            if shared:
                old.add(name)
        return old

    def with_run(
        self, run: str, plan: Plan, receipts: Iterable[Receipt], fingerprint: str = ""
    ) -> Catalogue:
        """The catalogue after the promotion of a run with this fingerprint."""
        units = dict(self.units)
        for name in self.superseded_by(plan.inputs):
            del units[name]
        for receipt in receipts:
            unit = plan.units[receipt.unit]
            inputs = {
                plan.files[locator.file].url: (
                    plan.files[locator.file].size,
                    plan.files[locator.file].version,
                )
                for locator in unit.locators
            }
            units[receipt.name] = CatalogueEntry(run, receipt, inputs, fingerprint)
        touched = {file.url for file in plan.inputs}
        idle = {url: one for url, one in self.idle.items() if url not in touched}
        read = {locator.file for unit in plan.units for locator in unit.locators}
        for index, file in enumerate(plan.files):
            if index not in read:
                idle[file.url] = Idle(file.size, file.version, run, fingerprint)
        return Catalogue(units, idle)

    def runs(self) -> set[str]:
        """The runs with parts in the output."""
        return {entry.run for entry in self.units.values()}

    def content(self) -> bytes:
        """All that it says, as text: equal for equal catalogues, whatever build wrote the files."""
        inputs, units = self._rows()
        return json.dumps([inputs, units], sort_keys=True).encode()

    def write(self, storage: Storage, output: str) -> dict[str, bytes]:
        """Replaces the stored catalogue; gives what was written, by path below the output."""
        inputs, units = self._rows()
        written = {}
        for name, table, schema in (("units", units, _UNITS), ("catalogue", inputs, _INPUTS)):
            path = f"restricted/{name}.parquet"
            written[path] = parquet_bytes(pa.Table.from_pylist(table, schema))
            storage.write_bytes(f"{output}/{path}", written[path])
        return written

    def _rows(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """The rows of the two files."""
        rows = [
            (url, size, version, entry.run, name, entry.fingerprint)
            for name, entry in sorted(self.units.items())
            for url, (size, version) in sorted(entry.inputs.items())
        ]
        rows += [
            (url, one.size, one.version, one.run, _NO_UNIT, one.fingerprint)
            for url, one in sorted(self.idle.items())
        ]
        inputs = [dict(zip(_INPUTS.names, row, strict=True)) for row in rows]
        units = [
            {"unit": name, "run": entry.run, "receipt": entry.receipt.to_json()}
            for name, entry in sorted(self.units.items())
        ]
        return inputs, units

    @classmethod
    def read(cls, storage: Storage, output: str) -> Catalogue:
        """The stored catalogue; empty for a new output.

        Raises:
            UsageError: if it is damaged.
        """
        inputs_there, units_there = (
            storage.exists(f"{output}/restricted/{name}.parquet") for name in ("catalogue", "units")
        )
        if not inputs_there and not (units_there and storage.exists(f"{output}/{MANIFEST}")):
            return cls()  # nothing was published; a first publication writes the units first
        if not (inputs_there and units_there):
            raise UsageError(
                "a file of this output's catalogue is missing from restricted/: put it back"
            )
        try:
            inputs, units = (
                table_in(storage.read_bytes(f"{output}/restricted/{name}.parquet")).to_pylist()
                for name in ("catalogue", "units")
            )
        except (OSError, pa.ArrowException, json.JSONDecodeError) as error:
            raise_shortage(error)
            raise UsageError(
                f"the catalogue of this output cannot be read ({type(error).__name__})"
            ) from None
        read: dict[str, dict[str, tuple[int, str]]] = {}
        fingerprints: dict[str, str] = {}
        idle: dict[str, Idle] = {}
        for row in inputs:
            fingerprint = row.get("fingerprint") or ""
            if row["unit"] == _NO_UNIT:
                idle[row["url"]] = Idle(row["size"], row["version"], row["run"], fingerprint)
                continue
            read.setdefault(row["unit"], {})[row["url"]] = (row["size"], row["version"])
            fingerprints[row["unit"]] = fingerprint
        return cls(
            {
                row["unit"]: CatalogueEntry(
                    row["run"],
                    Receipt.from_json(row["receipt"]),
                    read.get(row["unit"], {}),
                    fingerprints.get(row["unit"], ""),
                )
                for row in units
            },
            idle,
        )
