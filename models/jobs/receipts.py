"""The sink of a unit, and its receipt.

A unit's parts are written under staging by names that only the plan decides; the receipt, which
lists them with their hashes, is written last. A unit counts as done when its receipt is there, and
only then: another attempt overwrites the same names with the same bytes.
"""

from __future__ import annotations

import dataclasses
import json
from types import TracebackType
from typing import Any

import pyarrow as pa

from ..core.errors import RunFailed
from ..core.type_checks import check_field_types
from ..formats import FORMATS, Format, PartWriter
from ..storage.storage import Storage
from ..storage.writers import Writer
from .audit import TABLES
from .output_rows import Result, Tally

_ALWAYS = ("audit", "documents")
"""Written even without rows, so that a reader always finds the table."""

RESTRICTED = ("candidates", "evidence", "view")
"""Tables that only key holders may see."""


@dataclasses.dataclass(frozen=True, slots=True)
class Part:
    """One file that a unit wrote.

    Attributes:
        table: "data", "audit", "documents", "quarantine", "candidates", "evidence" or "view".
        path: below the output folder, once promoted.
        bytes, sha256: of the file.
    """

    table: str
    path: str
    bytes: int
    sha256: str


@dataclasses.dataclass(frozen=True, slots=True)
class Receipt:
    """Proof that a unit is done: what it wrote, counted and used.

    Attributes:
        unit: index in the plan.
        name: see `Unit.name`.
        given: hash of the amendments that the unit was run with; another value asks for a new run.
        tally: counts and digests.
        parts: files under staging, by path; of one path in the order in which they were written.
        roster: generation of the roster that the unit was run with; "" for none.
        facts: hash of the facts that the unit was run with, see `UnitAmendments`.
        evidence: rows of its evidence; None where links between notes are off.
    """

    unit: int
    name: str
    given: str
    tally: Tally
    parts: tuple[Part, ...]
    roster: str = ""
    facts: str = ""
    evidence: int | None = None

    @property
    def evidence_part(self) -> Part | None:
        """The file of its evidence; None where links between notes are off."""
        return self._only_part("evidence")

    @property
    def view_part(self) -> Part | None:
        """The file of what it tells the identifier view; None where none is made."""
        return self._only_part("view")

    def _only_part(self, table: str) -> Part | None:
        return next((part for part in self.parts if part.table == table), None)

    def to_json(self) -> str:
        """The receipt as JSON text; equal receipts are equal bytes."""
        value = {
            "unit": self.unit,
            "name": self.name,
            "given": self.given,
            **self.tally.to_json(),
            "parts": [dataclasses.asdict(part) for part in self.parts],
            **({"roster": self.roster} if self.roster else {}),
            **({"facts": self.facts} if self.facts else {}),
            **({"evidence": self.evidence} if self.evidence is not None else {}),
        }
        return json.dumps(value, sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str | bytes) -> Receipt:
        """Reads what `to_json` wrote.

        Raises:
            RunFailed: if it is damaged.
        """
        try:
            value: dict[str, Any] = json.loads(text)
            receipt = cls(
                value["unit"],
                value["name"],
                value["given"],
                Tally.from_json(value),
                tuple(Part(**part) for part in value["parts"]),
                value.get("roster", ""),
                value.get("facts", ""),
                value.get("evidence"),
            )
            check_field_types(receipt)
            return receipt
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise RunFailed(f"a receipt is damaged ({type(error).__name__})") from None


def receipt_url(staging: str, name: str) -> str:
    """Where the receipt of a unit lies."""
    return f"{staging}/receipts/{name}.json"


class _OpenPart:
    """A part's file; deaf once its unit is given up.

    Arrow's writers end their file when they are collected, whatever became of it; a complaint about
    that would go to standard error of a worker that has a real fault to tell.
    """

    def __init__(self, file: Writer) -> None:
        self._file = file
        self.deaf = False

    def write(self, data: bytes, /) -> int:
        return len(data) if self.deaf else self._file.write(data)

    def __enter__(self) -> _OpenPart:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None:
        self._file.__exit__(kind, error, trace)


class UnitSink:
    """Writes one unit: open parts, a running tally; `commit` closes all and writes the receipt.

    Leaving it without `commit` leaves nothing visible.
    """

    def __init__(
        self,
        storage: Storage,
        *,
        staging: str,
        run: str,
        unit: int,
        name: str,
        form: Format,
        partition: str,
        given: str,
        roster: str = "",
        facts: str = "",
    ) -> None:
        """Opens nothing yet.

        Args:
            form: of the data part.
            partition: hive folders of the data part ("" or "year=2024/"), already escaped.
            given, roster, facts: see `Receipt`.
        """
        self._storage, self._staging, self._run = storage, staging, run
        self._receipt = Receipt(unit, name, given, Tally(), (), roster, facts)
        self._name = name
        self._form, self._partition = form, partition
        self._writers: dict[str, PartWriter] = {}
        self._files: list[tuple[str, str, Writer]] = []
        self._open: list[_OpenPart] = []
        self.tally = Tally()

    def write(self, result: Result, candidates: pa.Table | None = None) -> None:
        """Appends the rows of one batch."""
        self._append("data", result.data)
        for table, rows in result.tables.items():
            self._append(table, rows)
        if candidates is not None:
            self._append("candidates", candidates)
        self.tally += result.tally

    def write_evidence(self, content: bytes, rows: int) -> None:
        """Writes the unit's evidence."""
        self.write_whole("evidence", content)
        self._receipt = dataclasses.replace(self._receipt, evidence=rows)

    def write_whole(self, table: str, content: bytes) -> None:
        """Writes a part of a restricted table at once."""
        path = f"{self._folder(table)}{self._name}.parquet"
        file = self._storage.create(f"{self._staging}/{path}")
        self._files.append((table, path, file))
        file.write(content)
        file.close()

    def commit(self) -> Receipt:
        """Closes the parts, then writes the receipt: the unit is done."""
        for writer in self._writers.values():
            writer.close()
        parts = [
            Part(table, path, file.written.bytes, file.written.sha256)
            for table, path, file in self._files
        ]
        parts.sort(key=lambda part: part.path)
        receipt = dataclasses.replace(self._receipt, tally=self.tally, parts=tuple(parts))
        self._storage.write_bytes(
            receipt_url(self._staging, self._name), receipt.to_json().encode()
        )
        return receipt

    def abandon(self) -> None:
        """Drops what is open. Without a receipt nothing of the unit counts."""
        for _, _, file in self._files:
            file.discard()
        for part in self._open:
            part.deaf = True

    def _append(self, table: str, rows: pa.Table) -> None:
        if rows.num_rows == 0 and table not in _ALWAYS:
            return
        if table not in self._writers:
            form = FORMATS["parquet"] if table in TABLES else self._form
            folder = self._folder(table)

            def open_part(name: str) -> _OpenPart:
                path = f"{folder}{name}"
                file = self._storage.create(f"{self._staging}/{path}")
                self._files.append((table, path, file))
                self._open.append(_OpenPart(file))
                return self._open[-1]

            self._writers[table] = form.writer(open_part, self._name)
        self._writers[table].write(rows)

    def _folder(self, table: str) -> str:
        folder = f"{table}/{self._partition}" if table == "data" else f"{table}/"
        return f"restricted/{self._run}/{folder}" if table in RESTRICTED else folder
