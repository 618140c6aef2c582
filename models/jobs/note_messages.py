"""Notes as messages, each read again: what a run reads in one is what the table said."""

from __future__ import annotations

import dataclasses
import datetime
import functools
from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa

from ..core.budgets import Budgets
from ..core.display_names import declared_list
from ..core.errors import DocumentError, UsageError, error_class
from ..core.shortage import raise_shortage
from ..formats import FORMATS, Chunk
from ..formats.column_roles import Columns, Role
from ..messages.message_times import BAD_DATE, in_zone, plain_time
from ..messages.plain import PLAIN_MESSAGES
from ..messages.plain_notes import PlainNote
from .note_rows import NoteReader

NOT_READ_BACK = "NotReadBack"
"""The error class of a row of which a message would say something else."""

_FEW = (Role.TEXT, Role.DATE, Role.BIRTH, Role.HASH)
"""Roles that one column may have, of rows that become messages."""


def require_message_roles(columns: Columns, grammar: str) -> None:
    """Refuses roles for which the messages of a grammar have no place.

    Raises:
        UsageError: with the columns.
    """
    homeless = [*columns.named(Role.PASS), *(name for name, _, _ in columns.known)]
    has_birth = PLAIN_MESSAGES[grammar].has_birth
    if not has_birth:
        homeless += columns.named(Role.BIRTH)
    if homeless:
        raise UsageError(
            f"a message of {grammar} has no place for the columns {declared_list(homeless)}: give "
            "them role drop. Places are there for id, patient, type, date, text, hash (the visit)"
            + (" and birth" if has_birth else "")
        )
    for role in _FEW:
        if len(names := columns.named(role)) > 1:
            raise UsageError(
                f"one column may have role {role} where rows become messages, and these have it: "
                f"{declared_list(names)}; give the others role drop"
            )
    if any(columns.is_path(name) and name.count("[]") for name in columns.named(Role.TEXT)):
        raise UsageError("the column with role text must hold one text a row, and no list of them")


class MadeMessages(NamedTuple):
    """What became of notes.

    Attributes:
        records: the messages, in order.
        failures: row -> error class, of notes that no message can hold.
    """

    records: list[str]
    failures: dict[int, str]


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class NoteWriter:
    """Makes messages of notes.

    Attributes:
        grammar: key of `PLAIN_MESSAGES`.
        zone: of times of day that say none; None leaves them without.
    """

    grammar: str
    zone: datetime.tzinfo | None = None

    def messages(self, notes: Sequence[PlainNote]) -> MadeMessages:
        """The messages; one that is not read as its note is made again with encoded text."""
        failures: dict[int, str] = {}
        waiting: dict[int, PlainNote] = {}
        for number, note in enumerate(notes):
            try:
                waiting[number] = self._timed(note)
            except DocumentError as error:
                failures[note.row] = error.code
        made: dict[int, str] = {}
        make = PLAIN_MESSAGES[self.grammar].make
        for as_data in (False, True):
            records: dict[int, str] = {}
            for number, note in waiting.items():
                try:
                    records[number] = make(note, as_data=as_data)
                except Exception as error:  # fail closed, as for all that is read
                    raise_shortage(error)
                    failures[note.row] = error_class(error)
            waiting = {number: waiting[number] for number in records}
            for number in self._read_alike(waiting, list(records.values())):
                made[number] = records[number]
                del waiting[number]
        failures |= dict.fromkeys((note.row for note in waiting.values()), NOT_READ_BACK)
        return MadeMessages([made[number] for number in sorted(made)], failures)

    def _timed(self, note: PlainNote) -> PlainNote:
        """The note with times in the plain form.

        Raises:
            DocumentError: `BAD_DATE`.
        """
        return note._replace(date=self._time(note.date), birth=self._time(note.birth))

    def _time(self, value: str | None) -> str | None:
        if value is None:
            return None
        time = plain_time(value)
        if time is None:
            raise DocumentError(BAD_DATE)
        return time if self.zone is None else in_zone(time, self.zone)

    def _read_alike(self, notes: dict[int, PlainNote], records: list[str]) -> list[int]:
        """The numbers of those notes that a run reads in their records."""
        form = FORMATS[self.grammar]
        table = pa.table({self.grammar: pa.array(records, pa.string())})
        kept = PLAIN_MESSAGES[self.grammar].kept
        read = _reader(self.grammar).notes(form, Chunk(table, {}), {})
        of_row: dict[int, list[PlainNote]] = {}
        for note in read.notes:
            of_row.setdefault(note.row, []).append(note)
        return [
            number
            for row, (number, note) in enumerate(notes.items())
            if [_said(one) for one in of_row.get(row, ())] == [_said(kept(note))]
        ]


@functools.cache  # columns are compared by identity where they are looked up
def _reader(grammar: str) -> NoteReader:
    """Reads as a run with the roles of the standard does.

    What a table may hold, its message may too, whatever the budgets of a run are then.
    """
    return NoteReader(Columns.of_record(grammar, ()).resolved(()), Budgets(document_bytes=1 << 40))


def _said(note: PlainNote) -> tuple[object, ...]:
    return note.doc_id, note.patient, note.visit, note.date, note.birth, note.text
