"""Checking a published output: hashes, digests, joins; with the originals, the audit once more."""

from __future__ import annotations

import hashlib
import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from ..models.actions import ACTIONS
from ..models.batches import Batch
from ..models.digests import PARTS, Digest, content_digest
from ..models.errors import InputChanged
from ..models.formats import PartRow, Settings, format_of, open_format
from ..models.grouping import join_or_none
from ..models.policy import Policy
from ..models.results import (
    COUNTS,
    audit_fields,
    column_fields,
    quarantine_fields,
    text_fields,
)
from ..models.roles import Columns
from ..models.storage import InputFile, Storage
from .inspection import read_manifest, read_rows
from .originals import Originals, open_originals
from .publish import part_digest

Scrubbed = dict[tuple[str, str], str | None]
"""(doc_key, field) -> scrubbed text."""


def verify(
    storage: Storage, output: str, *, originals: bool, key_source: str | None
) -> tuple[list[str], list[str]]:
    """Recomputes what the manifest promises.

    Args:
        originals: also read the inputs again, apply the audit to them and compare with the
            published texts.
        key_source: of the master key, for `originals`; None for that of the run's plan.

    Returns:
        faults: what is wrong, without PHI; empty if all agrees.
        lines: what was checked.

    Memory: all texts of the output at once.
    """
    manifest = read_manifest(storage, output)
    faults = _check_parts(storage, output, manifest)
    lines = [f"{len(manifest['parts']):,} parts: {len(faults)} differ from their hashes"]
    if faults:
        return faults, lines

    spans = read_rows(storage, output, manifest, "audit")
    documents = read_rows(storage, output, manifest, "documents")
    patients = {row["doc_key"]: row["patient_key"] for row in documents}
    texts, digests = _read_data(storage, output, manifest, patients)
    quarantined = read_rows(storage, output, manifest, "quarantine")
    for row in spans:
        digests["audit"].add(audit_fields(row))
    for row in quarantined:
        digests["quarantine"].add(quarantine_fields(row))
    for part in PARTS:
        if digests[part].hex() != manifest["digests"][part]:
            faults.append(f"the digest of {part} does not agree with the manifest")
    if content_digest(digests) != manifest["content_digest"]:
        faults.append("the content digest does not agree with the manifest")
    lines.append(f"content digest {content_digest(digests)}")
    lines.append(f"part digest {part_digest(manifest)}")

    counts = manifest["counts"]
    if counts["rows_in"] != counts["rows_out"] + counts["rows_quarantined"]:
        faults.append("rows in are not rows out and quarantined")
    if len(quarantined) != counts["rows_quarantined"]:
        faults.append("the quarantine table does not have as many rows as the manifest says")
    faults += _check_documents(texts, documents, spans)
    lines.append(
        ", ".join(
            f"{counts[name]:,} {name}" for name in COUNTS if name not in ("tokens", "characters")
        )
    )
    if originals:
        # What earlier runs published has originals of its own, which may be gone by now.
        expected = sum(
            row["run"] == manifest["run"] and row["status"] == "scrubbed" for row in documents
        )
        more, checked = _check_originals(storage, output, manifest, texts, spans, key_source)
        if checked != expected:
            more.append(f"{checked} originals were found for {expected} documents of the last run")
        faults += more
        lines.append(
            f"{checked:,} originals of the last run: the audit does not lead to the published texts"
            if more
            else f"{checked:,} originals of the last run: the audit leads to the published texts"
        )
    return faults, lines


def _check_parts(storage: Storage, output: str, manifest: Mapping[str, Any]) -> list[str]:
    faults = []
    for part in manifest["parts"]:
        digest = hashlib.sha256()
        try:
            for block in storage.read_blocks(f"{output}/{part['path']}", 0, part["bytes"] + 1):
                digest.update(block)
        except FileNotFoundError:
            faults.append(f"part {part['path']} is missing")
            continue
        if digest.hexdigest() != part["sha256"]:
            faults.append(f"part {part['path']} is not what was written")
    listed = {part["path"] for part in manifest["parts"]}
    for name in storage.list_names(f"{output}/data"):
        if f"data/{name}" not in listed:
            faults.append("a file under data/ is not in the manifest")
    return faults


