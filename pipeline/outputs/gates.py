"""The gates: all that decides that a finished run is held and not published, in their order.

After each round of work: no row is lost (`reconcile`), every part is there (`check_parts`).
Before publication, in `check_gates`: the share of quarantined rows, rows in whose output something
known of their people was left, documents whose patient is not in the roster, files that were not
read to the end, the audit, published documents that would be removed, planted documents
(`canary_gate`), spans that would be lost. A run that has passed them may still wait for a person:
`hold`. After that, right before publication: what a certificate states of it (`risk_gate`).
"""

from __future__ import annotations

import json
import logging
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ...models.core.display_names import counted
from ...models.core.error_classes import explain
from ...models.core.errors import REST_UNREAD, GateFailed, RunFailed
from ...models.core.parallel_calls import map_in_threads
from ...models.core.spans import BELIEVED
from ...models.jobs.job import Job
from ...models.jobs.output_rows import (
    AS_MARKUP,
    IN_ROSTER,
    KNOWN_UNUSABLE,
    LIKE_CDA,
    LIKE_MESSAGES,
    MISREAD,
    Tally,
)
from ...models.jobs.plan import Plan
from ...models.jobs.receipts import Receipt
from ...models.storage.storage import Storage
from .audit_diff import diff_of_run
from .canary_gate import check_canaries
from .note_links import check_stale
from .part_tables import read_part
from .removed_documents import count_removed
from .state import MANIFEST

_log = logging.getLogger(__name__)

_PASSED = "passed.json"
"""Under staging, the results of the gates: a resumed publication cannot check them again."""

_MOST_CLASSES = 5
"""Classes of quarantine that a message explains, the most frequent first."""


# -- after each round of work


def reconcile(plan: Plan, receipts: Mapping[int, Receipt]) -> Tally:
    """The run's tally, after checking that nothing is missing.

    Raises:
        RunFailed: if a unit has no receipt.
        GateFailed: if rows were lost or doubled: rows in must be rows out plus quarantined.
    """
    if missing := [unit.index for unit in plan.units if unit.index not in receipts]:
        raise RunFailed(f"{len(missing)} of {len(plan.units)} units are not done; resume the run")
    for index in sorted(receipts):
        counts = receipts[index].tally.counts
        if counts["rows_in"] != counts["rows_out"] + counts["rows_quarantined"]:
            raise GateFailed(
                f"unit {index} does not reconcile: {counts['rows_in']} rows in, "
                f"{counts['rows_out']} out, {counts['rows_quarantined']} quarantined"
            )
    return Tally.total(receipt.tally for receipt in receipts.values())


def check_parts(storage: Storage, job: Job, receipts: Mapping[int, Receipt]) -> None:
    """Checks that each part that a receipt lists is under staging, with its size.

    Raises:
        GateFailed: naming the first unit that lacks something.
    """
    sizes = storage.list_sizes(job.staging)
    for _, receipt in sorted(receipts.items()):
        _require(receipt.unit, _faults_of_parts(receipt, sizes))


# -- before publication


def check_gates(
    storage: Storage,
    job: Job,
    plan: Plan,
    receipts: Mapping[int, Receipt],
    tally: Tally,
    *,
    max_quarantined: float | None = None,
    max_gone: float | None = None,
    max_lost: float | None = None,
    max_guard: float | None = None,
    min_roster_share: float | None = None,
    stale_notes: str | None = None,
) -> dict[str, Any]:
    """Checks what a finished run has staged and counted.

    Args:
        tally: of all its units; see `reconcile`.
        max_quarantined, max_gone, max_lost, max_guard, min_roster_share: instead of the planned
            ones.
        stale_notes: likewise.

    Returns:
        What the report of the manifest says of it.

    Raises:
        GateFailed: if something is not as it must be.
        UsageError: if canaries or key are not the planned ones.
    """
    max_quarantined = _given(max_quarantined, job.max_quarantined)
    max_gone = _given(max_gone, job.max_gone)
    max_lost = job.max_lost if max_lost is None else max_lost
    check_quarantined(
        tally, max_quarantined, is_first=not storage.exists(f"{job.output}/{MANIFEST}")
    )
    limits = {"quarantined": max_quarantined, "gone": max_gone, "lost": max_lost}
    check_guard(tally, _given(max_guard, job.max_guard))
    if job.knows_people:
        limits["guard"] = _given(max_guard, job.max_guard)
    if job.roster is not None:
        limits["roster"] = _given(min_roster_share, job.min_roster_share)
        check_roster_share(tally, limits["roster"])
    if unusable := tally.counts[KNOWN_UNUSABLE]:
        # Headers of messages always hold some; a column that does may be the wrong one.
        _log.log(
            logging.INFO if job.columns.record else logging.WARNING,
            "%d known values are not looked for in texts: they are too short (a number of fewer "
            "than five digits) or cannot be read (a phone without digits, a birth date)",
            unusable,
        )
    _warn_of_texts(tally)
    if max_quarantined < 1:
        check_whole(job, plan, receipts)
    check_audit(storage, job, receipts)
    results = check_removed(storage, job, plan, receipts, max_gone)
    results |= check_canaries(storage, job, plan, receipts)
    if max_lost is not None:
        results |= check_lost(storage, job, plan, receipts, max_lost)
    if job.link_notes:
        results |= check_stale(storage, job, stale_notes or job.stale_notes or "rewrite")
    results["limits"] = {name: limit for name, limit in limits.items() if limit is not None}
    write_gate_results(storage, job, results)
    return results


