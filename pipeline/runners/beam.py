"""Running units on a Beam runner, in this process or on a portable engine."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.portability.job_server import ExternalJobServer

from ...models.core.errors import (
    InputChanged,
    RunFailed,
    ScrublineError,
    Shortage,
    UsageError,
    error_class,
)
from ...models.core.shortage import Pace, shortage_in, shortage_of
from ...models.jobs.job import Job
from ..graph import build, build_links
from ..metrics import Metrics, peak_memory
from . import flink
from .engines import value_of

# The direct runner is named explicitly: Beam's own default first tries to download a binary,
# without a timeout.
DIRECT = "FnApiRunner"

_PLACE = " [while running"
"""Runners put this and the step after an exception's message."""


def run_direct(
    job: Job,
    units: Sequence[int],
    *,
    report: Callable[[int, int, int], None] | None = None,
    pace: Pace = Pace.FULL,
) -> Metrics:
    """Runs units in this process, on Beam's direct runner in memory.

    Raises:
        ScrublineError: ours if one of our steps raised it, else RunFailed with the foreign error's
            class.
    """
    return _direct(lambda pipeline: build(pipeline, job, units, report=report, pace=pace))


def run_links_direct(job: Job, folder: str, buckets: Sequence[int]) -> Metrics:
    """Joins buckets in this process; arguments of `build_links`, errors of `run_direct`."""
    return _direct(lambda pipeline: build_links(pipeline, job, folder, buckets))


def _direct(wire: Callable[[beam.Pipeline], object]) -> Metrics:
    options = PipelineOptions(
        ["--no_save_main_session"], runner=DIRECT, direct_running_mode="in_memory"
    )
    pipeline = beam.Pipeline(options=options)
    wire(pipeline)
    problem: ScrublineError | None = None
    try:
        result = pipeline.run()
        state = result.wait_until_finish()
    except ScrublineError as error:
        problem = type(error)(str(error).split(_PLACE)[0])
    except Exception as error:
        problem = _ours(error)
    if problem is not None:  # outside of `except`, so that the foreign error is not even chained
        raise problem
    if state not in (None, "DONE"):
        raise RunFailed(f"the runner ended the job in state {state}")
    metrics = metrics_of(result)
    metrics["Worker"] = {"memory_bytes_max": peak_memory()}
    return metrics


class NothingDone(RunFailed):
    """A job on an engine in which no unit was done for too long, and which was cancelled."""


def run_engine(
    job: Job,
    units: Sequence[int],
    options: Sequence[str],
    *,
    report: Callable[[int, int, int], None] | None = None,
    look: Callable[[], int] = lambda: 0,
    patience_seconds: float = math.inf,
) -> Metrics:
    """Runs units as one job on a portable engine; whatever ends this call ends the job.

    Args:
        options: Beam's, see `engines.beam_options`.
        report: see `ReadUnits`.
        look: called now and then; says how many units are done.
        patience_seconds: when no unit was done for so long the job is cancelled.

    Raises:
        ScrublineError: ours if one of our steps raised it; else RunFailed, if the job failed,
            NothingDone if it was cancelled. The engine's own messages
            are in its log.
    """
    return _engine(
        lambda pipeline: build(pipeline, job, units, report=report), options, look, patience_seconds
    )


def run_links_engine(
    job: Job,
    folder: str,
    buckets: Sequence[int],
    options: Sequence[str],
    *,
    look: Callable[[], int] = lambda: 0,
    patience_seconds: float = math.inf,
) -> Metrics:
    """Joins buckets as one job on an engine; arguments of `build_links` and `run_engine`."""
    return _engine(
        lambda pipeline: build_links(pipeline, job, folder, buckets),
        options,
        look,
        patience_seconds,
    )


def _engine(
    wire: Callable[[beam.Pipeline], object],
    options: Sequence[str],
    look: Callable[[], int],
    patience_seconds: float,
) -> Metrics:
    pipeline = beam.Pipeline(options=PipelineOptions(["--no_save_main_session", *options]))
    wire(pipeline)
    result = _sent(pipeline, options, patience_seconds)
    state = _wait(result, look, patience_seconds)
    if state not in (None, "DONE"):
        raise RunFailed(f"the engine ended the job in state {state}; see its log")
    return metrics_of(result)


CONNECT_SECONDS = 20.0
"""Until an engine that should run already must have answered."""
_CANCEL_SECONDS = 20.0
_LOOK_SECONDS = 5.0


def _sent(pipeline: beam.Pipeline, options: Sequence[str], patience_seconds: float) -> Any:
    """Sends a job to its engine.

    Raises:
        ScrublineError: see `run_engine`.
    """
    if value_of(options, "job_endpoint"):
        sent = _Aside(pipeline.run)
        _until_ended(sent, lambda: 0, patience_seconds)
        return sent.outcome()
    try:  # the runner starts a server of its own, which it can from the main thread alone
        return pipeline.run()
    except Exception as error:
        problem = _ours(error)
    raise problem  # outside of `except`, so that the foreign error is not even chained


