"""Merge: adds spans (accept, select, cover)."""

import dataclasses

import apache_beam as beam

from ..models.batches import Batch
from ..models.job import Job
from ..models.steps import merge_batch
from .running import StepFn


@dataclasses.dataclass
class Merge(beam.PTransform):
    """Batch with candidates -> the same batch with spans (accept, select, cover), one for one."""

    job: Job

    def expand(self, batches):
        return batches | "MergeBatch" >> beam.ParDo(_MergeFn("Merge", self.job)).with_output_types(
            Batch
        )


class _MergeFn(StepFn):
    def apply(self, batch: Batch) -> Batch:
        return merge_batch(batch, self.opened.policy, self.job.budgets)
