"""What `scrub`, `plan` and `resume` print: a plan, a manifest."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from typing import Any

from ...models.core.display_names import counted, role_list
from ...models.core.errors import ScrublineError
from ...models.jobs.job import Job
from ...models.jobs.plan import Plan
from ...models.redaction.policy import Policy
from ...models.storage.storage import Storage
from ..cost_model import Basis, prediction_json, table
from ..options import Options
from ..outputs.incremental import format_change_counts
from ..outputs.planning import load_plan
from ..outputs.whole_columns import whole_lines
from ..process.stdout import show
from ..run import NOTHING
from .column_fates import column_fates
from .inspect import summary


def show_plan(
    storage: Storage,
    job: Job,
    plan: Plan,
    policy: Policy,
    basis: Basis | None,
    options: Options,
) -> None:
    """Prints what a run will do, and what it is estimated to take."""
    size = sum(unit.bytes for unit in plan.units)
    changes = {} if plan.increment is None else dict(plan.increment.counts)
    if options.as_json:
        value = {"run": job.run, "files": len(plan.files), "bytes": size, "units": len(plan.units)}
        value |= {"night": changes} if changes else {}
        show(
            json.dumps(value | (prediction_json(basis, options.workers) if basis else {}), indent=1)
        )
        return
    show(*(format_change_counts(changes) if changes else ()))
    if plan.is_nothing:
        show("nothing to do")
        return
    show(
        f"run {job.run}: {counted(len(plan.files), 'file')}, {counted(size, 'byte')}, "
        f"{counted(len(plan.units), 'unit')}",
        f"columns: {role_list({name: role for name, role, *_ in job.columns.to_json()})}",
        *column_fates(job.columns.to_json(), policy.to_dict()),
        *whole_lines(storage, job, plan),
        f"models: {', '.join(job.models) or 'none'}; "
        f"rules: {', '.join(job.recognisers) or 'none'}; policy: {job.policy}",
    )
    if job.link_notes:
        show(f"notes of a patient: linked; stale notes: {job.stale_notes}")
    if job.view_attributes is not None:
        show(f"view: told of {job.view_attributes}")
    if job.view_release is not None:
        show(f"view: shown as of release {job.view_generation}")
    if basis is not None:
        show(table(basis, options.workers), flush=True)


def show_passed_whole(storage: Storage, output: str, manifest: Mapping[str, Any]) -> None:
    """Prints which nested columns a run passed whole; nothing where its plan or inputs are gone."""
    if "run" in manifest and NOTHING not in manifest:
        with contextlib.suppress(ScrublineError):
            show(*whole_lines(storage, *load_plan(storage, output, manifest["run"])))


def show_manifest(manifest: Mapping[str, Any], *, as_json: bool) -> None:
    """Prints what a run did; nothing for a run that was given up."""
    if manifest and as_json:
        show(json.dumps(manifest, indent=1))
    elif NOTHING in manifest:
        if counts := manifest[NOTHING]:
            show(*format_change_counts(counts), "nothing to do")
        else:
            show("nothing to do: these inputs are published with these settings. The output holds:")
            show(summary(manifest, "that run"))
    elif manifest:
        show(summary(manifest))
