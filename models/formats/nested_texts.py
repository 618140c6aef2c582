"""The texts within nested columns: where they lie, and how they are put back scrubbed.

A text is named by its place (`notes[2].text`). A text column of which a row holds no text is named
by its path (`notes[].text`), so that each row has a document of each text column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import pyarrow as pa

from ..core.errors import DocumentError
from .column_roles import Columns, Role
from .nested_columns import NestedNote, OpenedColumn
from .nested_paths import parse_path, show_path
from .protocol import CellForm


class NestedText(NamedTuple):
    """A value at a place that has role text.

    Attributes:
        row: of the table.
        place: with the numbers of items.
        value: as `CellForm.decode` gives it; None for no text.
        is_text: whether cells of its type can hold text.
    """

    row: int
    place: str
    value: object
    is_text: bool


def open_nested(form: CellForm, columns: Columns, table: pa.Table) -> dict[str, OpenedColumn]:
    """Each column of a table whose parts have roles, opened."""
    nesting = form.nesting
    if nesting is None:
        return {}
    return {
        name: nesting.open(table.column(name), name, node)
        for name, node in columns.nested.items()
        if name in table.column_names
    }


def nested_texts(
    form: CellForm, columns: Columns, opened: Mapping[str, OpenedColumn]
) -> dict[str, list[NestedText]]:
    """Declared path -> its values, in the order of rows and of items."""
    found: dict[str, list[NestedText]] = {}
    for path in () if columns.record else _text_paths(columns):
        for column in opened.values():
            if path in column.leaves:
                leaf = column.leaves[path]
                is_text = form.is_text(leaf.cells.type)
                found[path] = [
                    NestedText(row, place, value, is_text)
                    for row, place, value in zip(
                        leaf.rows, leaf.places, form.decode(leaf.cells), strict=True
                    )
                ]
    return found


def notes_of_rows(opened: Mapping[str, OpenedColumn]) -> dict[int, list[NestedNote]]:
    """Row -> the texts of its record, in order; nothing for columns that hold no records."""
    found: dict[int, list[NestedNote]] = {}
    for column in opened.values():
        for note in column.notes or ():
            found.setdefault(note.row, []).append(note)
    return found


def texts_of_rows(
    form: CellForm, columns: Columns, table: pa.Table
) -> dict[int, dict[str, str | None]]:
    """Row -> the texts in its nested columns by place, as documents name them.

    Raises:
        DocumentError: if a text of a record cannot be read.
    """
    opened = open_nested(form, columns, table)
    if columns.record:
        notes = notes_of_rows(opened)
        return {
            row: {note.place: _read(note) for note in notes.get(row, ())} or {columns.record: None}
            for row in range(table.num_rows)
        }
    texts = nested_texts(form, columns, opened)
    found: dict[int, dict[str, str | None]] = {row: {} for row in range(table.num_rows)}
    for path in _text_paths(columns):
        for text in texts.get(path, ()):
            if text.value is not None:
                found[text.row][text.place] = text.value  # type: ignore[assignment]
    for of_row in found.values():
        of_row.update((place, None) for place in without_text(columns, of_row))
    return found


def _read(note: NestedNote) -> str:
    if note.written is None:
        raise DocumentError(note.error)
    return note.written.text


def without_text(columns: Columns, places: Iterable[str]) -> list[str]:
    """Paths of the text columns of which a row holds no text, as documents name them.

    Args:
        places: of the texts that it holds.
    """
    held = {parse_path(place) for place in places}
    paths = [(path, parse_path(path)) for path in _text_paths(columns)]
    return [show_path(steps or (path,)) for path, steps in paths if steps not in held]


def fields_of_rows(
    columns: Columns, rows: Sequence[int], fields: Sequence[str]
) -> Callable[[int], Sequence[str]]:
    """Gives for a row what its documents are named by: columns, and places in nested ones.

    Args:
        rows: of each document with a text, in ascending order.
        fields: what that is named by.
    """
    named = columns.named(Role.TEXT)
    if not columns.paths:
        return lambda row: named
    flat = [name for name in named if not columns.is_path(name)]
    places: dict[int, list[str]] = {}
    for row, field in zip(rows, fields, strict=True):
        if field not in flat:
            places.setdefault(row, []).append(field)

    def fields_of(row: int) -> Sequence[str]:
        held = places.get(row, [])
        if columns.record:
            return held or [columns.record]
        return [*flat, *held, *without_text(columns, held)]

    return fields_of


def with_texts(
    form: CellForm,
    columns: Columns,
    table: pa.Table,
    texts: Mapping[tuple[int, str], str | None],
    opened: Mapping[str, OpenedColumn] = MappingProxyType({}),
) -> pa.Table:
    """A table in which texts of nested columns are replaced.

    Args:
        texts: (row, place) -> text; a place that is not there has none in the result. What says
            "no text" in its own way stays, as in flat columns.
        opened: the table's nested columns, where they have been opened already.
    """
    is_text = frozenset((*_text_paths(columns), *columns.filled_names))
    for name, column in (opened or open_nested(form, columns, table)).items():
        leaves = column.leaves
        cells = {}
        for path, leaf in leaves.items():
            cells[path] = leaf.cells
            if path in is_text and len(leaf.rows):
                keys = list(zip(leaf.rows, leaf.places, strict=True))
                new = form.encode_text([texts.get(key) for key in keys], leaf.cells.type)
                values = form.decode(leaf.cells)
                held = [at if value is None else None for at, value in enumerate(values)]
                cells[path] = _mixed(leaf.cells, new, held)
        position = table.schema.get_field_index(name)
        closed = column.closed(cells)
        field = column.field(table.schema.field(position), cells)
        table = table.set_column(position, field, closed)
    return table


def _mixed(old: pa.Array, new: pa.Array, held: list[int | None]) -> pa.Array:
    """The new cells, and the old ones where they stay."""
    if None not in held:
        return old
    if all(at is None for at in held):
        return new
    both = pa.concat_arrays([old, new.cast(old.type) if new.type != old.type else new])
    take = [len(old) + at if kept is None else kept for at, kept in enumerate(held)]
    return both.take(pa.array(take, pa.int64()))


def _text_paths(columns: Columns) -> Iterator[str]:
    paths = frozenset(columns.paths)
    return (name for name in columns.named(Role.TEXT) if name in paths)