def write_gate_results(storage: Storage, job: Job, results: Mapping[str, Any]) -> None:
    """Keeps what the gates found until the run is published."""
    storage.write_bytes(f"{job.staging}/{_PASSED}", json.dumps(results).encode())


def _warn_of_texts(tally: Tally) -> None:
    """Tells of texts that were read otherwise than as plain texts, or should have been."""
    for kind, name in AS_MARKUP.items():
        if count := tally.counts[name]:
            _log.warning(
                "%s looked like %s, and what is read within it was scrubbed: declare the column, "
                "as in --column NAME=text:%s%s, or as text:plain if they are not",
                counted(count, "document"),
                kind.upper(),
                kind,
                _OF_MIXED.get(kind, _IF_ALL),
            )
    if count := tally.counts[LIKE_MESSAGES]:
        _log.warning(
            "%s began as messages of HL7 v2, and were scrubbed as texts: scrub files of messages "
            "with --format hl7, which gives each field a role, or declare the column as text:plain",
            counted(count, "document"),
        )
    if count := tally.counts[LIKE_CDA]:
        _log.warning(
            "of %s of CDA nothing but titles and narratives was kept: scrub files of such "
            "documents with --format ccda, which gives each other value a role",
            counted(count, "document"),
        )
    if count := tally.counts[MISREAD]:
        _log.warning(
            "%s looked like UTF-8 read as another encoding (\u00c3\u00bc for \u00fc): names in "
            "them are missed; look at --encoding, and at what wrote them",
            counted(count, "document"),
        )


_OF_MIXED = {"rtf": " (its other texts stay plain)"}
_IF_ALL = " if all its texts are, or leave it undeclared if some are plain"
"""What becomes of a column's other texts, where it is declared as markup."""


def _given(limit: float | None, planned: float | None) -> float:
    """A limit that is given now, else the planned one."""
    found = planned if limit is None else limit
    assert found is not None, "a plan has it"
    return found


def read_gate_results(storage: Storage, job: Job) -> dict[str, Any]:
    """What `check_gates` returned for a run whose publication has begun since."""
    try:
        results: dict[str, Any] = json.loads(storage.read_bytes(f"{job.staging}/{_PASSED}"))
    except (FileNotFoundError, ValueError, RecursionError):
        return {}
    return results


def check_quarantined(tally: Tally, max_quarantined: float, *, is_first: bool = False) -> None:
    """Checks the share of quarantined rows.

    Args:
        is_first: whether nothing is published in the output.

    Raises:
        GateFailed: if the share of quarantined rows is above `max_quarantined`; with what each
            class means and what helps.
    """
    rows, held = tally.counts["rows_in"], tally.counts["rows_quarantined"]
    if rows and held / rows > max_quarantined:
        raise GateFailed(
            f"{held} of {rows} rows are quarantined ({held / rows:.2%}), "
            f"more than the limit of {max_quarantined:.2%}. Nothing is published. Classes:\n"
            + "".join(_told(error, n) for error, n in tally.errors.most_common(_MOST_CLASSES))
            + _ways_on(
                "the rows and their files: scrubline inspect --output ... --quarantined "
                "--key-file ...",
                accept=f"--max-quarantined {math.ceil(held / rows * 10_000) / 10_000}",
                gives_way=is_first and held == rows,
            )
        )


