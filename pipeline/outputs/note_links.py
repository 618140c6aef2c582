"""Links between notes, as the launcher sees them: what is joined, and what becomes of the facts.

    evidence of all units -> buckets -> facts -> units that are run again

The facts of this run's units amend their plan, as ordinals of repeated ids do. Published units of
which other facts hold now than they were run with are stale: `stale_units`.
"""

from __future__ import annotations

import dataclasses
import json
import logging
from collections.abc import Iterable, Iterator, Mapping

from ...models.core.display_names import counted
from ...models.core.errors import GateFailed, UsageError
from ...models.core.parallel_calls import map_in_threads
from ...models.jobs.amendments import RunAmendments
from ...models.jobs.first_pass import facts_url, hash_of_facts
from ...models.jobs.job import Job
from ...models.jobs.link_task import EvidencePart, LinkTask, bucket_file, read_facts
from ...models.jobs.plan import Plan
from ...models.jobs.receipts import Receipt
from ...models.records.evidence_files import facts_bytes
from ...models.storage.storage import Storage
from .catalogue import Catalogue, CatalogueEntry

_log = logging.getLogger(__name__)

STALE = "restricted/stale_notes.json"
"""Below the output: facts that hold now of published units, and how long stale ones wait."""


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class LinkedUnits:
    """A task, and whose evidence it joins.

    Attributes:
        task: over all evidence.
        staged: unit of this run for each of its first sources.
        published: name of the published unit for each of the others.
        lost: published units whose evidence is gone.
    """

    task: LinkTask
    staged: tuple[int, ...]
    published: tuple[str, ...]
    lost: tuple[str, ...]


def link_task(
    storage: Storage, job: Job, plan: Plan, receipts: Mapping[int, Receipt]
) -> LinkedUnits:
    """What is joined: the evidence of this run, and of the published units that stay.

    The task is written under staging.
    """
    catalogue = Catalogue.read(storage, job.output)
    staged = {index: receipts[index] for index in sorted(receipts)}
    published = _comparable(catalogue, job, plan)
    there = storage.list_sizes(f"{job.output}/restricted")
    lost = {
        name
        for name, receipt in published.items()
        if (part := receipt.evidence_part) and part.path.removeprefix("restricted/") not in there
    }
    kept = {name: receipt for name, receipt in published.items() if name not in lost}
    sources = [*_sources(staged.values(), True), *_sources(kept.values(), False)]
    task = LinkTask.of(sources)
    storage.write_bytes(f"{task.folder(job)}/task.json", task.to_json().encode())
    return LinkedUnits(task, tuple(staged), tuple(kept), tuple(sorted(lost)))


def _comparable(catalogue: Catalogue, job: Job, plan: Plan) -> dict[str, Receipt]:
    """The published units that stay and were made alike: under this key, and by this code."""
    superseded = catalogue.superseded_by(plan.inputs)
    return {
        name: entry.receipt
        for name, entry in sorted(catalogue.units.items())
        if name not in superseded
        and entry.receipt.evidence_part is not None
        and entry.fingerprint == job.fingerprint
    }


def _sources(receipts: Iterable[Receipt], is_staged: bool) -> Iterator[EvidencePart]:
    for receipt in receipts:
        if part := receipt.evidence_part:
            yield EvidencePart(part.path, part.sha256, receipt.evidence or 0, is_staged)


def buckets_left(storage: Storage, job: Job, task: LinkTask) -> list[int]:
    """The buckets of a task that are still to be done."""
    there = set(storage.list_names(task.folder(job)))
    return [bucket for bucket in range(task.buckets) if bucket_file(bucket) not in there]


def settle(
    storage: Storage, job: Job, plan: Plan, linked: LinkedUnits, receipts: Mapping[int, Receipt]
) -> int:
    """Hands the facts of a task, all of whose buckets are done, to the units.

    Returns:
        How many units of this run have other facts than they were run with: they have become
        unfinished.

    Raises:
        RunFailed: if what a bucket left is damaged.
    """
    hashes: dict[int, str] = {}
    for number, facts in read_facts(storage, job, linked.task):
        content = facts_bytes(facts)
        hashes[number] = hash_of_facts(content)
        if number < len(linked.staged):
            name = plan.units[linked.staged[number]].name
            storage.write_bytes(facts_url(job.staging, name), content)
    mine = {unit: hashes[n] for n, unit in enumerate(linked.staged) if n in hashes}
    changed = [unit for unit in linked.staged if receipts[unit].facts != mine.get(unit, "")]
    _note_stale(storage, job, linked, hashes)
    if changed:
        amendments = RunAmendments.read(storage, job.restricted)
        amendments.linking(mine).write(storage, job.restricted)
    return len(changed)


