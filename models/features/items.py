"""From the tokens of a batch to its items in sequences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...dictionaries.trie import TokenTrie
from ..characters import LINE_BREAKS
from ..columns import Flags, Ints
from ..tokens import Tokens
from .base import Items, intern_slices

LAYERS = ("fine", "coarse", "character")
SEQUENCES = ("line", "sentence", "document")
_LINE_BREAKS = np.array([ord(character) for character in LINE_BREAKS])


def layer_bounds(tokens: Tokens, layer: str) -> tuple[Ints, Ints, Ints]:
    """Row pointers by document, starts and ends of the items of the layer "fine" or "coarse"."""
    rows = _first_rows(tokens, layer)
    offsets = np.searchsorted(rows, tokens.document_offsets).astype(np.int64)
    # A coarse token ends where the fine token before the next coarse one ends.
    last_rows = np.append(rows, len(tokens))[1:] - 1
    return offsets, tokens.starts[rows], tokens.ends[last_rows]


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
    without items is no sequence. A sequence of more than `max_sequence` items is cut behind every
    `max_sequence`-th; the pieces know nothing of each other.

    Args:
        texts: None for documents that failed; they get no items.
        tokens: of all documents.
        layer: one of `LAYERS`.
        sequence: one of `SEQUENCES`.
        max_sequence: at least 1.
        gazetteers: passed on.
        clusters: passed on.
        tags: passed on.
    """
    if layer == "character":
        starts, documents, anchors, words, word_ids, begins = _characters(texts, tokens, sequence)
        ends = starts + 1
    else:
        rows = _first_rows(tokens, layer)
        token_documents = np.repeat(np.arange(len(texts)), np.diff(tokens.document_offsets))
        alive = np.array([text is not None for text in texts], np.bool_)
        kept = alive[token_documents[rows]] if len(rows) else np.zeros(0, np.bool_)
        _, starts, ends = layer_bounds(tokens, layer)
        anchors, starts, ends = rows[kept], starts[kept], ends[kept]
        documents = token_documents[anchors]
        offsets = _pointers(documents, len(texts))
        words, word_ids = intern_slices(texts, offsets, starts, ends)
        begins = np.zeros(len(anchors), np.bool_)
        if sequence != "document":
            marks = tokens.starts_line if sequence == "line" else tokens.starts_sentence
            # A coarse token that a sentence begins inside of belongs to that sentence.
            inside = np.searchsorted(anchors, np.flatnonzero(marks), side="right") - 1
            begins[inside[inside >= 0]] = True
    begins[np.flatnonzero(np.diff(documents, prepend=-1))] = True
    heads = np.flatnonzero(begins)
    sequences = np.cumsum(begins) - 1
    place = np.arange(len(starts)) - heads[sequences]
    begins |= place % max_sequence == 0
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


def _first_rows(tokens: Tokens, layer: str) -> Ints:
    """First row of each item of a token layer."""
    if layer == "fine":
        return np.arange(len(tokens))
    begins = tokens.starts_coarse.copy()
    begins[tokens.document_offsets[:-1][np.diff(tokens.document_offsets) > 0]] = True
    return np.flatnonzero(begins)


def _pointers(groups: Ints, count: int) -> Ints:
    """Row pointers of rows that are sorted by group."""
    return np.searchsorted(groups, np.arange(count + 1)).astype(np.int64)


def _characters(
    texts: Sequence[str | None], tokens: Tokens, sequence: str
) -> tuple[Ints, Ints, Ints, tuple[str, ...], Ints, Flags]:
    """Starts, documents, anchors, words, word ids and sequence begins of the character items."""
    points, starts, documents, anchors, begins = [], [], [], [], []
    for document, text in enumerate(texts):
        if not text:
            continue
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.int64)
        breaks = np.isin(codes, _LINE_BREAKS)
        rows = tokens.of_document(document)
        marks = np.zeros(len(codes), np.bool_)
        if sequence == "line":
            marks[1:] = breaks[:-1]
        elif sequence == "sentence":
            marks[tokens.starts[rows][tokens.starts_sentence[rows]]] = True
        kept = np.flatnonzero(~breaks)
        # The first item at or behind a mark begins the sequence: the mark itself may be a line
        # break.
        begin = np.zeros(len(kept), np.bool_)
        first = np.searchsorted(kept, np.flatnonzero(marks))
        begin[first[first < len(kept)]] = True
        anchor = np.searchsorted(tokens.starts[rows], kept, side="right") - 1
        points.append(codes[kept])
        starts.append(kept)
        documents.append(np.full(len(kept), document, np.int64))
        anchors.append(np.where(anchor >= 0, anchor + rows.start, -1))
        begins.append(begin)
    if not points:
        none = np.zeros(0, np.int64)
        return none, none, none, (), none, np.zeros(0, np.bool_)
    distinct, word_ids = np.unique(np.concatenate(points), return_inverse=True)
    return (
        np.concatenate(starts),
        np.concatenate(documents),
        np.concatenate(anchors),
        tuple(map(chr, distinct.tolist())),
        word_ids.astype(np.int64),
        np.concatenate(begins),
    )
