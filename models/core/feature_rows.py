"""The attribute rows of a batch for one tagger: strings, ids of a model, or what they are worth."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from .arrays import Ids, Ints, require_equal_lengths, require_offsets


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Features:
    """What a CRF sees of a batch: items (tokens, characters) in sequences, with attributes.

    Attributes:
        attributes: table of distinct attribute strings of this batch, as CRFsuite takes them.
        attribute_ids: index into `attributes`, all items one after another.
        item_offsets: row pointers into `attribute_ids`, one more than items.
        starts, ends: code-point offsets of each item in its document's text.
        sequence_offsets: row pointers into items, one more than sequences.
        document_offsets: row pointers into sequences, one more than documents; no sequence spans
            two documents.
    """

    attributes: tuple[str, ...]
    attribute_ids: Ints
    item_offsets: Ints
    starts: Ints
    ends: Ints
    sequence_offsets: Ints
    document_offsets: Ints

    def __post_init__(self) -> None:
        _require_rows(self)

    def of_document(self, document: int) -> Features:
        """Those of one document, as document 0."""
        return dataclasses.replace(self, **_columns_of(self, document))

    def documents(self) -> Ints:
        """Of each item the index of its document."""
        return _documents_of(self)


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Indexed:
    """The same for one model: its attributes are known by their ids, others are left out.

    Attributes:
        attribute_ids: of the model, all items one after another, in no order.
        item_offsets, starts, ends, sequence_offsets, document_offsets: as in `Features`.
    """

    attribute_ids: Ids
    item_offsets: Ints
    starts: Ints
    ends: Ints
    sequence_offsets: Ints
    document_offsets: Ints

    def __post_init__(self) -> None:
        _require_rows(self)

    def of_document(self, document: int) -> Indexed:
        """Those of one document, as document 0."""
        return dataclasses.replace(self, **_columns_of(self, document))

    def documents(self) -> Ints:
        """Of each item the index of its document."""
        return _documents_of(self)


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Summed:
    """The same for one CRF: what the attributes of each item are worth to each tag.

    Attributes:
        states: [item, width], in units of 2^-12; the width is the number of tags, rounded up.
        starts, ends, sequence_offsets, document_offsets: as in `Features`.
    """

    states: Ids
    starts: Ints
    ends: Ints
    sequence_offsets: Ints
    document_offsets: Ints

    def __post_init__(self) -> None:
        items = _require_places(self)
        if self.states.ndim != 2 or len(self.states) != items:
            raise ValueError(f"Summed: {items} items, but states of shape {self.states.shape}")

    def of_document(self, document: int) -> Summed:
        """Those of one document, as document 0."""
        own, places = _places_of(self, document)
        return dataclasses.replace(self, states=self.states[own], **places)

    def documents(self) -> Ints:
        """Of each item the index of its document."""
        return _documents_of(self)


Attributed = Features | Indexed
"""Rows whose attributes are known."""

Featurized = Attributed | Summed
"""What Featurize gives to Label."""


def _require_rows(rows: Attributed) -> None:
    items, name = _require_places(rows), type(rows).__name__
    require_offsets(f"{name}.item_offsets", rows.item_offsets, len(rows.attribute_ids))
    if len(rows.item_offsets) != items + 1:
        raise ValueError(
            f"{name}: {items} items need {items + 1} row pointers, got {len(rows.item_offsets)}"
        )


def _require_places(rows: Featurized) -> int:
    """Checks the items, sequences and documents; returns the number of items."""
    name = type(rows).__name__
    items = require_equal_lengths(name, starts=rows.starts, ends=rows.ends)
    require_offsets(f"{name}.sequence_offsets", rows.sequence_offsets, items)
    require_offsets(
        f"{name}.document_offsets", rows.document_offsets, len(rows.sequence_offsets) - 1
    )
    return items


def _columns_of(rows: Attributed, document: int) -> dict[str, Any]:
    """The columns of one document, with row pointers that begin at 0."""
    own, places = _places_of(rows, document)
    items = rows.item_offsets[own.start : own.stop + 1]
    return {
        "attribute_ids": rows.attribute_ids[items[0] : items[-1]],
        "item_offsets": items - items[0],
        **places,
    }


def _places_of(rows: Featurized, document: int) -> tuple[slice, dict[str, Ints]]:
    """The items of one document, and where they are."""
    first, last = rows.document_offsets[document : document + 2].tolist()
    sequences = rows.sequence_offsets[first : last + 1]
    own = slice(int(sequences[0]), int(sequences[-1]))
    return own, {
        "starts": rows.starts[own],
        "ends": rows.ends[own],
        "sequence_offsets": sequences - sequences[0],
        "document_offsets": np.array([0, last - first], np.int64),
    }


def _documents_of(rows: Featurized) -> Ints:
    counts = np.diff(rows.sequence_offsets[rows.document_offsets])
    return np.repeat(np.arange(len(counts)), counts)
