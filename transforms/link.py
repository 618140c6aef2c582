"""LinkNotes: the evidence of a bucket of keys becomes facts."""

import dataclasses
from collections.abc import Iterator

import apache_beam as beam
from apache_beam.metrics import Metrics

from ..models.core.heartbeat import record_heartbeat
from ..models.jobs.job import Job
from ..models.jobs.link_task import LinkTask, link_bucket
from ..models.storage.storage import Storage
from .running import sanitize_errors


@dataclasses.dataclass
class LinkNotes(beam.PTransform):
    """Number of a bucket -> number of its facts, one for one. Integers alone are joined.

    Attributes:
        job: frozen.
        folder: of the task, under staging.
    """

    job: Job
    folder: str

    def expand(self, buckets):
        join = beam.ParDo(_LinkFn(self.job, self.folder))
        return buckets | "LinkBuckets" >> join.with_output_types(int)


class _LinkFn(beam.DoFn):
    def __init__(self, job: Job, folder: str) -> None:
        self.job, self.folder = job, folder

    def setup(self) -> None:
        with sanitize_errors("LinkNotes"):
            self.storage = Storage(root=self.job.output)
            self.task = LinkTask.read(self.storage, self.folder)
        self.facts = Metrics.counter("LinkNotes", "facts")

    def process(self, bucket: int) -> Iterator[int]:
        with sanitize_errors(f"LinkNotes: bucket {bucket}"):
            facts = link_bucket(self.storage, self.job, self.task, bucket, record_heartbeat)
        self.facts.inc(facts)
        yield facts
