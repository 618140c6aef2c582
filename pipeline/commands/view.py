"""`scrubline view`: builds the identifier view of an output, checks it, and counts with noise."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Iterator

from ...models.core.display_names import counted
from ...models.core.errors import UsageError
from ...models.patient_view.anonymity import Distance
from ...models.patient_view.hierarchies import HIERARCHIES
from ...models.patient_view.release import Release
from ...models.storage.storage import Storage
from ..outputs.identifier_view import OUTDATED, PUBLIC, BuiltView, build_view, check_view
from ..outputs.view_counts import release_counts
from ..process.exit_codes import ExitCode
from ..process.logs import say
from ..process.stdout import show

_ASKED = ("k", "suppressed", "l_distinct", "l_entropy", "t", "distance")
_OF_COUNTS = ("epsilon", "budget", "by", "values")
_OF_BUILDS = (*_ASKED, "dry_run")
BUDGET = 1.0


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Returns:
        HELD if `check` finds something.

    Raises:
        UsageError: if there is no such output or view, or something is asked that cannot be.
    """
    if not parsed.output:
        raise UsageError("say of which output with --output URL")
    output = parsed.output.rstrip("/") or parsed.output
    is_counts = parsed.what == "counts"
    other = _OF_BUILDS if is_counts or parsed.what == "check" else ()
    _refuse(parsed, (*other, *(() if is_counts else _OF_COUNTS)))
    storage = Storage()
    if parsed.what == "check":
        return _check(storage, output, as_json=parsed.json)
    if is_counts:
        return _count(storage, output, parsed)
    asked = {name: getattr(parsed, name) for name in _ASKED if getattr(parsed, name) is not None}
    if "distance" in asked:
        asked["distance"] = Distance(asked["distance"])
    relevel = parsed.what == "relevel"
    built = build_view(storage, output, asked, relevel=relevel, dry_run=parsed.dry_run)
    advice = list(_advice(built, relevelled=relevel))
    if parsed.json:
        said = {"silent_units": built.silent_units, "advice": advice}
        show(json.dumps(dataclasses.asdict(built.release) | said, indent=1))
    else:
        show(*release_lines(built.release))
        show("nothing was written" if parsed.dry_run else f"released in   {PUBLIC}")
    for line in advice:
        say(line, "WARNING")
    return ExitCode.DONE


def _refuse(parsed: argparse.Namespace, names: tuple[str, ...]) -> None:
    for name in names:
        if getattr(parsed, name) not in (None, False):
            option = {"l_distinct": "l", "l_entropy": "entropy-l", "dry_run": "dry-run"}
            raise UsageError(f"view {parsed.what} takes no --{option.get(name, name)}")


def release_lines(release: Release) -> Iterator[str]:
    """Yields what a release is."""
    asked = release.rules.requirement
    more = [f"at most {asked.suppressed:.1%} left out"]
    if asked.l_distinct > 1:
        more.append(f"l = {asked.l_distinct}")
    if asked.l_entropy > 1:
        more.append(f"entropy l = {asked.l_entropy:g}")
    if asked.t < 1:
        more.append(f"t = {asked.t:g} ({asked.distance})")
    yield f"asked for     k = {asked.k}, {', '.join(more)}"
    yield f"patients      {release.patients:,}, {release.suppressed:,} left out"
    yield f"classes       {release.classes:,}"
    for name, level in sorted(release.rules.levels.items()):
        hierarchy = HIERARCHIES[name]
        at = f"{hierarchy.says(level)} (level {level} of {hierarchy.most})"
        yield f"{name:<14}{at:<32} known of {release.known[name]:,}"
    for name in release.rules.sensitive:
        yield f"{name:<14}{'sensitive':<32} known of {release.known[name]:,}"


def _advice(built: BuiltView, *, relevelled: bool) -> Iterator[str]:
    release = built.release
    if built.silent_units:
        yield (
            f"{counted(built.silent_units, 'unit')} of this output tell nothing of their patients, "
            "as they were written without --view-attributes: scrub with --incremental"
        )
    if nobody := [name for name in release.rules.names if not release.known[name]]:
        yield (
            f"of no patient anything is known of {', '.join(nobody)}: does the column have "
            "values that are understood, or the notes such spans?"
        )
    if release.leaves_out_too_many:
        share = release.suppressed / release.patients
        yield (
            f"{share:.1%} of the patients are left out, more than was allowed: patients have "
            "come since the levels were chosen; `view relevel` chooses them anew"
        )
    levels = release.rules.levels
    if hidden := [n for n in levels if levels[n] == HIERARCHIES[n].most and release.known[n]]:
        yield (
            f"{', '.join(hidden)}: hidden, as no other level does. Fewer attributes, a lower --k "
            "or more --suppressed keep more; try with --dry-run, for levels are frozen with the "
            "first release"
        )
    if relevelled:
        yield (
            "levels were chosen anew: whoever has an earlier release too can tell more from the "
            "two than from each, so replace it everywhere"
        )


def _check(storage: Storage, output: str, *, as_json: bool) -> ExitCode:
    found = check_view(storage, output)
    if as_json:
        said = {"faults": found.faults, "is_current": found.is_current}
        show(json.dumps(dataclasses.asdict(found.release) | said, indent=1))
    else:
        show(*release_lines(found.release))
        show(*(f"FAULT         {fault}" for fault in found.faults))
        show("build it again" if found.faults else "no fault was found")
    if not found.is_current:
        say(OUTDATED, "WARNING")
    return ExitCode.HELD if found.faults else ExitCode.DONE


def _count(storage: Storage, output: str, parsed: argparse.Namespace) -> ExitCode:
    if parsed.epsilon is None:
        raise UsageError("view counts: say how much may be told with --epsilon X")
    values: dict[str, tuple[str, ...]] = {}
    for entry in parsed.values or ():
        name, equals, some = entry.partition("=")
        if not equals or not name or not all(some.split(",")):
            raise UsageError("view counts: --values: expected NAME=ONE,TWO")
        if name in values:
            raise UsageError(f"view counts: --values {name} is there twice")
        values[name] = tuple(dict.fromkeys(some.split(",")))
    found = release_counts(
        storage,
        output,
        tuple((parsed.by or "").split(",")) if parsed.by else (),
        values,
        parsed.epsilon,
        BUDGET if parsed.budget is None else parsed.budget,
    )
    if parsed.json:
        cells = [
            {**dict(zip(found.names, cell, strict=True)), "patients": count}
            for cell, count in zip(found.cells, found.counts, strict=True)
        ]
        show(json.dumps({"spent": found.spent, "file": found.place, "cells": cells}, indent=1))
        return ExitCode.DONE
    show("\t".join((*found.names, "patients")))
    for cell, count in zip(found.cells, found.counts, strict=True):
        show("\t".join((*(value or "unknown" for value in cell), str(count))))
    say(f"epsilon {found.spent:g} of this output is spent; counts are in {found.place}", "INFO")
    return ExitCode.DONE
