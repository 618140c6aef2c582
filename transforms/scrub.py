"""Scrub: adds scrubbed texts and offset maps."""

import dataclasses

import apache_beam as beam

from ..models.batches import Batch
from ..models.job import Job
from ..models.steps import scrub_batch
from .running import StepFn


@dataclasses.dataclass
class Scrub(beam.PTransform):
    """Batch with spans -> the same batch with scrubbed texts and offset maps, one for one."""

    job: Job

    def expand(self, batches):
        return batches | "ScrubBatch" >> beam.ParDo(_ScrubFn("Scrub", self.job)).with_output_types(
            Batch
        )


class _ScrubFn(StepFn):
    def apply(self, batch: Batch) -> Batch:
        return scrub_batch(batch)
