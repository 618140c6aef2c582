"""Opening a job: reads what it names and refuses whatever is not what the run was planned with."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping

from ..bundles.bundle import Bundle, open_bundle
from ..bundles.detector import BundleDetector, detectors_of
from ..core.batches import Batch
from ..core.errors import UsageError
from ..core.forksafe import ForkSafeLock
from ..core.keys import Keys
from ..formats import Limits
from ..patient_view.lookup import RecordView, ViewLevels
from ..recognisers import rule_hash
from ..records.carrying import RecordLinks, detector_hashes_of_links, links_code_hash
from ..redaction.policy import Policy
from ..redaction.policy_file import load_policy
from ..redaction.stand_ins import StandIns
from ..roster.bundle import RosterBundle
from ..roster.people import KnownPeople, detector_hashes_of_people, people_code_hash
from ..roster.word_lists import read_lists
from ..storage.key_files import load_keys, warn_if_open
from ..storage.storage import Storage
from .amendments import NO_AMENDMENTS, UnitAmendments
from .job import CODE_VERSION, Job
from .plan import Plan, Unit
from .read_unit import read_unit
from .roster_steps import PassingColumns
from .shifted_columns import DateColumns
from .steps import StepResources

_WAY_ON = (
    "restore what the run was planned with; an unfinished run can also be given up with "
    "`scrubline resume --output ... --discard`"
)


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class OpenedInputs:
    """A job opened for reading its inputs.

    Attributes:
        storage: where plan, receipts and outputs are.
        job: checked as far as reading needs it: key and policy.
        plan: its units and input files.
        keys: the subkeys.
        policy: the planned one.
    """

    storage: Storage
    job: Job
    plan: Plan
    keys: Keys
    policy: Policy

    def batches(
        self,
        unit: Unit,
        *,
        limits: Limits | None = None,
        amendments: UnitAmendments = NO_AMENDMENTS,
    ) -> Iterator[Batch]:
        """Yields the batches of a unit of the plan, or of some of its locators.

        Args:
            limits: caps of a batch; None for the job's.
            amendments: what is known of the unit's rows.

        Raises:
            RunFailed, Shortage: see `read_unit`.
        """
        return read_unit(
            self.storage,
            self.job.form(unit.format),
            unit,
            self.plan.files,
            self.job.columns,
            self.keys,
            limits or self.job.limits,
            self.job.budgets,
            dates=DateColumns.of(self.policy),
            view=None if self.job.view is None else self.job.view.columns,
            amendments=amendments,
            group_lines=self.job.group_lines,
        )


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class OpenedJob(OpenedInputs):
    """A job opened for work: all that cannot travel to a worker.

    Attributes:
        resources: what the steps work with.
        detector_hashes: hash of every detector, by name.
    """

    resources: StepResources
    detector_hashes: Mapping[str, str]


def open_job(storage: Storage, job: Job, plan: Plan | None = None) -> OpenedJob:
    """Opens a job for work.

    Args:
        storage: where its output is.
        plan: None for the frozen one.

    Raises:
        UsageError: if another version planned the job, or its policy, key, rules or bundles are not
            the planned ones.
    """
    require_this_version(job)
    keys = open_keys(storage, job, warn=False)  # the launcher has warned
    policy, bundles = open_policy(job), open_bundles(job)
    _require_planned_rules(job)
    planned = Plan.read(storage, job.restricted) if plan is None else plan

    def passing(unit: int) -> PassingColumns:
        own = planned.units[unit]
        return PassingColumns(job.form(own.format), job.columns, own.partition)

    people = open_people(storage, job, keys) if job.knows_people else None
    if job.link_notes and links_code_hash() != job.links_hash:
        raise UsageError(f"how notes are linked has changed since the run was planned: {_WAY_ON}")
    resources = StepResources(
        policy,
        detectors=tuple(BundleDetector(bundle) for bundle in bundles),
        recognisers=job.recognisers,
        budgets=job.budgets,
        people=people,
        passing=passing,
        stand_ins=StandIns.of(policy, keys, open_view(storage, job, policy)),
        links=RecordLinks(keys.records, policy.kept) if job.link_notes else None,
        at_risk=job.risk,
    )
    hashes = detector_hashes(bundles, job.recognisers, policy)
    if people is not None:
        read_lists()
        hashes |= detector_hashes_of_people(people.fuzzy)
    if job.link_notes:
        hashes |= detector_hashes_of_links()
    return OpenedJob(storage, job, planned, keys, policy, resources, hashes)


_lock = ForkSafeLock()
_opened: dict[Job, OpenedJob] = {}


def open_job_once(job: Job) -> OpenedJob:
    """Opens a frozen job once a process; arguments and errors are those of `open_job`."""
    with _lock:
        if job not in _opened:
            opened = open_job(Storage(root=job.output), job)
            _opened.clear()  # one job at a time: a plan may be large
            _opened[job] = opened
        return _opened[job]


def require_this_version(job: Job) -> None:
    """Refuses to go on with what another version planned; reading what it wrote is fine.

    Raises:
        UsageError: saying which version can finish it.
    """
    if job.code_version != CODE_VERSION:
        raise UsageError(
            f"the run was planned by version {job.code_version}, this is {CODE_VERSION}: finish it "
            "with that version, or give it up with `scrubline resume --output ... --discard` and "
            "scrub again"
        )


def open_keys(
    storage: Storage, job: Job, key_source: str | None = None, *, warn: bool = True
) -> Keys:
    """The keys that a run was planned with.

    Args:
        key_source: where the master key is now; None for where it was when the run was planned.
        warn: whether to warn if other users can read the key file.

    Raises:
        UsageError: if there is no master key, or it is another one.
    """
    source = key_source or job.key_source
    keys = load_keys(source, storage.read_bytes, made_with=job.key_check)
    if warn:
        warn_if_open(source)
    if keys.check != job.key_check:
        raise UsageError(
            f"wrong master key: its check value is {keys.check}, but the run was planned with "
            f"{job.key_check}. Give the key of the run, with --key-file if it is elsewhere now"
        )
    return keys


def require_key_of_run(pending: Job, given: Job) -> None:
    """Refuses to finish a run that was planned with another key than the one that is given.

    Raises:
        UsageError: saying what to do.
    """
    if pending.key_check != given.key_check:
        raise UsageError(
            f"the unfinished run {pending.run} was planned with another master key (check value "
            f"{pending.key_check}) than the one given ({given.key_check}): finish it with "
            "`scrubline resume --output ...`, or give it up with `scrubline resume --output ... "
            "--discard`"
        )


def open_policy(job: Job) -> Policy:
    """The policy that a run was planned with.

    Raises:
        UsageError: if it cannot be read, or is another one now.
    """
    policy = load_policy(job.policy)
    if policy.fingerprint != job.policy_hash:
        raise UsageError(f"the policy has changed since the run was planned: {_WAY_ON}")
    return policy


def open_bundles(job: Job) -> list[Bundle]:
    """The bundles that a run was planned with, each opened once a process.

    Raises:
        UsageError: if one cannot be opened, or is another one now.
    """
    bundles = [open_bundle(model) for model in job.models]
    for bundle, planned in zip(bundles, job.model_hashes, strict=True):
        if bundle.hash != planned:
            raise UsageError(
                f"the bundle {bundle.name} has changed since the run was planned: {_WAY_ON}"
            )
    return bundles


def open_people(storage: Storage, job: Job, keys: Keys) -> KnownPeople:
    """Whom a run was planned to know.

    Raises:
        UsageError: if the roster cannot be opened, is another one now or under another key, or
            people are found and asserted by other code now.
    """
    if people_code_hash() != job.roster_hash:
        raise UsageError(
            f"how people of a roster are found has changed since the run was planned: {_WAY_ON}"
        )
    if job.roster is None:
        return KnownPeople(fuzzy=job.roster_fuzzy)
    bundle = RosterBundle(job.roster, keys, storage)
    if bundle.manifest.generation != job.roster_generation:
        bundle.close()
        raise UsageError(
            f"roster: it is another one (generation {bundle.manifest.generation}) than the run was "
            f"planned with ({job.roster_generation}): {_WAY_ON}"
        )
    return KnownPeople.of(bundle, job.roster_fuzzy)


def open_view(storage: Storage, job: Job, policy: Policy) -> RecordView | None:
    """The view that a run was planned with; None where there is none.

    Raises:
        UsageError: if it cannot be read, or is another one now.
    """
    if job.view_release is None or not policy.puts_views:
        return None
    view = RecordView(storage, job.view_release, policy.restricted_zip3)
    if view.generation != job.view_generation:
        raise UsageError(f"the view was built again since the run was planned: {_WAY_ON}")
    return view


def levels_of_view(job: Job, policy: Policy) -> ViewLevels | None:
    """How what the action `view` has put somewhere was made; None where nothing was put."""
    levels = dict(job.view_levels)
    return ViewLevels(levels, policy.restricted_zip3) if levels else None


def _require_planned_rules(job: Job) -> None:
    """Raises UsageError if a rule is not the planned one."""
    for name, planned in zip(job.recognisers, job.recogniser_hashes, strict=True):
        if rule_hash(name) != planned:
            raise UsageError(f"the rule {name} has changed since the run was planned: {_WAY_ON}")


def detector_hashes(
    bundles: Iterable[Bundle], recognisers: Iterable[str], policy: Policy
) -> dict[str, str]:
    """Name -> hash of every detector that looks, as the audit names them."""
    hashes = {name: rule_hash(name) for name in recognisers}
    for bundle in bundles:
        hashes |= dict.fromkeys(detectors_of(bundle), bundle.hash)
    return hashes | policy.detector_hashes
