"""ReadUnits: work units become batches of documents."""

import dataclasses
from collections.abc import Callable, Iterator

import apache_beam as beam

from ..models.batches import Batch
from ..models.formats import Limits
from ..models.job import Job
from ..models.reading import read_unit
from ..models.rework import Rework
from ..models.shortage import SMALLER, Pace
from .running import Meter, failing_safely, open_job

READING = -1
"""Instead of a row's ordinal: the unit is being read, no row is being worked on."""


@dataclasses.dataclass
class ReadUnits(beam.PTransform):
    """Index of a unit -> its batches, one to many, in order; the last is marked.

    Attributes:
        job: what is to be done.
        report: called with (unit, ordinal of its first row, rows) before a batch is handed on, and
            with (unit, READING, 0) before the next is read: for progress, and to know where a
            worker died. It must be picklable.
        pace: how large batches are; of one row, to find the document that kills a worker.
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
        with failing_safely("ReadUnits"):
            self.opened = open_job(self.job)
        self.meter = Meter("ReadUnits")

    def process(self, unit: int) -> Iterator[Batch]:
        batches: Iterator[Batch] | None = None
        while True:
            self.report(unit, READING, 0)
            with self.meter.batch() as seen, failing_safely(f"ReadUnits: unit {unit}"):
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
        return read_unit(
            self.opened.storage,
            self.job.form(self.opened.plan.units[unit].format),
            self.opened.plan.units[unit],
            self.opened.plan.files,
            self.job.columns,
            self.opened.keys,
            _slowed(self.job.limits, self.pace),
            self.job.budgets,
            keep_dates=self.opened.policy.keep_dates,
            facts=Rework.read(self.opened.storage, self.job.restricted).of_unit(unit),
            group_lines=self.job.group_lines,
        )


def _slowed(limits: Limits, pace: Pace) -> Limits:
    """The limits with smaller batches; what a record is they never decide."""
    if pace is Pace.FULL:
        return limits
    share = SMALLER if pace is Pace.SMALL else limits.batch_documents
    return dataclasses.replace(
        limits,
        batch_documents=max(1, limits.batch_documents // share),
        batch_bytes=max(1, limits.batch_bytes // SMALLER),
    )


def _no_report(unit: int, row: int, rows: int) -> None:
    """Nobody asked."""