def check_guard(tally: Tally, limit: float) -> None:
    """Checks the share of rows in whose output something known of their people was left.

    Raises:
        GateFailed: if it is above the limit; with what each class means and what helps.
    """
    rows = tally.counts["rows_in"]
    found = Counter({e: n for e, n in tally.errors.items() if e.startswith("guard: ")})
    if rows and found.total() / rows > limit:
        raise GateFailed(
            f"in the output of {found.total()} of {rows} rows something was left that is known of "
            f"their people ({found.total() / rows:.2%}), more than the limit of {limit:.2%}. These "
            "rows are quarantined; so many tell of a column that should not pass, or of a fault. "
            "Nothing is published. Classes:\n"
            + "".join(_told(error, n) for error, n in found.most_common(_MOST_CLASSES))
            + _ways_on(
                "the rows and their files: scrubline inspect --output ... --quarantined "
                "--key-file ...",
                accept=f"--max-guard {math.ceil(found.total() / rows * 10_000) / 10_000}",
            )
        )


def check_roster_share(tally: Tally, limit: float) -> None:
    """Checks the share of documents whose patient is in the roster.

    Raises:
        GateFailed: if it is below the limit.
    """
    documents, known = tally.counts["documents"], tally.counts[IN_ROSTER]
    if documents and known / documents < limit:
        raise GateFailed(
            f"the roster has the patient of only {known} of {documents} documents "
            f"({known / documents:.2%}), less than the limit of {limit:.2%}. Nothing is published. "
            "Check whether the roster is of today, and whether its patient ids are those of the "
            "column with role patient: leading zeros and letters count.\n"
            + _ways_on(
                "the roster: scrubline roster check ROSTER --key-file ...; and at the column "
                "`roster` of the documents table",
                accept=f"--min-roster-share {math.floor(known / documents * 10_000) / 10_000}",
            )
        )


def _told(error: str, count: int) -> str:
    """A line for one class of quarantine."""
    known = explain(error.partition(": ")[2])
    return f"  {error} ({count}): {known.cause}; {known.remedy}\n"


def _ways_on(look: str, *, accept: str, gives_way: bool = False) -> str:
    """The three ways on from a run that a gate holds, as lines of a message.

    Args:
        look: what there is to see before a decision.
        accept: the option that publishes the run as it is.
        gives_way: whether the run has made nothing but quarantine; see `pending.make_way`.
    """
    again = "scrubline resume --output ... --discard, then scrub again"
    if gives_way:
        again = "scrub again with the corrected command, which takes the place of this run"
    return (
        f"Look at {look}\n"
        "Then there are three ways on:\n"
        f"  repair the input or the command: {again}\n"
        f"  publish it as it is:             scrubline resume --output ... {accept}\n"
        "  give it up:                      scrubline resume --output ... --discard"
    )


def check_whole(job: Job, plan: Plan, receipts: Mapping[int, Receipt]) -> None:
    """Looks for files that were not read to the end: one quarantined row says nothing of the rest.

    Where a file is a document, its one row is all of it.

    Raises:
        GateFailed: if there are any.
    """
    unread: Counter[str] = Counter()
    for index, receipt in receipts.items():
        form = job.form(plan.units[index].format)
        if form.traits.file_is_record or form.traits.counts_rows:
            continue
        for place, count in receipt.tally.errors.items():
            if (error := place.partition(": ")[2]) in REST_UNREAD:
                unread[error] += count
    if unread:
        raise GateFailed(
            f"{unread.total()} input files, or ranges of them, could not be read to the end; the "
            "number of missing rows is unknown: "
            + ", ".join(f"{error} ({count})" for error, count in sorted(unread.items()))
            + ". Nothing is published. Classes:\n"
            + "".join(f"  {error}: {explain(error).remedy}\n" for error in sorted(unread))
            + _ways_on(
                "the files: scrubline inspect --output ... --quarantined --key-file ...",
                accept="--max-quarantined 1",
            )
        )


def check_removed(
    storage: Storage, job: Job, plan: Plan, receipts: Mapping[int, Receipt], limit: float
) -> dict[str, Any]:
    """Counts the published documents that the run would remove; see `removed_documents`.

    Raises:
        GateFailed: if they are too many.
    """
    again, all_published = count_removed(storage, job, plan, receipts)
    for removed, what in (
        (again, "of inputs that are read again"),
        (all_published, "of the output"),
    ):
        if removed.is_over(limit):
            raise GateFailed(
                f"{removed.count} of {removed.total} published documents {what} would be removed "
                f"({removed.count / removed.total:.2%}), more than the limit of {limit:.2%}. "
                "Nothing is published. Check whether an input is empty, cut off or not mounted, or "
                "whether the key or the id column has changed.\n"
                + _ways_on(
                    "what would be removed: scrubline diff --output ...",
                    accept=f"--max-gone {math.ceil(removed.count / removed.total * 1e4) / 1e4}",
                )
            )
    return {"documents_gone": all_published.count} if all_published.count else {}


