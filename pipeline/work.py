"""The work of a run: its units on some runner, until nothing of it is left to do."""

from __future__ import annotations

import dataclasses
import datetime
import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

from ..models.jobs.output_rows import COUNTS, Tally
from ..models.jobs.receipts import Receipt
from ..models.storage.storage import Storage
from .metrics import Metrics, add_metrics
from .observer import RunObserver
from .options import Options
from .outputs.duplicate_ids import count_numbered, number_repeated_ids
from .outputs.gates import check_parts, reconcile
from .outputs.note_links import forget_lost_facts, link_task, settle
from .outputs.planning import PlannedRun
from .outputs.predictions import against_outcome, outcome
from .outputs.publishing import read_receipts, unfinished
from .outputs.skip_list import summarize_skipped
from .outputs.state import Stage, stage_of
from .runners.note_links import run_links
from .runners.units import run_units

_log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Session:
    """What one launcher works with, whatever run it is at.

    Attributes:
        storage: where inputs and output are.
        options: once a run is frozen, only those of how to run count.
        observer: is called with all events.
        require_lock: raises RunFailed if the lock of the output was lost.
    """

    storage: Storage
    options: Options
    observer: RunObserver
    require_lock: Callable[[], None]


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Round:
    """Units that were worked on until all units of the run had receipts.

    Attributes:
        units: that were left to do.
        metrics: of the work on them.
        receipts: of all units of the run.
        tally: of all units.
        is_publishing: whether a publication of the run was begun before: its gates were passed.
        numbered: rows that repeat an id and were numbered after it; their units are left to do.
        linked: units of which other notes of their patients say something new; they are left to do.
    """

    units: tuple[int, ...]
    metrics: Metrics
    receipts: Mapping[int, Receipt]
    tally: Tally
    is_publishing: bool
    numbered: int
    linked: int = 0


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Worked:
    """What was worked on, and what the whole run holds.

    Attributes:
        rounds: at least one; the receipts and the tally of the last hold.
        started: date and time in ISO 8601.
        began: by the monotonic clock.
    """

    rounds: tuple[Round, ...]
    started: str
    began: float

    @property
    def receipts(self) -> Mapping[int, Receipt]:
        """Of all units of the run."""
        return self.rounds[-1].receipts

    @property
    def tally(self) -> Tally:
        """Of all units of the run."""
        return self.rounds[-1].tally

    @property
    def is_publishing(self) -> bool:
        """See `Round`."""
        return self.rounds[-1].is_publishing

    @property
    def metrics(self) -> Metrics:
        """Of all rounds."""
        total: Metrics = {}
        for one in self.rounds:
            add_metrics(total, one.metrics)
        return total

    @property
    def rows(self) -> int:
        """Rows of the units that were worked on."""
        units = {unit for one in self.rounds for unit in one.units}
        return sum(self.receipts[unit].tally.counts["rows_in"] for unit in units)


def work(session: Session, run: PlannedRun) -> Worked:
    """Works until every unit has its receipt, no two rows share a doc_key and all notes are linked.

    Raises:
        RunFailed: resumable.
        GateFailed: if rows were lost, or parts are missing.
    """
    started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    began = time.monotonic()
    if run.job.link_notes:
        forget_lost_facts(session.storage, run.job, run.plan)
    rounds = [_round(session, run)]
    while rounds[-1].numbered or rounds[-1].linked:
        if numbered := rounds[-1].numbered:
            _log.warning(
                "%d rows repeat an id: they are numbered, and their units run again", numbered
            )
        rounds.append(_round(session, run))
    return Worked(tuple(rounds), started, began)


def _round(session: Session, run: PlannedRun) -> Round:
    storage, job, plan, observer = session.storage, run.job, run.plan, session.observer
    left = unfinished(storage, job, plan)
    observer.work_began(left)
    metrics = run_units(storage, job, plan, left, session.options, observer) if left else {}
    receipts = read_receipts(storage, job, plan)
    tally = reconcile(plan, receipts)
    observer.tallied(tally, receipts)
    is_publishing = stage_of(storage, job.output, job.run) is Stage.PUBLISHING
    numbered = 0
    if not is_publishing:  # else some parts are no longer under staging
        check_parts(storage, job, receipts)
        observer.checked()
        numbered = number_repeated_ids(storage, job, plan, receipts)
        observer.checked()
    linked = 0
    if job.link_notes and not is_publishing and not numbered:
        metrics = dict(metrics)
        linked = _link(session, run, receipts, metrics)
        observer.checked()
    return Round(tuple(left), metrics, receipts, tally, is_publishing, numbered, linked)


def _link(
    session: Session, run: PlannedRun, receipts: Mapping[int, Receipt], metrics: Metrics
) -> int:
    """Joins what the notes say; returns how many units have to be run again for it."""
    storage, job = session.storage, run.job
    units = link_task(storage, job, run.plan, receipts)
    add_metrics(metrics, run_links(storage, job, units.task, session.options))
    return settle(storage, job, run.plan, units, receipts)


def run_report(
    session: Session, run: PlannedRun, worked: Worked, passed: Mapping[str, Any]
) -> dict[str, Any]:
    """What the manifest says of a run that no digest covers: times, counts, metrics.

    Args:
        passed: what the gates found.
    """
    storage, job, plan, options = session.storage, run.job, run.plan, session.options
    seconds, metrics = time.monotonic() - worked.began, worked.metrics
    actual = outcome(
        worked.tally,
        worked.receipts,
        metrics,
        workers=options.workers,
        seconds=seconds,
        whole=len(worked.rounds[0].units) == len(plan.units),
    )
    prediction = against_outcome(storage, job, actual)
    return {
        "started": worked.started,
        "seconds": round(seconds, 2),
        "units": len(plan.units),
        "inputs": len(plan.files),
        "counts": {name: worked.tally.counts[name] for name in COUNTS},
        "rows_worked_on": worked.rows,
        **({"incremental": dict(plan.increment.counts)} if plan.increment else {}),
        "repeated_ids": count_numbered(storage, job),
        **summarize_skipped(storage, job, worked.receipts),
        **passed,
        "runner": options.runner,
        "workers": options.workers,
        "metrics": metrics,
        **({"prediction": prediction} if prediction is not None else {}),
    }
