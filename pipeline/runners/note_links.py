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
from .engines import beam_options_of

_log = logging.getLogger(__name__)

JOBS = 3
"""Jobs of an engine that may fail before the run does."""


def run_links(storage: Storage, job: Job, task: LinkTask, options: Options) -> Metrics:
    """Runs the buckets of a task until each has left its file.

    Raises:
        RunFailed: resumable.
    """
    total: Metrics = {}
    beam_options = beam_options_of(options)
    for attempt in range(1, JOBS + 1):
        left = buckets_left(storage, job, task)
        if not left:
            return total
        from .beam import run_links_direct, run_links_engine

        if beam_options is None:
            add_metrics(total, run_links_direct(job, task.folder(job), left))
            continue
        try:
            add_metrics(total, run_links_engine(job, task.folder(job), left, beam_options))
        except RunFailed as error:
            if attempt == JOBS:
                raise
            _log.warning("the job of the links failed, and is begun again: %s", error)
    if left := buckets_left(storage, job, task):
        raise RunFailed(f"{len(left)} of {task.buckets} buckets of the links are not done")
    return total
