"""From options to a job and its plan: inputs and output are looked at, nothing is written."""

from __future__ import annotations

import dataclasses
import logging
import os
import re
from collections.abc import Collection, Iterable

import pyarrow as pa

from ..models.bundles.bundle import Bundle, open_bundle
from ..models.bundles.detector import rules_named
from ..models.core.display_names import counted, declared_list
from ..models.core.errors import UsageError
from ..models.core.keys import Keys
from ..models.core.labels import LABELS
from ..models.core.resources import names_a_file
from ..models.core.suggestions import did_you_mean
from ..models.formats import Format, open_format
from ..models.formats.column_roles import TEXT_FILES, Columns, Role
from ..models.formats.line_notes import GroupLines
from ..models.jobs.job import Job
from ..models.jobs.shifted_columns import require_shiftable
from ..models.patient_view.attributes import ViewAttributes
from ..models.patient_view.lookup import Levels, RecordView, read_release_at
from ..models.recognisers import rule_hash
from ..models.records.carrying import links_code_hash
from ..models.redaction.actions import ACTIONS, REDACT
from ..models.redaction.policy import Policy
from ..models.redaction.policy_file import load_policy
from ..models.roster.bundle import RosterBundle
from ..models.storage.key_files import load_keys, warn_if_open
from ..models.storage.places import any_inside, is_inside, local_path
from ..models.storage.storage import Storage
from ..models.surrogates import characters_of
from .options import Options
from .outputs.canary_gate import hash_canaries
from .outputs.catalogue import Catalogue
from .outputs.incremental import choose_inputs
from .outputs.manifest import read_manifest
from .outputs.other_jobs import require_same_job
from .outputs.planning import PlannedRun, check_types, inspect_inputs, make_plan, roles_for
from .outputs.risk_gate import require_sense
from .outputs.source_documents import key_check_of
from .outputs.state import is_published, require_no_links, require_none_above
from .runners.engines import beam_options_of, check_job_places, check_runner

_log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class NewJob:
    """A job as far as options alone decide it, and what was opened to make it.

    Attributes:
        job: still without run; its columns are the declared ones, if there are any.
        keys: of the master key that was given.
        policy: the one that is there now; read once, for planning and publication.
        bundles: the models.
    """

    job: Job
    keys: Keys
    policy: Policy
    bundles: tuple[Bundle, ...]


def prepare_job(storage: Storage, options: Options) -> NewJob:
    """The job as far as options alone decide it; the inputs are not opened.

    Raises:
        UsageError: for anything that cannot or must not be done.
    """
    beam_options_of(options)  # refuses what is missing before anything is read
    require_sense(options.max_risk, options.certificate, options.trusted_keys)
    output = absolute_place(options.output.rstrip("/"))
    # Places are frozen as they are found here: a run may be resumed from another folder.
    key_source, policy_place = absolute_key_source(options.key_source), options.policy
    if names_a_file(policy_place):
        policy_place = absolute_place(policy_place)
    models = tuple(absolute_place(model) if "/" in model else model for model in options.models)
    canaries = absolute_place(options.canaries) if options.canaries else None
    canaries_hash = hash_canaries(storage, canaries) if canaries else ""
    keys = _keys(storage, output, key_source)
    warn_if_open(key_source)
    roster = absolute_place(options.roster) if options.roster else None
    generation = roster_generation(storage, roster, keys) if roster else ""
    policy = load_policy(policy_place)
    view_release = options.view_release and absolute_place(options.view_release.rstrip("/"))
    generation_of_view, levels = view_of_job(storage, view_release, policy, keys)
    bundles = tuple(open_bundle(model) for model in models)
    rules = rules_named(options.recognisers, bundles)
    _check_detectors(bundles, rules)
    _check_output(storage, output, options.inputs)
    job = Job(
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
        settings=options.settings,
        group_lines=GroupLines.parse(options.group_lines) if options.group_lines else None,
        canaries=canaries,
        canaries_hash=canaries_hash,
        roster_generation=generation,
        links_hash=links_code_hash() if options.link_notes else "",
        view_generation=generation_of_view,
        view_levels=levels,
        **options.planned()
        | {
            "roster": roster,
            "view_release": view_release,
            "certificate": options.certificate and absolute_place(options.certificate),
            "trusted_keys": options.trusted_keys and absolute_place(options.trusted_keys),
        },
    )
    return NewJob(job.with_columns(job.columns), keys, policy, bundles)


