"""What of a roster is left in the published rows of its patients: the guard, over an output."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...models.core.errors import DocumentError, StorageError
from ...models.core.keys import Keys
from ...models.core.shortage import raise_shortage
from ...models.formats import PartRow
from ...models.formats.column_roles import Columns, Role
from ...models.jobs.roster_steps import BETWEEN, texts_of
from ...models.roster.bundle import RosterBundle
from ...models.roster.guard import Guard
from ...models.roster.passing import PassingGuard
from ...models.roster.people import LABELS, KnownPeople
from ...models.storage.storage import Storage
from .table_faults import Tables, notes_of_part

_ASSERTED = {Role.PASS, Role.TYPE, Role.TEXT}
"""Roles of columns whose cells are looked at; nested texts are in the cells of their column."""


def faults_against_roster(
    storage: Storage,
    output: str,
    manifest: Mapping[str, Any],
    tables: Tables,
    roster: str,
    keys: Keys,
) -> tuple[list[str], str]:
    """What is left by class, and how many rows were looked at. No value and no place is told.

    Labels that the policy keeps, for notes of any type, are not asserted.

    Args:
        tables: all that can be read of the output.
        roster: URL of the roster, of the output's key.

    Raises:
        RosterError: if it cannot be used.
    """
    patients = {row["doc_key"]: row["patient_key"] for row in tables.documents}
    kept = LABELS.intersection(_kept(manifest["policy"]))
    found: Counter[str] = Counter()
    rows = known_rows = 0
    with RosterBundle(roster, keys, storage) as bundle:
        people = KnownPeople(bundle)
        for doc_key, text, passing in _published(storage, output, manifest):
            rows += 1
            patient = patients.get(doc_key)
            try:
                known = people.row(patient) if patient else None
            except DocumentError as error:
                found[error.code] += 1
                continue
            if known:
                known_rows += 1
                left = {identifier for identifier, _ in Guard(known, kept=kept).violations(text)}
                passing_guard = PassingGuard(known, kept)
                for value in passing:
                    left |= passing_guard.left_in(value)
                found.update(identifier.value for identifier in left)
    faults = [
        f"{count} published rows are of a patient of whom something in the roster is left ({error})"
        for error, count in sorted(found.items())
    ]
    share = f"{known_rows:,} of {rows:,} notes are of patients in the roster"
    if rows and not known_rows:
        faults.append(
            "no note is of a patient in the roster, so nothing was verified: it is another roster, "
            "or the output has no patient_key (a column of role patient makes it)"
        )
    elif not faults:
        share += "; nothing that is asserted of them is left"
    return faults, share


def _kept(policy: Mapping[str, Any]) -> Iterator[str]:
    for one in (policy, *policy.get("note_types", {}).values()):
        yield from one.get("kept", ())


def _published(
    storage: Storage, output: str, manifest: Mapping[str, Any]
) -> Iterator[tuple[str, str, list[str]]]:
    """Yields of each note doc_key, all that is written, and of that what only passes.

    Parts that are damaged are left out.
    """
    for part in manifest["parts"]:
        if part["table"] != "data" or part["run"] not in manifest["runs"]:
            continue
        try:
            _, columns, notes = notes_of_part(storage, output, manifest, part)
            written = [
                (lines[0].doc_key, [*_texts(lines)], [*_cells(lines, columns)])
                for lines in notes
                if lines[0].doc_key is not None
            ]
        except StorageError:
            raise
        except Exception as error:  # it is a fault of its own
            raise_shortage(error)
            continue
        for doc_key, texts, passing in written:
            if doc_key is not None:
                yield doc_key, BETWEEN.join((*texts, *passing)), passing


def _texts(lines: Iterable[PartRow]) -> Iterator[str]:
    for row in lines:
        yield from (text for text in row.texts.values() if text)


def _cells(lines: Iterable[PartRow], columns: Columns) -> Iterator[str]:
    roles = columns.roles_by_input()
    for row in lines:
        for name, cell in row.cells.items():
            if cell and not _ASSERTED.isdisjoint(roles.get(name, ())):
                yield cell
                with contextlib.suppress(ValueError, RecursionError):
                    yield from texts_of(json.loads(cell))  # as a reader of JSON sees it
