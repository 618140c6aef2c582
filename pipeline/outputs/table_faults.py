"""What is wrong with the tables of an output: with the manifest, each other, the originals."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import pyarrow as pa

from ...models.core.batches import Batch
from ...models.core.digests import PARTS, Digest, content_digest
from ...models.core.errors import InputChanged, StorageError, error_class
from ...models.core.shortage import raise_shortage
from ...models.core.small_parquet import table_in
from ...models.core.spans import BELIEVED
from ...models.formats import Format, FormatOptions, PartRow, format_of, open_format
from ...models.formats.column_roles import Columns
from ...models.formats.line_notes import join_or_none
from ...models.formats.text_markup import as_read
from ...models.jobs.audit import EARLIER
from ...models.jobs.audit import TABLES as SCHEMAS
from ...models.jobs.audit_rows import audit_fields
from ...models.jobs.late_spans import by_audit
from ...models.jobs.output_rows import column_fields, quarantine_fields, text_fields
from ...models.redaction.actions import ACTIONS, SURROGATE
from ...models.redaction.stand_ins import StandIn
from ...models.storage.input_files import InputFile
from ...models.storage.storage import Storage
from ...models.views.batches import look_through
from .source_documents import SourceDocuments

Scrubbed = dict[tuple[str, str], str | None]
"""(doc_key, field) -> scrubbed text."""


@dataclasses.dataclass(slots=True, repr=False)
class Tables:
    """All rows of an output that can be read.

    Attributes:
        spans, documents, quarantine: rows of these tables.
        texts: of the data.
        rows: of the data.
        digests: of all of it.
        faults: parts that cannot be read.
    """

    spans: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    documents: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    quarantine: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    texts: Scrubbed = dataclasses.field(default_factory=dict)
    rows: int = 0
    digests: dict[str, Digest] = dataclasses.field(
        default_factory=lambda: {part: Digest() for part in PARTS}
    )
    faults: list[str] = dataclasses.field(default_factory=list)


def read_tables(
    storage: Storage, output: str, manifest: Mapping[str, Any], left_out: Collection[str]
) -> Tables:
    """Reads the parts that a manifest lists.

    Args:
        left_out: paths of parts that are missing or changed.

    Memory: all texts and rows at once.
    """
    found = Tables()
    of_table = {"audit": found.spans, "documents": found.documents, "quarantine": found.quarantine}
    parts = [part for part in manifest["parts"] if part["path"] not in left_out]
    for part in parts:
        if part["table"] in of_table:
            try:
                rows = _rows(storage.read_bytes(f"{output}/{part['path']}"), part["table"])
            except StorageError:
                raise
            except _OtherTable as error:
                found.faults.append(f"part {part['path']} {error}")
                continue
            except Exception as error:  # damaged Parquet raises many kinds
                raise_shortage(error)
                found.faults.append(f"part {part['path']} cannot be read ({error_class(error)})")
                continue
            if any(row["run"] != part["run"] for row in rows):
                found.faults.append(f"part {part['path']} has rows of another run than its own")
            of_table[part["table"]] += rows
            for row in rows:
                _add(found, part["table"], row)
    patients = {row["doc_key"]: row["patient_key"] for row in found.documents}
    for part in parts:
        if part["table"] == "data":
            try:
                _read_data(storage, output, manifest, part, patients, found)
            except StorageError:
                raise
            except Exception as error:
                raise_shortage(error)
                found.faults.append(f"part {part['path']} cannot be read ({error_class(error)})")
    return found


class _OtherTable(Exception):
    """A part is a file of a table, but not of the one that it should be of."""


def _rows(content: bytes, name: str) -> list[dict[str, Any]]:
    """The rows of a part of a table, each value checked to be of its column's type.

    Raises:
        _OtherTable: if one is not.
        Exception: of many kinds, if it is not a Parquet file, or is damaged.
    """
    table = table_in(content)
    known = (SCHEMAS[name], *EARLIER.get(name, ()))
    if not any(table.schema.equals(schema) for schema in known):
        raise _OtherTable("has other columns or types than its table")
    for field, column in zip(table.schema, table.columns, strict=True):
        nulls = 0 if field.nullable else column.null_count
        for chunk in column.chunks:  # the writers leave no null in a list or a map
            nulls += chunk.flatten().null_count if pa.types.is_list(field.type) else 0
            nulls += chunk.items.null_count if pa.types.is_map(field.type) else 0
        if nulls:
            raise _OtherTable("has nulls where its table has none")
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


def _add(found: Tables, table: str, row: Mapping[str, Any]) -> None:
    if table == "audit":
        found.digests["audit"].add(audit_fields(row))
    elif table == "quarantine":
        found.digests["quarantine"].add(quarantine_fields(row))


def _read_data(
    storage: Storage,
    output: str,
    manifest: Mapping[str, Any],
    part: Mapping[str, Any],
    patients: Mapping[str, str | None],
    found: Tables,
) -> None:
    """Adds the published texts of a part, and the digests of texts and columns.

    Args:
        patients: doc_key -> patient_key, for formats that have no room for it.
    """
    if part["run"] not in manifest["runs"]:
        return  # a fault of the manifest: how the part is written is not known
    form, _, notes = notes_of_part(storage, output, manifest, part)
    for lines in notes:
        found.rows += len(lines)
        doc_key = _text(lines[0].doc_key)
        if doc_key is None:
            continue  # the digests do not agree without it
        for field in lines[0].texts:
            text = join_or_none([_text(row.texts[field]) for row in lines])
            found.texts[doc_key, field] = text
            found.digests["text"].add(text_fields(doc_key, field, text))
        for row in lines:
            patient = row.patient_key if form.traits.holds_patient_key else patients.get(doc_key)
            found.digests["columns"].add(column_fields(doc_key, patient, list(row.cells.items())))


def notes_of_part(
    storage: Storage, output: str, manifest: Mapping[str, Any], part: Mapping[str, Any]
) -> tuple[Format, Columns, Iterator[list[PartRow]]]:
    """The format and the columns of a published data part, and the rows of each of its notes.

    Raises:
        UsageError: if the manifest does not say how it is written.
    """
    run = manifest["runs"][part["run"]]
    columns = Columns.parse(run["columns"])
    url = f"{output}/{part['path']}"
    file = InputFile(url, part["bytes"], version="", path=url.rsplit("/", 1)[-1])
    form = open_format(format_of(url, run["format"]), FormatOptions(**run["settings"]))
    rows = form.part_rows(storage, file, columns)
    if run["group_lines"] is not None:
        return form, columns, _notes(rows)
    return form, columns, ([row] for row in as_read(rows, columns))


def _text(value: object) -> str | None:
    """A cell of a data file that should be a text, or null."""
    if value is None or isinstance(value, str):
        return value
    raise TypeError("a cell is not text")


def _notes(rows: Iterator[PartRow]) -> Iterator[list[PartRow]]:
    """Yields the rows of each note, which are neighbours."""
    for _, lines in itertools.groupby(rows, lambda row: row.doc_key):
        yield list(lines)


def faults_of_tables(tables: Tables, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yields what does not agree: digests, counts, and the tables among each other."""
    for part in PARTS:
        if tables.digests[part].hex() != manifest["digests"][part]:
            yield f"the digest of {part} does not match the manifest"
    if content_digest(tables.digests) != manifest["content_digest"]:
        yield "the content digest does not match the manifest"
    yield from _faults_of_counts(tables, manifest)
    yield from _faults_of_documents(tables)
    yield from _faults_of_detectors(tables, manifest)


