"""Unit -> batches: source records become rows with keys, and documents.

Whatever is wrong with a record is found here at the latest and fails that row alone: a broken line,
a missing id, a text that is not text or that UTF-8 cannot hold.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from ..core.arrays import Ints
from ..core.batches import Batch, Failure
from ..core.budgets import Budgets
from ..core.documents import Rows, ViewedRows
from ..core.errors import error_class
from ..core.keys import Keys, canonical_id
from ..core.known_values import KnownAttribute, KnownValue, PersonKind
from ..core.shortage import raise_shortage
from ..formats import CellForm, Chunk, Format, Limits
from ..formats.column_roles import Columns, Role
from ..formats.line_notes import GroupLines, lines_in_order, whole_notes
from ..formats.nested_columns import OpenedColumn
from ..formats.nested_texts import open_nested
from ..redaction.telling import period_of
from ..storage.input_files import InputFile
from ..storage.storage import Storage
from .amendments import NO_AMENDMENTS, SKIPPED, UnitAmendments
from .chunk_packing import fail_notes, first_rows_of, pack_chunks, runs_of_notes
from .known_columns import known_of_rows
from .plan import Unit
from .record_rows import UNSTABLE, keys_in_place, row_key, unstable_rows
from .row_texts import STAGE, RowTexts
from .row_values import RowValues, grammar_of
from .shifted_columns import NO_DATES, DateColumns, RowDates


def read_unit(
    storage: Storage,
    form: Format,
    unit: Unit,
    files: Sequence[InputFile],
    columns: Columns,
    keys: Keys,
    limits: Limits,
    budgets: Budgets,
    *,
    dates: DateColumns,
    view: ViewColumns | None = None,
    amendments: UnitAmendments = NO_AMENDMENTS,
    group_lines: GroupLines | None = None,
) -> Iterator[Batch]:
    """Yields the unit's batches; the last one has `last` set and may be empty.

    Args:
        form: that of the unit, as the job reads it.
        files: all input files of the plan.
        dates: what becomes of columns of role `date` and `birth`.
        view: columns of which the identifier view tells; None where none is made.
        amendments: which rows of the unit repeat an id, and which are left out.
        group_lines: where a note is several rows; they are never in two batches.

    Raises:
        RunFailed: if storage fails or an input is not what was planned; a record never raises.
        Shortage: if the machine lacks something.
    """
    names = _read_columns(columns, unit)

    def notes(chunks: Iterator[Chunk]) -> Iterator[Chunk]:
        if group_lines is None:
            return chunks
        return whole_notes(chunks, form, group_lines, budgets.document_bytes)

    return batches_of_chunks(
        pack_chunks(_chunks(storage, form, unit, files, names, limits, notes), limits),
        form,
        unit,
        columns,
        keys,
        budgets,
        dates=dates,
        view=view,
        amendments=amendments,
        group_lines=group_lines,
    )


def batches_of_chunks(
    chunks: Iterable[Chunk],
    cells: CellForm,
    unit: Unit,
    columns: Columns,
    keys: Keys,
    budgets: Budgets,
    *,
    dates: DateColumns,
    view: ViewColumns | None = None,
    amendments: UnitAmendments = NO_AMENDMENTS,
    group_lines: GroupLines | None = None,
) -> Iterator[Batch]:
    """Yields a batch a chunk, wherever the chunks come from; else as `read_unit`.

    Args:
        chunks: records in order, each chunk within the caps of a batch.
        cells: what the cells of the chunks are.
    """
    make = _RowMaker(columns, keys, budgets, unit, dates, view, amendments, group_lines)
    first = 0
    waiting: Batch | None = None
    for chunk in chunks:
        if waiting is not None:
            yield waiting
        waiting = make.batch(cells, chunk, first)
        first += chunk.columns.num_rows
    if waiting is None:
        names = _read_columns(columns, unit)
        nothing = pa.table({name: pa.array([], pa.string()) for name in names})
        waiting = make.batch(cells, Chunk(nothing, {}), first)
    yield dataclasses.replace(waiting, last=True)


def _read_columns(columns: Columns, unit: Unit) -> tuple[str, ...]:
    """The columns that are read: those of folders are not in the files."""
    folders = dict(unit.partition)
    return tuple(name for name in columns.inputs if name not in folders)


def rows_of_locators(
    storage: Storage,
    form: Format,
    unit: Unit,
    files: Sequence[InputFile],
    columns: Columns,
    limits: Limits,
) -> list[int]:
    """How many rows of a unit lie in each of its ranges of input, in order.

    Raises:
        RunFailed, Shortage: see `read_unit`.
    """
    names = _read_columns(columns, unit)
    return [
        sum(
            chunk.columns.num_rows
            for chunk in _chunks(
                storage,
                form,
                dataclasses.replace(unit, locators=(one,)),
                files,
                names,
                limits,
                iter,
            )
        )
        for one in unit.locators
    ]


def _chunks(
    storage: Storage,
    form: Format,
    unit: Unit,
    files: Sequence[InputFile],
    names: tuple[str, ...],
    limits: Limits,
    notes: Callable[[Iterator[Chunk]], Iterator[Chunk]],
) -> Iterator[Chunk]:
    for locator in unit.locators:
        file = files[locator.file]
        storage.check_unchanged(file)
        yield from notes(form.read(storage, file, locator, names, limits))
        # Once more: of a file that was cut short meanwhile, the reader saw just an earlier end.
        storage.check_unchanged(file)


ViewColumns = tuple[tuple[str, str], ...]
"""Attribute of the identifier view and the column that it is in."""


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class _RowMaker:
    columns: Columns
    keys: Keys
    budgets: Budgets
    unit: Unit
    dates: DateColumns
    view: ViewColumns | None
    amendments: UnitAmendments
    group_lines: GroupLines | None

    def batch(self, form: CellForm, chunk: Chunk, first: int) -> Batch:
        """One chunk as a batch. `first`: ordinal of its first row in the unit."""
        count = chunk.columns.num_rows
        failures = {row: Failure(STAGE, code) for row, code in chunk.errors.items()}
        first_rows = first_rows_of(chunk)
        skipped: dict[int, Failure] = {}
        """The notes that an operator leaves out; a failure that is found goes before."""
        for row in range(count):
            code = self.amendments.skip.get(first + row)
            if code == SKIPPED:
                skipped[int(first_rows[row])] = skipped[row] = Failure("skip-list", code)
            elif code:
                failures[row] = Failure("skip-list", code)

        folders = dict(self.unit.partition)
        values = RowValues.opened(self.columns, form, chunk, folders, failures)
        nested = values.nested
        ids, patients = values.ids_and_patients(failures)
        ordinals = [self.amendments.ordinals.get(first + int(row), 0) for row in first_rows]
        doc_keys = [
            None if own is None else row_key(self.keys, self.columns.record, own, ordinal)
            for own, ordinal in zip(ids, ordinals, strict=True)
        ]
        kinds = values.first(Role.TYPE)
        types = [None if kind is None else str(kind) for kind in kinds]
        self._check_lines(form, chunk, first_rows, types, failures)
        texts = RowTexts(self.columns, self.budgets, form, nested, has_lines=bool(self.group_lines))
        documents = texts.documents(chunk.columns, first_rows, failures, skipped)
        patient_keys = tuple(None if p is None else self.keys.patient_key(p) for p in patients)
        dates = self._row_dates(values, patient_keys)
        keys = {Role.ID: tuple(doc_keys), Role.PATIENT: patient_keys}
        output, opened = self._output(form, chunk, nested, keys, dates, failures)
        rows = Rows(
            np.arange(first, first + count, dtype=np.int64),
            tuple(doc_keys),
            patient_keys,
            tuple(types),
            output,
            first_rows,
            self._periods(values, dates),
            self._known(values, failures),
            note_dates=dates.notes,
            births_over_89=dates.births_over_89,
            dates_unread=tuple(dates.unread),
            viewed=self._viewed(values, dates),
            opened=opened,
        )
        failures.update(
            {row: why for row, why in skipped.items() if int(first_rows[row]) not in failures}
        )
        fail_notes(first_rows, failures)
        return Batch(self.unit.index, False, rows, documents, failures, given=self.amendments.hash)

    def _known(
        self, values: RowValues, failures: dict[int, Failure]
    ) -> tuple[tuple[KnownValue, ...], ...]:
        """What the columns with role `known` say of each row; () where there are none.

        In a record, so do all ids of the patient.
        """
        if not self.columns.known:
            return ()
        declared = self.columns.known
        if self.columns.record:
            ids = self.columns.named(Role.PATIENT)
            declared = (*declared, *((name, PersonKind.SELF, KnownAttribute.MRN) for name in ids))
        cells = (
            (row, kind, attribute, value)
            for name, kind, attribute in declared
            for row, value in values.at(name)
        )
        known, errors = known_of_rows(cells, values.chunk.columns.num_rows)
        for row, code in errors.items():
            failures.setdefault(row, Failure(STAGE, code))
        return known

    def _row_dates(self, values: RowValues, patients: Sequence[str | None]) -> RowDates:
        """What the columns of role `date` and `birth` say of each row, where anybody asks."""
        if self.dates.shifting is None and self.view is None:
            return NO_DATES
        dates, births = (
            [values.of(name) for name in self._present(role, values.nested)]
            for role in (Role.DATE, Role.BIRTH)
        )
        if self.columns.record:
            dates.insert(0, values.note_dates())
        return RowDates.of(self.dates.reading, self.keys.dates, patients, dates, births)

    def _present(self, role: Role, nested: Mapping[str, OpenedColumn]) -> Sequence[str]:
        """The columns of a role; of records, which have many names, those that the rows hold."""
        names = self.columns.named(role)
        if not self.columns.record:
            return names
        held = {leaf for column in nested.values() for leaf in column.leaves}
        return [name for name in names if not self.columns.is_path(name) or name in held]

    def _periods(self, values: RowValues, dates: RowDates) -> tuple[str | None, ...]:
        if (period := self.dates.period) is None:
            return ()
        if self.dates.shifting is not None:
            return tuple(period_of(date, period) for date in dates.shifted_notes)
        return tuple(period_of(date, period) for date in values.note_dates())

    def _viewed(self, values: RowValues, dates: RowDates) -> ViewedRows | None:
        """What columns tell the identifier view; None where none is made."""
        if self.view is None:
            return None
        cells = {name: values.of(column) for name, column in self.view}
        shown = dates.notes if self.dates.shifting is None else dates.shifted_notes
        births = map(self.dates.reading.read, values.first(Role.BIRTH))
        return ViewedRows(
            tuple(None if day is None else day.year for day in shown), tuple(births), cells
        )

    def _check_lines(
        self,
        form: CellForm,
        chunk: Chunk,
        first_rows: Ints,
        types: Sequence[str | None],
        failures: dict[int, Failure],
    ) -> None:
        """Fails the notes whose rows are not in the order of their line numbers."""
        if self.group_lines is None:
            return
        fail_notes(first_rows, failures)
        lines = form.decode(chunk.columns.column(self.group_lines.line))
        for begin, end in runs_of_notes(first_rows):
            code = lines_in_order(lines[begin:end])
            if len(set(map(str, types[begin:end]))) > 1:
                code = "NoteTypesDiffer"  # no single policy applies
            if code and begin not in failures:
                failures[begin] = Failure(STAGE, code)
        fail_notes(first_rows, failures)

    def _output(
        self,
        form: CellForm,
        chunk: Chunk,
        nested: Mapping[str, OpenedColumn],
        keys: Mapping[Role, Sequence[str | None]],
        dates: RowDates,
        failures: dict[int, Failure],
    ) -> tuple[pa.Table, dict[str, OpenedColumn]]:
        """The columns that go out, text still as it came in; hashed and shifted ones are that.

        Of them those that hold records are opened again.
        """
        out: dict[str, pa.ChunkedArray | pa.Array] = {}
        opened_again: dict[str, OpenedColumn] = {}
        fields: list[pa.Field] = []
        folders = dict(self.unit.partition)
        roles = dict(self.columns.roles)
        for name in self.columns.inputs:
            if name in folders:
                continue
            column: Any
            field = chunk.columns.schema.field(name)
            if name in self.columns.nested:
                opened = nested[name]
                cells = {
                    path: self._cells(form, leaf.cells, leaf.rows, roles[path], dates, failures)
                    for path, leaf in opened.leaves.items()
                    if self._goes_out(roles[path]) or path in self.columns.filled_names
                }
                if name == self.columns.record:
                    cells |= keys_in_place(opened, roles, keys)
                if (column := opened.closed(cells)) is None:
                    continue
                field = opened.field(field, cells)
                if name == self.columns.record:
                    opened_again |= open_nested(form, self.columns, pa.table({name: column}))
                    texts = (*self.columns.named(Role.TEXT), *self.columns.filled_names)
                    for row in unstable_rows(opened, opened_again[name], texts):
                        failures.setdefault(row, Failure(STAGE, UNSTABLE))
            elif self._goes_out(roles[name]):
                column = chunk.columns.column(name)
                rows = range(chunk.columns.num_rows)
                column = self._cells(form, column, rows, roles[name], dates, failures)
                if roles[name] is Role.HASH:
                    field = pa.field(name, column.type)
            else:
                continue
            out[name] = column
            fields.append(field)
        schema = pa.schema(fields, chunk.columns.schema.metadata)
        return pa.table(list(out.values()), schema=schema), opened_again

    def _goes_out(self, role: Role) -> bool:
        if role in (Role.DATE, Role.BIRTH):
            return self.dates.go_out
        return role not in (Role.ID, Role.PATIENT, Role.DROP, Role.KNOWN)

    def _cells(
        self,
        form: CellForm,
        column: Any,
        rows: Sequence[int],
        role: Role,
        dates: RowDates,
        failures: dict[int, Failure],
    ) -> Any:
        """Cells as they go out: as they are, hashed, or shifted."""
        if role in (Role.DATE, Role.BIRTH) and self.dates.shifting is not None:
            return dates.column(
                self.dates.shifting, form, column, rows, is_birth=role is Role.BIRTH
            )
        if role is not Role.HASH:
            return column
        grammar = grammar_of(self.columns)
        hash_of: Callable[[str], str] = self.keys.column_hash
        if grammar is not None and grammar.has_links:
            hash_of = functools.partial(row_key, self.keys, self.columns.record)
        hashed: list[str | None] = []
        for row, value in zip(rows, form.decode(column), strict=True):
            try:
                canonical = canonical_id(value)
                hashed.append(None if canonical is None else hash_of(canonical))
            except Exception as error:  # fail closed, as for ids
                raise_shortage(error)
                failures.setdefault(row, Failure(STAGE, error_class(error)))
                hashed.append(None)
        return form.encode_text(hashed, pa.string())
