"""Whether a run belongs to what an output holds: another job into it is most often a slip.

A run that adds other columns, formats, policies or keys to an output would publish two data sets as
one. It is refused unless it was asked for, or replaces all that the other job made.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from ...models.core.display_names import counted
from ...models.core.errors import UsageError
from ...models.formats import family, format_of
from ...models.formats.column_roles import Role
from ...models.jobs.job import Job
from ...models.storage.storage import Storage
from .catalogue import Catalogue
from .planning import read_job


def require_same_job(
    storage: Storage,
    catalogue: Catalogue,
    job: Job,
    formats: Iterable[str],
    replaced: Collection[str],
    *,
    known: Collection[str] = (),
    allowed: bool,
) -> None:
    """Refuses a run that adds to an output and differs from every job that made units of it.

    What counts is what a reader of the output relies on: roles of columns that are not dropped,
    kinds of formats, how files are written, grouped lines, policy and key. Models, rules, budgets
    and versions do not: units made with others are outdated, and `--incremental` takes them.

    Args:
        formats: keys of `FORMATS` of the inputs that the run reads.
        replaced: units that the run replaces, by name.
        known: inputs that an incremental run looked for. Those that no longer exist stay as they
            were published, with a warning; they do not make it another job.
        allowed: whether the user asked for another job.

    Raises:
        UsageError: saying what differs from the job that is most alike.
    """
    staying = [
        name
        for name, one in catalogue.units.items()
        if name not in replaced and one.inputs.keys().isdisjoint(known)
    ]
    if allowed or not staying:
        return
    ours = _traits(job, {family(one) for one in formats})
    found: list[list[str]] = []
    jobs: dict[str, Job] = {}
    families: dict[str, set[str]] = {}
    # Of all, also those that go: the command that made one of two jobs may be given again.
    for entry in catalogue.units.values():
        key = entry.fingerprint or entry.run
        if key not in jobs:
            alike = key == job.fingerprint
            jobs[key] = job if alike else read_job(storage, job.output, entry.run)
        asked = jobs[key].format
        families.setdefault(key, set()).update(family(format_of(u, asked)) for u in entry.inputs)
    for key, other in jobs.items():
        found.append([*_differences(ours, _traits(other, families[key]))])
    if differing := min(found, key=len):
        raise UsageError(
            f"the output holds {counted(len(staying), 'unit')} of another job, which this "
            f"run does not replace. It differs in {'; '.join(differing)}. Give it an output of its "
            "own, or publish both in one with --allow-different-job"
        )


@dataclasses.dataclass(frozen=True, slots=True)
class _Traits:
    roles: Mapping[str, str]
    families: frozenset[str]
    written: Mapping[str, Any]
    group_lines: Any
    policy_hash: str
    key_check: str


def _traits(job: Job, families: Collection[str]) -> _Traits:
    return _Traits(
        {name: role for name, role, *_ in job.columns.to_json() if role != Role.DROP},
        frozenset(families),
        dataclasses.asdict(job.settings),
        job.group_lines,
        job.policy_hash,
        job.key_check,
    )


def _differences(ours: _Traits, other: _Traits) -> Iterator[str]:
    """Yields what differs, for people; columns by name, for both sides declared them."""
    columns = [
        f"{name} ({ours.roles.get(name, 'absent')} here, {other.roles.get(name, 'absent')} in the "
        "published job)"
        for name in dict.fromkeys((*ours.roles, *other.roles))
        if ours.roles.get(name) != other.roles.get(name)
    ]
    if columns:
        yield f"columns: {', '.join(columns)}"
    if not ours.families <= other.families:
        here, there = (", ".join(sorted(side.families)) for side in (ours, other))
        yield f"format: {here}, published {there}"
    if written := [name for name in ours.written if ours.written[name] != other.written[name]]:
        yield f"how files are written: {', '.join(written)}"
    if ours.group_lines != other.group_lines:
        yield "--group-lines"
    if ours.policy_hash != other.policy_hash:
        yield "policy"
    if ours.key_check != other.key_check:
        yield "master key"
