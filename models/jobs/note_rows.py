"""The notes of a chunk, read as a run reads them: of records of messages, or of rows of a table."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ..core.batches import Failure
from ..core.budgets import Budgets
from ..core.documents import Documents
from ..core.keys import canonical_id
from ..formats import CellForm, Chunk
from ..formats.column_roles import Columns, Role
from ..messages.message_times import plain_time
from ..messages.plain_notes import PlainNote
from .row_texts import STAGE, RowTexts
from .row_values import RowValues

_OF_VISIT = "Encounter/"
"""Before the id of a visit where a value says what it leads to."""


class ChunkNotes(NamedTuple):
    """What a chunk holds.

    Attributes:
        notes: in the order of rows; of a record all its notes, or one without a text.
        failures: row -> error class, of rows that a run would hold back when it reads them.
    """

    notes: list[PlainNote]
    failures: dict[int, str]


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class NoteReader:
    """Reads notes.

    Attributes:
        columns: their roles; of a table, one column at most has role hash, and that is the visit.
        budgets: of a document.
        more: names of further values that are asked for; of role known all values of a row count,
            of others the first.
    """

    columns: Columns
    budgets: Budgets
    more: tuple[str, ...] = ()

    def notes(self, form: CellForm, chunk: Chunk, folders: Mapping[str, str]) -> ChunkNotes:
        """The notes of a chunk.

        Args:
            form: what its cells are.
            folders: hive keys of its file, and their values.
        """
        count = chunk.columns.num_rows
        failures = {row: Failure(STAGE, code) for row, code in chunk.errors.items()}
        values = RowValues.opened(self.columns, form, chunk, folders, failures)
        ids, patients = values.ids_and_patients(failures)
        texts = RowTexts(self.columns, self.budgets, form, values.nested, has_lines=False)
        documents = texts.documents(chunk.columns, np.arange(count), failures, ())
        of_rows = _RowSaid(
            ids,
            patients,
            self._visits(values, failures),
            [None if kind is None else str(kind) for kind in values.first(Role.TYPE)],
            self._times(values, values.note_dates(), Role.DATE),
            self._times(values, values.first(Role.BIRTH), Role.BIRTH),
            [self._more(values, name) for name in self.more],
        )
        by_row: dict[int, list[int]] = {}
        for number, row in enumerate(documents.rows.tolist()):
            by_row.setdefault(row, []).append(number)
        notes = [
            note
            for row in range(count)
            if row not in failures
            for note in self._of_row(of_rows.note(row), documents, by_row.get(row, ()))
        ]
        return ChunkNotes(notes, {row: one.error for row, one in sorted(failures.items())})

    def _of_row(
        self, said: PlainNote, documents: Documents, numbers: Sequence[int]
    ) -> Iterator[PlainNote]:
        for number in numbers:
            text, place = documents.texts[number], documents.fields[number]
            source, markup = text, ""
            written = documents.written.get(number)
            if written is not None and not self.columns.record:
                source = written.pieces[0].stack.source
                markup = written.recognised or dict(self.columns.markup)[place]
            yield said._replace(place=place, text=text, source=source, markup=markup)
        if not numbers:
            yield said

    def _visits(self, values: RowValues, failures: dict[int, Failure]) -> list[str | None]:
        if values.grammar is None:
            return values.ids(Role.HASH, failures)
        ends, hashed = values.grammar.visit_places, frozenset(self.columns.named(Role.HASH))
        found: list[str | None] = [None] * values.chunk.columns.num_rows
        for column in values.nested.values():
            for name, leaf in column.leaves.items():
                if name not in hashed:
                    continue
                cells = values.form.decode(leaf.cells if leaf.said is None else leaf.said)
                for row, place, value in zip(leaf.rows, leaf.places, cells, strict=True):
                    if found[row] is None and place.endswith(ends):
                        own = canonical_id(value)
                        found[row] = own and own.removeprefix(_OF_VISIT)
        return found

    def _times(self, values: RowValues, cells: list[object], role: Role) -> list[str | None]:
        """Dates in the plain form, where they have one; as they came otherwise."""
        names = self.columns.named(role)
        is_utc = bool(names) and not self.columns.record and _is_instant(values, names[0])
        found: list[str | None] = []
        for value in cells:
            text = None if value is None else str(value).strip()
            if text and is_utc:
                text += "Z"
            found.append((plain_time(text) or text) if text else None)
        return found

    def _more(self, values: RowValues, name: str) -> list[object]:
        role = self.columns.role_of(name)
        if role in (Role.DATE, Role.BIRTH):
            return [*self._times(values, values.of(name), role)]
        if role is not Role.KNOWN:
            return values.of(name)
        found: list[object] = [None] * values.chunk.columns.num_rows
        for row, value in values.at(name):
            if value is not None:
                found[row] = [*(found[row] or ()), value]  # type: ignore[misc]
        return found


def _is_instant(values: RowValues, name: str) -> bool:
    """Whether a column holds times with a zone, which formats give in UTC, without saying so."""
    if name in values.folders or values.columns.is_path(name):
        return False
    kind = values.chunk.columns.schema.field(name).type
    return pa.types.is_timestamp(kind) and kind.tz is not None


class _RowSaid(NamedTuple):
    """What is said of each row, beside its texts."""

    ids: list[str | None]
    patients: list[str | None]
    visits: list[str | None]
    types: list[str | None]
    dates: list[str | None]
    births: list[str | None]
    more: list[list[object]]

    def note(self, row: int) -> PlainNote:
        """That of a row, as a note without a text."""
        return PlainNote(
            row,
            "",
            self.ids[row] or "",
            self.patients[row],
            self.visits[row],
            self.types[row],
            self.dates[row],
            self.births[row],
            more=tuple(column[row] for column in self.more),
        )
