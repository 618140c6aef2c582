"""Portions: so many out of so many, with intervals; for all that is no precision and no recall."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from ..columns import Flags, Ints
from .intervals import Interval, Resampling, interval, ratio
from .tables import aligned, interval_json, ratio_json, shown_interval, shown_ratio


@dataclasses.dataclass(frozen=True, slots=True)
class Share:
    """So many out of so many.

    Attributes:
        count: of those that are so.
        of: of those that could be so.
        interval: of the rate; None if undefined.
    """

    count: int
    of: int
    interval: Interval | None

    @property
    def rate(self) -> float | None:
        """`count` out of `of`; None if there is none that could be so."""
        return self.count / self.of if self.of else None


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Portions:
    """Counts by document.

    Attributes:
        parts: name -> how many are so, and how many could be so; one row a document each.
    """

    parts: Mapping[str, tuple[Ints | Flags, Ints | Flags]]

    def summary(self, title: str, resampling: Resampling) -> Shares:
        """Sums over documents, with intervals for the rates."""
        shares = {}
        for name, (true, counted) in self.parts.items():
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
        """Lines of a plain text table; `labels` is for tables that have some."""
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
