"""The source documents of an output, for holders of its key: read as the run read them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...models.core.batches import Batch
from ...models.core.keys import Keys
from ...models.jobs.amendments import RunAmendments
from ...models.jobs.job import Job
from ...models.jobs.opening import (
    OpenedInputs,
    levels_of_view,
    open_keys,
    open_people,
    open_policy,
)
from ...models.jobs.plan import Plan
from ...models.jobs.roster_steps import people_by_row
from ...models.redaction.stand_ins import PeopleOfNote, StandIns
from ...models.roster.people import KnownPeople
from ...models.storage.storage import Storage
from .planning import read_job


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class SourceDocuments(OpenedInputs):
    """The inputs of one run of an output, opened.

    Attributes:
        amendments: what the run found out about rows.
        people: whom the run knew beforehand, where its policy puts something in their place.
    """

    amendments: RunAmendments
    people: KnownPeople | None = None

    @property
    def stand_ins(self) -> StandIns | None:
        """What stood in place of PHI; of the view as the audit says that it did."""
        view = levels_of_view(self.job, self.policy)
        return StandIns.of(self.policy, self.keys, view)

    def known_in(self, batch: Batch) -> dict[int, PeopleOfNote]:
        """What surrogates were to know of the people of each row of a batch."""
        return people_by_row(batch, self.people)

    def of_units(self, units: Sequence[int]) -> Iterator[Batch]:
        """Yields the batches of some units, as the run read them.

        Raises:
            RunFailed: if an input was changed or removed.
        """
        for index in units:
            yield from self.batches(
                self.plan.units[index], amendments=self.amendments.of_unit(index)
            )


def open_source_documents(
    storage: Storage, output: str, run: str, key_source: str | None
) -> SourceDocuments:
    """Opens the inputs of a run of an output.

    Args:
        key_source: of the master key; None for that of the run's plan.

    Raises:
        UsageError: if the run's plan, the key, the policy or the roster is missing, or is another
            one.
    """
    job, keys = read_job_and_keys(storage, output, run, key_source)
    policy = open_policy(job)
    plan = Plan.read(storage, job.restricted)
    amendments = RunAmendments.read(storage, job.restricted)
    known = job.knows_people and policy.needs_key
    people = open_people(storage, job, keys) if known else None
    return SourceDocuments(storage, job, plan, keys, policy, amendments, people)


def read_job_and_keys(
    storage: Storage, output: str, run: str, key_source: str | None
) -> tuple[Job, Keys]:
    """The job of a run, for holders of its key; see `open_source_documents`."""
    job = read_job(storage, output, run)
    return job, open_keys(storage, job, key_source)


def key_check_of(manifest: Mapping[str, Any]) -> str:
    """The check value of the key that an output was made with; "" if its manifest has none."""
    check = str(manifest.get("key_check", ""))
    return check if re.fullmatch("[0-9a-f]{8}", check) else ""
