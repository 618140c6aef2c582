"""Nested columns of typed formats: structs, lists and maps of Arrow."""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .nested_columns import Leaf, NestedNote
from .nested_paths import KEY, VALUE, Inner, PathNode, Step, numbered, show_name, show_path

ORIGIN = b"scrubline:origin"
"""Field metadata inside a chunk: the field as it was in the file; empty if it was not there."""


class ArrowNesting:
    """The `Nesting` of typed formats."""

    def open(self, column: pa.ChunkedArray | pa.Array, name: str, node: PathNode) -> ArrowColumn:
        """See `Nesting`."""
        return ArrowColumn(column, name, node)

    def leaf_paths(self, column: pa.ChunkedArray | pa.Array, name: str) -> list[str]:
        """See `Nesting`; by the type alone."""
        return [show_path(path) for path, _ in leaf_types(column.type, (name,))]


class ArrowColumn:
    """An `OpenedColumn` of an Arrow type; its schema holds for all rows, so none is an error."""

    notes: Sequence[NestedNote] | None = None

    errors: Mapping[int, str] = {}

    def __init__(self, column: pa.ChunkedArray | pa.Array, name: str, node: PathNode) -> None:
        if isinstance(column, pa.ChunkedArray):
            column = column.combine_chunks()
        self._array = column
        self._node = node
        self._leaves: dict[str, Leaf] = {}
        rows = range(len(column))
        self._root = self._opened(column, node, rows, [show_name(name)] * len(column))

    @property
    def leaves(self) -> Mapping[str, Leaf]:
        """See `OpenedColumn`."""
        missing = (leaf for leaf in self._node.leaves() if leaf not in self._leaves)
        return self._leaves | {leaf: Leaf(pa.nulls(0), (), ()) for leaf in missing}

    def closed(self, cells: Mapping[str, pa.Array]) -> pa.Array | None:
        """See `OpenedColumn`."""
        return self._root.closed(cells) if self._root.stays(cells) else None

    def field(self, field: pa.Field, cells: Mapping[str, pa.Array]) -> pa.Field:
        """See `OpenedColumn`; the field as it was in the file loses what the column loses."""

        def leaf(name: str, kind: pa.DataType) -> pa.DataType | None:
            if name not in cells:
                return None
            before = self._leaves[name].cells.type if name in self._leaves else None
            return kind if cells[name].type == before else cells[name].type

        metadata = dict(field.metadata or {})
        if metadata.get(ORIGIN):
            read = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(metadata[ORIGIN]))).field(0)
            kept = read.with_type(pruned(read.type, self._node, leaf))
            metadata[ORIGIN] = base64.b64encode(pa.schema([kept]).serialize().to_pybytes())
        closed = pruned(field.type, self._node, leaf)
        return field.with_type(closed).with_metadata(metadata or None)

    def _opened(
        self, array: pa.Array, node: PathNode, rows: Sequence[int], places: Sequence[str]
    ) -> _Opened:
        kind = array.type
        if node.leaf:
            self._leaves[node.leaf] = Leaf(array, rows, places)
            return _OpenedLeaf(array, node.leaf)
        if pa.types.is_null(kind):
            return _OpenedLeaf(array, "")
        if node.inner is None:
            parts = dict(zip((field.name for field in kind), array.flatten(), strict=True))
            return _OpenedStruct(
                array,
                {
                    name: self._opened(
                        part, node.children[name], rows, [f"{p}.{show_name(name)}" for p in places]
                    )
                    for name, part in parts.items()
                    if name in node.children
                },
            )
        if pa.types.is_map(kind):
            array = array.cast(pa.list_(pa.struct([kind.key_field, kind.item_field])))
        lengths = pc.fill_null(pc.list_value_length(array), 0).to_numpy(zero_copy_only=False)
        inner_rows, inner_places = _items(rows, places, node.inner, lengths.tolist())
        values = array.flatten()
        below = node.children[node.inner]
        if not pa.types.is_map(kind):
            inside = self._opened(values, below, inner_rows, inner_places)
            return _OpenedList(kind, array.is_null(), lengths, inside)
        parts = dict(zip((KEY, VALUE), values.flatten(), strict=True))
        entries = {
            name: self._opened(part, below.children[name], inner_rows, [
                f"{place}.{name}" for place in inner_places
            ])
            for name, part in parts.items()
        }  # fmt: skip
        return _OpenedMap(kind, array.is_null(), lengths, entries)


