"""Recognise: adds the rules' candidates."""

import dataclasses

import apache_beam as beam

from ..models.batches import Batch
from ..models.job import Job
from ..models.steps import recognise_batch
from .running import StepFn


@dataclasses.dataclass
class Recognise(beam.PTransform):
    """Batch with the CRFs' candidates -> the same batch with the rules' added, one for one."""

    job: Job

    def expand(self, batches):
        return batches | "RecogniseBatch" >> beam.ParDo(
            _RecogniseFn("Recognise", self.job)
        ).with_output_types(Batch)


class _RecogniseFn(StepFn):
    def apply(self, batch: Batch) -> Batch:
        return recognise_batch(batch, self.job.recognisers)
