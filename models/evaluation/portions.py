"""Portions: counts out of totals with intervals, for what is neither precision nor recall."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from ..core.arrays import Flags, Ints
from .intervals import Interval, Resampling, interval, ratio
from .tables import aligned, interval_json, ratio_json, shown_interval, shown_ratio


@dataclasses.dataclass(frozen=True, slots=True)
class Share:
    """A count out of a total.

    Attributes:
        count: how many are.
        of: how many could be.
        interval: of the rate; None if undefined.
    """

    count: int
    of: int
    interval: Interval | None

    @property
    def rate(self) -> float | None:
        """`count` divided by `of`; None if `of` is 0."""
        return self.count / self.of if self.of else None


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Portions:
    """Counts by document.

    Attributes:
        counts: name -> how many are, and how many could be; one row per document each.
    """

    counts: Mapping[str, tuple[Ints | Flags, Ints | Flags]]

    def summary(self, title: str, resampling: Resampling) -> Shares:
        """Sums over documents, with intervals for the rates."""
        shares = {}
        for name, (true, counted) in self.counts.items():
            columns = np.stack([true, counted], axis=1).astype(np.int64)
            count, of = columns.sum(axis=0).tolist()
            rates = ratio(*resampling.sums(columns).T)
            shares[name] = Share(count, of, interval(rates, int((columns[:, 1] > 0).sum())))
        return Shares(title, MappingProxyType(shares))


@dataclasses.dataclass(frozen=True, slots=True)
class Shares:
    """Portions over all documents.

    Attributes:
        title: for people.
        shares: name -> share.
    """

    title: str
    shares: Mapping[str, Share]

    def as_json(self) -> dict[str, object]:
        """A JSON object; undefined numbers are null."""
        return {
            "title": self.title,
            **{
                name: {
                    "count": share.count,
                    "of": share.of,
                    "rate": ratio_json(share.rate),
                    "interval": interval_json(share.interval),
                }
                for name, share in self.shares.items()
            },
        }

    def as_lines(self, *, labels: bool = True) -> list[str]:
        """Lines of a plain text table; `labels` has no effect."""
        rows = [
            (
                f"  {name.replace('_', ' ')}",
                str(share.count),
                str(share.of),
                shown_ratio(share.rate),
                shown_interval(share.interval),
            )
            for name, share in self.shares.items()
        ]
        return aligned([(self.title, "count", "of", "rate", "95 %"), *rows])
