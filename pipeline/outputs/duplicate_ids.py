"""Duplicate ids: doc_key must be unique among the rows of an output.

All ids are known only when all units are done. If a row has the doc_key of an earlier row, in the
input or in what is published, it is given a number, which becomes part of its doc_key, and its unit
is run again. restricted/<run>/numbered.parquet keeps, for each numbered row, the doc_key that its
id has without a number: so the next run finds a free number at once.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ...models.core.parallel_calls import map_in_threads
from ...models.core.shortage import raise_shortage
from ...models.core.small_parquet import table_in
from ...models.jobs.amendments import RunAmendments
from ...models.jobs.job import Job
from ...models.jobs.plan import Plan, parquet_bytes
from ...models.jobs.receipts import Receipt
from ...models.storage.storage import Storage
from .catalogue import Catalogue
from .part_tables import read_part

_log = logging.getLogger(__name__)

KEYS_AT_ONCE = 125_000_000
"""Rows of a run whose keys are held at a time, eight bytes each; more are compared in turns."""

Keys = npt.NDArray[np.uint64]
"""Halves of doc_keys, which are hashes: two are hardly ever equal by chance."""


def number_repeated_ids(
    storage: Storage, job: Job, plan: Plan, receipts: Mapping[int, Receipt]
) -> int:
    """Numbers rows whose doc_key an earlier row has too, in the run or among what is published.

    They get the lowest numbers that no other row with their id has, as far as published runs record
    them. Runs of earlier versions do not, so this is repeated until nothing is found.

    Returns:
        How many rows need another ordinal than they were run with; their units have become
        unfinished.

    Memory: eight bytes a row of the run, at most a gigabyte, and about 500 for each row that shares
    its id with another.
    """
    catalogue = Catalogue.read(storage, job.output)
    superseded = catalogue.superseded_by(plan.inputs)
    published = [
        f"{job.output}/{part.path}"
        for name, entry in sorted(catalogue.units.items())
        for part in entry.receipt.parts
        if part.table == "documents" and name not in superseded
    ]
    staged = [
        f"{job.staging}/{part.path}"
        for index in sorted(receipts)
        for part in receipts[index].parts
        if part.table == "documents"
    ]
    rows = sum(receipt.tally.counts["rows_in"] for receipt in receipts.values())
    repeated = _repeated_keys(storage, staged, published, turns=1 + rows // KEYS_AT_ONCE)
    if not len(repeated):
        return 0
    amendments = RunAmendments.read(storage, job.restricted)
    numbers = {unit: dict(own.ordinals) for unit, own in amendments.units.items()}
    firsts = _firsts(storage, job, numbers)
    ours = _rows_with(storage, staged, repeated)
    new = [
        (int(row["unit"]), int(row["ordinal"]), bytes(row["full"]).hex())
        for row in ours[np.lexsort((ours["ordinal"], ours["unit"]))]
    ]
    first_of = {(unit, row): firsts.get((unit, row), key) for unit, row, key in new}
    taken = published_numbers(storage, job, catalogue, superseded, first_of.values())
    for (unit, row), first in firsts.items():
        taken[first].add(numbers[unit][row])
    seen = {bytes(row["full"]).hex() for row in _rows_with(storage, published, repeated)}
    free: dict[str, int] = {}
    numbered = 0
    for unit, row, key in new:
        if key in seen:
            first, mine = first_of[unit, row], numbers.setdefault(unit, {})
            # Always upwards: some numbers may be taken that are not recorded.
            number = max(free.get(first, 0), mine.get(row, 0) + 1)
            while number in taken[first]:
                number += 1
            mine[row], firsts[unit, row], free[first] = number, first, number + 1
            numbered += 1
        seen.add(key)
    if numbered:
        _keep_firsts(storage, job, numbers, firsts)
        amendments.numbering(numbers).write(storage, job.restricted)
    return numbered


def count_numbered(storage: Storage, job: Job) -> int:
    """How many rows of a run have a number because they repeat an id."""
    amendments = RunAmendments.read(storage, job.restricted)
    return sum(len(of_unit.ordinals) for of_unit in amendments.units.values())


Firsts = dict[tuple[int, int], str]
"""Unit and row -> doc_key of the first row with its id."""

_NUMBERED = pa.schema(
    [("unit", pa.int64()), ("row", pa.int64()), ("number", pa.int64()), ("first", pa.string())]
)
_FILE = "numbered.parquet"
"""Under restricted/<run>/: the rows of a run that have a number."""


def _keep_firsts(
    storage: Storage, job: Job, numbers: Mapping[int, Mapping[int, int]], firsts: Firsts
) -> None:
    rows = [
        (unit, row, number, firsts.get((unit, row)))
        for unit, of_unit in sorted(numbers.items())
        for row, number in sorted(of_unit.items())
    ]
    columns = [list(column) for column in zip(*rows, strict=True)]
    storage.write_bytes(f"{job.restricted}/{_FILE}", parquet_bytes(pa.table(columns, _NUMBERED)))


def _numbered(storage: Storage, folder: str) -> pa.Table | None:
    """The rows that a run numbered; None if the file is damaged, or missing as in earlier versions.

    Free numbers are then found one by one, each in a round of its own.
    """
    try:
        content = storage.read_bytes(f"{folder}/{_FILE}")
    except FileNotFoundError:
        return None
    try:
        return table_in(content, _NUMBERED.names).cast(_NUMBERED)
    except (pa.ArrowException, OSError, KeyError) as error:
        raise_shortage(error)
        run = folder.rpartition("/")[2]
        _log.warning("%s of run %s is damaged (%s)", _FILE, run, type(error).__name__)
        return None


def numbers_in_run(storage: Storage, folder: str, firsts: Iterable[str]) -> pa.Table | None:
    """The rows that a run gave a number, by `unit`, `row`, `number` and `first`.

    Args:
        folder: restricted/<run>.
        firsts: doc_keys of the first row with an id; only rows that repeat one of these.

    Returns:
        The rows, or None if they are not recorded.
    """
    table = _numbered(storage, folder)
    if table is None:
        return None
    return table.filter(pc.is_in(table["first"], pa.array(sorted(set(firsts)), pa.string())))


def _firsts(storage: Storage, job: Job, numbers: Mapping[int, Mapping[int, int]]) -> Firsts:
    """For the rows of this run that have a number, the doc_key of the first with their id."""
    if not any(numbers.values()):
        return {}
    table = _numbered(storage, job.restricted)
    return {
        (unit, row): first
        for unit, row, first in _rows(table, "unit", "row", "first")
        if first and row in numbers.get(unit, {})
    }


def _rows(table: pa.Table | None, *columns: str) -> Iterator[tuple[Any, ...]]:
    table = _NUMBERED.empty_table() if table is None else table
    return zip(*(table[name].to_pylist() for name in columns), strict=True)


def published_numbers(
    storage: Storage,
    job: Job,
    catalogue: Catalogue,
    superseded: Container[str],
    firsts: Iterable[str],
) -> defaultdict[str, set[int]]:
    """The numbers that published rows have, as far as their runs record them.

    Args:
        superseded: names of units that are left out.
        firsts: see `numbers_in_run`.

    Returns:
        First -> numbers.
    """
    units: defaultdict[str, set[int]] = defaultdict(set)
    for name, entry in catalogue.units.items():
        # What this very run found when it was done before does not count.
        if name not in superseded and entry.run != job.run:
            units[entry.run].add(entry.receipt.unit)
    firsts = frozenset(firsts)

    def read(run: str) -> pa.Table | None:
        return numbers_in_run(storage, f"{job.output}/restricted/{run}", firsts)

    taken: defaultdict[str, set[int]] = defaultdict(set)
    for run, table in zip(units, map_in_threads(read, list(units)), strict=True):
        for unit, first, number in _rows(table, "unit", "first", "number"):
            if unit in units[run]:
                taken[first].add(number)
    return taken


def _repeated_keys(
    storage: Storage, staged: Sequence[str], published: Sequence[str], turns: int
) -> Keys:
    """Sorted keys that rows of the run share with others, found in several turns."""
    found: list[Keys] = [np.zeros(0, np.uint64)]
    for turn in range(turns):
        mine = [
            rows["key"][rows["key"] % np.uint64(turns) == turn] if turns > 1 else rows["key"]
            for rows in _read(storage, staged)
        ]
        keys = np.concatenate([np.zeros(0, np.uint64), *mine])
        del mine
        keys.sort()
        found.append(np.unique(keys[1:][keys[1:] == keys[:-1]]))
        if len(keys):
            for rows in _read(storage, published):
                found.append(np.unique(rows["key"][among(rows["key"], keys)]))
    return np.unique(np.concatenate(found))


_ROW = np.dtype([("key", "u8"), ("full", "V16"), ("unit", "i8"), ("ordinal", "i8")])
"""A row of the documents table: half of its doc_key, and all of it."""


def _rows_with(storage: Storage, parts: Sequence[str], keys: Keys) -> npt.NDArray[np.void]:
    """The rows of some documents parts that have one of some sorted keys."""
    rows = (rows[among(rows["key"], keys)] for rows in _read(storage, parts))
    return np.concatenate([np.zeros(0, _ROW), *rows])


def among(keys: Keys, known: Keys) -> npt.NDArray[np.bool_]:
    """Which keys are among sorted, known ones."""
    if not len(known):
        return np.zeros(len(keys), bool)
    return known[np.minimum(np.searchsorted(known, keys), len(known) - 1)] == keys


def halves(doc_keys: pa.ChunkedArray) -> Keys:
    """The first halves of some doc_keys."""
    return np.frombuffer(_bytes(doc_keys), ">u8")[::2].astype(np.uint64)


def _bytes(doc_keys: pa.ChunkedArray) -> bytes:
    return bytes.fromhex("".join(doc_keys.to_pylist()))


def _read(storage: Storage, parts: Sequence[str]) -> Iterator[npt.NDArray[np.void]]:
    """The rows of each documents part, each once, however many text fields it has."""

    def rows_in(part: str) -> npt.NDArray[np.void]:
        table = read_part(storage, part, ["doc_key", "unit", "ordinal"])
        # The documents of a row follow each other.
        places = np.stack([table["unit"].to_numpy(), table["ordinal"].to_numpy()])
        is_first = np.ones(table.num_rows, np.bool_)
        is_first[1:] = (places[:, 1:] != places[:, :-1]).any(axis=0)
        table = table.filter(pa.array(is_first))
        rows = np.zeros(table.num_rows, _ROW)
        rows["full"] = np.frombuffer(_bytes(table["doc_key"]), "V16")
        rows["key"] = halves(table["doc_key"])
        rows["unit"], rows["ordinal"] = table["unit"], table["ordinal"]
        return rows

    yield from map_in_threads(rows_in, parts)
