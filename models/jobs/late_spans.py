"""Filling in what stands in place of spans late: when the patient and the whole note are known."""

from __future__ import annotations

import dataclasses
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from ..core.batches import Batch, StandInColumns, map_documents
from ..core.spans import Spans
from ..dates import over_89
from ..redaction.actions import ACTIONS, REDACT, SHIFT, SURROGATE
from ..redaction.policy import Policy
from ..redaction.stand_ins import (
    MARKED,
    NO_ONE,
    LateSpan,
    NoteFacts,
    PeopleOfNote,
    StandIn,
    StandIns,
    is_late,
)

NOBODY_KNOWN: Mapping[int, PeopleOfNote] = MappingProxyType({})


def with_stand_ins(
    batch: Batch,
    policies: Sequence[Policy],
    stand_ins: StandIns,
    people: Mapping[int, PeopleOfNote] = NOBODY_KNOWN,
) -> tuple[Batch, StandInColumns]:
    """The batch with spans as they are in the end, and what is told of them.

    Args:
        batch: after Merge.
        policies: that of each document.
        stand_ins: makes them.
        people: row -> whom its note is about, as far as that is known beforehand.
    """
    spans, documents = batch.spans, batch.documents
    assert spans is not None, "Merge comes first"
    edges = np.searchsorted(spans.documents, np.arange(len(documents) + 1)).tolist()
    labels, actions = spans.labels, spans.actions
    starts, ends = spans.starts.tolist(), spans.ends.tolist()
    fragments = spans.fragments.tolist()

    def fill(index: int) -> tuple[dict[int, StandIn], bool]:
        late = [
            at
            for at in range(edges[index], edges[index + 1])
            if is_late(policies[index], labels[at], actions[at], fragment=fragments[at])
        ]
        if not late:
            return {}, False
        is_plain = _is_plain(batch, index)
        wanted = [
            LateSpan(starts[at], ends[at], labels[at], actions[at], is_plain(starts[at], ends[at]))
            for at in late
        ]
        found, ambiguous = stand_ins.of_note(
            documents.texts[index], wanted, facts_of(batch, index, people)
        )
        return dict(zip(late, found, strict=True)), ambiguous

    results, failures = map_documents(batch, "scrub", fill)
    filled = {at: one for result in results if result for at, one in result[0].items()}
    batch = dataclasses.replace(batch, spans=_replaced(spans, policies, filled), failures=failures)
    return batch, _columns(batch, filled, [bool(result and result[1]) for result in results])


def by_audit(
    batch: Batch,
    index: int,
    rows: Sequence[Mapping[str, Any]],
    policy: Policy,
    stand_ins: StandIns | None,
    people: Mapping[int, PeopleOfNote] = NOBODY_KNOWN,
) -> list[StandIn]:
    """What the rows of the audit say that stands in place of each span of a document.

    `action`, `attempt`, `precision` and `entity` are as the audit should have them.

    Args:
        batch: as it was read.
        index: of the document.
        rows: of the document, in order; actions are those of the table.
        policy: of its note type.
        stand_ins: of the policy, if it has surrogates or shifted dates.
        people: see `with_stand_ins`.
    """
    text = batch.documents.texts[index]
    late = [
        at
        for at, row in enumerate(rows)
        if stand_ins is not None
        and is_late(policy, row["label"], row["action"], fragment=row["fragment"])
    ]
    found: dict[int, StandIn] = {}
    if stand_ins is not None and late:
        is_plain = _is_plain(batch, index)
        spans = [
            LateSpan(
                row["start"],
                row["end"],
                row["label"],
                row["action"],
                is_plain(row["start"], row["end"]),
            )
            for row in (rows[at] for at in late)
        ]
        made, _ = stand_ins.of_note(text, spans, facts_of(batch, index, people))
        found = dict(zip(late, made, strict=True))
    out = []
    for at, row in enumerate(rows):
        stand_in = found.get(at, MARKED)
        if stand_in.text is None:
            covered = text[row["start"] : row["end"]]
            # A late row for which nothing can be made should say that it was redacted.
            action = REDACT if at in found else row["action"]
            shown = policy.shown(action, row["label"], covered, fragment=row["fragment"])
            stand_in = StandIn(shown, action)
        out.append(stand_in)
    return out


def facts_of(batch: Batch, index: int, people: Mapping[int, PeopleOfNote]) -> NoteFacts:
    """What is known of the note of a document beside its text."""
    row, rows = int(batch.documents.rows[index]), batch.rows
    known, date = people.get(row, NO_ONE), rows.note_dates[row] if rows.note_dates else None
    birth = rows.births_over_89[row] if rows.births_over_89 else None
    if birth is None and date is not None:
        birth = next((one for one in sorted(known.births) if over_89(one, [date])), None)
    return NoteFacts(
        rows.patient_keys[row],
        rows.doc_keys[row] or "",
        batch.documents.fields[index],
        date,
        birth,
        known,
    )


def _replaced(spans: Spans, policies: Sequence[Policy], filled: dict[int, StandIn]) -> Spans:
    if not filled:
        return spans
    actions, replacements = list(spans.actions), list(spans.replacements)
    for at, stand_in in filled.items():
        actions[at] = stand_in.action
        replacements[at] = stand_in.text
        if stand_in.text is None:
            policy = policies[int(spans.documents[at])]
            length = int(spans.ends[at] - spans.starts[at])
            replacements[at] = policy.replacement_of(REDACT, spans.labels[at], length)
    return dataclasses.replace(spans, actions=tuple(actions), replacements=tuple(replacements))


def _columns(batch: Batch, filled: dict[int, StandIn], ambiguous: Sequence[bool]) -> StandInColumns:
    spans = batch.spans
    assert spans is not None
    surrogates, unread = [0] * len(ambiguous), [0] * len(ambiguous)
    for at, document in enumerate(spans.documents.tolist()):
        surrogates[document] += spans.actions[at] == SURROGATE and not spans.fragments[at]
    for at, stand_in in filled.items():
        if ACTIONS[SHIFT].serves(spans.labels[at]) and stand_in.text is None:
            unread[int(spans.documents[at])] += 1
    told = [filled.get(at, MARKED) for at in range(len(spans))]
    return StandInColumns(
        attempts=tuple([one.attempt for one in told]),
        precisions=tuple([one.precision for one in told]),
        entities=tuple([one.entity for one in told]),
        surrogates=tuple(surrogates),
        dates_unread=tuple(unread),
        dates_ambiguous=tuple(map(int, ambiguous)),
    )


def _is_plain(batch: Batch, index: int) -> Callable[[int, int], bool]:
    """Whether readers see a range of a document as it is written, no part of it in disguise."""
    if batch.views is None:
        return lambda start, end: True
    owners = batch.views.owners
    views = batch.views.views[bisect_left(owners, index) : bisect_right(owners, index)]
    changed = [(view.starts[view.changed], view.ends[view.changed]) for view in views]
    # Both ends of the places of a view's characters never fall.
    return lambda start, end: all(
        int(np.searchsorted(ends, start, "right")) >= int(np.searchsorted(starts, end, "left"))
        for starts, ends in changed
    )
