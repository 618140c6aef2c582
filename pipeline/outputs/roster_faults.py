"""What of a roster is left in the published rows of its patients: the guard, over an output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ...models.core.errors import DocumentError
from ...models.core.keys import Keys
from ...models.jobs.roster_steps import BETWEEN
from ...models.roster.bundle import RosterBundle
from ...models.roster.guard import Guard
from ...models.roster.passing import PassingGuard
from ...models.roster.people import LABELS, KnownPeople
from ...models.storage.storage import Storage
from .published_notes import PublishedNote, published_notes
from .table_faults import Tables


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
        for note in _published(storage, output, manifest):
            rows += 1
            patient = patients.get(note.doc_key)
            try:
                known = people.row(patient) if patient else None
            except DocumentError as error:
                found[error.code] += 1
                continue
            if known:
                known_rows += 1
                text = BETWEEN.join((*note.texts, *note.passing))
                left = {identifier for identifier, _ in Guard(known, kept=kept).violations(text)}
                passing_guard = PassingGuard(known, kept)
                for value in note.passing:
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
) -> Iterator[PublishedNote]:
    for part in manifest["parts"]:
        if part["table"] == "data" and part["run"] in manifest["runs"]:
            yield from published_notes(storage, output, manifest, part)[0]
