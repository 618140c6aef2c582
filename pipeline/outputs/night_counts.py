"""What one run wrote, counted by type of note and label: what the history keeps of it.

The parts of the run alone are read, and of them a few columns, a row group at a time. What is kept
of single documents are three distributions; numbers of tokens and of spans to 1.6 %, so that memory
does not grow with the documents.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...models.core.arrays import Ints
from ...models.core.detectors import DetectorId
from ...models.core.parallel_calls import map_in_threads
from ...models.core.spans import POLICY
from ...models.storage.storage import Storage
from .catalogue import is_part
from .removal_counts import AT_ONCE, coded, for_each_batch, removes

MOST_TYPES = 1000
"""Different types of notes that are counted apart."""

SPANS, KEPT, FRAGMENTS, RULES, TAGGERS, BOTH = range(6)
"""Places in the counts of a label: spans, those that stay, fragments, and of the spans those that
rules alone, taggers alone or both of them found."""

_COUNTS = 6
_EXACT_BITS = 6
"""Numbers below 64 are kept exactly, others to six binary digits after the first."""

TypeName = str | None


@dataclasses.dataclass(slots=True)
class TypeCounts:
    """Counts of the documents of one type.

    Attributes:
        documents: texts that were scrubbed.
        tokens: of all of them.
        texts_with: label -> documents that have a span with it.
        labels: label -> counts; see `SPANS`.
        lengths: tokens of a document -> documents.
        densities: spans in 1,000 tokens of a document -> documents.
        risks: `risk` of a document -> documents, of those that have one.
    """

    documents: int = 0
    tokens: int = 0
    texts_with: Counter[str] = dataclasses.field(default_factory=Counter)
    labels: dict[str, Ints] = dataclasses.field(default_factory=dict)
    lengths: Counter[int] = dataclasses.field(default_factory=Counter)
    densities: Counter[int] = dataclasses.field(default_factory=Counter)
    risks: Counter[int] = dataclasses.field(default_factory=Counter)

    def add(self, other: TypeCounts) -> None:
        """Adds the counts of more documents."""
        self.documents += other.documents
        self.tokens += other.tokens
        self.texts_with.update(other.texts_with)
        for label, counts in other.labels.items():
            self.labels[label] = self.labels.get(label, np.zeros(_COUNTS, np.int64)) + counts
        self.lengths.update(other.lengths)
        self.densities.update(other.densities)
        self.risks.update(other.risks)

    @property
    def total(self) -> Ints:
        """Counts of all labels together."""
        return sum(self.labels.values(), np.zeros(_COUNTS, np.int64))


def sum_of(counts: Sequence[TypeCounts]) -> TypeCounts:
    """The counts of several types together."""
    total = TypeCounts()
    for one in counts:
        total.add(one)
    return total


@dataclasses.dataclass(slots=True)
class NightCounts:
    """Counts of one run.

    Attributes:
        types: type of note, None where it is not told -> counts.
        quarantined: "stage: error class" -> rows.
    """

    types: dict[TypeName, TypeCounts] = dataclasses.field(default_factory=dict)
    quarantined: Counter[str] = dataclasses.field(default_factory=Counter)

    def of_type(self, name: TypeName) -> TypeCounts:
        """The counts of a type, to be added to; types beyond `MOST_TYPES` share those of None."""
        if name not in self.types and len(self.types) >= MOST_TYPES:
            name = None
        return self.types.setdefault(name, TypeCounts())

    def add(self, other: NightCounts) -> None:
        """Adds the counts of another unit."""
        for name, counts in other.types.items():
            self.of_type(name).add(counts)
        self.quarantined.update(other.quarantined)


def count_night(storage: Storage, output: str, manifest: Mapping[str, Any]) -> NightCounts:
    """Counts what the last run wrote.

    Raises:
        StorageError: if a part is missing, damaged or of another table.
    """
    units: dict[str, dict[str, str]] = {}
    for part in manifest["parts"]:
        table, path = part["table"], part["path"]
        if part["run"] == manifest["run"] and table in _TABLES and is_part(table, path):
            units.setdefault(path.partition("/")[2], {})[table] = path

    def count(paths: Mapping[str, str]) -> NightCounts:
        found, types_of = NightCounts(), dict[str, str]()
        adders = {
            "documents": lambda batch: _add_documents(found, types_of, batch),
            "audit": lambda batch: _add_audit(found, types_of, batch),
            "quarantine": lambda batch: _add_quarantine(found, batch),
        }
        for table, add in adders.items():  # documents first: they tell the types
            if table in paths:
                for_each_batch(storage, f"{output}/{paths[table]}", table, _TABLES[table], add)
        return found

    total = NightCounts()
    for found in map_in_threads(count, [units[name] for name in sorted(units)], at_once=AT_ONCE):
        total.add(found)
    return total


_TABLES = {
    "documents": ("doc_key", "field", "status", "spans", "tokens", "note_type", "risk"),
    "audit": ("doc_key", "label", "detectors", "action", "reason", "fragment"),
    "quarantine": ("stage", "error"),
}


def _add_documents(found: NightCounts, types_of: dict[str, str], batch: pa.RecordBatch) -> None:
    """Counts documents, and adds the types of those that have one, by doc_key."""
    rows = batch.filter(pc.equal(batch.column("status"), "scrubbed"))
    if not rows.num_rows:
        return
    types, of_types = coded(_column(rows, "note_type"))
    risks, of_risks = coded(_column(rows, "risk"))
    tokens = rows.column("tokens").to_numpy(zero_copy_only=False)
    spans = pa.concat_arrays([rows.column("spans")])
    offsets = spans.offsets.to_numpy(zero_copy_only=False)
    inside = slice(int(offsets[0]), int(offsets[-1]))
    labels, of_labels = coded(spans.keys[inside])
    of_rows = np.repeat(np.arange(rows.num_rows), np.diff(offsets))
    numbers = pc.fill_null(spans.items[inside], 0).to_numpy(zero_copy_only=False)
    by_row = np.bincount(of_rows, weights=numbers, minlength=rows.num_rows).astype(np.int64)
    density = (2000 * by_row + tokens) // np.maximum(2 * tokens, 1)  # to the nearest
    with_label = np.bincount(
        of_types[of_rows] * len(labels) + of_labels,
        weights=numbers > 0,
        minlength=len(types) * len(labels),
    ).reshape(len(types), len(labels))
    for at, name in enumerate(types):
        mine = of_types == at
        of_type = found.of_type(name)
        of_type.documents += int(mine.sum())
        of_type.tokens += int(tokens[mine].sum())
        of_type.lengths.update(_counted(tokens[mine]))
        of_type.densities.update(_counted(density[mine]))
        of_type.risks.update(_told(risks, of_risks[mine]))
        for label, count in zip(labels, with_label[at].tolist(), strict=True):
            of_type.texts_with[label] += int(count)
    if any(types):
        keys = rows.column("doc_key").to_pylist()
        names = [types[at] for at in of_types.tolist()]
        types_of.update((key, name) for key, name in zip(keys, names, strict=True) if name)


def _column(rows: pa.RecordBatch, name: str) -> pa.Array:
    """A column that versions before did not write."""
    return rows.column(name) if name in rows.schema.names else pa.nulls(rows.num_rows)


def _told(risks: Sequence[int | None], of_rows: Ints) -> dict[int, int]:
    counts = np.bincount(of_rows, minlength=len(risks)).tolist()
    return {risk: n for risk, n in zip(risks, counts, strict=True) if risk is not None and n}


def _counted(values: Ints) -> dict[int, int]:
    """Values to their first binary digits -> how many."""
    _, exponents = np.frexp(np.maximum(values, 1).astype(float))
    shift = np.maximum(exponents - 1 - _EXACT_BITS, 0).astype(np.int64)
    found, counts = np.unique((values >> shift) << shift, return_counts=True)
    return dict(zip(found.tolist(), counts.tolist(), strict=True))


def _add_audit(found: NightCounts, types_of: Mapping[str, str], batch: pa.RecordBatch) -> None:
    reason = batch.column("reason")
    rows = batch.filter(pc.or_(pc.is_null(reason), pc.equal(pc.fill_null(reason, ""), POLICY)))
    if not rows.num_rows:
        return
    types: list[TypeName] = [None]
    of_types = np.zeros(rows.num_rows, np.int64)
    if types_of:
        keys, of_keys = coded(rows.column("doc_key"))
        names = pa.array([types_of.get(key) for key in keys], pa.string())
        types, of_types = coded(names.take(pa.array(of_keys)))
    labels, of_labels = coded(rows.column("label"))
    groups = of_types * len(labels) + of_labels
    sums = np.stack(
        [
            np.bincount(groups, weights=one, minlength=len(types) * len(labels))
            for one in _each(rows)
        ],
        axis=1,
    ).astype(np.int64)
    for group in np.flatnonzero(sums.any(axis=1)).tolist():
        at_type, at_label = divmod(group, len(labels))
        counts = found.of_type(types[at_type]).labels
        before = counts.get(labels[at_label], np.zeros(_COUNTS, np.int64))
        counts[labels[at_label]] = before + sums[group]


def _add_quarantine(found: NightCounts, batch: pa.RecordBatch) -> None:
    stages, errors = (batch.column(name).to_pylist() for name in ("stage", "error"))
    found.quarantined.update(map(": ".join, zip(stages, errors, strict=True)))


def _each(rows: pa.RecordBatch) -> tuple[Any, ...]:
    """Whether each row counts for what; in the order of `SPANS` and the others."""
    fragment = rows.column("fragment").to_numpy(zero_copy_only=False).astype(bool)
    actions, of_actions = coded(rows.column("action"))
    stays = np.array([not removes(action) for action in actions])[of_actions]
    detectors = pa.concat_arrays([rows.column("detectors")])
    offsets = detectors.offsets.to_numpy(zero_copy_only=False)
    names, of_names = coded(detectors.values[int(offsets[0]) : int(offsets[-1])])
    of_rows = np.repeat(np.arange(rows.num_rows), np.diff(offsets))
    known = [DetectorId.parse(name) for name in names]
    by_rule, by_tagger = (
        np.bincount(of_rows, weights=flags[of_names], minlength=rows.num_rows) > 0
        for flags in (
            np.array([one.is_rule for one in known], bool),
            np.array([one.is_tagger for one in known], bool),
        )
    )
    spans = ~fragment
    return (
        spans,
        spans & stays,
        fragment,
        spans & by_rule & ~by_tagger,
        spans & by_tagger & ~by_rule,
        spans & by_rule & by_tagger,
    )
