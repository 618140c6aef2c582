"""The gate of canaries: whether planted documents came out as they must.

See `models.jobs.canaries` for what a file of them says.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ...models.core.errors import GateFailed, UsageError
from ...models.core.keys import Keys
from ...models.formats import format_of, open_format
from ...models.formats.line_notes import join_or_none
from ...models.formats.text_markup import as_read
from ...models.jobs.amendments import RunAmendments
from ...models.jobs.canaries import Canary, read_canaries
from ...models.jobs.job import Job
from ...models.jobs.opening import open_keys
from ...models.jobs.plan import Plan
from ...models.jobs.receipts import Receipt
from ...models.jobs.record_rows import row_key
from ...models.storage.hive import parse_partition
from ...models.storage.input_files import InputFile
from ...models.storage.storage import Storage
from .catalogue import Catalogue
from .duplicate_ids import numbers_in_run, published_numbers
from .part_tables import read_part
from .planning import read_job

_MOST_FAULTS = 20
"""Faults that a message lists."""


def hash_canaries(storage: Storage, url: str) -> str:
    """SHA-256 of a file of canaries, once it can be read.

    Raises:
        UsageError: if it is missing, or not valid.
    """
    try:
        content = storage.read_bytes(url)
    except FileNotFoundError:
        raise UsageError("--canaries: there is no such file") from None
    read_canaries(content)
    return hashlib.sha256(content).hexdigest()


def canaries_changed(storage: Storage, job: Job) -> bool:
    """Whether the file of canaries has changed since a run was planned."""
    return job.canaries is not None and hash_canaries(storage, job.canaries) != job.canaries_hash


def check_canaries(
    storage: Storage, job: Job, plan: Plan, receipts: Mapping[int, Receipt]
) -> dict[str, Any]:
    """Checks what became of the planted documents.

    A run that reads only some inputs may not have them: they are then looked for in the published
    units that stay.

    Returns:
        What the manifest says of it: how many were checked, and their doc_keys.

    Raises:
        UsageError: if the canaries or the key are not the planned ones.
        GateFailed: if one is missing, not clean or destroyed, by its number.
    """
    if job.canaries is None:
        return {}
    content = storage.read_bytes(job.canaries)
    if hashlib.sha256(content).hexdigest() != job.canaries_hash:
        raise UsageError(
            "the canaries have changed since the run was planned: run the same `scrubline scrub` "
            "again, which keeps finished units"
        )
    keys, canaries = open_keys(storage, job), read_canaries(content)
    faults: dict[Canary, list[str]] = {}
    ordinals: dict[Canary, int] = dict.fromkeys(canaries, 0)

    def look(units: Iterable[tuple[Job, str, Receipt]]) -> None:
        rest = [canary for canary in canaries if canary not in faults]
        for canary, ordinal, found in _judge(storage, keys, rest, units):
            faults.setdefault(canary, []).extend(found)
            ordinals[canary] = max(ordinals[canary], ordinal)

    look((job, job.staging, receipt) for receipt in receipts.values())
    checked = len(faults)
    catalogue = Catalogue.read(storage, job.output)
    replaced = catalogue.superseded_by(plan.inputs)
    if plan.increment is not None and checked < len(canaries):
        look(_staying(storage, job, catalogue, replaced))
    for canary in canaries:
        faults.setdefault(canary, ["missing"] if canary.required else [])
    failed = sorted((canary.number, fault) for canary, own in faults.items() for fault in own)
    if failed:
        count = len({number for number, _ in failed})
        shown = "; ".join(f"canary {number}: {fault}" for number, fault in failed[:_MOST_FAULTS])
        raise GateFailed(
            f"{count} of {len(canaries)} canaries fail: {shown}. Nothing is published. Find out "
            "why, then give the run up with `scrubline resume --output ... --discard`"
        )
    # Where canaries are planted again for every run, the output has the earlier ones too.
    record = job.columns.record
    firsts = {row_key(keys, record, canary.id): canary for canary in canaries}
    for first, numbers in published_numbers(storage, job, catalogue, replaced, firsts).items():
        ordinals[firsts[first]] = max(ordinals[firsts[first]], *numbers)
    planted = {
        row_key(keys, record, canary.id, ordinal)
        for canary, most in ordinals.items()
        for ordinal in range(most + 1)
    }
    return {
        "canaries": {
            "all": len(canaries),
            "in_this_run": checked,
            "doc_keys": sorted(planted),
        }
    }


def _staying(
    storage: Storage, job: Job, catalogue: Catalogue, replaced: Container[str]
) -> Iterator[tuple[Job, str, Receipt]]:
    """The published units that the run does not replace."""
    jobs: dict[str, Job] = {}
    for name, entry in sorted(catalogue.units.items()):
        if name not in replaced:
            if entry.run not in jobs:
                jobs[entry.run] = read_job(storage, job.output, entry.run)
            yield jobs[entry.run], job.output, entry.receipt


def _judge(
    storage: Storage,
    keys: Keys,
    canaries: Sequence[Canary],
    units: Iterable[tuple[Job, str, Receipt]],
) -> Iterator[tuple[Canary, int, list[str]]]:
    """Yields the canaries in some units, each with its ordinal among equal ids and its faults.

    One that is planted again while an earlier one stays has the same id, and another ordinal.
    """
    known: dict[str, dict[str, tuple[Canary, int]]] = {}
    for job, folder, receipt in units:
        if job.run not in known:
            known[job.run] = {
                row_key(keys, job.columns.record, canary.id, ordinal): (canary, ordinal)
                for canary, ordinals in _ordinals(storage, keys, canaries, job).items()
                for ordinal in ordinals
            }
        by_key = known[job.run]
        wanted = pa.array(sorted(by_key), pa.string())
        statuses: dict[str, str] = {}
        for part in receipt.parts:
            if part.table == "documents":
                rows = read_part(storage, f"{folder}/{part.path}", ["doc_key", "status"])
                rows = rows.filter(pc.is_in(rows["doc_key"], wanted))
                columns = (column.to_pylist() for column in rows.columns)
                statuses |= dict(zip(*columns, strict=True))
        out = {key for key, status in statuses.items() if status != "quarantined"}
        for key in statuses.keys() - out:
            if by_key[key][0].required:
                yield *by_key[key], ["missing, it is quarantined"]
        if out:
            for key, (texts, cells) in _rows(storage, job, folder, receipt, out).items():
                yield *by_key[key], list(by_key[key][0].faults(texts, cells))


def _ordinals(
    storage: Storage, keys: Keys, canaries: Sequence[Canary], job: Job
) -> dict[Canary, set[int]]:
    """The ordinals that each canary may have in a run."""
    firsts = {row_key(keys, job.columns.record, canary.id): canary for canary in canaries}
    ordinals: dict[Canary, set[int]] = {canary: {0} for canary in canaries}
    table = numbers_in_run(storage, job.restricted, firsts)
    if table is None:
        # Nothing is numbered, or by an earlier version: then any ordinal may be a canary's.
        amendments = RunAmendments.read(storage, job.restricted).units.values()
        known = {0, *(n for of_unit in amendments for n in of_unit.ordinals.values())}
        return dict.fromkeys(canaries, known)
    for first, number in zip(table["first"].to_pylist(), table["number"].to_pylist(), strict=True):
        ordinals[firsts[first]].add(number)
    return ordinals


def _rows(
    storage: Storage, job: Job, folder: str, receipt: Receipt, wanted: set[str]
) -> dict[str, tuple[list[str], list[str]]]:
    """Texts and other cells, those of hive folders too, of some documents of a unit, as written."""
    texts: dict[str, dict[str, list[str | None]]] = {key: defaultdict(list) for key in wanted}
    cells: dict[str, list[str]] = {key: [] for key in wanted}
    for part in receipt.parts:
        if part.table != "data":
            continue
        form = open_format(format_of(part.path, job.format), job.settings)
        if form.traits.file_is_record and not any(key in part.path for key in wanted):
            continue
        name = part.path.rsplit("/", 1)[-1]
        file = InputFile(f"{folder}/{part.path}", part.bytes, version="", path=name)
        rows = form.part_rows(storage, file, job.columns)
        for row in rows if job.group_lines is not None else as_read(rows, job.columns):
            if row.doc_key in wanted:
                for field, text in row.texts.items():
                    texts[row.doc_key][field].append(text)
                cells[row.doc_key] += [cell for cell in row.cells.values() if cell is not None]
                cells[row.doc_key] += [value for _, value in parse_partition(part.path)]
    return {
        key: ([t for lines in texts[key].values() if (t := join_or_none(lines))], cells[key])
        for key in wanted
    }
