"""Looking at an output: a run's summary; for key holders, documents and what is quarantined."""

from __future__ import annotations

import argparse
import bisect
import io
import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ...models.core.display_names import counted
from ...models.core.error_classes import explain
from ...models.core.errors import InputChanged, RunFailed, UsageError
from ...models.core.keys import canonical_id
from ...models.core.shortage import raise_shortage
from ...models.formats.column_roles import DOC_KEY
from ...models.jobs.job import Job
from ...models.jobs.late_spans import by_audit
from ...models.jobs.output_rows import COUNTS
from ...models.jobs.plan import Plan, Unit
from ...models.jobs.read_unit import rows_of_locators
from ...models.jobs.record_rows import row_key
from ...models.messages.fhir import FHIR
from ...models.redaction.actions import ACTIONS
from ...models.redaction.stand_ins import StandIn
from ...models.storage.storage import Storage
from ...models.views.batches import look_through
from ..cost_model import comparison
from ..outputs.catalogue import Catalogue
from ..outputs.incremental import format_change_counts, missing_names
from ..outputs.manifest import read_manifest
from ..outputs.output_page import stand_ins_said
from ..outputs.publishing import part_digest, read_receipts
from ..outputs.source_documents import open_source_documents, read_job_and_keys
from ..outputs.state import Stage, is_published, pending_runs, require_there, stage_of
from ..process.exit_codes import ExitCode
from ..process.logs import say
from ..process.stdout import flush_stdout, show
from . import column_names
from .column_fates import column_fates
from .side_by_side import show_side_by_side, without_controls
from .sql_views import sql_views


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Raises:
        UsageError: if what was asked for is not there, or the key is another one.
    """
    if parsed.list_columns:
        return column_names.run(parsed)
    if not parsed.output:
        raise UsageError("say which output with --output URL")
    output = parsed.output.rstrip("/")
    storage = Storage(output)
    require_there(storage, output)
    if parsed.sql:
        show(sql_views(storage, output))
    elif parsed.document:
        show_document(storage, output, parsed.document, key_source=parsed.key_source)
    elif parsed.gone:
        if not parsed.inputs:
            raise UsageError("--gone needs --input URL: where the inputs of the run are")
        for line in list_removed(storage, output, parsed.inputs, key_source=parsed.key_source):
            show(line)
    elif parsed.quarantined:
        _show_quarantined(list_quarantined(storage, output, key_source=parsed.key_source))
    else:
        show(summary(read_manifest(storage, output), "last run"))
    return ExitCode.DONE


def _show_quarantined(lines: Iterator[str]) -> None:
    """Prints the table, and on standard error what its error classes mean."""
    errors = set()
    show(next(lines))
    for line in lines:
        show(line)
        errors.add(line.split("\t")[_ERROR_COLUMN])
    flush_stdout()
    for line in legend(errors):
        say(line, "INFO")


def summary(manifest: Mapping[str, Any], subject: str = "this run") -> str:
    """What a run did and what its output holds, in some lines of plain text.

    Args:
        subject: what the run is called that published last: counts are of all that is published,
            and what that run did of it is said where it is not the same.
    """
    report, policy = manifest["report"], manifest["policy"]
    # Another version may count other things: what it did not count is not shown as 0.
    counts = manifest["counts"]
    shown = {name: f"{counts[name]:,}" if name in counts else "?" for name in COUNTS}
    lines = [
        f"run              {manifest['run']}",
        *_of_run(counts, report.get("counts"), subject),
        f"rows             {shown['rows_in']} in = {shown['rows_out']} out + "
        f"{shown['rows_quarantined']} quarantined",
        f"documents        {shown['documents']} texts ({shown['documents_null']} of them null), "
        f"{shown['tokens']} tokens, {shown['characters']} characters",
        f"spans            {shown['spans']}",
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
        lines += format_change_counts(counts_of_inputs)
    if kept := policy.get("kept"):
        lines.append(f"kept by policy   {', '.join(kept)}")
    lines += _phrase_lists(policy, "")
    if own := policy.get("rules"):
        lines.append(f"own rules        {', '.join(own)}")
    for note_type, of_type in policy.get("note_types", {}).items():
        if "kept" in of_type:
            kept_there = ", ".join(of_type["kept"]) or "nothing"
            lines.append(f"kept by policy   {kept_there} (note type {note_type})")
        lines += _phrase_lists(of_type, f" (note type {note_type})")
    if report.get("repeated_ids"):
        lines.append(
            f"warning          {report['repeated_ids']:,} rows repeat an id of another row"
        )
    lines += [
        f"policy           {policy.get('name', '?')}",
        *(f"{name:16} {', '.join(said)}" for name, said in stand_ins_said(policy).items()),
        *_fates(manifest),
        f"models           {', '.join(manifest.get('models', '?')) or 'none'}",
        *_of_records(manifest),
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


def _of_records(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Whether notes of a patient were linked, and what the view was told and showed."""
    if "links" in manifest:
        facts = manifest["report"].get("metrics", {}).get("LinkNotes", {}).get("facts", 0)
        yield f"linked notes     {counted(facts, 'word')} to remove were found in other notes"
    view = manifest.get("view", {})
    if "attributes" in view:
        yield f"view             told of {view['attributes']}"
    if "generation" in view:
        yield f"view             shown as of release {view['generation']}"


