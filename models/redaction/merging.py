"""From candidates to spans: accept each, select a typed entity per place, cover what is removed.

`merging_vectorized` does the same for whole batches where nothing is disputed, and must agree.
All of it is pure and per document, and gives the same for the same set of candidates in any order.
The laws, for every text, candidates and policy (that of the document's note type):

- every character of every accepted candidate whose action removes is in a span that removes;
- no other character is;
- every candidate of the deny-lists and of a roster is accepted, and its action removes;
- spans are disjoint; an entity is a whole candidate; a stretch that stays shields nothing;
- every character of every rejected candidate is in some span: one that removes it, or one that
  says why it stays;
- a generalised or shifted replacement shows nothing of a character that some accepted candidate
  wants gone altogether.

Source of the order of detectors: Liu et al. 2015, "Automatic de-identification of electronic
medical records using token-level and character-level conditional random fields", §3.4, merging of
the three classifiers. One thing differs: what a rule finds inside of a longer find of a CRF gives
way to it ("School" in "Elm Street School"): CRFs are right there twice as often (108 to 53).
"""

from __future__ import annotations

import dataclasses
import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from ..core.detectors import (
    CHARACTER_CRF,
    DENY,
    LINEAR_SVM,
    OWN,
    PROPAGATION,
    RECORD,
    ROSTER,
    RULE,
    TOKEN_CRF,
    TREES,
    DetectorId,
)
from ..core.errors import DocumentError, UsageError
from ..core.spans import POLICY, Candidate, Span
from .actions import ACTIONS, KEEP, REDACT
from .policy import Policy
from .stretches import Stretch, any_set, overlap_counter, subtract, touched, union

PART = "part"
"""The rank of a rule's candidate that lies inside of a longer one of a tagger."""

ORDER = (RULE, CHARACTER_CRF, TOKEN_CRF, LINEAR_SVM, TREES, PART, RECORD, PROPAGATION)
"""The ranks of candidates, best first: kinds of detectors, and `PART`."""

LIU_2015 = (RULE, PART, CHARACTER_CRF, TOKEN_CRF, LINEAR_SVM, TREES, RECORD, PROPAGATION)
"""The order as published: a rule is right wherever it finds something."""

ORDERS: Mapping[str, tuple[str, ...]] = {"standard": ORDER, "rules-first": LIU_2015}
"""The orders that a recipe may ask for, by name."""


def order_of(names: Iterable[str]) -> tuple[str, ...]:
    """The order for bundles that ask for these; the standard one where they do not agree."""
    asked = set(names)
    return ORDERS[asked.pop()] if len(asked) == 1 else ORDER


INSIDE_TOKENS = frozenset(("timestamp",))
"""Rules that find a part of one token, which no CRF over tokens can: they are right."""

ACCEPTED = "accepted"

ESCAPE = "escape"
"""Why a candidate is rejected whatever the policy: it lies within escapes of signs."""

_Row = tuple[int, int, Candidate, str, str | None, bool, str | None]
"""Start, end, the candidate that decides, action, replacement, fragment, reason."""


@dataclasses.dataclass(frozen=True, slots=True)
class PolicyDecision:
    """What one candidate by itself leads to under a policy.

    Attributes:
        candidate: what was proposed.
        outcome: ACCEPTED, or the reason of rejection: ESCAPE, `policy.VETO` or `policy.ALLOW`.
        action: one of `actions.ACTIONS`; "keep" if rejected.
        replacement: what would take its place; None for "keep".
    """

    candidate: Candidate
    outcome: str
    action: str
    replacement: str | None


_Verdicts = dict[int, PolicyDecision]
"""id(candidate) -> its verdict."""


