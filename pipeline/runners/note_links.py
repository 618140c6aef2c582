"""The buckets of a join, on the runner that was asked for: integers, so one process does for most.

With workers of this machine the join runs in the launcher's own process: it takes a thousandth of
what detection takes. On an engine it is a job of its own.
"""

from __future__ import annotations

import logging

from ...models.core.errors import RunFailed
from ...models.jobs.job import Job
from ...models.jobs.link_task import LinkTask
from ...models.storage.storage import Storage
from ..metrics import Metrics, add_metrics
from ..options import Options
from ..outputs.note_links import buckets_left
from ..process.lean_beam import import_beam
from .engines import beam_options_of
from .units import ENGINE_PATIENCE

_log = logging.getLogger(__name__)

JOBS = 3
"""Jobs of an engine that may fail before the run does."""


def run_links(storage: Storage, job: Job, task: LinkTask, options: Options) -> Metrics:
    """Runs the buckets of a task until each has left its file.

    Raises:
        RunFailed: resumable.
    """
    total: Metrics = {}
    rows = sum(source.rows for source in task.sources)
    _log.info("linking notes: %d rows of evidence in %d buckets", rows, task.buckets)
    beam_options = beam_options_of(options)
    for attempt in range(1, JOBS + 1):
        left = buckets_left(storage, job, task)
        if not left:
            return total
        if beam_options is None:
            import_beam()
        from .beam import require_reached, run_links_direct, run_links_engine

        if beam_options is None:
            add_metrics(total, run_links_direct(job, task.folder(job), left))
            continue
        try:
            require_reached(beam_options)
            metrics = run_links_engine(
                job,
                task.folder(job),
                left,
                beam_options,
                look=lambda: task.buckets - len(buckets_left(storage, job, task)),
                patience_seconds=ENGINE_PATIENCE * options.watchdog_seconds,
            )
            add_metrics(total, metrics)
        except RunFailed as error:
            if attempt == JOBS:
                raise
            _log.warning("the job of the links failed, and is begun again: %s", error)
    if left := buckets_left(storage, job, task):
        raise RunFailed(f"{len(left)} of {task.buckets} buckets of the links are not done")
    return total
