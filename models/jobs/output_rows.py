"""Batch -> the rows that are written: data, audit, documents, quarantine; and what is counted.

Pure: the same batch gives the same rows, and every digest is a sum over rows, so that neither batch
nor unit borders show in it.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..core.batches import Batch, Failure
from ..core.digests import PARTS, Digest
from ..core.keys import Keys, canonical_id
from ..core.labels import HIPAA_OF
from ..core.type_checks import check_field_types
from ..formats import CellForm
from ..formats.column_roles import DOC_KEY, PATIENT_KEY, Columns, Role
from ..formats.encodings import is_misread
from ..formats.line_notes import pieces
from ..formats.nested_texts import fields_of_rows, with_texts
from ..formats.text_markup import is_cda, is_message
from ..rendering.kinds import LAYERS
from ..risk.scoring import ranks_of_documents
from ..roster.normal import is_usable
from . import audit
from .audit_rows import build_audit_rows, is_entity
from .record_rows import LOST, rows_of_lost_texts

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
IN_ROSTER = "documents_in_roster"
KNOWN_UNUSABLE = "known_values_unusable"
AS_MARKUP = {kind: f"documents_as_{kind}" for kind in LAYERS}
LIKE_MESSAGES = "documents_like_hl7"
LIKE_CDA = "documents_like_ccda"
MISREAD = "documents_misread"
FURTHER = (IN_ROSTER, KNOWN_UNUSABLE, *AS_MARKUP.values(), LIKE_MESSAGES, LIKE_CDA, MISREAD)
"""Further counts, each written where it is not 0: documents whose patient the roster has, values of
columns with role `known` by which nothing can be found, documents that were recognised as markup
though nobody declared it, messages of HL7 v2 and CDA that were scrubbed as texts, and documents
that look like UTF-8 read as another encoding."""


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Tally:
    """What is counted of a batch, a unit or a run; tallies add up.

    Attributes:
        counts: of `COUNTS` and `FURTHER`, absent ones are 0; rows_in is rows_out and
            rows_quarantined.
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
            "counts": {
                **{name: self.counts[name] for name in COUNTS},
                **{name: self.counts[name] for name in FURTHER if self.counts[name]},
            },
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
    good = _good_rows(batch)
    table = _scrubbed_columns(batch, good, form, columns)
    if columns.record and (lost := rows_of_lost_texts(batch, table, form, columns)):
        failed = dict.fromkeys(lost, Failure("scrub", LOST))
        batch = dataclasses.replace(batch, failures={**batch.failures, **failed})
        good = _good_rows(batch)
    data, of_rows = _data(batch, table, good, form, columns)
    audit_rows, labels, digest = build_audit_rows(batch, run, detector_hashes, hipaa)
    of_spans = Tally.of(counts={"spans": labels.total()}, labels=labels, audit=digest)
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


def _good_rows(batch: Batch) -> list[int]:
    return [row for row in range(len(batch.rows)) if row not in batch.failures]


def _data(
    batch: Batch, table: pa.Table, good: list[int], form: CellForm, columns: Columns
) -> tuple[pa.Table, Tally]:
    """The rows that go out, counted.

    Args:
        table: the columns of all rows, scrubbed.
    """
    table = table.take(pa.array(good, pa.int64()))
    if columns.named(Role.PATIENT):
        keys: list[str | None] = [batch.rows.patient_keys[row] for row in good]
        column = form.encode_text(keys, pa.string())
        table = table.add_column(0, pa.field(PATIENT_KEY, column.type), column)
    column = form.encode_text([batch.rows.doc_keys[row] for row in good], pa.string())
    table = table.add_column(0, pa.field(DOC_KEY, column.type), column)
    rows = len(batch.rows)
    counts = {"rows_in": rows, "rows_out": len(good), "rows_quarantined": rows - len(good)}
    if batch.rows.known:
        values = itertools.chain.from_iterable(batch.rows.known[row] for row in good)
        counts[KNOWN_UNUSABLE] = sum(not is_usable(value) for value in values)
    counts |= Counter(
        AS_MARKUP[written.recognised]
        for index, written in batch.documents.written.items()
        if written.recognised and int(batch.documents.rows[index]) not in batch.failures
    )
    counts |= _noticed(batch, columns)
    digest = _columns_digest(batch, table, good, form, columns)
    return table, Tally.of(counts=counts, columns=digest)


def _noticed(batch: Batch, columns: Columns) -> Counter[str]:
    """Documents that should have been read otherwise, by what they look like."""
    found, declared = Counter[str](), dict(columns.markup)
    documents = batch.documents
    rows = documents.rows.tolist()
    for index, (text, field) in enumerate(zip(documents.texts, documents.fields, strict=True)):
        if text is None or rows[index] in batch.failures:
            continue
        found[MISREAD] += is_misread(text)
        if field not in declared:
            found[LIKE_MESSAGES] += not columns.record and is_message(text)
            written = documents.written.get(index)
            found[LIKE_CDA] += written is not None and is_cda(written)
    return +found


