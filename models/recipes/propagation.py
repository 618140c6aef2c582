"""The declaration of propagation in a recipe: which labels are propagated, and when.

The algorithm is `bundles.propagate`.
"""

from __future__ import annotations

import dataclasses

from ..core.errors import UsageError
from ..features.base import require_int, require_name


@dataclasses.dataclass(frozen=True, slots=True)
class Propagation:
    """What is propagated to other places of a document.

    Attributes:
        labels: the bundle's own labels whose phrases are propagated; those that a bundle lacks have
            no effect.
        names: the labels among them that are names of people: each word of such a phrase is
            propagated too, since a surname also occurs alone.
        shortest: fewest characters of a word that is propagated.
        share: least share of the places of a phrase that the CRFs must have found with one label,
            above 0 up to 1. A word that they left alone nearly everywhere was found by mistake.

    Raises:
        UsageError: if there is no label, a name is not among the labels, or a value is out of
            range.
    """

    labels: tuple[str, ...]
    names: tuple[str, ...] = ()
    shortest: int = 3
    share: float = 0.5

    def __post_init__(self) -> None:
        owner = "propagation"
        for name, values in (("labels", self.labels), ("names", self.names)):
            for value in values:
                require_name(owner, name, value)
            if values != tuple(sorted(set(values))):
                raise UsageError(f"{owner}: {name} must be sorted and unique")
        if not self.labels:
            raise UsageError(f"{owner}: labels must name at least one label")
        if foreign := sorted(set(self.names) - set(self.labels)):
            raise UsageError(f"{owner}: names {foreign} are not among the labels")
        require_int(owner, "shortest", self.shortest, 1, 100)
        if isinstance(self.share, bool | str) or not 0 < self.share <= 1:
            raise UsageError(f"{owner}: share must be a number above 0 and at most 1")
