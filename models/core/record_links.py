"""What notes say of words, and what the notes of a patient say together: columns of integers.

A key is a keyed hash of patient and word (`models.records.hashes`). No text, patient or word is in
any of it.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from .arrays import require_equal_lengths

LEFT = 0
"""The code of a word on which nothing was found; those of labels begin at 1."""

Keys = npt.NDArray[np.uint64]
Codes = npt.NDArray[np.uint8]
Counts = npt.NDArray[np.uint32]

ALL_KEYS = 1 << 64
"""How many keys there can be."""

_MOST = np.iinfo(np.uint32).max


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evidence:
    """What notes say of words, sorted by (key, code), each pair once.

    Attributes:
        keys: of patient and word.
        codes: LEFT, or that of a label.
        documents: in how many notes.
    """

    keys: Keys
    codes: Codes
    documents: Counts

    def __post_init__(self) -> None:
        require_equal_lengths(
            "Evidence", keys=self.keys, codes=self.codes, documents=self.documents
        )

    def __len__(self) -> int:
        return len(self.keys)

    @classmethod
    def of(cls, keys: list[int], codes: list[int]) -> Evidence:
        """Of one pair for each note, in any order."""
        return cls.summed(
            cls(
                np.array(keys, np.uint64),
                np.array(codes, np.uint8),
                np.ones(len(keys), np.uint32),
            )
        )

    @classmethod
    def summed(cls, *parts: Evidence) -> Evidence:
        """The rows of all parts; the counts of equal ones are added."""
        keys = np.concatenate([np.zeros(0, np.uint64), *(part.keys for part in parts)])
        codes = np.concatenate([np.zeros(0, np.uint8), *(part.codes for part in parts)])
        counts = np.concatenate([np.zeros(0, np.uint32), *(part.documents for part in parts)])
        order = np.lexsort((codes, keys))
        keys, codes, counts = keys[order], codes[order], counts[order]
        first = np.flatnonzero(begins(keys) | begins(codes))
        sums = np.add.reduceat(counts.astype(np.int64), first) if len(first) else counts
        return cls(keys[first], codes[first], np.minimum(sums, _MOST).astype(np.uint32))


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Facts:
    """What other notes of their patients say of words that were left.

    Attributes:
        keys: sorted, each once.
        codes: of the label that most notes say; of equals the first.
        documents: in how many notes the word was found, up to `MOST_TOLD`.
    """

    keys: Keys
    codes: Codes
    documents: Codes

    def __post_init__(self) -> None:
        require_equal_lengths("Facts", keys=self.keys, codes=self.codes, documents=self.documents)

    def __len__(self) -> int:
        return len(self.keys)

    def take(self, rows: npt.NDArray[np.bool_] | npt.NDArray[np.int64]) -> Facts:
        """The rows that are flagged, or of these indexes."""
        return Facts(self.keys[rows], self.codes[rows], self.documents[rows])


MOST_TOLD = 3
"""Notes that a fact tells of; more make no difference, and would change it for nothing."""


def begins(column: Keys | Codes) -> npt.NDArray[np.bool_]:
    """Where a run of equal values begins."""
    found = np.ones(len(column), np.bool_)
    found[1:] = column[1:] != column[:-1]
    return found
