"""Standardising of finished predictions, within each document or across all of them.

Source: Szarvas et al. 2006, "Iterative learning". Bundles standardise within a document, since what
becomes of one depends on nothing else; a study may ask what the paper's way, across all, gives.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..bundles.standardising import standardise
from ..core.detectors import DetectorId
from ..core.spans import Candidate
from ..corpora import AnnotatedDocument, Annotation
from ..text.tokenizer import tokenize_documents

SCOPES = ("document", "corpus")

_BARRIER = "\0"
"""A token between documents, which no phrase contains."""


def standardised(
    documents: Sequence[AnnotatedDocument],
    found: Sequence[Sequence[Annotation]],
    *,
    which: str,
    scope: str,
) -> list[list[Annotation]]:
    """The entities with every occurrence of their phrases alike; see `bundles.standardising`.

    Args:
        documents: for their texts.
        found: disjoint entities of each.
        which: "all" phrases, or "telling" ones.
        scope: one of `SCOPES`: where the other occurrences of a phrase are looked for.

    Raises:
        ValueError: if the scope is not known.
    """
    if scope not in SCOPES:
        raise ValueError(f"standardised: scope must be one of {SCOPES}")
    if scope == "corpus":
        return _together(documents, found, which)
    return [
        _together([document], [spans], which)[0]
        for document, spans in zip(documents, found, strict=True)
    ]


def _together(
    documents: Sequence[AnnotatedDocument], found: Sequence[Sequence[Annotation]], which: str
) -> list[list[Annotation]]:
    """The documents as if they were one."""
    texts = [document.text for document in documents]
    tokens = tokenize_documents(texts)
    starts, ends, shifts, candidates, shift = [], [], [], [], 0
    detector = str(DetectorId.of_tagger("trees", "token", "study"))
    for number, (text, spans) in enumerate(zip(texts, found, strict=True)):
        rows = tokens.of_document(number)
        edge = shift + len(text)
        starts += [*(tokens.starts[rows] + shift).tolist(), edge]
        ends += [*(tokens.ends[rows] + shift).tolist(), edge + len(_BARRIER)]
        candidates += [
            Candidate(s.start + shift, s.end + shift, s.label, detector, 1.0) for s in spans
        ]
        shifts.append(shift)
        shift = edge + len(_BARRIER)
    joined = "".join(text + _BARRIER for text in texts)
    made = standardise(
        joined, np.array(starts, np.int64), np.array(ends, np.int64), sorted(candidates), which
    )
    alike: list[list[Annotation]] = [[] for _ in documents]
    for one in made:
        number = int(np.searchsorted(shifts, one.start, side="right")) - 1
        start = one.start - shifts[number]
        alike[number].append(Annotation(start, start + one.end - one.start, one.label))
    return alike