def _fates(manifest: Mapping[str, Any]) -> Iterator[str]:
    """What became of each column in the last run; nothing where the manifest does not say."""
    if roles := manifest["runs"].get(manifest["run"], {}).get("columns"):
        yield "columns"
        yield from column_fates(roles, manifest["policy"])


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
    yield "published        together with earlier runs:"


def _rate(report: Mapping[str, Any], seconds: float) -> str:
    """Rows a second, of those that were worked on in that time."""
    rows = report.get("rows_worked_on")
    if rows is None:  # another version did not count them
        return ""
    if not rows:
        return ", no rows were left to do"
    return f", {rows / seconds:,.0f} rows/s" if seconds else ""


def _phrase_lists(policy: Mapping[str, Any], where: str) -> Iterator[str]:
    """A line for each kind of list of phrases."""
    for key, name, effect in (
        ("vetoes", "veto phrases     ", "kept where a candidate is exactly that"),
        ("allowed", "allowed phrases  ", "kept, with all that lies within them"),
        ("denied", "denied phrases   ", "always removed"),
    ):
        if lists := policy.get(key):
            phrases = ", ".join(f"{label}: {count}" for label, count in lists.items())
            yield f"{name}{phrases}: {effect}{where}"


_DOC_KEY = re.compile("[0-9a-f]{32}")
_IDS_OF_FHIR = "; ids of FHIR begin with the type: Patient/1; what is in a Bundle is part of it"


def show_document(storage: Storage, output: str, wanted: str, *, key_source: str | None) -> None:
    """Prints original and scrubbed text side by side, spans coloured.

    Args:
        wanted: a document's id or its doc_key.

    Raises:
        UsageError: if the key, the document or its original is not there.
    """
    manifest = read_manifest(storage, output)
    job, keys = read_job_and_keys(storage, output, manifest["run"], key_source)
    record = job.columns.record
    doc_keys = {row_key(keys, record, canonical_id(wanted) or wanted)}
    if _DOC_KEY.fullmatch(wanted):
        doc_keys.add(wanted)
    rows = read_rows(storage, output, manifest, "documents", doc_keys)
    if not rows:
        how = _IDS_OF_FHIR if record == FHIR.name else ""
        raise UsageError(f"the output has no such document{how}")
    spans = read_rows(storage, output, manifest, "audit", doc_keys)
    originals = open_source_documents(storage, output, rows[0]["run"], key_source)
    try:
        batches = list(originals.of_units([rows[0]["unit"]]))
    except InputChanged:
        raise UsageError(
            "the original cannot be shown: its file was changed or removed after it was scrubbed"
        ) from None
    stand_ins, is_shown = originals.stand_ins, False
    for batch in batches:
        if stand_ins is not None:
            batch = look_through(batch, originals.job.budgets)
        known = originals.known_in(batch)
        for index in range(len(batch.documents)):
            row, field = int(batch.documents.rows[index]), batch.documents.fields[index]
            if batch.rows.doc_keys[row] in doc_keys:
                is_shown = True
                policy = originals.policy.for_note_type(batch.rows.note_types[row])
                of_field = [span for span in spans if span["field"] == field]
                of_field.sort(key=lambda span: span["start"])
                _side_by_side(
                    batch.documents.texts[index],
                    of_field,
                    by_audit(batch, index, of_field, policy, stand_ins, known),
                    f"{DOC_KEY} {batch.rows.doc_keys[row]}, {field}",
                )
    if not is_shown:
        show(f"{DOC_KEY} {rows[0][DOC_KEY]}: it holds no text")


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


def list_removed(
    storage: Storage, output: str, urls: Sequence[str], *, key_source: str | None
) -> Iterator[str]:
    """Yields a tab-separated line for each input that the output holds and that no longer exists.

    Args:
        urls: the places that are listed, as for a run.

    Raises:
        UsageError: if nothing is published, a place leads to no file, or the key is another one.
    """
    read_job_and_keys(storage, output, read_manifest(storage, output)["run"], key_source)
    catalogue = Catalogue.read(storage, output)
    missing = missing_names(storage, catalogue, urls)
    yield "run\tunit\tinput"
    for url in missing:
        for name, entry in sorted(catalogue.units.items()):
            if url in entry.inputs:
                yield f"{entry.run}\t{name}\t{_shown(url)}"


# -- quarantine

_QUARANTINE_COLUMNS = ("run", "state", "unit", "row", "stage", "error", "input")
_ERROR_COLUMN = _QUARANTINE_COLUMNS.index("error")


