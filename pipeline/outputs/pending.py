"""Runs of an output that were begun and are not published: frozen, found again, given up."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import uuid
from collections.abc import Callable, Iterator

from ...models.core.errors import GateFailed, RunFailed, UsageError
from ...models.jobs.amendments import RunAmendments
from ...models.jobs.job import Job
from ...models.jobs.opening import open_keys, require_this_version
from ...models.jobs.plan import Plan
from ...models.jobs.receipts import Receipt
from ...models.storage.storage import Storage
from .hold import REVIEW, refuse_waiting
from .manifest import published_manifest, published_runs, read_manifest
from .planning import PlannedRun, freeze, read_job
from .sealing import JOB, put_aside, put_back, require_planned
from .state import (
    MANIFEST,
    Stage,
    clear_leftovers,
    clear_staging,
    is_published,
    owner_file,
    pending_runs,
    stage_of,
)

_log = logging.getLogger(__name__)


_FINISH, _DISCARD = (
    "finish it with `scrubline resume --output ...`",
    "give it up with `scrubline resume --output ... --discard`",
)

_OTHERS = {
    Stage.PLANNING: f", which was stopped before its plan was frozen: {_DISCARD}",
    Stage.UNFINISHED: f": {_FINISH}, or {_DISCARD}",
    Stage.PUBLISHING: f", which is being published: {_FINISH}",
}
"""Stage of another run that does not wait -> how to go on."""


def freeze_alone(storage: Storage, run: PlannedRun) -> PlannedRun:
    """Freezes a run, unless it is published already; no other run may be unfinished.

    Returns:
        The run as frozen: one that was once planned to wait is to wait.

    Raises:
        UsageError: if another run is unfinished.
        RunOnHold: if this very run waits, and is not asked to wait on.
    """
    job = run.job
    if published_manifest(storage, job) is not None:
        return run
    make_way(storage, job)
    is_new = job.run not in pending_runs(storage, job.output)
    if not is_new and stage_of(storage, job.output, job.run) is not Stage.PLANNING:
        if not job.hold:
            refuse_waiting(storage, job.output, job.run)
        planned = read_job(storage, job.output, job.run)
        job = dataclasses.replace(job, hold=job.hold or planned.hold)
    if is_new and job.run in published_runs(storage, job.output):
        put_aside(storage, job.output, job.run)
    # Ours is shown before others are looked for: of two that begin at once, neither goes on.
    storage.write_bytes(owner_file(job), b"")
    try:
        require_none_pending(storage, job)
    except UsageError:
        if is_new:
            clear_staging(storage, job.output, job.run)
        raise
    amendments = RunAmendments.read(storage, job.restricted)
    if is_new and amendments.units:
        # This very run was done before: what it found out then is put aside, and found out anew.
        amendments.write(storage, job.staging)
        RunAmendments().write(storage, job.restricted)
    freeze(storage, job, run.plan, run.keys)
    return dataclasses.replace(run, job=job)


def make_way(storage: Storage, job: Job) -> None:
    """Gives up earlier tries of an output that came to nothing, so that they do not block this one.

    To be called under the lock of the output.
    """
    for run in pending_runs(storage, job.output):
        if run != job.run and came_to_nothing(storage, job.output, run):
            _log.warning("run %s gives way: it made nothing but quarantined rows", run)
            give_up(storage, job.output, run)


def came_to_nothing(storage: Storage, output: str, run: str) -> bool:
    """Whether a pending run made nothing but quarantined rows, and nothing is published.

    What nobody has worked on yet counts as planned on purpose, or being planned right now.
    """
    if storage.exists(f"{output}/{MANIFEST}") or is_published(storage, output):
        return False
    if stage_of(storage, output, run) is not Stage.UNFINISHED:
        return False
    receipts = f"{output}/_staging/{run}/receipts"
    names = storage.list_names(receipts)
    try:
        counts = [
            Receipt.from_json(storage.read_bytes(f"{receipts}/{name}")).tally.counts
            for name in names
        ]
    except RunFailed:  # a receipt is damaged: who knows
        return False
    return bool(counts) and not any(count["rows_out"] for count in counts)


def require_none_pending(storage: Storage, job: Job) -> None:
    """Refuses to go on while another run of the output is unfinished.

    Raises:
        UsageError: saying what to do.
    """
    if others := [run for run in pending_runs(storage, job.output) if run != job.run]:
        stage = stage_of(storage, job.output, others[0])
        if stage is Stage.WAITS:
            raise UsageError(
                f"this output has a run {others[0]} with other inputs or settings, which is done "
                f"and waits unpublished, as --hold asked: {REVIEW}"
            )
        raise UsageError(
            f"this output has an unfinished run {others[0]} with other inputs or settings"
            f"{_OTHERS[stage]}"
        )


def choose_pending(storage: Storage, output: str, run: str | None) -> str:
    """The unfinished run that is meant.

    Args:
        run: its id; None for the only one.

    Raises:
        UsageError: if there is none, or it is not clear which one.
    """
    pending = pending_runs(storage, output)
    if run is None:
        if not pending:
            clear_leftovers(storage, output)  # of a run that failed after it was published
            # An earlier run may be the published one: that says nothing of the one that is meant.
            there = is_published(storage, output)
            held = f": run {read_manifest(storage, output)['run']} is published" if there else ""
            raise UsageError(f"there is no unfinished run in this output{held}")
        if len(pending) > 1:
            raise UsageError(f"there are several unfinished runs; choose one with --run: {pending}")
        run = pending[0]
    if run not in pending:
        raise UsageError(f"there is no such unfinished run in this output; unfinished: {pending}")
    return run


def load_run(storage: Storage, output: str, run: str, key_source: str | None = None) -> PlannedRun:
    """A frozen run that this program can go on with.

    It does not work on what another version planned, but it finishes an interrupted publication:
    all that is published then was made and checked before.

    Args:
        key_source: where the master key is now; None for where it was.

    Raises:
        UsageError: if another version planned it and has not begun to publish it, or the key is
            another one.
        GateFailed: if its plan was not made with the key.
    """
    job = read_job(storage, output, run)
    if stage_of(storage, output, run) is not Stage.PUBLISHING:
        require_this_version(job)
    if key_source is not None:
        job = dataclasses.replace(job, key_source=key_source)
    keys = open_keys(storage, job)
    require_planned(storage, job, keys)
    return PlannedRun(job, Plan.read(storage, job.restricted), keys)


def discard_run(storage: Storage, output: str, run: str) -> None:
    """Gives up a run.

    Raises:
        UsageError: if it is being published.
    """
    if stage_of(storage, output, run) is Stage.PUBLISHING:
        raise UsageError(
            "the run is being published: some of its parts are in place, and older ones may have "
            "been removed. Finish it with `scrubline resume --output ...`; it can no longer be "
            "given up"
        )
    give_up(storage, output, run)


def give_up(storage: Storage, output: str, run: str) -> None:
    """Removes a run that is not being published, except for what its published parts need."""
    staging, restricted = f"{output}/_staging/{run}", f"{output}/restricted/{run}"
    if run in published_runs(storage, output):
        put_back(storage, output, run)
        amendments = RunAmendments.read(storage, staging)
        if amendments.units:
            amendments.write(storage, restricted)
    else:
        storage.delete_folder(restricted)
    clear_staging(storage, output, run)


def take_over(storage: Storage, job: Job) -> Callable[[], None]:
    """Marks a run as worked on by this process.

    Returns:
        What raises RunFailed once another process has taken the run over. Where nothing can be
        locked, this mark has to do.
    """
    owner = uuid.uuid4().hex.encode()
    storage.write_bytes(owner_file(job), owner)

    def require_owner() -> None:
        if storage.read_bytes(owner_file(job)) != owner:
            raise RunFailed("another process has taken this run over")

    return require_owner


@contextlib.contextmanager
def failing_if_removed(storage: Storage, job: Job) -> Iterator[None]:
    """Turns refusals into failure where the output was removed while the run worked on it.

    Raises:
        RunFailed: instead of an error that says refused or held, if the frozen job is no
            longer in the output.
    """
    try:
        yield
        return
    except (UsageError, GateFailed):
        if storage.exists(f"{job.restricted}/{JOB}"):
            raise
    raise RunFailed(
        "the output was moved or removed while the run worked on it: put it back, or scrub again"
    )
