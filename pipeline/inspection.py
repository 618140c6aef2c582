"""Looking at an output: a run's summary; for key holders, documents and what is quarantined."""

from __future__ import annotations

import io
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..models.actions import ACTIONS
from ..models.errors import InputChanged, UsageError, explain
from ..models.job import Job
from ..models.keys import canonical_id
from ..models.policy import Policy
from ..models.results import COUNTS
from ..models.roles import DOC_KEY
from ..models.storage import Storage
from ..models.units import Plan
from .catalogue import Catalogue
from .changes import missing_names, told_night
from .estimate import comparison
from .originals import open_job, open_originals
from .publish import part_digest, read_receipts
from .state import MANIFEST, Stage, is_published, pending_runs, stage_of

_MANIFEST = {
    *("run", "runs", "parts", "counts", "labels", "errors", "policy", "report"),
    *("digests", "content_digest"),
}


def read_manifest(storage: Storage, output: str) -> dict[str, Any]:
    """The manifest of a published output.

    Raises:
        UsageError: if nothing is published there, or the manifest is damaged.
    """
    try:
        manifest: dict[str, Any] = json.loads(storage.read_bytes(f"{output}/{MANIFEST}"))
    except FileNotFoundError:
        raise UsageError("nothing is published in this output: it has no manifest.json") from None
    except (ValueError, RecursionError):
        manifest = {}
    if not isinstance(manifest, dict) or not manifest.keys() >= _MANIFEST:
        raise UsageError("the manifest.json of this output is damaged, or of another version")
    if not is_published(storage, output):
        raise UsageError(
            "this output is being published, or was stopped while it was: "
            "it has no _SUCCESS; resume it"
        )
    return manifest


def summary(manifest: Mapping[str, Any], subject: str = "this run") -> str:
    """What a run did and what its output holds, in some lines of plain text.

    Args:
        subject: what the run is called that published last: counts are of all that is published,
            and what that run did of it is said where it is not the same.
    """
    report, policy = manifest["report"], manifest["policy"]
    # Another version may count other things: what it did not count is not told as 0.
    counts = manifest["counts"]
    told = {name: f"{counts[name]:,}" if name in counts else "?" for name in COUNTS}
    lines = [
        f"run              {manifest['run']}",
        *_of_run(counts, report.get("counts"), subject),
        f"rows             {told['rows_in']} in = {told['rows_out']} out + "
        f"{told['rows_quarantined']} quarantined",
        f"documents        {told['documents']} ({told['documents_null']} without text), "
        f"{told['tokens']} tokens, {told['characters']} characters",
        f"spans            {told['spans']}",
    ]
    width = max(map(len, manifest["labels"]), default=0)
    lines += [
        f"  {label:<{width}}  {count:>9,}"
        for label, count in sorted(manifest["labels"].items(), key=lambda pair: (-pair[1], pair[0]))
    ]
    lines += [
        f"quarantined      {error}: {count:,} ({explain(error.partition(': ')[2]).cause})"
        for error, count in manifest["errors"].items()
    ]
    if counts_of_inputs := report.get("incremental"):
        lines += told_night(counts_of_inputs)
    if kept := policy.get("kept"):
        lines.append(f"kept by policy   {', '.join(kept)}")
    lines += _told_lists(policy, "")
    for note_type, told_of in policy.get("note_types", {}).items():
        if "kept" in told_of:
            kept_there = ", ".join(told_of["kept"]) or "nothing"
            lines.append(f"kept by policy   {kept_there} (note type {note_type})")
        lines += _told_lists(told_of, f" (note type {note_type})")
    if report.get("repeated_ids"):
        lines.append(
            f"warning          {report['repeated_ids']:,} rows repeat an id of another row"
        )
    lines += [
        f"policy           {policy.get('name', '?')}",
        f"models           {', '.join(manifest.get('models', '?')) or 'none'}",
    ]
    if (seconds := report.get("seconds")) is not None:
        lines.append(f"time             {seconds:,.1f} s{_rate(report, seconds)}")
    if prediction := report.get("prediction"):
        lines += ["prediction", *(f"  {line}" for line in comparison(prediction))]
    lines += [
        f"content digest   {manifest['content_digest']}",
        f"part digest      {part_digest(manifest)}",
    ]
    return "\n".join(lines)


