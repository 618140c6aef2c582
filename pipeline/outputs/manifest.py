"""The manifest: what it says of an output, and of what that is made."""

from __future__ import annotations

import dataclasses
import json
import logging
from collections.abc import Mapping
from typing import Any

from ...models.core.digests import content_digest
from ...models.core.errors import UsageError
from ...models.jobs.job import Job
from ...models.jobs.output_rows import Tally
from ...models.jobs.receipts import RESTRICTED
from ...models.jobs.roster_steps import labels_kept
from ...models.redaction.policy import Policy
from ...models.storage.storage import Storage
from .catalogue import Catalogue, parts_there
from .planning import read_job
from .state import MANIFEST, is_published

_log = logging.getLogger(__name__)

_REQUIRED = {
    *("run", "runs", "parts", "counts", "labels", "errors", "policy", "report"),
    *("digests", "content_digest"),
}
"""Keys without which a manifest is damaged, or of another version."""


def make_manifest(
    job: Job,
    catalogue: Catalogue,
    policy: Policy | None,
    runs: Mapping[str, Any],
    report: Mapping[str, Any],
) -> dict[str, Any]:
    """What a privacy officer signs: versions, policy, counts, digests, hashes of all parts.

    Args:
        policy: of the job; None where only its hash is known.
        runs: how the parts of each run were written.
        report: see `promote`.
    """
    total = Tally.total(entry.receipt.tally for entry in catalogue.units.values())
    return {
        "run": job.run,
        "fingerprint": job.fingerprint,
        "code_version": job.code_version,
        "models": dict(zip(job.models, job.model_hashes, strict=True)),
        "recognisers": dict(zip(job.recognisers, job.recogniser_hashes, strict=True)),
        "policy": policy.to_dict() if policy else {"hash": job.policy_hash},
        "key_check": job.key_check,
        **_people(job, policy),
        **_view(job),
        **({"links": {"code": job.links_hash}} if job.link_notes else {}),
        "budgets": job.budgets.of_version(job.code_version),
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


def _view(job: Job) -> dict[str, Any]:
    """What the run told the identifier view, and what it took from one."""
    said: dict[str, Any] = {}
    if job.view_attributes is not None:
        said["attributes"] = job.view_attributes
    if job.view_release is not None:
        said |= {"generation": job.view_generation, "levels": dict(job.view_levels)}
    return {"view": said} if said else {}


def _people(job: Job, policy: Policy | None) -> dict[str, Any]:
    """Whom the run knew beforehand; nothing where it knew nobody.

    `not_asserted` are the labels that the policy keeps for notes of any type: what a roster knows
    of these may be in the output. None where the policy is not known.
    """
    if not job.knows_people:
        return {}
    policies = [policy, *policy.note_types.values()] if policy else []
    kept = frozenset[str]().union(*labels_kept(policies).values())
    return {
        "roster": {
            "generation": job.roster_generation or None,
            "fuzzy": job.roster_fuzzy,
            "code": job.roster_hash,
            "not_asserted": sorted(kept) if policy else None,
        }
    }


def runs_of(storage: Storage, job: Job, catalogue: Catalogue) -> dict[str, dict[str, Any]]:
    """Run -> how its parts were written, of this run and all that the output holds parts of."""
    names = {job.run, *(entry.run for entry in catalogue.units.values())}
    return {
        run: how_written(job if run == job.run else read_job(storage, job.output, run))
        for run in sorted(names)
    }


def days_of_runs(
    storage: Storage, job: Job, catalogue: Catalogue, report: Mapping[str, Any]
) -> dict[str, str]:
    """Run -> the day on which it began, in UTC, of all runs that the output holds parts of.

    Earlier runs are taken from the manifest that is about to be replaced. What it does not tell is
    left out: nothing of an output depends on it.

    Args:
        report: see `promote`.
    """
    try:
        before = json.loads(storage.read_bytes(f"{job.output}/{MANIFEST}"))
        told = before["report"]
        days = {before["run"]: told["started"][:10], **told.get("days", {})}
    except (FileNotFoundError, ValueError, KeyError, TypeError, RecursionError, AttributeError):
        days = {}
    if "started" in report:
        days = {job.run: report["started"][:10], **days}
    there = catalogue.runs() | {job.run}
    return {run: day for run, day in sorted(days.items()) if run in there}


def how_written(job: Job) -> dict[str, Any]:
    """How the parts of a run were made, and what `verify` must know to read them."""
    return {
        "fingerprint": job.fingerprint,
        "columns": [list(declared) for declared in job.columns.to_json()],
        "format": job.format,
        "settings": dataclasses.asdict(job.settings),
        "group_lines": job.group_lines and dataclasses.asdict(job.group_lines),
        **({"roster": job.roster_generation} if job.roster_generation else {}),
    }


def read_manifest(storage: Storage, output: str) -> dict[str, Any]:
    """The manifest of a published output.

    Raises:
        UsageError: if nothing is published there, or the manifest is damaged.
    """
    try:
        manifest: dict[str, Any] = json.loads(storage.read_bytes(f"{output}/{MANIFEST}"))
    except FileNotFoundError:
        raise UsageError("nothing is published in this output: it has no manifest.json") from None
    except (ValueError, RecursionError):
        manifest = {}
    if not isinstance(manifest, dict) or not manifest.keys() >= _REQUIRED:
        raise UsageError("the manifest.json of this output is damaged, or of another version")
    if not is_published(storage, output):
        raise UsageError(
            "this output is being published, or was stopped while it was: "
            "it has no _SUCCESS; resume it"
        )
    return manifest


def published_manifest(storage: Storage, job: Job) -> dict[str, Any] | None:
    """The manifest, if the run of this job is what the output holds, and all parts are there."""
    if not is_published(storage, job.output):
        return None
    manifest = read_manifest(storage, job.output)
    if manifest["run"] != job.run:
        return None
    there = parts_there(storage, job.output)
    if any(part["path"] not in there for part in manifest["parts"]):
        _log.warning("parts of the published output are missing: the run is done again")
        return None
    return manifest


def published_runs(storage: Storage, output: str) -> set[str]:
    """Ids of the runs with anything published: what they left is needed.

    Raises:
        UsageError: if the catalogue is damaged: what it needs is then not known.
    """
    runs = {entry.run for entry in Catalogue.read(storage, output).units.values()}
    if is_published(storage, output):
        runs |= {(manifest := read_manifest(storage, output))["run"], *manifest["runs"]}
    return runs