def check_lost(
    storage: Storage, job: Job, plan: Plan, receipts: Mapping[int, Receipt], limit: float
) -> dict[str, Any]:
    """Compares the run with what it replaces; see `audit_diff`.

    Raises:
        GateFailed: if more than this share of the spans of the same documents is lost; or if too
            few documents are the same for that to mean anything.
    """
    found = diff_of_run(storage, job, plan, list(receipts.values()))
    if limit < 1 and not found.is_telling:
        raise GateFailed(
            f"only {found.documents['compared']} of the published documents "
            f"({found.compared_share:.2%}) have the same text in this run, too few to say which "
            "spans are lost. Nothing is published. Another tokenizer, key or name of the text "
            "column changes every document.\n"
            + _ways_on("the difference: scrubline diff --output ...", accept="--max-lost 1")
        )
    if found.lost_share > limit:
        raise GateFailed(
            f"{found.spans['lost']} published spans are lost ({found.lost_share:.2%}), more than "
            f"the limit of {limit:.2%}. Nothing is published.\n"
            + _ways_on(
                "the difference: scrubline diff --output ...",
                accept=f"--max-lost {math.ceil(found.lost_share * 1e4) / 1e4}",
            )
        )
    return {
        "compared_share": round(found.compared_share, 6),
        "lost_share": round(found.lost_share, 6),
    }


# -- the audit


def check_audit(storage: Storage, job: Job, receipts: Mapping[int, Receipt]) -> None:
    """Compares the tables under staging with what was counted.

    The documents table must have a row for each text field of each row that goes out; the audit, as
    many spans as were counted, all of these documents.

    Raises:
        GateFailed: naming the first unit that lacks something.
    """

    def faults(receipt: Receipt) -> list[str]:
        return list(_faults_of_tables(storage, job, receipt))

    ordered = [receipt for _, receipt in sorted(receipts.items())]
    for receipt, found in zip(ordered, map_in_threads(faults, ordered), strict=True):
        _require(receipt.unit, found)


def _require(unit: int, faults: Iterable[str]) -> None:
    for fault in faults:
        raise GateFailed(
            f"unit {unit}: the audit is incomplete: {fault}. Nothing is published. Give the run "
            "up with `scrubline resume --output ... --discard`, and scrub again"
        )


def _faults_of_parts(receipt: Receipt, sizes: Mapping[str, int]) -> Iterator[str]:
    # Where a file is a document, rows with the same id write one path in turn until they are
    # numbered: what is there now is the last of them.
    for part in {part.path: part for part in receipt.parts}.values():
        if part.path not in sizes:
            yield f"a part of {part.table} is missing"
        elif sizes[part.path] != part.bytes:
            yield f"a part of {part.table} has {sizes[part.path]} bytes, not {part.bytes}"
    tables = {part.table for part in receipt.parts}
    rows_out = receipt.tally.counts["rows_out"]
    for table in ("audit", "documents", *(("data",) if rows_out else ())):
        if table not in tables:
            yield f"{table} has no part"


def _faults_of_tables(storage: Storage, job: Job, receipt: Receipt) -> Iterator[str]:
    counts = receipt.tally.counts
    documents = _table(storage, job, receipt, "documents", ["doc_key", "status"])
    written = documents.filter(pc.not_equal(documents["status"], "quarantined"))
    expected = counts["documents"]
    least = counts["rows_out"] * job.columns.least_documents
    many = job.columns.have_many_texts
    if job.group_lines is None and (expected < least or (expected > least and not many)):
        yield f"{counts['rows_out']} rows go out, but {expected} documents were counted"
    if written.num_rows != expected:
        yield f"{written.num_rows} documents are listed, but {expected} were counted"
    audit = _table(storage, job, receipt, "audit", ["doc_key", "fragment", "reason"])
    believed = pa.array([reason for reason in BELIEVED if reason is not None])
    counted = pc.or_(pc.is_null(audit["reason"]), pc.is_in(audit["reason"], believed))
    spans = pc.sum(pc.and_(counted, pc.invert(audit["fragment"]))).as_py() or 0
    if spans != counts["spans"]:
        yield f"the audit has {spans} spans, but {counts['spans']} were counted"
    known = pc.is_in(audit["doc_key"], pc.unique(written["doc_key"]))
    if pc.any(pc.invert(known)).as_py():
        yield "the audit has spans of other documents"


def _table(storage: Storage, job: Job, receipt: Receipt, table: str, columns: list[str]) -> Any:
    """Some columns of a table of a unit."""
    parts = [
        read_part(storage, f"{job.staging}/{part.path}", columns)
        for part in receipt.parts
        if part.table == table
    ]
    return pa.concat_tables(parts)
