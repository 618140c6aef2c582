"""The segmentations that need no knowledge of a language: fine and coarse tokens, characters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.arrays import Flags, code_points
from ..core.tokens import Tokens
from .characters import LINE_BREAKS
from .segmentation import ItemBounds, from_rows

_LINE_BREAKS = np.array([ord(character) for character in LINE_BREAKS])


def fine(texts: Sequence[str | None], tokens: Tokens) -> ItemBounds:
    """The fine tokens themselves."""
    return from_rows(texts, tokens, np.arange(len(tokens)))


def coarse(texts: Sequence[str | None], tokens: Tokens) -> ItemBounds:
    """The coarse tokens of the tokenizer; see `models.text.tokenizer`."""
    begins = tokens.starts_coarse.copy()
    begins[tokens.document_offsets[:-1][np.diff(tokens.document_offsets) > 0]] = True
    return from_rows(texts, tokens, np.flatnonzero(begins))


def characters(texts: Sequence[str | None], tokens: Tokens) -> ItemBounds:
    """Every character but line breaks; blanks are items too."""
    places = [np.flatnonzero(~line_breaks(text)) for text in texts]
    offsets = np.concatenate(([0], np.cumsum([len(found) for found in places]))).astype(np.int64)
    starts = np.concatenate([np.zeros(0, np.int64), *places])
    return ItemBounds(offsets, starts, starts + 1)


def line_breaks(text: str | None) -> Flags:
    """Whether each character of the text is a line break."""
    if not text:
        return np.zeros(0, np.bool_)
    return np.isin(code_points(text), _LINE_BREAKS)
