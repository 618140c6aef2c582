"""Batch -> the rows that are written: data, audit, documents, quarantine; and what is counted.

Pure: the same batch gives the same rows, and every digest is a sum over rows, so that neither batch
nor unit borders show in it.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ..core.arrays import Ints
from ..core.batches import Batch
from ..core.digests import PARTS, Digest, cell
from ..core.labels import HIPAA_OF
from ..core.spans import BELIEVED, Spans
from ..core.type_checks import check_field_types
from ..formats import CellForm
from ..formats.column_roles import DOC_KEY, PATIENT_KEY, Columns, Role
from ..formats.line_notes import pieces
from ..formats.nested_texts import fields_of_rows, with_texts
from . import audit

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
        counts: of `COUNTS`, absent ones are 0; rows_in = rows_out + rows_quarantined.
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

    @classmethod
    def of(
        cls,
        *,
        counts: Mapping[str, int] | None = None,
        labels: Mapping[str, int] | None = None,
        errors: Mapping[str, int] | None = None,
        **digests: Digest,
    ) -> Tally:
        """A tally of these; whatever is not given counts as zero."""
        empty = {part: Digest() for part in PARTS}
        return cls(Counter(counts), Counter(labels), Counter(errors), empty | digests)

    @classmethod
    def total(cls, tallies: Iterable[Tally]) -> Tally:
        """The sum of some tallies."""
        total = cls()
        for tally in tallies:
            total.counts.update(tally.counts)
            total.labels.update(tally.labels)
            total.errors.update(tally.errors)
            for part in PARTS:
                total.digests[part].merge(tally.digests[part])
        return total

    def __add__(self, other: Tally) -> Tally:
        return Tally.total((self, other))

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
        check_field_types(tally)
        return tally


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Result:
    """The rows of one batch.

    Attributes:
        data: output rows in input order, quarantined ones left out; doc_key and patient_key come
            first.
        tables: audit, documents, quarantine (schemas in `models.jobs.audit`).
        tally: what to count.
    """

    data: pa.Table
    tables: dict[str, pa.Table]
    tally: Tally


def build_output_rows(
    batch: Batch,
    *,
    run: str,
    form: CellForm,
    columns: Columns,
    detector_hashes: Mapping[str, str],
    hipaa: Mapping[str, str] = HIPAA_OF,
    tells_type: bool = False,
) -> Result:
    """Turns a scrubbed batch into rows.

    Args:
        detector_hashes: hash of every detector that looked, by name.
        hipaa: label -> letter of its item in 45 CFR 164.514(b)(2)(i); the policy's `hipaa_of`.
        tells_type: whether the documents table tells the type of a note.
    """
    batch = _failing_whole_notes(batch)
    good = [row for row in range(len(batch.rows)) if row not in batch.failures]
    data, of_rows = _data(batch, good, form, columns)
    audit_rows, of_spans = _audit(batch, run, detector_hashes, hipaa)
    documents, of_documents = _documents(batch, run, columns, detector_hashes, tells_type)
    quarantine, of_failures = _quarantine(batch, run)
    return Result(
        data,
        {"audit": audit_rows, "documents": documents, "quarantine": quarantine},
        Tally.total((of_rows, of_spans, of_documents, of_failures)),
    )


def _failing_whole_notes(batch: Batch) -> Batch:
    """The batch, where a note has failed the failure of each of its rows."""
    if not batch.failures:
        return batch
    failures = {
        row: batch.failures.get(row, batch.failures[first_row])
        for row, first_row in enumerate(batch.rows.first_rows.tolist())
        if first_row in batch.failures
    }
    return dataclasses.replace(batch, failures=failures)


def _data(
    batch: Batch, good: list[int], form: CellForm, columns: Columns
) -> tuple[pa.Table, Tally]:
    """The rows that go out, counted."""
    table = _scrubbed_columns(batch, good, form, columns).take(pa.array(good, pa.int64()))
    if columns.named(Role.PATIENT):
        keys: list[str | None] = [batch.rows.patient_keys[row] for row in good]
        column = form.encode_text(keys, pa.string())
        table = table.add_column(0, pa.field(PATIENT_KEY, column.type), column)
    column = form.encode_text([batch.rows.doc_keys[row] for row in good], pa.string())
    table = table.add_column(0, pa.field(DOC_KEY, column.type), column)
    rows = len(batch.rows)
    counts = {"rows_in": rows, "rows_out": len(good), "rows_quarantined": rows - len(good)}
    digest = _columns_digest(batch, table, good, form, columns)
    return table, Tally.of(counts=counts, columns=digest)


def _scrubbed_columns(batch: Batch, good: list[int], form: CellForm, columns: Columns) -> pa.Table:
    """The columns of all rows, with scrubbed texts in the place of the texts."""
    assert batch.scrubbed is not None, "Scrub comes before Write"
    flat = [name for name in columns.named(Role.TEXT) if name not in columns.paths]
    texts: dict[str, list[str | None]] = {name: [None] * len(batch.rows) for name in flat}
    nested: dict[tuple[int, str], str | None] = {}
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
        elif field_name not in texts:
            nested[row, field_name] = text
        else:
            texts[field_name][row] = text
            without[field_name][row] = False
    table = with_texts(form, columns, batch.rows.columns, nested)
    for name, values in texts.items():
        position, field = table.schema.get_field_index(name), table.schema.field(name)
        column = form.encode_text(values, field.type)
        # A cell that says "no text" in its own way (null in JSON, not an absent key) stays.
        spoken = pc.and_(pa.array(without[name]), table.column(position).is_valid())
        if pc.any(spoken).as_py():
            column = pc.if_else(spoken, table.column(position), column)
        table = table.set_column(position, field, column)
    return table


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


_PLACE = ("doc_key", "patient_key", "field")
_OFFSETS = ("start", "end", "out_start", "out_end")
_WHAT = ("label", "hipaa", "detectors", "source", "source_hash")
_HOW = ("action", "reason", "fragment", "entity_id")


def _audit(
    batch: Batch, run: str, hashes: Mapping[str, str], hipaa: Mapping[str, str]
) -> tuple[pa.Table, Tally]:
    """One row per span, counted. What many spans have in common is made once and then repeated."""
    assert batch.spans is not None and batch.scrubbed is not None, (
        "Merge and Scrub come before Write"
    )
    spans = batch.spans
    out = np.array([batch.scrubbed.out_starts, batch.scrubbed.out_ends], np.int64)
    if batch.failures:
        kept = np.flatnonzero(~np.isin(batch.documents.rows[spans.documents], list(batch.failures)))
        spans, out = spans.take(kept), out[:, kept]
    places = [
        {
            "doc_key": batch.rows.doc_keys[row],
            "patient_key": batch.rows.patient_keys[row],
            "field": field,
        }
        for row, field in zip(batch.documents.rows.tolist(), batch.documents.fields, strict=True)
    ]
    kinds, kind_of = _kinds(spans, hashes, hipaa)
    offsets = np.stack((spans.starts, spans.ends, *out))
    digest = Digest()
    # Span by span, a digest of seventeen fields would be most of what a pipeline costs.
    digest.add_cells(
        zip(
            _repeated(_cells(places, _PLACE), spans.documents),
            *_number_cells(offsets),
            _repeated(_cells(kinds, _WHAT), kind_of),
            *_number_cells(spans.scores[None]),
            _repeated(_cells(kinds, _HOW), kind_of),
            strict=True,
        )
    )
    labels: Counter[str] = Counter()
    for kind, count in zip(kinds, np.bincount(kind_of, minlength=len(kinds)).tolist(), strict=True):
        if _is_entity(kind["fragment"], kind["reason"]):
            labels[kind["label"]] += count
    columns = {
        "run": pa.repeat(run, len(spans)),
        **_columns(places, _PLACE, spans.documents),
        **{name: pa.array(column) for name, column in zip(_OFFSETS, offsets, strict=True)},
        **_columns(kinds, (*_WHAT, *_HOW), kind_of),
        "score": pa.array(spans.scores),
    }
    table = pa.Table.from_arrays([columns[name] for name in audit.AUDIT.names], schema=audit.AUDIT)
    return table, Tally.of(counts={"spans": labels.total()}, labels=labels, audit=digest)


def _kinds(
    spans: Spans, hashes: Mapping[str, str], hipaa: Mapping[str, str]
) -> tuple[list[dict[str, Any]], Ints]:
    """What spans have in common apart from their places, each once; and which one each has."""
    numbers: dict[tuple[Any, ...], int] = {}
    of_spans = zip(
        spans.labels,
        spans.detectors,
        spans.sources,
        spans.actions,
        spans.reasons,
        spans.fragments.tolist(),
        strict=True,
    )
    kind_of = np.array([numbers.setdefault(kind, len(numbers)) for kind in of_spans], np.int64)
    kinds = [
        {
            "label": label,
            "hipaa": hipaa.get(label),
            "detectors": detectors,
            "source": source,
            "source_hash": hashes[source],
            "action": action,
            "reason": reason,
            "fragment": fragment,
            "entity_id": None,
        }
        for label, detectors, source, action, reason, fragment in numbers
    ]
    return kinds, kind_of


def _cells(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[bytes]:
    """What the content digest takes of neighbouring columns of the audit; see `audit_fields`."""
    return [b"".join(cell(_audit_field(row, name)) for name in names) for row in rows]


def _number_cells(columns: npt.NDArray[Any]) -> list[list[bytes]]:
    """The same of each row of an array of numbers; each number is encoded once."""
    # By their bits: 0.0 and -0.0 are equal, and two cells.
    bits, at = np.unique(columns.view(np.int64), return_inverse=True)
    cells = list(map(cell, bits.view(columns.dtype).tolist()))
    return [_repeated(cells, some) for some in at.reshape(columns.shape)]


def _repeated(values: Sequence[bytes], at: Ints) -> list[bytes]:
    return [values[i] for i in at.tolist()]


def _columns(
    rows: Sequence[Mapping[str, Any]], names: Sequence[str], at: Ints
) -> dict[str, pa.Array]:
    """Columns of the audit, of which each value is that of one of the rows."""
    return {
        name: pa.array([row[name] for row in rows], audit.AUDIT.field(name).type).take(pa.array(at))
        for name in names
    }


def _is_entity(fragment: bool, reason: str | None) -> bool:
    """Whether a span counts: fragments do not, nor do spans that are only reported."""
    return not fragment and reason in BELIEVED


def audit_fields(row: Mapping[str, Any]) -> list[str | int | float | None]:
    """What the content digest takes of an audit row: all but the run."""
    return [_audit_field(row, name) for name in audit.AUDIT.names if name != "run"]


def _audit_field(row: Mapping[str, Any], name: str) -> str | int | float | None:
    value: str | int | float | None
    value = ",".join(row[name]) if name == "detectors" else row[name]
    return value


def _documents(
    batch: Batch, run: str, columns: Columns, hashes: Mapping[str, str], tells_type: bool
) -> tuple[pa.Table, Tally]:
    """A row a text field of each row, counted."""
    assert batch.spans is not None and batch.scrubbed is not None and batch.tokens is not None
    spans = batch.spans
    entities = map(_is_entity, spans.fragments.tolist(), spans.reasons)
    places = zip(spans.documents.tolist(), spans.labels, strict=True)
    by_label: list[list[tuple[str, int]]] = [[] for _ in range(len(batch.documents))]
    for (index, label), count in sorted(Counter(itertools.compress(places, entities)).items()):
        by_label[index].append((label, count))
    index_of = {
        place: index
        for index, place in enumerate(
            zip(batch.documents.rows.tolist(), batch.documents.fields, strict=True)
        )
    }
    fields_of = fields_of_rows(columns, batch.documents.rows.tolist(), batch.documents.fields)
    token_counts = np.diff(batch.tokens.document_offsets).tolist()
    detectors = " ".join(f"{name}@{value[:12]}" for name, value in sorted(hashes.items()))
    digest, counts = Digest(), Counter[str]()
    rows: list[tuple[Any, ...]] = []  # in the order of the schema
    for row in range(len(batch.rows)):
        doc_key = batch.rows.doc_keys[row]
        if batch.rows.first_rows[row] != row:
            continue  # a line of the note of an earlier row
        if doc_key is None:
            continue  # only the quarantine table can speak of a row whose id could not be read
        for field in fields_of(row):
            index = index_of.get((row, field))
            text = None if index is None else batch.documents.texts[index]
            out = None if index is None else batch.scrubbed.texts[index]
            failed = row in batch.failures
            tokens = 0 if index is None else token_counts[index]
            document = (
                run,
                doc_key,
                batch.rows.patient_keys[row],
                field,
                batch.unit,
                int(batch.rows.ordinals[row]),
                "quarantined" if failed else "null" if text is None else "scrubbed",
                [] if index is None or failed else by_label[index],
                0 if failed else tokens,
                0 if failed or text is None else len(text),
                0 if failed or out is None else len(out),
                detectors,
                batch.rows.note_types[row] if tells_type else None,
                batch.rows.periods[row] if batch.rows.periods else None,
            )
            rows.append(document)
            if not failed:
                digest.add(text_fields(doc_key, field, out))
                counts["documents"] += 1
                counts["documents_null"] += text is None
                counts["tokens"] += tokens
                counts["characters"] += 0 if text is None else len(text)
    arrays = [
        pa.array([row[at] for row in rows], field.type) for at, field in enumerate(audit.DOCUMENTS)
    ]
    table = pa.Table.from_arrays(arrays, schema=audit.DOCUMENTS)
    return table, Tally.of(counts=counts, text=digest)


def text_fields(doc_key: str, field: str, text: str | None) -> list[str | int | float | None]:
    """What the content digest takes of a scrubbed text."""
    return [doc_key, field, text]


def _quarantine(batch: Batch, run: str) -> tuple[pa.Table, Tally]:
    """A row a row that failed, counted."""
    digest, errors = Digest(), Counter[str]()
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
        errors[f"{failure.stage}: {failure.error}"] += 1
        digest.add(quarantine_fields(rows[-1]))
    table = pa.Table.from_pylist(rows, audit.QUARANTINE)
    return table, Tally.of(errors=errors, quarantine=digest)


def quarantine_fields(row: Mapping[str, Any]) -> list[str | int | float | None]:
    """What the content digest takes of a quarantined row: not its place, which splits decide."""
    return [row["doc_key"], row["stage"], row["error"]]


def _columns_digest(
    batch: Batch, data: pa.Table, good: list[int], form: CellForm, columns: Columns
) -> Digest:
    """The digest of all columns of the rows that go out but the texts."""
    texts = set(columns.named(Role.TEXT))
    names = [
        name
        for name in data.column_names
        if name not in texts and name not in (DOC_KEY, PATIENT_KEY)
    ]
    values = [form.cells(data.column(name)) for name in names]
    digest = Digest()
    for position, row in enumerate(good):
        doc_key, patient_key = batch.rows.doc_keys[row], batch.rows.patient_keys[row]
        own = [(name, v[position]) for name, v in zip(names, values, strict=True)]
        digest.add(column_fields(doc_key, patient_key, own))
    return digest


def column_fields(
    doc_key: str | None, patient_key: str | None, values: list[tuple[str, str | None]]
) -> list[str | int | float | None]:
    """What the content digest takes of a row's other columns, given their `Format.cells`."""
    fields: list[str | int | float | None] = [doc_key, patient_key]
    for name, value in sorted(values):
        if value is not None:
            fields += [name, value]
    return fields
