"""How much PHI a model expects to be left in a document: the order in which people read.

    p of a token = 1 - P(O at the token), of a CRF whose scores are divided by a temperature
    risk of a document = the sum of p over the tokens that no span covers

The model is the one that was trained, without the biases of its operating point: these say how much
is to be removed, not what is likely. What is left of a candidate that a policy keeps or vetoes is
covered: somebody has decided it.

A risk puts documents in order; it is no probability, and no bound can be made of it. So a table has
`rank_of` it alone. Where several taggers look, the greatest of their risks counts: no model that is
added makes what another one fears look safe.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence

import numpy as np

from ..core.arrays import Flags, Floats, Ints
from ..core.spans import Spans
from ..core.token_risks import TokenRisks

LEAST_RISK = 2.0**-10
"""Risks below it are as good as none: so is that of a document without a token left."""

STEPS_AN_OCTAVE = 4
"""A rank is so many steps higher for twice the risk."""

UNCERTAIN = 0.05
"""Tokens below this are not worth a reader's look."""


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class UncertainToken:
    """A token that nothing covers, and that may be PHI.

    Attributes:
        start, end: half-open code-point offsets.
        p: the greatest that any tagger says, rounded to 1e-4.
    """

    start: int
    end: int
    p: float


def rank_of(risk: float) -> int:
    """Four times the logarithm to base 2, rounded, at least -40: differences of 1e-9 do not show.

    >>> rank_of(1.0), rank_of(2.0), rank_of(0.5), rank_of(0.0)
    (0, 4, -4, -40)
    """
    return math.floor(STEPS_AN_OCTAVE * math.log2(max(risk, LEAST_RISK)) + 0.5)


def rank_of_all(ranks: Iterable[int | None]) -> int | None:
    """The rank of a document with several texts, from those of its texts; None if none has one.

    >>> rank_of_all([0, 0]), rank_of_all([8, None, -40]), rank_of_all([None])
    (4, 8, None)
    """
    known = [rank for rank in ranks if rank is not None]
    if not known:
        return None
    return rank_of(math.fsum(2.0 ** (rank / STEPS_AN_OCTAVE) for rank in known))


def risks_of_documents(
    taggers: Sequence[TokenRisks], spans: Spans, documents: int
) -> Floats | None:
    """The risk of each document of a batch; None if no tagger tells.

    Args:
        taggers: what each says of its tokens.
        spans: all of the batch: sorted, and disjoint within a document.
        documents: how many there are.
    """
    if not taggers:
        return None
    sums = []
    for one in taggers:
        left = ~are_covered(one, spans)
        # It adds one after another, so that a sum does not depend on what else is in the batch.
        sums.append(np.bincount(one.documents[left], one.values[left], minlength=documents))
    greatest: Floats = np.max(sums, axis=0)
    return greatest


def ranks_of_documents(
    taggers: Sequence[TokenRisks], spans: Spans, documents: int
) -> list[int] | list[None]:
    """The rank of each document; None for each if no tagger tells. See `risks_of_documents`."""
    risks = risks_of_documents(taggers, spans, documents)
    return [None] * documents if risks is None else list(map(rank_of, risks.tolist()))


def are_covered(tokens: TokenRisks, spans: Spans) -> Flags:
    """For each token, whether a span covers any of its characters."""
    # Spans of a document are disjoint and in order, so the first that ends behind the beginning of
    # a token is the only one that has to be looked at.
    size = 1 + max(_last(tokens.ends), _last(spans.ends))
    ends = spans.documents * size + spans.ends
    at = np.searchsorted(ends, tokens.documents * size + tokens.starts, side="right")
    begins = np.append(spans.documents * size + spans.starts, np.iinfo(np.int64).max)
    covered: Flags = begins[at] < tokens.documents * size + tokens.ends
    return covered


def _last(offsets: Ints) -> int:
    return int(offsets.max()) if len(offsets) else 0


def uncertain_tokens(
    taggers: Sequence[TokenRisks], spans: Spans, document: int = 0, *, least: float = UNCERTAIN
) -> list[UncertainToken]:
    """The tokens of a document that nothing covers and that may be PHI, in order.

    Args:
        taggers, spans: see `risks_of_documents`.
        document: index of the document in its batch.
        least: tokens with a lower p are left out.
    """
    found: dict[tuple[int, int], float] = {}
    for one in taggers:
        is_wanted = (one.documents == document) & (one.values >= least) & ~are_covered(one, spans)
        for start, end, p in zip(
            one.starts[is_wanted].tolist(),
            one.ends[is_wanted].tolist(),
            one.values[is_wanted].tolist(),
            strict=True,
        ):
            found[start, end] = max(p, found.get((start, end), 0.0))
    return sorted(UncertainToken(start, end, round(p, 4)) for (start, end), p in found.items())
