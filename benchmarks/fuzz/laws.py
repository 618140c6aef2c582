"""What must hold, as functions that raise `Broken`; each is as slow and obvious as it can be."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from scrubline.models.core.detectors import DENY, OWN, DetectorId
from scrubline.models.core.spans import POLICY, Candidate, Span
from scrubline.models.core.tokens import Tokens
from scrubline.models.redaction.actions import ACTIONS, GENERALISE, KEEP, MASK, REDACT
from scrubline.models.redaction.merging import ACCEPTED, ORDER, PART, accept, cover, merge, select
from scrubline.models.redaction.policy import Policy
from scrubline.models.redaction.scrub import (
    OffsetMap,
    from_units,
    scrub,
    utf8_offsets,
    utf16_offsets,
)


class Broken(Exception):  # noqa: N818 - what it says is "broken: <law>"
    """A law does not hold; the message names the law alone."""


def require(holds: object, law: str) -> None:
    """Raises `Broken` unless something holds."""
    if not holds:
        raise Broken(law)


# -- messages

_WORD = re.compile(r"[A-Za-z]{6,}")


@functools.cache
def _own_words() -> frozenset[str]:
    """The long words of the program's own source and shipped lists: no secret of a message."""
    found: set[str] = set()
    for room in ("models", "dictionaries", "pipeline"):
        spec = find_spec(f"scrubline.{room}")
        assert spec is not None and spec.submodule_search_locations
        for folder in spec.submodule_search_locations:
            for path in (*Path(folder).rglob("*.py"), *Path(folder).rglob("*.toml")):
                found.update(word.lower() for word in _WORD.findall(path.read_text("utf-8")))
    return frozenset(found)


def require_discreet(error: BaseException, content: bytes, told: Iterable[str] = ()) -> None:
    """No long word of the content may be in an error's message, nor in what it was raised from.

    Args:
        told: what may be told: names of columns, for one.
    """
    message = str(error)
    if error.__cause__ is not None and not error.__suppress_context__:
        message += str(error.__cause__)
    allowed = " ".join(told).lower()
    for word in _WORD.findall(message):
        lowered = word.lower()
        if lowered in _own_words() or lowered in allowed:
            continue
        for codec in ("utf-8", "utf-16-le", "utf-16-be"):
            if word.encode(codec) in content:
                raise Broken("a message holds what was read")


# -- tokens


def check_tokens(text: str, tokens: Tokens) -> None:
    """Tokens are ordered, disjoint, inside the text, and hold all but white space."""
    starts, ends = tokens.starts.tolist(), tokens.ends.tolist()
    reach = 0
    for start, end in zip(starts, ends, strict=True):
        require(reach <= start < end <= len(text), "tokens are ordered and disjoint")
        reach = end
    covered = "".join([text[s:e] for s, e in zip(starts, ends, strict=True)])
    require(covered == "".join(text.split()), "tokens hold all but white space")
    if starts:
        for flags in (tokens.starts_coarse, tokens.starts_line, tokens.starts_sentence):
            require(flags[0], "the first token begins a coarse token, line and sentence")
    gap = [a_end < b_start for a_end, b_start in zip(ends, starts[1:], strict=False)]
    coarse = tokens.starts_coarse.tolist()[1:]
    require(all(c or not g for g, c in zip(gap, coarse, strict=True)), "no white space in coarse")


# -- merging


