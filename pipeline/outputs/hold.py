"""Holding a run that has passed its gates: it waits unpublished."""

from __future__ import annotations

from ...models.core.errors import RunOnHold
from ...models.jobs.job import Job
from ...models.storage.storage import Storage
from .state import Stage, held_file, stage_of

REVIEW = (
    "compare it with what is published (`scrubline diff --output ...`), then publish it "
    "(`scrubline resume --output ...`) or give it up (`scrubline resume --output ... --discard`)"
)
"""What to do about a run that waits."""


def hold(storage: Storage, job: Job, *, asked: bool) -> None:
    """Stops a run that is to wait unpublished.

    A run that was planned to wait does so once, however often it was stopped before. Resuming it
    after that publishes it.

    Args:
        asked: whether to hold it although it was not planned.

    Raises:
        RunOnHold: if it is to wait.
    """
    mark = held_file(job)
    if asked or (job.hold and not storage.exists(mark)):
        storage.write_bytes(mark, b"")
        raise _waits(job.run)


def refuse_waiting(storage: Storage, output: str, run: str) -> None:
    """Refuses to go on with a run that waits: only `resume` publishes it, after a look.

    Raises:
        RunOnHold: if it waits.
    """
    if stage_of(storage, output, run) is Stage.WAITS:
        raise _waits(run)


def _waits(run: str) -> RunOnHold:
    return RunOnHold(
        f"run {run} is done, has passed every gate and waits unpublished, as --hold asked: "
        + REVIEW
    )
