"""WI-deId's groups of errors: type, extent, missing and spurious.

Source: He et al. 2015, "CRFs based de-identification of medical records", section 3.4, Tables 6 to
8. The paper does not say how it treats several spans in one place. Here a gold span is compared
with one predicted span: one with the same label and ends if there is one, else with the same ends,
else with the same label, else any that shares a character; among several the one that shares the
most characters, then the earlier, then the shorter. So every gold span that is not strictly correct
is in exactly one of three groups, and a predicted span that shares nothing with gold is spurious.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from .comparison import Comparison
from .matrices import Cells
from .portions import Portions

Span = tuple[int, int, str]

MISSING = "(missing)"
SPURIOUS = "(spurious)"
EXTENTS = ("short", "long", "short and long")


def find_error_groups(comparison: Comparison) -> Portions:
    """Errors by group, out of all errors; and extent errors by kind, out of all extent errors.

    short: part of the gold span is left out; long: more than the gold span; short and long: both.
    """
    groups = ("type", "extent", "missing", "spurious")
    counts = {name: np.zeros(len(comparison), np.int64) for name in (*groups, *EXTENTS)}
    for document, gold, found in _pairs(comparison):
        group = _group(gold, found)
        if group:
            counts[group][document] += 1
        if group == "extent" and gold and found:
            counts[extent(gold, found)][document] += 1
    errors = sum((counts[name] for name in groups), np.zeros(len(comparison), np.int64))
    return Portions(
        {name: (counts[name], errors) for name in groups}
        | {f"extent: {name}": (counts[name], counts["extent"]) for name in EXTENTS}
    )


def find_label_confusions(comparison: Comparison) -> Cells:
    """Table 7: the label of each gold span against that of its predicted span."""
    names = comparison.label_names
    rows = [
        (document, gold[2] if gold else SPURIOUS, found[2] if found else MISSING)
        for document, gold, found in _pairs(comparison)
    ]
    return _cells(rows, (*names, SPURIOUS), (*names, MISSING), ("gold label", "predicted label"))


def find_extents(comparison: Comparison) -> Cells:
    """Table 8: how the extent is wrong, by label."""
    rows = [
        (document, extent(gold, found), gold[2])
        for document, gold, found in _pairs(comparison)
        if gold and found and _group(gold, found) == "extent"
    ]
    return _cells(rows, EXTENTS, comparison.label_names, ("extent", "gold label"))


def extent(gold: Span, found: Span) -> str:
    """How the ends of a predicted span differ from those of a gold span; one of `EXTENTS`."""
    is_short = found[0] > gold[0] or found[1] < gold[1]
    is_long = found[0] < gold[0] or found[1] > gold[1]
    return EXTENTS[2 if is_short and is_long else 0 if is_short else 1]


def _group(gold: Span | None, found: Span | None) -> str:
    """The group of an error; empty if there is no error."""
    if gold is None:
        return "spurious"
    if found is None:
        return "missing"
    if gold[2] != found[2]:
        return "type"
    return "" if gold == found else "extent"


def _pairs(comparison: Comparison) -> Iterator[tuple[int, Span | None, Span | None]]:
    """Yields document, gold span and the predicted span to compare; None for a missing span.

    There is one pair for each gold span, and one for each predicted span that touches none.
    """
    sides = (comparison.by_document(side) for side in (comparison.gold, comparison.predicted))
    for document, (gold, predicted) in enumerate(zip(*sides, strict=True)):
        touching = overlaps(gold, predicted)
        for span in gold:
            yield document, span, min(touching[span], key=_nearness(span), default=None)
        touched = {found for spans in touching.values() for found in spans}
        for found in predicted:
            if found not in touched:
                yield document, None, found


def overlaps(gold: Sequence[Span], predicted: Sequence[Span]) -> dict[Span, list[Span]]:
    """For each gold span the predicted ones that share a character with it; both are sorted."""
    starts = [start for start, _, _ in predicted]
    longest = max((end - start for start, end, _ in predicted), default=0)
    found = {}
    for span in gold:
        # A span that starts earlier than this by more than the longest span cannot reach it.
        first = bisect.bisect_left(starts, span[0] - longest)
        last = bisect.bisect_left(starts, span[1])
        found[span] = [other for other in predicted[first:last] if other[1] > span[0]]
    return found


def _nearness(gold: Span) -> Callable[[Span], tuple[bool, bool, bool, int, Span]]:
    """A sort key for predicted spans: the one to compare with comes first."""

    def rank(found: Span) -> tuple[bool, bool, bool, int, Span]:
        shared = min(gold[1], found[1]) - max(gold[0], found[0])
        return found != gold, found[:2] != gold[:2], found[2] != gold[2], -shared, found

    return rank


def _cells(
    rows: Sequence[tuple[int, str, str]],
    row_names: tuple[str, ...],
    column_names: tuple[str, ...],
    axes: tuple[str, str],
) -> Cells:
    row_number = {name: n for n, name in enumerate(row_names)}
    column_number = {name: n for n, name in enumerate(column_names)}
    table = [(document, row_number[row], column_number[column]) for document, row, column in rows]
    documents, lines, columns = np.array(table, np.int64).reshape(-1, 3).T.copy()
    return Cells(documents, lines, columns, row_names, column_names, *axes)
