"""The segmentations that need no language: fine and coarse tokens, blanks, characters."""

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


def with_blanks(texts: Sequence[str | None], tokens: Tokens) -> ItemBounds:
    """The fine tokens, and each run of white space beside them that has no line break.

    HIDE counts such runs as tokens: Gardner et al. 2010, Tables 3 and 4. Line breaks are no
    items, as in `characters`.
    """
    words = fine(texts, tokens)
    rows = words.document_offsets
    starts, ends = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for text, begin, end in zip(texts, rows[:-1], rows[1:], strict=True):
        steps = np.zeros(len(text or "") + 1, np.int8)
        steps[words.starts[begin:end]] += 1
        steps[words.ends[begin:end]] -= 1
        is_blank = (np.cumsum(steps)[:-1] == 0) & ~line_breaks(text)
        edges = np.diff(is_blank.astype(np.int8), prepend=0, append=0)
        starts.append(np.sort(np.append(words.starts[begin:end], np.flatnonzero(edges > 0))))
        ends.append(np.sort(np.append(words.ends[begin:end], np.flatnonzero(edges < 0))))
    counts = [len(found) for found in starts]
    return ItemBounds(
        np.cumsum(counts).astype(np.int64), np.concatenate(starts), np.concatenate(ends)
    )


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
