"""What state an output is in: what is published, and how far other runs have come.

    OUT/_SUCCESS                        the output is whole; manifest.json says which run was last
    OUT/restricted/LOCK                 held by whoever works on the output
    OUT/restricted/<run>/job.json       the plan of a run is frozen
    OUT/_staging/<run>/RUN              a launcher works on the run, or did: who came last
    OUT/_staging/<run>/HELD             it has waited unpublished, as --hold asked
    OUT/_staging/<run>/promotion.json   it is being published, and can only be finished

A run is pending from its RUN until its staging is gone. What lies there without a launcher's mark
is of no run: a job of an engine that outlived its launcher wrote it.
"""

from __future__ import annotations

import enum

from ..models.errors import UsageError
from ..models.job import Job
from ..models.storage import Storage

_OWNER, _HELD, _JOURNAL = "RUN", "HELD", "promotion.json"


class Stage(enum.StrEnum):
    """How far a pending run has come."""

    PLANNING = "planning"
    UNFINISHED = "unfinished"
    WAITS = "waits"
    PUBLISHING = "publishing"


def stage_of(storage: Storage, output: str, run: str) -> Stage:
    """How far a run that is pending has come."""
    staging = f"{output}/_staging/{run}"
    if storage.exists(f"{staging}/{_JOURNAL}"):
        return Stage.PUBLISHING
    if not storage.exists(f"{output}/restricted/{run}/job.json"):
        return Stage.PLANNING
    return Stage.WAITS if storage.exists(f"{staging}/{_HELD}") else Stage.UNFINISHED


def pending_runs(storage: Storage, output: str) -> list[str]:
    """The runs of an output that were begun and are not yet published, by id."""
    below = (name.partition("/") for name in storage.list_names(f"{output}/_staging"))
    return sorted({run for run, _, name in below if name in (_OWNER, _JOURNAL)})


def clear_staging(storage: Storage, output: str, run: str) -> None:
    """Removes what a run left under staging, and the folder itself if no other run is pending."""
    # What tells of the run goes first, the journal last: killed here, it is not pending any more,
    # or is still being published.
    for mark in (_HELD, _OWNER):
        storage.delete(f"{output}/_staging/{run}/{mark}")
    storage.delete_folder(f"{output}/_staging/{run}")
    if not pending_runs(storage, output):
        storage.delete_folder(f"{output}/_staging")


def is_output(storage: Storage, output: str) -> bool:
    """Whether a run ever began here: what is something else is left as it is."""
    marks = ("restricted", "_staging", "manifest.json")
    return any(storage.exists(f"{output}/{name}") for name in marks)


def require_output(storage: Storage, output: str) -> None:
    """Refuses a place in which no run ever began.

    Raises:
        UsageError: if it is none, or something else.
    """
    if not is_output(storage, output):
        raise UsageError("there is no such output")


def is_published(storage: Storage, output: str) -> bool:
    """Whether the output is whole: a run was published, and none is being."""
    return storage.exists(success_file(output))


def success_file(output: str) -> str:
    """Removed when a publication begins, written when it ends."""
    return f"{output}/_SUCCESS"


def lock_file(output: str) -> str:
    """Held by whoever works on an output; where nothing can be locked, `owner_file` has to do."""
    return f"{output}/restricted/LOCK"


def owner_file(job: Job) -> str:
    """Names the process that works on a run; whoever comes later takes the run over."""
    return f"{job.staging}/{_OWNER}"


def held_file(job: Job) -> str:
    """There once a run has waited as `--hold` asked."""
    return f"{job.staging}/{_HELD}"


def journal_file(job: Job) -> str:
    """There from the first step of a publication to its end."""
    return f"{job.staging}/{_JOURNAL}"
