"""`scrubline diff`: what a waiting run would change, or how two outputs differ, by their audits."""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ...models.core.errors import UsageError
from ...models.jobs.audit import TABLES
from ...models.jobs.audit_diff import (
    DOCUMENT_COLUMNS,
    SPAN_COLUMNS,
    SPAN_KINDS,
    AuditDiff,
    compare_audits,
)
from ...models.jobs.job import Job
from ...models.jobs.plan import Plan
from ...models.jobs.receipts import Part, Receipt
from ...models.storage.storage import Storage
from .catalogue import Catalogue
from .manifest import read_manifest
from .part_tables import read_part
from .planning import load_plan
from .publishing import read_receipts
from .state import Stage, pending_runs, stage_of

ROWS_AT_ONCE = 1_000_000
"""Rows of both sides that are held at a time; with more, all are first laid out by document."""

_MOST_BUCKETS = 256
_COLUMNS = {"documents": DOCUMENT_COLUMNS, "audit": SPAN_COLUMNS}


@dataclasses.dataclass(frozen=True, slots=True)
class Side:
    """One of the two audits.

    Attributes:
        parts: table -> URLs of its parts.
        rows: of all tables, about.
    """

    parts: dict[str, list[str]]
    rows: int


def diff(
    storage: Storage,
    output: str,
    *,
    run: str | None = None,
    against: str | None = None,
    by_document: bool = False,
) -> AuditDiff:
    """Compares a run that waits with what is published of the same inputs; or two outputs.

    Args:
        run: which run, if several wait.
        against: another output, which is then what was before; what `output` holds is after.
        by_document: whether to tell the documents.

    Raises:
        UsageError: if there is nothing to compare.
    """
    if against is not None:
        if run is not None:
            raise UsageError("--run compares with what is published, --against with another output")
        manifests = [read_manifest(storage, one) for one in (against, output)]
        if len({manifest.get("key_check") for manifest in manifests}) > 1:
            raise UsageError(
                "the two outputs were made with different master keys: they share no doc_key"
            )
        before, after = (
            _published(place, manifest)
            for place, manifest in zip((against, output), manifests, strict=True)
        )
        return compare_sides(before, after, storage, by_document=by_document)
    pending = pending_runs(storage, output)
    if run is None and len(pending) > 1:
        raise UsageError(f"there are several unfinished runs; choose one with --run: {pending}")
    none = "no such run waits in this output" if run else "no run waits in this output"
    run = run or next(iter(pending), None)
    if run is None or run not in pending:
        raise UsageError(
            f"{none}: make one with `scrubline scrub --hold`, or compare two outputs with --against"
        )
    job, plan = load_plan(storage, output, run)
    if stage_of(storage, output, run) is Stage.PUBLISHING:
        raise UsageError(
            "the run is being published: finish it with `scrubline resume --output ...`"
        )
    receipts = read_receipts(storage, job, plan)
    if left := len(plan.units) - len(receipts):
        raise UsageError(
            f"{left} of {len(plan.units)} units of the run are not done: finish it with "
            "`scrubline resume --output ...`"
        )
    return diff_of_run(storage, job, plan, list(receipts.values()), by_document=by_document)


def diff_of_run(
    storage: Storage,
    job: Job,
    plan: Plan,
    receipts: Sequence[Receipt],
    *,
    by_document: bool = False,
) -> AuditDiff:
    """Compares what a finished run has staged with the units that it would replace.

    Of a unit that has lost a part there is nothing to compare with: it is made again for that.
    """
    catalogue = Catalogue.read(storage, job.output)
    whole = catalogue.superseded_by(plan.inputs) - catalogue.incomplete(storage, job.output)
    old = [catalogue.units[name].receipt for name in whole]
    before, after = _written(job.output, old), _written(job.staging, receipts)
    return compare_sides(before, after, storage, by_document=by_document)


def _written(folder: str, receipts: Iterable[Receipt]) -> Side:
    receipts = list(receipts)
    parts = [part for receipt in receipts for part in receipt.parts]
    counts = [receipt.tally.counts for receipt in receipts]
    return _side(folder, parts, sum(one["documents"] + one["spans"] for one in counts))


def _published(output: str, manifest: dict[str, Any]) -> Side:
    names = {field.name for field in dataclasses.fields(Part)}
    parts = [
        Part(**{name: value for name, value in part.items() if name in names})
        for part in manifest["parts"]
    ]
    counts = manifest["counts"]
    return _side(output, parts, counts.get("documents", 0) + counts.get("spans", 0))


def _side(folder: str, parts: Iterable[Part], rows: int) -> Side:
    found: dict[str, list[str]] = {table: [] for table in _COLUMNS}
    for part in parts:
        if part.table in found:
            found[part.table].append(f"{folder}/{part.path}")
    return Side({table: sorted(urls) for table, urls in found.items()}, rows)


