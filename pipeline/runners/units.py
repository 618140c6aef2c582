"""The units of a run, on the runner that was asked for."""

from __future__ import annotations

from collections.abc import Sequence

from ...models.core.errors import RunFailed
from ...models.jobs.job import Job
from ...models.jobs.plan import Plan
from ...models.storage.storage import Storage
from ..metrics import Metrics
from ..observer import MetricsTotal, Observers, RunObserver
from ..options import Options
from ..outputs.publishing import unfinished
from ..process.lean_beam import import_beam
from ..unit_groups import groups_of
from .engines import beam_options_of, check_job_places, check_runner
from .supervisor import Supervisor, WorkerSettings

ENGINE_PATIENCE = 4
"""Times of --watchdog-seconds that a job on an engine may go on without a unit done: units are all
that is seen of it, and one is many batches."""


def run_units(
    storage: Storage,
    job: Job,
    plan: Plan,
    units: Sequence[int],
    options: Options,
    observer: RunObserver,
) -> Metrics:
    """Runs units of a frozen run until each has its receipt.

    Args:
        options: only those of how to run count.
        observer: is called with batches, units and retries.

    Returns:
        The metrics of this work.

    Raises:
        RunFailed: resumable.
        UsageError: if a worker refuses the job.
    """
    total = MetricsTotal()
    observer = Observers(total, observer)
    beam_options = beam_options_of(options)
    if beam_options is not None:
        check_job_places(check_runner(options.runner), job, [file.url for file in plan.files])
        from .engine_jobs import run_jobs

        run_jobs(
            storage,
            job,
            plan,
            units,
            beam_options,
            lambda stuck: _supervise(storage, job, plan, stuck, options, observer),
            patience_seconds=ENGINE_PATIENCE * options.watchdog_seconds,
            observer=observer,
        )
    elif options.workers > 0:
        _supervise(storage, job, plan, units, options, observer)
    else:
        import_beam()
        from .in_process import run_in_process

        for group in groups_of(plan, units):
            observer.units_done(group, run_in_process(storage, job, plan, group, observer))
    if missing := unfinished(storage, job, plan):
        raise RunFailed(
            f"{len(missing)} of {len(plan.units)} units have no receipt though the runner ended"
        )
    return total.metrics


def _supervise(
    storage: Storage,
    job: Job,
    plan: Plan,
    units: Sequence[int],
    options: Options,
    observer: RunObserver,
) -> None:
    settings = WorkerSettings(
        workers=max(1, options.workers),
        watchdog_seconds=options.watchdog_seconds,
        log_level=options.log_level,
        log_format=options.log_format,
    )
    Supervisor(storage, job, plan, settings, observer).run(units)
