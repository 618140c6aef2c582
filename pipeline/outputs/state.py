"""The state of an output: what is published, and how far other runs have come.

    OUT/_SUCCESS                        the output is complete; manifest.json names the last run
    OUT/report.html                     a page for people, made from manifest and tables; unsealed
    OUT/history.parquet                 numbers of each run; the manifest has the hash
    OUT/seal.json                       keyed marks of the manifest and of what it was made from
    OUT/restricted/LOCK                 held by the process that works on the output
    OUT/restricted/<run>/job.json       the plan of a run is frozen
    OUT/_staging/<run>/RUN              a launcher works on the run, or did: the last one
    OUT/_staging/<run>/HELD             it has waited unpublished, as --hold asked
    OUT/_staging/<run>/promotion.json   it is being published, and can only be finished

A run is pending from its RUN until its staging is removed. Files in staging without a RUN belong to
no run: a job of an engine that outlived its launcher wrote them.
"""

from __future__ import annotations

import enum
import re

from ...models.core.errors import StorageError, UsageError
from ...models.jobs.job import Job
from ...models.storage.folders import has_links, open_to_others
from ...models.storage.places import folders_above, local_path
from ...models.storage.storage import Storage

MANIFEST, SEAL, PAGE, HISTORY = "manifest.json", "seal.json", "report.html", "history.parquet"
"""Files at the root of a published output."""

RUN_ID = re.compile("[0-9a-f]{16}")
"""The name of a run's folder under restricted/ and _staging/."""

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
    """Removes what a run left under staging; the folder too, if no other run is pending."""
    # The marks of the run are removed first, the journal last: if this is killed between the two,
    # the run is no longer pending, or is still being published.
    for mark in (_HELD, _OWNER):
        storage.delete(f"{output}/_staging/{run}/{mark}")
    storage.delete_folder(f"{output}/_staging/{run}")
    clear_leftovers(storage, output)


def clear_leftovers(storage: Storage, output: str) -> None:
    """Removes staging if no run is pending: a run that could not clear up may have left it."""
    if not pending_runs(storage, output):
        storage.delete_folder(f"{output}/_staging")


def is_output(storage: Storage, output: str) -> bool:
    """Whether a run ever began here; any other folder must be left as it is."""
    marks = ("restricted", "_staging", MANIFEST)
    return any(storage.exists(f"{output}/{name}") for name in marks)


def require_output(storage: Storage, output: str) -> None:
    """Refuses a place in which no run ever began.

    Raises:
        UsageError: if it does not exist, or is something else.
    """
    if not is_output(storage, output):
        raise UsageError("there is no such output")


def require_there(storage: Storage, output: str) -> None:
    """Refuses a place that does not exist; whether it is an output is left to the caller.

    Raises:
        UsageError: with the message of `require_output`.
    """
    if not storage.exists(output):
        require_output(storage, output)


def require_none_above(storage: Storage, output: str) -> None:
    """Refuses an output inside another one, which would count its files as its own.

    Raises:
        UsageError: if a folder above it is an output.
    """
    for folder in folders_above(output):
        try:
            is_there = _is_begun(storage, folder.rstrip("/"))
        except StorageError:
            continue  # this user has no access there, for example in a shared bucket
        if is_there:
            raise UsageError(
                "the output lies inside another output: give it a place of its own, beside that one"
            )


def _is_begun(storage: Storage, folder: str) -> bool:
    """Whether a run left its private files here; other programs write manifests too."""
    marks = (MANIFEST, "restricted/LOCK", "restricted/catalogue.parquet")
    return storage.exists(f"{folder}/restricted") and any(
        storage.exists(f"{folder}/{name}") for name in marks
    )


def require_no_links(storage: Storage, output: str) -> None:
    """Refuses an output with links in the place of its own folders; to be called before writing.

    Raises:
        UsageError: if there is one.
        StorageError: if it cannot be read.
    """
    path = local_path(output)
    if path is not None and storage.retry("look through", output, lambda: has_links(path)):
        raise UsageError(
            "the output has a symbolic link in the place of one of its folders, and nothing is "
            "written through one: remove it (`find OUTPUT -type l` shows it), or give another "
            "output; the output itself may be a link"
        )


def exposed(output: str) -> str | None:
    """The warning, if other users can read the private folders of an output; else None."""
    path = local_path(output)
    if path is None or not (found := open_to_others(path)):
        return None
    return (
        f"other users of this machine can read {' and '.join(f'{name}/' for name in found)} of "
        "this output, which names its inputs: close it with "
        f"`chmod -R go= {' '.join(f'OUTPUT/{name}' for name in found)}`"
    )


def is_published(storage: Storage, output: str) -> bool:
    """Whether the output is complete: a run was published, and none is being published now."""
    return storage.exists(success_file(output))


def success_file(output: str) -> str:
    """Removed when a publication begins, written when it ends."""
    return f"{output}/_SUCCESS"


def seal_file(output: str) -> str:
    """The keyed seal of what is published; written last but for `success_file`."""
    return f"{output}/{SEAL}"


def put_aside_file(output: str, run: str, name: str) -> str:
    """What a published run was planned with, while the same run is planned and done again."""
    return f"{output}/_staging/{run}/published/{name}"


def lock_file(output: str) -> str:
    """Held by the process that works on an output; see `owner_file` where nothing can be locked."""
    return f"{output}/restricted/LOCK"


def owner_file(job: Job) -> str:
    """Names the process that works on a run; a later one takes the run over."""
    return f"{job.staging}/{_OWNER}"


def held_file(job: Job) -> str:
    """Exists once a run has waited as `--hold` asked."""
    return f"{job.staging}/{_HELD}"


def journal_file(job: Job) -> str:
    """Exists from the first step of a publication to its end."""
    return f"{job.staging}/{_JOURNAL}"
