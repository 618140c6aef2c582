"""A run from plan to publication: what `scrub` and `resume` do.

    plan -> work -> gates -> publish

Each of the four gives a value to the next; `execute` is the chain. What they are made of is in
`preparation`, `runners/` and `outputs/`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..models.core.display_names import counted
from ..models.core.errors import InputChanged, RunFailed, UsageError
from ..models.jobs.job import CODE_VERSION, Job
from ..models.jobs.opening import open_policy, require_key_of_run
from ..models.jobs.plan import Plan
from ..models.redaction.policy import Policy
from ..models.storage.storage import Storage
from .monitoring.progress import Progress
from .observer import NULL_OBSERVER, Observers, RunObserver
from .options import Options
from .outputs.canary_gate import canaries_changed
from .outputs.catalogue import Catalogue
from .outputs.gates import check_gates, read_gate_results, write_gate_results
from .outputs.hold import hold, refuse_waiting
from .outputs.manifest import published_manifest, read_manifest
from .outputs.note_links import due_units, stale_units
from .outputs.output_page import write_page_or_warn
from .outputs.pending import (
    came_to_nothing,
    choose_pending,
    discard_run,
    failing_if_removed,
    freeze_alone,
    give_up,
    load_run,
    require_none_pending,
    take_over,
)
from .outputs.planning import PlannedRun, read_job
from .outputs.published_seal import check_standing
from .outputs.publishing import promote
from .outputs.risk_gate import RiskDemand, check_risk, demand_of, read_trusted
from .outputs.sealing import inherit
from .outputs.skip_list import record_skipped
from .outputs.state import (
    MANIFEST,
    PAGE,
    Stage,
    clear_leftovers,
    clear_staging,
    exposed,
    is_output,
    lock_file,
    pending_runs,
    require_no_links,
    stage_of,
)
from .preparation import NewJob, absolute_key_source, absolute_place, prepare_job, prepare_run
from .work import Session, Worked, run_report, work

_log = logging.getLogger(__name__)

NOTHING = "nothing_to_do"


# -- what users call


def prepare(storage: Storage, options: Options) -> PlannedRun:
    """Turns options into a job and its plan; nothing is written.

    Raises:
        UsageError: for anything that cannot or must not be done.
    """
    return prepare_run(storage, options, prepare_job(storage, options))


def plan_and_freeze(storage: Storage, options: Options) -> tuple[Job, Plan]:
    """Plans and freezes: the whole of `scrubline plan`.

    Raises:
        UsageError: see `prepare`; and if the output has another unfinished run, or is locked.
    """
    options = dataclasses.replace(options, finish_pending=False)  # it runs nothing
    with _planned(storage, options, NULL_OBSERVER) as (_, run):
        if run.plan.is_nothing:
            require_none_pending(storage, run.job)
        else:
            run = freeze_alone(storage, run)
        return run.job, run.plan


def scrub(
    storage: Storage, options: Options, observer: RunObserver = NULL_OBSERVER
) -> dict[str, Any]:
    """Plans, freezes, runs and publishes; the whole of `scrubline scrub`.

    Returns:
        The manifest. Where nothing was to be done, that which is published, with `NOTHING` added:
        the counts of the inputs of an incremental run, or {} where this very run is published.
        Nothing is published then.
    """
    with _planned(storage, options, observer) as (session, run):
        if run.plan.is_nothing and run.plan.increment is not None:
            manifest = _nothing_to_do(session, run, run.plan.increment.counts)
        else:
            manifest = _continue(session, freeze_alone(storage, run))
        job = run.job
    if not job.rewrites_stale:
        return manifest
    return _rewrite(storage, options, job, observer) or manifest


def _rewrite(
    storage: Storage, options: Options, job: Job, observer: RunObserver
) -> dict[str, Any] | None:
    """Writes anew the published notes that this run has made stale; None if there are none.

    Facts are a function of all evidence, which this does not change: it makes no others stale.
    """
    stale = due_units(storage, job, Catalogue.read(storage, job.output))
    if not stale.names:
        return None
    inputs = tuple(url for url in stale.inputs if storage.exists(url))
    if not inputs:
        _log.warning(
            "of %s newer notes say more, but the inputs are gone",
            counted(len(stale.names), "published unit"),
        )
        return None
    _log.warning(
        "this run is published; a second one writes %s anew, for newer notes of the same patients "
        "say more of them",
        counted(len(stale.names), "published unit"),
    )
    again = dataclasses.replace(
        options,
        inputs=inputs,
        incremental=True,
        retry_quarantined=False,
        drop_gone=False,
    )
    with _planned(storage, again, observer) as (session, run):
        if run.plan.is_nothing:  # each shares its unit with an input that is gone
            return None
        return _continue(session, freeze_alone(storage, run))


def resume(
    storage: Storage,
    options: Options,
    run: str | None = None,
    *,
    key_source: str | None = None,
    discard: bool = False,
    skip: Sequence[tuple[int, int]] = (),
    observer: RunObserver = NULL_OBSERVER,
) -> dict[str, Any]:
    """Goes on with a frozen run; of the options only how to run counts, never what.

    Args:
        key_source: where the master key is now, if not where it was when the run was planned.
        skip: unit and ordinal of rows that are to be quarantined unread, as `Skipped`.

    Raises:
        UsageError: if there is nothing to resume or it is not clear what.
    """
    output = absolute_place(options.output.rstrip("/"))
    if not is_output(storage, output):
        raise UsageError("there is no unfinished run in this output")
    require_no_links(storage, output)
    with storage.locked(lock_file(output)) as require_lock:
        observer.locked()
        run = choose_pending(storage, output, run)
        if discard:
            discard_run(storage, output, run)
            return {}
        if stage_of(storage, output, run) is Stage.PLANNING:
            raise UsageError(
                "the run was stopped before its plan was frozen: start it again with "
                "`scrubline scrub`, or remove it with `scrubline resume --output ... --discard`"
            )
        loaded = load_run(storage, output, run, key_source and absolute_key_source(key_source))
        if skip:
            record_skipped(storage, loaded.job, loaded.plan, skip)
        manifest = _continue(Session(storage, options, observer, require_lock), loaded)
    if loaded.job.link_notes:
        _tell_stale(storage, loaded.job.output)
    return manifest


def _tell_stale(storage: Storage, output: str) -> None:
    """Warns of published notes that a resumed run has made stale: it rewrites none itself."""
    if units := stale_units(storage, output, Catalogue.read(storage, output)).names:
        _log.warning(
            "stale: %s, for newer notes say more of them: write them anew with "
            "`scrubline scrub --link-notes --incremental`, over all inputs of this output",
            counted(len(units), "published unit"),
        )


# -- plan


@contextlib.contextmanager
def _planned(
    storage: Storage, options: Options, observer: RunObserver
) -> Iterator[tuple[Session, PlannedRun]]:
    """Locks the output and plans, so that no other process publishes between the two.

    Where nothing was ever published or begun, the lock comes second: it is the first thing that is
    written, and what is refused leaves no trace.
    """
    new, run = prepare_job(storage, options), None
    if not storage.exists(f"{new.job.output}/restricted"):
        observer.locked()
        run = prepare_run(storage, options, new)
    with storage.locked(lock_file(new.job.output)) as require_lock:
        observer.locked()
        session = Session(storage, options, observer, require_lock)
        if options.finish_pending:
            _finish_pending(session, new)
        if run is None or storage.exists(f"{new.job.output}/{MANIFEST}"):
            run = prepare_run(storage, options, new)
        yield session, run


def _nothing_to_do(session: Session, run: PlannedRun, counts: Mapping[str, int]) -> dict[str, Any]:
    """Checks what is published where an incremental run finds nothing; see `scrub`."""
    storage, output = session.storage, run.job.output
    require_none_pending(storage, run.job)
    clear_leftovers(storage, output)
    there = storage.exists(f"{output}/{MANIFEST}")
    _check_standing(session, run)
    manifest = read_manifest(storage, output) if there else {}
    session.observer.nothing_to_do(counts)
    return manifest | {NOTHING: dict(counts)}


def _check_standing(session: Session, run: PlannedRun) -> None:
    check_standing(
        session.storage,
        run.job.output,
        run.keys,
        reseal=session.options.reseal,
        require_lock=session.require_lock,
    )


def _continue(session: Session, run: PlannedRun) -> dict[str, Any]:
    """Runs what is left of a frozen run and publishes it; see `execute`."""
    session.observer.frozen(session.storage, run.job, run.plan)
    options = dataclasses.replace(session.options, output=run.job.output)
    with failing_if_removed(session.storage, run.job):
        return execute(dataclasses.replace(session, options=options), run)


def execute(session: Session, run: PlannedRun) -> dict[str, Any]:
    """Works on what is left of a frozen run, passes its gates and publishes it.

    Returns:
        The manifest; of a run that is published already, with `NOTHING` added.

    Raises:
        RunFailed: resumable.
        GateFailed: all is done but must not be published.
        RunOnHold: all is done, and it was asked to wait.
    """
    storage, job = session.storage, run.job
    if (manifest := published_manifest(storage, job)) is not None:
        _log.info("run %s is published already", job.run)
        _check_standing(session, run)
        if not storage.exists(f"{job.output}/{PAGE}"):  # it was stopped before the page was made
            write_page_or_warn(storage, job.output, manifest, session.require_lock)
        clear_staging(storage, job.output, job.run)
        manifest |= {NOTHING: {}}
        session.observer.published(manifest)
        return manifest
    storage = dataclasses.replace(storage, root=job.output)  # messages may name what lies there
    _check_before_work(storage, session.options, run)
    require_owner = take_over(storage, job)
    with Progress(run.plan, show=session.options.progress) as progress:
        observer = Observers(session.observer, progress)
        session = dataclasses.replace(session, storage=storage, observer=observer)
        worked = work(session, run)
        passed = pass_gates(session, run, worked)
        require_owner()
        session.require_lock()
        if not worked.is_publishing:
            hold(storage, job, asked=session.options.hold)
            passed = pass_risk(session, run, worked, passed)
        manifest = publish(session, run, worked, passed)
    session.observer.published(manifest)
    return manifest


def _check_before_work(storage: Storage, options: Options, run: PlannedRun) -> None:
    """Looks for what would end the run only after hours of work."""
    try:
        tempfile.gettempdir()  # in which Beam keeps files of its own, without any text
    except OSError:
        raise RunFailed(
            "there is no folder for temporary files: set TMPDIR to one that can be written"
        ) from None
    if warning := exposed(run.job.output):
        _log.warning("%s", warning)
    if stage_of(storage, run.job.output, run.job.run) is not Stage.PUBLISHING:
        read_trusted(storage, _demand(options, run.job))
        after = Catalogue.read(storage, run.job.output)
        stay = after.units.keys() - after.superseded_by(run.plan.inputs)
        runs = sorted({after.units[name].run for name in stay} - {run.job.run})
        inherit(storage, run.job.output, run.keys, runs, reseal=options.reseal)


# -- gates


def pass_gates(session: Session, run: PlannedRun, worked: Worked) -> dict[str, Any]:
    """Checks what a finished run has staged and counted; see `outputs.gates`.

    Returns:
        What the report of the manifest says of it; of an interrupted publication, what it said when
        its gates were passed.

    Raises:
        GateFailed: if something is not as it must be.
    """
    storage, job, options = session.storage, run.job, session.options
    if worked.is_publishing:
        return read_gate_results(storage, job)
    passed = check_gates(
        storage,
        job,
        run.plan,
        worked.receipts,
        worked.tally,
        max_quarantined=options.max_quarantined,
        max_gone=options.max_gone,
        max_lost=options.max_lost,
        max_guard=options.max_guard,
        min_roster_share=options.min_roster_share,
        stale_notes=options.stale_notes,
    )
    session.observer.checked()
    return passed


def pass_risk(
    session: Session, run: PlannedRun, worked: Worked, passed: Mapping[str, Any]
) -> dict[str, Any]:
    """Checks what a certificate states of a run that has waited; see `outputs.risk_gate`.

    Returns:
        What the gates found, with that.

    Raises:
        GateFailed: if not as little leaks as is asked for, or that is not known.
    """
    storage, job = session.storage, run.job
    demand = _demand(session.options, job)
    told = {**passed, **check_risk(storage, job, worked.receipts, demand)}
    session.require_lock()
    write_gate_results(storage, job, told)
    return told


def _demand(options: Options, job: Job) -> RiskDemand:
    return demand_of(
        job, options.max_risk, options.certificate, options.trusted_keys, options.max_age
    )


# -- publish


def publish(
    session: Session, run: PlannedRun, worked: Worked, passed: Mapping[str, Any]
) -> dict[str, Any]:
    """Publishes a run whose gates are passed; returns the manifest.

    Raises:
        GateFailed: if what is published does not match its seal; nothing was moved then.
    """
    session.observer.publishing(sum(len(receipt.parts) for receipt in worked.receipts.values()))
    return promote(
        session.storage,
        run.job,
        run.plan,
        worked.receipts,
        _policy_of(run),
        run.keys,
        report=run_report(session, run, worked, passed),
        reseal=session.options.reseal,
        on_moved=session.observer.part_moved,
        require_lock=session.require_lock,
    )


def _policy_of(run: PlannedRun) -> Policy | None:
    """What the manifest describes of the policy; None where only its hash can be named.

    Raises:
        UsageError: if the policy has changed since the run was planned.
    """
    if run.policy is not None:
        return run.policy
    try:
        return open_policy(run.job)
    except UsageError:
        if run.job.code_version == CODE_VERSION:
            raise
    # An interrupted publication is finished after an upgrade too, and that may bring other
    # policies of the same names.
    _log.warning(
        "the policy of run %s cannot be loaded: the manifest gives only its hash", run.job.run
    )
    return None


# -- what an earlier run left


def _finish_pending(session: Session, new: NewJob) -> None:
    """Finishes the unfinished runs of the output as they were planned, or gives them up.

    It gives up those that can never be finished, because their plan is incomplete, or their inputs
    or canaries have changed; but never one that is being published, whose inputs are all read.

    Raises:
        RunOnHold: if a run waits: a person has to look at it.
    """
    storage, output = session.storage, new.job.output
    pending = pending_runs(storage, output)
    for run in pending:
        refuse_waiting(storage, output, run)
    # Limits that the run to come is given were not given to these.
    how = dataclasses.replace(
        session.options,
        hold=False,
        max_quarantined=None,
        max_gone=None,
        max_lost=None,
        max_guard=None,
        min_roster_share=None,
        stale_notes=None,
        max_risk=None,
        certificate=None,
        trusted_keys=None,
        max_age=None,
    )
    for run in pending:
        stage = stage_of(storage, output, run)
        if stage is Stage.UNFINISHED and canaries_changed(storage, read_job(storage, output, run)):
            if prepare_run(storage, session.options, new).job.run == run:
                continue  # the very run that is asked for: it goes on, with the canaries of now
            _log.warning("giving up run %s: its canaries have changed", run)
        elif (
            stage is Stage.UNFINISHED
            and came_to_nothing(storage, output, run)
            and prepare_run(storage, session.options, new).job.run != run
        ):
            continue  # it gives way to the run that is asked for: see `make_way`
        elif stage is not Stage.PLANNING:
            require_key_of_run(read_job(storage, output, run), new.job)
            try:
                _continue(dataclasses.replace(session, options=how), load_run(storage, output, run))
                continue
            except InputChanged as error:
                if stage_of(storage, output, run) is Stage.PUBLISHING:
                    raise
                _log.warning("giving up the unfinished run %s: %s", run, error)
        give_up(storage, output, run)
    if pending:
        session.observer.planning()