def _read_data(
    storage: Storage,
    output: str,
    manifest: Mapping[str, Any],
    patients: Mapping[str, str | None],
) -> tuple[Scrubbed, dict[str, Digest]]:
    """The published texts, and the digests of texts and columns.

    Args:
        patients: doc_key -> patient_key, for formats that have no room for it.
    """
    texts: Scrubbed = {}
    digests = {part: Digest() for part in PARTS}
    columns = {run: Columns.parse(one["columns"]) for run, one in manifest["runs"].items()}
    settings = {run: Settings(**one.get("settings", {})) for run, one in manifest["runs"].items()}
    for part in manifest["parts"]:
        if part["table"] != "data":
            continue
        url = f"{output}/{part['path']}"
        file = InputFile(url, part["bytes"], version="", path=url.rsplit("/", 1)[-1])
        asked = manifest["runs"][part["run"]].get("format")
        form = open_format(asked or format_of(url), settings[part["run"]])
        rows = form.part_rows(storage, file, columns[part["run"]])
        grouped = manifest["runs"][part["run"]].get("group_lines") is not None
        for lines in _notes(rows) if grouped else ([row] for row in rows):
            doc_key = lines[0].doc_key
            if doc_key is None:
                continue  # the digests do not agree without it
            for field in lines[0].texts:
                text = join_or_none([row.texts[field] for row in lines])
                texts[doc_key, field] = text
                digests["text"].add(text_fields(doc_key, field, text))
            for row in lines:
                patient = row.patient_key if form.holds_patient_key else patients.get(doc_key)
                digests["columns"].add(column_fields(doc_key, patient, list(row.cells.items())))
    return texts, digests


def _notes(rows: Iterator[PartRow]) -> Iterator[list[PartRow]]:
    """Yields the rows of each note, which are neighbours."""
    for _, lines in itertools.groupby(rows, lambda row: row.doc_key):
        yield list(lines)


def _check_documents(
    texts: Scrubbed, documents: list[dict[str, Any]], spans: list[dict[str, Any]]
) -> list[str]:
    faults = []
    listed = {(row["doc_key"], row["field"]) for row in documents if row["status"] != "quarantined"}
    if len(listed) != len([row for row in documents if row["status"] != "quarantined"]):
        faults.append("two documents have one doc_key")
    if listed != texts.keys():
        faults.append("data and documents do not hold the same documents")
    known = {(row["doc_key"], row["field"]) for row in spans}
    if not known <= listed:
        faults.append("audit rows belong to no document")
    for row in spans:
        text = texts.get((row["doc_key"], row["field"]))
        if text is None or not 0 <= row["out_start"] <= row["out_end"] <= len(text):
            faults.append("an audit row lies outside its document")
            break
    return faults


def _check_originals(
    storage: Storage,
    output: str,
    manifest: Mapping[str, Any],
    texts: Scrubbed,
    spans: list[dict[str, Any]],
    key_source: str | None,
) -> tuple[list[str], int]:
    """Applies the audit to the inputs of the last run; faults, and how many were compared."""
    originals = open_originals(storage, output, manifest["run"], key_source)
    of_document: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for span in spans:
        of_document[span["doc_key"], span["field"]].append(span)
    faults: list[str] = []
    checked = 0
    for batch in _batches_there(originals, faults):
        for index, text in enumerate(batch.documents.texts):
            row, field = int(batch.documents.rows[index]), batch.documents.fields[index]
            doc_key = batch.rows.doc_keys[row]
            if doc_key is None or (doc_key, field) not in texts:
                continue  # quarantined; the documents table says so
            out = texts[doc_key, field]
            checked += 1
            policy = originals.policy.for_note_type(batch.rows.note_types[row])
            if out is None or not _agrees(text, out, of_document[doc_key, field], policy):
                faults.append(
                    f"unit {batch.unit}, row {int(batch.rows.ordinals[row])}: "
                    "the audit does not lead to the published text"
                )
    return faults, checked


def _batches_there(originals: Originals, faults: list[str]) -> Iterator[Batch]:
    """The batches of all units whose inputs are as they were; the others are faults."""
    for unit in range(len(originals.plan.units)):
        try:
            yield from originals.batches([unit])
        except InputChanged:
            faults.append(f"unit {unit}: an input has changed or is gone since it was scrubbed")


def _agrees(text: str, out: str, spans: list[dict[str, Any]], policy: Policy) -> bool:
    """Whether `out` is `text` but for the spans, and each span was replaced as its row says."""
    at = out_at = 0
    for span in sorted(spans, key=lambda one: (one["start"], one["end"])):
        if text[at : span["start"]] != out[out_at : span["out_start"]]:
            return False
        before, after = text[span["start"] : span["end"]], out[span["out_start"] : span["out_end"]]
        action, fragment = span["action"], span["fragment"]
        if action not in ACTIONS or after != policy.shown(
            action, span["label"], before, fragment=fragment
        ):
            return False
        at, out_at = span["end"], span["out_end"]
    return text[at:] == out[out_at:]