def union(stretches: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The fewest disjoint stretches over the same characters."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(stretches):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _is_part(candidate: Candidate, others: Iterable[Candidate]) -> bool:
    """A rule's, inside of a longer one of a tagger."""
    if not DetectorId.parse(candidate.detector).is_rule or candidate.detector == "timestamp":
        return False
    length = candidate.end - candidate.start
    return any(
        other.start <= candidate.start
        and candidate.end <= other.end
        and other.end - other.start > length
        for other in others
        if DetectorId.parse(other.detector).is_tagger
    )


def _rank(
    candidate: Candidate, others: Iterable[Candidate], order: Sequence[str]
) -> tuple[Any, ...]:
    kind = DetectorId.parse(candidate.detector).kind
    return (
        [DENY, OWN, *order].index(PART if _is_part(candidate, others) else kind),
        candidate.start - candidate.end,
        candidate.start,
        candidate.label,
        candidate.detector,
        -candidate.score,
    )


def _apart(one: Candidate, other: Candidate) -> bool:
    return one.end <= other.start or other.end <= one.start


def slow_select(candidates: Iterable[Candidate], order: Sequence[str]) -> list[Candidate]:
    """Best first, what overlaps a better one is left out; by position."""
    chosen: list[Candidate] = []
    every = set(candidates)
    for candidate in sorted(every, key=lambda c: _rank(c, every, order)):
        if all(_apart(candidate, other) for other in chosen):
            chosen.append(candidate)
    return sorted(chosen)


def slow_merge(
    text: str, candidates: Iterable[Candidate], policy: Policy, order: Sequence[str]
) -> list[Span]:
    """What `merge` says in its docstring, character by character."""
    verdicts = {v.candidate: v for v in accept(text, sorted(set(candidates)), policy)}
    accepted = {c: v for c, v in verdicts.items() if v.outcome == ACCEPTED}
    removing = {c: v for c, v in accepted.items() if v.replacement is not None}
    keeping = [c for c, v in accepted.items() if v.replacement is None]
    rejected = {c: v for c, v in verdicts.items() if v.outcome != ACCEPTED}
    entities = slow_select(removing, order)

    owners: list[tuple[str, Candidate | None] | None] = [None] * len(text)

    def paint(what: str, stretches: Iterable[Candidate], *, owned: bool = True) -> None:
        for candidate in stretches:
            for at in range(candidate.start, candidate.end):
                owners[at] = (what, candidate if owned else None)

    # From the weakest to the strongest claim.
    paint("told rest", rejected, owned=False)
    paint("told", slow_select(rejected, order))
    paint("kept", slow_select(keeping, order))
    paint("rest", removing, owned=False)
    paint("entity", entities)

    spans = []
    start = 0
    for end in range(1, len(text) + 1):
        if end < len(text) and owners[end] == owners[start]:
            continue
        owner, first, start = owners[start], start, end
        if owner is None:
            continue
        what, candidate = owner
        inside = [c for c in verdicts if c.start < end and first < c.end]
        told = what.startswith("told")
        of = [c for c in inside if told or c in accepted]
        action, replacement, reason = KEEP, None, None
        if what == "entity":
            assert candidate is not None
            mine = removing[candidate]
            action, replacement = mine.action, mine.replacement
            others = [removing[c] for c in inside if c in removing]
            if action == GENERALISE and any(
                (v.action, v.replacement) != (action, replacement) for v in others
            ):
                action = REDACT
                replacement = policy.replacement_of(REDACT, candidate.label, end - first)
        elif what == "rest":
            candidate = min(
                (c for c in inside if c in removing), key=lambda c: _rank(c, removing, order)
            )
            action = MASK if removing[candidate].action == MASK else REDACT
            replacement = "*" * (end - first) if action == MASK else ""
        elif what == "kept":
            reason = POLICY
        else:
            if candidate is None:
                candidate = min(
                    (c for c in inside if c in rejected), key=lambda c: _rank(c, rejected, order)
                )
            reason = rejected[candidate].outcome
        assert candidate is not None
        spans.append(
            Span(
                *(first, end, candidate.label, action, replacement),
                tuple(sorted({c.detector for c in of})),
                *(candidate.detector, candidate.score, what.endswith("rest"), reason),
            )
        )
    return spans


def check_merge(
    text: str,
    candidates: Sequence[Candidate],
    policy: Policy,
    order: Sequence[str] = ORDER,
) -> tuple[Span, ...]:
    """`merge` is what `slow_merge` says, whatever the order of the candidates."""
    spans = merge(text, candidates, policy, order)
    require(list(spans) == slow_merge(text, candidates, policy, order), "merge as defined")
    require(merge(text, list(reversed(candidates)) * 2, policy, order) == spans, "in any order")
    require(list(select(candidates, order)) == slow_select(candidates, order), "select as defined")
    require(
        list(cover(candidates)) == union((c.start, c.end) for c in candidates), "cover as defined"
    )
    check_removal(text, candidates, policy, spans)
    return spans


def check_removal(
    text: str, candidates: Iterable[Candidate], policy: Policy, spans: Sequence[Span]
) -> None:
    """Promise 2: exactly the characters of accepted candidates that remove are in such spans."""
    reach = 0
    for span in spans:
        require(reach <= span.start < span.end <= len(text), "spans are disjoint, left to right")
        reach = span.end
        gone = span.replacement is not None
        require(ACTIONS[span.action].removes == gone, "a replacement where the action removes")
    removing, others = [], []  # of those believed that remove; of those rejected
    for verdict in accept(text, candidates, policy):
        c = verdict.candidate
        require(
            c.detector != DENY or (verdict.outcome == ACCEPTED and verdict.replacement is not None),
            "what is denied goes",
        )
        if verdict.outcome != ACCEPTED:
            others.append((c.start, c.end))
        elif verdict.replacement is not None:
            removing.append((c.start, c.end))
    taken = [(s.start, s.end) for s in spans if s.replacement is not None]
    require(union(taken) == union(removing), "what is accepted for removal goes, and nothing else")
    everything = [(s.start, s.end) for s in spans]
    require(union(everything) == union([*everything, *others]), "what was rejected is told")


# -- scrubbing


def check_scrub(text: str, spans: Sequence[Span]) -> None:
    """Promise 3, and the laws of the map between the offsets."""
    out, out_starts, out_ends = scrub(text, spans)
    rows = [
        {"start": s.start, "end": s.end, "out_start": a, "out_end": b}
        for s, a, b in zip(spans, out_starts, out_ends, strict=True)
    ]
    shown = [text[s.start : s.end] if s.replacement is None else s.replacement for s in spans]
    check_walk(text, out, rows, shown)
    places = OffsetMap.of(spans, out_starts, out_ends)
    offsets = np.arange(len(text) + 1)
    ahead = {side: places.to_scrubbed(offsets, side) for side in ("start", "end")}  # type: ignore[arg-type]
    for moved in ahead.values():
        require((np.diff(moved) >= 0).all(), "the map never turns back")
        require(not len(moved) or (moved[0] >= 0 and moved[-1] <= len(out)), "the map stays inside")
    gone = np.zeros(len(text) + 1, np.bool_)
    for span in spans:
        if span.replacement is not None:
            gone[span.start : span.end] = True
    for at in np.flatnonzero(~gone[:-1]).tolist():
        require(out[ahead["start"][at]] == text[at], "a character outside is found in its place")
    back = np.arange(len(out) + 1)
    for side in ("start", "end"):
        returned = places.to_original(back, side)  # type: ignore[arg-type]
        require((np.diff(returned) >= 0).all(), "the way back never turns")
        again = places.to_scrubbed(returned, side)  # type: ignore[arg-type]
        low, high = (again <= back, again >= back)
        require((low if side == "start" else high).all(), "there and back only widens")
    for table in (utf8_offsets(text), utf16_offsets(text)):
        require((from_units(table, table) == offsets).all(), "units lead back to code points")
    if text:
        size = len(text.encode("utf-8", "surrogatepass"))
        require(utf8_offsets(text)[-1] == size, "UTF-8 offsets end with the text")


def check_walk(
    text: str, out: str, rows: Iterable[Mapping[str, Any]], shown: Iterable[str]
) -> None:
    """The rows lead exactly from a text to what came out of it: nothing else changed."""
    at = out_at = 0
    for row, expected in zip(rows, shown, strict=True):
        start, end, out_start, out_end = (
            row["start"],
            row["end"],
            row["out_start"],
            row["out_end"],
        )
        require(at <= start < end <= len(text), "audit rows are disjoint, left to right")
        require(start - at == out_start - out_at, "text outside spans keeps its length")
        require(text[at:start] == out[out_at:out_start], "text outside spans is the input")
        require(out[out_start:out_end] == expected, "in place of a span is what its row says")
        at, out_at = end, out_end
    require(text[at:] == out[out_at:], "text after the last span is the input")
