"""Two audits of the same documents compared: spans that are gained, lost, retyped or moved.

Only offsets, labels and detectors are looked at: there is no text in an audit. Two versions of a
document can be compared if their original text is the same; that is taken from its numbers of
characters and tokens.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ..core.arrays import Ints
from ..redaction.actions import ACTIONS

DOCUMENT_COLUMNS = ("doc_key", "field", "status", "characters", "tokens")
SPAN_COLUMNS = ("doc_key", "field", "start", "end", "label", "source", "action", "fragment")
"""What is read of the two tables."""

DOCUMENT_KINDS = ("compared", "new", "gone", "changed", "quarantined")
"""compared: with the same text on both sides; new: only after, or no longer quarantined; gone: only
before; changed: the text differs; quarantined: there before, in quarantine after."""

SPAN_KINDS = ("same", "gained", "lost", "retyped", "moved")
"""Of compared documents. gained and lost: nothing of it is removed on the other side; retyped: same
place, another label; moved: other edges. All but gained count the earlier spans."""

_FEW = 10
"""Fewer documents than this need not be compared: they are the changes of a day."""

_WIDE = 1 << 40
"""More than a text has characters: places of all documents in one row of numbers."""


@dataclasses.dataclass(frozen=True, slots=True)
class AuditDiff:
    """What differs between two audits; differences of disjoint sets of documents add up.

    Attributes:
        documents: by `DOCUMENT_KINDS`; a text field of a row counts as one.
        spans: by `SPAN_KINDS`.
        labels, detectors: label or detector -> spans by kind; of retyped ones, those of before.
        retyped: "OLD > NEW" -> spans.
        characters: gained and lost: removed on one side only, whatever the label.
        by_document: (doc_key, field) -> spans by kind, of documents in which any differs.
    """

    documents: Counter[str] = dataclasses.field(default_factory=Counter)
    spans: Counter[str] = dataclasses.field(default_factory=Counter)
    labels: dict[str, Counter[str]] = dataclasses.field(default_factory=dict)
    detectors: dict[str, Counter[str]] = dataclasses.field(default_factory=dict)
    retyped: Counter[str] = dataclasses.field(default_factory=Counter)
    characters: Counter[str] = dataclasses.field(default_factory=Counter)
    by_document: dict[tuple[str, str], Counter[str]] = dataclasses.field(default_factory=dict)

    @property
    def lost_share(self) -> float:
        """The share of the earlier spans, in compared documents, that are lost."""
        before = sum(self.spans[kind] for kind in SPAN_KINDS if kind != "gained")
        return self.spans["lost"] / before if before else 0.0

    @property
    def compared_share(self) -> float:
        """The share of the earlier documents that is compared."""
        before = sum(self.documents[kind] for kind in DOCUMENT_KINDS if kind != "new")
        return self.documents["compared"] / before if before else 1.0

    @property
    def is_telling(self) -> bool:
        """Whether enough is compared: half of the earlier documents, or all but a few.

        Another tokenizer, key or name of the text column changes all of them.
        """
        left = sum(self.documents[kind] for kind in ("gone", "changed", "quarantined"))
        return left < _FEW or self.compared_share >= 0.5

    @property
    def is_none(self) -> bool:
        """Whether all compared documents have the same spans."""
        return not any(self.spans[kind] for kind in SPAN_KINDS if kind != "same")

    def add(self, other: AuditDiff) -> None:
        """Adds what differs in other documents."""
        self.documents.update(other.documents)
        self.spans.update(other.spans)
        self.retyped.update(other.retyped)
        self.characters.update(other.characters)
        for mine, more in ((self.labels, other.labels), (self.detectors, other.detectors)):
            for name, counts in more.items():
                mine.setdefault(name, Counter()).update(counts)
        self.by_document.update(other.by_document)

    def to_json(self) -> dict[str, Any]:
        """The counts as plain values, sorted; not the documents."""
        return {
            "documents": {kind: self.documents[kind] for kind in DOCUMENT_KINDS},
            "spans": {kind: self.spans[kind] for kind in SPAN_KINDS},
            "characters": {kind: self.characters[kind] for kind in ("gained", "lost")},
            "compared_share": round(self.compared_share, 6),
            "lost_share": round(self.lost_share, 6),
            "labels": {name: dict(sorted(c.items())) for name, c in sorted(self.labels.items())},
            "detectors": {
                name: dict(sorted(c.items())) for name, c in sorted(self.detectors.items())
            },
            "retyped": dict(sorted(self.retyped.items())),
        }


def compare_audits(
    old_documents: pa.Table,
    old_spans: pa.Table,
    new_documents: pa.Table,
    new_spans: pa.Table,
    *,
    by_document: bool = False,
) -> AuditDiff:
    """Compares the rows of some documents before and after.

    Only spans that go count: what a policy lets stand is not there.

    Args:
        old_documents, new_documents: rows of the documents table, with `DOCUMENT_COLUMNS`.
        old_spans, new_spans: rows of the audit of these documents, with `SPAN_COLUMNS`.
        by_document: whether to fill `AuditDiff.by_document`.
    """
    tables = [old_documents, new_documents, _removed(old_spans), _removed(new_spans)]
    ids, names = _numbered(tables)
    found = AuditDiff()
    same_text = _compare_documents(found, tables[:2], ids[:2], len(names))
    old, new = (
        _SpanPlaces.of(table, number, same_text)
        for table, number in zip(tables[2:], ids[2:], strict=True)
    )
    old_kinds, partner = old.kinds_against(new, "lost")
    new_kinds, _ = new.kinds_against(old, "gained")
    for places, kinds, counted in (
        (old, old_kinds, ("same", "lost", "retyped", "moved")),
        (new, new_kinds, ("gained",)),
    ):
        for kind in counted:
            at = np.flatnonzero(kinds == kind)
            found.spans[kind] += len(at)
            for one in at.tolist() if kind != "same" else ():
                found.labels.setdefault(places.labels[one], Counter())[kind] += 1
                found.detectors.setdefault(places.sources[one], Counter())[kind] += 1
                if kind == "retyped":
                    other = new.labels[int(partner[one])]
                    found.retyped[f"{places.labels[one]} > {other}"] += 1
                if by_document:
                    key, _, field = names[int(places.ids[one])].partition(_BETWEEN)
                    found.by_document.setdefault((key, field), Counter())[kind] += 1
    both = _shared_characters(old.all, new.all)
    found.characters["lost"] = _total(old.all) - both
    found.characters["gained"] = _total(new.all) - both
    return found


_BETWEEN = "\x1f"


def _removed(spans: pa.Table) -> pa.Table:
    going = pa.array([name for name, action in ACTIONS.items() if action.removes])
    return spans.filter(pc.is_in(spans["action"], going))


def _numbered(tables: list[pa.Table]) -> tuple[list[Ints], list[str]]:
    """A number for each document, in each row of the tables; and the names of the numbers."""
    keys = [_keys(table) for table in tables]
    encoded = pa.chunked_array(keys, pa.string()).combine_chunks().dictionary_encode()
    numbers = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    ends = np.cumsum([len(key) for key in keys])
    return np.split(numbers, ends[:-1]), encoded.dictionary.to_pylist()


def _keys(table: pa.Table) -> pa.Array:
    joined = pc.binary_join_element_wise(table["doc_key"], table["field"], _BETWEEN)
    return joined.combine_chunks() if isinstance(joined, pa.ChunkedArray) else joined


def _compare_documents(
    found: AuditDiff, documents: list[pa.Table], ids: list[Ints], count: int
) -> npt.NDArray[np.bool_]:
    """Counts documents; gives, for each number, whether it is compared."""
    there, held = np.zeros((2, count), bool), np.zeros((2, count), bool)
    sizes = np.full((2, 2, count), -1, np.int64)
    for side, (table, numbers) in enumerate(zip(documents, ids, strict=True)):
        out = pc.not_equal(table["status"], "quarantined").to_numpy(zero_copy_only=False)
        there[side, numbers[out]] = True
        held[side, numbers[~out]] = True
        for column, name in enumerate(("characters", "tokens")):
            sizes[side, column, numbers[out]] = table[name].to_numpy()[out]
    before, after = there
    same: npt.NDArray[np.bool_] = before & after & (sizes[0] == sizes[1]).all(axis=0)
    found.documents.update(
        compared=int(same.sum()),
        new=int((after & ~before).sum()),
        gone=int((before & ~after & ~held[1]).sum()),
        changed=int((before & after & ~same).sum()),
        quarantined=int((before & ~after & held[1]).sum()),
    )
    return same


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class _SpanPlaces:
    """Spans of compared documents by place, whatever the document.

    Attributes:
        ids: number of each entity's document.
        starts, ends: of entities, sorted by start.
        labels, sources: of entities.
        all: starts and ends of all that is removed, fragments too, each sorted.
    """

    ids: Ints
    starts: Ints
    ends: Ints
    labels: list[str]
    sources: list[str]
    all: tuple[Ints, Ints]

    @classmethod
    def of(cls, spans: pa.Table, ids: Ints, compared: npt.NDArray[np.bool_]) -> _SpanPlaces:
        mask = compared[ids] if len(ids) else np.zeros(0, bool)
        spans, ids = spans.filter(pa.array(mask)), ids[mask]
        starts = ids * _WIDE + spans["start"].to_numpy()
        ends = ids * _WIDE + spans["end"].to_numpy()
        whole = np.flatnonzero(~spans["fragment"].to_numpy())
        whole = whole[np.argsort(starts[whole], kind="stable")]
        entities = spans.select(["label", "source"]).take(pa.array(whole))
        return cls(
            ids[whole],
            starts[whole],
            ends[whole],
            entities["label"].to_pylist(),
            entities["source"].to_pylist(),
            (np.sort(starts), np.sort(ends)),
        )

    def kinds_against(self, other: _SpanPlaces, alone: str) -> tuple[npt.NDArray[np.str_], Ints]:
        """The kind of each entity, and the entity in the same place if there is one."""
        kinds = np.full(len(self.starts), alone, dtype="<U8")
        partner = np.zeros(len(self.starts), np.int64)
        begun = np.searchsorted(other.all[0], self.ends, "left")
        ended = np.searchsorted(other.all[1], self.starts, "right")
        kinds[begun > ended] = "moved"
        if len(other.starts):
            partner = np.minimum(
                np.searchsorted(other.starts, self.starts, "left"), len(other.starts) - 1
            )
            exact = (other.starts[partner] == self.starts) & (other.ends[partner] == self.ends)
            alike = np.array(
                [
                    label == other.labels[at]
                    for label, at in zip(self.labels, partner.tolist(), strict=True)
                ],
                bool,
            )
            kinds[exact & alike] = "same"
            kinds[exact & ~alike] = "retyped"
        return kinds, partner


def _total(places: tuple[Ints, Ints]) -> int:
    return int((places[1] - places[0]).sum())


def _shared_characters(old: tuple[Ints, Ints], new: tuple[Ints, Ints]) -> int:
    """Characters that lie in places of both; those of one side are disjoint."""
    starts, ends = new
    sums = np.concatenate([[0], np.cumsum(ends - starts)])

    def covered_before(at: Ints) -> Ints:
        begun = np.searchsorted(starts, at, "right")
        beyond = np.where(begun > 0, np.maximum(0, np.append(ends, 0)[begun - 1] - at), 0)
        return np.asarray(sums[begun] - beyond, np.int64)

    return int((covered_before(old[1]) - covered_before(old[0])).sum())
