"""Batch -> the rows that are written: data, audit, documents, quarantine; and what is counted.

Pure: the same batch gives the same rows, and every digest is a sum over rows, so that neither batch
nor unit borders show in it.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from . import audit
from .batches import Batch
from .digests import PARTS, Digest, cell
from .formats import Format
from .grouping import pieces
from .kinds import require_kinds
from .labels import HIPAA_OF
from .roles import DOC_KEY, PATIENT_KEY, Columns, Role
from .spans import BELIEVED

COUNTS = (
    "rows_in",
    "rows_out",
    "rows_quarantined",
    "documents",
    "documents_null",
    "tokens",
    "characters",
    "spans",
)


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Tally:
    """What is counted of a batch, a unit or a run; tallies add up.

    Attributes:
        counts: one for each of `COUNTS`; rows_in = rows_out + rows_quarantined.
        labels: spans by label, fragments left out.
        errors: quarantined rows by "stage: error class".
        digests: one for each of `digests.PARTS`.
    """

    counts: Counter[str] = dataclasses.field(default_factory=Counter)
    labels: Counter[str] = dataclasses.field(default_factory=Counter)
    errors: Counter[str] = dataclasses.field(default_factory=Counter)
    digests: dict[str, Digest] = dataclasses.field(
        default_factory=lambda: {p: Digest() for p in PARTS}
    )

    def add(self, other: Tally) -> None:
        """Adds another tally to this one."""
        self.counts.update(other.counts)
        self.labels.update(other.labels)
        self.errors.update(other.errors)
        for part in PARTS:
            self.digests[part].merge(other.digests[part])

    def to_json(self) -> dict[str, Any]:
        """Plain values, sorted."""
        return {
            "counts": {name: self.counts[name] for name in COUNTS},
            "labels": dict(sorted(self.labels.items())),
            "errors": dict(sorted(self.errors.items())),
            "digests": {part: self.digests[part].hex() for part in PARTS},
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Tally:
        """Reads what `to_json` gave.

        Raises:
            KeyError, TypeError, ValueError: if it is something else.
        """
        tally = cls(
            Counter(dict(value["counts"])),
            Counter(dict(value["labels"])),
            Counter(dict(value["errors"])),
            {part: Digest.of_hex(value["digests"][part]) for part in PARTS},
        )
        require_kinds(tally)
        return tally


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Result:
    """The rows of one batch.

    Attributes:
        data: output rows in input order, quarantined ones left out; doc_key and patient_key come
            first.
        tables: audit, documents, quarantine (schemas in `models.audit`).
        tally: what to count.
    """

    data: pa.Table
    tables: dict[str, pa.Table]
    tally: Tally


def finish(
    batch: Batch,
    *,
    run: str,
    form: Format,
    columns: Columns,
    detector_hashes: Mapping[str, str],
    hipaa: Mapping[str, str] = HIPAA_OF,
) -> Result:
    """Turns a scrubbed batch into rows.

    Args:
        detector_hashes: hash of every detector that looked, by name.
        hipaa: label -> letter of its item in 45 CFR 164.514(b)(2)(i); the policy's `hipaa_of`.
    """
    tally = Tally()
    batch = _failing_whole_notes(batch)
    good = [row for row in range(len(batch.rows)) if row not in batch.failures]
    data = _data(batch, good, form, columns)
    tables = {
        "audit": _audit(batch, run, detector_hashes, hipaa, tally),
        "documents": _documents(batch, run, columns, form, detector_hashes, tally),
        "quarantine": _quarantine(batch, run, tally),
    }
    _count_columns(batch, data, good, form, columns, tally)
    tally.counts.update(
        rows_in=len(batch.rows), rows_out=len(good), rows_quarantined=len(batch.rows) - len(good)
    )
    return Result(data, tables, tally)


def _failing_whole_notes(batch: Batch) -> Batch:
    """The batch, where a note has failed the failure of each of its rows."""
    if not batch.failures:
        return batch
    heads = batch.rows.heads.tolist()
    failures = {
        row: batch.failures.get(row, batch.failures[head])
        for row, head in enumerate(heads)
        if head in batch.failures
    }
    return dataclasses.replace(batch, failures=failures)


def _data(batch: Batch, good: list[int], form: Format, columns: Columns) -> pa.Table:
    assert batch.scrubbed is not None, "Scrub comes before Write"
    texts: dict[str, list[str | None]] = {
        name: [None] * len(batch.rows) for name in columns.named(Role.TEXT)
    }
    without = {name: np.isin(np.arange(len(batch.rows)), good) for name in texts}
    rows_of = _rows_of_documents(batch)
    sources = {name: form.decode(batch.rows.columns.column(name)) for name in texts if rows_of}
    for index, text in enumerate(batch.scrubbed.texts):
        row, field_name = int(batch.documents.rows[index]), batch.documents.fields[index]
        if index in rows_of and text is not None:
            for position, piece in enumerate(rows_of[index], row):
                if sources[field_name][position] is not None:
                    texts[field_name][position] = piece
                    without[field_name][position] = False
            continue
        texts[field_name][row] = text
        without[field_name][row] = False
    table = batch.rows.columns
    for name, values in texts.items():
        position = table.schema.get_field_index(name)
        field = table.schema.field(position)
        column = form.encode_text(values, field.type)
        # A cell that says "no text" in its own way (null in JSON, not an absent key) stays.
        source = table.column(position)
        spoken = pc.and_(pa.array(without[name]), source.is_valid())
        if pc.any(spoken).as_py():
            column = pc.if_else(spoken, source, column)
        table = table.set_column(position, field, column)
    table = table.take(pa.array(good, pa.int64()))
    if columns.named(Role.PATIENT):
        keys: list[str | None] = [batch.rows.patient_keys[row] for row in good]
        column = form.encode_text(keys, pa.string())
        table = table.add_column(0, pa.field(PATIENT_KEY, column.type), column)
    column = form.encode_text([batch.rows.doc_keys[row] for row in good], pa.string())
    return table.add_column(0, pa.field(DOC_KEY, column.type), column)


def _rows_of_documents(batch: Batch) -> dict[int, list[str]]:
    """Document index -> the scrubbed text of each of its rows, for notes of several rows."""
    starts = batch.documents.starts
    if not starts:
        return {}
    assert batch.scrubbed is not None and batch.spans is not None
    spans: dict[int, list[tuple[int, int]]] = {index: [] for index in starts}
    for index, end, out_end in zip(
        batch.spans.documents.tolist(),
        batch.spans.ends.tolist(),
        batch.scrubbed.out_ends,
        strict=True,
    ):
        if index in spans:
            spans[index].append((end, out_end))
    texts = batch.scrubbed.texts
    return {
        index: list(pieces(text, starts[index], spans[index]))
        for index in starts
        if (text := texts[index]) is not None
    }


def _audit(
    batch: Batch, run: str, hashes: Mapping[str, str], hipaa: Mapping[str, str], tally: Tally
) -> pa.Table:
    assert batch.spans is not None and batch.scrubbed is not None, (
        "Merge and Scrub come before Write"
    )
    spans, rows = batch.spans, batch.documents.rows[batch.spans.documents].tolist()
    kept = [i for i, row in enumerate(rows) if row not in batch.failures]

    def of_kept(values: Sequence[Any]) -> list[Any]:
        return [values[i] for i in kept]

    documents, places = of_kept(spans.documents.tolist()), of_kept(rows)
    labels, sources = of_kept(spans.labels), of_kept(spans.sources)
    fragments, reasons = of_kept(spans.fragments.tolist()), of_kept(spans.reasons)
    entities = list(_entities(labels, fragments, reasons))
    values: dict[str, list[Any]] = {
        "doc_key": [batch.rows.doc_keys[row] for row in places],
        "patient_key": [batch.rows.patient_keys[row] for row in places],
        "field": [batch.documents.fields[document] for document in documents],
        "start": of_kept(spans.starts.tolist()),
        "end": of_kept(spans.ends.tolist()),
        "out_start": of_kept(batch.scrubbed.out_starts),
        "out_end": of_kept(batch.scrubbed.out_ends),
        "label": labels,
        "hipaa": list(map(hipaa.get, labels)),
        "detectors": of_kept(spans.detectors),
        "source": sources,
        "source_hash": [hashes[source] for source in sources],
        "score": of_kept(spans.scores.tolist()),
        "action": of_kept(spans.actions),
        "reason": reasons,
        "fragment": fragments,
        "entity_id": [None] * len(kept),
    }
    # Span by span, a digest of seventeen fields would be most of what a pipeline costs.
    tally.digests["audit"].add_cells(zip(*map(_cells, values, values.values()), strict=True))
    tally.counts["spans"] += len(entities)
    tally.labels.update(entities)
    values["run"] = [run] * len(kept)
    return pa.Table.from_pydict({name: values[name] for name in audit.AUDIT.names}, audit.AUDIT)


def _cells(name: str, values: list[Any]) -> list[bytes]:
    """What the content digest takes of a column of the audit; see `audit_fields`."""
    if name == "detectors":
        values = list(map(",".join, values))
    if name == "score":
        return list(map(cell, values))  # 0.0 and -0.0 are equal, and two cells
    known = {value: cell(value) for value in set(values)}
    return [known[value] for value in values]


def _entities(
    labels: Iterable[str], fragments: Iterable[bool], reasons: Iterable[str | None]
) -> Iterator[str]:
    """The labels without those of fragments and of what was only told."""
    return (
        label
        for label, rest, reason in zip(labels, fragments, reasons, strict=True)
        if not rest and reason in BELIEVED
    )


def audit_fields(row: Mapping[str, Any]) -> list[str | int | float | None]:
    """What the content digest takes of an audit row: all but the run."""
    return [
        ",".join(row[name]) if name == "detectors" else row[name]
        for name in audit.AUDIT.names
        if name != "run"
    ]


def _documents(
    batch: Batch, run: str, columns: Columns, form: Format, hashes: Mapping[str, str], tally: Tally
) -> pa.Table:
    assert batch.spans is not None and batch.scrubbed is not None and batch.tokens is not None
    by_label: list[Counter[str]] = [Counter() for _ in range(len(batch.documents))]
    for index, label, rest, reason in zip(
        batch.spans.documents.tolist(),
        batch.spans.labels,
        batch.spans.fragments.tolist(),
        batch.spans.reasons,
        strict=True,
    ):
        if not rest and reason in BELIEVED:
            by_label[index][label] += 1
    index_of = {
        place: index
        for index, place in enumerate(
            zip(batch.documents.rows.tolist(), batch.documents.fields, strict=True)
        )
    }
    token_counts = np.diff(batch.tokens.document_offsets).tolist()
    looked = " ".join(f"{name}@{value[:12]}" for name, value in sorted(hashes.items()))
    rows = []
    for row in range(len(batch.rows)):
        doc_key = batch.rows.doc_keys[row]
        if batch.rows.heads[row] != row:
            continue  # a line of the note of an earlier row
        if doc_key is None:
            continue  # only the quarantine table can speak of a row whose id could not be read
        for field in columns.named(Role.TEXT):
            index = index_of.get((row, field))
            text = None if index is None else batch.documents.texts[index]
            out = None if index is None else batch.scrubbed.texts[index]
            failed = row in batch.failures
            status = "quarantined" if failed else "null" if text is None else "scrubbed"
            tokens = 0 if index is None else token_counts[index]
            rows.append(
                {
                    "run": run,
                    "doc_key": doc_key,
                    "patient_key": batch.rows.patient_keys[row],
                    "field": field,
                    "unit": batch.unit,
                    "ordinal": int(batch.rows.ordinals[row]),
                    "status": status,
                    "spans": [] if index is None or failed else sorted(by_label[index].items()),
                    "tokens": 0 if failed else tokens,
                    "characters": 0 if failed or text is None else len(text),
                    "out_characters": 0 if failed or out is None else len(out),
                    "detectors": looked,
                }
            )
            if not failed:
                tally.digests["text"].add(text_fields(doc_key, field, out))
                tally.counts["documents"] += 1
                tally.counts["documents_null"] += text is None
                tally.counts["tokens"] += tokens
                tally.counts["characters"] += 0 if text is None else len(text)
    return pa.Table.from_pylist(rows, audit.DOCUMENTS)


def text_fields(doc_key: str, field: str, text: str | None) -> list[str | int | float | None]:
    """What the content digest takes of a scrubbed text."""
    return [doc_key, field, text]


def _quarantine(batch: Batch, run: str, tally: Tally) -> pa.Table:
    rows = []
    for row in sorted(batch.failures):
        failure = batch.failures[row]
        rows.append(
            {
                "run": run,
                "unit": batch.unit,
                "ordinal": int(batch.rows.ordinals[row]),
                "doc_key": batch.rows.doc_keys[row],
                "stage": failure.stage,
                "error": failure.error,
            }
        )
        tally.errors[f"{failure.stage}: {failure.error}"] += 1
        tally.digests["quarantine"].add(quarantine_fields(rows[-1]))
    return pa.Table.from_pylist(rows, audit.QUARANTINE)


def quarantine_fields(row: Mapping[str, Any]) -> list[str | int | float | None]:
    """What the content digest takes of a quarantined row: not its place, which splits decide."""
    return [row["doc_key"], row["stage"], row["error"]]


def _count_columns(
    batch: Batch, data: pa.Table, good: list[int], form: Format, columns: Columns, tally: Tally
) -> None:
    texts = set(columns.named(Role.TEXT))
    names = [
        name
        for name in data.column_names
        if name not in texts and name not in (DOC_KEY, PATIENT_KEY)
    ]
    values = [form.cells(data.column(name)) for name in names]
    for position, row in enumerate(good):
        doc_key, patient_key = batch.rows.doc_keys[row], batch.rows.patient_keys[row]
        tally.digests["columns"].add(
            column_fields(
                doc_key, patient_key, [(n, v[position]) for n, v in zip(names, values, strict=True)]
            )
        )


def column_fields(
    doc_key: str | None, patient_key: str | None, values: list[tuple[str, str | None]]
) -> list[str | int | float | None]:
    """What the content digest takes of a row's other columns, given their `Format.cells`."""
    fields: list[str | int | float | None] = [doc_key, patient_key]
    for name, value in sorted(values):
        if value is not None:
            fields += [name, value]
    return fields