def accept(
    text: str,
    candidates: Iterable[Candidate],
    policy: Policy,
    names_no_one: Callable[[int, int], bool] | None = None,
) -> tuple[PolicyDecision, ...]:
    """Believes or rejects each candidate by itself, and resolves the actions of those believed.

    Actions depend on the covered text (an age of 93 and one of 54), hence here and before any
    priority. A candidate of a deny-list is believed whatever the policy allows, and removed
    whatever its text and what is around it; so is one of a roster, by the label's own action if
    that removes.

    Args:
        text: one document.
        candidates: of it.
        policy: that holds for it.
        names_no_one: whether a stretch lies within escapes of signs (see `views.signs`); None where
            the text has none.

    Returns:
        One verdict for each candidate, in the order given.

    Raises:
        DocumentError: if a candidate ends after the text.
    """
    verdicts: list[PolicyDecision] = []
    reject = policy.rejecter(text)
    size = len(text)
    for candidate in candidates:
        start, end, label = candidate.start, candidate.end, candidate.label
        if end > size:
            raise DocumentError("CandidateOutsideText")
        kind = DetectorId.parse(candidate.detector).kind
        if kind is DENY:
            action, replacement = policy.remove(label, end - start)
        elif kind is ROSTER:
            action, replacement = policy.decide(label, text[start:end])
            if replacement is None:
                action, replacement = policy.remove(label, end - start)
        elif names_no_one is not None and names_no_one(start, end):
            verdicts.append(PolicyDecision(candidate, ESCAPE, KEEP, None))
            continue
        elif reject is not None and (reason := reject(label, start, end)) is not None:
            verdicts.append(PolicyDecision(candidate, reason, KEEP, None))
            continue
        else:
            action, replacement = policy.decide(label, text[start:end])
        verdicts.append(PolicyDecision(candidate, ACCEPTED, action, replacement))
    return tuple(verdicts)


def select(candidates: Iterable[Candidate], order: Sequence[str] = ORDER) -> tuple[Candidate, ...]:
    """Disjoint typed entities, left to right: best first, what overlaps a better one is left out.

    Better is: found by a deny-list, then by a roster, then by an own rule, then of a rank earlier
    in `order`, then longer, then earlier in the text, then the label's and the detector's name,
    then the higher score. A rank is the kind of the detector, or `PART`. Touching is not
    overlapping. O(n log n).

    Args:
        candidates: in any order, duplicates allowed.
        order: all ranks of ORDER, best first.

    Raises:
        UsageError: if `order` is something else.
    """
    _require_ranks(order)
    return _select(_ranked(_distinct(candidates), order))


def cover(candidates: Iterable[Candidate]) -> tuple[Stretch, ...]:
    """The union of all stretches as the fewest disjoint ones, left to right: touching ones join."""
    return union(map(_stretch, candidates))


def merge(
    text: str,
    candidates: Iterable[Candidate],
    policy: Policy,
    order: Sequence[str] = ORDER,
    joins: Sequence[int] = (),
    names_no_one: Callable[[int, int], bool] | None = None,
) -> tuple[Span, ...]:
    """The spans of one document, left to right and disjoint: what goes, and what is named as kept.

    - An entity that removes is a whole candidate with its replacement. Touching entities stay
      apart.
    - A fragment is a longest run of characters that accepted candidates remove and no entity
      covers. It takes label, source and score from the best candidate that covers a part of it. Its
      replacement is "" (no second marker beside its entity's) and its action "redact", unless that
      candidate's action fills what it removes: then both are that action's.
    - A kept entity gives a span for each part of it that nothing removes; replacement None, reason
      "policy".
    - A rejected candidate does the same, where no kept entity lies, with the reason of its
      rejection; what rejected candidates that overlap better ones leave over are fragments.
    - An entity whose replacement is made from its text is redacted instead when some other
      removing candidate on it would not put the same text in its place: three digits of a ZIP code
      may not show what a better guess calls a record number.

    No span covers one of the `joins`, the offsets in order at which parts of a note were
    joined: the decision on a whole candidate holds for its parts between them. A part is not
    generalised.
    `names_no_one` is for `accept`.

    `detectors` names the detectors of all accepted candidates on the span, kept ones too; on a
    span that tells of a rejection, those of rejected ones as well. O(n log n).

    Raises:
        DocumentError: if a candidate ends after the text.
        UsageError: if `order` is not a permutation of ORDER.
    """
    _require_ranks(order)
    verdicts = accept(text, _distinct(candidates), policy, names_no_one)
    if not verdicts:
        return ()
    if joins:
        verdicts = tuple(part for v in verdicts for part in _cut(v, joins, policy))
    removing, keeping, rejected = _by_outcome(verdicts)
    ranked = _ranked([v.candidate for v in removing.values()], order)
    covered = cover(ranked)
    rows = _removed_rows(ranked, removing, covered, policy)
    rows += _kept_rows(_select(_ranked(keeping, order)), covered)
    rows.sort(key=_start)
    names = _detectors_on([row[:2] for row in rows], [*ranked, *keeping])
    if rejected:
        told = _rejected_rows(rejected, order, [row[:2] for row in rows])
        everyone = [v.candidate for v in verdicts]
        names += _detectors_on([row[:2] for row in told], everyone)
        both = sorted(zip(rows + told, names, strict=True), key=lambda pair: pair[0][0])
        rows, names = [row for row, _ in both], [some for _, some in both]
    return tuple(
        Span(start, end, c.label, action, replacement, some, c.detector, c.score, fragment, reason)
        for (start, end, c, action, replacement, fragment, reason), some in zip(
            rows, names, strict=True
        )
    )