def _items(
    rows: Sequence[int], places: Sequence[str], step: Inner, lengths: Sequence[int]
) -> tuple[list[int], list[str]]:
    found_rows: list[int] = []
    found_places: list[str] = []
    for row, place, length in zip(rows, places, lengths, strict=True):
        found_rows += [row] * length
        found_places += [numbered(place, step, number) for number in range(length)]
    return found_rows, found_places


class _Opened(Protocol):
    """A place of a column, which is made anew from the inside out."""

    def stays(self, cells: Mapping[str, pa.Array]) -> bool:
        """Whether anything is left of it."""

    def closed(self, cells: Mapping[str, pa.Array]) -> Any:
        """The array of the place."""


@dataclasses.dataclass(frozen=True)
class _OpenedLeaf:
    array: pa.Array
    leaf: str

    def stays(self, cells: Mapping[str, pa.Array]) -> bool:
        return not self.leaf or self.leaf in cells

    def closed(self, cells: Mapping[str, pa.Array]) -> Any:
        return cells[self.leaf] if self.leaf else self.array


@dataclasses.dataclass(frozen=True)
class _OpenedStruct:
    array: pa.Array
    parts: Mapping[str, _Opened]

    def stays(self, cells: Mapping[str, pa.Array]) -> bool:
        return any(part.stays(cells) for part in self.parts.values())

    def closed(self, cells: Mapping[str, pa.Array]) -> Any:
        arrays, fields = [], []
        for field in self.array.type:
            part = self.parts.get(field.name)
            if part is not None and part.stays(cells):
                made = _plain(part.closed(cells))
                arrays.append(made)
                fields.append(_loose(field.with_type(made.type)))
        return pa.StructArray.from_arrays(arrays, fields=fields, mask=self.array.is_null())


@dataclasses.dataclass(frozen=True)
class _OpenedList:
    kind: pa.DataType
    nulls: pa.Array
    lengths: Any
    inside: _Opened

    def stays(self, cells: Mapping[str, pa.Array]) -> bool:
        return self.inside.stays(cells)

    def closed(self, cells: Mapping[str, pa.Array]) -> Any:
        values = _plain(self.inside.closed(cells))
        item = _loose(self.kind.value_field.with_type(values.type))
        ends = np.concatenate([[0], np.cumsum(self.lengths)])
        if pa.types.is_list(self.kind):
            offsets = pa.array(ends.astype(np.int32))
            return pa.ListArray.from_arrays(offsets, values, type=pa.list_(item), mask=self.nulls)
        made = pa.LargeListArray.from_arrays(
            pa.array(ends.astype(np.int64)), values, type=pa.large_list(item), mask=self.nulls
        )
        if pa.types.is_large_list(self.kind):
            return made
        return made.cast(pa.list_(item, self.kind.list_size))


@dataclasses.dataclass(frozen=True)
class _OpenedMap:
    kind: pa.DataType
    nulls: pa.Array
    lengths: Any
    entries: Mapping[str, _Opened]

    def stays(self, cells: Mapping[str, pa.Array]) -> bool:
        return all(entry.stays(cells) for entry in self.entries.values())

    def closed(self, cells: Mapping[str, pa.Array]) -> Any:
        keys, values = (_plain(self.entries[name].closed(cells)) for name in (KEY, VALUE))
        kind = pa.map_(
            self.kind.key_field.with_type(keys.type),
            _loose(self.kind.item_field.with_type(values.type)),
            self.kind.keys_sorted,
        )
        offsets = pa.array(np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int32))
        return pa.MapArray.from_arrays(offsets, keys, values, type=kind, mask=self.nulls)


