"""Jobs on a portable engine, one after another, until all units are done.

Of a job an engine tells no more than that it failed; what is done is seen by the receipts. Each
worker notes in staging which unit it begins (`Begun`). When a job fails, what is left goes to the
engine once more; what two jobs began and neither finished, or one in which nothing went on any
more, is run by workers here, under the supervisor, which finds the document that kills or hangs
them. The notes outlive this process: a launcher that is killed again and again by one document
comes to the same end.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import math
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from apache_beam.portability.api import beam_job_api_pb2 as jobs
from apache_beam.runners.portability.job_server import ExternalJobServer

from ...models.core.errors import InputChanged, RunFailed
from ...models.core.keys import fingerprint
from ...models.jobs.job import Job
from ...models.jobs.plan import Plan
from ...models.storage.storage import Storage
from ..metrics import Metrics
from ..observer import RunObserver
from ..outputs.publishing import unfinished
from . import flink
from .beam import NothingDone, require_reached, run_engine
from .engines import value_of

_log = logging.getLogger(__name__)

JOBS_UNTIL_HERE = 2
"""Of which all began a unit and none finished it, until workers here run it."""


def run_jobs(
    storage: Storage,
    job: Job,
    plan: Plan,
    left: Sequence[int],
    options: Sequence[str],
    run_here: Callable[[Sequence[int]], None],
    *,
    patience_seconds: float,
    observer: RunObserver,
) -> None:
    """Runs units on an engine until each has its receipt.

    Args:
        left: units to be done.
        options: Beam's, see `engines.beam_options`.
        run_here: runs units in workers of this machine, to the same receipts.
        patience_seconds: see `run_engine`.
        observer: is called with units that are done, with metrics of jobs that ended well, and
            with "job" when one failed and another is begun.

    Raises:
        UsageError: if a worker refuses the job.
        RunFailed: if a job failed before it began a unit, as another would too, and it is not for
            what was lost less than `BACK_SECONDS` ago; or as `run_here`.
    """
    options = (*_named(job, options), *options)
    number, before = _begun(storage, job)
    stuck = [unit for unit in left if before[unit] >= JOBS_UNTIL_HERE]
    patient_until = -math.inf
    while True:
        if stuck:
            _log.warning("%d units are run here: jobs of the engine failed with them", len(stuck))
            run_here(stuck)
            left = unfinished(storage, job, plan)
        if not left:
            return
        seen = _Receipts(storage, job, plan, left, lambda units: observer.units_done(units, {}))
        try:
            metrics = _run_one(job, left, options, number + 1, seen, patience_seconds)
        except InputChanged:
            raise
        except RunFailed as error:
            seen.look()
            left = unfinished(storage, job, plan)
            number, after = _begun(storage, job)
            if after == before:
                # A cluster that lost a part is not at once what it was.
                if time.monotonic() >= patient_until:
                    raise
                stuck = []
                time.sleep(PAUSE_SECONDS)
                continue
            under_way = [unit for unit in left if after[unit] > before[unit]]
            enough = 1 if isinstance(error, NothingDone) else JOBS_UNTIL_HERE
            stuck = [unit for unit in under_way if after[unit] >= enough]
            before = after
            _log.warning("a job failed with %d units under way: %s", len(under_way), error)
            observer.retried("job")
            patient_until = time.monotonic() + BACK_SECONDS
        else:
            seen.look()
            observer.units_done((), metrics)
            # A unit that is run again, for an id that comes twice, begins with a clean sheet.
            storage.delete_folder(f"{job.staging}/{_FOLDER}")
            return


def _run_one(
    job: Job,
    left: Sequence[int],
    options: Sequence[str],
    number: int,
    seen: _Receipts,
    patience_seconds: float,
) -> Metrics:
    """Runs units as one job of an engine, the only one of this run; returns its metrics."""
    require_reached(options)
    end_jobs(options)
    with _ended(options):
        return run_engine(
            job,
            left,
            options,
            report=Begun(f"{job.staging}/{_FOLDER}", number),
            look=seen.look,
            patience_seconds=patience_seconds,
        )


def _named(job: Job, options: Sequence[str]) -> tuple[str, ...]:
    """Names the job after the run where somebody can be asked for it later."""
    asked = value_of(options, "job_endpoint") or value_of(options, "flink_master")
    unnamed = value_of(options, "job_name") is None
    # One run may go to two outputs at once.
    name = f"{_PREFIX}{job.run}-{fingerprint(job.output)[:8]}"
    return (f"--job_name={name}",) if asked and unnamed else ()


@contextlib.contextmanager
def _ended(options: Sequence[str]) -> Iterator[None]:
    """Sees to it that a job ends when what waits for it ends with an error."""
    try:
        yield
    except BaseException:
        end_jobs(options, wait_seconds=0.0)
        raise


def end_jobs(options: Sequence[str], wait_seconds: float | None = None) -> None:
    """Cancels what still runs of this run, and waits for its end.

    A launcher that was killed leaves its job behind, and one that hangs may go on though it was
    cancelled: it would hold the engine's slots. Asked are the job server and the cluster of Flink;
    one that does not answer, or cannot tell, is left in peace.

    Args:
        wait_seconds: how long to wait; by default until Flink gives a task up that does not end.
    """
    name = value_of(options, "job_name") or ""
    if not name.startswith(_PREFIX):
        return
    ends = [end for end in (_on_job_server(options, name), _on_flink(options, name)) if end]
    end_at = time.monotonic() + (END_SECONDS if wait_seconds is None else wait_seconds)
    for living, cancel in ends:
        with contextlib.suppress(Exception):  # gRPC's
            for job_id in living():
                _log.warning("a job of this run still goes on: it is cancelled")
                cancel(job_id)
            while time.monotonic() < end_at and living():
                time.sleep(0.5)


_Asked = tuple[Callable[[], Sequence[str]], Callable[[str], object]]
"""Gives ids of the jobs that have not ended; cancels one."""


def _on_job_server(options: Sequence[str], name: str) -> _Asked | None:
    endpoint = value_of(options, "job_endpoint")
    if not endpoint:
        return None

    @functools.cache
    def stub() -> Any:
        return ExternalJobServer(endpoint, _ASK_SECONDS).start()

    def living() -> list[str]:
        found = stub().GetJobs(jobs.GetJobsRequest(), timeout=_ASK_SECONDS).job_info
        return [one.job_id for one in found if one.job_name == name and one.state in _ALIVE]

    def cancel(job_id: str) -> None:
        stub().Cancel(jobs.CancelJobRequest(job_id=job_id), timeout=_ASK_SECONDS)

    return living, cancel


def _on_flink(options: Sequence[str], name: str) -> _Asked | None:
    master = value_of(options, "flink_master")
    if master is None or master.startswith("["):
        return None
    return (
        lambda: flink.living_jobs(master, name, _ASK_SECONDS),
        lambda job_id: flink.cancel(master, job_id, _ASK_SECONDS),
    )


BACK_SECONDS = 180.0
"""After a job that failed, for the engine to be whole again: clusters start anew what died."""
PAUSE_SECONDS = 3.0
"""Between jobs that begin nothing meanwhile."""
_PREFIX = "scrubline-"
_ALIVE = frozenset(
    {
        jobs.JobState.STARTING,
        jobs.JobState.RUNNING,
        jobs.JobState.DRAINING,
        jobs.JobState.CANCELLING,
    }
)
_ASK_SECONDS = 10.0
END_SECONDS = 240.0
"""Until a job that was cancelled must have ended: Flink ends a task manager of which a task does
not after three minutes."""
_FOLDER = "begun"
_NOTE = re.compile("([0-9]+)-([0-9]+)")


class Begun:
    """Notes each unit that a worker begins: a report of `ReadUnits`, pickled by Beam."""

    def __init__(self, folder: str, number: int) -> None:
        self._folder, self._number, self._last = folder, number, -1

    def __call__(self, unit: int, row: int, rows: int) -> None:
        """Notes the unit, if the one before was another."""
        if unit != self._last:
            Storage().write_bytes(f"{self._folder}/{self._number}-{unit}", b"")
            self._last = unit


def _begun(storage: Storage, job: Job) -> tuple[int, Counter[int]]:
    """Number of the last job that began with anything; unit -> how many jobs began with it."""
    names = storage.list_names(f"{job.staging}/{_FOLDER}")
    # What a worker was killed over writing may lie there too, under a name of the storage's.
    notes = [(int(n[1]), int(n[2])) for name in names if (n := _NOTE.fullmatch(name))]
    return max((number for number, _ in notes), default=0), Counter(unit for _, unit in notes)


class _Receipts:
    """What can be seen of a job on an engine: which of its units have receipts."""

    def __init__(
        self,
        storage: Storage,
        job: Job,
        plan: Plan,
        left: Sequence[int],
        on_done: Callable[[Sequence[int]], None],
    ) -> None:
        self._storage, self._folder, self._on_done = storage, f"{job.staging}/receipts", on_done
        self._waiting = {f"{plan.units[unit].name}.json": unit for unit in left}
        self._done = 0

    def look(self) -> int:
        """Says how many units are done, and shows those that are new."""
        try:
            names = self._storage.list_names(self._folder)
        except RunFailed:  # storage that does not answer now must not end the engine's job
            return self._done
        there = [name for name in names if name in self._waiting]
        self._on_done([self._waiting.pop(name) for name in there])
        self._done += len(there)
        return self._done
