"""Featurize: adds the attribute rows of every tagger."""

import dataclasses

import apache_beam as beam

from ..models.batches import Batch
from ..models.job import Job
from ..models.steps import featurize_batch
from .running import StepFn, failing_safely, open_systems


@dataclasses.dataclass
class Featurize(beam.PTransform):
    """Batch with tokens -> the same batch with the attribute rows of every tagger, one for one."""

    job: Job

    def expand(self, batches):
        return batches | "FeaturizeBatch" >> beam.ParDo(
            _FeaturizeFn("Featurize", self.job)
        ).with_output_types(Batch)


class _FeaturizeFn(StepFn):
    def setup(self) -> None:
        super().setup()
        with failing_safely(self.step):
            self.systems = open_systems(self.job)

    def apply(self, batch: Batch) -> Batch:
        return featurize_batch(batch, self.systems)
