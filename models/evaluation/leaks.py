"""Documents: in how many would a reader of the scrubbed text still find PHI.

A document leaks if any character of a gold span lies outside all predicted spans. Where a detector
gives `Ann` and `Lee` for `Ann Lee`, only the blank between them stays; such documents leak like all
others, and how many have no worse leak is told beside.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from ..columns import Flags
from .comparison import Comparison, count_by_document
from .intervals import Interval, Resampling, interval, ratio
from .tables import aligned, shown_interval, shown_ratio


@dataclasses.dataclass(frozen=True, slots=True)
class Share:
    """So many documents out of so many.

    Attributes:
        count: documents that are so.
        of: documents that could be so.
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
class DocumentFlags:
    """What is true of each document.

    Attributes:
        flags: name -> one flag a document, and one that says whether the document counts at all.
    """

    flags: Mapping[str, tuple[Flags, Flags]]

    def summary(self, title: str, resampling: Resampling) -> Shares:
        """Counts documents, with intervals for the rates."""
        shares = {}
        for name, (true, counted) in self.flags.items():
            columns = np.stack([true & counted, counted], axis=1).astype(np.int64)
            count, of = columns.sum(axis=0).tolist()
            shares[name] = Share(count, of, interval(ratio(*resampling.sums(columns).T)))
        return Shares(title, MappingProxyType(shares))


@dataclasses.dataclass(frozen=True, slots=True)
class Shares:
    """Shares of documents.

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
                    "rate": None if share.rate is None else round(share.rate, 6),
                    "interval": share.interval
                    and [round(share.interval.low, 6), round(share.interval.high, 6)],
                }
                for name, share in self.shares.items()
            },
        }

    def as_lines(self) -> list[str]:
        """Lines of a plain text table."""
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


def find_leaks(comparison: Comparison) -> DocumentFlags:
    """Which documents leak.

    Returns:
        Flags by name:
        leaked: a gold character is not covered; of all documents.
        leaked_where_phi: the same, of the documents with a gold span.
        leaked_blanks_only: every such character is white space; of all documents.
        clean: no gold character is left; of all documents.
        exact: the predicted spans are the gold ones, labels included; of all documents.
    """
    gold = comparison.covered(comparison.gold)
    left = gold & ~comparison.covered(comparison.predicted)
    leaked = count_by_document(left, comparison.text_offsets) > 0
    has_phi = count_by_document(gold, comparison.text_offsets) > 0
    every = np.ones(len(comparison), np.bool_)
    exact = every.copy()
    wrong = comparison.gold.rows() ^ comparison.predicted.rows()
    exact[[document for document, _, _, _ in wrong]] = False
    return DocumentFlags(
        {
            "leaked": (leaked, every),
            "leaked_where_phi": (leaked, has_phi),
            "leaked_blanks_only": (leaked & ~_leaks_ink(comparison, left), every),
            "clean": (~leaked, every),
            "exact": (exact, every),
        }
    )


def _leaks_ink(comparison: Comparison, left: Flags) -> Flags:
    """Whether each document leaks a character that is not white space."""
    found = np.zeros(len(comparison), np.bool_)
    offsets = comparison.text_offsets.tolist()
    for document in np.flatnonzero(count_by_document(left, comparison.text_offsets)).tolist():
        text = comparison.texts[document]
        places = np.flatnonzero(left[offsets[document] : offsets[document + 1]])
        found[document] = any(not text[place].isspace() for place in places)
    return found