def list_quarantined(storage: Storage, output: str, *, key_source: str | None) -> Iterator[str]:
    """Yields a line for each quarantined row, published or of a run that is not: tab-separated.

    The columns, which the first line names, end with the input: its URL and the bytes or row groups
    in which the row is; of a unit with several of them, which row of these it is, from 0 on. If its
    inputs are not there any more, as they were, all are listed. Names of inputs may be PHI: hence
    the key.

    Raises:
        UsageError: if there is neither a published output nor an unfinished run; if the key is
            another one, or a run has no plan.
    """
    unfinished = pending_runs(storage, output)
    published = is_published(storage, output)
    # While a run is being promoted, what the manifest lists may have been moved away already.
    manifest = read_manifest(storage, output) if published or not unfinished else None
    runs = sorted(manifest["runs"]) if manifest is not None else []
    opened = {run: read_job_and_keys(storage, output, run, key_source)[0] for run in runs}
    for run in unfinished:
        if stage_of(storage, output, run) is not Stage.PLANNING:  # else nothing was begun
            opened[run] = read_job_and_keys(storage, output, run, key_source)[0]
    plans = {run: (job, Plan.read(storage, job.restricted)) for run, job in opened.items()}

    yield "\t".join(_QUARANTINE_COLUMNS)
    if manifest is not None:
        rows = read_rows(storage, output, manifest, "quarantine")
        yield from _quarantine_lines(storage, "published", rows, plans)
    for run in unfinished:
        if run in opened:
            rows = _staged_quarantine(storage, *plans[run])
            yield from _quarantine_lines(storage, "unfinished", rows, plans)


def legend(errors: Iterable[str]) -> Iterator[str]:
    """Yields a line for each error class that says what it means, in order of names.

    It is for people, and so for standard error: programs read `list_quarantined` as a table.
    """
    for error in sorted(set(errors)):
        known = explain(error)
        yield f"{error}: {known.cause}; {known.remedy}"


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
    storage: Storage,
    state: str,
    rows: Iterable[Mapping[str, Any]],
    plans: Mapping[str, tuple[Job, Plan]],
) -> Iterator[str]:
    counts: dict[tuple[str, int], Sequence[int] | None] = {}
    for row in rows:
        run, unit = row["run"], row["unit"]
        job, plan = plans[run]
        if (run, unit) not in counts:
            counts[run, unit] = _rows_of_inputs(storage, job, plan, plan.units[unit])
        place = _place(job, plan, plan.units[unit], row["ordinal"], counts[run, unit])
        cells = (run, state, unit, row["ordinal"], row["stage"], row["error"], place)
        yield "\t".join(map(str, cells))


def _rows_of_inputs(storage: Storage, job: Job, plan: Plan, unit: Unit) -> Sequence[int] | None:
    """The number of rows in each range of a unit; None if they cannot be read any more.

    Only where it tells something: of a unit with several ranges, in whose files are several rows.
    """
    form = job.form(unit.format)
    if form.traits.file_is_record or len(unit.locators) < 2:
        return None
    try:
        return rows_of_locators(storage, form, unit, plan.files, job.columns, job.limits)
    except (RunFailed, OSError) as error:
        raise_shortage(error)
        return None


def _place(job: Job, plan: Plan, unit: Unit, ordinal: int, counts: Sequence[int] | None) -> str:
    """The range of input that holds a row, and which row of it; all of the unit if none is known.

    Args:
        counts: of rows in each range, where it has to be counted.
    """
    form, locators, within = job.form(unit.format), unit.locators, ""
    if form.traits.file_is_record:
        locators = locators[ordinal : ordinal + 1]
    elif counts is not None:
        ends = list(itertools.accumulate(counts))
        at = bisect.bisect_right(ends, ordinal)
        locators = locators[at : at + 1] or locators
        within = f" row {ordinal - ends[at] + counts[at]}" if at < len(counts) else ""
    return (
        " | ".join(
            f"{_shown(plan.files[one.file].url)} {form.traits.locator_unit} {one.start}-{one.end}"
            for one in locators
        )
        + within
    )


def _shown(name: str) -> str:
    """A name that is safe in a line on a terminal."""
    return name if name.isprintable() else repr(name)


# -- side by side


def _side_by_side(
    text: str, spans: Sequence[Mapping[str, Any]], stand_ins: Sequence[StandIn], title: str
) -> None:
    from rich.text import Text

    left, right, at = Text(), Text(), 0
    safe = without_controls(text)
    for span, stand_in in zip(spans, stand_ins, strict=True):
        before, covered = safe[at : span["start"]], safe[span["start"] : span["end"]]
        left.append(before)
        right.append(before)
        stays = not ACTIONS[span["action"]].removes
        left.append(covered, style="green" if stays else "bold red")
        right.append(without_controls(stand_in.text or ""), style="green" if stays else "bold cyan")
        at = span["end"]
    left.append(safe[at:])
    right.append(safe[at:])
    show_side_by_side(title, left, right)
