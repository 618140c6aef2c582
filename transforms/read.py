"""ReadUnits: work units become batches of documents."""

import dataclasses
from collections.abc import Callable, Iterator

import apache_beam as beam

from ..models.core.batches import Batch
from ..models.core.shortage import SMALLER, Pace
from ..models.formats import Limits
from ..models.jobs.amendments import RunAmendments
from ..models.jobs.first_pass import linked_batches
from ..models.jobs.job import Job
from ..models.jobs.opening import open_job_once
from .running import Meter, sanitize_errors

READING = -1
"""In place of a row's ordinal: the unit is being read, and no row is being worked on."""


@dataclasses.dataclass
class ReadUnits(beam.PTransform):
    """Index of a unit -> its batches, one to many, in order; the last is marked.

    Attributes:
        job: frozen, with its plan.
        report: called with (unit, ordinal of the first row, rows) before a batch is handed on, and
            with (unit, READING, 0) before the next one is read: for progress, and to know where a
            worker died. It must be picklable.
        pace: how large batches are; of single rows to find the document that kills a worker.
    """

    job: Job
    report: Callable[[int, int, int], None] | None = None
    pace: Pace = Pace.FULL

    def expand(self, units):
        return units | "ReadBatches" >> beam.ParDo(_ReadFn(self)).with_output_types(Batch)


class _ReadFn(beam.DoFn):
    def __init__(self, settings: ReadUnits) -> None:
        self.job, self.pace = settings.job, settings.pace
        self.report = settings.report or _no_report

    def setup(self) -> None:
        with sanitize_errors("ReadUnits"):
            self.opened = open_job_once(self.job)
        self.meter = Meter("ReadUnits")

    def process(self, unit: int) -> Iterator[Batch]:
        batches: Iterator[Batch] | None = None
        while True:
            self.report(unit, READING, 0)
            with self.meter.batch() as seen, sanitize_errors(f"ReadUnits: unit {unit}"):
                batches = batches or self._batches(unit)
                batch = next(batches, None)
                if batch is not None:
                    seen.append(batch)
            if batch is None:
                return
            self.report(
                unit, int(batch.rows.ordinals[0]) if len(batch.rows) else 0, len(batch.rows)
            )
            yield batch

    def _batches(self, unit: int) -> Iterator[Batch]:
        # Read for each unit: what is known of its rows may grow while the run works.
        amendments = RunAmendments.read(self.opened.storage, self.job.restricted).of_unit(unit)
        planned = self.opened.plan.units[unit]
        batches = self.opened.batches(
            planned, limits=_at_pace(self.job.limits, self.pace), amendments=amendments
        )
        if not amendments.facts:
            return batches
        return linked_batches(batches, self.opened.storage, self.job, planned, amendments.facts)


def _at_pace(limits: Limits, pace: Pace) -> Limits:
    """The limits with the batch caps of a pace; those that decide what a record is stay."""
    if pace is Pace.FULL:
        return limits
    share = SMALLER if pace is Pace.SMALL else limits.batch_documents
    return dataclasses.replace(
        limits,
        batch_documents=max(1, limits.batch_documents // share),
        batch_bytes=max(1, limits.batch_bytes // SMALLER),
    )


def _no_report(unit: int, row: int, rows: int) -> None:
    """Reports to no one."""
