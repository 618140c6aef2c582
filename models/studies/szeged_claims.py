"""Claims of Szarvas et al. 2006 that runs of its studies decide besides those of its tables."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from ..corpora import AnnotatedDocument, Annotation
from ..crf.codec import encode
from ..evaluation.paired import ScoreDifference
from ..evaluation.scores import Score
from ..text.tokenizer import tokenize_documents
from ..training.reporting import shown
from .base import RecipeResult
from .findings import ClaimCheck

_ABOUT = 0.01
_NOTHING = 0.005
_MOST_TOKENS = 1_000_000

HEADINGS = "without headings"
OUTSIDE_HELP = "with parts of speech or MeSH"
_HELP: Mapping[str, str] = {"pos": "parts of speech", "mesh": "MeSH"}


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


def claim_of_time(seconds: Mapping[str, float], sequences: float) -> ClaimCheck:
    """Whether a tree learns faster than a sequence model.

    Args:
        seconds: classifier -> processor time of learning a fold.
        sequences: that of the recipe `hide`, a CRF, on the same folds.
    """
    return ClaimCheck(
        "Trees need little time, and C4.5 learns very fast, so the set of features can be huge (Our"
        " approach, Classifiers): one tree on all features learns faster than a CRF with other"
        " features, that of hide.",
        f"Seconds a fold: one tree {seconds['C4.5']:.2f}, boosted trees {seconds['token']:.2f}, on"
        f" few features {seconds['trusted features']:.2f}; the CRF {sequences:.2f}, to"
        " convergence.",
        seconds["C4.5"] < sequences,
    )


def claims_of_features(
    whole: Score,
    others: Mapping[str, Score],
    documents: Sequence[AnnotatedDocument],
    auxiliary: Collection[str],
) -> tuple[ClaimCheck, ...]:
    """Whether some features are better left out, and whether others are missing.

    Args:
        whole: phrases of the token set.
        others: the same without each group, `HEADINGS`, and with `OUTSIDE_HELP` if it is there.
        documents: that they were trained on, in folds.
        auxiliary: names of the auxiliary models that are available.
    """
    f1 = whole.f1 or 0.0
    gains = {name: (score.f1 or 0.0) - f1 for name, score in others.items()}
    helped = gains.pop(OUTSIDE_HELP, None)
    tokens = len(tokenize_documents([d.text for d in documents], sentences=False))
    there = [name for key, name in _HELP.items() if key in auxiliary]
    missing = [name for key, name in _HELP.items() if key not in auxiliary]
    lacking = f" No auxiliary model for {' and '.join(missing)} here." if missing else ""
    return (
        ClaimCheck(
            "With fewer than a million tokens no feature need be left out (Experiments): without"
            " any one group F rises by less than half a point.",
            f"On {tokens:,} tokens F, {f1:.4f} with all, moves by "
            + ", ".join(f"{gain:+.4f} ({name})" for name, gain in gains.items())
            + ".",
            max(gains.values()) < _NOTHING if tokens < _MOST_TOKENS else None,
        ),
        ClaimCheck(
            "The result is competitive without parts of speech, deep parses and medical resources"
            " such as MeSH (Feature set, Conclusions): the token set gains less than a point of F"
            " by parts of speech and MeSH.",
            f"F {f1:.4f} without, {f1 + helped:.4f} with {' and '.join(there)}, {helped:+.4f}."
            + lacking
            if helped is not None
            else lacking.strip(),
            helped < _ABOUT if helped is not None else None,
        ),
    )


def claim_of_structure(gain: ScoreDifference) -> ClaimCheck:
    """Whether headings help, by paired resamples of documents.

    Args:
        gain: of F of the token set by its headings.
    """
    low, high = (gain.interval.low, gain.interval.high) if gain.interval else (0.0, 0.0)
    return ClaimCheck(
        "Common headings tell of the structure of a document and help (Feature set): F of the token"
        " set is higher with them than without, and without the tokens since the last.",
        f"F {shown(gain.second)} with them, {shown(gain.first)} without; the 95 % interval of the"
        f" difference is {low:+.4f} to {high:+.4f}.",
        True if low > 0 else False if high < 0 else None,
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