def _scrubbed_columns(batch: Batch, good: list[int], form: CellForm, columns: Columns) -> pa.Table:
    """The columns of all rows, with scrubbed texts in the place of the texts."""
    assert batch.scrubbed is not None, "Scrub comes before Write"
    flat = [name for name in columns.named(Role.TEXT) if not columns.is_path(name)]
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
            continue
        for place, source in batch.scrubbed.sources.get(index, ((field_name, text),)):
            if place not in texts:
                nested[row, place] = source
            else:
                texts[place][row] = source
                without[place][row] = False
    table = with_texts(form, columns, batch.rows.columns, nested, batch.rows.opened)
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


def _documents(
    batch: Batch, run: str, columns: Columns, hashes: Mapping[str, str], tells_type: bool
) -> tuple[pa.Table, Tally]:
    """A row a text field of each row, counted."""
    assert batch.spans is not None and batch.scrubbed is not None and batch.tokens is not None
    spans = batch.spans
    entities = map(is_entity, spans.fragments.tolist(), spans.reasons)
    places = zip(spans.documents.tolist(), spans.labels, strict=True)
    by_label: list[list[tuple[str, int]]] = [[] for _ in range(len(batch.documents))]
    for (index, label), count in sorted(Counter(itertools.compress(places, entities)).items()):
        by_label[index].append((label, count))
    of_documents = zip(batch.documents.rows.tolist(), batch.documents.fields, strict=True)
    index_of = {place: index for index, place in enumerate(of_documents)}
    fields_of = fields_of_rows(columns, batch.documents.rows.tolist(), batch.documents.fields)
    told_of = _stand_ins_of(batch)
    ranks = ranks_of_documents(batch.risks, spans, len(batch.documents))
    token_counts = np.diff(batch.tokens.document_offsets).tolist()
    detectors = " ".join(f"{name}@{value[:12]}" for name, value in sorted(hashes.items()))
    digest, counts = Digest(), Counter[str]()
    rows: list[tuple[Any, ...]] = []  # in the order of the schema
    for row in range(len(batch.rows)):
        doc_key = batch.rows.doc_keys[row]
        # A line of the note of an earlier row; or one of which only the quarantine table can speak,
        # for its id could not be read.
        if batch.rows.first_rows[row] != row or doc_key is None:
            continue
        first: str | None = None
        for field in fields_of(row):
            first = first or field
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
                _IN_ROSTER[batch.in_roster[row] if batch.in_roster else None],
                *told_of(None if failed else index, row if field == first else None),
                None if failed or index is None or text is None else ranks[index],
            )
            rows.append(document)
            if not failed:
                digest.add(text_fields(doc_key, field, out))
                counts["documents"] += 1
                counts["documents_null"] += text is None
                if batch.in_roster and batch.in_roster[row]:
                    counts[IN_ROSTER] += 1
                counts["tokens"] += tokens
                counts["characters"] += 0 if text is None else len(text)
    arrays = [
        pa.array([row[at] for row in rows], field.type) for at, field in enumerate(audit.DOCUMENTS)
    ]
    table = pa.Table.from_arrays(arrays, schema=audit.DOCUMENTS)
    return table, Tally.of(counts=counts, text=digest)


_IN_ROSTER = {True: "yes", False: "none", None: None}


def _stand_ins_of(
    batch: Batch,
) -> Callable[[int | None, int | None], tuple[int | None, int | None, int | None]]:
    """Gives surrogates, unread dates and ambiguity of a document, by index.

    What columns of its row could not be shifted counts with the document that is asked for with the
    row.
    """
    columns = batch.scrubbed.stand_ins if batch.scrubbed is not None else None
    if columns is None:
        return lambda index, row: (None, None, None)
    of_notes: Counter[int] = Counter()
    if batch.rows.dates_unread:
        firsts = batch.rows.first_rows.tolist()
        for first, count in zip(firsts, batch.rows.dates_unread, strict=True):
            of_notes[first] += count

    def told(index: int | None, row: int | None) -> tuple[int, int, int]:
        unread = 0 if row is None else of_notes[row]
        if index is None:
            return 0, unread, 0
        return (
            columns.surrogates[index],
            columns.dates_unread[index] + unread,
            columns.dates_ambiguous[index],
        )

    return told


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


def output_partition(
    columns: Columns, partition: tuple[tuple[str, str], ...], keys: Keys, *, keep_dates: bool
) -> tuple[tuple[str, str], ...]:
    """The hive folders of the output: a partition key has a role too.

    `pass` and `type` keys are mirrored, `date` keys if the policy lets dates pass, `hash` keys with
    hashed values; all others are left out.
    """
    out = []
    roles = dict(columns.roles) if partition else {}
    for name, value in partition:
        role = roles[name]
        if role is Role.HASH:
            out.append((name, keys.column_hash(canonical_id(value) or "")))
        elif role in (Role.PASS, Role.TYPE) or (role in (Role.DATE, Role.BIRTH) and keep_dates):
            out.append((name, value))
    return tuple(out)
