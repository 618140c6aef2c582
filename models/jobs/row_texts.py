"""The texts of the rows of a batch: cells, values in nested columns, values of records."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ..core.arrays import Ints
from ..core.batches import Failure
from ..core.budgets import Budgets, check_text
from ..core.documents import Documents
from ..core.errors import DocumentError, error_class
from ..core.known_values import KnownLabel
from ..core.shortage import raise_shortage, shortage_of
from ..core.written_texts import WrittenText
from ..formats import CellForm
from ..formats.column_roles import Columns, Role
from ..formats.line_notes import RowStarts, join
from ..formats.nested_columns import NestedNote, OpenedColumn
from ..formats.nested_texts import NestedText, nested_texts, notes_of_rows
from ..formats.text_markup import opened_text
from .chunk_packing import runs_of_notes

STAGE = "read"


class _FoundText(NamedTuple):
    """A text of a note.

    Attributes:
        place: where it lies.
        values: of the rows of the note.
        is_text: whether they can be texts.
        note: how it is written, of a record.
    """

    place: str
    values: Sequence[Any]
    is_text: bool
    note: NestedNote | None = None


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class RowTexts:
    """Makes documents of rows.

    Attributes:
        columns: their roles.
        budgets: of a document.
        form: what cells are.
        nested: the nested columns, opened.
        has_lines: whether a note may be of several rows.
    """

    columns: Columns
    budgets: Budgets
    form: CellForm
    nested: Mapping[str, OpenedColumn]
    has_lines: bool

    def documents(
        self,
        table: pa.Table,
        first_rows: Ints,
        failures: dict[int, Failure],
        skipped: Collection[int],
    ) -> Documents:
        """The texts; of notes that are skipped they are checked, as far as memory goes.

        Args:
            table: the rows.
            first_rows: see `Rows`.
            failures: by row; those of texts are added.
            skipped: first rows of notes of which no document is made.
        """
        fields = self._fields(table)
        texts: list[str] = []
        rows: list[int] = []
        names: list[str] = []
        starts: dict[int, RowStarts] = {}
        written: dict[int, WrittenText] = {}
        known: dict[int, KnownLabel] = {}
        for begin, end in runs_of_notes(first_rows):
            for found in itertools.chain.from_iterable(field(begin, end) for field in fields):
                if begin in failures or all(text is None for text in found.values):
                    continue
                try:
                    text, row_starts = self._text(found)
                    opened = None if row_starts else self._opened(found, text)
                except Exception as error:  # fail closed, as for ids
                    if begin in skipped and shortage_of(error):
                        continue
                    raise_shortage(error)
                    failures[begin] = Failure(STAGE, error_class(error))
                    continue
                if begin in skipped:
                    continue
                if row_starts:
                    starts[len(texts)] = row_starts
                if found.note is not None and found.note.known is not None:
                    known[len(texts)] = found.note.known
                if opened is not None:
                    written[len(texts)], text = opened, opened.text
                texts.append(text)
                rows.append(begin)
                names.append(found.place)
        return Documents(
            tuple(texts), np.array(rows, np.int64), tuple(names), starts, written, known
        )

    def _fields(self, table: pa.Table) -> list[Callable[[int, int], Iterable[_FoundText]]]:
        """Gives for a note, by its first row and the row after its last, its texts in a column."""
        if not self.columns.record:
            return [self._field(table, name) for name in self.columns.named(Role.TEXT)]
        notes = notes_of_rows(self.nested)
        return [
            lambda begin, end: [
                _FoundText(note.place, [""], is_text=True, note=note)
                for row in range(begin, end)
                for note in notes.get(row, ())
            ]
        ]

    def _field(self, table: pa.Table, name: str) -> Callable[[int, int], Iterable[_FoundText]]:
        if not self.columns.is_path(name):
            column = table.column(name)
            values, is_text = self.form.decode(column), self.form.is_text(column.type)
            return lambda begin, end: (_FoundText(name, values[begin:end], is_text),)
        by_row: dict[int, list[NestedText]] = {}
        for text in nested_texts(self.form, self.columns, self.nested).get(name, ()):
            by_row.setdefault(text.row, []).append(text)
        return lambda begin, end: [
            _FoundText(text.place, [text.value], text.is_text)
            for row in range(begin, end)
            for text in by_row.get(row, ())
        ]

    def _text(self, found: _FoundText) -> tuple[str, RowStarts]:
        """The text of a note, and where that of each of its rows begins if there are several.

        Raises:
            DocumentError: as `check_text`, for the note as a whole too.
        """
        for text in found.values:
            if text is not None:
                check_text(text if found.is_text else (), self.budgets)
        if len(found.values) == 1:
            return found.values[0], ()
        text, starts = join(found.values)
        check_text(text, self.budgets)
        return text, starts

    def _opened(self, found: _FoundText, text: str) -> WrittenText | None:
        """How a text is written that stands in a record or in markup; it is within the budgets.

        Raises:
            DocumentError: if it cannot be read.
        """
        if self.has_lines:
            return None
        if found.note is None:
            written = opened_text(self.columns, found.place, text)
        elif (written := found.note.written) is None:
            raise DocumentError(found.note.error)
        if written is not None:
            check_text(written.text, self.budgets)
        return written
