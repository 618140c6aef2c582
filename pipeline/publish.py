"""From receipts to a published output: reconcile, quarantine gate, promotion.

Promotion can be cut off at any point and taken up again: it follows a journal, each step may be
done twice, and _SUCCESS, which is removed first, comes last.
"""

from __future__ import annotations

import dataclasses
import json
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ..models.digests import content_digest
from ..models.errors import GateHeld, RunFailed
from ..models.job import Job
from ..models.keys import fingerprint
from ..models.policy import Policy
from ..models.receipts import RESTRICTED, Receipt, receipt_url
from ..models.results import Tally
from ..models.rework import Rework
from ..models.storage import Storage
from ..models.units import Plan
from .catalogue import Catalogue
from .plan import read_job
from .state import clear_staging, journal_file, success_file

_log = logging.getLogger(__name__)

_MOVES_AT_ONCE = 16


def read_receipts(storage: Storage, job: Job, plan: Plan) -> dict[int, Receipt]:
    """The receipts of a run by unit, the stale ones left out.

    A receipt is stale if its unit was run with other facts (skip-list, ordinals) than are known
    now.
    """
    rework = Rework.read(storage, job.restricted)
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
    with ThreadPoolExecutor(_MOVES_AT_ONCE) as pool:
        receipts = list(pool.map(read, urls))
    return {r.unit: r for r in receipts if r and r.given == rework.of_unit(r.unit).hash}


def unfinished(storage: Storage, job: Job, plan: Plan) -> list[int]:
    """The units that have to be run (again), in order; stale receipts are removed."""
    done = read_receipts(storage, job, plan)
    left = [unit.index for unit in plan.units if unit.index not in done]
    for index in left:
        storage.delete(receipt_url(job.staging, plan.units[index].name))
    return left


def reconcile(plan: Plan, receipts: Mapping[int, Receipt]) -> Tally:
    """The run's tally, after checking that nothing is missing.

    Raises:
        RunFailed: if a unit has no receipt.
        GateHeld: if rows were lost or doubled: rows in are not rows out and quarantined.
    """
    if missing := [unit.index for unit in plan.units if unit.index not in receipts]:
        raise RunFailed(f"{len(missing)} of {len(plan.units)} units are not done; resume the run")
    total = Tally()
    for index in sorted(receipts):
        counts = receipts[index].tally.counts
        if counts["rows_in"] != counts["rows_out"] + counts["rows_quarantined"]:
            raise GateHeld(
                f"unit {index} does not reconcile: {counts['rows_in']} rows in, "
                f"{counts['rows_out']} out, "
                f"{counts['rows_quarantined']} quarantined"
            )
        total.add(receipts[index].tally)
    return total


def check_gates(tally: Tally, max_quarantined: float) -> None:
    """Holds back what should not be published unseen.

    Raises:
        GateHeld: if the share of quarantined rows is above `max_quarantined`.
    """
    rows, held = tally.counts["rows_in"], tally.counts["rows_quarantined"]
    if rows and held / rows > max_quarantined:
        raise GateHeld(
            f"{held} of {rows} rows are quarantined ({held / rows:.2%}), "
            f"more than the limit of {max_quarantined:.2%}. "
            "Nothing is published. Classes: "
            + "; ".join(f"{error} ({count})" for error, count in tally.errors.most_common(5))
            + ". Mend the input, or accept it with: resume --max-quarantined SHARE"
        )


