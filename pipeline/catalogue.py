"""The catalogue: which unit holds the latest version of each input, and what each unit wrote.

It lies under restricted/ (it names inputs) in two Parquet files, replaced whole at each promotion:
`catalogue.parquet`, a row an input and unit, and `units.parquet`, a row a promoted unit.
"""

from __future__ import annotations

import dataclasses
import io
import json
from collections.abc import Iterable, Mapping

import pyarrow as pa
import pyarrow.parquet as pq

from ..models.errors import UsageError
from ..models.receipts import Receipt
from ..models.storage import InputFile, Storage
from ..models.units import Plan

_INPUTS = pa.schema(
    [
        ("url", pa.string()),
        ("size", pa.int64()),
        ("version", pa.string()),
        ("run", pa.string()),
        ("unit", pa.string()),
    ]
)
_UNITS = pa.schema([("unit", pa.string()), ("run", pa.string()), ("receipt", pa.string())])


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Entry:
    """A promoted unit.

    Attributes:
        run: the run that wrote it.
        receipt: what it wrote.
        inputs: URL -> (size, version) of the inputs that it read.
    """

    run: str
    receipt: Receipt
    inputs: Mapping[str, tuple[int, str]]


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Catalogue:
    """All promoted units of an output by name, the superseded ones left out."""

    units: Mapping[str, Entry] = dataclasses.field(default_factory=dict)

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

    def with_run(self, run: str, plan: Plan, receipts: Iterable[Receipt]) -> Catalogue:
        """The catalogue after the promotion of a run."""
        units = dict(self.units)
        for name in self.superseded_by(plan.files):
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
            units[receipt.name] = Entry(run, receipt, inputs)
        return Catalogue(units)

    def write(self, storage: Storage, output: str) -> None:
        """Replaces the stored catalogue."""
        inputs = [
            {"url": url, "size": size, "version": version, "run": entry.run, "unit": name}
            for name, entry in sorted(self.units.items())
            for url, (size, version) in sorted(entry.inputs.items())
        ]
        units = [
            {"unit": name, "run": entry.run, "receipt": entry.receipt.to_json()}
            for name, entry in sorted(self.units.items())
        ]
        for name, rows, schema in (("units", units, _UNITS), ("catalogue", inputs, _INPUTS)):
            sink = io.BytesIO()
            pq.write_table(pa.Table.from_pylist(rows, schema), sink, compression="zstd")
            storage.write_bytes(f"{output}/restricted/{name}.parquet", sink.getvalue())

    @classmethod
    def read(cls, storage: Storage, output: str) -> Catalogue:
        """The stored catalogue; empty for a new output.

        Raises:
            UsageError: if it is damaged.
        """
        there = [
            storage.exists(f"{output}/restricted/{name}.parquet") for name in ("catalogue", "units")
        ]
        if not any(there):
            return cls()
        if not all(there):
            raise UsageError("a file of this output's catalogue is gone from restricted/")
        try:
            inputs, units = (
                pq.read_table(
                    io.BytesIO(storage.read_bytes(f"{output}/restricted/{name}.parquet"))
                ).to_pylist()
                for name in ("catalogue", "units")
            )
        except (OSError, pa.ArrowException, json.JSONDecodeError) as error:
            raise UsageError(
                f"the catalogue of this output cannot be read ({type(error).__name__})"
            ) from None
        read: dict[str, dict[str, tuple[int, str]]] = {}
        for row in inputs:
            read.setdefault(row["unit"], {})[row["url"]] = (row["size"], row["version"])
        return cls(
            {
                row["unit"]: Entry(
                    row["run"], Receipt.from_json(row["receipt"]), read.get(row["unit"], {})
                )
                for row in units
            }
        )