def _faults_of_counts(tables: Tables, manifest: Mapping[str, Any]) -> Iterator[str]:
    out = [row for row in tables.documents if row["status"] != "quarantined"]
    entities = [row for row in tables.spans if not row["fragment"] and row["reason"] in BELIEVED]
    counted = {
        "rows_in": tables.rows + len(tables.quarantine),
        "rows_out": tables.rows,
        "rows_quarantined": len(tables.quarantine),
        "documents": len(out),
        "documents_null": sum(row["status"] == "null" for row in out),
        "tokens": sum(row["tokens"] for row in out),
        "characters": sum(row["characters"] for row in out),
        "spans": len(entities),
    }
    for name, count in counted.items():
        if manifest["counts"][name] != count:
            yield f"manifest: counts.{name} is not what the tables hold"
    if Counter(row["label"] for row in entities) != Counter(manifest["labels"]):
        yield "manifest: labels are not those of the audit"
    errors = Counter(f"{row['stage']}: {row['error']}" for row in tables.quarantine)
    if errors != Counter(manifest["errors"]):
        yield "manifest: errors are not those of the quarantine table"
    of_documents: Counter[str] = Counter()
    for row in out:
        of_documents.update(dict(row["spans"]))
    if of_documents != Counter(row["label"] for row in entities):
        yield "the documents table and the audit differ in the number of spans"
    put = sum(row["action"] == SURROGATE and not row["fragment"] for row in tables.spans)
    told = [row.get("surrogates") for row in out]
    if put != sum(count or 0 for count in told) and any(count is not None for count in told):
        yield "the documents table and the audit differ in the number of surrogates"


