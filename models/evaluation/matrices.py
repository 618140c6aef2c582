"""Confusion matrices."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from ..core.arrays import Ints
from .intervals import Resampling
from .tables import aligned

_SHOWN_CELLS = 10


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The events that a matrix counts.

    Attributes:
        documents, rows, columns: one entry per event: its document, row and column.
        row_names, column_names: of the rows and columns.
        row_axis, column_axis: titles of the axes.
    """

    documents: Ints
    rows: Ints
    columns: Ints
    row_names: tuple[str, ...]
    column_names: tuple[str, ...]
    row_axis: str
    column_axis: str

    def summary(self, title: str, resampling: Resampling) -> Matrix:
        """Sums over documents; a matrix has no intervals."""
        shape = (len(self.row_names), len(self.column_names))
        flat = np.bincount(self.rows * shape[1] + self.columns, minlength=shape[0] * shape[1])
        counts = tuple(map(tuple, flat.reshape(shape).tolist()))
        return Matrix(
            title, self.row_names, self.column_names, counts, self.row_axis, self.column_axis
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix over all documents.

    Attributes:
        title: for people.
        row_names, column_names: of the rows and columns.
        counts: row by row.
        row_axis, column_axis: titles of the axes.
    """

    title: str
    row_names: tuple[str, ...]
    column_names: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    row_axis: str
    column_axis: str

    def row_totals(self) -> list[int]:
        """Sum of each row."""
        return [sum(row) for row in self.counts]

    def column_totals(self) -> list[int]:
        """Sum of each column."""
        return [sum(row[n] for row in self.counts) for n in range(len(self.column_names))]

    def count(self, row: str, column: str) -> int:
        """One cell by its names; 0 if there is no such cell."""
        if row not in self.row_names or column not in self.column_names:
            return 0
        return self.counts[self.row_names.index(row)][self.column_names.index(column)]

    def scores(self) -> dict[str, tuple[float | None, float | None, float | None]]:
        """Name -> precision, recall and F1 of its cell on the diagonal.

        Only for names of both a row and a column; precision is the cell's share of its column,
        recall its share of its row.
        """
        rows = dict(zip(self.row_names, self.row_totals(), strict=True))
        columns = dict(zip(self.column_names, self.column_totals(), strict=True))
        found = {}
        for name in self.row_names:
            if name in columns:
                hits = self.count(name, name)
                pairs = ((hits, columns[name]), (hits, rows[name]))
                precision, recall = (count / of if of else None for count, of in pairs)
                both = rows[name] + columns[name]
                found[name] = (precision, recall, 2 * hits / both if both else None)
        return found

    def as_json(self) -> dict[str, object]:
        """A JSON object: names, all counts, totals, and P, R, F1 of the diagonal."""
        return {
            "title": self.title,
            "rows": list(self.row_names),
            "columns": list(self.column_names),
            "row_axis": self.row_axis,
            "column_axis": self.column_axis,
            "counts": [list(row) for row in self.counts],
            "row_totals": self.row_totals(),
            "column_totals": self.column_totals(),
            "scores": {
                name: dict(
                    zip(
                        ("precision", "recall", "f1"),
                        (None if value is None else round(value, 6) for value in values),
                        strict=True,
                    )
                )
                for name, values in self.scores().items()
            },
        }

    def as_lines(self, *, labels: bool = True) -> list[str]:
        """The largest cells off the diagonal; a whole matrix does not fit a terminal."""
        cells = [
            (-count, row, column)
            for row, counts in zip(self.row_names, self.counts, strict=True)
            for column, count in zip(self.column_names, counts, strict=True)
            if count and row != column
        ]
        table: list[Sequence[str]] = [(self.title, self.column_axis, "count")]
        for negative, row, column in sorted(cells)[:_SHOWN_CELLS]:
            table.append((f"  {row}", column, str(-negative)))
        if len(cells) > _SHOWN_CELLS:
            table.append((f"  and {len(cells) - _SHOWN_CELLS} more", "", ""))
        return aligned(table)
