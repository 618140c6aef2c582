"""What a run must pass before promotion, beside counts and the quarantine share (`publish`)."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..models.at_once import a_few_at_a_time
from ..models.canaries import Canary, read_canaries
from ..models.errors import REST_UNREAD, GateHeld, UsageError
from ..models.formats import format_of, open_format
from ..models.grouping import join_or_none
from ..models.job import Job
from ..models.keys import Keys
from ..models.partitions import parse_partition
from ..models.receipts import Receipt
from ..models.rework import Rework
from ..models.roles import Role
from ..models.spans import BELIEVED
from ..models.storage import InputFile, Storage
from ..models.units import Plan
from .catalogue import Catalogue
from .differences import diff_of_run
from .leaving import count_leaving
from .originals import keys_of
from .part_tables import read_part
from .plan import read_job
from .repeated import numbers_in_run, published_numbers

_PASSED = "passed.json"
"""Under staging, what the gates told: a promotion that is taken up again cannot ask them anew."""

_MOST_TOLD = 20
"""Faults of canaries that a message tells."""


def check_written(
    storage: Storage,
    job: Job,
    plan: Plan,
    receipts: Mapping[int, Receipt],
    *,
    max_quarantined: float | None = None,
    max_gone: float | None = None,
    max_lost: float | None = None,
) -> dict[str, Any]:
    """Checks what a finished run has staged and counted.

    Args:
        max_quarantined, max_gone, max_lost: in the place of the planned ones.

    Returns:
        What the manifest's report tells of it.

    Raises:
        GateHeld: if something is not as it must be.
        UsageError: if canaries or key are not the planned ones.
    """
    limit = job.max_quarantined if max_quarantined is None else max_quarantined
    if limit < 1:
        check_whole(job, plan, receipts)
    check_audit(storage, job, receipts)
    told = check_gone(storage, job, plan, receipts, job.max_gone if max_gone is None else max_gone)
    told |= check_canaries(storage, job, plan, receipts)
    lost = job.max_lost if max_lost is None else max_lost
    if lost is not None:
        told |= check_lost(storage, job, plan, receipts, lost)
    storage.write_bytes(f"{job.staging}/{_PASSED}", json.dumps(told).encode())
    return told


def told_before(storage: Storage, job: Job) -> dict[str, Any]:
    """What `check_written` told of a run whose promotion was begun after it."""
    try:
        told: dict[str, Any] = json.loads(storage.read_bytes(f"{job.staging}/{_PASSED}"))
    except (FileNotFoundError, ValueError, RecursionError):
        return {}
    return told


def check_whole(job: Job, plan: Plan, receipts: Mapping[int, Receipt]) -> None:
    """Looks for files of which nobody knows how much is unread: one quarantined row tells nothing.

    Where a file is a document, its one row is all of it.

    Raises:
        GateHeld: if there are any.
    """
    found: Counter[str] = Counter()
    for index, receipt in receipts.items():
        form = job.form(plan.units[index].format)
        if form.file_is_record or form.counts_rows:
            continue
        for place, count in receipt.tally.errors.items():
            if (error := place.partition(": ")[2]) in REST_UNREAD:
                found[error] += count
    if found:
        raise GateHeld(
            f"{found.total()} files, or stretches of one, are unread from some place on, and "
            "nobody knows how many rows that are: "
            + ", ".join(f"{error} ({count})" for error, count in sorted(found.items()))
            + ". Nothing is published. Copy them again and scrub again (`scrubline inspect "
            "--quarantined` names them), or accept it with: resume --max-quarantined 1"
        )


def check_gone(
    storage: Storage, job: Job, plan: Plan, receipts: Mapping[int, Receipt], limit: float
) -> dict[str, Any]:
    """Counts the published documents that would leave; see `leaving`.

    Raises:
        GateHeld: if they are too many.
    """
    again, all_published = count_leaving(storage, job, plan, receipts)
    for found, what in ((again, "of inputs that are read again"), (all_published, "of the output")):
        if found.is_over(limit):
            raise GateHeld(
                f"{found.gone} of {found.whole} published documents {what} would be gone "
                f"({found.gone / found.whole:.2%}), more than the limit of {limit:.2%}. Nothing is "
                "published. Look whether an input is empty, cut off or not mounted, or the key or "
                "the id another one; then give the run up with `scrubline resume --output ... "
                "--discard`, or accept it with: resume --max-gone SHARE"
            )
    return {"documents_gone": all_published.gone} if all_published.gone else {}


def check_lost(
    storage: Storage, job: Job, plan: Plan, receipts: Mapping[int, Receipt], limit: float
) -> dict[str, Any]:
    """Compares the run with what it replaces; see `differing`.

    Raises:
        GateHeld: if more than this share of the spans of the same documents is lost; or too few are
            the same for that to say anything.
    """
    found = diff_of_run(storage, job, plan, list(receipts.values()))
    if limit < 1 and not found.is_telling:
        raise GateHeld(
            f"only {found.documents['compared']} of the published documents "
            f"({found.compared_share:.2%}) are there with the same text and can be compared: "
            "nobody can tell what is lost. Nothing is published. Look at `scrubline diff`: with "
            "another tokenizer, key or name of the text column all documents are others; then "
            "give the run up, or accept it with: resume --max-lost 1"
        )
    if found.lost_share > limit:
        raise GateHeld(
            f"{found.spans['lost']} spans of what is published are lost ({found.lost_share:.2%}), "
            f"more than the limit of {limit:.2%}. Nothing is published. Look at `scrubline diff`, "
            "then give the run up, or accept it with: resume --max-lost SHARE"
        )
    return {
        "compared_share": round(found.compared_share, 6),
        "lost_share": round(found.lost_share, 6),
    }


# -- the audit


def check_parts(storage: Storage, job: Job, receipts: Mapping[int, Receipt]) -> None:
    """Looks whether each part that a receipt lists is under staging, with its size.

    Raises:
        GateHeld: naming the first unit that lacks something.
    """
    sizes = storage.list_sizes(job.staging)
    for _, receipt in sorted(receipts.items()):
        _require(receipt.unit, _faults_of_parts(receipt, sizes))


def check_audit(storage: Storage, job: Job, receipts: Mapping[int, Receipt]) -> None:
    """Compares the tables under staging with what was counted.

    The documents table has a row for each text field of each row that goes out, the audit as many
    spans as were counted, of these documents alone.

    Raises:
        GateHeld: naming the first unit that lacks something.
    """

    def faults(receipt: Receipt) -> list[str]:
        return list(_faults_of_tables(storage, job, receipt))

    ordered = [receipt for _, receipt in sorted(receipts.items())]
    for receipt, found in zip(ordered, a_few_at_a_time(faults, ordered), strict=True):
        _require(receipt.unit, found)


def _require(unit: int, faults: Iterable[str]) -> None:
    for fault in faults:
        raise GateHeld(
            f"unit {unit}: the audit is not complete: {fault}. Nothing is published. Give the run "
            "up with `scrubline resume --output ... --discard`, and scrub again"
        )


def _faults_of_parts(receipt: Receipt, sizes: Mapping[str, int]) -> Iterator[str]:
    # Where a file is a document, equal ids that are not yet numbered write one path in turn: what
    # is there is the last of them, until their unit is run again.
    for part in {part.path: part for part in receipt.parts}.values():
        if part.path not in sizes:
            yield f"a part of {part.table} is missing"
        elif sizes[part.path] != part.bytes:
            yield f"a part of {part.table} has {sizes[part.path]} bytes, not {part.bytes}"
    tables = {part.table for part in receipt.parts}
    rows_out = receipt.tally.counts["rows_out"]
    for table in ("audit", "documents", *(("data",) if rows_out else ())):
        if table not in tables:
            yield f"there is no part of {table}"


def _faults_of_tables(storage: Storage, job: Job, receipt: Receipt) -> Iterator[str]:
    counts = receipt.tally.counts
    documents = _table(storage, job, receipt, "documents", ["doc_key", "status"])
    written = documents.filter(pc.not_equal(documents["status"], "quarantined"))
    expected = counts["documents"]
    fields = len(job.columns.named(Role.TEXT))
    if job.group_lines is None and expected != counts["rows_out"] * fields:
        yield f"{counts['rows_out']} rows went out, and {expected} documents were counted"
    if written.num_rows != expected:
        yield f"{written.num_rows} documents are listed, and {expected} went out"
    audit = _table(storage, job, receipt, "audit", ["doc_key", "fragment", "reason"])
    believed = pa.array([reason for reason in BELIEVED if reason is not None])
    counted = pc.or_(pc.is_null(audit["reason"]), pc.is_in(audit["reason"], believed))
    spans = pc.sum(pc.and_(counted, pc.invert(audit["fragment"]))).as_py() or 0
    if spans != counts["spans"]:
        yield f"the audit has {spans} spans, and {counts['spans']} were counted"
    known = pc.is_in(audit["doc_key"], pc.unique(written["doc_key"]))
    if pc.any(pc.invert(known)).as_py():
        yield "the audit has spans of other documents"


def _table(storage: Storage, job: Job, receipt: Receipt, table: str, columns: list[str]) -> Any:
    """Some columns of a table of a unit."""
    found = [
        read_part(storage, f"{job.staging}/{part.path}", columns)
        for part in receipt.parts
        if part.table == table
    ]
    return pa.concat_tables(found)


# -- canaries


def hash_canaries(storage: Storage, url: str) -> str:
    """SHA-256 of a file of canaries, once it can be read.

    Raises:
        UsageError: if it is not there, or not of the form.
    """
    try:
        content = storage.read_bytes(url)
    except FileNotFoundError:
        raise UsageError("there is no file of canaries where --canaries says") from None
    read_canaries(content)
    return hashlib.sha256(content).hexdigest()


def canaries_changed(storage: Storage, job: Job) -> bool:
    """Whether the file of canaries is not the one that a run was planned with."""
    return job.canaries is not None and hash_canaries(storage, job.canaries) != job.canaries_hash


def check_canaries(
    storage: Storage, job: Job, plan: Plan, receipts: Mapping[int, Receipt]
) -> dict[str, Any]:
    """Reads what became of the planted documents.

    A run that takes only some inputs may not have them: they are then looked for in what is
    published and stays.

    Returns:
        What the manifest tells of it: how many were checked, and their doc_keys.

    Raises:
        UsageError: if the canaries or the key are not those of the plan.
        GateHeld: if one is missing, not clean or destroyed, by its number.
    """
    if job.canaries is None:
        return {}
    content = storage.read_bytes(job.canaries)
    if hashlib.sha256(content).hexdigest() != job.canaries_hash:
        raise UsageError("the canaries have changed since the run was planned")
    keys, canaries = keys_of(storage, job), read_canaries(content)
    faults: dict[Canary, list[str]] = {}
    ordinals: dict[Canary, int] = dict.fromkeys(canaries, 0)

    def look(units: Iterable[tuple[Job, str, Receipt]]) -> None:
        rest = [one for one in canaries if one not in faults]
        for one, ordinal, found in _judge(storage, keys, rest, units):
            faults.setdefault(one, []).extend(found)
            ordinals[one] = max(ordinals[one], ordinal)

    look((job, job.staging, receipt) for receipt in receipts.values())
    checked = len(faults)
    catalogue = Catalogue.read(storage, job.output)
    replaced = catalogue.superseded_by(plan.inputs)
    if plan.night is not None and checked < len(canaries):
        look(_staying(storage, job, catalogue, replaced))
    for one in canaries:
        faults.setdefault(one, ["missing"] if one.required else [])
    told = sorted((one.number, f) for one, found in faults.items() for f in found)
    if told:
        bad = len({number for number, _ in told})
        shown = "; ".join(f"canary {number}: {fault}" for number, fault in told[:_MOST_TOLD])
        raise GateHeld(
            f"{bad} of {len(canaries)} canaries fail: {shown}. Nothing is published. Look why, "
            "then give the run up with `scrubline resume --output ... --discard`"
        )
    # Of what is planted anew each night, the earlier ones are in the output too.
    firsts = {keys.doc_key(one.id): one for one in canaries}
    for first, numbers in published_numbers(storage, job, catalogue, replaced, firsts).items():
        ordinals[firsts[first]] = max(ordinals[firsts[first]], *numbers)
    planted = {keys.doc_key(one.id, n) for one, most in ordinals.items() for n in range(most + 1)}
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

    One that is planted anew while an earlier one stays has the id of that, and another ordinal.
    """
    known: dict[str, dict[str, tuple[Canary, int]]] = {}
    for job, folder, receipt in units:
        if job.run not in known:
            known[job.run] = {
                keys.doc_key(one.id, n): (one, n)
                for one, numbers in _numbers(storage, keys, canaries, job).items()
                for n in numbers
            }
        of = known[job.run]
        wanted = pa.array(sorted(of), pa.string())
        there: dict[str, str] = {}
        for part in receipt.parts:
            if part.table == "documents":
                rows = read_part(storage, f"{folder}/{part.path}", ["doc_key", "status"])
                rows = rows.filter(pc.is_in(rows["doc_key"], wanted))
                there |= dict(zip(*(column.to_pylist() for column in rows.columns), strict=True))
        out = {key for key, status in there.items() if status != "quarantined"}
        for key in there.keys() - out:
            if of[key][0].required:
                yield *of[key], ["missing, it is quarantined"]
        if out:
            for key, (texts, cells) in _rows(storage, job, folder, receipt, out).items():
                yield *of[key], list(of[key][0].faults(texts, cells))


