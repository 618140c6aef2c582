"""From the tokens of a batch to its items in sequences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...dictionaries.trie import TokenTrie
from ..core.arrays import Flags, Ints
from ..core.tokens import Tokens
from ..text.plain import line_breaks
from ..text.segmentation import ItemBounds
from ..text.segmentations import SEGMENTATIONS
from .base import Items, intern_slices

__all__ = ["SEGMENTATIONS", "SEQUENCES", "build_items", "layer_bounds"]

SEQUENCES = ("line", "sentence", "document")


def layer_bounds(texts: Sequence[str | None], tokens: Tokens, layer: str) -> ItemBounds:
    """Where the items of a layer, a key of `SEGMENTATIONS`, begin and end."""
    return SEGMENTATIONS[layer](texts, tokens)


def build_items(
    texts: Sequence[str | None],
    tokens: Tokens,
    *,
    layer: str,
    sequence: str,
    max_sequence: int,
    gazetteers: Mapping[str, TokenTrie],
    clusters: Mapping[str, Mapping[str, str]],
    tags: Mapping[str, Sequence[str]],
) -> Items:
    """Cuts a batch into items and sequences.

    A line is what lies between `LINE_BREAKS`, which are no items. A line, sentence or document
    without items is no sequence. An item inside of which a line or sentence begins belongs to that
    one. A sequence of more than `max_sequence` items is cut behind every `max_sequence`-th; the
    pieces know nothing of each other.

    Args:
        texts: None for documents that failed; they get no items.
        tokens: of all documents.
        layer: a key of `SEGMENTATIONS`.
        sequence: one of `SEQUENCES`.
        max_sequence: at least 1.
        gazetteers: passed on.
        clusters: passed on.
        tags: passed on.
    """
    bounds = layer_bounds(texts, tokens, layer)
    offsets, starts, ends = bounds.document_offsets, bounds.starts, bounds.ends
    documents = np.repeat(np.arange(len(texts)), np.diff(offsets))
    # Tokens and items are sorted by (document, offset); one number for both, so that one search
    # places all.
    width = 1 + max(int(tokens.ends.max(initial=0)), int(ends.max(initial=0)))
    token_documents = np.repeat(np.arange(len(texts)), np.diff(tokens.document_offsets))
    token_places = token_documents * width + tokens.starts
    anchors = np.searchsorted(token_places, documents * width + starts, side="right") - 1
    anchors[anchors < tokens.document_offsets[documents]] = -1
    words, word_ids = intern_slices(texts, offsets, starts, ends)
    if sequence == "line" and layer == "character":
        marks = _behind_line_breaks(texts, width)
    elif sequence == "line":
        marks = token_places[tokens.starts_line]
    elif sequence == "sentence":
        marks = token_places[tokens.starts_sentence]
    else:
        marks = np.zeros(0, np.int64)
    begins = _begin_sequences(documents, documents * width + ends, marks, max_sequence)
    heads = np.flatnonzero(begins)
    return Items(
        texts=texts,
        tokens=tokens,
        layer=layer,
        starts=starts,
        ends=ends,
        documents=documents,
        sequences=np.cumsum(begins) - 1,
        sequence_offsets=np.append(heads, len(starts)),
        document_offsets=_pointers(documents[heads], len(texts)),
        anchors=anchors,
        words=words,
        word_ids=word_ids,
        gazetteers=gazetteers,
        clusters=clusters,
        tags=tags,
    )


def _begin_sequences(documents: Ints, ends: Ints, marks: Ints, most: int) -> Flags:
    """Whether a sequence begins with an item.

    Args:
        documents: of each item.
        ends: places where items end, rising.
        marks: places where sequences begin beside the beginnings of documents.
        most: items of a sequence; behind so many another begins.
    """
    begins = np.zeros(len(ends), np.bool_)
    # The first item that ends behind the mark. Marks of a document without items find another's
    # first one, which begins a sequence anyway.
    heads = np.searchsorted(ends, marks, side="right")
    begins[heads[heads < len(ends)]] = True
    begins[np.flatnonzero(np.diff(documents, prepend=-1))] = True
    heads = np.flatnonzero(begins)
    sequences = np.cumsum(begins) - 1
    place = np.arange(len(ends)) - heads[sequences]
    begins |= place % most == 0
    return begins


def _pointers(groups: Ints, count: int) -> Ints:
    """Row pointers of rows that are sorted by group."""
    return np.searchsorted(groups, np.arange(count + 1)).astype(np.int64)


def _behind_line_breaks(texts: Sequence[str | None], width: int) -> Ints:
    """Places behind line breaks, for layers in which a line of blanks has items too."""
    found = [np.flatnonzero(line_breaks(text)) + 1 + i * width for i, text in enumerate(texts)]
    return np.concatenate([np.zeros(0, np.int64), *found])
