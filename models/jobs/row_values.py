"""What the columns and paths of a chunk say of each of its rows, by role."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

from ..core.batches import Failure
from ..core.errors import error_class
from ..core.keys import canonical_id
from ..core.shortage import raise_shortage
from ..formats import CellForm, Chunk
from ..formats.column_roles import Columns, Role
from ..formats.nested_columns import OpenedColumn
from ..formats.nested_texts import open_nested
from ..messages.base import MessageGrammar
from ..messages.table import GRAMMARS
from .record_rows import patient_of_row
from .row_texts import STAGE


def grammar_of(columns: Columns) -> MessageGrammar | None:
    """The grammar of rows that are records of messages; None for those of tables."""
    return GRAMMARS[columns.record] if columns.record else None


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class RowValues:
    """The values of the rows of a chunk.

    Attributes:
        columns: their roles.
        form: what cells are.
        chunk: the rows.
        nested: its nested columns, opened.
        folders: hive keys of the file and their values; each counts as a constant column.
    """

    columns: Columns
    form: CellForm
    chunk: Chunk
    nested: Mapping[str, OpenedColumn]
    folders: Mapping[str, str]

    @classmethod
    def opened(
        cls,
        columns: Columns,
        form: CellForm,
        chunk: Chunk,
        folders: Mapping[str, str],
        failures: dict[int, Failure],
    ) -> RowValues:
        """Opens nested columns; `failures` gets the rows that cannot be opened."""
        nested = open_nested(form, columns, chunk.columns)
        for column in nested.values():
            for row, code in column.errors.items():
                failures.setdefault(row, Failure(STAGE, code))
        return cls(columns, form, chunk, nested, folders)

    @property
    def grammar(self) -> MessageGrammar | None:
        """That of the rows, where they are records of messages."""
        return grammar_of(self.columns)

    def at(self, name: str) -> Iterable[tuple[int, object]]:
        """Row and Python value of a column or path."""
        if name in self.folders:
            return ((row, self.folders[name]) for row in range(self.chunk.columns.num_rows))
        if not self.columns.is_path(name):
            return enumerate(self.form.decode(self.chunk.columns.column(name)))
        leaves = [column.leaves[name] for column in self.nested.values() if name in column.leaves]
        return (
            pair
            for leaf in leaves
            for pair in zip(
                leaf.rows,
                self.form.decode(leaf.cells if leaf.said is None else leaf.said),
                strict=True,
            )
        )

    def of(self, name: str) -> list[object]:
        """Python values of a column or path, one a row."""
        values: list[object] = [None] * self.chunk.columns.num_rows
        for row, value in self.at(name):
            if values[row] is None:  # of what a record repeats, the first counts
                values[row] = value
        return values

    def first(self, role: Role) -> list[object]:
        """Those of the first column of a role."""
        for name in self.columns.named(role):
            return self.of(name)
        return [None] * self.chunk.columns.num_rows

    def note_dates(self) -> list[object]:
        """The value that tells the date of each row's note."""
        if self.grammar is None:
            return self.first(Role.DATE)
        found: list[object] = [None] * self.chunk.columns.num_rows
        dates = frozenset(self.columns.named(Role.DATE))
        for name in self.grammar.note_dates:
            if name in dates:
                values = self.of(name)
                found = [
                    new if old is None else old for old, new in zip(found, values, strict=True)
                ]
        return found

    def ids(self, role: Role, failures: dict[int, Failure]) -> list[str | None]:
        """The canonical ids of the first column of a role; None for a row without one.

        Args:
            failures: by row; those of ids that cannot be read are added.
        """
        found: list[str | None] = []
        for row, value in enumerate(self.first(role)):
            try:
                found.append(canonical_id(value))
            except Exception as error:  # fail closed: an id that cannot be read fails its row
                raise_shortage(error)
                failures.setdefault(row, Failure(STAGE, error_class(error)))
                found.append(None)
        return found

    def ids_and_patients(
        self, failures: dict[int, Failure]
    ) -> tuple[list[str | None], list[str | None]]:
        """The canonical ids of documents and patients; `failures` gets the rows without an id."""
        ids, patients = self.ids(Role.ID, failures), self.ids(Role.PATIENT, failures)
        for row, own in enumerate(ids):
            if own is None:
                failures.setdefault(row, Failure(STAGE, "MissingId"))
            else:
                patients[row] = patient_of_row(self.columns.record, own, patients[row])
        return ids, patients
