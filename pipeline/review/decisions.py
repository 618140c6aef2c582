"""Deciding where readers differ."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from ...models.core.errors import UsageError
from ...models.review.adjudication import UNDECIDED, Decision, compared, decided
from ...models.review.marks import StaleMarks
from ...models.risk.rows import DONE, UNFINISHED, MarkedText
from ...models.risk.scoring import UncertainToken
from .desk import ReviewDesk
from .documents import is_removed
from .refusals import DeskRefusal, unsaved
from .texts import Text

_OUTSIDE = "O"
"""Tag of what no model takes for PHI."""


def _readings(desk: ReviewDesk, text: Text) -> dict[str, MarkedText]:
    """Reader -> what holds of a text.

    Raises:
        DeskRefusal: if the reader may not decide, for one has read it oneself, or fewer than two
            have read it to the end.
    """
    if not desk.settings.is_adjudicator:
        raise DeskRefusal(403, "NoAdjudicator", "start with --adjudicate to decide for others")
    found = {
        reader: row
        for reader, marks in desk.readers().items()
        if (row := marks.held.get(text)) is not None and row.verdict != UNFINISHED
    }
    if text in desk.marks.held:
        raise DeskRefusal(403, "OwnReading", "you have read this yourself: somebody else decides")
    if sum(row.verdict == DONE for row in found.values()) < 2:
        raise DeskRefusal(409, "NotReadTwice", "fewer than two people have read this to the end")
    return found


def queue_to_decide(desk: ReviewDesk, after: int, limit: int) -> dict[str, Any]:
    """What two or more others have read to the end: open where they differ and nothing holds yet.

    What this reader has read is for others to decide.
    """
    readers = desk.readers()
    items, counts = [], Counter[str]()
    for text in desk.order:
        rows = {
            reader: row
            for reader, marks in readers.items()
            if (row := marks.held.get(text)) is not None and row.verdict != UNFINISHED
        }
        done = {reader: row.spans for reader, row in rows.items() if row.verdict == DONE}
        if len(done) < 2 or text in desk.marks.held:
            continue
        held = desk.adjudicated.held.get(text)
        is_decided = (
            held is not None
            and held.verdict == DONE
            and dict(held.of) == {reader: row.seq for reader, row in rows.items()}
        )
        state = "done" if is_decided or not compared(done)[1] else "open"
        counts[state] += 1
        items.append({"doc": text[0], "field": text[1], "n": desk.ranks[text], "state": state})
    return {
        "total": len(items),
        "done": counts["done"],
        "skipped": 0,
        "others": desk.others(),
        "items": items[after : after + limit],
    }


def differences_of(desk: ReviewDesk, text: Text) -> dict[str, Any]:
    """Where the readers of a text differ, with the text; recorded as shown.

    Raises:
        DeskRefusal: see `_readings` and `ReviewDesk.document`.
    """
    readings = _readings(desk, text)
    done = {reader: row.spans for reader, row in readings.items() if row.verdict == DONE}
    _, differences = compared(done)
    document = desk.document(text, "published")
    by_place = {
        (row["start"], row["end"]): row for row in desk.output.audit(text) if is_removed(row)
    }
    shown = []
    for one in differences:
        row = by_place.get((one.start, one.end))
        model = None
        if row is not None and not desk.is_blind:
            model = {"tag": row["label"], "p": row["score"]}
        elif (left := _left_with(desk.doubts(text), one.start, one.end)) is not None:
            model = {"tag": _OUTSIDE, "p": left}
        shown.append({**dataclasses.asdict(one), "model": model})
    return {
        "differences": shown,
        "readers": sorted(done),
        "rows": {reader: row.seq for reader, row in readings.items()},
        "revision": desk.adjudicated.revision(text),
        "document": document,
    }


def _left_with(doubts: Iterable[UncertainToken] | None, start: int, end: int) -> float | None:
    """The greatest probability of PHI of the words of a stretch; None if none is uncertain."""
    inside = (word.p for word in doubts or () if word.start < end and start < word.end)
    return max(inside, default=None)


def adjudicate(desk: ReviewDesk, text: Text, said: Mapping[str, Any]) -> dict[str, Any]:
    """Saves what was decided on the differences of a text.

    Raises:
        DeskRefusal: if it is not as agreed, readers have gone on since, or it cannot be written.
    """
    readings = _readings(desk, text)
    rows = {reader: row.seq for reader, row in readings.items()}
    if said.get("rows") != rows:
        raise DeskRefusal(409, "Conflict", "a reader has changed the marks since they were shown")
    known = [*desk.output.labels, UNDECIDED, None]
    decisions = []
    listed = said.get("decisions")
    for one in listed if isinstance(listed, list) else ():
        try:
            decision = Decision(one["start"], one["end"], one["label"])
        except (KeyError, TypeError):
            raise DeskRefusal(400, "BadDecision", "a decision has start, end and label") from None
        if type(decision.start) is not int or type(decision.end) is not int:
            raise DeskRefusal(400, "BadDecision", "start and end are whole numbers")
        if decision.label not in known:
            raise DeskRefusal(400, "BadLabel", "a decision has a label that the run does not know")
        decisions.append(decision)
    done = {reader: row.spans for reader, row in readings.items() if row.verdict == DONE}
    try:
        spans, verdict = decided(done, decisions)
    except UsageError as error:
        raise DeskRefusal(400, "BadDecision", str(error)) from None
    try:
        row = desk.adjudicated.add(
            text,
            desk.output.read_text(text, ended=not desk.is_blind),
            desk.adjudicated.revision(text),
            spans,
            verdict,
            of=rows,
        )
    except StaleMarks:
        raise DeskRefusal(409, "Conflict", "somebody else has decided on this text") from None
    except OSError as error:
        raise unsaved(error) from None
    return {"revision": row.rev}
