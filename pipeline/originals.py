"""The originals behind an output, for holders of the key: read as the run read them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..models.batches import Batch
from ..models.errors import UsageError
from ..models.job import Job
from ..models.keys import Keys, load_keys, warn_if_open
from ..models.policy import Policy
from ..models.reading import read_unit
from ..models.rework import Rework
from ..models.storage import Storage
from ..models.units import Plan
from .plan import read_job


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Originals:
    """The inputs of one run, opened.

    Attributes:
        keys: the subkeys.
        policy: that of the run.
        plan: its units.
    """

    storage: Storage
    job: Job
    keys: Keys
    policy: Policy
    plan: Plan
    rework: Rework

    def batches(self, units: Sequence[int]) -> Iterator[Batch]:
        """The batches of some units, as the run read them.

        Raises:
            RunFailed: if an input has changed or is gone.
        """
        for index in units:
            yield from read_unit(
                self.storage,
                self.job.form(self.plan.units[index].format),
                self.plan.units[index],
                self.plan.files,
                self.job.columns,
                self.keys,
                self.job.limits,
                self.job.budgets,
                keep_dates=self.policy.keep_dates,
                facts=self.rework.of_unit(index),
                group_lines=self.job.group_lines,
            )


def open_originals(storage: Storage, output: str, run: str, key_source: str | None) -> Originals:
    """Opens the inputs of a run of an output.

    Args:
        key_source: of the master key; None for that of the run's plan.

    Raises:
        UsageError: if the run's plan, the key or the policy is not there, or is another one.
    """
    job, keys = open_job(storage, output, run, key_source)
    policy = job.planned_policy()
    plan = Plan.read(storage, job.restricted)
    return Originals(storage, job, keys, policy, plan, Rework.read(storage, job.restricted))


def open_job(storage: Storage, output: str, run: str, key_source: str | None) -> tuple[Job, Keys]:
    """The job of a run, for whoever has its key; see `open_originals`."""
    job = read_job(storage, output, run)
    return job, keys_of(storage, job, key_source)


def keys_of(storage: Storage, job: Job, key_source: str | None = None) -> Keys:
    """The keys of a run.

    Raises:
        UsageError: if what is given is no master key, or another one.
    """
    source = key_source or job.key_source
    keys = load_keys(source, storage.read_bytes, made_with=job.key_check)
    warn_if_open(source)
    if keys.check != job.key_check:
        raise UsageError(
            "this is not the master key of the run, but another master key: its check value is "
            f"{keys.check}, the run was planned with {job.key_check}"
        )
    return keys


def check_value(manifest: Mapping[str, Any]) -> str:
    """The check value of the key that an output was made with; "" if its manifest has none."""
    found = str(manifest.get("key_check", ""))
    return found if re.fullmatch("[0-9a-f]{8}", found) else ""
