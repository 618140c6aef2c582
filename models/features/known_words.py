"""The items of a batch for the extension, and the words that it remembers between batches."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.arrays import Codes, Ids, Ints, joined_code_points
from ..core.feature_rows import Indexed, Summed
from ..core.forksafe import ForkSafeLock
from ..core.tokens import Tokens
from .base import Items

_MOST_WORDS = 32_000
_MOST_CODES = 1_300_000
"""Words and their code points that are remembered from batch to batch: some 20 MB."""

_AT_ONCE = 8_000
"""Fine tokens of a piece, and no document in two."""


@dataclasses.dataclass(frozen=True, slots=True)
class ItemPlaces:
    """Where the items of a batch are: what the extension's calls have in common.

    Attributes:
        codes, text_offsets: of all texts.
        tokens: fine tokens.
        item_offsets: row pointers of documents into items.
        starts, ends: of the items.
        anchors: row of the fine token of each item, see `Items`.
        sequence_offsets: row pointers of sequences into items.
        document_offsets: row pointers of documents into sequences.
    """

    codes: Codes
    text_offsets: Ints
    tokens: Tokens
    item_offsets: Ints
    starts: Ints
    ends: Ints
    anchors: Ints
    sequence_offsets: Ints
    document_offsets: Ints


def places_of(items: Items, texts: Sequence[str | None], tokens: Tokens) -> ItemPlaces:
    """Where items are that Python has cut."""
    return ItemPlaces(
        *joined_code_points(texts),
        tokens,
        items.sequence_offsets[items.document_offsets],
        items.starts,
        items.ends,
        items.anchors,
        items.sequence_offsets,
        items.document_offsets,
    )


class KnownWords:
    """The words that a process has met, one batch at a time. For threads too."""

    def __init__(self, opened: Any, intern: Callable[..., Any]) -> None:
        self._opened, self._intern = opened, intern
        self._lock = ForkSafeLock()

    def of(self, batch: ItemPlaces, word_ids: Ints) -> tuple[Ids, int, list[tuple[bytes, bytes]]]:
        """The distinct words of a batch; fills `word_ids`. See the extension's `intern`."""
        with self._lock:
            rows, folded, sets = self._intern(
                self._opened,
                batch.codes,
                batch.text_offsets,
                batch.item_offsets,
                batch.starts,
                batch.ends,
                _MOST_WORDS,
                _MOST_CODES,
                word_ids,
            )
        return np.frombuffer(rows, np.int32), folded, sets


def piece_edges(document_offsets: Ints) -> list[int]:
    """Documents that pieces of a batch begin with, and their number."""
    edges, begun = [0], 0
    for document, end in enumerate(document_offsets[1:].tolist(), 1):
        if end - begun >= _AT_ONCE:
            edges.append(document)
            begun = end
    documents = len(document_offsets) - 1
    return [*edges, documents] if edges[-1] < documents or len(edges) == 1 else edges


def join_pieces(pieces: Sequence[Indexed] | Sequence[Summed]) -> Indexed | Summed:
    """Pieces of a batch, all of one kind, one after another."""
    if len(pieces) == 1:
        return pieces[0]
    kind = type(pieces[0])
    joined: dict[str, Any] = {}
    for field in dataclasses.fields(kind):
        columns = [getattr(piece, field.name) for piece in pieces]
        is_pointer = field.name.endswith("_offsets")
        joined[field.name] = _pointers(columns) if is_pointer else np.concatenate(columns)
    return kind(**joined)


def _pointers(columns: Sequence[Ints]) -> Ints:
    """Row pointers of pieces as those of the whole."""
    ends = np.cumsum([0, *(column[-1] for column in columns)])
    shifted = [column[1:] + end for column, end in zip(columns, ends, strict=False)]
    return np.concatenate([np.zeros(1, np.int64), *shifted])
