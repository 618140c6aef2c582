"""Running units on a Beam runner, in this process or on a portable engine."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions

from ..models.errors import RunFailed, ScrublineError, UsageError, error_class
from ..models.job import Job
from .graph import build
from .metrics import Metrics, peak_memory

# The direct runner is named explicitly: Beam's own default first tries to download a binary,
# without a timeout.
DIRECT = "FnApiRunner"

_PLACE = " [while running"
"""Runners put this and the step after an exception's message."""

GROUP_UNITS = 64
"""Units of one in-process pipeline: bounds what it holds, and lets progress be seen."""


def run_direct(
    job: Job,
    units: Sequence[int],
    *,
    report: Callable[[int, int, int], None] | None = None,
    isolate: bool = False,
) -> Metrics:
    """Runs units in this process, on Beam's direct runner in memory.

    Raises:
        ScrublineError: ours if one of our steps raised it, else RunFailed with the foreign error's
            class.
    """
    metrics = _run(
        PipelineOptions(["--no_save_main_session"], runner=DIRECT, direct_running_mode="in_memory"),
        job,
        units,
        report,
        isolate,
    )
    metrics["Worker"] = {"memory_bytes_max": peak_memory()}
    return metrics


def run_portable(job: Job, units: Sequence[int], options: Sequence[str]) -> Metrics:
    """Runs units as one job on a portable engine.

    Args:
        options: Beam's own, for example --runner=PortableRunner --job_endpoint=localhost:8099.

    Raises:
        RunFailed: if the job failed; the engine's own messages are in its log.
    """
    return _run(PipelineOptions(["--no_save_main_session", *options]), job, units, None, False)


def _run(
    options: PipelineOptions,
    job: Job,
    units: Sequence[int],
    report: Callable[[int, int, int], None] | None,
    isolate: bool,
) -> Metrics:
    pipeline = beam.Pipeline(options=options)
    build(pipeline, job, units, report=report, isolate=isolate)
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
        raise RunFailed(f"the engine ended the job in state {state}; its log tells more")
    return metrics_of(result)


def _ours(error: BaseException) -> ScrublineError:
    """The error of ours behind a runner's wrapping, with its message; else the foreign class.

    Runners hand a worker's exception on as text: a traceback, in which ours begin a line with the
    class's full name.
    """
    for line in reversed(str(error).splitlines()):
        for kind in (UsageError, RunFailed):
            for one in (kind, *_subclasses(kind)):
                before, marker, after = line.partition(f"{one.__module__}.{one.__qualname__}: ")
                if marker and not before.strip():
                    return kind(after.split(_PLACE)[0])
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
