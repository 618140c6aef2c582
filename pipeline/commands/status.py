"""`scrubline status`: what state an output is in, and what to do next; without PHI."""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...models.core.display_names import counted
from ...models.core.errors import StorageError, UsageError
from ...models.jobs.opening import require_this_version
from ...models.jobs.plan import Plan
from ...models.storage.lock_holder import Holder
from ...models.storage.storage import Storage
from ..outputs.catalogue import Catalogue
from ..outputs.identifier_view import read_release
from ..outputs.manifest import read_manifest
from ..outputs.note_links import stale_units
from ..outputs.planning import read_job
from ..outputs.state import (
    Stage,
    exposed,
    is_published,
    lock_file,
    pending_runs,
    require_output,
    stage_of,
)
from ..process.exit_codes import ExitCode
from ..process.logs import as_typed
from ..process.stdout import show

_NEXT = {
    Stage.PUBLISHING: "finish it with `scrubline resume --output ...`: readers wait for _SUCCESS",
    Stage.WAITS: "review it with `scrubline diff --output ...`, then publish it with `scrubline "
    "resume --output ...` or give it up with `scrubline resume --output ... --discard`",
    Stage.UNFINISHED: "continue with `scrubline resume --output ...`, which reports any gate that "
    "holds it back, or give it up with `scrubline resume --output ... --discard`; `scrubline scrub "
    "--finish-pending` decides which",
    Stage.PLANNING: "give it up with `scrubline resume --output ... --discard`; `scrubline scrub "
    "--finish-pending` does that too",
}
"""What to do about a pending run; of several, the first of these."""


