"""What all transforms share: a coder that refuses batches, the worker's opened job, counters."""

import contextlib
import dataclasses
import gc
import os
import threading
import time
from collections.abc import Iterator

import apache_beam as beam
from apache_beam.metrics import Metrics

from ..models.batches import Batch
from ..models.bundles import Bundle, open_bundle
from ..models.errors import RunFailed, ScrublineError, Shortage, UsageError, error_class
from ..models.job import Job
from ..models.keys import Keys, load_keys
from ..models.policy import Policy
from ..models.recognisers import rule_hash
from ..models.shortage import raise_shortage
from ..models.storage import Storage
from ..models.systems import System, detectors_of
from ..models.units import Plan


class BatchCoder(beam.coders.Coder):
    """Refuses to encode a batch.

    Attributes of a document are about 25 times its bytes, and a step that is not fused would send
    them and the text over the wire or to disk. An accidental fusion break must fail a test, not the
    budget or promise 5.
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
        """Characters of the texts: Beam samples sizes, and would encode to know them."""
        return sum(map(len, value.documents.texts))

    def is_deterministic(self):
        """There is nothing to be deterministic about."""
        return True


beam.coders.registry.register_coder(Batch, BatchCoder)


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Opened:
    """A job opened on a worker: what cannot travel.

    Attributes:
        keys: the subkeys.
        policy: checked to be the planned one.
        plan: the frozen plan.
        storage: by fsspec.
        hashes: name -> hash of every detector that looks.
    """

    storage: Storage
    plan: Plan
    keys: Keys
    policy: Policy
    hashes: dict[str, str]


_lock = threading.Lock()


def _unlock() -> None:
    """The lock may be held, by a thread that the child of a fork does not have."""
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_unlock)
_opened: dict[Job, Opened] = {}


def open_job(job: Job) -> Opened:
    """Opens what a job names, once a process.

    Raises:
        UsageError: if a bundle, the policy or the key is not the one that the run was planned with.
    """
    with _lock:
        if job not in _opened:
            job.require_this_version()
            storage = Storage(root=job.output)
            keys, policy = open_keys(job, storage), job.planned_policy()
            hashes = detector_hashes(job, policy)
            _opened.clear()  # one job at a time: a plan may be large
            _opened[job] = Opened(storage, Plan.read(storage, job.restricted), keys, policy, hashes)
        return _opened[job]


def open_keys(job: Job, storage: Storage) -> Keys:
    """The keys that a job was planned with.

    Raises:
        UsageError: if the master key is another one.
    """
    keys = load_keys(job.key_source, storage.read_bytes, made_with=job.key_check)
    if keys.check != job.key_check:
        raise UsageError(
            f"another master key: its check value is {keys.check}, the run was planned "
            f"with {job.key_check}"
        )
    return keys


def detector_hashes(job: Job, policy: Policy) -> dict[str, str]:
    """Name -> hash of every detector of a job.

    Raises:
        UsageError: if a rule or a bundle is not the one that the run was planned with.
    """
    hashes = {name: rule_hash(name) for name in job.recognisers}
    if tuple(hashes.values()) != job.recogniser_hashes:
        raise UsageError("a rule has changed since the run was planned")
    for bundle in open_bundles(job):
        hashes |= dict.fromkeys(detectors_of(bundle), bundle.hash)
    return hashes | policy.detector_hashes


def open_systems(job: Job) -> list[System]:
    """Fresh systems for one DoFn instance: a tagger holds state; what is behind it is shared.

    Raises:
        UsageError: if a bundle is not the one that the run was planned with.
    """
    return [System(bundle, labels_as="native") for bundle in open_bundles(job)]


def open_bundles(job: Job) -> list[Bundle]:
    """The bundles of a job, each opened once a process.

    Raises:
        UsageError: if a bundle is not the one that the run was planned with.
    """
    bundles = [open_bundle(model) for model in job.models]
    for bundle, planned in zip(bundles, job.model_hashes, strict=True):
        if bundle.hash != planned:
            raise UsageError(f"bundle {bundle.name} has changed since the run was planned")
    return bundles


_spared = False


def spare_what_lasts() -> None:
    """Takes what is loaded by now out of the rounds of the garbage collector, once a process.

    To be called when a batch has been through every step: models and lists are loaded then, and
    stay. Each full round looked at all of them, which took 1.7 us a token with `en-default`, more
    than all else around detection.
    """
    global _spared
    if not _spared:
        _spared = True
        # Without a round before: it takes long, and Ctrl-C in one is lost to whatever it finalises.
        gc.freeze()


@contextlib.contextmanager
def failing_safely(where: str) -> Iterator[None]:
    """Lets no foreign exception out of a step: Beam logs and ships them, and they may quote PHI.

    Our own pass, as their messages are safe; of all others only the class is told.
    """
    try:
        yield
    except Shortage as error:
        raise_shortage(error, where)
    except ScrublineError:
        raise
    except Exception as error:
        raise_shortage(error, where)
        # `from None`: Beam logs the traceback of what it gets, with all that is chained to it.
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


class StepFn(beam.DoFn):
    """One arrow: opens its models in setup, maps a batch to a batch."""

    def __init__(self, step: str, job: Job) -> None:
        self.step, self.job = step, job

    def setup(self) -> None:
        """Opens what the step needs."""
        with failing_safely(self.step):
            self.opened = open_job(self.job)
        self.meter = Meter(self.step)

    def process(self, batch: Batch) -> Iterator[Batch]:
        """Yields the batch with what the step adds."""
        with self.meter.batch() as seen, failing_safely(f"{self.step}: unit {batch.unit}"):
            seen.append(batch)
            seen.append(self.apply(batch))
        yield seen[-1]

    def apply(self, batch: Batch) -> Batch:
        """The step itself."""
        raise TypeError(f"{type(self).__name__} does not say what it does")
