"""Nested columns opened: the values at each declared path, and the column made of others again.

A format whose cells may hold other cells has a `Nesting`. What lies within a cell and has no role
is an error of its row (`UndeclaredColumn`), like a column without one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import pyarrow as pa

from ..core.known_values import KnownLabel
from ..core.written_texts import Layer, WrittenText
from .nested_paths import PathNode


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Leaf:
    """All values at one path of a column.

    Attributes:
        cells: the values, as the format holds cells.
        rows: the row of each, in ascending order.
        places: where each lies, with the numbers of items: `notes[2].text`.
        said: what values of records say, where `cells` is how they are written.
        layers: by which each of them is opened, then.
    """

    cells: pa.Array
    rows: Sequence[int]
    places: Sequence[str]
    said: pa.Array | None = None
    layers: Sequence[tuple[Layer, ...]] | None = None


class NestedNote(NamedTuple):
    """A text of a record that is written in one place of it or more.

    Attributes:
        row: of the table.
        place: of its first piece.
        written: where its pieces stand; None if it cannot be read.
        error: the class of the error then.
        known: what it is as a whole; see `Documents.known`.
    """

    row: int
    place: str
    written: WrittenText | None
    error: str = ""
    known: KnownLabel | None = None


class OpenedColumn(Protocol):
    """A nested column, opened."""

    @property
    def notes(self) -> Sequence[NestedNote] | None:
        """The texts of records; None where each value of a leaf of role text is one."""

    @property
    def leaves(self) -> Mapping[str, Leaf]:
        """Leaf of the tree -> its values; all leaves of the tree, of records those with values."""

    @property
    def errors(self) -> Mapping[int, str]:
        """Row -> error class, of rows whose value is not as the tree says. They have no values."""

    def closed(self, cells: Mapping[str, pa.Array]) -> pa.Array | None:
        """The column with other values; None if nothing is left of it.

        Args:
            cells: leaf -> values in the place of `Leaf.cells`, as many. Leaves that are not there
                are left out, and so is whatever would hold none.
        """

    def field(self, field: pa.Field, cells: Mapping[str, pa.Array]) -> pa.Field:
        """The field of the closed column, given that of the opened one."""


class Nesting(Protocol):
    """How a format opens nested columns."""

    def open(self, column: pa.ChunkedArray | pa.Array, name: str, node: PathNode) -> OpenedColumn:
        """Opens a column.

        Args:
            column: cells as `Format.read` gives them; a leaf that is missing has no values.
            name: of the column, as a step of a path.
            node: what is declared of it.
        """

    def leaf_paths(self, column: pa.ChunkedArray | pa.Array, name: str) -> list[str]:
        """Paths of the values in a column that are not nested further, in order.

        For a flat column that is the column itself.
        """
