"""Sampling: leaves out items without a label, so the learner is less biased towards "O".

Source: Gardner et al. 2010, §5. Recall rises, precision falls, and training gets faster.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.arrays import Flags, Ints
from ..core.feature_rows import Features
from ..crf.codec import OUTSIDE
from ..features.base import gather
from ..learners import Sampling


def sample(
    features: Features, tags: Sequence[Sequence[str]], sampling: Sampling, seed: int
) -> tuple[Features, list[list[str]]]:
    """The items that the learner trains on, in order, with unchanged attributes.

    Args:
        features: of all training documents.
        tags: one list for each sequence, one tag for each of its items.
        sampling: what to keep.
        seed: of numpy's PCG64, for the method "random"; items are drawn in order.

    Returns:
        The features of the items kept, and their tags; a sequence may become empty.
    """
    if sampling.method == "all":
        return features, [list(sequence) for sequence in tags]
    kept = kept_items(features.sequence_offsets, tags, sampling, seed)
    rows = np.flatnonzero(kept)
    item_offsets, attribute_ids = gather(features.item_offsets, features.attribute_ids, rows)
    flat = [tag for sequence in tags for tag in sequence]
    ends = np.concatenate(([0], np.cumsum(kept, dtype=np.int64)))[features.sequence_offsets]
    chosen = [flat[row] for row in rows.tolist()]
    bounds = ends.tolist()
    return (
        Features(
            features.attributes,
            attribute_ids,
            item_offsets,
            features.starts[rows],
            features.ends[rows],
            ends,
            features.document_offsets,
        ),
        [chosen[begin:end] for begin, end in zip(bounds, bounds[1:], strict=False)],
    )


def kept_items(
    sequence_offsets: Ints, tags: Sequence[Sequence[str]], sampling: Sampling, seed: int
) -> Flags:
    """Which items `sample` keeps, one flag for each item of all sequences."""
    labelled = np.array([tag != OUTSIDE for sequence in tags for tag in sequence], np.bool_)
    if sampling.method == "all":
        return np.ones(len(labelled), np.bool_)
    random = sampling.method == "random"
    before = sampling.history if random else sampling.window
    kept = _near(labelled, sequence_offsets, before, 0 if random else sampling.window)
    if random:
        drawn = np.random.Generator(np.random.PCG64(seed)).random(len(labelled)) < sampling.keep
        kept |= drawn
    return kept


def _near(labelled: Flags, sequence_offsets: Ints, before: int, after: int) -> Flags:
    """Labelled items, and items within a distance before or after one in its sequence."""
    size = len(labelled)
    places = np.flatnonzero(labelled)
    sequences = np.searchsorted(sequence_offsets, places, side="right") - 1
    firsts = np.maximum(places - before, sequence_offsets[sequences])
    ends = np.minimum(places + after + 1, sequence_offsets[sequences + 1])
    depth = np.bincount(firsts, minlength=size + 1) - np.bincount(ends, minlength=size + 1)
    near: Flags = np.cumsum(depth[:size]) > 0
    return near
