"""What the first pass over a unit leaves for the second: what was detected, and evidence.

The second pass reads the texts again, but decodes nothing: featurizing, labelling and the rules are
nine tenths of the time. What was detected lies under staging until the run is published; evidence
is a part of the unit, and stays.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..core.arrays import Ints
from ..core.batches import Batch, Failure, Linked
from ..core.errors import RunFailed
from ..core.keys import fingerprint
from ..core.record_links import Evidence, Facts
from ..core.shortage import raise_shortage
from ..core.small_parquet import table_in
from ..core.spans import Candidates
from ..core.token_risks import TokenRisks
from ..records.evidence_files import FACTS, evidence_bytes, facts_in
from ..storage.storage import Storage
from .job import Job
from .plan import Unit, parquet_bytes

_DETECTED = pa.schema(
    [
        ("row", pa.int64()),
        ("field", pa.int32()),
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("label", pa.dictionary(pa.int32(), pa.string())),
        ("detector", pa.dictionary(pa.int32(), pa.string())),
        ("score", pa.float64()),
    ]
)
_RISKS = pa.schema(
    [
        ("tagger", pa.int32()),
        ("row", pa.int64()),
        ("field", pa.int32()),
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("value", pa.float32()),
    ]
)
_KEY = b"scrubline first pass"
"""Of the fields, the failures and the number of taggers that tell risks, in the metadata of the
file of what was detected."""

_LEFT_OUT = ("featurize", "label", "recognise")
"""Stages of failures that the second pass does not come to again."""


def detected_url(staging: str, unit_name: str) -> str:
    """Where what was detected in a unit lies."""
    return f"{staging}/detected/{unit_name}.parquet"


def risks_url(staging: str, unit_name: str) -> str:
    """Where what taggers said of the tokens of a unit lies, if any was asked."""
    return f"{staging}/detected/{unit_name}.risks.parquet"


class FirstPass:
    """Gathers what the first pass over a unit leaves, batch by batch."""

    def __init__(self) -> None:
        self._tables: list[pa.Table] = []
        self._risks: list[pa.Table] = []
        self._taggers = 0
        self._fields: dict[str, int] = {}
        self._failures: list[tuple[int, str, str]] = []
        self._evidence: list[Evidence] = []
        self._is_second = False

    def add(self, batch: Batch) -> None:
        """Takes a batch that has been through all steps."""
        if batch.evidence is not None:
            self._evidence.append(batch.evidence)
        if batch.linked is not None and batch.linked.detected is not None:
            self._is_second = True
            return
        candidates, documents, rows = batch.detected, batch.documents, batch.rows.ordinals
        fields = [self._fields.setdefault(name, len(self._fields)) for name in documents.fields]
        self._taggers = max(self._taggers, len(batch.risks))
        for tagger, risks in enumerate(batch.risks):
            self._risks.append(
                pa.Table.from_arrays(
                    [
                        np.full(len(risks), tagger, np.int32),
                        rows[documents.rows[risks.documents]],
                        np.array(fields, np.int32)[risks.documents],
                        risks.starts,
                        risks.ends,
                        risks.values,
                    ],
                    schema=_RISKS,
                )
            )
        if len(candidates):
            self._tables.append(
                pa.Table.from_arrays(
                    [
                        rows[documents.rows[candidates.documents]],
                        np.array(fields, np.int32)[candidates.documents],
                        candidates.starts,
                        candidates.ends,
                        _named(candidates.labels, candidates.label_names),
                        _named(candidates.detectors, candidates.detector_names),
                        candidates.scores,
                    ],
                    schema=_DETECTED,
                )
            )
        self._failures += [
            (int(rows[row]), failure.stage, failure.error)
            for row, failure in sorted(batch.failures.items())
            if failure.stage in _LEFT_OUT
        ]

    def evidence(self) -> tuple[bytes, int]:
        """The unit's evidence as a file, and its rows."""
        evidence = Evidence.summed(*self._evidence)
        return evidence_bytes(evidence), len(evidence)

    def keep(self, storage: Storage, staging: str, unit_name: str) -> None:
        """Writes what was detected, unless this was the second pass, which has read it."""
        if self._is_second:
            return
        table = pa.concat_tables([_DETECTED.empty_table(), *self._tables]).unify_dictionaries()
        told = json.dumps(
            {
                "fields": list(self._fields),
                "failures": self._failures,
                "taggers": self._taggers,
            }
        )
        table = table.combine_chunks().replace_schema_metadata({_KEY: told.encode()})
        if self._taggers:
            # First, for the second pass looks for the other.
            risks = pa.concat_tables([_RISKS.empty_table(), *self._risks]).combine_chunks()
            storage.write_bytes(risks_url(staging, unit_name), parquet_bytes(risks))
        storage.write_bytes(detected_url(staging, unit_name), parquet_bytes(table))


