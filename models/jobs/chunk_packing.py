"""Chunks of a unit brought to the size of batches, and the notes of several rows in them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from ..core.arrays import Ints
from ..core.batches import Failure
from ..formats import Chunk, Limits


def packed(chunks: Iterable[Chunk], limits: Limits) -> Iterator[Chunk]:
    """Joins small chunks (a text file is one row) up to the caps of a batch."""
    held: list[Chunk] = []
    rows = size = 0
    for chunk in chunks:
        more_rows, more_size = chunk.columns.num_rows, chunk.columns.nbytes
        if held and (
            rows + more_rows > limits.batch_documents or size + more_size > limits.batch_bytes
        ):
            yield _joined(held)
            held, rows, size = [], 0, 0
        held.append(chunk)
        rows, size = rows + more_rows, size + more_size
    if held:
        yield _joined(held)


def _joined(chunks: Sequence[Chunk]) -> Chunk:
    if len(chunks) == 1:
        return chunks[0]
    errors: dict[int, str] = {}
    first_rows: list[Ints] = []
    first = 0
    for chunk in chunks:
        errors |= {first + row: code for row, code in chunk.errors.items()}
        first_rows.append(first_rows_of(chunk) + first)
        first += chunk.columns.num_rows
    table = pa.concat_tables([chunk.columns for chunk in chunks])
    return Chunk(table, errors, np.concatenate(first_rows))


def first_rows_of(chunk: Chunk) -> Ints:
    """The first row of the note of each row: the row itself, unless lines are grouped."""
    if chunk.first_rows is None:
        return np.arange(chunk.columns.num_rows, dtype=np.int64)
    return chunk.first_rows


def note_runs(first_rows: Ints) -> Iterator[tuple[int, int]]:
    """Yields (first row, row after the last) of every note."""
    edges = [*np.flatnonzero(first_rows == np.arange(len(first_rows))).tolist(), len(first_rows)]
    yield from itertools.pairwise(edges)


def fail_notes(first_rows: Ints, failures: dict[int, Failure]) -> None:
    """Fails each note with a failed row: its first row, and with it all the others."""
    for row in sorted(failures):
        failures.setdefault(int(first_rows[row]), failures[row])
