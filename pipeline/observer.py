"""Who observes a run: progress on a terminal, the report and its metrics, sums of counters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..models.jobs.job import Job
from ..models.jobs.output_rows import Tally
from ..models.jobs.plan import Plan
from ..models.jobs.receipts import Receipt
from ..models.storage.storage import Storage
from .metrics import Metrics, add_metrics


class RunObserver:
    """Is called with the events of a run, or of several runs in turn, in this order; does nothing.

    What it raises ends the run. Batches and parts may be reported from other threads than the
    rest, one call at a time but for `part_moved`.
    """

    def locked(self) -> None:
        """No other process works on the output, nor reports on it. May be called twice."""

    def frozen(self, storage: Storage, job: Job, plan: Plan) -> None:
        """The plan is frozen, or was read back."""

    def planning(self) -> None:
        """Unfinished earlier runs are finished or given up; the run that was asked for is next."""

    def work_began(self, units: Sequence[int]) -> None:
        """These units are still to be done."""

    def batch_began(self, rows: int) -> None:
        """A batch of so many rows is being worked on; 0 while the next one is read."""

    def units_done(self, units: Sequence[int], metrics: Metrics) -> None:
        """Units are finished; `metrics` are what the work on them adds."""

    def retried(self, what: str) -> None:
        """Work is done again: a "worker" died, a "unit" failed, or a "job" of an engine."""

    def tallied(self, tally: Tally, receipts: Mapping[int, Receipt]) -> None:
        """All units are done and counted; gates come next."""

    def checked(self) -> None:
        """One more check before publication is done."""

    def publishing(self, parts: int) -> None:
        """All gates are passed; so many files will be moved."""

    def part_moved(self) -> None:
        """One file is published."""

    def nothing_to_do(self, counts: Mapping[str, int]) -> None:
        """No input has to be read, as these counts of them show; the last event."""

    def published(self, manifest: Mapping[str, Any]) -> None:
        """The output is published; the last event of a run."""


NULL_OBSERVER = RunObserver()


class Observers(RunObserver):
    """Passes every event on to several observers, in their order."""

    def __init__(self, *observers: RunObserver) -> None:
        self._observers = observers

    def locked(self) -> None:
        """See `RunObserver`."""
        for observer in self._observers:
            observer.locked()

    def frozen(self, storage: Storage, job: Job, plan: Plan) -> None:
        """See `RunObserver`."""
        for observer in self._observers:
            observer.frozen(storage, job, plan)

    def planning(self) -> None:
        """See `RunObserver`."""
        for observer in self._observers:
            observer.planning()

    def work_began(self, units: Sequence[int]) -> None:
        """See `RunObserver`."""
        for observer in self._observers:
            observer.work_began(units)

    def batch_began(self, rows: int) -> None:
        """See `RunObserver`."""
        for observer in self._observers:
            observer.batch_began(rows)

    def units_done(self, units: Sequence[int], metrics: Metrics) -> None:
        """See `RunObserver`."""
        for observer in self._observers:
            observer.units_done(units, metrics)

    def retried(self, what: str) -> None:
        """See `RunObserver`."""
        for observer in self._observers:
            observer.retried(what)

    def tallied(self, tally: Tally, receipts: Mapping[int, Receipt]) -> None:
        """See `RunObserver`."""
        for observer in self._observers:
            observer.tallied(tally, receipts)

    def checked(self) -> None:
        """See `RunObserver`."""
        for observer in self._observers:
            observer.checked()

    def publishing(self, parts: int) -> None:
        """See `RunObserver`."""
        for observer in self._observers:
            observer.publishing(parts)

    def part_moved(self) -> None:
        """See `RunObserver`."""
        for observer in self._observers:
            observer.part_moved()

    def nothing_to_do(self, counts: Mapping[str, int]) -> None:
        """See `RunObserver`."""
        for observer in self._observers:
            observer.nothing_to_do(counts)

    def published(self, manifest: Mapping[str, Any]) -> None:
        """See `RunObserver`."""
        for observer in self._observers:
            observer.published(manifest)


class MetricsTotal(RunObserver):
    """Adds up the metrics of units that are done.

    Attributes:
        metrics: the sum.
    """

    def __init__(self) -> None:
        self.metrics: Metrics = {}

    def units_done(self, units: Sequence[int], metrics: Metrics) -> None:
        """Adds what the work on these units gave."""
        add_metrics(self.metrics, metrics)
