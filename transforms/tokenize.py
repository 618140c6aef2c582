"""Tokenize: adds tokens."""

import dataclasses

import apache_beam as beam

from ..models.batches import Batch
from ..models.job import Job
from ..models.steps import tokenize_batch
from .running import StepFn


@dataclasses.dataclass
class Tokenize(beam.PTransform):
    """Batch of documents -> the same batch with tokens, one for one."""

    job: Job

    def expand(self, batches):
        return batches | "TokenizeBatch" >> beam.ParDo(
            _TokenizeFn("Tokenize", self.job)
        ).with_output_types(Batch)


class _TokenizeFn(StepFn):
    def apply(self, batch: Batch) -> Batch:
        return tokenize_batch(batch, self.job.budgets)
