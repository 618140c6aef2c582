"""The join: which words left in one note were found in other notes of the same patient."""

from __future__ import annotations

import dataclasses

import numpy as np

from ..core.record_links import LEFT, MOST_TOLD, Evidence, Facts, begins


@dataclasses.dataclass(frozen=True, slots=True)
class CarryRule:
    """When a word is carried over.

    Attributes:
        share: least share of notes in which the word was found, of those in which it was found or
            left. Propagation within a note goes by the same.
        sure: codes of labels that one note says for certain; others need two.
    """

    share: float = 0.5
    sure: frozenset[int] = frozenset()


def facts_of(evidence: Evidence, rule: CarryRule) -> Facts:
    """The words that are both found and left, and found in enough of the notes that have them.

    A drug that is taken for a doctor once and left forty times stays. Linear.

    Args:
        evidence: of all notes of its patients.
        rule: see there.
    """
    keys, codes = evidence.keys, evidence.codes
    if not len(keys):
        return Facts(keys, codes, codes)
    counts = evidence.documents.astype(np.int64)
    first = np.flatnonzero(begins(keys))
    said = np.where(codes == LEFT, 0, counts)
    found = np.add.reduceat(said, first)
    left = np.add.reduceat(counts, first) - found
    most = np.maximum.reduceat(said, first)
    lengths = np.diff(np.append(first, len(keys)))
    is_most = (said == np.repeat(most, lengths)) & (codes != LEFT)
    label = np.minimum.reduceat(np.where(is_most, codes, np.iinfo(np.uint8).max), first)
    least = np.where(np.isin(label, sorted(rule.sure)), 1, 2)
    chosen = (left > 0) & (found >= least) & (found >= rule.share * (found + left))
    told = np.minimum(found, MOST_TOLD).astype(np.uint8)
    return Facts(keys[first], label.astype(np.uint8), told).take(chosen)
