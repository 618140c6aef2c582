"""Write: scrubbed batches become parts, and each unit a receipt."""

import dataclasses
import logging
from collections.abc import Iterator

import apache_beam as beam
import pyarrow as pa
from apache_beam.metrics import Metrics

from ..models.core.batches import Batch
from ..models.core.errors import RunFailed, error_class
from ..models.formats import partition_path
from ..models.jobs.candidate_rows import candidate_rows
from ..models.jobs.first_pass import FirstPass
from ..models.jobs.job import Job
from ..models.jobs.opening import open_job_once
from ..models.jobs.output_rows import Result, build_output_rows, output_partition
from ..models.jobs.receipts import Receipt, UnitSink
from ..models.jobs.view_rows import UnitView
from .running import Meter, freeze_gc, sanitize_errors

_log = logging.getLogger(__name__)


@dataclasses.dataclass
class Write(beam.PTransform):
    """Scrubbed batches -> one receipt a unit as JSON text (no PHI), many to one.

    The batches of a unit arrive one after another, because the chain is fused and fed by a
    generator. The receipt is written last and in this same step, so a unit that has its receipt is
    complete.
    """

    job: Job

    def expand(self, batches):
        return batches | "WriteParts" >> beam.ParDo(_WriteFn(self.job)).with_output_types(str)


class _WriteFn(beam.DoFn):
    def __init__(self, job: Job) -> None:
        self.job = job
        # Set here: teardown is called even after a setup that failed.
        self.sink: UnitSink | None = None
        self.first_pass: FirstPass | None = None
        self.view_rows: UnitView | None = None

    def setup(self) -> None:
        with sanitize_errors("Write"):
            self.opened = open_job_once(self.job)
        self.meter = Meter("Write")
        self.spans = Metrics.counter("Write", "spans_found")
        self.quarantined = Metrics.counter("Write", "rows_quarantined")
        self.unit = -1

    def start_bundle(self) -> None:
        """A bundle that is retried begins its units anew."""
        self._abandon(RunFailed("bundle retried"))

    def process(self, batch: Batch) -> Iterator[str]:
        with self.meter.batch() as seen, sanitize_errors(f"Write: unit {batch.unit}"):
            seen.append(batch)
            try:
                receipt = self._write(batch)
            except BaseException as error:
                self._abandon(error)
                raise
        freeze_gc()
        if receipt is not None:
            yield receipt.to_json()

    def teardown(self) -> None:
        self._abandon(RunFailed("worker stopped"))

    def _write(self, batch: Batch) -> Receipt | None:
        if self.sink is None or self.unit != batch.unit:
            self._abandon(RunFailed("another unit began"))
            self.sink, self.unit = self._open(batch), batch.unit
            self.first_pass = FirstPass() if self.job.link_notes else None
            self.view_rows = self._view_rows()
        unit = self.opened.plan.units[batch.unit]
        result = build_output_rows(
            batch,
            run=self.job.run,
            form=self.job.form(unit.format),
            columns=self.job.columns,
            detector_hashes=self.opened.detector_hashes,
            hipaa=self.opened.policy.hipaa_of,
            tells_type=self.opened.policy.documents.note_type,
        )
        self.sink.write(result, self._candidates(batch))
        self._count(result)
        if self.first_pass is not None:
            self.first_pass.add(batch)
        if self.view_rows is not None:
            self.view_rows.add(batch)
        if not batch.last:
            return None
        if self.view_rows is not None:
            self.sink.write_whole("view", self.view_rows.content())
        if self.first_pass is not None:
            self.first_pass.keep(self.opened.storage, self.job.staging, unit.name)
            self.sink.write_evidence(*self.first_pass.evidence())
        receipt, self.sink = self.sink.commit(), None
        return receipt

    def _open(self, batch: Batch) -> UnitSink:
        unit = self.opened.plan.units[batch.unit]
        partition = output_partition(
            self.job.columns,
            unit.partition,
            self.opened.keys,
            keep_dates=self.opened.policy.keep_dates,
        )
        return UnitSink(
            self.opened.storage,
            staging=self.job.staging,
            run=self.job.run,
            unit=batch.unit,
            name=unit.name,
            form=self.job.form(unit.format),
            partition=partition_path(partition),
            given=batch.given,
            roster=self.job.roster_generation,
            facts=batch.linked.hash if batch.linked is not None else "",
        )

    def _view_rows(self) -> UnitView | None:
        if self.job.view is None:
            return None
        return UnitView(self.job.view, self.opened.policy, self.opened.resources.people)

    def _candidates(self, batch: Batch) -> pa.Table | None:
        if not self.job.keep_candidates:
            return None
        return candidate_rows(batch, self.opened.policy, self.job.run)

    def _count(self, result: Result) -> None:
        self.spans.inc(result.tally.counts["spans"])
        self.quarantined.inc(result.tally.counts["rows_quarantined"])
        for error, count in result.tally.errors.items():
            _log.warning("unit %d: %d rows quarantined, %s", self.unit, count, error)

    def _abandon(self, error: BaseException) -> None:
        if self.sink is not None:
            _log.warning("unit %d was not finished: %s", self.unit, error_class(error))
            self.sink.abandon()
            self.sink = None