class _Aside:
    """A call that may take long, or never end, in a thread of its own."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._call = call
        self._result: Any = None
        self._problem: ScrublineError | None = None
        self._thread = threading.Thread(target=self._run, daemon=True, name="engine")
        self._thread.start()

    def _run(self) -> None:
        try:
            self._result = self._call()
        except BaseException as error:
            self._problem = _ours(error)

    def goes_on(self, seconds: float = 0.0) -> bool:
        """Whether it has not ended; waits for it so long."""
        self._thread.join(seconds)
        return self._thread.is_alive()

    def outcome(self) -> Any:
        """What it gave.

        Raises:
            ScrublineError: ours for what it raised.
        """
        if self._problem is not None:
            raise self._problem
        return self._result


def _wait(result: Any, look: Callable[[], int], patience_seconds: float) -> Any:
    """Waits for the end of a job; cancels it if interrupted, or if nothing is done any more."""
    ended = _Aside(result.wait_until_finish)
    try:
        _until_ended(ended, look, patience_seconds)
    finally:
        if ended.goes_on():
            _cancel(result)
    return ended.outcome()


def _until_ended(call: _Aside, look: Callable[[], int], patience_seconds: float) -> None:
    """Waits for the end of a call to an engine.

    Beam's own waiting has no bound: an engine that lost its workers would be waited for always.

    Raises:
        NothingDone: if nothing is done any more.
    """
    done, since, looked = 0, time.monotonic(), -math.inf
    while call.goes_on(0.2):
        now = time.monotonic()
        if now - looked >= _LOOK_SECONDS:
            more, looked = look(), now
            if more != done:
                done, since = more, now
        if now - since > patience_seconds:
            raise NothingDone(
                f"no unit was done for {patience_seconds:.0f} s: the job is cancelled; the "
                "engine's log may say why, --watchdog-seconds sets how long to wait"
            )


def _cancel(result: Any) -> None:
    """Asks the engine to end a job, and waits for the answer for a while only."""
    _Aside(result.cancel).goes_on(_CANCEL_SECONDS)


def require_reached(options: Sequence[str]) -> None:
    """Asks servers that should run already for an answer: Beam would wait long, or always.

    Raises:
        RunFailed: naming the option that says where the server is.
    """
    if endpoint := value_of(options, "job_endpoint"):
        seconds = min(
            CONNECT_SECONDS,
            float(value_of(options, "job_server_timeout", "job-server-timeout") or CONNECT_SECONDS),
        )
        try:
            ExternalJobServer(endpoint, seconds).start()
        except Exception:  # gRPC's, for a bad address or no answer
            raise _unreached("the job server", "job_endpoint") from None
    master = value_of(options, "flink_master")
    if master is not None and not master.startswith("["):
        slots = flink.task_slots(master, CONNECT_SECONDS)
        if slots is None:
            raise _unreached("Flink's job manager", "flink_master")
        if not slots:
            raise RunFailed("Flink has no task manager to run the job: start one")


def _unreached(what: str, option: str) -> RunFailed:
    return RunFailed(
        f"{what} does not answer where --{option} says: start it, or correct the option"
    )


def _ours(error: BaseException) -> ScrublineError:
    """The error of ours behind a runner's wrapping, with its message; else the foreign class.

    Runners hand a worker's exception on as text: a traceback, in which ours begin a line with the
    class's full name.
    """
    for line in reversed(str(error).splitlines()):
        for kind in (InputChanged, Shortage, UsageError, RunFailed):
            for one in (kind, *_subclasses(kind)):
                before, marker, after = line.partition(f"{one.__module__}.{one.__qualname__}: ")
                if marker and not before.strip():
                    return kind(after.split(_PLACE)[0])
    lines = reversed(str(error).splitlines())
    lack = shortage_of(error) or next(filter(None, map(shortage_in, lines)), None)
    if lack is not None:
        return Shortage(str(lack))
    return RunFailed(f"the runner failed: {error_class(error)}")


def _subclasses(kind: type) -> list[type]:
    return [one for sub in kind.__subclasses__() for one in (sub, *_subclasses(sub))]


def metrics_of(result: Any) -> Metrics:
    """All counters and distributions of a finished job; empty if the engine offers none."""
    try:
        return _metrics_in(result.metrics().query())
    except (
        Exception
    ) as error:  # some engines have none, or not all: a report must not fail a finished job
        logging.getLogger(__name__).info("no metrics: %s", error_class(error))
        return {}


def _metrics_in(query: Mapping[str, Any]) -> Metrics:
    found: Metrics = {}
    for one in query.get("counters", ()):
        step = found.setdefault(one.key.metric.namespace, {})
        step[one.key.metric.name] = step.get(one.key.metric.name, 0) + int(one.result or 0)
    for one in query.get("distributions", ()):
        if one.result is None:
            continue
        step = found.setdefault(one.key.metric.namespace, {})
        for part in ("sum", "count"):
            name = f"{one.key.metric.name}_{part}"
            step[name] = step.get(name, 0) + int(getattr(one.result, part))
        name = f"{one.key.metric.name}_max"
        step[name] = max(step.get(name, 0), int(one.result.max))
    return found
