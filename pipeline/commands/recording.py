"""A run that is watched and recorded: what `scrub` and `resume` have in common."""

from __future__ import annotations

import argparse
import contextlib
import functools
from collections.abc import Iterator

from ...models.jobs.job import Job
from ...models.jobs.opening import open_policy
from ...models.jobs.plan import Plan
from ...models.storage.storage import Storage
from ..cost_model import Basis
from ..monitoring.report import Recorder, require_apart
from ..options import Options
from ..outputs.predictions import keep
from ..process.logs import set_up_logs
from .advice import watched
from .run_options import read_options
from .run_summaries import show_plan


@contextlib.contextmanager
def recorded(parsed: argparse.Namespace, storage: Storage) -> Iterator[tuple[Options, Recorder]]:
    """Options and the recorder of a run, which reports what became of it when the block ends."""
    given = (*(getattr(parsed, "inputs", None) or ()), parsed.output or "")
    # Refused before there is a recorder: it reports refusals in these very files.
    require_apart(storage, parsed.report, parsed.metrics_file, tuple(filter(None, given)))
    recorder = Recorder(
        parsed.command, storage, report=parsed.report, metrics_file=parsed.metrics_file
    )
    with recorder.recording(parsed.stopped):
        options = read_options(parsed)
        set_up_logs(options.log_level, options.log_format)
        recorder.opened(
            report=options.report,
            metrics_file=options.metrics_file,
            places=(*options.inputs, options.output),
            workers=options.workers,
            runner=options.runner,
            before_work=functools.partial(_before_work, parsed, options),
        )
        with watched(parsed, options.watchdog_seconds):
            yield options, recorder


def _before_work(
    parsed: argparse.Namespace, options: Options, storage: Storage, job: Job, plan: Plan
) -> None:
    """Notes that the run can be resumed from here on; estimates what it will take, if asked."""
    parsed.frozen = True
    if (basis := estimate_basis(storage, job, plan, options)) is not None:
        keep(storage, job, basis)
        if not options.as_json:
            show_plan(storage, job, plan, open_policy(job), basis, options)


def estimate_basis(storage: Storage, job: Job, plan: Plan, options: Options) -> Basis | None:
    """What an estimate rests on, if one is asked for."""
    if not options.estimate or plan.is_nothing:
        return None
    from ..monitoring.sampling import SampleLimits, sample

    return sample(storage, job, plan, SampleLimits(), core_hour_price=options.core_hour_price)
