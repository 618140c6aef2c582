"""A run from plan to promotion: what `scrub` and `resume` do."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import logging
import os
import re
import tempfile
import time
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from ..models.actions import GENERALISE, REDACT, REMOVALS
from ..models.bundles import open_bundle
from ..models.errors import GateHeld, InputChanged, RunFailed, UsageError
from ..models.formats import Format, open_format
from ..models.grouping import GroupLines
from ..models.job import Job
from ..models.keys import Keys, load_keys, warn_if_open
from ..models.places import any_inside, is_inside, local_path
from ..models.policy import Policy, load_policy
from ..models.recognisers import rule_hash
from ..models.results import COUNTS
from ..models.rework import Rework
from ..models.roles import TEXT_FILES
from ..models.shipped import names_a_file
from ..models.storage import Storage
from ..models.systems import rules_named
from ..models.units import Plan
from .catalogue import Catalogue, parts_there
from .changes import choose_inputs
from .config import DEFAULT_MAX_GONE, DEFAULT_MAX_QUARANTINED, Options
from .engines import beam_options, check_places, check_runner
from .gates import canaries_changed, check_parts, check_written, hash_canaries, told_before
from .holding import hold, refuse_waiting
from .inspection import read_manifest
from .metrics import add_metrics
from .originals import check_value, keys_of
from .other_jobs import require_same_job
from .plan import check_types, freeze, look_at, make_plan, read_job, roles_for
from .predictions import against_outcome, outcome
from .progress import Progress
from .pruning import published_runs
from .publish import (
    check_gates,
    promote,
    read_receipts,
    reconcile,
    unfinished,
)
from .repeated import count_numbered, number_repeated_ids
from .sealing import JOB, inherit, put_aside, put_back, require_planned
from .skipping import record_skipped, told_skipped
from .standing import check_standing
from .state import (
    MANIFEST,
    Stage,
    clear_leftovers,
    clear_staging,
    exposed,
    is_output,
    is_published,
    lock_file,
    owner_file,
    pending_runs,
    require_no_links,
    require_none_above,
    stage_of,
)
from .supervisor import Supervisor
from .watching import NOBODY, Watch

_log = logging.getLogger(__name__)

NOTHING = "nothing_to_do"

ENGINE_PATIENCE = 4
"""Watchdogs' times that a job on an engine may go on without a unit done: units are all that is
seen of it, and one is many batches."""


def prepare(storage: Storage, options: Options) -> tuple[Job, Plan]:
    """Turns options into a job and its plan; nothing is written.

    Raises:
        UsageError: for anything that cannot or must not be done.
    """
    return _plan(storage, options, _job(storage, options))


def _job(storage: Storage, options: Options) -> Job:
    """The job as far as options alone decide it; neither input nor output is looked at.

    Raises:
        UsageError: see `prepare`.
    """
    runner = check_runner(options.runner)
    _beam_options(runner, options)  # what is missing is said before anything is read
    output = _absolute(options.output.rstrip("/"))
    # Places are frozen as they are found here: a run may be resumed from another folder.
    key_source, policy_place = _absolute_key(options.key_source), options.policy
    if names_a_file(policy_place):
        policy_place = _absolute(policy_place)
    models = tuple(_absolute(model) if "/" in model else model for model in options.models)
    canaries = _absolute(options.canaries) if options.canaries else None
    canaries_hash = hash_canaries(storage, canaries) if canaries else ""
    keys = _keys(storage, output, key_source)
    warn_if_open(key_source)
    policy = load_policy(policy_place)
    bundles = [open_bundle(model) for model in models]
    rules = rules_named(options.recognisers, bundles)
    if not bundles and not rules:
        raise UsageError("there is neither a model nor a recogniser: nothing would be found")
    if len({bundle.name for bundle in bundles}) < len(bundles):
        raise UsageError("two models have one name: the audit could not tell them apart")
    for url in options.inputs:
        if is_inside(url, output) or is_inside(output, url):
            raise UsageError(
                "input and output lie inside each other: give the output a place of its own"
            )
    _check_folder(output)
    require_none_above(storage, output)
    require_no_links(storage, output)
    return Job(
        run="",
        output=output,
        columns=options.columns or TEXT_FILES,
        models=models,
        model_hashes=tuple(bundle.hash for bundle in bundles),
        recognisers=rules,
        recogniser_hashes=tuple(rule_hash(name) for name in rules),
        policy=policy_place,
        policy_hash=policy.fingerprint,
        key_source=key_source,
        key_check=keys.check,
        batch_documents=options.batch_documents,
        batch_bytes=options.batch_bytes,
        split_bytes=options.split_bytes,
        budgets=options.budgets,
        format=options.format,
        settings=options.settings,
        group_lines=GroupLines.parse(options.group_lines) if options.group_lines else None,
        keep_candidates=options.keep_candidates,
        max_quarantined=(
            DEFAULT_MAX_QUARANTINED if options.max_quarantined is None else options.max_quarantined
        ),
        hold=options.hold,
        max_gone=DEFAULT_MAX_GONE if options.max_gone is None else options.max_gone,
        max_lost=options.max_lost,
        canaries=canaries,
        canaries_hash=canaries_hash,
    )


def _absolute_key(key_source: str) -> str:
    return key_source if key_source.startswith("env:") else _absolute(key_source)


def _keys(storage: Storage, output: str, key_source: str) -> Keys:
    """The master key for a job.

    Raises:
        UsageError: if there is none; what to do depends on whether something is published.
    """
    try:
        return load_keys(key_source, storage.read_bytes)
    except UsageError:
        if not is_published(storage, output):
            raise
    made_with = check_value(read_manifest(storage, output))
    return load_keys(key_source, storage.read_bytes, made_with=made_with)


def _plan(storage: Storage, options: Options, job: Job) -> tuple[Job, Plan]:
    """Looks at the inputs and at what the output holds of them.

    Raises:
        UsageError: see `prepare`.
    """
    catalogue = Catalogue.read(storage, job.output)
    if options.drop_gone and not options.incremental:
        raise UsageError("--drop-gone goes with --incremental: it drops what that finds gone")
    chosen = None
    if options.incremental or options.retry_quarantined:
        chosen = choose_inputs(storage, options, job, catalogue)
        seen = chosen.seen
    else:
        seen = look_at(storage, options.inputs, options.format, options.settings)
    if any_inside((file.url for file in seen.files), job.output):
        raise UsageError("some of the input files lie inside the output")
    columns = chosen.columns if chosen else roles_for(seen, options.columns)
    check_types(storage, seen, columns)
    if job.group_lines is not None and seen.files:
        forms = [open_format(name, options.settings) for name in dict.fromkeys(seen.formats)]
        job.group_lines.check(
            columns, forms, {key for file in seen.files for key, _ in file.partition}
        )
    policy, bundles = load_policy(job.policy), [open_bundle(model) for model in job.models]
    labels = {label for bundle in bundles for label in bundle.labels}
    for name in dict.fromkeys(seen.formats):
        check_replacements(policy, labels, open_format(name, options.settings))
    job = dataclasses.replace(job, columns=columns)
    _check_places(check_runner(options.runner), job, options.inputs)
    if chosen:
        job, plan = make_plan(storage, seen, job, chosen.night, chosen.identity)
    else:
        job, plan = make_plan(storage, seen, job)
    replaced = catalogue.superseded_by(plan.inputs)
    if plan.units:
        held = {url for entry in catalogue.units.values() for url in entry.inputs}
        require_same_job(
            storage,
            catalogue,
            job,
            seen.formats,
            replaced,
            known=storage.meant(options.inputs, held) if chosen else (),
            allowed=options.allow_different_job,
        )
    if not plan.is_nothing:
        _require_documents(storage, catalogue, job.output, replaced)
    return job, plan


def _require_documents(
    storage: Storage, catalogue: Catalogue, output: str, replaced: Collection[str]
) -> None:
    """Refuses a run beside units whose documents are lost: at its end no id could be numbered."""
    there = {f"documents/{name}" for name in storage.list_sizes(f"{output}/documents")}
    lost = [
        name
        for name, entry in catalogue.units.items()
        if name not in replaced
        and any(p.table == "documents" and p.path not in there for p in entry.receipt.parts)
    ]
    if lost:
        raise UsageError(
            f"the documents table of this output lacks the parts of {len(lost)} units that this "
            "run does not replace: read their inputs again too (--incremental takes them), put the "
            "parts back, or drop what is gone (--incremental --drop-gone)"
        )


_GENERAL = "90+"
"""Of what `models.generalising` gives, all that is not a digit."""


def check_replacements(policy: Policy, labels: Iterable[str], form: Format) -> None:
    """Refuses a policy whose replacements a format cannot hold in its encoding and dialect.

    It would stop the run at the first document that needs one, and every time it is resumed.

    Args:
        labels: what models give beside the labels of the policy.

    Raises:
        UsageError: naming the label, the format and what to change.
    """
    for one in (policy, *policy.note_types.values()):
        for label in dict.fromkeys((*policy.known_labels, *sorted(labels))):
            action = one.action(label)
            general = [_GENERAL] if action == GENERALISE else []
            # What is kept, or not understood, is redacted where it must go all the same.
            blind = action if action in REMOVALS else REDACT
            try:
                form.encode_text([one.replacement_of(blind, label, 1), *general], pa.string())
            except UsageError as error:
                raise UsageError(
                    f"policy: the format {form.name} cannot hold what replaces {label} "
                    f"({error}); or choose another text for it in [texts]"
                ) from None


def _absolute(place: str) -> str:
    """A local path made absolute; URLs stay.

    Raises:
        UsageError: if it is a URL of no place: what a variable was for is missing.
    """
    if re.fullmatch("[A-Za-z][A-Za-z0-9+.-]*:/*", place):
        raise UsageError("a URL names no bucket and no folder: is a variable in it empty?")
    return place if "://" in place else local_path(place) or place


def _check_folder(output: str) -> None:
    """Refuses an output that is a file, or would lie in one."""
    place = local_path(output)
    if place is None:
        return
    if os.path.islink(place) and not os.path.exists(place):
        raise UsageError("the output cannot be written: it is a link that leads nowhere")
    while not os.path.exists(place):
        place = os.path.dirname(place)
    if not os.path.isdir(place):
        raise UsageError("the output cannot be written: there is a file where it should be")


def _check_temporary() -> None:
    """Looks for the folder in which Beam keeps files of its own, without any text."""
    try:
        tempfile.gettempdir()
    except OSError:
        raise RunFailed(
            "there is no folder for temporary files: set TMPDIR to one that can be written"
        ) from None


def published(storage: Storage, job: Job) -> dict[str, Any] | None:
    """The manifest, if this very run is what the output holds."""
    if not is_published(storage, job.output):
        return None
    manifest = read_manifest(storage, job.output)
    if manifest["run"] != job.run:
        return None
    there = parts_there(storage, job.output)
    if any(part["path"] not in there for part in manifest["parts"]):
        _log.warning("parts of the published output are gone: the run is done again")
        return None
    return manifest


def execute(
    storage: Storage,
    job: Job,
    plan: Plan,
    options: Options,
    watch: Watch = NOBODY,
    still_ours: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """Runs what is left of a frozen run and publishes it; returns the manifest.

    Of a run that is published already, the manifest has `NOTHING` added.

    Args:
        still_ours: raises RunFailed if the lock of the output was lost; asked before publication.

    Raises:
        RunFailed: resumable.
        GateHeld: all is done but must not be published.
        RunHeld: all is done, and it was asked to wait.
    """
    keys = keys_of(storage, job)  # also of what is done already: it seals what is published
    if (manifest := published(storage, job)) is not None:
        _log.info("run %s is published already", job.run)
        check_standing(storage, job.output, keys, reseal=options.reseal, still_ours=still_ours)
        clear_staging(storage, job.output, job.run)
        manifest |= {NOTHING: {}}
        watch.published(manifest)
        return manifest
    _check_temporary()
    if warning := exposed(job.output):
        _log.warning("%s", warning)
    storage = dataclasses.replace(storage, root=job.output)  # messages may name what lies there
    if stage_of(storage, job.output, job.run) is not Stage.PUBLISHING:
        # What a publication would be held for is said before the work, too.
        after = Catalogue.read(storage, job.output)
        stay = after.units.keys() - after.superseded_by(plan.inputs)
        runs = sorted({after.units[name].run for name in stay} - {job.run})
        inherit(storage, job.output, keys, runs, reseal=options.reseal)
    owner = uuid.uuid4().hex.encode()
    storage.write_bytes(owner_file(job), owner)
    began = time.monotonic()
    started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    metrics: dict[str, dict[str, int]] = {}
    numbered = 0
    passed: dict[str, Any] = {}
    whole = True
    worked: set[int] = set()
    with Progress(plan, show=options.progress, watch=watch) as progress:
        while True:
            left = unfinished(storage, job, plan)
            worked.update(left)
            whole = whole and (numbered > 0 or len(left) == len(plan.units))
            progress.left(left)
            if left:
                _run_units(storage, job, plan, left, options, progress, metrics)
            receipts = read_receipts(storage, job, plan)
            tally = reconcile(plan, receipts)
            watch.tallied(tally, receipts)
            begun = stage_of(storage, job.output, job.run) is Stage.PUBLISHING
            if begun:
                # Its gates were passed, and some parts are no longer under staging.
                passed = told_before(storage, job)
                break
            check_parts(storage, job, receipts)
            watch.checked()
            numbered = number_repeated_ids(storage, job, plan, receipts)
            watch.checked()
            if not numbered:
                limit = options.max_quarantined
                check_gates(tally, job.max_quarantined if limit is None else limit, job.output)
                passed = check_written(
                    storage,
                    job,
                    plan,
                    receipts,
                    max_quarantined=options.max_quarantined,
                    max_gone=options.max_gone,
                    max_lost=options.max_lost,
                )
                watch.checked()
                break
            _log.warning(
                "%d rows repeat an id: they are numbered, and their units run again", numbered
            )
        policy = job.planned_policy()
        if storage.read_bytes(owner_file(job)) != owner:
            raise RunFailed("another process has taken this run over")
        still_ours()
        if not begun:
            hold(storage, job, asked=options.hold)
        seconds = time.monotonic() - began
        report = {
            "started": started,
            "seconds": round(seconds, 2),
            "units": len(plan.units),
            "inputs": len(plan.files),
            "counts": {name: tally.counts[name] for name in COUNTS},
            "rows_worked_on": sum(receipts[n].tally.counts["rows_in"] for n in worked),
            **({"incremental": dict(plan.night.counts)} if plan.night else {}),
            "repeated_ids": count_numbered(storage, job),
            **told_skipped(storage, job, receipts),
            **passed,
            "runner": options.runner,
            "workers": options.workers,
            "metrics": metrics,
        }
        came = outcome(
            tally,
            receipts,
            metrics,
            workers=options.workers,
            seconds=seconds,
            whole=whole,
        )
        if (prediction := against_outcome(storage, job, came)) is not None:
            report["prediction"] = prediction
        progress.promoting(sum(len(receipt.parts) for receipt in receipts.values()))
        manifest = promote(
            storage,
            job,
            plan,
            receipts,
            policy,
            keys,
            report=report,
            reseal=options.reseal,
            on_moved=progress.moved,
            still_ours=still_ours,
        )
    watch.published(manifest)
    return manifest


def _run_units(
    storage: Storage,
    job: Job,
    plan: Plan,
    left: Sequence[int],
    options: Options,
    progress: Progress,
    metrics: dict[str, dict[str, int]],
) -> None:
    def done(units: Sequence[int], more: Mapping[str, Mapping[str, int]]) -> None:
        add_metrics(metrics, {step: dict(values) for step, values in more.items()})
        progress.done(units, metrics)

    def run_here(units: Sequence[int]) -> None:
        Supervisor(
            storage,
            job,
            plan,
            workers=max(1, options.workers),
            watchdog_seconds=options.watchdog_seconds,
            log_level=options.log_level,
            log_format=options.log_format,
            on_rows=progress.rows,
            on_done=done,
            on_retry=progress.retried,
        ).run(units)

    runner = check_runner(options.runner)
    beam = _beam_options(runner, options)
    if beam is not None:
        _check_places(runner, job, [file.url for file in plan.files])
        from .engine_jobs import run_jobs

        run_jobs(
            storage,
            job,
            plan,
            left,
            beam,
            run_here,
            patience_seconds=ENGINE_PATIENCE * options.watchdog_seconds,
            on_done=done,
            on_retry=progress.retried,
        )
    elif options.workers > 0:
        run_here(left)
    else:
        from . import execute as engine
        from .in_process import run_in_process

        for first in range(0, len(left), engine.GROUP_UNITS):
            group = left[first : first + engine.GROUP_UNITS]
            done(group, run_in_process(storage, job, plan, group, progress))
    if still := unfinished(storage, job, plan):
        raise RunFailed(
            f"{len(still)} of {len(plan.units)} units have no receipt though the runner ended"
        )


def _beam_options(runner: str, options: Options) -> tuple[str, ...] | None:
    """All of Beam's options for an engine; None for the direct runner.

    Raises:
        UsageError: if something is missing or does not go together.
    """
    if runner == "direct":
        return None
    if options.workers:
        raise UsageError("workers are children of the direct runner: an engine has its own")
    return beam_options(runner, options.beam)


def _check_places(runner: str, job: Job, inputs: Iterable[str]) -> None:
    named = [place for place in (job.policy, *job.models) if "/" in place]
    check_places(runner, [*inputs, job.output, *named], job.key_source)


def plan_and_freeze(storage: Storage, options: Options) -> tuple[Job, Plan]:
    """Plans and freezes: the whole of `scrubline plan`.

    Raises:
        UsageError: see `prepare`; and if the output has another unfinished run, or is locked.
    """
    options = dataclasses.replace(options, finish_pending=False)  # it runs nothing
    with _planned(storage, options, NOBODY) as (job, plan, _):
        if plan.is_nothing:
            _require_none_pending(storage, job)
        else:
            job = _freeze_alone(storage, job, plan)
        return job, plan


@contextlib.contextmanager
def _planned(
    storage: Storage, options: Options, watch: Watch
) -> Iterator[tuple[Job, Plan, Callable[[], None]]]:
    """Locks the output and plans, so that nobody publishes between the two.

    Where nothing was ever published or begun, the lock comes second: it is the first thing that is
    written, and what is refused leaves no trace.

    Yields:
        Job and plan, and what raises RunFailed if the lock was lost meanwhile.
    """
    job, planned = _job(storage, options), None
    if not storage.exists(f"{job.output}/restricted"):
        watch.alone()
        planned = _plan(storage, options, job)
    with storage.locked(lock_file(job.output)) as still_ours:
        watch.alone()
        if options.finish_pending:
            _finish_pending(storage, options, job, watch, still_ours)
        if planned is None or storage.exists(f"{job.output}/{MANIFEST}"):
            planned = _plan(storage, options, job)
        yield *planned, still_ours


def _freeze_alone(storage: Storage, job: Job, plan: Plan) -> Job:
    """Freezes a run, if it is not published already and no other one is unfinished.

    Returns:
        The job as frozen: a run that was once planned to wait is to wait.

    Raises:
        UsageError: if another run is unfinished.
        RunHeld: if this very run waits, and is not asked to wait on.
    """
    if published(storage, job) is not None:
        return job
    is_new = job.run not in pending_runs(storage, job.output)
    if not is_new and stage_of(storage, job.output, job.run) is not Stage.PLANNING:
        if not job.hold:
            refuse_waiting(storage, job.output, job.run)
        planned = read_job(storage, job.output, job.run)
        job = dataclasses.replace(job, hold=job.hold or planned.hold)
    if is_new and job.run in published_runs(storage, job.output):
        put_aside(storage, job.output, job.run)
    # Ours is shown before others are looked for: of two that begin at once, none goes on.
    storage.write_bytes(owner_file(job), b"")
    try:
        _require_none_pending(storage, job)
    except UsageError:
        if is_new:
            clear_staging(storage, job.output, job.run)
        raise
    if is_new and (learnt := Rework.read(storage, job.restricted)).units:
        # This very work was done before: what it learnt then is put aside, and learnt anew.
        learnt.write(storage, job.staging)
        Rework().write(storage, job.restricted)
    freeze(storage, job, plan, keys_of(storage, job))
    return job


def _require_none_pending(storage: Storage, job: Job) -> None:
    """Refuses to go on while another run of the output is unfinished."""
    if others := [run for run in pending_runs(storage, job.output) if run != job.run]:
        raise UsageError(
            f"this output has an unfinished run {others[0]} with other inputs or settings: "
            "finish it with `scrubline resume --output ...`, or give it up with "
            "`scrubline resume --output ... --discard`"
        )


def scrub(storage: Storage, options: Options, watch: Watch = NOBODY) -> dict[str, Any]:
    """Plans, freezes, runs and publishes; the whole of `scrubline scrub`.

    Returns:
        The manifest. Where nothing was to be done, that which is published, with `NOTHING` added:
        the counts of the inputs of an incremental run, or {} where this very run is published.
        Nothing is published then.
    """
    with _planned(storage, options, watch) as (job, plan, still_ours):
        if plan.is_nothing and plan.night is not None:
            _require_none_pending(storage, job)
            clear_leftovers(storage, job.output)
            there = storage.exists(f"{job.output}/{MANIFEST}")
            keys = keys_of(storage, job)
            check_standing(storage, job.output, keys, reseal=options.reseal, still_ours=still_ours)
            manifest = read_manifest(storage, job.output) if there else {}
            watch.idle(plan.night.counts)
            return manifest | {NOTHING: dict(plan.night.counts)}
        job = _freeze_alone(storage, job, plan)
        watch.frozen(storage, job, plan)
        with _still_there(storage, job):
            return execute(storage, job, plan, options, watch, still_ours)


def resume(
    storage: Storage,
    options: Options,
    run: str | None = None,
    *,
    key_source: str | None = None,
    discard: bool = False,
    skip: Sequence[tuple[int, int]] = (),
    watch: Watch = NOBODY,
) -> dict[str, Any]:
    """Goes on with a frozen run; of the options only how to run counts, never what.

    Args:
        key_source: where the master key is now, if not where it was when the run was planned.
        skip: unit and ordinal of rows that are to be quarantined unread, as `Skipped`.

    Raises:
        UsageError: if there is nothing to resume or it is not clear what.
    """
    output = _absolute(options.output.rstrip("/"))
    if not is_output(storage, output):
        raise UsageError("there is no unfinished run in this output")
    require_no_links(storage, output)
    with storage.locked(lock_file(output)) as still_ours:
        watch.alone()
        run = _run_to_resume(storage, output, run)
        if discard:
            _discard(storage, output, run)
            return {}
        if stage_of(storage, output, run) is Stage.PLANNING:
            raise UsageError(
                "the run was stopped before its plan was frozen: start it again with "
                "`scrubline scrub`, or remove it with `scrubline resume --discard`"
            )
        job, plan = _thawed(storage, output, run, key_source)
        if skip:
            record_skipped(storage, job, plan, skip)
        return _go_on(storage, options, job, plan, watch, still_ours)


def _run_to_resume(storage: Storage, output: str, run: str | None) -> str:
    """The unfinished run that is meant.

    Raises:
        UsageError: if there is none, or it is not clear which.
    """
    pending = pending_runs(storage, output)
    if run is None:
        if not pending:
            clear_leftovers(storage, output)  # for a run that was published and failed in that
            # It may be last night's run that is published: nothing of tonight is told by that.
            there = is_published(storage, output)
            held = f": run {read_manifest(storage, output)['run']} is published" if there else ""
            raise UsageError(f"there is no unfinished run in this output{held}")
        if len(pending) > 1:
            raise UsageError(f"there are several unfinished runs, say which with --run: {pending}")
        run = pending[0]
    if run not in pending:
        raise UsageError(f"there is no such unfinished run in this output; unfinished: {pending}")
    return run


def _discard(storage: Storage, output: str, run: str) -> None:
    """Gives a run up.

    Raises:
        UsageError: if it is being published.
    """
    if stage_of(storage, output, run) is Stage.PUBLISHING:
        raise UsageError(
            "the run is being published, some of its parts are in place and older ones may be "
            "gone: it can be finished with `scrubline resume`, not given up"
        )
    _give_up(storage, output, run)


def _thawed(
    storage: Storage, output: str, run: str, key_source: str | None = None
) -> tuple[Job, Plan]:
    """A frozen run that this program can go on with.

    Args:
        key_source: where the master key is now; None for where it was.

    Raises:
        UsageError: if another version planned it, or the key is another one.
        GateHeld: if its plan was not made with the key.
    """
    job = read_job(storage, output, run)
    job.require_this_version()
    if key_source is not None:
        job = dataclasses.replace(job, key_source=_absolute_key(key_source))
    require_planned(storage, job, keys_of(storage, job))
    return job, Plan.read(storage, job.restricted)


def _go_on(
    storage: Storage,
    options: Options,
    job: Job,
    plan: Plan,
    watch: Watch,
    still_ours: Callable[[], None],
) -> dict[str, Any]:
    """Runs what is left of a frozen run and publishes it; see `execute`."""
    watch.frozen(storage, job, plan)
    options = dataclasses.replace(options, output=job.output)
    with _still_there(storage, job):
        return execute(storage, job, plan, options, watch, still_ours)


@contextlib.contextmanager
def _still_there(storage: Storage, job: Job) -> Iterator[None]:
    """For a run under way: one whose plan was taken away has failed; it was not refused.

    Raises:
        RunFailed: in the place of what says that it is refused or held, if the frozen job is no
            longer in the output.
    """
    try:
        yield
        return
    except (UsageError, GateHeld):
        if storage.exists(f"{job.restricted}/{JOB}"):
            raise
    raise RunFailed(
        "the output was moved or removed while the run worked on it: put it back, or scrub again"
    )


def _finish_pending(
    storage: Storage,
    options: Options,
    tonight: Job,
    watch: Watch,
    still_ours: Callable[[], None],
) -> None:
    """Finishes what an earlier night left, as it was planned, or gives up what never can be.

    That is a run whose plan is not whole, or whose inputs or canaries are not what was planned any
    more; but never one that is being published, of which all is read.

    Raises:
        RunHeld: if a run waits: a person has to look at it.
    """
    output = tonight.output
    pending = pending_runs(storage, output)
    for run in pending:
        refuse_waiting(storage, output, run)
    # What tonight holds a run back was not asked of that one.
    how = dataclasses.replace(
        options, hold=False, max_quarantined=None, max_gone=None, max_lost=None
    )
    for run in pending:
        stage = stage_of(storage, output, run)
        if stage is Stage.UNFINISHED and canaries_changed(storage, read_job(storage, output, run)):
            if _plan(storage, options, tonight)[0].run == run:
                continue  # tonight's run: it goes on, with the canaries as they are now
            _log.warning("run %s, whose canaries have changed, is given up", run)
        elif stage is not Stage.PLANNING:
            _require_same_key(read_job(storage, output, run), tonight)
            try:
                _go_on(storage, how, *_thawed(storage, output, run), watch, still_ours)
                continue
            except InputChanged as error:
                if stage_of(storage, output, run) is Stage.PUBLISHING:
                    raise
                _log.warning("run %s, which an earlier night left, is given up: %s", run, error)
        _give_up(storage, output, run)
    if pending:
        watch.planning()


def _require_same_key(pending: Job, tonight: Job) -> None:
    """Refuses to finish what was planned under another key than the one that was given.

    Raises:
        UsageError: saying what to do.
    """
    if pending.key_check != tonight.key_check:
        raise UsageError(
            f"the unfinished run {pending.run} was planned with another master key (check value "
            f"{pending.key_check}) than the one given ({tonight.key_check}): finish it with "
            "`scrubline resume --output ...`, or give it up with `--discard`"
        )


def _give_up(storage: Storage, output: str, run: str) -> None:
    """Removes a run that is not being published, but for what published parts of it need."""
    staging, restricted = f"{output}/_staging/{run}", f"{output}/restricted/{run}"
    if run in published_runs(storage, output):
        put_back(storage, output, run)
        if (learnt := Rework.read(storage, staging)).units:
            learnt.write(storage, restricted)
    else:
        storage.delete_folder(restricted)
    clear_staging(storage, output, run)
