"""The scores for choosing settings and biases: strict spans, and label-blind coverage."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np

from ..core.labels import UNKNOWN_KIND
from ..core.tokens import Tokens
from ..corpora import AnnotatedDocument, Annotation, remap
from ..evaluation.characters import count_characters
from ..evaluation.comparison import Comparison, align
from ..evaluation.scores import DocumentCounts, Score
from ..evaluation.strict import count_strict_spans
from ..evaluation.token_level import count_tokens_blind
from ..recipes import Recipe
from ..text.tokenizer import tokenize_documents


@dataclasses.dataclass(frozen=True, slots=True)
class Scored:
    """Micro-averaged scores over all documents.

    Attributes:
        strict: spans with offsets and label.
        characters: label-blind.
        tokens: label-blind.
        covered: gold label -> characters of its spans that any predicted span covers, and all.
    """

    strict: Score
    characters: Score
    tokens: Score
    covered: Mapping[str, tuple[int, int]]

    def covered_share(self, label: str) -> float | None:
        """The share of a gold label's characters that are covered; None if it has none."""
        hit, every = self.covered.get(label, (0, 0))
        return hit / every if every else None

    def as_json(self) -> dict[str, object]:
        """JSON values, undefined ones null."""
        return {
            "strict": _prf(self.strict),
            "label-blind characters": _prf(self.characters),
            "label-blind tokens": _prf(self.tokens),
        }


def gold_for(recipe: Recipe, documents: Sequence[AnnotatedDocument]) -> list[AnnotatedDocument]:
    """The documents with the labels that the recipe's taggers tell apart: with two, PHI alone."""
    if recipe.classes == "typed":
        return list(documents)
    return [remap(document, lambda _: UNKNOWN_KIND) for document in documents]


class Scorer:
    """Scores predictions for the same gold documents repeatedly."""

    def __init__(self, gold: Sequence[AnnotatedDocument]) -> None:
        """Tokenizes the texts once; ids and order of documents do not matter."""
        # Comparisons match and sort by id, but ids of a corpus in several files may repeat.
        self._gold = [
            AnnotatedDocument(f"{ordinal:012d}", document.text, document.spans)
            for ordinal, document in enumerate(gold)
        ]
        self._tokens = tokenize_documents([document.text for document in gold])

    def score(self, found: Sequence[Sequence[Annotation]]) -> Scored:
        """The scores of the spans found in each of the documents."""
        predicted = [
            AnnotatedDocument(document.doc_id, document.text, tuple(spans))
            for document, spans in zip(self._gold, found, strict=True)
        ]
        comparison = align(self._gold, predicted, self._of)
        return Scored(
            strict=_micro(count_strict_spans(comparison)),
            characters=_micro(count_characters(comparison)),
            tokens=_micro(count_tokens_blind(comparison)),
            covered=_covered(comparison),
        )

    def _of(self, texts: Sequence[str]) -> Tokens:
        return self._tokens


def _micro(counted: DocumentCounts) -> Score:
    return Score(*(int(counts.sum()) for counts in (counted.tp, counted.fp, counted.fn)))


def _covered(comparison: Comparison) -> dict[str, tuple[int, int]]:
    gold = comparison.gold
    running = np.concatenate(([0], np.cumsum(comparison.covered(comparison.predicted))))
    shift = comparison.text_offsets[gold.documents]
    hits = running[gold.ends + shift] - running[gold.starts + shift]
    size = len(comparison.label_names)
    hit = np.zeros(size, np.int64)
    every = np.zeros(size, np.int64)
    np.add.at(hit, gold.labels, hits)
    np.add.at(every, gold.labels, gold.ends - gold.starts)
    rows = zip(comparison.label_names, hit.tolist(), every.tolist(), strict=True)
    return {label: (hits, total) for label, hits, total in rows if total}


def _prf(score: Score) -> dict[str, float | None]:
    named = {"precision": score.precision, "recall": score.recall, "f1": score.f1}
    return {name: None if value is None else round(value, 6) for name, value in named.items()}
