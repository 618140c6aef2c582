"""Retention: what superseded and given-up runs left behind.

Nothing is touched that a reader of the output, `verify`, `inspect` or `resume` needs: published
parts, every run that the catalogue or the manifest names, and pending runs.
"""

from __future__ import annotations

import dataclasses
import re
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence

from ...models.core.errors import UsageError
from ...models.storage.storage import FoundFile, Storage
from .manifest import published_runs
from .sealing import JOB
from .state import (
    RUN_ID,
    Stage,
    lock_file,
    pending_runs,
    require_no_links,
    require_output,
    stage_of,
)

LEFTOVER = r"(.*/)?\.scrubline-[0-9a-f]{16}\.tmp"
"""What a process that was killed while it wrote leaves; no reader takes it."""

OURS = re.compile(
    rf"(job\.json|plan\.seal\.json|plan\.parquet|files\.parquet|rework\.json|numbered\.parquet|prediction\.json"
    rf"|candidates/[^/]+|evidence/[^/]+|view/[^/]+|{LEFTOVER})"
)
"""What a run leaves under restricted/<run>/; where there is more, nothing is removed."""

DAY_SECONDS = 86_400.0


@dataclasses.dataclass(frozen=True, slots=True)
class Leftover:
    """What one run left, and may be removed.

    Attributes:
        run: its id.
        what: "superseded" (plan, skip-list, candidates) or "given up" (staging).
        folder: below the output.
        files: below that folder.
        bytes: of all of them.
        modified: when the last of them was written, in seconds since 1970.
    """

    run: str
    what: str
    folder: str
    files: tuple[str, ...]
    bytes: int
    modified: float


@dataclasses.dataclass(frozen=True, slots=True)
class PruneReport:
    """What was found, and which of it will be removed.

    Attributes:
        going: to be removed, the oldest first.
        kept: superseded runs that --keep-runs or --older-than keep.
        foreign: ids of runs whose folder holds what no run writes: they are left alone.
        needed: ids of runs that parts of the output, or `resume`, need.
    """

    going: tuple[Leftover, ...]
    kept: tuple[Leftover, ...]
    foreign: tuple[str, ...]
    needed: tuple[str, ...]


def find(
    storage: Storage,
    output: str,
    *,
    keep_runs: int = 0,
    older_than_days: float = 0.0,
    now: float,
) -> PruneReport:
    """What may be removed of an output.

    Args:
        keep_runs: of the superseded runs, so many of the latest stay.
        older_than_days: what was written within so many days stays.
        now: seconds since 1970.

    Raises:
        UsageError: if the catalogue is damaged: what it needs is then not known.
    """
    needed = published_runs(storage, output)
    restricted = _by_run(storage.list_found(f"{output}/restricted"))
    staging = _by_run(storage.list_found(f"{output}/_staging"))
    pending = {
        run
        for run in pending_runs(storage, output)
        if stage_of(storage, output, run) is not Stage.PLANNING
    }
    needed |= pending

    superseded, foreign = [], []
    for run, files in restricted.items():
        if run in needed:
            continue
        if all(OURS.fullmatch(file.name) for file in files):
            superseded.append(_leftover(run, "superseded", f"restricted/{run}", files))
        else:
            foreign.append(run)
    given_up = [
        _leftover(run, "given up", f"_staging/{run}", files)
        for run, files in staging.items()
        if run not in pending
    ]
    superseded.sort(key=lambda one: (-one.modified, one.run))
    old = now - older_than_days * DAY_SECONDS
    stays = {one.run for index, one in enumerate(superseded) if index < keep_runs}
    found = [*superseded, *given_up]
    kept = [
        one
        for one in found
        if one.modified > old or (one.what == "superseded" and one.run in stays)
    ]
    going = [one for one in found if one not in kept]

    def order(one: Leftover) -> tuple[float, str]:
        return one.modified, one.folder

    return PruneReport(
        tuple(sorted(going, key=order)),
        tuple(sorted(kept, key=order)),
        tuple(sorted(foreign)),
        tuple(sorted(needed)),
    )


def prune(
    storage: Storage,
    output: str,
    *,
    keep_runs: int = 0,
    older_than_days: float = 0.0,
    yes: bool = False,
    now: float | None = None,
) -> Iterator[str]:
    """Yields lines that say what may be removed, or was; see `find`.

    Args:
        yes: remove it. The output is then locked, and looked at under the lock.
        now: seconds since 1970; None for the clock's.

    Raises:
        UsageError: if the options say nothing, there is no output, or another process works on it.
    """
    if keep_runs < 0:
        raise UsageError(f"--keep-runs must be 0 or more, got {keep_runs}")
    if not 0 <= older_than_days < float("inf"):
        raise UsageError(f"--older-than must be a number of days, got {older_than_days}")
    require_output(storage, output)
    require_no_links(storage, output)
    moment = time.time() if now is None else now

    def look() -> PruneReport:
        return find(
            storage, output, keep_runs=keep_runs, older_than_days=older_than_days, now=moment
        )

    if not yes:
        yield from _lines(look(), moment, done=False)
        return
    with storage.locked(lock_file(output)) as still_ours:
        found = look()
        for one in found.going:
            still_ours()
            _remove(storage, output, one)
    yield from _lines(found, moment, done=True)


def _by_run(files: Sequence[FoundFile]) -> dict[str, list[FoundFile]]:
    """Files by the run in whose folder they are, named below it."""
    found: defaultdict[str, list[FoundFile]] = defaultdict(list)
    for file in files:
        run, slash, rest = file.name.partition("/")
        if slash and RUN_ID.fullmatch(run):
            found[run].append(dataclasses.replace(file, name=rest))
    return dict(found)


def _leftover(run: str, what: str, folder: str, files: Sequence[FoundFile]) -> Leftover:
    return Leftover(
        run,
        what,
        folder,
        tuple(sorted(file.name for file in files)),
        sum(file.size for file in files),
        max(file.modified for file in files),
    )


def _remove(storage: Storage, output: str, one: Leftover) -> None:
    # The job first, in which a key holder reads what the rest is: without it, it is no run.
    for name in sorted(one.files, key=lambda name: (name != JOB, name)):
        storage.delete(f"{output}/{one.folder}/{name}")
    storage.delete_folder(f"{output}/{one.folder}")


def _lines(found: PruneReport, now: float, *, done: bool) -> Iterator[str]:
    for one in found.going:
        yield _line("removed" if done else "would go", one, now)
    for one in found.kept:
        yield _line("stays", one, now)
    for run in found.foreign:
        yield f"{'stays':<9} {run}  restricted/ of it holds files that no run writes"
    size, files = sum(one.bytes for one in found.going), sum(len(one.files) for one in found.going)
    total = f"{len(found.going)} leftovers, {files:,} files, {size:,} bytes"
    needed = f"{len(found.needed)} runs are needed by what is published or pending"
    if done:
        yield f"removed {total}; {needed}"
    else:
        yield f"{total} would be removed; {needed}. Nothing is removed without --yes"


def _line(said: str, one: Leftover, now: float) -> str:
    days = max(0.0, now - one.modified) / DAY_SECONDS
    return (
        f"{said:<9} {one.run}  {one.what:<10}  {len(one.files):>6,} files {one.bytes:>15,} bytes, "
        f"{days:,.1f} days old"
    )