def _named(codes: npt.NDArray[np.int64], names: tuple[str, ...]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(codes.astype(np.int32), pa.array(names, pa.string()))


def facts_url(staging: str, unit_name: str) -> str:
    """Where the facts of a unit lie."""
    return f"{staging}/facts/{unit_name}.parquet"


def linked_batches(
    batches: Iterable[Batch], storage: Storage, job: Job, unit: Unit, facts_hash: str
) -> Iterator[Batch]:
    """Yields the batches of a unit with what is known of other notes, and what was detected.

    Args:
        facts_hash: see `UnitAmendments`.

    Raises:
        RunFailed: if the facts are damaged or missing.
    """
    facts = _facts(storage, facts_url(job.staging, unit.name), facts_hash)
    detected = Detected.read(storage, job.staging, unit.name)
    for batch in batches:
        if detected is None:
            linked = Linked(facts_hash, facts, None, {})
        else:
            found, failures = detected.of(batch)
            linked = Linked(facts_hash, facts, found, failures, detected.risks_of(batch))
        yield dataclasses.replace(batch, linked=linked)


def _facts(storage: Storage, url: str, expected: str) -> Facts:
    try:
        content = storage.read_bytes(url)
        if hash_of_facts(content) == expected:
            return facts_in(table_in(content, FACTS.names))
    except FileNotFoundError:
        pass
    raise RunFailed("the facts of a unit are damaged or missing: resume the run")


def hash_of_facts(content: bytes) -> str:
    """The hash of a file of facts."""
    return fingerprint(content)[:16]


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Detected:
    """What the first pass over a unit has detected.

    Attributes:
        table: `_DETECTED`, in the order of rows.
        rows: its column `row`.
        fields: field name -> its number in the table.
        failures: row -> how it failed.
        risks: of each tagger that told them, `_RISKS` in the order of rows.
    """

    table: pa.Table
    rows: npt.NDArray[np.int64]
    fields: Mapping[str, int]
    failures: Mapping[int, Failure]
    risks: tuple[pa.Table, ...] = ()

    @classmethod
    def read(cls, storage: Storage, staging: str, unit_name: str) -> Detected | None:
        """What `FirstPass.keep` wrote; None if it is missing or damaged: then all is done anew."""
        try:
            table = table_in(storage.read_bytes(detected_url(staging, unit_name)))
            told = json.loads(table.schema.metadata[_KEY])
            risks: list[pa.Table] = []
            if told["taggers"]:
                every = table_in(storage.read_bytes(risks_url(staging, unit_name)), _RISKS.names)
                which = every["tagger"].to_numpy()
                risks = [
                    every.filter(pa.array(which == tagger)) for tagger in range(told["taggers"])
                ]
            return cls(
                table,
                table["row"].to_numpy(),
                {name: number for number, name in enumerate(told["fields"])},
                {row: Failure(stage, error) for row, stage, error in told["failures"]},
                tuple(risks),
            )
        except FileNotFoundError:
            return None
        except Exception as error:  # whatever is wrong with it
            raise_shortage(error)
            return None

    def of(self, batch: Batch) -> tuple[Candidates, dict[int, Failure]]:
        """What was detected in the documents of a batch, as it was read; and failed rows."""
        ordinals = batch.rows.ordinals
        part, documents = self._of_documents(batch, self.table, self.rows)
        labels, label_names = _codes(part["label"])
        detectors, detector_names = _codes(part["detector"])
        found = Candidates(
            documents,
            part["start"].to_numpy(),
            part["end"].to_numpy(),
            labels,
            detectors,
            part["score"].to_numpy(),
            label_names,
            detector_names,
        )
        failures = {
            index: self.failures[row]
            for index, row in enumerate(ordinals.tolist())
            if row in self.failures
        }
        # Fields of a row may have been numbered in another order than that of the columns.
        return found.take(np.argsort(found.documents, kind="stable")), failures

    def risks_of(self, batch: Batch) -> tuple[TokenRisks, ...]:
        """What taggers said of the tokens of a batch, as it was read; see `Batch.risks`."""
        found = []
        for table in self.risks:
            part, documents = self._of_documents(batch, table, table["row"].to_numpy())
            order = np.argsort(documents, kind="stable")
            columns = [part[name].to_numpy()[order] for name in ("start", "end", "value")]
            found.append(TokenRisks(documents[order], *columns))
        return tuple(found)

    def _of_documents(
        self, batch: Batch, table: pa.Table, rows: npt.NDArray[np.int64]
    ) -> tuple[pa.Table, Ints]:
        """The rows of a table that are of documents of a batch, and the index of each document.

        Args:
            batch: as it was read.
            table: with `row` and `field`.
            rows: its column `row`, in order.
        """
        ordinals = batch.rows.ordinals
        low = int(ordinals[0]) if len(ordinals) else 0
        first, end = np.searchsorted(rows, [low, low + len(ordinals)]).tolist()
        part = table.slice(first, end - first)
        count = max(1, len(self.fields))
        numbers = [self.fields.get(name, -1) for name in batch.documents.fields]
        places = ordinals[batch.documents.rows] * count + np.array(numbers, np.int64)
        known = np.flatnonzero(np.array(numbers, np.int64) >= 0)
        known = known[np.argsort(places[known], kind="stable")]
        asked = part["row"].to_numpy() * count + part["field"].to_numpy()
        at = np.searchsorted(places[known], asked)
        at = np.minimum(at, max(0, len(known) - 1))
        is_there = places[known][at] == asked if len(known) else np.zeros(len(asked), np.bool_)
        part, at = part.filter(pa.array(is_there)), at[is_there]
        return part, known[at].astype(np.int64) if len(at) else np.zeros(0, np.int64)


def _codes(column: pa.ChunkedArray) -> tuple[npt.NDArray[np.int64], tuple[str, ...]]:
    """A column of names as indexes into a sorted table of those that are in it."""
    values: list[str] = column.cast(pa.string()).to_pylist()
    names = sorted(set(values))
    numbers = {name: number for number, name in enumerate(names)}
    return np.array([numbers[value] for value in values], np.int64), tuple(names)
