"""What is wrong with a manifest: with its form, with itself, with the receipts it was made from.

A fault names fields that Scrubline writes, never what stands in them: that may be anything.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from typing import Any

from ...models.core.budgets import Budgets, budgets_of
from ...models.core.digests import PARTS, Digest, content_digest
from ...models.core.errors import ScrublineError, StorageError, UsageError
from ...models.core.shortage import raise_shortage
from ...models.formats import FormatOptions
from ...models.formats.column_roles import Columns
from ...models.formats.line_notes import GroupLines
from ...models.jobs.job import Job
from ...models.jobs.opening import open_policy
from ...models.jobs.output_rows import COUNTS, FURTHER
from ...models.redaction.policy import Policy
from ...models.redaction.policy_file import load_policy, policy_names
from ...models.storage.retries import StorageAccessError
from ...models.storage.storage import Storage
from .catalogue import Catalogue, is_part
from .manifest import make_manifest, runs_of
from .planning import read_job
from .state import RUN_ID

_TEXTS, _NUMBERS = {str: str}, {str: int}
_RUN = {
    "fingerprint": str,
    "columns": [list],
    "format": (str, None),
    "settings": dict,
    "group_lines": (dict, None),
    "roster": str,
}
_PART = {"table": str, "path": str, "bytes": int, "sha256": str, "run": str}
_BUDGETS = {field.name: type(field.default) for field in dataclasses.fields(Budgets)}
_FORM: dict[str, Any] = {
    "run": str,
    "fingerprint": str,
    "code_version": str,
    "models": _TEXTS,
    "recognisers": _TEXTS,
    "policy": dict,
    "key_check": str,
    "budgets": _BUDGETS,
    "content_digest": str,
    "text_digest": str,
    "roster": {"generation": (str, None), "fuzzy": int, "code": str, "not_asserted": ([str], None)},
    "links": {"code": str},
    "view": {"attributes": str, "generation": str, "levels": {str: int}},
    "counts": dict.fromkeys((*COUNTS, *FURTHER), int),
    "labels": _NUMBERS,
    "errors": _NUMBERS,
    "digests": dict.fromkeys(PARTS, str),
    "runs": {str: _RUN},
    "report": dict,
    "parts": [_PART],
}
"""What stands where in a manifest; {str: x} is a table of any keys, [x] a list, (x, None) may be
null."""


_MAY_LACK = {"roster", "links", "view", "attributes", "generation", "levels", *FURTHER}
"""Keys that only runs have that knew people beforehand, or linked notes."""


def faults_of_form(manifest: object) -> list[str]:
    """Keys that are missing or that nothing writes, and values of the wrong type."""
    return sorted(set(_faults_of_form(manifest, _form_of(manifest), "")))


def _form_of(manifest: object) -> dict[str, Any]:
    """The form of a manifest of its version: an earlier one may lack budgets that are new."""
    said = manifest if isinstance(manifest, dict) else {}
    version, found = said.get("code_version"), said.get("budgets")
    if not isinstance(version, str) or not isinstance(found, dict):
        return _FORM
    wanted = {*budgets_of(version), *found}
    return {**_FORM, "budgets": {name: _BUDGETS[name] for name in _BUDGETS if name in wanted}}


def _faults_of_form(value: object, form: Any, place: str) -> Iterator[str]:
    where = f"manifest: {place.rstrip('.') or 'it'}"
    if isinstance(form, tuple):
        if value is not None:
            yield from _faults_of_form(value, form[0], place)
    elif isinstance(form, list):
        if not isinstance(value, list):
            yield f"{where} is not a list"
            return
        for one in value:
            yield from _faults_of_form(one, form[0], place)
    elif isinstance(form, dict):
        if not isinstance(value, dict):
            yield f"{where} is not a table"
            return
        if str in form:
            for one in value.values():
                yield from _faults_of_form(one, form[str], place)
            return
        for name in form.keys() - value.keys() - _MAY_LACK:
            yield f"manifest: {place}{name} is missing"
        if value.keys() - form.keys():
            yield f"{where} has a key that Scrubline does not write"
        for name in form.keys() & value.keys():
            yield from _faults_of_form(value[name], form[name], f"{place}{name}.")
    elif not isinstance(value, (int, float) if form is float else form) or (
        form in (int, float) and isinstance(value, bool)
    ):
        yield f"{where} has the wrong type"
    elif form in (int, float) and value < 0:
        yield f"{where} is negative"


def faults_of_itself(manifest: Mapping[str, Any]) -> Iterator[str]:
    """What of a manifest of the right form contradicts the rest of it."""
    run, runs = manifest["run"], manifest["runs"]
    if run not in runs:
        yield "manifest: runs does not name the run itself"
    elif runs[run]["fingerprint"] != manifest["fingerprint"]:
        yield "manifest: fingerprint is not that of the run"
    else:
        yield from _faults_of_fingerprint(manifest)
    if unused := runs.keys() - {run, *(part["run"] for part in manifest["parts"])}:
        yield f"manifest: runs names {len(unused)} runs without any part"
    if unknown := {part["run"] for part in manifest["parts"]} - runs.keys():
        yield f"manifest: parts name {len(unknown)} runs that runs does not name"
    try:
        digests = {name: Digest.of_hex(manifest["digests"][name]) for name in PARTS}
    except (ValueError, TypeError):
        yield "manifest: digests are not digests"
    else:
        if content_digest(digests) != manifest["content_digest"]:
            yield "the content digest does not match the digests of the manifest"
    if manifest["digests"]["text"] != manifest["text_digest"]:
        yield "manifest: text_digest is not the digest of the texts"
    counts = manifest["counts"]
    if counts["rows_in"] != counts["rows_out"] + counts["rows_quarantined"]:
        yield "rows in are not rows out and quarantined"
    if sum(manifest["labels"].values()) != counts["spans"]:
        yield "manifest: labels do not add up to the spans"
    if sum(manifest["errors"].values()) != counts["rows_quarantined"]:
        yield "manifest: errors do not add up to the rows quarantined"
    paths = [part["path"] for part in manifest["parts"]]
    if len(set(paths)) < len(paths):
        yield "manifest: parts names a file twice"
    if any(not is_part(part["table"], part["path"]) for part in manifest["parts"]):
        yield "manifest: parts names a file outside of its table"


def _faults_of_fingerprint(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Models, rules, policy, columns, key and budgets are what the fingerprint was made from."""
    how = manifest["runs"][manifest["run"]]
    known, view = manifest.get("roster", {}), manifest.get("view", {})
    people = {"roster_fuzzy": known["fuzzy"], "roster_hash": known["code"]} if known else {}
    try:
        job = Job(
            run=manifest["run"],
            output="",
            columns=Columns.parse(how["columns"]),
            models=tuple(manifest["models"]),
            model_hashes=tuple(manifest["models"].values()),
            recognisers=tuple(manifest["recognisers"]),
            recogniser_hashes=tuple(manifest["recognisers"].values()),
            policy="",
            policy_hash=manifest["policy"]["hash"],
            key_source="",
            key_check=manifest["key_check"],
            budgets=Budgets(**manifest["budgets"]),
            format=how["format"],
            settings=FormatOptions(**how["settings"]),
            group_lines=GroupLines(**how["group_lines"]) if how["group_lines"] else None,
            code_version=manifest["code_version"],
            roster=known.get("generation"),
            view_attributes=view.get("attributes"),
            view_levels=tuple(sorted(view.get("levels", {}).items())),
            link_notes="links" in manifest,
            links_hash=manifest.get("links", {}).get("code", ""),
            **people,
        )
        agrees = (
            job.fingerprint == manifest["fingerprint"]
            and job.budgets.of_version(job.code_version) == manifest["budgets"]
        )
    except (KeyError, TypeError, ValueError, AttributeError, ScrublineError):
        agrees = False
    if not agrees:
        yield (
            "manifest: fingerprint does not match models, recognisers, policy, columns, "
            "key_check, budgets and code_version"
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Found:
    """What a comparison found.

    Attributes:
        faults: what is wrong.
        lines: what was compared, and what could not be.
    """

    faults: tuple[str, ...]
    lines: tuple[str, ...]


def faults_against_receipts(storage: Storage, output: str, manifest: Mapping[str, Any]) -> Found:
    """Makes the manifest anew from job, catalogue and policy under restricted/, and compares.

    Args:
        manifest: may be of any form.
    """
    try:
        if not storage.exists(f"{output}/restricted"):
            return Found((), ("restricted/ is not here: job and receipts were not compared",))
        catalogue = Catalogue.read(storage, output)
        if not RUN_ID.fullmatch(str(manifest.get("run"))):
            return Found(("manifest: run is not the id of a run",), ())
        job = read_job(storage, output, manifest["run"])
        runs = runs_of(storage, job, catalogue)
        policy, said = _policy_of(job)
    except StorageAccessError:
        return Found((), ("restricted/ may not be read: job and receipts were not compared",))
    except StorageError:
        raise
    except Exception as error:  # damaged Parquet and JSON raise many kinds
        raise_shortage(error)
        where = str(error) if isinstance(error, UsageError) else type(error).__name__
        return Found((f"job or receipts under restricted/ cannot be read: {where}",), ())
    expected = make_manifest(job, catalogue, policy, runs, manifest.get("report", {}))
    if policy is None:
        expected["policy"] = {**dict(manifest.get("policy") or {}), "hash": job.policy_hash}
    else:
        expected["policy"] = _as_it_says(expected["policy"], manifest.get("policy"))
    faults = tuple(_differences(json.loads(json.dumps(expected)), manifest, ""))
    compared = f"{len(catalogue.units):,} receipts of {len(runs):,} runs were compared"
    return Found(faults, (compared, *said))


def _as_it_says(policy: dict[str, Any], said: object) -> dict[str, Any]:
    """What a manifest must say of its policy; versions up to 0.10.0 wrote no `date_columns`."""
    if isinstance(said, dict) and "date_columns" not in said:
        return {name: value for name, value in policy.items() if name != "date_columns"}
    return policy


def _policy_of(job: Job) -> tuple[Policy | None, tuple[str, ...]]:
    try:
        return open_policy(job), ()
    except Exception as error:  # a file that is not there, or another one by now
        raise_shortage(error)
        said = "the policy of the last run cannot be loaded: only its hash was compared"
        return None, (said,)


def _differences(expected: Any, found: Any, place: str, depth: int = 0) -> Iterator[str]:
    """A line for each field that is not what it must be, two levels deep."""
    if not place and not isinstance(found, Mapping):
        yield "manifest: it is not a table"
    elif isinstance(expected, dict) and isinstance(found, dict) and depth < 2:
        for name in expected:
            where = f"{place}.{name}" if place else name
            if name not in found:
                yield f"manifest: {where} is missing"
            else:
                yield from _differences(expected[name], found[name], where, depth + 1)
        if found.keys() - expected.keys():
            yield f"manifest: {place or 'it'} has a key that no receipt gives"
    elif type(expected) is not type(found) or expected != found:
        yield f"manifest: {place} is not what job and receipts say"


def policy_of_name(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Compares what the manifest says of a shipped policy with that policy."""
    said = manifest["policy"]
    if said.get("name") not in policy_names():
        return
    policy = load_policy(said["name"])
    if policy.fingerprint == said.get("hash"):
        expected = _as_it_says(policy.to_dict(), said)
        if json.loads(json.dumps(expected)) != said:
            yield "manifest: policy is not what the policy of that hash says"
