"""Nested columns of JSON: objects and arrays, opened only as deep as roles were declared.

What lies at a leaf stays raw, as all cells of `jsonl` do.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa

from ..core.errors import DocumentError
from .nested_columns import Leaf, NestedNote
from .nested_paths import KEY, VALUE, Inner, Path, PathNode, Step, numbered, show_name, show_path

Members = Callable[[str], Mapping[str, str]]
"""Raw JSON of an object -> raw JSON of each of its members; raises DocumentError."""

Items = Callable[[str], Sequence[str]]
"""Raw JSON of an array -> raw JSON of each of its items; raises DocumentError."""

_NULL = "null"


class JsonNesting:
    """The `Nesting` of JSON."""

    def __init__(self, members: Members, items: Items, string: Callable[[str], str]) -> None:
        """Takes what reads and writes raw JSON."""
        self._members, self._items, self._string = members, items, string

    def open(self, column: pa.ChunkedArray | pa.Array, name: str, node: PathNode) -> JsonColumn:
        """See `Nesting`."""
        return JsonColumn(
            column, name, node, members=self._members, items=self._items, string=self._string
        )

    def leaf_paths(self, column: pa.ChunkedArray | pa.Array, name: str) -> list[str]:
        """See `Nesting`; those that the values show."""
        found: dict[Path, bool] = {}
        for raw in column.to_pylist():
            if raw is not None:
                with contextlib.suppress(DocumentError):
                    for path, is_empty in leaf_paths(
                        raw, (name,), members=self._members, items=self._items
                    ):
                        found[path] = found.get(path, True) and is_empty
        # What is null or empty here may hold something elsewhere.
        inner = {path[:depth] for path in found for depth in range(1, len(path))}
        kept = (path for path, is_empty in found.items() if not is_empty or path not in inner)
        return [show_path(path) for path in kept]

    def undeclared(self, raw: str, name: str, node: PathNode) -> list[str]:
        """Paths of values in a cell that a tree does not reach; none of a cell that is broken."""
        try:
            found = undeclared(raw, (name,), node, members=self._members, items=self._items)
            return [show_path(path) for path in found]
        except DocumentError:
            return []


class _At:
    """Where in the list of a leaf a value stands."""

    __slots__ = ("leaf", "number")

    def __init__(self, leaf: str, number: int) -> None:
        self.leaf, self.number = leaf, number


class _Key(NamedTuple):
    """A key of an object, and its raw JSON."""

    name: str
    raw: str


class _Object(dict[_Key, object]):
    """Key -> what it holds."""


class _Map(list[tuple[object, object]]):
    """Keys and values."""


class JsonColumn:
    """An `OpenedColumn` of raw JSON."""

    notes: Sequence[NestedNote] | None = None

    def __init__(
        self,
        column: pa.ChunkedArray | pa.Array,
        name: str,
        node: PathNode,
        *,
        members: Members,
        items: Items,
        string: Callable[[str], str],
    ) -> None:
        self._members, self._items, self._string = members, items, string
        self._node = node
        self._found: dict[str, list[tuple[str, int, str]]] = {leaf: [] for leaf in node.leaves()}
        self.errors: dict[int, str] = {}
        self._values: list[object] = []
        place = show_name(name)
        for row, raw in enumerate(column.to_pylist()):
            counts = {leaf: len(found) for leaf, found in self._found.items()}
            try:
                value = None if raw is None else self._opened(raw, node, row, place)
            except DocumentError as error:
                self.errors[row], value = error.code, None
                for leaf, count in counts.items():
                    del self._found[leaf][count:]
            self._values.append(value)

    @property
    def leaves(self) -> Mapping[str, Leaf]:
        """See `OpenedColumn`."""
        return {
            leaf: Leaf(
                pa.array([raw for raw, _, _ in found], pa.string()),
                [row for _, row, _ in found],
                [place for _, _, place in found],
            )
            for leaf, found in self._found.items()
        }

    def closed(self, cells: Mapping[str, pa.Array]) -> pa.Array | None:
        """See `OpenedColumn`."""
        given = {leaf: column.to_pylist() for leaf, column in cells.items()}
        kept = self._node.without(leaf for leaf in self._node.leaves() if leaf not in cells)
        if kept is None:
            return None
        made = [None if value is None else _made(value, kept, given) for value in self._values]
        return pa.array(made, pa.string())

    def field(self, field: pa.Field, cells: Mapping[str, pa.Array]) -> pa.Field:
        """See `OpenedColumn`."""
        return field

    def _opened(self, raw: str, node: PathNode, row: int, place: str) -> object:
        if node.leaf:
            found = self._found[node.leaf]
            found.append((raw, row, place))
            return _At(node.leaf, len(found) - 1)
        if raw == _NULL:
            return raw
        if node.inner is Inner.ITEM:
            if not raw.startswith("["):
                raise DocumentError("UndeclaredColumn")
            below = node.children[Inner.ITEM]
            return [
                self._opened(item, below, row, numbered(place, Inner.ITEM, number))
                for number, item in enumerate(self._items(raw))
            ]
        if not raw.startswith("{"):
            raise DocumentError("UndeclaredColumn")
        members = self._members(raw)
        if node.inner is Inner.ENTRY:
            below = node.children[Inner.ENTRY]
            entries = _Map()
            for number, (key, value) in enumerate(members.items()):
                at = numbered(place, Inner.ENTRY, number)
                entries.append(
                    (
                        self._opened(self._string(key), below.children[KEY], row, f"{at}.{KEY}"),
                        self._opened(value, below.children[VALUE], row, f"{at}.{VALUE}"),
                    )
                )
            return entries
        if not members.keys() <= node.children.keys():
            raise DocumentError("UndeclaredColumn")
        opened = _Object()
        for key, value in members.items():
            inside = f"{place}.{show_name(key)}"
            opened[_Key(key, self._string(key))] = self._opened(
                value, node.children[key], row, inside
            )
        return opened


def _made(value: object, node: PathNode, cells: Mapping[str, Sequence[str | None]]) -> str:
    """Raw JSON of an opened value, of which no more is left than the tree has."""
    if isinstance(value, _At):
        return cells[value.leaf][value.number] or _NULL
    if isinstance(value, _Object):
        parts = ((key, node.children.get(key.name), inside) for key, inside in value.items())
        made = (f"{key.raw}: {_made(v, child, cells)}" for key, child, v in parts if child)
        return "{" + ", ".join(made) + "}"
    if isinstance(value, _Map):
        below = node.children[Inner.ENTRY].children
        entries = (
            f"{_made(key, below[KEY], cells)}: {_made(inside, below[VALUE], cells)}"
            for key, inside in value
        )
        return "{" + ", ".join(entries) + "}"
    if isinstance(value, list):
        below_item = node.children[Inner.ITEM]
        return "[" + ", ".join(_made(item, below_item, cells) for item in value) + "]"
    return str(value)


def undeclared(
    raw: str, path: Path, node: PathNode, *, members: Members, items: Items
) -> Iterator[Path]:
    """Yields the paths of values that a tree does not reach; see `leaf_paths`.

    Raises:
        DocumentError: if there is something wrong with the JSON.
    """
    if node.leaf or raw == _NULL:
        return
    if node.inner is Inner.ITEM and raw.startswith("["):
        for item in items(raw):
            inner = (*path, Inner.ITEM)
            yield from undeclared(
                item, inner, node.children[Inner.ITEM], members=members, items=items
            )
    elif node.inner is Inner.ENTRY and raw.startswith("{"):
        value = node.children[Inner.ENTRY].children[VALUE]
        for inside in members(raw).values():
            inner = (*path, Inner.ENTRY, VALUE)
            yield from undeclared(inside, inner, value, members=members, items=items)
    elif node.inner is None and raw.startswith("{"):
        for key, inside in members(raw).items():
            child = node.children.get(key)
            if child is None:
                inner = (*path, key)
                found = leaf_paths(inside, inner, members=members, items=items)
                yield from (leaf for leaf, _ in found)
            else:
                yield from undeclared(inside, (*path, key), child, members=members, items=items)
    else:
        found = leaf_paths(raw, path, members=members, items=items)
        yield from (leaf for leaf, _ in found)


def leaf_paths(
    raw: str, path: Path, *, members: Members, items: Items
) -> Iterator[tuple[Path, bool]]:
    """Yields the path of each value that is not nested further, and whether it is null or empty.

    Raises:
        DocumentError: if there is something wrong with the JSON.
    """
    inner: Sequence[tuple[Step, str]] = ()
    if raw.startswith("{"):
        inner = list(members(raw).items())
    elif raw.startswith("["):
        inner = [(Inner.ITEM, item) for item in items(raw)]
    elif raw != _NULL:
        yield path, False
        return
    for step, value in inner:
        yield from leaf_paths(value, (*path, step), members=members, items=items)
    if not inner:
        yield path, True
