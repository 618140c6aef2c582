"""Segmentations into items: what a CRF labels one by one.

A segmentation is a pure function from the texts of a batch and their fine tokens to bounds: ordered
and disjoint within a document, and every character that is not white space is in one.
"""

from __future__ import annotations

from .joined import merged
from .plain import characters, coarse, fine, with_blanks
from .segmentation import ItemBounds, Layer
from .wi_deid import wi_deid, word

__all__ = ["SEGMENTATIONS", "ItemBounds", "Layer"]

SEGMENTATIONS: dict[str, Layer] = {
    "fine": fine,
    "coarse": coarse,
    "with-blanks": with_blanks,
    "character": characters,
    "word": word,
    "wi-deid": wi_deid,
    "merged": merged,
}
"""All segmentations, by the name that a recipe gives in its field `layer`."""