def _by_outcome(
    verdicts: Iterable[PolicyDecision],
) -> tuple[_Verdicts, list[Candidate], _Verdicts]:
    """What removes, what was believed and stays, and what was rejected.

    By identity, as all that follows: hashing a candidate costs more than all else done with it.
    """
    removing: _Verdicts = {}
    keeping: list[Candidate] = []
    rejected: _Verdicts = {}
    for verdict in verdicts:
        if verdict.outcome != ACCEPTED:
            rejected[id(verdict.candidate)] = verdict
        elif verdict.replacement is None:
            keeping.append(verdict.candidate)
        else:
            removing[id(verdict.candidate)] = verdict
    return removing, keeping, rejected


def _removed_rows(
    ranked: Sequence[Candidate], removing: _Verdicts, covered: Sequence[Stretch], policy: Policy
) -> list[_Row]:
    """Entities that remove, and the fragments beside them; each by position.

    Args:
        ranked: the candidates of `removing`, best first.
        removing: what removes.
        covered: their union.
        policy: of the document.
    """
    # Entities are chosen among what removes, as if nothing were kept. So every loser overlaps an
    # entity, and on the way from any of its characters to that entity all characters are removed:
    # the first that an entity covers ends the run of uncovered ones. Hence every fragment touches
    # an entity that removes, and "" needs no marker.
    entities = _select(ranked)
    chosen = set(map(id, entities))
    gaps = [(start, end) for start, end, _ in subtract(covered, list(map(_stretch, entities)))]
    deciders = _first_on_each(gaps, [c for c in ranked if id(c) not in chosen])
    rows: list[_Row] = []
    for entity, (action, replacement) in zip(
        entities, _outcomes(entities, removing, policy), strict=True
    ):
        rows.append((entity.start, entity.end, entity, action, replacement, False, None))
    for (start, end), decider in zip(gaps, deciders, strict=True):
        action, replacement = removing[id(decider)].action, ""
        if ACTIONS[action].fills:
            replacement = policy.replacement_of(action, decider.label, end - start) or ""
        else:
            action = REDACT
        rows.append((start, end, decider, action, replacement, True, None))
    return rows


def _kept_rows(kept: Sequence[Candidate], covered: Sequence[Stretch]) -> list[_Row]:
    """The parts of disjoint kept entities that nothing removes."""
    return [
        (start, end, kept[index], KEEP, None, False, POLICY)
        for start, end, index in subtract(list(map(_stretch, kept)), covered)
    ]