def promote(
    storage: Storage,
    job: Job,
    plan: Plan,
    receipts: Mapping[int, Receipt],
    policy: Policy,
    *,
    report: Mapping[str, Any],
    on_moved: Callable[[], None] = lambda: None,
    still_ours: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """Publishes a run whose gates are passed; returns the manifest.

    Args:
        report: what to add to the manifest that no digest covers: times, metrics, warnings.
        still_ours: raises RunFailed if the lock of the output was lost. Parts may be written twice;
            the catalogue and the manifest of a later night must not be replaced by ours.
    """
    catalogue = Catalogue.read(storage, job.output)
    after = catalogue.with_run(job.run, plan, receipts.values(), job.fingerprint)
    # Read before anything is moved: what is damaged or gone must not be found half way.
    runs = _runs_of(storage, job, after)
    journal = journal_file(job)
    if storage.exists(journal):
        removed = json.loads(storage.read_bytes(journal))["remove"]
    else:
        new = {part.path for receipt in receipts.values() for part in receipt.parts}
        removed = sorted(
            part.path
            for name in catalogue.superseded_by(plan.inputs)
            for part in catalogue.units[name].receipt.parts
            if part.path not in new
        )
        storage.write_bytes(journal, json.dumps({"remove": removed}).encode())

    storage.delete(success_file(job.output))
    parts = [part for _, receipt in sorted(receipts.items()) for part in receipt.parts]

    def move(path: str) -> None:
        storage.move(f"{job.staging}/{path}", f"{job.output}/{path}")
        on_moved()

    with ThreadPoolExecutor(_MOVES_AT_ONCE) as pool:
        list(pool.map(move, (part.path for part in parts)))
        list(pool.map(lambda path: storage.delete(f"{job.output}/{path}"), removed))

    still_ours()
    after.write(storage, job.output)
    manifest = make_manifest(job, after, policy, runs, report)
    still_ours()
    storage.write_bytes(f"{job.output}/manifest.json", json.dumps(manifest, indent=1).encode())
    storage.write_bytes(success_file(job.output), b"")
    clear_staging(storage, job.output, job.run)
    return manifest


def make_manifest(
    job: Job,
    catalogue: Catalogue,
    policy: Policy,
    runs: Mapping[str, Any],
    report: Mapping[str, Any],
) -> dict[str, Any]:
    """What a privacy officer signs: versions, policy, counts, digests, hashes of all parts.

    Args:
        runs: how the parts of each run were written.
        report: see `promote`.
    """
    total = Tally()
    for entry in catalogue.units.values():
        total.add(entry.receipt.tally)
    return {
        "run": job.run,
        "fingerprint": job.fingerprint,
        "code_version": job.code_version,
        "models": dict(zip(job.models, job.model_hashes, strict=True)),
        "recognisers": dict(zip(job.recognisers, job.recogniser_hashes, strict=True)),
        "policy": {
            "name": policy.name,
            "hash": job.policy_hash,
            **policy.told(),
        },
        "key_check": job.key_check,
        "budgets": dataclasses.asdict(job.budgets),
        "content_digest": content_digest(total.digests),
        "text_digest": total.digests["text"].hex(),
        **total.to_json(),
        "runs": dict(runs),
        "report": dict(report),
        "parts": [
            {**dataclasses.asdict(part), "run": entry.run}
            for _, entry in sorted(catalogue.units.items())
            for part in entry.receipt.parts
            if part.table not in RESTRICTED
        ],
    }


def _runs_of(storage: Storage, job: Job, catalogue: Catalogue) -> dict[str, dict[str, Any]]:
    """Run -> how its parts were written, of this run and all that the output holds parts of."""
    names = {job.run, *(entry.run for entry in catalogue.units.values())}
    return {
        run: _how_written(job if run == job.run else read_job(storage, job.output, run))
        for run in sorted(names)
    }


def _how_written(job: Job) -> dict[str, Any]:
    """How the parts of a run were made, and what `verify` must know to read them."""
    return {
        "fingerprint": job.fingerprint,
        "columns": [[name, str(role)] for name, role in job.columns.roles],
        "format": job.format,
        "settings": dataclasses.asdict(job.settings),
        "group_lines": job.group_lines and dataclasses.asdict(job.group_lines),
    }


def part_digest(manifest: Mapping[str, Any]) -> str:
    """The part digest of an output (promise 4): over names and bytes of all its parts."""
    return fingerprint(*(f"{part['path']} {part['sha256']}" for part in manifest["parts"]))
