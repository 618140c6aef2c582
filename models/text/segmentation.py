"""`ItemBounds`: what a segmentation gives, and what all segmentations share."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np

from ..core.arrays import Ints, require_equal_lengths, require_offsets
from ..core.tokens import Tokens


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class ItemBounds:
    """Where the items of a batch begin and end.

    Attributes:
        document_offsets: row pointers, one more than documents.
        starts: first code point of each item in its document's text.
        ends: one past the last code point, always greater than `starts`.
    """

    document_offsets: Ints
    starts: Ints
    ends: Ints

    def __post_init__(self) -> None:
        rows = require_equal_lengths("ItemBounds", starts=self.starts, ends=self.ends)
        require_offsets("Bounds.document_offsets", self.document_offsets, rows)


Layer = Callable[[Sequence[str | None], Tokens], ItemBounds]
"""From the texts of a batch and their fine tokens to its items.

A text that is None has no items. What the items of a document are depends on its text alone.
"""


def from_rows(texts: Sequence[str | None], tokens: Tokens, rows: Ints) -> ItemBounds:
    """Items that are runs of fine tokens.

    Args:
        texts: None for documents that get no items.
        tokens: of all documents.
        rows: the first token of each item; those of documents must be among them. An item ends
            where the token before the next item ends.
    """
    lasts = np.append(rows, len(tokens))[1:] - 1
    starts, ends = tokens.starts[rows], tokens.ends[lasts]
    offsets = np.searchsorted(rows, tokens.document_offsets).astype(np.int64)
    if any(text is None for text in texts):
        counts = np.diff(offsets)
        living = np.array([text is not None for text in texts], np.bool_)
        kept = np.repeat(living, counts)
        starts, ends = starts[kept], ends[kept]
        offsets = np.concatenate(([0], np.cumsum(counts * living)))
    return ItemBounds(offsets, starts, ends)
