"""Claims of the papers that no study here tests, and why."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True, slots=True)
class UntestedClaim:
    """A claim of a paper that no study here tests.

    Attributes:
        paper: as `Study.source` begins.
        where: section, table or figure.
        claim: the paper's, with its figures.
        why: why it is not tested.
    """

    paper: str
    where: str
    claim: str
    why: str


UNTESTED: tuple[UntestedClaim, ...] = ()
"""In the order of the papers, and of the claims in each."""
