"""What all transforms share: a coder that refuses batches, safe errors, counters, a step."""

import contextlib
import dataclasses
import gc
import time
from collections.abc import Iterator

import apache_beam as beam
from apache_beam.metrics import Metrics

from ..models.core.batches import Batch
from ..models.core.errors import RunFailed, ScrublineError, Shortage, error_class
from ..models.core.shortage import raise_shortage
from ..models.jobs.job import Job
from ..models.jobs.opening import open_job_once
from ..models.jobs.steps import STEPS


class BatchCoder(beam.coders.Coder):
    """Refuses to encode a batch.

    The attributes of a document take about 25 times its bytes, and a step that is not fused would
    send them, and the text, over the wire or to disk. A fusion that breaks by accident must fail a
    test, not the memory budget or promise 5.
    """

    def encode(self, value):
        """Always raises."""
        raise TypeError(
            "a Batch must not leave its worker: some step broke the fusion of the chain"
        )

    def decode(self, encoded):
        """Always raises."""
        raise TypeError("a Batch cannot be decoded")

    def estimate_size(self, value):
        """Characters of the texts. Beam samples sizes, and would encode a batch to get one."""
        return sum(map(len, value.documents.texts))

    def is_deterministic(self):
        """Nothing is ever encoded."""
        return True


beam.coders.registry.register_coder(Batch, BatchCoder)


_gc_is_frozen = False


def freeze_gc() -> None:
    """Exempts all objects of now from garbage collection, once a process.

    To be called after a batch has been through every step: models and lists are loaded by then, and
    stay. Each full collection walked all of them, which took 1.7 us a token with `en-default`, more
    than everything else around detection.
    """
    global _gc_is_frozen
    if not _gc_is_frozen:
        _gc_is_frozen = True
        # No collection first: it takes long, and Ctrl-C in one is lost to what it finalises.
        gc.freeze()


@contextlib.contextmanager
def sanitize_errors(where: str) -> Iterator[None]:
    """Lets no foreign exception out of a step: Beam logs and ships them, and they may quote PHI.

    Our own errors pass, as their messages are safe; of any other only the class does.
    """
    try:
        yield
    except Shortage as error:
        raise_shortage(error, where)
    except ScrublineError:
        raise
    except Exception as error:
        raise_shortage(error, where)
        # `from None`: Beam logs the traceback of what it gets, and all errors chained to it.
        raise RunFailed(f"{where}: {error_class(error)}") from None


class Meter:
    """Counters and distributions of one step, in a namespace of the step's name.

    `documents` and `documents_failed` count, `batch_ms` and `batch_characters` are distributions.
    """

    def __init__(self, step: str) -> None:
        self._documents = Metrics.counter(step, "documents")
        self._failed = Metrics.counter(step, "documents_failed")
        self._ms = Metrics.distribution(step, "batch_ms")
        self._characters = Metrics.distribution(step, "batch_characters")

    @contextlib.contextmanager
    def batch(self) -> Iterator[list[Batch]]:
        """Times a step. The caller appends the batch before and the batch after."""
        began = time.monotonic()
        seen: list[Batch] = []
        yield seen
        self._ms.update(int(1000 * (time.monotonic() - began)))
        if seen:
            before, after = seen[0], seen[-1]
            self._documents.inc(len(after.documents))
            self._failed.inc(len(after.failures) - (len(before.failures) if len(seen) > 1 else 0))
            self._characters.update(sum(map(len, after.documents.texts)))


@dataclasses.dataclass
class Step(beam.PTransform):
    """One entry of `models.jobs.steps.STEPS` over batches; a subclass bears its name.

    Attributes:
        job: frozen, with its plan.
    """

    job: Job

    def expand(self, batches):
        name = type(self).__name__
        return batches | f"{name}Batch" >> beam.ParDo(_StepFn(name, self.job)).with_output_types(
            Batch
        )


class _StepFn(beam.DoFn):
    def __init__(self, name: str, job: Job) -> None:
        self.name, self.job = name, job

    def setup(self) -> None:
        with sanitize_errors(self.name):
            self.resources = open_job_once(self.job).resources
        self.meter = Meter(self.name)

    def process(self, batch: Batch) -> Iterator[Batch]:
        with self.meter.batch() as seen, sanitize_errors(f"{self.name}: unit {batch.unit}"):
            seen.append(batch)
            seen.append(STEPS[self.name](batch, self.resources))
        yield seen[-1]
