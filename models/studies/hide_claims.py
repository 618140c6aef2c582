"""Claims of Gardner et al. 2010 that runs of its studies decide besides those of its figures."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ..corpora import AnnotatedDocument
from ..crf.codec import OUTSIDE
from ..evaluation.matrices import Matrix
from ..evaluation.scores import Score, Scores
from ..training.reporting import shown
from .base import Bench, RecipeResult
from .findings import ClaimCheck
from .phrases_in_text import covered_by_spans, listed_phrases

_FORMULAIC = ("FAX", "IDNUM", "MEDICALRECORD", "PHONE")
_RECORDS = ("IDNUM", "MEDICALRECORD")
_CLOSE, _FULL = 0.005, 0.99


def claim_of_expressions(bench: Bench, whole: RecipeResult, without: RecipeResult) -> ClaimCheck:
    """Whether numbers are found better with the group of regular expressions than without."""
    scores = []
    for run in (whole, without):
        by_tag = bench.score(run, ("hide",)).metrics["hide"]
        assert isinstance(by_tag, Scores)
        scores.append(of_tags(bench, by_tag, _FORMULAIC))
    with_them, without_them = (score.f1 for score in scores)
    return ClaimCheck(
        "Regular expressions are useful for record numbers, telephone numbers and the like"
        " (§4.2, without figures).",
        f"F of the tags of {', '.join(_FORMULAIC)}: {shown(with_them)} with them,"
        f" {shown(without_them)} without.",
        None
        if with_them is None or without_them is None or with_them == without_them
        else with_them > without_them,
    )


def of_tags(bench: Bench, scores: Scores, native: Collection[str]) -> Score:
    """The score of all tags of some native labels together."""
    own = [
        score for tag, score in scores.by_label.items() if bench.material.native(tag[2:]) in native
    ]
    return Score(*(sum(getattr(s, count) for s in own) for count in ("tp", "fp", "fn")))


def claim_of_dictionaries(bench: Bench, documents: Sequence[AnnotatedDocument]) -> ClaimCheck:
    """How much of what the dictionaries match is PHI."""
    lists = bench.hide().dictionaries
    phrases = [p for name in lists for p in bench.material.dictionaries[name].phrases]
    phi, listed = listed_tokens(documents, phrases)
    return ClaimCheck(
        "Dictionary features matter least, likely since many of the dictionaries' terms in the"
        " text are not PHI. Most of them are not.",
        f"{phi:,} of {listed:,} tokens that a dictionary matches are PHI,"
        f" {phi / max(1, listed):.1%}.",
        phi * 2 < listed if listed else None,
    )


def listed_tokens(
    documents: Sequence[AnnotatedDocument], phrases: Iterable[str]
) -> tuple[int, int]:
    """How many tokens in matches of phrases touch a gold span, and how many such tokens are."""
    phi = listed = 0
    places = listed_phrases(documents, phrases)
    for document, (_, ranges, matches) in zip(documents, places, strict=True):
        inside = covered_by_spans(document)
        matched = {place for low, high in matches for place in range(low, high)}
        listed += len(matched)
        phi += sum(any(inside[slice(*ranges[place])]) for place in matched)
    return phi, listed


def claims_of_matrix(bench: Bench, matrix: Matrix) -> tuple[ClaimCheck, ...]:
    """Which tag is missed, or falsely found, most often.

    Args:
        bench: for the labels.
        matrix: of tags, with blanks, as Table 3.
    """
    tags = [name for name in matrix.row_names if name != OUTSIDE]
    missed = max(tags, key=lambda tag: matrix.count(tag, OUTSIDE), default="")
    added = max(tags, key=lambda tag: matrix.count(OUTSIDE, tag), default="")
    lost, false = matrix.count(missed, OUTSIDE), matrix.count(OUTSIDE, added)
    records = {tag for tag in tags if tag[:1] == "I" and bench.material.native(tag[2:]) in _RECORDS}
    return (
        ClaimCheck(
            "Most commonly missed is I-id, the rest of a record number. (In Table 3 I-doctor is"
            " missed more often, 78 for 21; but 243 of 304 false tags are I-id. Its precision of"
            " .971 there does not fit these and seems a misprint.) It leads one of the two.",
            f"Most often missed is {missed if lost else 'no tag'}, {lost:,} times; most often"
            f" false is {added if false else 'no tag'}, {false:,} times.",
            (missed in records and lost > 0) or (added in records and false > 0)
            if records and lost + false
            else None,
        ),
    )


def claims_of_plain(
    score: Score, blanks: Matrix, plain: Matrix, seconds: float, count: int
) -> tuple[ClaimCheck, ...]:
    """What blanks do to scores, specificity, and the time of training.

    Args:
        score: of a run, without blanks.
        blanks, plain: confusions of the same run, with blanks and without.
        seconds: of its training.
        count: documents that it was trained on.
    """
    precision, recall = diagonal(blanks)
    outside = dict(zip(plain.row_names, plain.row_totals(), strict=True)).get(OUTSIDE, 0)
    specificity = plain.count(OUTSIDE, OUTSIDE) / outside if outside else None
    changes = (precision - (score.precision or 0.0), recall - (score.recall or 0.0))
    return (
        ClaimCheck(
            "Counting blanks as tokens has no significant effect on precision and recall (§6.1).",
            f"With blanks precision changes by {changes[0]:+.4f}, recall by {changes[1]:+.4f};"
            f" less than {_CLOSE} counts as no change.",
            max(map(abs, changes)) < _CLOSE,
        ),
        ClaimCheck(
            'Specificity is always close to 100 %, so it is not reported (§6, "Metrics").',
            f"{shown(specificity)}; above {_FULL} counts as close.",
            specificity > _FULL if specificity is not None else None,
        ),
        ClaimCheck(
            "Training on 669 reports with all features takes 51 min 39 s (§6.4).",
            f"{seconds:.1f} s of processor time on {count} documents of another corpus, on another"
            " machine.",
            None,
        ),
    )


def diagonal(matrix: Matrix) -> tuple[float, float]:
    """Precision and recall of all tags but O together."""
    tags = [name for name in matrix.row_names if name != OUTSIDE]
    right = sum(matrix.count(tag, tag) for tag in tags)
    gold = sum(n for t, n in zip(matrix.row_names, matrix.row_totals(), strict=True) if t in tags)
    found = sum(
        n for t, n in zip(matrix.column_names, matrix.column_totals(), strict=True) if t in tags
    )
    return right / max(1, found), right / max(1, gold)