def _rejected_rows(
    rejected: _Verdicts, order: Sequence[str], decided: Sequence[Stretch]
) -> list[_Row]:
    """What is told of rejected candidates where nothing else was decided, left to right.

    Entities are chosen among them too, so that a row is a whole candidate where it can be.
    """
    ranked = _ranked([v.candidate for v in rejected.values()], order)
    entities = _select(ranked)
    rows: list[_Row] = []
    for start, end, index in subtract(list(map(_stretch, entities)), decided):
        reason = rejected[id(entities[index])].outcome
        rows.append((start, end, entities[index], KEEP, None, False, reason))
    taken = union([*decided, *map(_stretch, entities)])
    gaps = [(start, end) for start, end, _ in subtract(cover(ranked), taken)]
    for (start, end), decider in zip(gaps, _first_on_each(gaps, ranked), strict=True):
        reason = rejected[id(decider)].outcome
        rows.append((start, end, decider, KEEP, None, True, reason))
    rows.sort(key=_start)
    return rows


def _cut(verdict: PolicyDecision, joins: Sequence[int], policy: Policy) -> Iterator[PolicyDecision]:
    """Yields the verdicts of a candidate's parts between the line joins; of an uncut one itself."""
    candidate = verdict.candidate
    start, at = candidate.start, bisect_left(joins, candidate.start)
    if at == len(joins) or joins[at] >= candidate.end:
        yield verdict
        return
    edges = [start]
    while at < len(joins) and joins[at] < candidate.end:
        edges += [joins[at], joins[at] + 1]
        at += 1
    edges.append(candidate.end)
    for low, high in zip(edges[::2], edges[1::2], strict=True):
        if low < high:
            action, replacement = verdict.action, verdict.replacement
            if replacement is not None:
                action, replacement = policy.remove(candidate.label, high - low)
            part = candidate._replace(start=low, end=high)
            yield PolicyDecision(part, verdict.outcome, action, replacement)


def places_of(order: Sequence[str] = ORDER) -> Mapping[str, int]:
    """Rank -> its place, lower is better; first deny-lists, then a roster, then own rules."""
    first = {DENY: -3, ROSTER: -2, OWN: -1}
    return first | {rank: place for place, rank in enumerate(order)}


def gives_way(detector: str) -> bool:
    """Whether a detector's candidate ranks as `PART` inside of a longer one of a tagger."""
    return DetectorId.parse(detector).is_rule and detector not in INSIDE_TOKENS


def _require_ranks(order: Sequence[str]) -> None:
    if sorted(order) != sorted(ORDER):
        raise UsageError(
            f"select order: expected each of {[*map(str, ORDER)]} once, got {[*map(str, order)]}"
        )


def _ranked(candidates: Sequence[Candidate], order: Sequence[str]) -> list[Candidate]:
    """Distinct candidates, best first."""
    places = places_of(order)
    parts = _parts(candidates)

    def key(c: Candidate) -> tuple[object, ...]:
        rank = PART if id(c) in parts else DetectorId.parse(c.detector).kind
        return places[rank], c.start - c.end, c.start, c.label, c.detector, -c.score

    return sorted(candidates, key=key)


def _parts(candidates: Sequence[Candidate]) -> frozenset[int]:
    """`id` of each candidate of a rule that lies inside of a longer one of a tagger."""
    learned = sorted(_stretch(c) for c in candidates if DetectorId.parse(c.detector).is_tagger)
    if not learned:
        return frozenset()
    starts = [start for start, _ in learned]
    reach = list(itertools.accumulate((end for _, end in learned), max))
    found = []
    for c in candidates:
        if not gives_way(c.detector):
            continue
        before, upto = bisect_left(starts, c.start), bisect_right(starts, c.start)
        if (before and reach[before - 1] >= c.end) or (upto and reach[upto - 1] > c.end):
            found.append(id(c))
    return frozenset(found)


def _position(c: Candidate) -> tuple[int, int, str, str, float]:
    """The order of `Candidate` itself, which compares field by field in Python and is slow."""
    return c.start, c.end, c.label, c.detector, c.score


def _stretch(c: Candidate) -> Stretch:
    return c.start, c.end


def _start(row: _Row) -> int:
    return row[0]