def forget_lost_facts(storage: Storage, job: Job, plan: Plan) -> None:
    """Forgets all facts if a file of them is lost: units that need it could never be run.

    They are run without facts then, and the notes are linked anew.
    """
    amendments = RunAmendments.read(storage, job.restricted)

    def is_lost(unit: int) -> bool:
        try:
            content = storage.read_bytes(facts_url(job.staging, plan.units[unit].name))
        except FileNotFoundError:
            return True
        return hash_of_facts(content) != amendments.of_unit(unit).facts

    linked = [unit for unit, own in amendments.units.items() if own.facts]
    if any(map_in_threads(is_lost, linked)):
        _log.warning("facts of units are damaged or missing: the notes are linked anew")
        amendments.linking({}).write(storage, job.restricted)


# -- published units


_LOST = "lost"
"""In place of a hash: the evidence of a unit is gone, and comes back when it is run again."""


def _note_stale(storage: Storage, job: Job, linked: LinkedUnits, hashes: Mapping[int, str]) -> None:
    """Notes which facts hold of the published units; they count once this run is published."""
    now = dict.fromkeys(linked.lost, _LOST) | {
        name: hashes.get(number, "")
        for number, name in enumerate(linked.published, len(linked.staged))
    }
    _, waited = _read(storage, f"{job.output}/{STALE}")
    units = Catalogue.read(storage, job.output).units
    waits = {
        name: waited.get(name, 0) + 1
        for name, facts in now.items()
        if name in units and units[name].receipt.facts != facts
    }
    said = json.dumps({"facts": now, "waits": waits}, sort_keys=True)
    storage.write_bytes(f"{job.staging}/{STALE}", said.encode())


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class StaleUnits:
    """Published units of which the notes of a later run say something else.

    Attributes:
        names: those that wait longest first.
        rows: that are published of them.
        inputs: that they were made from, sorted.
    """

    names: tuple[str, ...]
    rows: int
    inputs: tuple[str, ...]

    @property
    def counts(self) -> dict[str, int]:
        """What a report says of them."""
        return {"stale_units": len(self.names), "stale_rows": self.rows}


def check_stale(storage: Storage, job: Job, stale_notes: str) -> dict[str, int]:
    """Looks how many published notes are made stale by this run; holds the run if that is asked.

    Returns:
        What the report of the manifest says of it.

    Raises:
        GateFailed: if there are any and `stale_notes` is "hold".
    """
    catalogue = Catalogue.read(storage, job.output)
    stale = _stale(storage, f"{job.staging}/{STALE}", catalogue)
    if stale.rows and stale_notes == "hold":
        raise GateFailed(
            "the notes of this run say more, or less, of words in "
            f"{counted(stale.rows, 'published row')} of {counted(len(stale.names), 'unit')}. "
            "Nothing is published. Publish it with `scrubline resume "
            "--output ... --stale-notes report`; the next run with --stale-notes rewrite writes "
            "them anew"
        )
    return stale.counts


def publish_stale(storage: Storage, job: Job) -> None:
    """Puts what this run found of published units where later runs find it."""
    try:
        content = storage.read_bytes(f"{job.staging}/{STALE}")
    except FileNotFoundError:  # links are off, or it was put there before
        return
    storage.write_bytes(f"{job.output}/{STALE}", content)


def stale_units(storage: Storage, output: str, catalogue: Catalogue) -> StaleUnits:
    """The stale units of an output.

    Raises:
        UsageError: if what is known of them is damaged.
    """
    return _stale(storage, f"{output}/{STALE}", catalogue)


def _stale(storage: Storage, url: str, catalogue: Catalogue) -> StaleUnits:
    now, waits = _read(storage, url)
    units = {
        name: catalogue.units[name]
        for name, facts in sorted(now.items(), key=lambda pair: (-waits.get(pair[0], 0), pair[0]))
        if name in catalogue.units and catalogue.units[name].receipt.facts != facts
    }
    return _of_units(units)


def _of_units(units: Mapping[str, CatalogueEntry]) -> StaleUnits:
    rows = sum(entry.receipt.tally.counts["rows_out"] for entry in units.values())
    inputs = sorted({url for entry in units.values() for url in entry.inputs})
    return StaleUnits(tuple(units), rows, tuple(inputs))


def due_units(storage: Storage, job: Job, catalogue: Catalogue) -> StaleUnits:
    """The stale units that one run writes anew: all, or those that wait longest.

    Raises:
        UsageError: if what is known of them is damaged.
    """
    stale = stale_units(storage, job.output, catalogue)
    if job.most_rewritten is None:
        return stale
    most = max(1, int(job.most_rewritten * len(catalogue.units)))
    return _of_units({name: catalogue.units[name] for name in stale.names[:most]})


def _read(storage: Storage, url: str) -> tuple[dict[str, str], dict[str, int]]:
    """Published unit -> facts that hold of it now; stale unit -> for how many runs it is."""
    try:
        value = json.loads(storage.read_bytes(url))
        facts, waits = dict(value["facts"]), dict(value["waits"])
        if not all(isinstance(one, str) for one in facts.values()):
            raise ValueError("facts")
        if not all(isinstance(one, int) for one in waits.values()):
            raise ValueError("waits")
    except FileNotFoundError:
        return {}, {}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError(
            f"{STALE} is damaged ({type(error).__name__}): remove it, and scrub all inputs of "
            "this output again"
        ) from None
    return facts, waits
