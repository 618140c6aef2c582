"""What the tables of an output say of its spans, counted: by label and action, type of note, run.

Only the columns that are counted are read, a row group at a time; nothing of one document is kept.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ...models.core.arrays import Ints
from ...models.core.errors import StorageError
from ...models.core.parallel_calls import map_in_threads
from ...models.core.shortage import raise_shortage
from ...models.core.spans import POLICY
from ...models.redaction.actions import ACTIONS
from ...models.storage.storage import Storage
from .catalogue import is_part

_ROWS = 1 << 16
"""Read at once."""

AT_ONCE = 8
"""Parts that are read at the same time: on an object store each is some requests."""

MOST_TYPES = 1000
"""Different types of notes that are counted apart: a column of another kind may have any number."""

OTHER_TYPES = "\x00others"
"""Stands for the types beyond that."""

TEXTS, CHARACTERS, SPANS = range(3)
"""Places in the counts of a type of note."""


@dataclasses.dataclass(slots=True)
class RemovalCounts:
    """Counts over an output; spans as the manifest counts them, without fragments.

    Attributes:
        spans: (run, label, action) -> spans.
        texts: run -> texts that were scrubbed.
        texts_with: label -> texts that have a span with it.
        types: type of note, None where it is not told -> texts, their characters, their spans.
    """

    spans: Counter[tuple[str, str, str]] = dataclasses.field(default_factory=Counter)
    texts: Counter[str] = dataclasses.field(default_factory=Counter)
    texts_with: Counter[str] = dataclasses.field(default_factory=Counter)
    types: dict[str | None, tuple[int, int, int]] = dataclasses.field(default_factory=dict)

    def add(self, other: RemovalCounts) -> None:
        """Adds the counts of another part."""
        self.spans.update(other.spans)
        self.texts.update(other.texts)
        self.texts_with.update(other.texts_with)
        for name, counts in other.types.items():
            if name is not None and name not in self.types and len(self.types) >= MOST_TYPES:
                name = OTHER_TYPES
            before = self.types.get(name, (0, 0, 0))
            texts, characters, spans = (a + b for a, b in zip(before, counts, strict=True))
            self.types[name] = texts, characters, spans


def count_removals(storage: Storage, output: str, manifest: Mapping[str, Any]) -> RemovalCounts:
    """Counts the rows of audit and documents that a manifest lists.

    Raises:
        StorageError: if a part is missing, damaged or of another table.
    """
    parts = [
        part
        for part in manifest["parts"]
        if part["table"] in _READERS and is_part(part["table"], part["path"])
    ]
    total = RemovalCounts()
    count = functools.partial(_count_part, storage, output)
    for counts in map_in_threads(count, parts, at_once=AT_ONCE):
        total.add(counts)
    return total


def _count_part(storage: Storage, output: str, part: Mapping[str, Any]) -> RemovalCounts:
    counts = RemovalCounts()
    columns, add = _READERS[part["table"]]
    url = f"{output}/{part['path']}"
    for_each_batch(
        storage, url, part["table"], columns, functools.partial(add, counts, part["run"])
    )
    return counts


def for_each_batch(
    storage: Storage,
    url: str,
    table: str,
    columns: Sequence[str],
    add: Callable[[pa.RecordBatch], None],
) -> None:
    """Calls `add` with each batch of some columns of a part; of these, earlier versions had fewer.

    Raises:
        StorageError: if the part is missing, damaged or of another table; or for anything that
            `add` raises: then it is not what it should be.
    """
    try:
        for batch in _batches(storage, url, columns):
            add(batch)
        return
    except StorageError:
        raise
    except Exception as error:  # damaged Parquet raises many kinds
        raise_shortage(error)
        kind = type(error).__name__
    raise StorageError(
        f"cannot read{storage.named(url)}: a part of {table} is damaged ({kind}); "
        "`scrubline verify` tells what is"
    )


def _batches(storage: Storage, url: str, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    with contextlib.closing(storage.open_read(url)) as stream:
        file = pq.ParquetFile(stream, pre_buffer=False)
        there = [name for name in columns if name in file.schema_arrow.names]  # earlier: fewer
        yield from file.iter_batches(batch_size=_ROWS, columns=there, use_threads=False)


def _add_audit(counts: RemovalCounts, run: str, batch: pa.RecordBatch) -> None:
    reason = batch.column("reason")
    told = pc.or_(pc.is_null(reason), pc.equal(pc.fill_null(reason, ""), POLICY))
    rows = batch.filter(pc.and_not(told, batch.column("fragment")))
    labels, of_labels = coded(rows.column("label"))
    actions, of_actions = coded(rows.column("action"))
    found = np.bincount(of_labels * len(actions) + of_actions, minlength=0).tolist()
    for at, count in enumerate(found):
        if count:
            counts.spans[run, labels[at // len(actions)], actions[at % len(actions)]] += count


def _add_documents(counts: RemovalCounts, run: str, batch: pa.RecordBatch) -> None:
    rows = batch.filter(pc.equal(batch.column("status"), "scrubbed"))
    if not rows.num_rows:
        return
    counts.texts[run] += rows.num_rows
    spans = pa.concat_arrays([rows.column("spans")])
    offsets = spans.offsets.to_numpy(zero_copy_only=False)
    inside = slice(int(offsets[0]), int(offsets[-1]))
    labels, of_labels = coded(spans.keys[inside])
    of_texts = np.repeat(np.arange(rows.num_rows), np.diff(offsets))
    numbers = spans.items[inside].to_numpy(zero_copy_only=False)
    counts.texts_with.update(_totals(labels, of_labels, numbers > 0))
    by_text = np.bincount(of_texts, weights=numbers, minlength=rows.num_rows)
    has_types = "note_type" in rows.schema.names
    types, of_types = coded(rows.column("note_type") if has_types else pa.nulls(rows.num_rows))
    columns = (
        np.ones(rows.num_rows, np.int64),
        rows.column("characters").to_numpy(zero_copy_only=False),
        by_text,
    )
    sums = [np.bincount(of_types, weights=column) for column in columns]
    for name, *found in zip(types, *sums, strict=True):
        before = counts.types.get(name, (0, 0, 0))
        texts, characters, count = (a + int(b) for a, b in zip(before, found, strict=True))
        counts.types[name] = texts, characters, count


def removes(action: str) -> bool:
    """Whether an action takes anything away; one of another version is taken to."""
    return ACTIONS[action].removes if action in ACTIONS else True


def coded(column: pa.Array) -> tuple[list[Any], Ints]:
    """The different values of a column, null as None, and which of them each row has."""
    coded = column.dictionary_encode(null_encoding="encode")
    return coded.dictionary.to_pylist(), coded.indices.to_numpy(zero_copy_only=False).astype(int)


def _totals(names: list[Any], at: Ints, weights: Ints) -> dict[Any, int]:
    sums = np.bincount(at, weights=weights, minlength=len(names)).tolist()
    return {name: int(count) for name, count in zip(names, sums, strict=True) if count}


_READERS = {
    "audit": (("label", "action", "reason", "fragment"), _add_audit),
    "documents": (("status", "spans", "characters", "note_type"), _add_documents),
}
"""Table -> the columns that are read, and what counts them."""
