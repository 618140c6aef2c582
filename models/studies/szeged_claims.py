"""Claims of Szarvas et al. 2006 that runs of its studies decide besides those of its tables."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence

from ..corpora import AnnotatedDocument, Annotation
from ..crf.codec import encode
from ..evaluation.scores import Score
from ..text.tokenizer import tokenize_documents
from ..training.reporting import shown
from .base import RecipeResult
from .findings import ClaimCheck

_ABOUT = 0.01


def claims_of_vote(
    micro: Mapping[str, Score], runs: Mapping[str, RecipeResult], sets: Sequence[str]
) -> tuple[ClaimCheck, ...]:
    """How careful the vote is, and whether disagreement tells of errors.

    Args:
        micro: classifier -> score of phrases, "vote" among them.
        runs: classifier -> its result.
        sets: the three that vote.
    """
    vote = micro["vote"]
    precision = {name: micro[name].precision or 0.0 for name in sets}
    recall = statistics.fmean(micro[name].recall or 0.0 for name in sets)
    agreed = agreements([runs[name].found for name in sets], runs[sets[0]].gold)
    rate = {most: right / total for most, (right, total) in agreed.items() if total}
    falling = [rate[most] for most in sorted(rate, reverse=True)]
    return (
        ClaimCheck(
            "The vote is cautious: its precision of 98.02 is above all three (97.48, 97.17, 97.56),"
            " its recall about theirs, within a point.",
            f"P {shown(vote.precision)} for "
            + ", ".join(f"{value:.4f} ({name})" for name, value in precision.items())
            + f"; R {shown(vote.recall)}, where their mean is {recall:.4f}.",
            (vote.precision or 0.0) > max(precision.values())
            and abs((vote.recall or 0.0) - recall) < _ABOUT,
        ),
        ClaimCheck(
            "A high rate of disagreement often means poor accuracy of prediction.",
            "Of tokens that are PHI in gold or to any of the three, the class that most of them"
            " give, or the first where all differ, is right in "
            + "; ".join(
                f"{rate[most]:.4f} of {agreed[most][1]:,} where {most} agree"
                for most in sorted(rate, reverse=True)
            )
            + ".",
            all(a > b for a, b in zip(falling, falling[1:], strict=False))
            if len(falling) > 1
            else None,
        ),
    )


def agreements(
    found: Sequence[Sequence[Sequence[Annotation]]], gold: Sequence[AnnotatedDocument]
) -> dict[int, tuple[int, int]]:
    """How many classifiers agree -> tokens on whose class most are right, and all such tokens.

    Tokens that are O in gold and to all classifiers are left out.

    Args:
        found: of each classifier, the entities of each document.
        gold: the documents.
    """
    true = _tags(gold, [document.spans for document in gold])
    counts = {most: [0, 0] for most in range(1, len(found) + 1)}
    for tag, *votes in zip(true, *(_tags(gold, one) for one in found), strict=True):
        if {tag, *votes} != {"O"}:
            winner, most = Counter(votes).most_common(1)[0]
            counts[most][0] += winner == tag
            counts[most][1] += 1
    return {most: (right, total) for most, (right, total) in counts.items()}


def _tags(
    documents: Sequence[AnnotatedDocument], found: Sequence[Sequence[Annotation]]
) -> list[str]:
    """The BIO tags of the fine tokens of all documents."""
    tokens = tokenize_documents([document.text for document in documents])
    tags: list[str] = []
    for number, spans in enumerate(found):
        rows = tokens.of_document(number)
        starts, ends = tokens.starts[rows].tolist(), tokens.ends[rows].tolist()
        tags += encode([(s.start, s.end, s.label) for s in spans], starts, ends, "BIO")
    return tags


def claim_of_parts(
    gold: Sequence[AnnotatedDocument],
    before: Sequence[Sequence[Annotation]],
    after: Sequence[Sequence[Annotation]],
) -> ClaimCheck:
    """Whether fewer phrases are found in part once they are standardised."""
    counts = [partly_found(gold, found) for found in (before, after)]
    return ClaimCheck(
        "A phrase tagged in part costs both precision and recall, which is why standardising raises"
        " both: it leaves fewer such phrases.",
        f"{counts[0]:,} phrases are found with wrong bounds before it, {counts[1]:,} after.",
        counts[1] < counts[0] if counts[0] else None,
    )


def claim_of_single_tokens(trees: Score, sequences: Score) -> ClaimCheck:
    """Whether tokens one by one are as good as a sequence model.

    Args:
        trees: phrases after all phases.
        sequences: phrases of the recipe `hide`, a CRF, on the same folds.
    """
    gap = (trees.f1 or 0.0) - (sequences.f1 or 0.0)
    return ClaimCheck(
        "Classifying tokens one by one is competitive with sequence models such as CRFs (Our"
        " approach): within a point of one with other features, that of hide.",
        f"F {shown(trees.f1)}, of the CRF {shown(sequences.f1)}: {gap:+.4f}.",
        gap > -_ABOUT,
    )


def partly_found(gold: Sequence[AnnotatedDocument], found: Sequence[Sequence[Annotation]]) -> int:
    """Gold spans that are not found with their bounds, but share a character with something."""
    count = 0
    for document, spans in zip(gold, found, strict=True):
        bounds = {(s.start, s.end) for s in spans}
        count += sum(
            (own.start, own.end) not in bounds
            and any(low < own.end and own.start < high for low, high in bounds)
            for own in document.spans
        )
    return count