def prepare_run(storage: Storage, options: Options, new: NewJob) -> PlannedRun:
    """Looks at the inputs and at what the output holds of them.

    Raises:
        UsageError: see `prepare_job`.
    """
    job, policy = new.job, new.policy
    catalogue = Catalogue.read(storage, job.output)
    if options.drop_gone and not options.incremental:
        raise UsageError(
            "--drop-gone needs --incremental, which finds the inputs that no longer exist"
        )
    chosen = None
    if options.incremental or options.retry_quarantined:
        chosen = choose_inputs(storage, options, job, catalogue, policy)
        seen = chosen.seen
    else:
        seen = inspect_inputs(storage, options.inputs, options.format, options.settings)
    if any_inside((file.url for file in seen.files), job.output):
        raise UsageError(
            "some of the input files lie inside the output: give the output a place of its own"
        )
    columns = chosen.columns if chosen else roles_for(seen, options.columns, policy)
    check_types(storage, seen, columns)
    forms = [open_format(name, options.settings) for name in dict.fromkeys(seen.formats)]
    hive_keys = {key for file in seen.files for key, _ in file.partition}
    if job.group_lines is not None and forms:
        job.group_lines.check(columns, forms, hive_keys)
    require_shiftable(policy, columns, hive_keys)
    labels = {label for bundle in new.bundles for label in bundle.labels}
    _check_own_labels(policy, labels)
    if policy.puts_views and job.view_release is None:
        _log.warning(
            "the policy puts values of the view, and there is no --view-release: it puts markers"
        )
    for form in forms:
        check_replacements(policy, labels, form)
    require_people(job.roster, columns)
    if job.link_notes:
        _require_patients("--link-notes", columns)
    if job.view is not None:
        require_view_sources(job.view, columns, policy, labels, roster=job.roster)
    job = job.with_columns(columns)
    check_job_places(check_runner(options.runner), job, options.inputs)
    if chosen:
        job, plan = make_plan(storage, seen, job, chosen.increment, chosen.identity)
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
    return PlannedRun(job, plan, new.keys, policy)


def roster_generation(storage: Storage, roster: str, keys: Keys) -> str:
    """What a job keeps of its roster, all files of which are there and whole.

    Raises:
        UsageError: if it is damaged, or sealed under another key.
    """
    with RosterBundle(roster, keys, storage) as bundle:
        bundle.require_whole()
        return bundle.manifest.generation


def require_people(roster: str | None, columns: Columns) -> None:
    """Refuses a roster of which nobody could ever be looked up.

    Raises:
        UsageError: if nothing says whose note a row is.
    """
    if roster is not None and not columns.named(Role.PATIENT) and not columns.known:
        raise UsageError(
            "--roster needs to know whose note a row is: give the column of patient ids the role "
            "patient (--column NAME=patient), with the ids that the roster was built from"
        )


def _require_patients(option: str, columns: Columns) -> None:
    """Refuses an option that needs patients where nothing says whose note a row is."""
    if not columns.named(Role.PATIENT):
        raise UsageError(
            f"{option} needs to know whose note a row is: give the column of patient ids the role "
            "patient (--column NAME=patient)"
        )


def view_of_job(
    storage: Storage, place: str | None, policy: Policy, keys: Keys
) -> tuple[str, Levels]:
    """What a job keeps of the release of a view: its generation and levels.

    Raises:
        UsageError: if it cannot be read, has another key, or the policy has no use for it.
    """
    if place is None:
        return "", ()
    if not policy.puts_views:
        raise UsageError(
            "--view-release: the policy has no label with the action view, so nothing would be "
            "read from it"
        )
    release, generation = read_release_at(storage, place)
    if release.key_check != keys.check:
        raise UsageError(
            f"--view-release: it was made with another master key (check value "
            f"{release.key_check}) than the one given ({keys.check})"
        )
    RecordView(storage, place, policy.restricted_zip3)  # refuses rows that are gone or damaged
    return generation, tuple(sorted(release.rules.levels.items()))


_VIEWED = (Role.PASS, Role.DROP, Role.TYPE)
"""Roles of columns that the view may tell of: others hold identifiers, dates or texts."""


