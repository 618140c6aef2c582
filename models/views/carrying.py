"""Names that a document has elsewhere, in its decoded lines; and names of these, in its text.

Detectors see a view with two lines around it, so what they know of a name from the rest of the
document is missing there. Text and views are searched as one document, by `propagation`.
"""

from __future__ import annotations

import collections
from collections.abc import Sequence

import numpy as np

from ..bundles.propagate import propagate
from ..core.arrays import Ints
from ..core.batches import Batch, Failure, map_documents
from ..core.spans import Candidate
from ..core.views import View
from ..recipes.propagation import Propagation

NAMES = Propagation(
    labels=(
        *("DOCTOR", "NOMBRE_PERSONAL_SANITARIO", "NOMBRE_SUJETO_ASISTENCIA", "PATIENT", "PERSON"),
    ),
    names=("DOCTOR", "PATIENT", "PERSON"),
    share=0.2,
)
"""As in prose: a surname stands alone as well."""

Found = list[tuple[int, Candidate]]


def carry_over(batch: Batch, inner: Batch) -> tuple[Found, Found, dict[int, Failure]]:
    """Further candidates of the documents that have views, and of these views.

    Args:
        batch: with the candidates of all detectors.
        inner: its views, with theirs.

    Returns:
        Each candidate with the index of its document in `batch`; with that of its view; failures.
    """
    viewed, tokens, seen = batch.views, batch.tokens, inner.tokens
    assert viewed is not None and tokens is not None and seen is not None, "all were tokenized"
    owned: dict[int, list[int]] = collections.defaultdict(list)
    for at, owner in enumerate(viewed.owners):
        owned[owner].append(at)
    outside = batch.candidates.by_document(len(batch.documents))
    inside = inner.candidates.by_document(len(viewed.views))

    def one(owner: int) -> tuple[list[Candidate], Found]:
        if owner not in owned:
            return [], []
        places = owned[owner]
        views = [viewed.views[at] for at in places]
        rows, parts = tokens.of_document(owner), [seen.of_document(at) for at in places]
        whole = _Whole(batch.documents.texts[owner], views)
        whole.add_tokens(
            (tokens.starts[rows], tokens.ends[rows]),
            [(seen.starts[own], seen.ends[own]) for own in parts],
        )
        own = outside[owner]
        decoded = [c for k, at in enumerate(places) for c in whole.shifted(k, inside[at])]
        to_views = whole.search([*own, *decoded])
        to_text = whole.search(decoded)
        return (
            _untouched(to_text, own, whole.length),
            [(places[k], c) for k, c in map(whole.in_view, to_views) if k >= 0],
        )

    results, failures = map_documents(batch, "recognise", one)
    both = [(owner, result) for owner, result in enumerate(results) if result is not None]
    to_texts = [(owner, c) for owner, (own, _) in both for c in own]
    return to_texts, [row for _, (_, own) in both for row in own], failures


class _Whole:
    """A text followed by its views; of these, the changed lines."""

    def __init__(self, text: str, views: Sequence[View]) -> None:
        self.length = len(text)
        self._text = "\n".join((text, *(view.text for view in views)))
        sizes = [len(text) + 1, *(len(view.text) + 1 for view in views)]
        self._bases = np.cumsum(sizes)[:-1]
        self._lines = [np.append(view.changed_lines(), False) for view in views]

    def add_tokens(self, own: tuple[Ints, Ints], parts: Sequence[tuple[Ints, Ints]]) -> None:
        starts, ends = [own[0]], [own[1]]
        for base, lines, (lows, highs) in zip(self._bases, self._lines, parts, strict=True):
            kept = lines[lows]
            starts.append(lows[kept] + base)
            ends.append(highs[kept] + base)
        self._starts, self._ends = np.concatenate(starts), np.concatenate(ends)

    def shifted(self, view: int, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Those candidates of a view that begin on a changed line, at their places here."""
        base, lines = int(self._bases[view]), self._lines[view]
        return [
            Candidate(c.start + base, c.end + base, c.label, c.detector, c.score)
            for c in candidates
            if lines[c.start]
        ]

    def search(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Where the names of candidates stand again."""
        return propagate(NAMES, self._text, self._starts, self._ends, candidates, None)

    def in_view(self, c: Candidate) -> tuple[int, Candidate]:
        """A candidate in its view, with the number of that; -1 for one of the text."""
        view = int(np.searchsorted(self._bases, c.start, side="right")) - 1
        if view < 0:
            return view, c
        base = int(self._bases[view])
        return view, Candidate(c.start - base, c.end - base, c.label, c.detector, c.score)


def _untouched(
    found: Sequence[Candidate], others: Sequence[Candidate], size: int
) -> list[Candidate]:
    """Those of the text that none of the others touches."""
    taken = np.zeros(size, np.bool_)
    for one in others:
        taken[one.start : one.end] = True
    return [c for c in found if c.end <= size and not taken[c.start : c.end].any()]
