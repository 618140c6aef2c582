"""Candidates and spans: what detectors propose, and what was decided about it.

The covered text is deliberately absent from all of them: they reach logs and audit rows, PHI must
not.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .arrays import Flags, Floats, Ints, require_equal_lengths


class _CandidateFields(NamedTuple):
    start: int
    end: int
    label: str
    detector: str
    score: float


class Candidate(_CandidateFields):
    """A half-open range [start, end) of one document that one detector calls PHI.

    Attributes:
        start: offset of the first character, in code points of the document's text.
        end: offset one past the last character, always greater than `start`.
        label: PHI category, for example "DATE".
        detector: the recogniser or tagger that proposed it.
        score: in [0, 1], rounded to 1e-4; a rule's is its precision on development data, a CRF's
            the least marginal over its tokens. For people and the audit; it never decides.

    Raises:
        ValueError: if the offsets are negative or the range is empty.
    """

    # A tuple: batches make thousands of them, and sort them.
    __slots__ = ()

    def __new__(cls, start: int, end: int, label: str, detector: str, score: float) -> Candidate:
        """Checks the range."""
        if not 0 <= start < end:
            raise ValueError(f"{detector}: bad range [{start}, {end})")
        return _CandidateFields.__new__(cls, start, end, label, detector, score)


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Candidates:
    """All candidates of a batch, sorted by (document, start, end, label, detector).

    Attributes:
        documents: index of the document in `Documents`.
        starts, ends: half-open code-point offsets.
        labels: index into `label_names`.
        detectors: index into `detector_names`.
        scores: see `Candidate.score`.
        label_names, detector_names: sorted tables of names, so that equal candidates have equal
            columns.
    """

    documents: Ints
    starts: Ints
    ends: Ints
    labels: Ints
    detectors: Ints
    scores: Floats
    label_names: tuple[str, ...]
    detector_names: tuple[str, ...]

    def __post_init__(self) -> None:
        require_equal_lengths(
            "Candidates",
            documents=self.documents,
            starts=self.starts,
            ends=self.ends,
            labels=self.labels,
            detectors=self.detectors,
            scores=self.scores,
        )

    def __len__(self) -> int:
        return len(self.starts)

    @classmethod
    def of(cls, rows: Iterable[tuple[int, Candidate]]) -> Candidates:
        """Builds the columns from (document index, candidate) pairs in any order."""
        ordered = sorted({(d, *c) for d, c in rows})
        columns: tuple[tuple[Any, ...], ...] = tuple(zip(*ordered, strict=True)) or ((),) * 6
        documents, starts, ends, label_column, detector_column, scores = columns
        labels = tuple(sorted(set(label_column)))
        detectors = tuple(sorted(set(detector_column)))
        label_ids = {name: i for i, name in enumerate(labels)}
        detector_ids = {name: i for i, name in enumerate(detectors)}
        return cls(
            np.array(documents, np.int64),
            np.array(starts, np.int64),
            np.array(ends, np.int64),
            np.array([label_ids[name] for name in label_column], np.int64),
            np.array([detector_ids[name] for name in detector_column], np.int64),
            np.array(scores, np.float64),
            labels,
            detectors,
        )

    @classmethod
    def joined(cls, first: Candidates, second: Candidates) -> Candidates:
        """The rows of both, each once, as `of` would order and name them."""
        if not len(first) or not len(second):
            return first if len(first) else second
        parts = (first, second)
        labels = sorted({*first.label_names, *second.label_names})
        detectors = sorted({*first.detector_names, *second.detector_names})
        both = cls(
            np.concatenate([part.documents for part in parts]),
            np.concatenate([part.starts for part in parts]),
            np.concatenate([part.ends for part in parts]),
            np.concatenate([_places(part.label_names, labels)[part.labels] for part in parts]),
            np.concatenate(
                [_places(part.detector_names, detectors)[part.detectors] for part in parts]
            ),
            np.concatenate([part.scores for part in parts]),
            tuple(labels),
            tuple(detectors),
        )
        keys = (both.documents, both.starts, both.ends, both.labels, both.detectors, both.scores)
        order = np.lexsort(keys[::-1])
        fresh = [np.diff(key[order], prepend=-1) != 0 for key in keys]
        return both.take(order[np.logical_or.reduce(fresh)])

    def take(self, rows: Flags | Ints) -> Candidates:
        """The rows that are flagged, or of these indexes; the tables of names stay."""
        return Candidates(
            self.documents[rows],
            self.starts[rows],
            self.ends[rows],
            self.labels[rows],
            self.detectors[rows],
            self.scores[rows],
            self.label_names,
            self.detector_names,
        )

    def rows(self) -> list[tuple[int, Candidate]]:
        """The (document index, candidate) pairs, in order."""
        return [
            (d, Candidate(s, e, self.label_names[la], self.detector_names[de], sc))
            for d, s, e, la, de, sc in zip(
                self.documents.tolist(),
                self.starts.tolist(),
                self.ends.tolist(),
                self.labels.tolist(),
                self.detectors.tolist(),
                self.scores.tolist(),
                strict=True,
            )
        ]

    def by_document(self, documents: int) -> list[list[Candidate]]:
        """The candidates of each of `documents` documents, each list in order."""
        found: list[list[Candidate]] = [[] for _ in range(documents)]
        for document, candidate in self.rows():
            found[document].append(candidate)
        return found


def _places(names: Sequence[str], among: list[str]) -> Ints:
    return np.array([among.index(name) for name in names], np.int64)


NO_CANDIDATES = Candidates.of(())

POLICY = "policy"
"""Reason of a kept span whose candidate was accepted: its label or its text decides that."""

BELIEVED = (None, POLICY)
"""The reasons of spans that come from accepted candidates; all others are listed, not counted."""


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class Span:
    """One decided, disjoint range of a document: a row of the audit.

    Attributes:
        start, end: half-open code-point offsets in the untouched text.
        label: PHI category.
        action: what the policy does with it, one of `actions.ACTIONS`.
        replacement: what takes its place ("" for a fragment beside its entity); None for "keep".
        detectors: every detector that covered any character of it, sorted.
        source: the detector whose candidate gave the label.
        score: score of that candidate.
        fragment: true for what `select` left over of a covered range: audited, never an entity.
        reason: why the text stays: "policy" (the label's action), or why every candidate on it was
            rejected (see `merging.accept`); None where it goes.
    """

    start: int
    end: int
    label: str
    action: str
    replacement: str | None
    detectors: tuple[str, ...]
    source: str
    score: float
    fragment: bool = False
    reason: str | None = None


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Spans:
    """All spans of a batch, sorted by (document, start); disjoint within a document.

    Attributes: columns of `Span`, plus `documents`, the index of the document in `Documents`.
    """

    documents: Ints
    starts: Ints
    ends: Ints
    labels: tuple[str, ...]
    actions: tuple[str, ...]
    replacements: tuple[str | None, ...]
    detectors: tuple[tuple[str, ...], ...]
    sources: tuple[str, ...]
    scores: Floats
    fragments: Flags
    reasons: tuple[str | None, ...]

    def __post_init__(self) -> None:
        require_equal_lengths(
            "Spans", **{field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        )

    def __len__(self) -> int:
        return len(self.starts)

    @classmethod
    def of(cls, rows: Iterable[tuple[int, Span]]) -> Spans:
        """Builds the columns from (document index, span) pairs in any order."""
        ordered = sorted(rows, key=lambda row: (row[0], row[1].start))
        return cls(
            np.array([d for d, _ in ordered], np.int64),
            np.array([s.start for _, s in ordered], np.int64),
            np.array([s.end for _, s in ordered], np.int64),
            tuple(s.label for _, s in ordered),
            tuple(s.action for _, s in ordered),
            tuple(s.replacement for _, s in ordered),
            tuple(s.detectors for _, s in ordered),
            tuple(s.source for _, s in ordered),
            np.array([s.score for _, s in ordered], np.float64),
            np.array([s.fragment for _, s in ordered], np.bool_),
            tuple(s.reason for _, s in ordered),
        )

    @classmethod
    def joined(cls, first: Spans, second: Spans) -> Spans:
        """The rows of both; no two begin at one place of one document."""
        columns: list[Any] = [
            np.concatenate(both) if isinstance(both[0], np.ndarray) else both[0] + both[1]
            for both in zip(first._columns(), second._columns(), strict=True)
        ]
        both = cls(*columns)
        return both.take(np.lexsort((both.starts, both.documents)))

    def take(self, rows: Ints) -> Spans:
        """The rows of these indexes."""
        order = rows.tolist()
        columns: list[Any] = [
            column[rows] if isinstance(column, np.ndarray) else tuple([column[i] for i in order])
            for column in self._columns()
        ]
        return Spans(*columns)

    def _columns(self) -> list[Any]:
        return [getattr(self, field.name) for field in dataclasses.fields(self)]

    def rows(self) -> list[tuple[int, Span]]:
        """The (document index, span) pairs, in order."""
        return [
            (d, Span(*rest))
            for d, *rest in zip(
                self.documents.tolist(),
                self.starts.tolist(),
                self.ends.tolist(),
                self.labels,
                self.actions,
                self.replacements,
                self.detectors,
                self.sources,
                self.scores.tolist(),
                self.fragments.tolist(),
                self.reasons,
                strict=True,
            )
        ]

    def by_document(self, documents: int) -> list[list[Span]]:
        """The spans of each of `documents` documents, each list in order."""
        found: list[list[Span]] = [[] for _ in range(documents)]
        for document, span in self.rows():
            found[document].append(span)
        return found
