"""Scrubs a corpus: plans, works, publishes; or only says what it would do."""

from __future__ import annotations

import argparse

from ...models.jobs.opening import open_policy
from ...models.storage.storage import Storage
from ..process.exit_codes import ExitCode
from ..process.logs import set_up_logs
from ..run import prepare, scrub
from .recording import estimate_basis, recorded
from .run_options import read_options
from .run_summaries import show_manifest, show_passed_whole, show_plan


def scrub_corpus(parsed: argparse.Namespace) -> ExitCode:
    """Runs `scrubline scrub` over files.

    Raises:
        ScrublineError: whatever ends the run; `exit_code_of` says with which code.
    """
    storage = Storage()
    if parsed.dry_run:
        options = read_options(parsed)
        set_up_logs(options.log_level, options.log_format)
        run = prepare(storage, options)
        basis = estimate_basis(storage, run.job, run.plan, options)
        policy = run.policy or open_policy(run.job)
        show_plan(storage, run.job, run.plan, policy, basis, options)
        return ExitCode.DONE
    with recorded(parsed, storage) as (options, recorder):
        manifest = scrub(storage, options, recorder)
    show_manifest(manifest, as_json=options.as_json)
    if not options.as_json:
        show_passed_whole(storage, options.output.rstrip("/"), manifest)
    return ExitCode.DONE
