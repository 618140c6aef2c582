"""Where readers of one text differ, and what comes of a decision; what they agree on is taken."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from ..core.errors import UsageError
from ..risk.rows import DONE, UNFINISHED, MarkedSpan, Stretch

UNDECIDED = "undecided"


@dataclasses.dataclass(frozen=True, slots=True)
class Difference:
    """A stretch that not all readers mark alike.

    Attributes:
        start, end: half-open stretch.
        marks: reader -> label; None where the reader did not mark just this.
    """

    start: int
    end: int
    marks: Mapping[str, str | None]


@dataclasses.dataclass(frozen=True, slots=True)
class Decision:
    """What an adjudicator says of a difference.

    Attributes:
        start, end: its stretch.
        label: what it is; None for nothing, `UNDECIDED` if that cannot be told.
    """

    start: int
    end: int
    label: str | None = None


def compared(
    readings: Mapping[str, Sequence[MarkedSpan]],
) -> tuple[tuple[MarkedSpan, ...], tuple[Difference, ...]]:
    """What all readers mark alike, and where they differ; both in order.

    Args:
        readings: reader -> marks.
    """
    by_place: dict[tuple[int, int], dict[str, MarkedSpan]] = {}
    for reader, spans in readings.items():
        for span in spans:
            by_place.setdefault((span.start, span.end), {})[reader] = span
    agreed, differences = [], []
    for (start, end), marks in sorted(by_place.items()):
        labels = {reader: marks[reader].label if reader in marks else None for reader in readings}
        if len(set(labels.values())) == 1:
            agreed.append(next(iter(marks.values())))
        else:
            differences.append(Difference(start, end, dict(sorted(labels.items()))))
    return tuple(agreed), tuple(differences)


def decided(
    readings: Mapping[str, Sequence[MarkedSpan]], decisions: Sequence[Decision]
) -> tuple[tuple[MarkedSpan, ...], str]:
    """The marks and the verdict that follow from decisions on all differences.

    Undecided differences are left out, and the verdict then says that the text is not finished:
    in a campaign it counts as a leak.

    Raises:
        UsageError: if a difference has no decision, or two, or a decision is on none.
    """
    agreed, differences = compared(readings)
    said = {(one.start, one.end): one.label for one in decisions}
    wanted = {(one.start, one.end) for one in differences}
    if len(said) < len(decisions) or said.keys() != wanted:
        raise UsageError("adjudicated: one decision is needed for each difference, and no other")
    spans = list(agreed)
    for (start, end), label in said.items():
        if label is not None and label != UNDECIDED:
            spans.append(MarkedSpan(start, end, label, _replaced(readings, start, end)))
    spans.sort(key=lambda span: (span.start, span.end))
    return tuple(spans), UNFINISHED if UNDECIDED in said.values() else DONE


def _replaced(readings: Mapping[str, Sequence[MarkedSpan]], start: int, end: int) -> Stretch | None:
    """The span of the run that readers say this one replaces."""
    for spans in readings.values():
        for span in spans:
            if (span.start, span.end) == (start, end) and span.was is not None:
                return span.was
    return None
