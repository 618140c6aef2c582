"""Merging by columns, a whole batch at once, of what detectors agree about.

Candidates of one document that overlap or touch, directly or by others between them, are a
*cluster*; nothing outside of it bears on what `merging.merge` makes of it. Nearly all clusters are
*settled*: one candidate, or several that all remove and of which the best covers every other. The
span is then that best one, whole. All others are left to `merge`, which is the definition of both.
"""

from __future__ import annotations

import contextlib
import itertools
import operator
from collections.abc import Iterable, Sequence

import numpy as np

from ..core.arrays import Flags, Ints
from ..core.detectors import DENY, ROSTER, DetectorId
from ..core.spans import POLICY, Candidates, Spans
from .actions import ACTIONS
from .merging import ORDER, PART, gives_way, places_of
from .policy import Policy


def merge_vectorized(
    candidates: Candidates,
    policies: Sequence[Policy | None],
    texts: Sequence[str],
    order: Sequence[str] = ORDER,
) -> tuple[Spans, Candidates]:
    """The spans of settled clusters, in order, and the candidates of all others.

    Args:
        candidates: of a batch.
        policies: the one that holds for each document; None leaves all its candidates to `merge`.
        texts: of each document.
        order: see `merging.select`.
    """
    if not len(candidates):
        return Spans.of(()), candidates
    sizes = np.array([len(text) for text in texts], np.int64)
    inside = candidates.ends <= sizes[candidates.documents]
    clusters = _Clusters(candidates)
    alone = (clusters.counts == 1)[clusters.of]
    outcomes = _Outcomes(candidates, policies)
    outcomes.ask(np.flatnonzero(alone & inside & outcomes.open), texts)
    settled, best = clusters.led(order)
    settled &= clusters.every(
        outcomes.known & (outcomes.removes | alone) & inside & ~_repeats(candidates)
    )
    # What shows something of the text is settled where all others would do the same with it.
    settled &= ~clusters.some(outcomes.shows) | clusters.every(clusters.same(outcomes.cells))
    chosen = best[settled]
    decided = outcomes.of(chosen)
    spans = Spans(
        candidates.documents[chosen],
        candidates.starts[chosen],
        candidates.ends[chosen],
        _named(candidates.label_names, candidates.labels[chosen]),
        tuple(action for action, _ in decided),
        tuple(replacement for _, replacement in decided),
        _detectors(candidates, clusters, settled),
        _named(candidates.detector_names, candidates.detectors[chosen]),
        candidates.scores[chosen],
        np.zeros(len(chosen), np.bool_),
        tuple(POLICY if replacement is None else None for _, replacement in decided),
    )
    return spans, candidates.take(~settled[clusters.of])


class _Clusters:
    """The clusters of a batch, in order.

    Attributes:
        of: index of each candidate's cluster.
        begins: index of the first candidate of each.
        counts: candidates of each.
    """

    def __init__(self, candidates: Candidates) -> None:
        self._candidates = candidates
        # One axis for all documents, on which neighbours do not touch.
        base = candidates.documents * (int(candidates.ends.max()) + 2)
        self._starts, self._ends = base + candidates.starts, base + candidates.ends
        reach = np.maximum.accumulate(self._ends)
        fresh = np.concatenate(([True], self._starts[1:] > reach[:-1]))
        self.begins: Ints = np.flatnonzero(fresh)
        self.of: Ints = np.cumsum(fresh) - 1
        self.counts: Ints = np.diff(np.append(self.begins, len(candidates)))
        self._lows = self._starts[self.begins]
        self._highs = reach[self.begins + self.counts - 1]

    def every(self, flags: Flags) -> Flags:
        """Whether the flags of all of a cluster are set, for each."""
        found: Flags = np.logical_and.reduceat(flags, self.begins)
        return found

    def some(self, flags: Flags) -> Flags:
        """Whether any flag of a cluster is set, for each."""
        found: Flags = np.logical_or.reduceat(flags, self.begins)
        return found

    def same(self, values: Ints) -> Flags:
        """For each candidate, whether its value is that of the first of its cluster."""
        found: Flags = values == values[self.begins][self.of]
        return found

    def led(self, order: Sequence[str]) -> tuple[Flags, Ints]:
        """Whether the best by `merging.select` covers all of its cluster, and that candidate."""
        names, places = self._candidates.detector_names, places_of(order)
        detectors = [DetectorId.parse(name) for name in names]
        ranks = np.array([places[one.kind] for one in detectors])[self._candidates.detectors]
        whole = (self._starts == self._lows[self.of]) & (self._ends == self._highs[self.of])
        learned = _flags(one.is_tagger for one in detectors)
        yielding = _flags(map(gives_way, names))
        # A part of a CRF's that is not whole itself keeps the rank of a rule here: no matter, for
        # what is whole is longer than it, and of lower rank only if it is no rule.
        over = np.logical_or.reduceat(whole & learned[self._candidates.detectors], self.begins)
        parts = yielding[self._candidates.detectors] & ~whole & over[self.of]
        ranks[parts] = places[PART]
        first = np.minimum.reduceat(ranks, self.begins)
        # Whole ones of one rank are ordered by label and detector, as candidates are.
        leads = np.flatnonzero(whole & (ranks == first[self.of]))
        best = self.begins.copy()
        best[self.of[leads[::-1]]] = leads[::-1]
        led = np.zeros(len(best), np.bool_)
        led[self.of[leads]] = True
        return led, best


