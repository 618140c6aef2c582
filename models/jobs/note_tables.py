"""The table of notes that is made of messages: its columns, their roles, and its cells."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Sequence

import pyarrow as pa

from ..core.errors import UsageError
from ..formats import FORMATS, Format
from ..formats.column_roles import Columns, Role
from ..formats.nested_paths import show_name
from ..messages.plain_notes import PlainNote

TABLES = tuple(name for name, form in FORMATS.items() if form.traits.holds_patient_key)
"""Keys of `FORMATS` in which a table is written."""

_NUMBER = "record"
_COLUMNS = {
    "file": Role.DROP,
    _NUMBER: Role.DROP,
    "place": Role.PASS,
    "doc_id": Role.ID,
    "patient": Role.PATIENT,
    "visit": Role.HASH,
    "type": Role.TYPE,
    "date": Role.DATE,
    "birth": Role.BIRTH,
    "text": "text:plain",
}
"""Name -> the role with which a run reads it. What was read is text: nothing in it is markup."""


@dataclasses.dataclass(frozen=True, slots=True)
class NoteTable:
    """A table of notes.

    Attributes:
        form: in which it is written; one of `TABLES`.
        more: names of values of messages that have columns of their own -> their roles.
        lists: those of `more` of which a record may have several, all of which count.
    """

    form: Format
    more: tuple[tuple[str, str], ...] = ()
    lists: frozenset[str] = frozenset()

    @classmethod
    def of(cls, form: Format, columns: Columns) -> NoteTable:
        """The table for messages with some roles: what was declared has a column, beside its text.

        Args:
            columns: of the messages.

        Raises:
            UsageError: if a cell of the format would have to hold several values, or two columns
                would have one name.
        """
        own = (Role.ID, Role.PATIENT, Role.TYPE, Role.TEXT, Role.DROP)
        more = tuple(
            (name, role) for name, role in columns.overlaid if role.partition(":")[0] not in own
        )
        lists = frozenset(name for name, role in more if role.partition(":")[0] == Role.KNOWN)
        if lists and form.nesting is None:
            raise UsageError(
                "a record may have several values of role known, and a cell of the format "
                f"{form.name} holds one: write .parquet or .jsonl"
            )
        if both := [name for name, _ in more if name in _COLUMNS]:
            raise UsageError(f"the table has a column {both[0]} of its own: it cannot be declared")
        return cls(form, more, lists)

    def roles(self) -> list[tuple[str, str]]:
        """Column or path -> role, as `--column` takes them, for a run that reads the table."""
        return [
            *((name, str(role)) for name, role in _COLUMNS.items()),
            *((f"{show_name(n)}[]" if n in self.lists else n, role) for n, role in self.more),
        ]

    def rows(self, notes: Sequence[PlainNote], where: Sequence[tuple[str, int]]) -> pa.Table:
        """Notes as rows.

        Args:
            notes: in order.
            where: the file and the number of the record of each.
        """
        columns = {
            "file": self._texts(file for file, _ in where),
            _NUMBER: self._numbers([number for _, number in where]),
            "place": self._texts(note.place or None for note in notes),
            "doc_id": self._texts(note.doc_id for note in notes),
            "patient": self._texts(note.patient for note in notes),
            "visit": self._texts(note.visit for note in notes),
            "type": self._texts(note.type for note in notes),
            "date": self._texts(note.date for note in notes),
            "birth": self._texts(note.birth for note in notes),
            "text": self._texts(note.text for note in notes),
        }
        if self.form.traits.columns_are_partial:  # JSON: a run looks for it at the beginning
            columns["text"] = columns["text"].fill_null("null")
        for index, (name, _) in enumerate(self.more):
            cells = [note.more[index] for note in notes]
            if name in self.lists:
                columns[name] = self._lists(cells)
            else:
                columns[name] = self._texts(None if one is None else str(one) for one in cells)
        return pa.table(columns)

    @property
    def _is_typed(self) -> bool:
        """Whether cells are values; else they are texts, of nested ones JSON."""
        return hasattr(self.form, "column_types")

    def _texts(self, values: Iterable[str | None]) -> pa.Array:
        return self.form.encode_text(list(values), pa.string())

    def _numbers(self, values: Sequence[int]) -> pa.Array:
        if self._is_typed:
            return pa.array(values, pa.int64())
        return pa.array(list(map(str, values)), pa.string())

    def _lists(self, values: Sequence[object]) -> pa.Array:
        if self._is_typed:
            return pa.array(values, pa.list_(pa.string()))
        cells = (None if v is None else json.dumps(v, ensure_ascii=False) for v in values)
        return pa.array(list(cells), pa.string())
