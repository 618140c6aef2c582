"""Nested columns that pass whole, and what is in them: said before a run and after it."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from ...models.core.display_names import ColumnNames
from ...models.formats.column_roles import Role
from ...models.formats.nested_paths import show_name
from ...models.guesses.sampling import chosen_files, sampled
from ...models.jobs.job import Job
from ...models.jobs.plan import Plan
from ...models.storage.storage import Storage


def passed_whole(storage: Storage, job: Job, plan: Plan) -> dict[str, list[str]]:
    """Nested column with role `pass` -> paths of the values in it, as a sample shows them.

    Raises:
        RunFailed: if storage fails.
        UsageError: if a file cannot be read at all.
    """
    passing = [name for name in job.columns.named(Role.PASS) if not job.columns.is_path(name)]
    formats = {unit.locators[0].file: unit.format for unit in plan.units if unit.locators}
    files = sorted(formats)
    found: dict[str, dict[str, None]] = {}
    for index in chosen_files([formats[number] for number in files]) if passing else ():
        file, form = plan.files[files[index]], job.form(formats[files[index]])
        if (nesting := form.nesting) is None:
            continue
        there = set(form.columns(storage, file))
        names = tuple(name for name in passing if name in there)
        # Columns without a role come later in a file at most: then this record is not in a sample.
        for chunk in sampled(storage, form, file, job.columns.inputs) if names else ():
            for name in names:
                paths = nesting.leaf_paths(chunk.columns.column(name), name)
                found.setdefault(name, {}).update(dict.fromkeys(paths))
    return {name: list(paths) for name, paths in found.items() if set(paths) - {show_name(name)}}


def whole_lines(storage: Storage, job: Job, plan: Plan) -> Iterator[str]:
    """Yields a line for each such column; names within it are shown on a terminal alone.

    Raises:
        RunFailed, UsageError: see `passed_whole`.
    """
    for name, paths in passed_whole(storage, job, plan).items():
        within = f"{len(paths):,} kinds of values"
        if sys.stdout.isatty():
            within = ColumnNames(paths).listed(paths, True)
        yield f"passes whole: {name}, with {within}"
