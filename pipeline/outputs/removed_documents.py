"""Published documents that a run would remove.

They are published under a doc_key that the run does not give, or gives to empty texts alone. An
input that was emptied, cut off or not mounted removes what was published of it, and looks like one
from which documents were taken out on purpose. Only their number tells the two apart.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pyarrow.compute as pc

from ...models.core.parallel_calls import map_in_threads
from ...models.jobs.job import Job
from ...models.jobs.plan import Plan
from ...models.jobs.receipts import Receipt
from ...models.storage.storage import Storage
from .catalogue import Catalogue, CatalogueEntry
from .duplicate_ids import KEYS_AT_ONCE, Keys, among, halves
from .part_tables import read_part

_log = logging.getLogger(__name__)


FEW = 10
"""Removing fewer documents than this is a correction, and always passes if some remain."""


@dataclasses.dataclass(frozen=True, slots=True)
class Removed:
    """How many published documents are removed.

    Attributes:
        count: that would be removed.
        total: of how many published ones.
    """

    count: int
    total: int

    def is_over(self, limit: float) -> bool:
        """Whether the gate holds; with a limit of 0, at any document."""
        matters = self.count >= FEW or self.count == self.total or limit == 0
        return self.count > limit * self.total and matters


def count_removed(
    storage: Storage, job: Job, plan: Plan, receipts: Mapping[int, Receipt]
) -> tuple[Removed, Removed]:
    """Compares the documents of a finished run with those of the units that it replaces.

    A published document that is quarantined now is not removed: another gate looks at these.

    Returns:
        What is removed of the units all of whose inputs are read again, and of all that is
        published. An old input that is dropped is little of an archive but all of its unit; one
        that is emptied must be noticed however large the archive is.

    Memory: eight bytes a document of the run, at most a gigabyte.
    """
    catalogue = Catalogue.read(storage, job.output)
    old = [catalogue.units[name] for name in sorted(catalogue.superseded_by(plan.inputs))]
    if not old:
        return Removed(0, 0), Removed(0, _documents(catalogue.units.values()))
    dropped = {file.url for file in plan.increment.dropped} if plan.increment else set()
    again = [entry for entry in old if dropped.isdisjoint(entry.inputs)]
    rest = [entry for entry in old if not dropped.isdisjoint(entry.inputs)]
    staged = [f"{job.staging}/{path}" for path in _paths(receipts.values())]
    rows = sum(receipt.tally.counts["rows_in"] for receipt in receipts.values())
    turns = 1 + rows // KEYS_AT_ONCE
    removed = {"again": 0, "rest": 0}
    for turn in range(turns):
        known: tuple[list[Keys], list[Keys]] = ([_NONE], [_NONE])
        for keys in _keys(storage, staged):
            for list_of_keys, more in zip(known, keys, strict=True):
                list_of_keys.append(_of_turn(more, turn, turns))
        filled, empty = (np.sort(np.concatenate(list_of_keys)) for list_of_keys in known)
        del known
        for kind, entries in (("again", again), ("rest", rest)):
            parts = [f"{job.output}/{path}" for path in _paths(e.receipt for e in entries)]
            for keys in _keys(storage, parts, published=True):
                texts, nulls = (_of_turn(of_kind, turn, turns) for of_kind in keys)
                stays = among(nulls, filled) | among(nulls, empty)
                removed[kind] += int((~among(texts, filled)).sum() + (~stays).sum())
    return (
        Removed(removed["again"], _documents(again)),
        Removed(removed["again"] + removed["rest"], _documents(catalogue.units.values())),
    )


_NONE = np.zeros(0, np.uint64)


def _of_turn(keys: Keys, turn: int, turns: int) -> Keys:
    return keys[keys % np.uint64(turns) == turn]


def _documents(entries: Iterable[CatalogueEntry]) -> int:
    return sum(entry.receipt.tally.counts["documents"] for entry in entries)


def _paths(receipts: Iterable[Receipt]) -> list[str]:
    return [
        part.path for receipt in receipts for part in receipt.parts if part.table == "documents"
    ]


def _keys(
    storage: Storage, parts: Sequence[str], *, published: bool = False
) -> Iterator[tuple[Keys, Keys]]:
    """Halves of the doc_keys of texts, and of empty texts, in each documents part.

    Args:
        published: then quarantined ones do not count; else they count as having a text.
    """

    def keys_in(part: str) -> tuple[Keys, Keys]:
        try:
            table = read_part(storage, part, ["doc_key", "status", "characters"])
        except FileNotFoundError:
            if not published:
                raise
            # Its unit is made again, as any is that lacks a part.
            _log.warning(
                "a published part of the documents table is missing: documents removed from it are "
                "not counted"
            )
            return _NONE, _NONE
        held = pc.equal(table["status"], "quarantined")
        text = pc.greater(pc.fill_null(table["characters"], 0), 0)
        filled = pc.and_(text, pc.invert(held)) if published else pc.or_(text, held)
        empty = pc.invert(pc.or_(filled, held))
        return halves(table.filter(filled)["doc_key"]), halves(table.filter(empty)["doc_key"])

    return map_in_threads(keys_in, parts)
