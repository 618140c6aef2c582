"""`scrubline plan`: lists and splits the input, freezes the plan, runs nothing."""

from __future__ import annotations

import argparse

from ...models.jobs.opening import open_policy
from ...models.storage.storage import Storage
from ..outputs.predictions import keep
from ..process.exit_codes import ExitCode
from ..run import plan_and_freeze
from .advice import watched
from .recording import estimate_basis
from .run_options import read_options
from .run_summaries import show_plan


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Raises:
        ScrublineError: if nothing can be planned.
    """
    storage, options = Storage(), read_options(parsed)
    with watched(parsed, options.watchdog_seconds):
        job, plan = plan_and_freeze(storage, options)
    if (basis := estimate_basis(storage, job, plan, options)) is not None:
        keep(storage, job, basis)
    show_plan(storage, job, plan, open_policy(job), basis, options)
    return ExitCode.DONE
