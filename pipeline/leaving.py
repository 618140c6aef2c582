"""Documents that leave an output with a run.

They are published under a doc_key that the run does not give, or gives to empty texts alone. An
input that was emptied, cut off or not mounted takes with it what was published of it, and looks
like one from which somebody took documents out. Only their number tells the two apart.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pyarrow.compute as pc

from ..models.at_once import a_few_at_a_time
from ..models.job import Job
from ..models.receipts import Receipt
from ..models.storage import Storage
from ..models.units import Plan
from .catalogue import Catalogue, Entry
from .part_tables import read_part
from .repeated import KEYS_AT_ONCE, Keys, among, halves

_log = logging.getLogger(__name__)


FEW = 10
"""Fewer documents than this may always leave, if others stay: they are somebody's corrections."""


@dataclasses.dataclass(frozen=True, slots=True)
class Leaving:
    """How many documents leave, of how many.

    Attributes:
        gone: published documents that would not be any more.
        whole: of how many published ones.
    """

    gone: int
    whole: int

    def is_over(self, limit: float) -> bool:
        """Whether so many must not leave unseen; with a limit of 0 none may."""
        enough = self.gone >= FEW or self.gone == self.whole or limit == 0
        return self.gone > limit * self.whole and enough


def count_leaving(
    storage: Storage, job: Job, plan: Plan, receipts: Mapping[int, Receipt]
) -> tuple[Leaving, Leaving]:
    """Compares the documents of a finished run with those of the units that it replaces.

    A document that was published and is quarantined now has not left: another gate looks at these.

    Returns:
        What leaves of the units all of whose inputs are read again, and of all that is published.
        An old input that is dropped is little of an archive and all of its unit; one that is
        emptied must be seen however large the archive is.

    Memory: eight bytes a document of the run, at most a gigabyte.
    """
    catalogue = Catalogue.read(storage, job.output)
    old = [catalogue.units[name] for name in sorted(catalogue.superseded_by(plan.inputs))]
    if not old:
        return Leaving(0, 0), Leaving(0, _documents(catalogue.units.values()))
    dropped = {file.url for file in plan.night.dropped} if plan.night else set()
    again = [entry for entry in old if dropped.isdisjoint(entry.inputs)]
    rest = [entry for entry in old if not dropped.isdisjoint(entry.inputs)]
    staged = [f"{job.staging}/{path}" for path in _paths(receipts.values())]
    turns = 1 + sum(one.tally.counts["rows_in"] for one in receipts.values()) // KEYS_AT_ONCE
    gone = {"again": 0, "rest": 0}
    for turn in range(turns):
        known: tuple[list[Keys], list[Keys]] = ([_NONE], [_NONE])
        for keys in _keys(storage, staged):
            for some, more in zip(known, keys, strict=True):
                some.append(_of_turn(more, turn, turns))
        filled, empty = (np.sort(np.concatenate(some)) for some in known)
        del known
        for kind, entries in (("again", again), ("rest", rest)):
            parts = [f"{job.output}/{path}" for path in _paths(e.receipt for e in entries)]
            for keys in _keys(storage, parts, published=True):
                texts, nothing = (_of_turn(some, turn, turns) for some in keys)
                stays = among(nothing, filled) | among(nothing, empty)
                gone[kind] += int((~among(texts, filled)).sum() + (~stays).sum())
    return (
        Leaving(gone["again"], _documents(again)),
        Leaving(gone["again"] + gone["rest"], _documents(catalogue.units.values())),
    )


_NONE = np.zeros(0, np.uint64)


def _of_turn(keys: Keys, turn: int, turns: int) -> Keys:
    return keys[keys % np.uint64(turns) == turn]


def _documents(entries: Iterable[Entry]) -> int:
    return sum(entry.receipt.tally.counts["documents"] for entry in entries)


def _paths(receipts: Iterable[Receipt]) -> list[str]:
    return [part.path for one in receipts for part in one.parts if part.table == "documents"]


def _keys(
    storage: Storage, parts: Sequence[str], *, published: bool = False
) -> Iterator[tuple[Keys, Keys]]:
    """Halves of the doc_keys of texts, and of empty texts, in each documents part.

    Args:
        published: what is quarantined is no document then; else it is one with a text.
    """

    def keys_in(part: str) -> tuple[Keys, Keys]:
        try:
            table = read_part(storage, part, ["doc_key", "status", "characters"])
        except FileNotFoundError:
            if not published:
                raise
            # Its unit is made again, as data is whose part is lost.
            _log.warning("a published part of documents is gone: nobody can tell what leaves of it")
            return _NONE, _NONE
        held = pc.equal(table["status"], "quarantined")
        text = pc.greater(pc.fill_null(table["characters"], 0), 0)
        filled = pc.and_(text, pc.invert(held)) if published else pc.or_(text, held)
        empty = pc.invert(pc.or_(filled, held))
        return halves(table.filter(filled)["doc_key"]), halves(table.filter(empty)["doc_key"])

    return a_few_at_a_time(keys_in, parts)
