"""Ids that come twice: doc_key must tell any two rows of an output apart.

Only when all units are done are all ids known. Of a row that is like an earlier one, in the input
or in what is published, the unit is run again with the row's number, which then is part of its
doc_key.
"""

from __future__ import annotations

import io
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..models.job import Job
from ..models.receipts import Receipt
from ..models.rework import Rework
from ..models.storage import Storage
from ..models.units import Plan
from .catalogue import Catalogue

KEYS_AT_ONCE = 125_000_000
"""Rows of a run whose keys are held together, eight bytes each: more are looked at in turns."""
_READS_AT_ONCE = 16

Keys = npt.NDArray[np.uint64]
"""Halves of doc_keys, each of which is a hash: alike where rows are, and by chance hardly ever."""


def number_repeated_ids(
    storage: Storage, job: Job, plan: Plan, receipts: Mapping[int, Receipt]
) -> int:
    """Finds rows whose doc_key an earlier row has too, in the run or published; numbers them.

    A numbered row may meet the number of another one, so this is repeated until nothing is found.

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
    seen = Counter(_rows_with(storage, published, repeated)["full"].tolist())
    rework = Rework.read(storage, job.restricted)
    ordinals: dict[int, dict[int, int]] = defaultdict(dict)
    for unit, facts in rework.units.items():
        ordinals[unit] = dict(facts.ordinals)
    numbered = 0
    new = _rows_with(storage, staged, repeated)
    for row in new[np.lexsort((new["ordinal"], new["unit"]))]:
        full, unit, ordinal = bytes(row["full"]), int(row["unit"]), int(row["ordinal"])
        if before := seen[full]:
            ordinals[unit][ordinal] = ordinals[unit].get(ordinal, 0) + before
            numbered += 1
        seen[full] += 1
    if numbered:
        rework.numbering(ordinals).write(storage, job.restricted)
    return numbered


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
