"""Units of a frozen plan on Beam's direct runner in this very process: `--workers 0`.

Where memory falls short, a unit is run once more with smaller batches, then row by row, as the
supervisor does with its children.
"""

from __future__ import annotations

import gc
import logging
from collections.abc import Sequence

from ...models.core.errors import Shortage
from ...models.core.heartbeat import record_heartbeat
from ...models.core.shortage import Pace, named_shortage
from ...models.jobs.job import Job
from ...models.jobs.plan import Plan
from ...models.jobs.receipts import receipt_url
from ...models.storage.storage import Storage
from ..metrics import Metrics, add_metrics
from ..observer import RunObserver
from .beam import run_direct
from .reports import reporting_to

_log = logging.getLogger(__name__)


def run_in_process(
    storage: Storage, job: Job, plan: Plan, units: Sequence[int], observer: RunObserver
) -> Metrics:
    """Runs a group of units until each has its receipt.

    Raises:
        Shortage: if the machine lacks what a row needs even alone; names unit and row.
        ScrublineError: as `run_direct`.
    """
    attempts = _Attempts(job, observer)
    lack = attempts.run(units, Pace.FULL)
    if lack:
        for unit in units:
            if not storage.exists(receipt_url(job.staging, plan.units[unit].name)):
                _log.warning("unit %d is run with smaller batches: %s", unit, lack)
                if attempts.run([unit], Pace.SMALL):
                    attempts.run_alone(unit)
    return attempts.metrics


class _Attempts:
    """Attempts to run units, and what they add up to.

    Attributes:
        metrics: of the attempts that ended well.
    """

    def __init__(self, job: Job, observer: RunObserver) -> None:
        self._job, self._observer = job, observer
        self.metrics: Metrics = {}
        self._row = -1

    def run(self, units: Sequence[int], pace: Pace) -> str:
        """Runs units; returns what the machine lacked, "" if nothing."""
        try:
            with reporting_to(self._batch_began) as report:
                add_metrics(self.metrics, run_direct(self._job, units, report=report, pace=pace))
            return ""
        except Shortage as error:
            lack = str(error)
        gc.collect()  # what was being worked on is in circles with the error's traceback
        return lack

    def run_alone(self, unit: int) -> None:
        """Runs a unit row by row.

        Raises:
            Shortage: naming the row that the machine lacks something for.
        """
        _log.warning("unit %d is run row by row", unit)
        if lack := self.run([unit], Pace.SINGLE):
            raise Shortage(named_shortage(unit, self._row, lack))

    def _batch_began(self, unit: int, row: int, rows: int) -> None:
        self._row = row
        record_heartbeat()
        self._observer.batch_began(rows)