def _numbers(
    storage: Storage, keys: Keys, canaries: Sequence[Canary], job: Job
) -> dict[Canary, set[int]]:
    """The ordinals that each canary may have in a run."""
    firsts = {keys.doc_key(one.id): one for one in canaries}
    numbers: dict[Canary, set[int]] = {one: {0} for one in canaries}
    table = numbers_in_run(storage, job.restricted, firsts)
    if table is None:
        # Nothing is numbered, or by an earlier version: then any number may be a canary's.
        given = Rework.read(storage, job.restricted).units.values()
        every = {0, *(n for facts in given for n in facts.ordinals.values())}
        return dict.fromkeys(canaries, every)
    for first, number in zip(table["first"].to_pylist(), table["number"].to_pylist(), strict=True):
        numbers[firsts[first]].add(number)
    return numbers


def _rows(
    storage: Storage, job: Job, folder: str, receipt: Receipt, wanted: set[str]
) -> dict[str, tuple[list[str], list[str]]]:
    """Texts and other cells, hive folders' too, of some documents of a unit, as written."""
    texts: dict[str, dict[str, list[str | None]]] = {key: defaultdict(list) for key in wanted}
    cells: dict[str, list[str]] = {key: [] for key in wanted}
    for part in receipt.parts:
        if part.table != "data":
            continue
        form = open_format(job.format or format_of(part.path), job.settings)
        if form.file_is_record and not any(key in part.path for key in wanted):
            continue
        name = part.path.rsplit("/", 1)[-1]
        file = InputFile(f"{folder}/{part.path}", part.bytes, version="", path=name)
        for row in form.part_rows(storage, file, job.columns):
            if row.doc_key in wanted:
                for field, text in row.texts.items():
                    texts[row.doc_key][field].append(text)
                cells[row.doc_key] += [cell for cell in row.cells.values() if cell is not None]
                cells[row.doc_key] += [value for _, value in parse_partition(part.path)]
    return {
        key: ([t for some in texts[key].values() if (t := join_or_none(some))], cells[key])
        for key in wanted
    }