class _Outcomes:
    """What the policy of its document makes of each candidate by itself.

    Attributes:
        known: whether action and replacement are known.
        removes: whether it goes whatever its text is.
        open: whether it is for its text to say.
        shows: whether something of its text may show in what is filled in later.
        cells: equal for candidates of one label under one policy.
    """

    def __init__(self, candidates: Candidates, policies: Sequence[Policy | None]) -> None:
        self._candidates, self._policies = candidates, policies
        names = candidates.label_names
        known = list({id(policy): policy for policy in policies}.values())
        place = {id(policy): at for at, policy in enumerate(known)}
        of_document = np.array([place[id(policy)] for policy in policies], np.int64)
        # The cell of a candidate in a table of policies by labels.
        self.cells = of_document[candidates.documents] * len(names) + candidates.labels
        self._table = list(itertools.product(known, names))
        actions = [
            None if policy is None else ACTIONS[policy.action(name)] for policy, name in self._table
        ]
        blind = [
            action is not None and action.is_blind(name)
            for action, (_, name) in zip(actions, self._table, strict=True)
        ]
        self._blind: dict[tuple[int, int], tuple[str, str | None]] = {}
        self._asked: dict[int, tuple[str, str | None]] = {}
        # What is denied, or of a roster, goes whatever its action is, which is for `merge` to see
        # to; by most actions what is of a roster goes all the same.
        kinds = [DetectorId.parse(name).kind for name in candidates.detector_names]
        denied = _flags(kind == DENY for kind in kinds)[candidates.detectors]
        rostered = _flags(kind == ROSTER for kind in kinds)[candidates.detectors]
        goes = _flags(
            action is not None and action.removes and is_blind
            for action, is_blind in zip(actions, blind, strict=True)
        )[self.cells]
        left = denied | (rostered & ~goes)

        def of(cells: Iterable[bool]) -> Flags:
            flags: Flags = _flags(cells)[self.cells] & ~left
            return flags

        removes = (action is not None and action.removes for action in actions)
        self.removes: Flags = of(map(operator.and_, removes, blind))
        looks = (action is not None for action in actions)
        self.open: Flags = of(map(operator.gt, looks, blind))
        self.known: Flags = of(blind)
        self.shows: Flags = of(
            action is not None and name in action.shows
            for action, (_, name) in zip(actions, self._table, strict=True)
        )

    def ask(self, rows: Ints, texts: Sequence[str]) -> None:
        """Lets the texts of open candidates decide."""
        for row in rows.tolist():
            document = int(self._candidates.documents[row])
            policy = self._policies[document]
            assert policy is not None, "without a policy nothing is open"
            label = self._candidates.label_names[self._candidates.labels[row]]
            start, end = int(self._candidates.starts[row]), int(self._candidates.ends[row])
            # What raises is left to `merge`, where it fails its document and no other.
            with contextlib.suppress(Exception):
                self._asked[row] = policy.decide(label, texts[document][start:end])
                self.known[row] = True

    def of(self, rows: Ints) -> list[tuple[str, str | None]]:
        """Action and replacement of known candidates."""
        lengths = (self._candidates.ends - self._candidates.starts)[rows].tolist()
        places = zip(self.cells[rows].tolist(), lengths, strict=True)
        return [
            self._asked[row] if row in self._asked else self._blindly(place)
            for row, place in zip(rows.tolist(), places, strict=True)
        ]

    def _blindly(self, place: tuple[int, int]) -> tuple[str, str | None]:
        """Action and replacement by cell and length, for no look at the text is needed."""
        made = self._blind.get(place)
        if made is None:
            (policy, label), length = self._table[place[0]], place[1]
            assert policy is not None, "without a policy nothing is known"
            action = policy.action(label)
            made = self._blind[place] = action, policy.replacement_of(action, label, length)
        return made


def _repeats(candidates: Candidates) -> Flags:
    """Whether a candidate differs from its neighbour in its score alone: the higher one leads."""
    same = np.ones(len(candidates) - 1, np.bool_)
    for column in ("documents", "starts", "ends", "labels", "detectors"):
        values = getattr(candidates, column)
        same &= values[1:] == values[:-1]
    return np.concatenate(([False], same))


def _detectors(
    candidates: Candidates, clusters: _Clusters, settled: Flags
) -> tuple[tuple[str, ...], ...]:
    """The sorted names of all detectors of each settled cluster."""
    names = candidates.detector_names
    ids = candidates.detectors.tolist()
    alone = [(name,) for name in names]
    found: list[tuple[str, ...]] = []
    known: dict[frozenset[int], tuple[str, ...]] = {}
    for begin, count in zip(
        clusters.begins[settled].tolist(), clusters.counts[settled].tolist(), strict=True
    ):
        if count == 1:
            found.append(alone[ids[begin]])
            continue
        some = frozenset(ids[begin : begin + count])
        if some not in known:
            known[some] = tuple(names[at] for at in sorted(some))
        found.append(known[some])
    return tuple(found)


def _named(names: tuple[str, ...], ids: Ints) -> tuple[str, ...]:
    return tuple(names[at] for at in ids.tolist())


def _flags(values: Iterable[bool]) -> Flags:
    return np.array(list(values), np.bool_)
