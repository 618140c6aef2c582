"""Layers: what a CRF labels one by one, its items.

A layer is a pure function from the texts of a batch and their fine tokens to bounds: ordered and
disjoint within a document, and every character that is not white space is in one.
"""

from __future__ import annotations

from .base import Bounds, Layer
from .merged import merged
from .plain import characters, coarse, fine
from .wi_deid import wi_deid, word

__all__ = ["LAYERS", "Bounds", "Layer"]

LAYERS: dict[str, Layer] = {
    "fine": fine,
    "coarse": coarse,
    "character": characters,
    "word": word,
    "wi-deid": wi_deid,
    "merged": merged,
}
"""All layers, by the name that a recipe gives."""
