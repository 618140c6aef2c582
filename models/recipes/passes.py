"""What a recipe declares besides its taggers: what training counts, and what passes trust.

Source: Szarvas et al. 2006, "Feature set" and "Iterative learning". The algorithms are
`bundles.passes`, `bundles.standardising` and `training.passes`.
"""

from __future__ import annotations

import dataclasses

from ..core.errors import UsageError
from ..features.base import require_int, require_name, require_one_of

COUNTED = ("capitalised", "frequency", "headings", "initial")

STANDARDISED = ("none", "telling", "all")
"""Which phrases take one class in all of a document: those that tell something, see `bundles`."""

MOST_FOLDS = 100


@dataclasses.dataclass(frozen=True, slots=True)
class WordCounts:
    """A gazetteer that training makes by counting the words, or the headings, of its texts.

    Those of words are weighted. `Frequency` bins weights by powers of two, so a share of n
    sixteenths is the weight 2**n.

    Attributes:
        name: of the gazetteer, as features name it.
        counts: "frequency" how often the word occurs, case-folded; "capitalised" the share of it
            that begins with a capital, in sixteenths; "initial" the share of that which opens a
            sentence; "headings" the documents that a heading stands in (`features.SectionHeading`).
        least: occurrences of a word, or documents with a heading, that is listed.
        most: headings that are listed, the most frequent ones; 0 for no limit.

    Raises:
        UsageError: if a value is not allowed.
    """

    name: str
    counts: str
    least: int = 3
    most: int = 0

    def __post_init__(self) -> None:
        require_name("counts", "name", self.name)
        require_one_of("counts", "counts", self.counts, COUNTED)
        require_int("counts", "least", self.least, 1, 1_000_000)
        require_int("counts", "most", self.most, 0, 1_000_000)
        if self.most and self.counts != "headings":
            raise UsageError("counts: most is for headings")

    def as_json(self) -> dict[str, object]:
        """JSON values; equal counts give equal ones."""
        values = dataclasses.asdict(self)
        # Without a limit as before there were limits.
        return values if self.most else {n: v for n, v in values.items() if n != "most"}


@dataclasses.dataclass(frozen=True, slots=True)
class Trust:
    """Which phrases of the first pass the later ones know, as the tags of the column `FOUND`.

    Attributes:
        name: of the dictionary of headings that training makes: those under which the phrases of
            the training part are nearly all of one label.
        entropy: of the labels under such a heading, in bits; it has less.
        phrases: fewest under such a heading.
        folds: of the cross-fitting by which training tags its own documents in the first pass, from
            2; 0 to tag them with the models that were trained on them.

    Raises:
        UsageError: if a value is not allowed.
    """

    name: str = "trusted_headings"
    entropy: float = 0.1
    phrases: int = 10
    folds: int = 5

    def __post_init__(self) -> None:
        require_name("trust", "name", self.name)
        if isinstance(self.entropy, bool | str) or not 0 < self.entropy <= 10:
            raise UsageError("trust: entropy must be a number of bits above 0 and at most 10")
        require_int("trust", "phrases", self.phrases, 1, 1_000_000)
        require_int("trust", "folds", self.folds, 0, MOST_FOLDS)
        if self.folds == 1:
            raise UsageError("trust: folds must be 2 or more, or 0 for none")