def require_view_sources(
    view: ViewAttributes,
    columns: Columns,
    policy: Policy,
    labels: Collection[str],
    *,
    roster: str | None,
) -> None:
    """Refuses a view of which nobody could be told whose it is, or that lacks what tells it.

    Args:
        labels: of the models.

    Raises:
        UsageError: saying what to declare.
    """
    _require_patients("--view-attributes", columns)
    declared = {name for name, _ in columns.roles}
    if missing := [column for _, column in view.columns if column not in declared]:
        raise UsageError(
            f"--view-attributes: {declared_list(missing)} has no role: declare it with --column "
            "NAME=pass, or NAME=drop if it must not be in the output"
        )
    roles = dict(columns.roles)
    if other := [name for _, name in view.columns if roles[name] not in _VIEWED]:
        raise UsageError(
            f"--view-attributes: {declared_list(other)} has role {roles[other[0]]}, and only "
            f"columns with role {', '.join(_VIEWED)} can tell of an attribute: what they say is "
            "published as it is"
        )
    own = {name: one.hipaa for scope in policy.scopes for name, one in scope.labels.items()}
    told = {name for name, hipaa in own.items() if hipaa is None}
    told |= {label for label in labels if label not in LABELS and label not in own}
    if missing := [label for _, label in view.labels if label not in told]:
        raise UsageError(
            f"--view-attributes: label:{missing[0]}: only labels of your own that are no "
            "identifiers can be sensitive attributes, as [labels] of the policy or a model of "
            f"yours has them{did_you_mean(missing[0], sorted(told))}; there are "
            f"{', '.join(sorted(told)) or 'none'}"
        )
    if policy.shifts_dates and any(name == "year" for name, _ in view.columns):
        raise UsageError(
            "--view-attributes: year=COLUMN would tell the true year where dates are shifted: give "
            "the column the role date, and name year alone"
        )
    has = {attribute for _, _, attribute in columns.known} | {name for name, _ in view.columns}
    if "sex" in view.names and roster is None and "sex" not in has:
        raise UsageError(
            "--view-attributes: nothing says the sex of a patient: give a column the role "
            "known:sex, or say sex=COLUMN, or give a --roster"
        )
    if "year" in view.names and "year" not in has and not columns.named(Role.DATE):
        raise UsageError(
            "--view-attributes: nothing says the year of a note: give a column the role date, or "
            "say year=COLUMN"
        )


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
            "the documents table of this output lacks the parts of "
            f"{counted(len(lost), 'unit')} that this run does not replace: read their inputs "
            "again too (--incremental takes them), put the parts back, or drop what "
            "no longer exists (--incremental --drop-gone)"
        )


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
            # What is kept, or not understood, is redacted where it must go all the same.
            blind = action if ACTIONS[action].goes(label) else REDACT
            try:
                replacements = [one.replacement_of(blind, label, 1), *ACTIONS[action].samples]
                form.encode_text(replacements, pa.string())
            except UsageError as error:
                raise UsageError(
                    f"policy: the format {form.name} cannot hold what replaces {label} "
                    f"({error}); or choose another text for it in [texts]"
                ) from None
    if policy.puts_surrogates:
        languages = policy.surrogates.languages
        try:
            form.encode_text([characters_of(languages)], pa.string())
        except UsageError as error:
            raise UsageError(
                f"policy: the format {form.name} cannot hold all surrogates of the languages "
                f"{', '.join(languages)} ({error}): write the input in UTF-8, or choose other "
                "languages in the table surrogates"
            ) from None


def _check_own_labels(policy: Policy, labels: Collection[str]) -> None:
    """Refuses a label of the site's own that nothing in the run can ever give.

    Args:
        labels: what the models give.

    Raises:
        UsageError: naming the labels, and what was meant if a name is near.
    """
    found = {label for one in (policy, *policy.note_types.values()) for label in one.deny}
    found |= {label for rule in policy.rules for label in rule.labels}
    if never := sorted(set(policy.labels) - set(labels) - found):
        given = sorted({*labels, *LABELS})
        raise UsageError(
            f"policy: no model of this run, no [deny] phrase and no rule of yours gives the labels "
            f"{never}{did_you_mean(never, given)}, so their actions would never apply: add the "
            "model (--model), list phrases under [deny], or remove them from `labels`"
        )


def _keys(storage: Storage, output: str, key_source: str) -> Keys:
    """The master key for a job.

    Raises:
        UsageError: without a key; what to do depends on whether something is published.
    """
    try:
        return load_keys(key_source, storage.read_bytes)
    except UsageError:
        if not is_published(storage, output):
            raise
    made_with = key_check_of(read_manifest(storage, output))
    return load_keys(key_source, storage.read_bytes, made_with=made_with)


def absolute_key_source(key_source: str) -> str:
    """Where the master key is, as workers in other folders find it."""
    return key_source if key_source.startswith("env:") else absolute_place(key_source)


def absolute_place(place: str) -> str:
    """A local path made absolute; URLs stay.

    Raises:
        UsageError: if a URL ends after its protocol, most likely because a variable is unset.
    """
    if re.fullmatch("[A-Za-z][A-Za-z0-9+.-]*:/*", place):
        raise UsageError("a URL names no bucket and no folder: is a variable in it unset?")
    return place if "://" in place else local_path(place) or place


def _check_detectors(bundles: Collection[Bundle], rules: Collection[str]) -> None:
    if not bundles and not rules:
        raise UsageError(
            "no model and no recogniser: nothing would be found; give --model or --recogniser"
        )
    if len({bundle.name for bundle in bundles}) < len(bundles):
        raise UsageError("two models have the same name: the audit could not tell them apart")


def _check_output(storage: Storage, output: str, inputs: Iterable[str]) -> None:
    """Refuses an output in which nothing may or can be written."""
    for url in inputs:
        if is_inside(url, output) or is_inside(output, url):
            raise UsageError(
                "input and output lie inside each other: give the output a place of its own"
            )
    _check_folder(output)
    require_none_above(storage, output)
    require_no_links(storage, output)


def _check_folder(output: str) -> None:
    """Refuses an output that is a file, or would lie in one."""
    place = local_path(output)
    if place is None:
        return
    if os.path.islink(place) and not os.path.exists(place):
        raise UsageError(
            "the output is a dangling symbolic link: remove it, or choose another output"
        )
    while not os.path.exists(place):
        place = os.path.dirname(place)
    if not os.path.isdir(place):
        raise UsageError("the output is, or lies inside, a file; expected a folder")
