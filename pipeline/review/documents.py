"""A text as the page gets it: segments, spans of the run, words for the caret."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...models.redaction.actions import ACTIONS
from ...models.review.segments import RemovedBox, ShownSegment, words_of
from ...models.risk.rows import MarkedText
from ...models.risk.scoring import UncertainToken
from .texts import detector_kinds

AuditRow = Mapping[str, Any]


def is_removed(row: AuditRow) -> bool:
    """Whether an audit row is of a span that went."""
    return ACTIONS[row["action"]].removes


def boxes_of(rows: Iterable[AuditRow]) -> list[RemovedBox]:
    """What was removed of a text, by the rows of its audit."""
    return [
        RemovedBox(row["start"], row["end"], row["out_start"], row["out_end"], row["label"])
        for row in rows
        if is_removed(row)
    ]


def run_spans(rows: Iterable[AuditRow], *, is_blind: bool = False) -> list[dict[str, Any]]:
    """The spans that a run removed, as the page has them; blind, without who found them."""
    return [
        {"start": row["start"], "end": row["end"], "label": row["label"]}
        | ({} if is_blind else {"detectors": row["detectors"], "score": row["score"]})
        for row in rows
        if is_removed(row)
    ]


def document_json(
    segments: Sequence[ShownSegment],
    rows: Sequence[AuditRow],
    *,
    is_blind: bool,
    held: MarkedText | None,
    doubts: Sequence[UncertainToken] = (),
) -> dict[str, Any]:
    """What the page shows of a text.

    Args:
        segments: of the text.
        rows: of its audit.
        is_blind: whether leaks are counted: the boxes are then all that is told of the run. Those
            of spans that are planted are left out.
        held: what the reader said of it; None where nothing was said: of a text that is to be
            mended, the spans of the run then stand.
        doubts: uncertain words of the text, as far as they are known.
    """
    found = run_spans(rows, is_blind=is_blind)
    if is_blind:
        boxes = [one for one in segments if one.is_removed]
        found = [{"start": one.start, "end": one.end, "label": one.label} for one in boxes]
    if held is not None:
        spans = [dataclasses.asdict(span) for span in held.spans]
    elif is_blind:
        spans = []
    else:
        spans = [
            {
                **{name: one[name] for name in ("start", "end", "label")},
                "was": {"start": one["start"], "end": one["end"]},
            }
            for one in found
        ]
    clear = sum(one.text.count("\n") for one in segments if not one.is_removed)
    shown: dict[str, Any] = {
        "segments": [_segment(one) for one in segments],
        "lines": 1 + clear,
        "spans": spans,
        "run_spans": found,
        "words": words_of(segments),
    }
    if not is_blind:
        shown["uncertain"] = _uncertain(rows, segments, doubts)
        shown["detected"] = _detected(rows)
    return shown


def _segment(one: ShownSegment) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "start": one.start,
        "end": one.end,
        "removed": one.is_removed,
        "text": one.text,
    }
    if one.is_removed:
        shown["label"] = one.label
    if one.original is not None:
        shown["original"] = one.original
    return shown


def _uncertain(
    rows: Iterable[AuditRow], segments: Iterable[ShownSegment], doubts: Iterable[UncertainToken]
) -> list[dict[str, Any]]:
    """What detectors proposed and the policy lets stand, and words that may be PHI, in order."""
    found = [
        {"start": row["start"], "end": row["end"], "p": row["score"]}
        for row in rows
        if not is_removed(row)
    ]
    # A roster, or what other notes told, may have removed what the models alone let stand.
    taken = [(one["start"], one["end"]) for one in found]
    taken += [(one.start, one.end) for one in segments if one.is_removed]
    found += [
        dataclasses.asdict(word)
        for word in doubts
        if not any(start < word.end and word.start < end for start, end in taken)
    ]
    return sorted(found, key=lambda one: (one["start"], one["end"]))


def _detected(rows: Iterable[AuditRow]) -> dict[str, int]:
    """How many spans rules alone, trained taggers alone, and both have found."""
    kinds: Counter[str] = Counter()
    for row in rows:
        if is_removed(row) and not row["fragment"]:
            found = detector_kinds(row["detectors"])
            kinds["both" if len(found) > 1 else next(iter(found), "rules")] += 1
    return {name: kinds[name] for name in ("rules", "crf", "both")}
