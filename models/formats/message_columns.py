"""The column of a message format: its records opened by their grammar, and put together again."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import pyarrow as pa

from ..core.errors import DocumentError, error_class
from ..core.shortage import raise_shortage
from ..core.views import Edit, applied
from ..core.written_texts import Stack, TextPiece, WrittenText
from ..messages.base import DeclaredNames, MessageGrammar, MessageValue
from .nested_columns import Leaf, NestedNote
from .nested_paths import PathNode


class MessageNesting:
    """The `Nesting` of a grammar of messages."""

    def __init__(self, grammar: MessageGrammar) -> None:
        self._grammar = grammar

    def open(self, column: pa.ChunkedArray | pa.Array, name: str, node: PathNode) -> MessageColumn:
        """See `Nesting`."""
        return MessageColumn(column, self._grammar, declared_names(node))

    def leaf_paths(self, column: pa.ChunkedArray | pa.Array, name: str) -> list[str]:
        """None: a record has default roles, and is not described by paths."""
        return []

    def undeclared(self, record: str, node: PathNode) -> list[tuple[str, str]]:
        """Names and values of what has no role in a record.

        Raises:
            DocumentError: if the record is broken.
        """
        values = self._grammar.values(record, declared_names(node))
        return [(self._grammar.undeclared_name(v), v.value) for v in values if not v.name]


def declared_names(node: PathNode) -> DeclaredNames:
    """The names of the tree of a record, as `Columns.nested` gives it."""
    return node.declared or DeclaredNames(frozenset(), frozenset())


class MessageColumn:
    """An `OpenedColumn` of records; a null is no record."""

    def __init__(
        self,
        column: pa.ChunkedArray | pa.Array,
        grammar: MessageGrammar,
        declared: DeclaredNames,
    ) -> None:
        self._grammar = grammar
        self._texts, self._known = declared.texts, declared.known
        self.errors: dict[int, str] = {}
        self._records: list[str | None] = column.to_pylist()
        self._values: list[Sequence[MessageValue]] = []
        for row, record in enumerate(self._records):
            values: Sequence[MessageValue] = ()
            if record is not None:
                try:
                    values = grammar.values(record, declared)
                    if not all(value.name for value in values):
                        raise DocumentError("UndeclaredColumn")
                except Exception as error:  # fail closed: whatever it is, the record is held back
                    raise_shortage(error)
                    self.errors[row], values = error_class(error), ()
            self._values.append(values)
        self.leaves: Mapping[str, Leaf] = self._leaves()

    def _leaves(self) -> dict[str, Leaf]:
        found: dict[str, list[tuple[int, MessageValue]]] = {}
        for row, values in enumerate(self._values):
            for value in values:
                found.setdefault(value.name, []).append((row, value))
        leaves: dict[str, Leaf] = {}
        for name, own in found.items():
            leaf = Leaf(
                pa.array([self._cell(row, value) for row, value in own], pa.string()),
                [row for row, _ in own],
                [value.place for _, value in own],
            )
            if name in self._texts:
                said = pa.array([value.value for _, value in own], pa.string())
                layers = [tuple(value.layers) for _, value in own]
                leaf = dataclasses.replace(leaf, said=said, layers=layers)
            leaves[name] = leaf
        return leaves

    def _cell(self, row: int, value: MessageValue) -> str:
        record = self._records[row]
        assert record is not None, "it has a value"
        return record[value.start : value.end] if value.layers else value.value

    @property
    def notes(self) -> list[NestedNote]:
        """The texts of all records; what is of one note is one."""
        found: list[NestedNote] = []
        for row, (record, values) in enumerate(zip(self._records, self._values, strict=True)):
            texts = [value for value in values if value.layers]
            found += (self._note(row, record or "", group) for group in _by_note(texts))
        return found

    def _note(self, row: int, record: str, values: Sequence[MessageValue]) -> NestedNote:
        place, known = values[0].place, self._known.get(values[0].name)
        try:
            pieces = [
                TextPiece(
                    value.place,
                    Stack.of(record[value.start : value.end], value.layers),
                    value.layers,
                )
                for value in values
            ]
        except DocumentError as error:
            return NestedNote(row, place, None, error.code, known)
        return NestedNote(row, place, WrittenText(tuple(pieces)), "", known)

    def closed(self, cells: Mapping[str, pa.Array]) -> pa.Array:
        """See `OpenedColumn`: of each value that changed, the place in its record is written."""
        given = {name: iter(column.to_pylist()) for name, column in cells.items()}
        return pa.array(
            [
                None
                if record is None or row in self.errors
                else self._closed(record, values, given)
                for row, (record, values) in enumerate(
                    zip(self._records, self._values, strict=True)
                )
            ],
            pa.string(),
        )

    def field(self, field: pa.Field, cells: Mapping[str, pa.Array]) -> pa.Field:
        """See `OpenedColumn`."""
        return field

    def _closed(
        self, record: str, values: Sequence[MessageValue], given: Mapping[str, object]
    ) -> str:
        edits: list[Edit] = []
        gone: list[MessageValue] = []
        for value in values:
            new = next(given[value.name]) if value.name in given else None  # type: ignore[call-overload]
            if new is None:
                gone.append(value)
            elif value.layers:
                edits.append((value.start, value.end, new))
            elif new != value.value:
                new = self._grammar.written(record, value, new)
                edits.append((value.start, value.end, new))
        if gone:
            edits = _outermost([*edits, *self._grammar.emptied(record, gone)])
        return applied(record, edits) if edits else record


def _by_note(texts: Sequence[MessageValue]) -> list[list[MessageValue]]:
    """The texts of each note, in the order in which notes begin; one without a number is alone."""
    found: list[list[MessageValue]] = []
    numbered: dict[int, list[MessageValue]] = {}
    for text in texts:
        if text.note in numbered:
            numbered[text.note].append(text)
            continue
        found.append([text])
        if text.note:
            numbered[text.note] = found[-1]
    return found


def _outermost(edits: Sequence[Edit]) -> list[Edit]:
    """Edits in order, without those of what goes with something around it."""
    found: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
        if not found or edit[0] >= found[-1][1]:
            found.append(edit)
    return found
