"""Ids that come twice: doc_key must tell any two rows of an output apart.

Only when all units are done are all ids known. Of a row that is like an earlier one, in the input
or in what is published, the unit is run again with the row's number, which then is part of its
doc_key. Of numbered rows restricted/<run>/rework.json keeps which key their id has without one:
so the next night finds a free number at once.
"""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..models.job import Job
from ..models.receipts import Receipt
from ..models.rework import Rework, UnitRework
from ..models.storage import Storage
from ..models.units import Plan
from .catalogue import Catalogue, Entry

KEYS_AT_ONCE = 125_000_000
"""Rows of a run whose keys are held together, eight bytes each: more are looked at in turns."""
_READS_AT_ONCE = 16

Numbers = defaultdict[str, set[int]]
"""doc_key of the first row with an id -> numbers of others that have it."""

Keys = npt.NDArray[np.uint64]
"""Halves of doc_keys, each of which is a hash: alike where rows are, and by chance hardly ever."""


def number_repeated_ids(
    storage: Storage, job: Job, plan: Plan, receipts: Mapping[int, Receipt]
) -> int:
    """Finds rows whose doc_key an earlier row has too, in the run or published; numbers them.

    They get the least numbers that no other row with their id has, as far as facts of published
    runs tell; those of earlier versions do not, so this is repeated until nothing is found.

    Returns:
        How many rows need another ordinal than they were run with; their units have become
        unfinished.

    Memory: eight bytes a row of the run, at most a gigabyte, and 48 for each row that is repeated.
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
    rework = Rework.read(storage, job.restricted)
    entries = [entry for name, entry in catalogue.units.items() if name not in superseded]
    taken = _numbers(storage, job, entries)
    for facts in rework.units.values():
        _note(facts, taken)
    seen = {bytes(full) for full in _rows_with(storage, published, repeated)["full"]}
    numbers: dict[int, dict[int, tuple[int, str]]] = defaultdict(dict)
    free: dict[str, int] = defaultdict(lambda: 1)
    new = _rows_with(storage, staged, repeated)
    for row in new[np.lexsort((new["ordinal"], new["unit"]))]:
        full, unit, ordinal = bytes(row["full"]), int(row["unit"]), int(row["ordinal"])
        if full in seen:
            first = rework.of_unit(unit).firsts.get(ordinal, full.hex())
            while free[first] in taken[first]:
                free[first] += 1
            numbers[unit][ordinal] = free[first], first
            free[first] += 1
        seen.add(full)
    if numbers:
        rework.numbering(numbers).write(storage, job.restricted)
    return sum(map(len, numbers.values()))


def _numbers(storage: Storage, job: Job, entries: Sequence[Entry]) -> Numbers:
    """The numbers that published rows have."""
    units: dict[str, list[int]] = defaultdict(list)
    for entry in entries:
        units[entry.run].append(entry.receipt.unit)

    def read(run: str) -> Rework:
        # What this very run learnt when it was done before was put aside.
        aside = run == job.run
        return Rework.read(storage, job.staging if aside else f"{job.output}/restricted/{run}")

    taken: Numbers = defaultdict(set)
    with ThreadPoolExecutor(_READS_AT_ONCE) as pool:
        for run, rework in zip(units, pool.map(read, units), strict=True):
            for unit in units[run]:
                _note(rework.of_unit(unit), taken)
    return taken


def _note(facts: UnitRework, taken: Numbers) -> None:
    for row, first in facts.firsts.items():
        taken[first].add(facts.ordinals[row])


def _repeated_keys(
    storage: Storage, staged: Sequence[str], published: Sequence[str], turns: int
) -> Keys:
    """Sorted keys that rows of the run share with others; each turn looks at its share of all."""
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
    """Which keys are among some that are known, sorted."""
    if not len(known):
        return np.zeros(len(keys), bool)
    return known[np.minimum(np.searchsorted(known, keys), len(known) - 1)] == keys


def halves(doc_keys: pa.ChunkedArray) -> Keys:
    """The first halves of some doc_keys."""
    return np.frombuffer(_bytes(doc_keys), ">u8")[::2].astype(np.uint64)


def _bytes(doc_keys: pa.ChunkedArray) -> bytes:
    return bytes.fromhex("".join(doc_keys.to_pylist()))


def _read(storage: Storage, parts: Sequence[str]) -> Iterator[npt.NDArray[np.void]]:
    """The rows of each documents part, once however many text fields they have."""

    def rows_in(part: str) -> npt.NDArray[np.void]:
        table = pq.read_table(
            io.BytesIO(storage.read_bytes(part)), columns=["doc_key", "unit", "ordinal", "field"]
        )
        table = table.filter(pc.equal(table["field"], pc.min(table["field"])))
        rows = np.zeros(table.num_rows, _ROW)
        rows["full"] = np.frombuffer(_bytes(table["doc_key"]), "V16")
        rows["key"] = halves(table["doc_key"])
        rows["unit"], rows["ordinal"] = table["unit"], table["ordinal"]
        return rows

    with ThreadPoolExecutor(_READS_AT_ONCE) as pool:
        # A few at a time: `map` alone would read all of them before the first is looked at.
        for low in range(0, len(parts), _READS_AT_ONCE):
            yield from pool.map(rows_in, parts[low : low + _READS_AT_ONCE])