def _of_run(
    published: Mapping[str, int], counts: Mapping[str, int] | None, subject: str
) -> Iterator[str]:
    """What the run did, if the output holds more than that or another version did not say."""
    if counts is None or all(published.get(name, n) == n for name, n in counts.items()):
        return
    yield (
        f"{subject:16} {counts['rows_in']:,} rows in = {counts['rows_out']:,} out + "
        f"{counts['rows_quarantined']:,} quarantined; {counts['spans']:,} spans"
    )
    yield "published        with earlier runs:"


def _rate(report: Mapping[str, Any], seconds: float) -> str:
    """Rows a second, of those that were worked on in that time."""
    rows = report.get("rows_worked_on")
    if rows is None:  # another version did not count them
        return ""
    if not rows:
        return ", no row was left to be worked on"
    return f", {rows / seconds:,.0f} rows/s" if seconds else ""


def _told_lists(policy: Mapping[str, Any], where: str) -> Iterator[str]:
    """A line for each kind of list of phrases."""
    for key, name, effect in (
        ("vetoes", "veto phrases     ", "let through wherever a candidate is just that"),
        ("allowed", "allowed phrases  ", "let through, and what lies within them"),
        ("denied", "denied phrases   ", "removed wherever they are"),
    ):
        if lists := policy.get(key):
            phrases = ", ".join(f"{label}: {count}" for label, count in lists.items())
            yield f"{name}{phrases}: {effect}{where}"


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
    rows = read_rows(storage, output, manifest, "documents", doc_keys)
    if not rows:
        raise UsageError("the output has no such document")
    spans = read_rows(storage, output, manifest, "audit", doc_keys)
    originals = open_originals(storage, output, rows[0]["run"], key_source)
    try:
        batches = list(originals.batches([rows[0]["unit"]]))
    except InputChanged:
        raise UsageError(
            "the original cannot be shown: its file has changed or is gone since it was scrubbed"
        ) from None
    for batch in batches:
        for index in range(len(batch.documents)):
            row, field = int(batch.documents.rows[index]), batch.documents.fields[index]
            if batch.rows.doc_keys[row] in doc_keys:
                _side_by_side(
                    batch.documents.texts[index],
                    [span for span in spans if span["field"] == field],
                    f"{DOC_KEY} {batch.rows.doc_keys[row]}, {field}",
                    originals.policy.for_note_type(batch.rows.note_types[row]),
                )


def read_rows(
    storage: Storage,
    output: str,
    manifest: Mapping[str, Any],
    table: str,
    doc_keys: Collection[str] | None = None,
) -> list[dict[str, Any]]:
    """Rows of a published table.

    Args:
        doc_keys: only rows of these documents; None for all rows.
    """
    rows: list[dict[str, Any]] = []
    for part in manifest["parts"]:
        if part["table"] == table:
            rows += rows_in(storage.read_bytes(f"{output}/{part['path']}"), doc_keys)
    return rows


def rows_in(content: bytes, doc_keys: Collection[str] | None = None) -> Iterator[dict[str, Any]]:
    """The rows of a table in a file; of some documents, or all."""
    wanted = None if doc_keys is None else pa.array(sorted(doc_keys), pa.string())
    for batch in pq.ParquetFile(io.BytesIO(content)).iter_batches(use_threads=False):
        if wanted is not None:
            batch = batch.filter(pc.is_in(batch.column(DOC_KEY), wanted))
        yield from batch.to_pylist()


def list_gone(
    storage: Storage, output: str, urls: Sequence[str], *, key_source: str | None
) -> Iterator[str]:
    """Yields a line for each input that the output holds and that is gone: tab-separated.

    Args:
        urls: the places that are listed, as for a run.

    Raises:
        UsageError: if nothing is published, a place leads to no file, or the key is another one.
    """
    open_job(storage, output, read_manifest(storage, output)["run"], key_source)
    catalogue = Catalogue.read(storage, output)
    gone = missing_names(storage, catalogue, urls)
    yield "run\tunit\tinput"
    for url in gone:
        for name, entry in sorted(catalogue.units.items()):
            if url in entry.inputs:
                yield f"{entry.run}\t{name}\t{_shown(url)}"


# -- quarantine

_QUARANTINE_COLUMNS = ("run", "state", "unit", "row", "stage", "error", "input")
ERROR_COLUMN = _QUARANTINE_COLUMNS.index("error")


