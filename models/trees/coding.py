"""The learned coding of features: which attribute fills which column with which code.

Nothing is coded but what was seen in training; an item without any attribute of a column has 0
there. The table is a part of the model (`TreesModel.coding`).
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence

import numpy as np

from ..core.arrays import Flags, Floats, Ids, Ints
from ..core.errors import UsageError
from ..core.feature_rows import Attributed, Features
from ..crf.codec import OUTSIDE
from ..features import Feature
from ..features.declaration import properties
from ..features.escaping import AFTER, BEFORE
from ..features.model_values import ModelValues, attributes_by_feature
from .arithmetic import entropies
from .declaration import CodedFeatures, TreesDeclaration
from .growing import Bytes
from .growing_reference import MOST_CODE
from .model import MOST_COLUMNS, CodingTable

_NUMBER = re.compile(r"(0|[1-9][0-9]{0,17})\+?")
_AT_ONCE = 1 << 22


def learn_coding(
    features: Features, classes: Ints, tags: Sequence[str], declared: TreesDeclaration
) -> CodingTable:
    """The coding of training items.

    What a feature's codes are depends on the set of documents, not on their order.

    Args:
        features: at least those that are declared, of all training documents.
        classes: of the items: index into `tags`.
        tags: of a label scheme.
        declared: says how features are coded.

    Raises:
        UsageError: if there are too many columns.
    """
    seen = _Seen(features, classes, tags, declared)
    cells: dict[str, list[tuple[int, int]]] = {}
    columns = 0
    for group in declared.groups:
        kind = group.coding.kind
        if kind == "flag":
            found = seen.flags(group)
            width = len(found)
        else:
            found = seen.ranks(group) if kind == "rank" else seen.announcing(group)
            width = len(group.features)
        for attribute, column, code in found:
            cells.setdefault(attribute, []).append((columns + column, code))
        columns += width
        if columns > MOST_COLUMNS:
            raise UsageError(
                f"boosted-trees: the features take more than {MOST_COLUMNS} columns; flag fewer"
                " values"
            )
    attributes = tuple(sorted(cells))
    rows = [sorted(cells[attribute]) for attribute in attributes]
    flat = np.array([cell for row in rows for cell in row], np.int64).reshape(-1, 2)
    lengths = np.array([len(row) for row in rows], np.int64)
    return CodingTable(attributes, lengths, flat[:, 0], flat[:, 1], columns)


def code_matrix(rows: Attributed, table: CodingTable) -> Bytes:
    """The codes of items, [item, column]; of several in one column the highest.

    Args:
        rows: with ids of the table's attributes, -1 for others.
        table: see there.
    """
    items, cells = len(rows.starts), table.cells
    matrix = np.zeros(items * table.columns, np.uint8)
    counts = np.append(np.diff(cells), 0)
    for first, end, ids in _pieces(rows):
        owners = np.repeat(np.arange(first, end), np.diff(rows.item_offsets[first : end + 1]))
        known = ids >= 0
        ids, owners = ids[known], owners[known]
        lengths = counts[ids]
        shifts = np.repeat(cells[ids + 1] - np.cumsum(lengths), lengths)
        picked = shifts + np.arange(len(shifts))
        places = np.repeat(owners, lengths) * table.columns + table.cell_columns[picked]
        np.maximum.at(matrix, places, table.cell_codes[picked].astype(np.uint8))
    return matrix.reshape(items, table.columns)


def history_columns(classes: Ints, sequence_offsets: Ints, history: int) -> Bytes:
    """The codes of the classes before each item, [item, place]: the nearest first."""
    columns = np.zeros((len(classes), history), np.uint8)
    place = np.arange(len(classes)) - np.repeat(sequence_offsets[:-1], np.diff(sequence_offsets))
    for back in range(1, min(history, len(classes)) + 1):
        known = np.flatnonzero(place >= back)
        columns[known, back - 1] = classes[known - back] + 1
    return columns


def phrase_edges(tags: Sequence[str], classes: Ints, sequence_offsets: Ints) -> tuple[Flags, Flags]:
    """Whether each item is the first, and whether it is the last of a phrase.

    Phrases are those that `crf.codec` reads: of BIO, BIOES, and of plain classes.
    """
    labels: dict[str, int] = {}
    own = [-1 if tag == OUTSIDE else labels.setdefault(tag[2:], len(labels)) for tag in tags]
    label = np.array(own, np.int64)[classes]
    begins = np.array([tag[:1] in ("B", "S") for tag in tags], np.bool_)[classes]
    ends = np.array([tag[:1] in ("E", "S") for tag in tags], np.bool_)[classes]
    heads = np.zeros(len(classes) + 1, np.bool_)
    heads[sequence_offsets] = True
    # Where something else begins than what the item before is in.
    breaks = heads[:-1] | begins | (np.diff(label, prepend=-1) != 0)
    breaks |= np.concatenate(([False], ends[:-1]))
    inside = label >= 0
    return inside & breaks, inside & np.append(breaks[1:], True)


def _pieces(rows: Attributed) -> list[tuple[int, int, Ints | Ids]]:
    """First item, end and attribute ids of pieces of a batch of bounded size."""
    pieces: list[tuple[int, int, Ints | Ids]] = []
    first, items = 0, len(rows.starts)
    while first < items:
        limit = int(rows.item_offsets[first]) + _AT_ONCE
        end = int(np.searchsorted(rows.item_offsets, limit, side="right")) - 1
        end = min(max(end, first + 1), items)
        ids = rows.attribute_ids[rows.item_offsets[first] : rows.item_offsets[end]]
        pieces.append((first, end, ids))
        first = end
    return pieces


_Cells = list[tuple[str, int, int]]
"""Attributes with their column in the group, and code."""


class _Seen:
    """What a batch says about its attributes."""

    def __init__(
        self, features: Features, classes: Ints, tags: Sequence[str], declared: TreesDeclaration
    ) -> None:
        self._features = features
        self._classes = classes
        self._tags = tags
        values = {each: ModelValues(-1, -1, {}) for each in properties(declared.features)}
        found = attributes_by_feature(declared.features, features.attributes, values)
        self._ids = {feature: ids.astype(np.int64) for feature, (_, ids) in found.items()}
        first, last = phrase_edges(tags, classes, features.sequence_offsets)
        inside = np.array([tag != OUTSIDE for tag in tags], np.bool_)[classes]
        self._where: Mapping[str, Flags] = {
            "any": np.ones(len(classes), np.bool_),
            "tagged": inside,
            "first": first,
            "last": last,
        }

    def ranks(self, group: CodedFeatures) -> _Cells:
        """See `Coding.kind`; more than 254 values share codes, as many each."""
        cells = []
        for column, feature in enumerate(group.features):
            ordered = sorted(self._strings(feature), key=_rank)
            several = max(len(ordered), MOST_CODE)
            cells += [
                (attribute, column, 1 + place * MOST_CODE // several)
                for place, attribute in enumerate(ordered)
            ]
        return cells

    def flags(self, group: CodedFeatures) -> _Cells:
        """See `Coding.kind`; what lies outside the sequence has none."""
        ids = self._ids_of(group)
        often = self._frequencies(ids, "any", group.coding.by_document)
        names = [self._features.attributes[i] for i in ids.tolist()]
        kept = [
            (-count, place)
            for place, (name, count) in enumerate(zip(names, often.tolist(), strict=True))
            if count >= group.coding.frequency and _value(name) not in (BEFORE, AFTER)
        ]
        kept.sort(key=lambda one: (one[0], names[one[1]]))
        chosen = sorted(names[place] for _, place in kept[: group.coding.most])
        return [(attribute, column, 1) for column, attribute in enumerate(chosen)]

    def announcing(self, group: CodedFeatures) -> _Cells:
        """See `Coding.kind`."""
        coding = group.coding
        learned = group.features
        if coding.of == "value":
            learned = tuple(f for f in group.features if f.parts[0][1] == 0)
        ids = self._ids_of(dataclasses.replace(group, features=learned))
        columns = [np.full(len(self._ids[f]), place) for place, f in enumerate(learned)]
        column_of = np.concatenate([np.zeros(0, np.int64), *columns])
        every = self._counts(ids, "any")
        counted = every if coding.where == "any" else self._counts(ids, coding.where)
        often = counted.sum(axis=1)
        if coding.by_document:
            often = self._frequencies(ids, coding.where, True)
        # What announces nothing but "O" is no trigger.
        announced = counted.copy()
        announced[:, [tag == OUTSIDE for tag in self._tags]] = 0
        kept = np.flatnonzero(
            (often >= coding.frequency)
            & (announced.sum(axis=1) > 0)
            & (100 * counted.sum(axis=1) >= coding.share * every.sum(axis=1))
        )
        gains = information_gains(every[kept], np.bincount(self._classes, minlength=every.shape[1]))
        best = announced[kept].argmax(axis=1)
        names = [self._features.attributes[i] for i in ids[kept].tolist()]
        order = sorted(range(len(kept)), key=lambda one: (-gains[one], names[one]))
        cells: _Cells = []
        for one in order[: coding.most]:
            code = int(best[one]) + 1
            if coding.of == "item":
                cells.append((names[one], int(column_of[kept[one]]), code))
                continue
            value = _value(names[one])
            cells += [
                (f"{feature.template}={value}", column, code)
                for column, feature in enumerate(group.features)
            ]
        return cells

    def _strings(self, feature: Feature) -> list[str]:
        return [self._features.attributes[i] for i in self._ids[feature].tolist()]

    def _ids_of(self, group: CodedFeatures) -> Ints:
        """The attributes of the features of a group, one feature after another."""
        own = [self._ids[feature] for feature in group.features]
        return np.concatenate([np.zeros(0, np.int64), *own])

    def _numbers(self, ids: Ints) -> Ints:
        """Of each attribute of the batch its place in `ids`, or -1."""
        numbers = np.full(len(self._features.attributes), -1, np.int64)
        numbers[ids] = np.arange(len(ids))
        return numbers

    def _counts(self, ids: Ints, where: str) -> Ints:
        """How many items of each class have each of the attributes, [attribute, class]."""
        rows, numbers, allowed = self._features, self._numbers(ids), self._where[where]
        counts = np.zeros(len(ids) * len(self._tags), np.int64)
        for first, end, found in _pieces(rows):
            lengths = np.diff(rows.item_offsets[first : end + 1])
            classes = np.repeat(self._classes[first:end], lengths)
            own = numbers[found]
            known = (own >= 0) & np.repeat(allowed[first:end], lengths)
            np.add.at(counts, own[known] * len(self._tags) + classes[known], 1)
        return counts.reshape(len(ids), len(self._tags))

    def _frequencies(self, ids: Ints, where: str, by_document: bool) -> Ints:
        """How many items, or documents, have each of the attributes."""
        if not by_document:
            items: Ints = self._counts(ids, where).sum(axis=1)
            return items
        rows, numbers, allowed = self._features, self._numbers(ids), self._where[where]
        bounds = rows.sequence_offsets[rows.document_offsets]
        documents = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
        width = len(bounds)
        met = np.zeros(0, np.int64)
        for first, end, found in _pieces(rows):
            lengths = np.diff(rows.item_offsets[first : end + 1])
            own = numbers[found]
            known = (own >= 0) & np.repeat(allowed[first:end], lengths)
            keys = own[known] * width + np.repeat(documents[first:end], lengths)[known]
            met = np.union1d(met, keys)
        return np.bincount(met // width, minlength=len(ids)).astype(np.int64)


def information_gains(counts: Ints, totals: Ints) -> Floats:
    """What having an attribute tells of the class, in bits, of each attribute.

    Args:
        counts: items by [attribute, class].
        totals: all items, by class.
    """

    # Entropies times the number of items: n log n, less c log c of each class.
    def of(rows: Ints) -> Floats:
        parts = np.cumsum(entropies(rows.astype(np.float64)), axis=1)[:, -1]
        return entropies(rows.sum(axis=1).astype(np.float64)) - parts

    gains: Floats = (of(totals[None, :]) - of(counts)) - of(totals - counts)
    return gains / max(1, int(totals.sum()))


def _value(attribute: str) -> str:
    return attribute.partition("=")[2]


def _rank(attribute: str) -> tuple[int, int, str]:
    """Orders the attributes of one feature by their values."""
    value = _value(attribute)
    if value in (BEFORE, AFTER):
        return int(value == AFTER), 0, value
    number = _NUMBER.fullmatch(value)
    return (2, int(number[1]), value) if number else (3, 0, value)
