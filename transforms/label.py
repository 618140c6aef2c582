"""Label: adds the CRFs' candidates."""

import dataclasses

import apache_beam as beam

from ..models.batches import Batch
from ..models.job import Job
from ..models.steps import label_batch
from .running import StepFn, failing_safely, open_systems


@dataclasses.dataclass
class Label(beam.PTransform):
    """Batch with features -> the same batch with the CRFs' candidates, one for one."""

    job: Job

    def expand(self, batches):
        return batches | "LabelBatch" >> beam.ParDo(_LabelFn("Label", self.job)).with_output_types(
            Batch
        )


class _LabelFn(StepFn):
    def setup(self) -> None:
        super().setup()
        with failing_safely(self.step):
            self.systems = open_systems(self.job)

    def apply(self, batch: Batch) -> Batch:
        return label_batch(batch, self.systems)
