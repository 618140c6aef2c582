"""Looking at an output: a run's summary, and a document side by side for those allowed to."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any

import pyarrow.parquet as pq

from ..models.errors import UsageError
from ..models.keys import canonical_id
from ..models.policy import Policy
from ..models.roles import DOC_KEY
from ..models.storage import Storage
from .originals import open_originals
from .publish import part_digest


_MANIFEST = {"run", "runs", "parts", "counts", "labels", "errors", "digests", "policy", "report"}


def read_manifest(storage: Storage, output: str) -> dict[str, Any]:
    """The manifest of a published output.

    Raises:
        UsageError: if nothing is published there, or the manifest is damaged.
    """
    try:
        manifest: dict[str, Any] = json.loads(storage.read_bytes(f"{output}/manifest.json"))
    except FileNotFoundError:
        raise UsageError("nothing is published in this output: it has no manifest.json") from None
    except ValueError:
        manifest = {}
    if not isinstance(manifest, dict) or not _MANIFEST <= manifest.keys():
        raise UsageError("the manifest.json of this output is damaged, or of another version")
    if not storage.exists(f"{output}/_SUCCESS"):
        raise UsageError(
            "this output is being published, or was stopped while it was: "
            "it has no _SUCCESS; resume it"
        )
    return manifest


def summary(manifest: Mapping[str, Any]) -> str:
    """What a run did, in some lines of plain text."""
    counts, report = manifest["counts"], manifest["report"]
    rate = counts["rows_in"] / report["seconds"] if report.get("seconds") else 0
    lines = [
        f"run              {manifest['run']}",
        f"rows             {counts['rows_in']:,} in = {counts['rows_out']:,} out + "
        f"{counts['rows_quarantined']:,} quarantined",
        f"documents        {counts['documents']:,} ({counts['documents_null']:,} without text), "
        f"{counts['tokens']:,} tokens, {counts['characters']:,} characters",
        f"spans            {counts['spans']:,}",
    ]
    width = max(map(len, manifest["labels"]), default=0)
    lines += [
        f"  {label:<{width}}  {count:>9,}"
        for label, count in sorted(manifest["labels"].items(), key=lambda pair: (-pair[1], pair[0]))
    ]
    lines += [f"quarantined      {error}: {count:,}" for error, count in manifest["errors"].items()]
    if manifest["policy"]["kept"]:
        lines.append(f"kept by policy   {', '.join(manifest['policy']['kept'])}")
    if report.get("repeated_ids"):
        lines.append(
            f"warning          {report['repeated_ids']:,} rows repeat an id of another row"
        )
    lines += [
        f"policy           {manifest['policy']['name']}",
        f"models           {', '.join(manifest['models']) or 'none'}",
        f"time             {report.get('seconds', 0):,.1f} s, {rate:,.0f} rows/s",
        f"content digest   {manifest['content_digest']}",
        f"part digest      {part_digest(manifest)}",
    ]
    return "\n".join(lines)


def show_document(storage: Storage, output: str, wanted: str, *, key_source: str | None) -> None:
    """Prints original and scrubbed text side by side, spans coloured.

    Args:
        wanted: a document's id or its doc_key.

    Raises:
        UsageError: if the key, the document or its original is not there.
    """
    manifest = read_manifest(storage, output)
    keys = open_originals(storage, output, manifest["run"], key_source).keys
    doc_keys = {wanted, keys.doc_key(canonical_id(wanted) or wanted)}
    rows = [
        row
        for row in read_rows(storage, output, manifest, "documents")
        if row["doc_key"] in doc_keys
    ]
    if not rows:
        raise UsageError("the output has no such document")
    spans = [
        row for row in read_rows(storage, output, manifest, "audit") if row["doc_key"] in doc_keys
    ]
    originals = open_originals(storage, output, rows[0]["run"], key_source)
    for batch in originals.batches([rows[0]["unit"]]):
        for index in range(len(batch.documents)):
            row, field = int(batch.documents.rows[index]), batch.documents.fields[index]
            if batch.rows.doc_keys[row] in doc_keys:
                _side_by_side(
                    batch.documents.texts[index],
                    [span for span in spans if span["field"] == field],
                    f"{DOC_KEY} {batch.rows.doc_keys[row]}, {field}",
                    originals.policy,
                )


def read_rows(
    storage: Storage, output: str, manifest: Mapping[str, Any], table: str
) -> list[dict[str, Any]]:
    """All rows of a published table."""
    rows: list[dict[str, Any]] = []
    for part in manifest["parts"]:
        if part["table"] == table:
            rows += pq.read_table(
                io.BytesIO(storage.read_bytes(f"{output}/{part['path']}"))
            ).to_pylist()
    return rows


def _side_by_side(text: str, spans: list[dict[str, Any]], title: str, policy: Policy) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    left, right, at = Text(), Text(), 0
    for span in sorted(spans, key=lambda s: s["start"]):
        before, covered = text[at : span["start"]], text[span["start"] : span["end"]]
        left.append(before)
        right.append(before)
        style = "green" if span["action"] == "keep" else "bold red"
        left.append(covered, style=style)
        right.append(
            _replacement(span, covered, policy),
            style="green" if span["action"] == "keep" else "bold cyan",
        )
        at = span["end"]
    left.append(text[at:])
    right.append(text[at:])
    table = Table(title=title, expand=True)
    table.add_column("original", ratio=1)
    table.add_column("scrubbed", ratio=1)
    table.add_row(left, right)
    Console().print(table)


def _replacement(span: Mapping[str, Any], covered: str, policy: Policy) -> str:
    """What the audit says replaced a span."""
    if span["action"] == "keep":
        return covered
    if span["action"] == "generalise":
        return policy.decide(span["label"], covered)[1] or ""
    length = span["out_end"] - span["out_start"]
    return f"[{span['label']}]" if span["action"] == "redact" and length else "*" * length