def _faults_of_documents(tables: Tables) -> Iterator[str]:
    out = [row for row in tables.documents if row["status"] != "quarantined"]
    listed = {(row["doc_key"], row["field"]) for row in out}
    if len(listed) != len(out):
        yield "two documents have the same doc_key"
    if listed != tables.texts.keys():
        yield "data and documents do not hold the same documents"
    if not {(row["doc_key"], row["field"]) for row in tables.spans} <= listed:
        yield "audit rows belong to no document"
    for row in tables.spans:
        text = tables.texts.get((row["doc_key"], row["field"]))
        if text is None or not 0 <= row["out_start"] <= row["out_end"] <= len(text):
            yield "a span of the audit lies outside its document"
            break
    for row in out:
        text = tables.texts.get((row["doc_key"], row["field"]))
        if text is not None and len(text) != row["out_characters"]:
            yield "a text is not as long as the documents table says"
            break


def _faults_of_detectors(tables: Tables, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Models and rules of the last run are those that looked at its documents."""
    rules = {f"{name}@{value[:12]}" for name, value in manifest["recognisers"].items()}
    # A manifest names a bundle by its place; the detectors of one bear its hash.
    models = {value[:12] for value in manifest["models"].values()}
    looked = {row["detectors"] for row in tables.documents if row["run"] == manifest["run"]}
    for named in (one.split(" ") for one in looked):
        if not rules <= set(named) or not models <= {one.partition("@")[2] for one in named}:
            yield "manifest: models or recognisers are not those that the documents table names"
            return


def faults_of_originals(
    originals: SourceDocuments, tables: Tables, manifest: Mapping[str, Any]
) -> tuple[list[str], int]:
    """Applies the audit to the inputs of the last run; faults, and how many were compared."""
    texts = tables.texts
    of_document: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for span in tables.spans:
        of_document[span["doc_key"], span["field"]].append(span)
    faults: list[str] = []
    checked = 0
    stand_ins = originals.stand_ins
    for batch in _batches_there(originals, faults):
        if stand_ins is not None:
            batch = look_through(batch, originals.job.budgets)
        known = originals.known_in(batch)
        for index, text in enumerate(batch.documents.texts):
            row, field = int(batch.documents.rows[index]), batch.documents.fields[index]
            doc_key = batch.rows.doc_keys[row]
            if doc_key is None or (doc_key, field) not in texts:
                continue  # quarantined; the documents table says so
            out = texts[doc_key, field]
            checked += 1
            policy = originals.policy.for_note_type(batch.rows.note_types[row])
            spans = sorted(of_document[doc_key, field], key=lambda one: (one["start"], one["end"]))
            place = f"unit {batch.unit}, row {int(batch.rows.ordinals[row])}"
            if any(span["action"] not in ACTIONS for span in spans) or out is None:
                shown = None
            else:
                shown = by_audit(batch, index, spans, policy, stand_ins, known)
                if any(map(_is_truth, spans, shown, itertools.repeat(text))):
                    faults.append(f"{place}: a surrogate is the text that it stands for")
            if out is None or shown is None or not _agrees(text, out, spans, shown):
                faults.append(f"{place}: the audit does not lead to the published text")
    # What earlier runs published has originals of its own, which may be deleted by now.
    expected = sum(
        row["run"] == manifest["run"] and row["status"] == "scrubbed" for row in tables.documents
    )
    if checked != expected:
        faults.append(f"{checked} originals were found for {expected} documents of the last run")
    return faults, checked


def _batches_there(originals: SourceDocuments, faults: list[str]) -> Iterator[Batch]:
    """The batches of all units whose inputs are as they were; the others are faults."""
    for unit in range(len(originals.plan.units)):
        try:
            yield from originals.of_units([unit])
        except InputChanged:
            faults.append(f"unit {unit}: an input was changed or removed after it was scrubbed")
        except StorageError as error:
            raise error.within(f"originals of unit {unit}") from None


def _is_truth(span: dict[str, Any], shown: StandIn, text: str) -> bool:
    """Whether a surrogate is what it stands for, which of those of ages alone it may be."""
    if span["action"] != SURROGATE or not ACTIONS[SURROGATE].is_late(span["label"]):
        return False
    return shown.text == text[span["start"] : span["end"]]


def _agrees(text: str, out: str, spans: list[dict[str, Any]], expected: list[StandIn]) -> bool:
    """Whether `out` is `text` but for the spans, and each span was replaced as its row says."""
    at = out_at = 0
    for span, shown in zip(spans, expected, strict=True):
        if text[at : span["start"]] != out[out_at : span["out_start"]]:
            return False
        told = (span["action"], *(span.get(name) for name in ("attempt", "precision", "entity_id")))
        if told != (shown.action, shown.attempt, shown.precision, shown.entity):
            return False
        if out[span["out_start"] : span["out_end"]] != shown.text:
            return False
        at, out_at = span["end"], span["out_end"]
    return text[at:] == out[out_at:]
