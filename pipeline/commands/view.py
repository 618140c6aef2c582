"""`scrubline view`: builds the identifier view of an output, checks it, and counts with noise."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Iterator

from ...models.core.display_names import counted
from ...models.core.errors import UsageError
from ...models.storage.storage import Storage
from ...models.view.anonymity import Distance, Requirement
from ...models.view.hierarchies import HIERARCHIES
from ...models.view.release import Release
from ..outputs.identifier_view import PUBLIC, STALE, BuiltView, build_view, check_view
from ..outputs.view_counts import release_counts
from ..process.exit_codes import ExitCode
from ..process.logs import say
from ..process.stdout import show

_ASKED = ("k", "suppressed", "l_distinct", "l_entropy", "t", "distance")
_OF_COUNTS = ("epsilon", "budget", "by", "values")
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
    other = _ASKED if is_counts or parsed.what == "check" else ()
    _refuse(parsed, (*other, *(() if is_counts else _OF_COUNTS)))
    storage = Storage()
    if parsed.what == "check":
        return _check(storage, output, as_json=parsed.json)
    if is_counts:
        return _count(storage, output, parsed)
    built = build_view(storage, output, _requirement(parsed), relevel=parsed.what == "relevel")
    if parsed.json:
        show(json.dumps(_as_json(built.release), indent=1))
    else:
        show(*release_lines(built.release))
    for line in _advice(built, relevelled=parsed.what == "relevel"):
        say(line, "WARNING")
    return ExitCode.DONE


def _refuse(parsed: argparse.Namespace, names: tuple[str, ...]) -> None:
    for name in names:
        if getattr(parsed, name) is not None:
            option = {"l_distinct": "l", "l_entropy": "entropy-l"}.get(name, name)
            raise UsageError(f"view {parsed.what} takes no --{option}")


def _requirement(parsed: argparse.Namespace) -> Requirement | None:
    said = {name: getattr(parsed, name) for name in _ASKED if getattr(parsed, name) is not None}
    if "distance" in said:
        said["distance"] = Distance(said["distance"])
    return Requirement(**said) if said else None


def release_lines(release: Release) -> Iterator[str]:
    """Yields what a release is."""
    asked = release.rules.requirement
    yield f"patients      {release.patients:,}, {release.suppressed:,} left out"
    yield f"classes       {release.classes:,} of at least {asked.k}"
    for name, level in sorted(release.rules.levels.items()):
        yield f"{name:<14}level {level} of {HIERARCHIES[name].most}"
    for name in release.rules.sensitive:
        yield f"{name:<14}sensitive"
    yield f"rows          {PUBLIC}"


def _advice(built: BuiltView, *, relevelled: bool) -> Iterator[str]:
    if built.silent_units:
        yield (
            f"{counted(built.silent_units, 'unit')} of this output tell nothing of their patients, "
            "as they were written without --view-attributes: scrub with --incremental"
        )
    if built.release.leaves_out_too_many:
        share = built.release.suppressed / built.release.patients
        yield (
            f"{share:.1%} of the patients are left out, more than was allowed: patients have "
            "come since the levels were chosen; `view relevel` chooses them anew"
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
        show(json.dumps(_as_json(found.release) | said, indent=1))
    else:
        show(*release_lines(found.release))
        show(*(f"FAULT         {fault}" for fault in found.faults))
    if not found.is_current:
        say(STALE, "WARNING")
    return ExitCode.HELD if found.faults else ExitCode.DONE


def _count(storage: Storage, output: str, parsed: argparse.Namespace) -> ExitCode:
    if parsed.epsilon is None or not 0 < parsed.epsilon <= 100:
        raise UsageError("view counts: say how much may be told with --epsilon X, above 0")
    values = {}
    for entry in parsed.values or ():
        name, equals, some = entry.partition("=")
        if not equals or not name or not all(some.split(",")):
            raise UsageError("view counts: --values: expected NAME=ONE,TWO")
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


def _as_json(release: Release) -> dict[str, object]:
    return dataclasses.asdict(release)
