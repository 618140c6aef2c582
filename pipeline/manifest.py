"""The manifest: what it says of an output, and of what that is made."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ..models.digests import content_digest
from ..models.job import Job
from ..models.policy import Policy
from ..models.receipts import RESTRICTED
from ..models.results import Tally
from ..models.storage import Storage
from .catalogue import Catalogue
from .plan import read_job


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
            **({"name": policy.name} if policy else {}),
            "hash": job.policy_hash,
            **(policy.told() if policy else {}),
        },
        "key_check": job.key_check,
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


def runs_of(storage: Storage, job: Job, catalogue: Catalogue) -> dict[str, dict[str, Any]]:
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