def list_quarantined(storage: Storage, output: str, *, key_source: str | None) -> Iterator[str]:
    """Yields a line for each quarantined row, published or of a run that is not: tab-separated.

    The columns, which the first line names, end with the input: its URL and the bytes or row groups
    in which the row is. Where a unit has several stretches and its format does not tell which one,
    it is one of those listed. Names of inputs may be PHI: hence the key.

    Raises:
        UsageError: if there is neither a published output nor an unfinished run; if the key is
            another one, or a run's plan is gone.
    """
    unfinished = pending_runs(storage, output)
    published = is_published(storage, output)
    # While a run is being promoted, what the manifest lists may have been moved away already.
    manifest = read_manifest(storage, output) if published or not unfinished else None
    runs = sorted(manifest["runs"]) if manifest is not None else []
    opened = {run: open_job(storage, output, run, key_source)[0] for run in runs}
    for run in unfinished:
        if stage_of(storage, output, run) is not Stage.PLANNING:  # else nothing was begun
            opened[run] = open_job(storage, output, run, key_source)[0]
    plans = {run: (job, Plan.read(storage, job.restricted)) for run, job in opened.items()}

    yield "\t".join(_QUARANTINE_COLUMNS)
    if manifest is not None:
        rows = read_rows(storage, output, manifest, "quarantine")
        yield from _quarantine_lines("published", rows, plans)
    for run in unfinished:
        if run in opened:
            rows = _staged_quarantine(storage, *plans[run])
            yield from _quarantine_lines("unfinished", rows, plans)


def legend(errors: Iterable[str]) -> Iterator[str]:
    """Yields a line for each error class that says what it means, in order of names.

    It is for people, and so for standard error: programs read `list_quarantined` as a table.
    """
    for error in sorted(set(errors)):
        told = explain(error)
        yield f"{error}: {told.cause}; {told.remedy}"


def _staged_quarantine(storage: Storage, job: Job, plan: Plan) -> Iterator[dict[str, Any]]:
    for _, receipt in sorted(read_receipts(storage, job, plan).items()):
        for part in receipt.parts:
            if part.table == "quarantine":
                try:
                    content = storage.read_bytes(f"{job.staging}/{part.path}")
                except FileNotFoundError:  # a promotion that was stopped has moved it
                    content = storage.read_bytes(f"{job.output}/{part.path}")
                yield from rows_in(content)


def _quarantine_lines(
    state: str, rows: Iterable[Mapping[str, Any]], plans: Mapping[str, tuple[Job, Plan]]
) -> Iterator[str]:
    for row in rows:
        place = _place(*plans[row["run"]], row["unit"], row["ordinal"])
        told = (row["run"], state, row["unit"], row["ordinal"], row["stage"], row["error"], place)
        yield "\t".join(map(str, told))


def _place(job: Job, plan: Plan, unit: int, ordinal: int) -> str:
    """The stretches of input, one of which holds a row."""
    form, locators = job.form(plan.units[unit].format), plan.units[unit].locators
    if form.file_is_record:
        locators = locators[ordinal : ordinal + 1]
    return " | ".join(
        f"{_shown(plan.files[one.file].url)} {form.measure} {one.start}-{one.end}"
        for one in locators
    )


def _shown(name: str) -> str:
    """A name that is safe in a line on a terminal."""
    return name if name.isprintable() else repr(name)


# -- side by side


def _side_by_side(text: str, spans: list[dict[str, Any]], title: str, policy: Policy) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    left, right, at = Text(), Text(), 0
    for span in sorted(spans, key=lambda s: s["start"]):
        before, covered = text[at : span["start"]], text[span["start"] : span["end"]]
        left.append(before)
        right.append(before)
        stays = not ACTIONS[span["action"]].removes
        left.append(covered, style="green" if stays else "bold red")
        shown = policy.shown(span["action"], span["label"], covered, fragment=span["fragment"])
        right.append(shown, style="green" if stays else "bold cyan")
        at = span["end"]
    left.append(text[at:])
    right.append(text[at:])
    table = Table(title=title, expand=True)
    table.add_column("original", ratio=1)
    table.add_column("scrubbed", ratio=1)
    table.add_row(left, right)
    Console().print(table)
