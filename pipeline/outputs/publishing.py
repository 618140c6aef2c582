"""From receipts to a published output.

A publication can be cut off at any point and resumed: it follows a journal, each step may be done
twice, and _SUCCESS, which is removed first, is written last.
"""

from __future__ import annotations

import datetime
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...models.core.errors import RunFailed
from ...models.core.keys import Keys, fingerprint
from ...models.core.parallel_calls import map_in_threads
from ...models.jobs.amendments import RunAmendments
from ...models.jobs.job import Job
from ...models.jobs.plan import Plan
from ...models.jobs.receipts import Receipt, receipt_url
from ...models.redaction.policy import Policy
from ...models.storage.storage import Storage
from .catalogue import Catalogue
from .history import write_history_or_warn
from .journal import Journal, read_or_begin
from .manifest import days_of_runs, make_manifest, runs_of
from .note_links import publish_stale
from .output_page import remove_page, write_page_or_warn
from .sealing import inherit, write_seal
from .state import MANIFEST, clear_staging, require_no_links, success_file

_log = logging.getLogger(__name__)


def read_receipts(storage: Storage, job: Job, plan: Plan) -> dict[int, Receipt]:
    """The receipts of a run by unit, the stale ones left out.

    A receipt is stale if its unit was run with other amendments (skip-list, ordinals) than there
    are now.
    """
    amendments = RunAmendments.read(storage, job.restricted)
    names = {unit.name: unit.index for unit in plan.units}

    def read(path: str) -> Receipt | None:
        try:
            return Receipt.from_json(storage.read_bytes(path))
        except RunFailed:
            _log.warning("a receipt is damaged: its unit is run again")
            return None

    urls = [
        receipt_url(job.staging, name.removesuffix(".json"))
        for name in storage.list_names(f"{job.staging}/receipts")
        if name.removesuffix(".json") in names
    ]
    receipts = map_in_threads(read, urls)
    return {r.unit: r for r in receipts if r and r.given == amendments.of_unit(r.unit).hash}


def unfinished(storage: Storage, job: Job, plan: Plan) -> list[int]:
    """The units that have to be run, or run again, in order; removes stale receipts."""
    done = read_receipts(storage, job, plan)
    left = [unit.index for unit in plan.units if unit.index not in done]
    for index in left:
        storage.delete(receipt_url(job.staging, plan.units[index].name))
    return left


def promote(
    storage: Storage,
    job: Job,
    plan: Plan,
    receipts: Mapping[int, Receipt],
    policy: Policy | None,
    keys: Keys,
    *,
    report: Mapping[str, Any],
    reseal: bool = False,
    on_moved: Callable[[], None] = lambda: None,
    require_lock: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """Publishes a run whose gates are passed; returns the manifest.

    Args:
        policy: of the job; None where only its hash is known.
        keys: seal what is published.
        report: what to add to the manifest that no digest covers: times, metrics, warnings.
        reseal: whether to go on although the seal of what is published does not agree with it.
        on_moved: called after each part that is moved, from several threads.
        require_lock: raises RunFailed if the lock of the output was lost. Parts may be written
            twice, but the catalogue and the manifest of a later run must not be replaced by ours.

    Raises:
        GateFailed: if what is published does not agree with its seal; nothing was moved then.
    """
    require_no_links(storage, job.output)  # one may have been made since the run began
    catalogue = Catalogue.read(storage, job.output)
    after = catalogue.with_run(job.run, plan, receipts.values(), job.fingerprint)
    # Read before anything is moved: what is damaged or missing must not be found half way.
    runs = runs_of(storage, job, after)
    days = days_of_runs(storage, job, after, report)
    stay = sorted(after.runs() - {job.run})

    def begin() -> Journal:
        inherited = inherit(storage, job.output, keys, stay, reseal=reseal)
        inherited.warn()
        return Journal(tuple(_superseded(catalogue, plan, receipts)), inherited)

    journal = read_or_begin(storage, job, keys, after, begin, reseal=reseal, stay=stay)

    storage.delete(success_file(job.output))
    remove_page(storage, job.output)
    _move_parts(storage, job, receipts, journal.remove, on_moved)

    publish_stale(storage, job)
    require_lock()
    sealed = after.write(storage, job.output)
    published = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
    report = {**report, "published": published, "days": days}
    manifest = make_manifest(job, after, policy, runs, report)
    manifest["report"] |= write_history_or_warn(storage, job.output, manifest, require_lock)
    require_lock()
    sealed[MANIFEST] = json.dumps(manifest, indent=1).encode()
    storage.write_bytes(f"{job.output}/{MANIFEST}", sealed[MANIFEST])
    write_seal(storage, job.output, keys, job.run, runs, sealed, journal.inherited)
    storage.write_bytes(success_file(job.output), b"")
    # Before the staging goes: where this is killed, the run is resumed and the page is made then.
    write_page_or_warn(storage, job.output, manifest, require_lock)
    clear_staging(storage, job.output, job.run)
    return manifest


def _superseded(catalogue: Catalogue, plan: Plan, receipts: Mapping[int, Receipt]) -> list[str]:
    """The published parts that go, in order: their inputs have new ones under other names."""
    new = {part.path for receipt in receipts.values() for part in receipt.parts}
    return sorted(
        part.path
        for name in catalogue.superseded_by(plan.inputs)
        for part in catalogue.units[name].receipt.parts
        if part.path not in new
    )


def _move_parts(
    storage: Storage,
    job: Job,
    receipts: Mapping[int, Receipt],
    removed: Sequence[str],
    on_moved: Callable[[], None],
) -> None:
    """Moves the parts of a run from staging to the output, and removes those that go."""

    def move(path: str) -> None:
        storage.move(f"{job.staging}/{path}", f"{job.output}/{path}")
        on_moved()

    def remove(path: str) -> None:
        storage.delete(f"{job.output}/{path}")
        # An empty folder of a partition would still show what was in it.
        storage.delete_empty_folders(f"{job.output}/{path}")

    parts = [part for _, receipt in sorted(receipts.items()) for part in receipt.parts]
    for _ in map_in_threads(move, [part.path for part in parts]):
        pass
    for _ in map_in_threads(remove, removed):
        pass


def part_digest(manifest: Mapping[str, Any]) -> str:
    """The part digest of an output (promise 4): over names and bytes of all its parts."""
    return fingerprint(*(f"{part['path']} {part['sha256']}" for part in manifest["parts"]))
