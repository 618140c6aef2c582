"""`Features`: the attribute rows of a batch for one tagger, interned."""

from __future__ import annotations

import dataclasses

from ..columns import Ints, require_equal_lengths, require_offsets


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
        items = require_equal_lengths("Features", starts=self.starts, ends=self.ends)
        require_offsets("Features.item_offsets", self.item_offsets, len(self.attribute_ids))
        if len(self.item_offsets) != items + 1:
            raise ValueError(
                f"Features: {items} items need {items + 1} row pointers, "
                f"got {len(self.item_offsets)}"
            )
        require_offsets("Features.sequence_offsets", self.sequence_offsets, items)
        require_offsets(
            "Features.document_offsets", self.document_offsets, len(self.sequence_offsets) - 1
        )
