"""Token risks: for each token of a batch, how likely a model holds it for PHI.

The text is absent, as from candidates.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from .arrays import Floats, Ints, require_equal_lengths


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class TokenRisks:
    """What one tagger says of its tokens, in order of documents and places.

    Attributes:
        documents: index of the document in `Documents`.
        starts, ends: half-open code-point offsets.
        values: one less the probability of O, in [0, 1]. Of 32 bits, so that what was written and
            read again adds up to the same.
    """

    documents: Ints
    starts: Ints
    ends: Ints
    values: npt.NDArray[np.float32]

    def __post_init__(self) -> None:
        require_equal_lengths(
            "TokenRisks",
            documents=self.documents,
            starts=self.starts,
            ends=self.ends,
            values=self.values,
        )

    def __len__(self) -> int:
        return len(self.starts)

    @classmethod
    def of(cls, documents: Ints, starts: Ints, ends: Ints, values: Floats) -> TokenRisks:
        """Rows in order, of values of any width."""
        return cls(documents, starts, ends, values.astype(np.float32))

    @classmethod
    def joined(cls, parts: Iterable[tuple[int, TokenRisks]]) -> TokenRisks:
        """Rows of batches of one document each, as those of the document that stands with each."""
        parts = list(parts)
        if not parts:
            nothing = np.zeros(0, np.int64)
            return cls(nothing, nothing, nothing, np.zeros(0, np.float32))
        return cls(
            np.concatenate([np.full(len(part), document) for document, part in parts]),
            np.concatenate([part.starts for _, part in parts]),
            np.concatenate([part.ends for _, part in parts]),
            np.concatenate([part.values for _, part in parts]),
        )
