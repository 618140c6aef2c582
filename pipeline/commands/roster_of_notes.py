"""`--roster` of commands over annotated notes: whom a roster knows of each note."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ...models.core.display_names import counted
from ...models.core.errors import DocumentError, UsageError
from ...models.core.keys import Keys, canonical_id
from ...models.core.known_values import KnownValue
from ...models.corpora import AnnotatedDocument
from ...models.roster.bundle import RosterBundle
from ...models.roster.people import DEFAULT_FUZZY, KnownPeople
from ...models.storage.key_files import load_keys, warn_if_open
from ...models.storage.storage import Storage
from ..process.logs import say

PATIENT_NAME = "patient"
"""The member of a note's `meta` that says whose note it is, as `synth --patients` writes it."""


@dataclasses.dataclass(slots=True)
class RosterOfNotes:
    """A roster, and how a note says whose it is.

    Attributes:
        people: the roster.
        keys: under which it is sealed.
        name: of the member of `meta` that holds the id of the patient.
        named: how many notes had one.
        found: how many notes had one that is in the roster.
    """

    people: KnownPeople
    keys: Keys
    name: str
    named: int = 0
    found: int = 0

    def patient_key(self, document: AnnotatedDocument) -> str | None:
        """The key of the note's patient; None for a note that names none."""
        try:
            patient = canonical_id(document.meta.get(self.name))
        except DocumentError:
            raise UsageError(
                f"meta.{self.name} of a note is no id of a patient, but "
                f"{type(document.meta[self.name]).__name__}: --patient NAME says which member is"
            ) from None
        if patient is None:
            return None
        key = self.keys.patient_key(patient)
        self.named += 1
        self.found += self.people.has(key)
        return key

    def known(self, document: AnnotatedDocument) -> Sequence[KnownValue]:
        """What the roster knows of the people of a note; () for nothing."""
        key = self.patient_key(document)
        return (self.people.row(key) if key else None) or ()

    def tell(self) -> None:
        """Says how many of the notes have a patient whom the roster has; refuses none at all.

        Raises:
            UsageError: if no note names its patient, or the roster has none of the patients.
        """
        if not self.named:
            raise UsageError(
                f"--roster: no note has meta.{self.name}, which is to say whose note it is: give "
                "--patient NAME, and notes in standoff (.jsonl), which keeps meta"
            )
        if not self.found:
            raise UsageError(
                f"--roster: it has the patient of none of {counted(self.named, 'note')}; compare "
                f"meta.{self.name} with the ids that the roster was built from"
            )
        told = f"{self.found:,} of {counted(self.named, 'note')} that name a patient"
        say(f"the roster has the patients of {told}", "INFO")


def roster_of_notes(
    roster: str | None, key_source: str, name: str | None, fuzzy: int = DEFAULT_FUZZY
) -> RosterOfNotes | None:
    """Opens the roster that was asked for; None if none was.

    Args:
        roster: its URL.
        key_source: of the master key; see `load_keys`.
        name: of the member of `meta`; None for `PATIENT_NAME`.
        fuzzy: see `Matcher`.

    Raises:
        UsageError: without the key, for a roster of another key, and for a name without a roster.
    """
    if roster is None:
        if name is not None:
            raise UsageError("--patient is for --roster, which looks up whose note it is")
        return None
    people, keys = open_roster(Storage(), roster, key_source, fuzzy)
    return RosterOfNotes(people, keys, name or PATIENT_NAME)


def open_roster(
    storage: Storage, roster: str, key_source: str, fuzzy: int
) -> tuple[KnownPeople, Keys]:
    """A roster, and the keys that it is sealed under; arguments and errors of `roster_of_notes`."""
    keys = load_keys(key_source, storage.read_bytes)
    warn_if_open(key_source)
    return KnownPeople.of(RosterBundle(roster, keys, storage), fuzzy), keys
