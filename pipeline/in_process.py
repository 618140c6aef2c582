"""Units of a frozen plan on Beam's direct runner in this very process: `--workers 0`.

Where memory falls short, a unit is run once more with smaller batches, then row by row, as the
supervisor does with its children.
"""

from __future__ import annotations

import gc
import logging
from collections.abc import Sequence

from ..models.errors import Shortage
from ..models.job import Job
from ..models.receipts import receipt_url
from ..models.shortage import Pace, named_shortage
from ..models.storage import Storage
from ..models.units import Plan
from .execute import run_direct
from .metrics import Metrics, add_metrics
from .progress import Progress

_log = logging.getLogger(__name__)


def run_in_process(
    storage: Storage, job: Job, plan: Plan, units: Sequence[int], progress: Progress
) -> Metrics:
    """Runs a group of units until each has its receipt.

    Raises:
        Shortage: if the machine lacks what a row needs even alone; names unit and row.
        ScrublineError: as `run_direct`.
    """
    hook.target = progress
    metrics: Metrics = {}
    lack = _tried(job, units, Pace.FULL, metrics)
    if lack:
        for unit in units:
            if not storage.exists(receipt_url(job.staging, plan.units[unit].name)):
                _log.warning("unit %d is run with smaller batches: %s", unit, lack)
                if _tried(job, [unit], Pace.SMALL, metrics):
                    _alone(job, unit, metrics)
    return metrics


def _alone(job: Job, unit: int, metrics: Metrics) -> None:
    _log.warning("unit %d is run row by row", unit)
    if lack := _tried(job, [unit], Pace.SINGLE, metrics):
        raise Shortage(named_shortage(unit, hook.row, lack))


def _tried(job: Job, units: Sequence[int], pace: Pace, metrics: Metrics) -> str:
    """Runs units; gives what the machine lacked, "" if nothing."""
    try:
        add_metrics(metrics, run_direct(job, units, report=hook, pace=pace))
        return ""
    except Shortage as error:
        lack = str(error)
    gc.collect()  # what was under way is in circles with the error's traceback
    return lack


class _Hook:
    """Hands reports to the progress display; pickled by Beam, so it holds nothing.

    Attributes:
        row: the one that is worked on, `READING` for none.
    """

    target: Progress | None = None
    row = -1

    def __call__(self, unit: int, row: int, rows: int) -> None:
        hook.row = row
        if hook.target is not None:
            hook.target.rows(rows)

    def __reduce__(self) -> str:
        return "hook"


hook = _Hook()