_REPAIR = {
    False: "restore plan.parquet and files.parquet of restricted/<run>/ from a copy, or give the "
    "run up with `scrubline resume --output ... --discard`",
    True: "restore plan.parquet and files.parquet of restricted/<run>/ from a copy: a run that is "
    "being published can only be finished",
}
"""What to do about a damaged plan; by whether a run is being published."""


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Raises:
        UsageError: if there is no such output.
    """
    found = status(Storage(), parsed.output.rstrip("/"))
    if parsed.json:
        show(json.dumps(found, indent=1))
    else:
        show(*(as_typed(line, sys.stdout) for line in format_status(found)))
    return ExitCode.DONE


def status(storage: Storage, output: str) -> dict[str, Any]:
    """What is published, pending and locked, and what comes next; as `--json` prints it.

    Raises:
        UsageError: if there is no such output.
    """
    require_output(storage, output)
    holder = storage.lock_holder(lock_file(output))
    pending = [_pending(storage, output, run) for run in pending_runs(storage, output)]
    published = None
    if is_published(storage, output):
        manifest = read_manifest(storage, output)
        published = {
            "run": manifest["run"],
            "when": _when(manifest["report"]),
            "rows_out": manifest["counts"].get("rows_out"),
            **_stale(storage, output),
            **_view(storage, output, str(manifest["run"])),
        }
    stages = {run["stage"] for run in pending}
    following = next((advice for stage, advice in _NEXT.items() if stage in stages), None)
    if Stage.PUBLISHING not in stages:
        others = (_of_another_version(storage, output, run["run"]) for run in pending)
        following = next(filter(None, others), following)
    if any(run["damaged"] for run in pending):
        following = _REPAIR[Stage.PUBLISHING in stages]
    if holder is not None:
        following = "wait for the process that works on it to end"
    elif following is None and published is not None and published.get("stale_units"):
        following = (
            "write stale notes anew with `scrubline scrub --link-notes --incremental`, over all "
            "inputs of this output"
        )
    elif following is None and published is not None and published.get("view") == _OUTDATED:
        following = "build the view again with `scrubline view build`, or start the next run"
    elif following is None:
        following = "nothing to do: the next run can start"
    return {
        "published": published,
        "pending": pending,
        "lock": holder and _holder(holder),
        "next": following,
        "warning": exposed(output),
    }


def format_status(found: Mapping[str, Any]) -> Iterator[str]:
    """Yields what `status` gives, line by line."""
    published = found["published"]
    if published:
        rows = published["rows_out"]
        told_rows = "?" if rows is None else f"{rows:,}"
        yield f"published  run {published['run']}, {published['when']}, {told_rows} rows"
        if units := published.get("stale_units"):
            of_units = f"{counted(units, 'unit')} with {counted(published['stale_rows'], 'row')}"
            yield f"stale      {of_units}: newer notes of their patients say something else"
        if view := published.get("view"):
            yield f"view       {view}"
    else:
        yield f"published  {_unpublished(found['pending'])}"
    for run in found["pending"]:
        done = (
            ""
            if run["units"] is None
            else f", {run['done']:,} of {counted(run['units'], 'unit')} done"
        )
        if run["damaged"]:
            done = f", {counted(run['done'], 'unit')} done; {run['damaged']}"
        yield f"pending    run {run['run']}, {run['stage']}{done}"
    if lock := found["lock"]:
        yield f"locked     by process {lock['pid']} of {lock['machine']}, since {lock['since']}"
    yield f"next       {found['next']}"
    if found["warning"]:
        yield f"warning    {found['warning']}"


def _stale(storage: Storage, output: str) -> dict[str, int]:
    """What newer notes have made stale of what is published; nothing where notes are not linked."""
    try:
        catalogue = Catalogue.read(storage, output)
        stale = stale_units(storage, output, catalogue)
    except (UsageError, StorageError):  # damaged, or not for this user: `verify` says so
        return {}
    return stale.counts if stale.names else {}


_CURRENT, _OUTDATED = "of what is published", "of an earlier run"


def _view(storage: Storage, output: str, run: str) -> dict[str, str]:
    """Of what the released view is; nothing where there is none."""
    try:
        release = read_release(storage, output)
    except (UsageError, StorageError):  # damaged, or not for this user: `view check` says so
        return {}
    return {} if release is None else {"view": _CURRENT if release.run == run else _OUTDATED}


def _pending(storage: Storage, output: str, run: str) -> dict[str, Any]:
    stage = stage_of(storage, output, run)
    done = len(storage.list_names(f"{output}/_staging/{run}/receipts"))
    units, damaged = None, None
    if storage.exists(f"{output}/restricted/{run}/plan.parquet"):
        try:
            units = len(Plan.read(storage, f"{output}/restricted/{run}").units)
        except UsageError as error:
            damaged = str(error)
    return {"run": run, "stage": str(stage), "units": units, "done": done, "damaged": damaged}


def _of_another_version(storage: Storage, output: str, run: str) -> str | None:
    """What to do about a run that another version planned; None for one of this version."""
    try:
        job = read_job(storage, output, run)
    except UsageError:  # stopped before it was planned
        return None
    try:
        require_this_version(job)
    except UsageError as error:
        return str(error)
    return None


def _unpublished(pending: Sequence[Mapping[str, Any]]) -> str:
    """What to say of an output that is not whole."""
    if Stage.PUBLISHING in {run["stage"] for run in pending}:
        return "nothing until the publication is finished: there is no _SUCCESS"
    return "nothing: there is no _SUCCESS"


def _holder(holder: Holder) -> dict[str, Any]:
    return {
        "machine": holder.machine.partition(" ")[0] or "?",
        "pid": holder.pid,
        "since": _moment(holder.since),
        "sign_of_life": _moment(holder.beat),
    }


def _when(report: Mapping[str, Any]) -> str | None:
    """When a run was published, as near as its manifest says."""
    if "started" not in report:
        return None
    began = datetime.datetime.fromisoformat(report["started"])
    return _moment(began.timestamp() + report.get("seconds", 0))


def _moment(seconds: float) -> str:
    try:
        moment = datetime.datetime.fromtimestamp(seconds, datetime.UTC)
    except (ValueError, OverflowError, OSError):  # what a lock says need not be a time
        return "?"
    return moment.isoformat(timespec="seconds")