def _distinct(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Without repeats, in the order of `Candidate`."""
    by_value = {_position(c): c for c in candidates}
    return [by_value[position] for position in sorted(by_value)]


def _select(ranked: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Greedy choice, best first; result by position."""
    placed = sorted(ranked, key=_position)
    if all(a.end <= b.start for a, b in pairwise(placed)):
        return tuple(placed)  # mostly so: detectors seldom disagree
    points = sorted({p for c in ranked for p in (c.start, c.end)})
    index = {point: i for i, point in enumerate(points)}
    # Piece i lies between points i and i + 1. A segment tree of flags, leaves at `size`: a node is
    # set once a piece under it is taken. Each node is set once, and a query looks at two nodes a
    # level.
    size = max(len(points), 1)
    taken = bytearray(2 * size)
    selected: list[Candidate] = []
    for candidate in ranked:
        first, last = index[candidate.start], index[candidate.end]
        if any_set(taken, first + size, last + size):
            continue
        selected.append(candidate)
        for node in range(first + size, last + size):
            while node and not taken[node]:
                taken[node] = 1
                node >>= 1
    return tuple(sorted(selected, key=_position))


def _first_on_each(stretches: Sequence[Stretch], ranked: Sequence[Candidate]) -> list[Candidate]:
    """For each of the disjoint stretches the first of `ranked` that overlaps it; there is one."""
    found: list[Candidate | None] = [None] * len(stretches)
    on = touched(stretches)
    # free[i] leads to the first stretch from i on that has none yet; paths are halved on the way.
    free = list(range(len(stretches) + 1))
    for candidate in ranked:
        at, high = on(candidate.start, candidate.end)
        while True:
            while free[at] != at:
                free[at] = free[free[at]]
                at = free[at]
            if at >= high:
                break
            found[at] = candidate
            free[at] = at + 1
    return [candidate for candidate in found if candidate is not None]


def _outcomes(
    entities: Sequence[Candidate], removing: _Verdicts, policy: Policy
) -> list[tuple[str, str | None]]:
    """Action and replacement of each entity, a disputed generalisation taken back."""
    verdicts = [removing[id(entity)] for entity in entities]
    outcomes = [(verdict.action, verdict.replacement) for verdict in verdicts]
    hidden = [
        ACTIONS[action].goes(entity.label)
        for entity, (action, _) in zip(entities, outcomes, strict=True)
    ]
    if all(hidden):
        return outcomes
    everything = overlap_counter(map(_stretch, (v.candidate for v in removing.values())))
    agreeing: dict[tuple[str, str | None], Callable[[int, int], int]] = {}
    by_outcome: dict[tuple[str, str | None], list[Candidate]] = {}
    for verdict in removing.values():
        outcome = verdict.action, verdict.replacement
        by_outcome.setdefault(outcome, []).append(verdict.candidate)
    for at, (entity, outcome) in enumerate(zip(entities, outcomes, strict=True)):
        if hidden[at]:
            continue
        if outcome not in agreeing:
            agreeing[outcome] = overlap_counter(map(_stretch, by_outcome[outcome]))
        if everything(*_stretch(entity)) != agreeing[outcome](*_stretch(entity)):
            length = entity.end - entity.start
            outcomes[at] = (REDACT, policy.replacement_of(REDACT, entity.label, length))
    return outcomes


def _detectors_on(
    stretches: Sequence[Stretch], candidates: Iterable[Candidate]
) -> list[tuple[str, ...]]:
    """The sorted names of the detectors with a candidate on each of the disjoint stretches."""
    by_detector: dict[str, list[Stretch]] = {}
    for candidate in candidates:
        by_detector.setdefault(candidate.detector, []).append((candidate.start, candidate.end))
    names: list[list[str]] = [[] for _ in stretches]
    on = touched(stretches)
    # One detector's candidates may overlap in any number; its union touches each stretch about
    # once.
    for detector in sorted(by_detector):
        for start, end in union(by_detector[detector]):
            for at in range(*on(start, end)):
                if not names[at] or names[at][-1] != detector:
                    names[at].append(detector)
    return [tuple(found) for found in names]
