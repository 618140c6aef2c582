"""Tokenize: adds tokens."""

import dataclasses

import apache_beam as beam

from ..models.batches import Batch
from ..models.job import Job
from ..models.steps import tokenize_batch
from ..models.systems import reads_sentences
from .running import StepFn, failing_safely, open_bundles


@dataclasses.dataclass
class Tokenize(beam.PTransform):
    """Batch of documents -> the same batch with tokens, one for one."""

    job: Job

    def expand(self, batches):
        return batches | "TokenizeBatch" >> beam.ParDo(
            _TokenizeFn("Tokenize", self.job)
        ).with_output_types(Batch)


class _TokenizeFn(StepFn):
    def setup(self) -> None:
        super().setup()
        with failing_safely(self.step):
            self.sentences = any(map(reads_sentences, open_bundles(self.job)))

    def apply(self, batch: Batch) -> Batch:
        return tokenize_batch(batch, self.job.budgets, sentences=self.sentences)