def _plain(column: Any) -> Any:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _loose(field: pa.Field) -> pa.Field:
    """The field, which may be null: below a null it is, whatever the file says of it."""
    return field.with_nullable(True)


def pruned(
    kind: pa.DataType, node: PathNode, leaf: Callable[[str, pa.DataType], pa.DataType | None]
) -> pa.DataType | None:
    """The type of a closed column; None if nothing is left of it.

    Args:
        leaf: a leaf of the tree and its type -> its new type; None if it is left out.
    """
    if node.leaf:
        return leaf(node.leaf, kind)
    if pa.types.is_null(kind):
        return kind
    if node.inner is None:
        fields = []
        for field in kind:
            child = node.children.get(field.name)
            made = None if child is None else pruned(field.type, child, leaf)
            if made is not None:
                fields.append(_loose(field.with_type(made)))
        return pa.struct(fields) if fields else None
    below = node.children[node.inner]
    if pa.types.is_map(kind):
        key = pruned(kind.key_type, below.children[KEY], leaf)
        value = pruned(kind.item_type, below.children[VALUE], leaf)
        if key is None or value is None:
            return None
        item = _loose(kind.item_field.with_type(value))
        return pa.map_(kind.key_field.with_type(key), item, kind.keys_sorted)
    made = pruned(kind.value_type, below, leaf)
    if made is None:
        return None
    item = _loose(kind.value_field.with_type(made))
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(item, kind.list_size)
    return pa.large_list(item) if pa.types.is_large_list(kind) else pa.list_(item)


def leaf_types(kind: pa.DataType, path: tuple[Step, ...]) -> Iterator[tuple[tuple[Step, ...], Any]]:
    """Yields the path and type of each value of a column that is not nested further."""
    if pa.types.is_struct(kind) and kind.num_fields:
        for field in kind:
            yield from leaf_types(field.type, (*path, field.name))
    elif pa.types.is_map(kind):
        yield from leaf_types(kind.key_type, (*path, Inner.ENTRY, KEY))
        yield from leaf_types(kind.item_type, (*path, Inner.ENTRY, VALUE))
    elif is_list(kind):
        yield from leaf_types(kind.value_type, (*path, Inner.ITEM))
    else:
        yield path, kind


def declared_types(kind: pa.DataType, node: PathNode) -> Iterator[tuple[str, pa.DataType]]:
    """Yields each leaf of a tree that a type has, and its type there."""
    found: list[tuple[str, pa.DataType]] = []

    def leaf(name: str, of_leaf: pa.DataType) -> pa.DataType:
        found.append((name, of_leaf))
        return of_leaf

    pruned(kind, node, leaf)
    yield from found


def is_list(kind: pa.DataType) -> bool:
    """Whether a type is a list whose items can have roles of their own."""
    return bool(
        pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    )


def undeclared(
    kind: pa.DataType, path: tuple[Step, ...], node: PathNode
) -> Iterator[tuple[Step, ...]]:
    """Yields the paths of values of a type that a tree does not reach."""
    if node.leaf or pa.types.is_null(kind):
        return
    if node.inner is None and pa.types.is_struct(kind):
        for field in kind:
            child = node.children.get(field.name)
            if child is None:
                yield from (found for found, _ in leaf_types(field.type, (*path, field.name)))
            else:
                yield from undeclared(field.type, (*path, field.name), child)
    elif node.inner is Inner.ITEM and is_list(kind):
        yield from undeclared(kind.value_type, (*path, Inner.ITEM), node.children[Inner.ITEM])
    elif node.inner is Inner.ENTRY and pa.types.is_map(kind):
        entry = node.children[Inner.ENTRY].children
        yield from undeclared(kind.key_type, (*path, Inner.ENTRY, KEY), entry[KEY])
        yield from undeclared(kind.item_type, (*path, Inner.ENTRY, VALUE), entry[VALUE])
    else:
        yield from (found for found, _ in leaf_types(kind, path))