def compare_sides(
    before: Side, after: Side, storage: Storage, *, by_document: bool = False
) -> AuditDiff:
    """Compares two audits, so many documents at a time that memory is bounded.

    What is laid out by document meanwhile is in a temporary folder: offsets and keys, no text.
    """
    buckets = min(_MOST_BUCKETS, 1 + (before.rows + after.rows) // ROWS_AT_ONCE)
    found = AuditDiff()
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory()) if buckets > 1 else ""
        sides = []
        for number, side in enumerate((before, after)):
            tables = []
            for table, urls in side.parts.items():
                place = Path(folder) / f"{number}-{table}"
                tables.append(_Bucketed(storage, urls, table, buckets, place))
            sides.append(tables)
        for bucket in range(buckets):
            old, new = ([table.rows(bucket) for table in tables] for tables in sides)
            found.add(compare_audits(*old, *new, by_document=by_document))
    return found


class _Bucketed:
    """Rows of some parts of a table, by the first digits of their doc_key."""

    def __init__(
        self, storage: Storage, urls: Sequence[str], table: str, buckets: int, place: Path
    ) -> None:
        """Reads each part once, here if there are several buckets, else when rows are asked for."""
        self._storage, self._urls, self._names = storage, urls, list(_COLUMNS[table])
        self._schema = pa.schema([TABLES[table].field(name) for name in self._names])
        self._buckets, self._place = buckets, place
        if buckets > 1:
            self._lay_out()

    def rows(self, bucket: int) -> pa.Table:
        """All rows of a bucket."""
        if self._buckets == 1:
            return pa.concat_tables([self._schema.empty_table(), *self._parts()])
        with contextlib.suppress(FileNotFoundError), pa.OSFile(self._file(bucket)) as file:
            return pa.ipc.open_stream(file).read_all()
        return self._schema.empty_table()

    def _parts(self) -> Iterator[pa.Table]:
        for url in self._urls:
            yield read_part(self._storage, url, self._names).cast(self._schema)

    def _lay_out(self) -> None:
        numbers = {f"{n:02x}": n % self._buckets for n in range(256)}
        with contextlib.ExitStack() as stack:
            writers: dict[int, Any] = {}
            for rows in self._parts():
                digits = pc.utf8_slice_codeunits(rows["doc_key"], 0, 2).dictionary_encode()
                for prefix in pc.unique(digits).to_pylist():
                    bucket = numbers[prefix]
                    if bucket not in writers:
                        sink = stack.enter_context(pa.OSFile(self._file(bucket), "wb"))
                        writers[bucket] = stack.enter_context(pa.ipc.new_stream(sink, self._schema))
                    writers[bucket].write_table(
                        rows.filter(pc.equal(digits.cast(pa.string()), prefix))
                    )

    def _file(self, bucket: int) -> str:
        return f"{self._place}-{bucket}"


def format_diff(found: AuditDiff) -> Iterator[str]:
    """Yields the lines of a difference: counts, then what differs by label and by detector."""
    documents, spans = found.documents, found.spans
    yield "documents        " + ", ".join(
        f"{documents[kind]:,} {words}"
        for kind, words in (
            ("compared", f"compared ({found.compared_share:.2%} of those before)"),
            ("new", "new"),
            ("gone", "gone"),
            ("changed", "with another text"),
            ("quarantined", "now quarantined"),
        )
    )
    yield "spans            " + ", ".join(
        f"{spans[kind]:,} {words}"
        for kind, words in (
            ("same", "the same"),
            ("gained", "gained"),
            ("lost", f"lost ({found.lost_share:.2%})"),
            ("retyped", "retyped"),
            ("moved", "with other edges"),
        )
    )
    characters = found.characters
    yield (
        f"characters       {characters['gained']:,} removed only now, "
        f"{characters['lost']:,} no longer removed"
    )
    kinds = [kind for kind in SPAN_KINDS if kind != "same"]
    for title, rows in (("label", found.labels), ("detector", found.detectors)):
        if rows:
            width = max(len(title), *map(len, rows))
            yield f"\n{title:<{width}}" + "".join(f"{kind:>9}" for kind in kinds)
        for name, counts in sorted(rows.items()):
            yield f"{name:<{width}}" + "".join(f"{counts[kind]:>9,}" for kind in kinds)
    if found.retyped:
        yield ""
    for pair, count in sorted(found.retyped.items(), key=lambda one: (-one[1], one[0])):
        yield f"{count:,} {pair}"


def format_document_changes(found: AuditDiff) -> Iterator[str]:
    """Yields a line for each document with a difference: tab-separated, with a head."""
    kinds = [kind for kind in SPAN_KINDS if kind != "same"]
    yield "\t".join(("doc_key", "field", *kinds))
    for (doc_key, field), counts in sorted(found.by_document.items()):
        yield "\t".join((doc_key, field, *(str(counts[kind]) for kind in kinds)))
