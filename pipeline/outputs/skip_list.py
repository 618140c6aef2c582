"""Rows that an operator leaves out, mostly because no machine at hand has the memory for them.

Only an operator does so: a row must never be quarantined because of the machine that it was
processed on. Skipped rows are recorded with the other `RunAmendments` and named in the manifest.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow.compute as pc

from ...models.core.errors import UsageError
from ...models.jobs.amendments import SKIPPED, RunAmendments
from ...models.jobs.job import Job
from ...models.jobs.plan import Plan
from ...models.jobs.receipts import Receipt
from ...models.storage.retries import MissingFileError
from ...models.storage.storage import Storage
from .part_tables import read_part
from .publishing import read_receipts
from .state import Stage, stage_of

_log = logging.getLogger(__name__)


def record_skipped(storage: Storage, job: Job, plan: Plan, rows: Sequence[tuple[int, int]]) -> None:
    """Puts rows on the skip-list of a run; a unit that has its receipt is run again.

    Args:
        rows: unit and ordinal of each.

    Raises:
        UsageError: if the plan has no such unit, the unit no such row, as far as that is known, or
            the run is being published. Nothing is recorded then.
    """
    if stage_of(storage, job.output, job.run) is Stage.PUBLISHING:
        raise UsageError("the run is being published: its rows can no longer be skipped")
    receipts = read_receipts(storage, job, plan)
    amendments = RunAmendments.read(storage, job.restricted)
    for unit, row in rows:
        if unit >= len(plan.units):
            raise UsageError(
                f"--skip {unit}:{row}: the run has the units 0 to {len(plan.units) - 1}"
            )
        if unit in receipts and row >= (count := receipts[unit].tally.counts["rows_in"]):
            raise UsageError(f"--skip {unit}:{row}: the unit has {count} rows, counted from 0")
        amendments = amendments.skipping(unit, row, SKIPPED)
    amendments.write(storage, job.restricted)


def summarize_skipped(
    storage: Storage, job: Job, receipts: Mapping[int, Receipt]
) -> dict[str, Any]:
    """For the report in the manifest: the rows that were left out, as UNIT:ORDINAL; {} for none.

    A row that could not be read keeps the class of its own error, and is not among them.
    """
    amendments = RunAmendments.read(storage, job.restricted)
    skipped: list[tuple[int, int]] = []
    absent = failed = 0
    for unit, of_unit in sorted(amendments.units.items()):
        named = sorted(row for row, error in of_unit.skip.items() if error == SKIPPED)
        rows = [row for row in named if row < receipts[unit].tally.counts["rows_in"]]
        left_out = _left_out(storage, job, receipts[unit]) if rows else set()
        skipped += [(unit, row) for row in rows if row in left_out]
        absent += len(named) - len(rows)
        failed += len(set(rows) - left_out)
    if absent:
        _log.warning("%d rows given with --skip do not exist", absent)
    if failed:
        _log.warning("%d rows given with --skip could not be read: they keep that error", failed)
    return {"skipped": [f"{unit}:{row}" for unit, row in skipped]} if skipped else {}


def _left_out(storage: Storage, job: Job, receipt: Receipt) -> set[int]:
    """Ordinals of the rows of a unit that are quarantined as skipped."""
    found: set[int] = set()
    for part in receipt.parts:
        if part.table == "quarantine":
            try:
                table = read_part(storage, f"{job.staging}/{part.path}", ["ordinal", "error"])
            except MissingFileError:  # a publication that was cut off has moved it
                table = read_part(storage, f"{job.output}/{part.path}", ["ordinal", "error"])
            found.update(table.filter(pc.field("error") == SKIPPED)["ordinal"].to_pylist())
    return found
