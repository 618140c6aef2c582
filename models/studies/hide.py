"""Studies of Gardner et al. 2010: feature groups and confusions; `hide_sampling` has the others.

The paper counts token tags without true negatives (§6, "Metrics").
"""

from __future__ import annotations

import itertools

from ..evaluation.matrices import Matrix
from ..evaluation.scores import Score, Scores
from ..plots.bars import bars
from ..recipes.hide import GROUPS
from ..training.reporting import shown
from .base import (
    Bench,
    RecipeResult,
)
from .findings import (
    ClaimCheck,
    Findings,
    PageTable,
    Plot,
    Row,
    Study,
    ratios,
)
from .hide_claims import (
    claim_of_dictionaries,
    claim_of_expressions,
    claims_of_matrix,
    claims_of_plain,
)

PAPER = 'Gardner et al. 2010, "An Evaluation of Feature Sets and Sampling Techniques"'


def _features(bench: Bench) -> Findings:
    subsets = [g for n in range(1, 5) for g in itertools.combinations(GROUPS, n)]
    runs = bench.folds([bench.hide(groups) for groups in subsets])
    (learned,) = bench.folds([bench.hide()], to_convergence=True)
    by_name = dict(zip(map(_letters, subsets), runs, strict=True))
    scores = {name: tags(bench, run) for name, run in by_name.items()}
    ordered = sorted(scores, key=lambda name: (scores[name].f1 or 0.0, name))
    every = _letters(GROUPS)
    alone = {name: _letters((name,)) for name in GROUPS}
    drops = {
        name: (scores[every].f1 or 0.0)
        - (scores[_letters([g for g in GROUPS if g != name])].f1 or 0.0)
        for name in GROUPS
    }
    ranking = sorted(drops, key=lambda name: (drops[name], name))
    best = max(ordered, key=lambda name: scores[name].f1 or 0.0)
    rows: list[Row] = [
        (name, *map(shown, ratios(scores[name])), run.seconds)
        for name, run in zip(scores, runs, strict=True)
    ]
    converged = map(shown, ratios(tags(bench, learned)))
    rows.append((f"{every}, to convergence", *converged, learned.seconds))
    return Findings(
        how=how_folded(bench)
        + " r: regular expressions, a: affixes, c: context, d: dictionaries; the token itself is a"
        " feature of every subset. The last row is learned until the likelihood improves by no more"
        " than 1e-5, as in the paper.",
        tables=(
            PageTable(
                "",
                ("groups", "P", "R", "F1", "seconds a fold"),
                tuple(rows),
            ),
        ),
        plots=(
            Plot(
                "",
                "F1 of every subset of the four feature groups",
                bars([(name, [("F1", scores[name].f1, None)]) for name in ordered]),
            ),
        ),
        verdicts=(
            ClaimCheck(
                "Dictionary features matter least, then affixes, regular expressions, and context"
                " features most (by leaving each out).",
                "Left out, F1 falls by "
                + ", ".join(f"{drops[name]:+.4f} ({name})" for name in ranking)
                + ".",
                ranking == ["dictionary", "affix", "regex", "context"],
            ),
            ClaimCheck(
                "Alone, context features do best, with an F of .955.",
                "Alone: "
                + ", ".join(f"{name} {shown(scores[alone[name]].f1)}" for name in GROUPS)
                + ".",
                max(GROUPS, key=lambda name: scores[alone[name]].f1 or 0.0) == "context",
            ),
            ClaimCheck(
                "r, c and d together slightly outperform all four groups; the difference is not"
                " believed to be significant.",
                f"Best: {best} with {shown(scores[best].f1)}; all four:"
                f" {shown(scores[every].f1)}; rcd: {shown(scores['rcd'].f1)}.",
                abs((scores["rcd"].f1 or 0.0) - (scores[every].f1 or 0.0)) < 0.005,
            ),
            claim_of_dictionaries(bench, learned.gold),
            claim_of_expressions(bench, by_name[every], by_name["acd"]),
        ),
    )


def _confusion(bench: Bench) -> Findings:
    recipe = bench.hide(layer="with-blanks")
    (folded,) = bench.folds([recipe])
    held, plain = bench.held_out([recipe, bench.hide()])
    tables, verdicts = [], []
    for name, run in (("folds", folded), ("held-out", held)):
        matrix = _matrix(bench, run, "hide_confusion_blanks")
        tables.append(_matrix_table(name, matrix))
        if name == "folds":
            verdicts += [_claim_of_errors(matrix), *claims_of_matrix(bench, matrix)]
    score, negatives = tags(bench, plain), tags(bench, plain, "hide_negatives")
    count = min(len(bench.material.train), bench.size.held)
    verdicts += [
        ClaimCheck(
            "Trained on 669 reports and tested on 220: P .967, R .986, F .977 (§6.3). F is within"
            " two points of it.",
            f"P {shown(score.precision)}, R {shown(score.recall)}, F {shown(score.f1)}:"
            f" {(score.f1 or 0.0) - 0.977:+.4f}.",
            abs((score.f1 or 0.0) - 0.977) <= 0.02,
        ),
        ClaimCheck(
            "The same with true negatives: P .998, R .999, F .999 (§6.3). F is above .99.",
            f"P {shown(negatives.precision)}, R {shown(negatives.recall)}, F"
            f" {shown(negatives.f1)}.",
            (negatives.f1 or 0.0) > 0.99,
        ),
        *claims_of_plain(
            score,
            _matrix(bench, plain, "hide_confusion_blanks"),
            _matrix(bench, plain, "hide_confusion"),
            plain.seconds,
            count,
        ),
    ]
    rows: tuple[Row, ...] = (
        ("without true negatives", *map(shown, ratios(score)), 0.967, 0.986, 0.977),
        ("with true negatives", *map(shown, ratios(negatives)), 0.998, 0.999, 0.999),
    )
    head = ("token tags", "P", "R", "F", "paper, P", "paper, R", "paper, F")
    how = (
        f" Held out: trained on {count} documents of the"
        f" training part, scored on {len(held.gold)} of the development part, learned to"
        " convergence. The matrices count blanks as tokens, as Tables 3 and 4 do, and so does the"
        " tagger that they are of; the scores do not (§6.3)."
    )
    return Findings(
        how_folded(bench) + how, (PageTable("scores", head, rows), *tables), (), tuple(verdicts)
    )


def _claim_of_errors(matrix: Matrix) -> ClaimCheck:
    errors = {
        (row, column): matrix.count(row, column)
        for row in matrix.row_names
        for column in matrix.column_names
        if row != column
    }
    with_o = sum(n for (row, column), n in errors.items() if "O" in (row, column))
    total = sum(errors.values())
    gold = sum(
        n for name, n in zip(matrix.row_names, matrix.row_totals(), strict=True) if name != "O"
    )
    right = sum(matrix.count(name, name) for name in matrix.row_names if name != "O")
    share = right / gold if gold else 0.0
    return ClaimCheck(
        "Large values lie along the diagonal, and most errors are tokens taken for O or the other"
        " way round (Table 3: 578 of 686; 14,534 of 14,916 PHI tokens are right).",
        f"{right:,} of {gold:,} PHI tokens are right, {share:.4f}; of {total:,} errors"
        f" {with_o:,} have O on one side.",
        with_o * 2 > total and share > 0.9,
    )


def _matrix(bench: Bench, run: RecipeResult, metric: str) -> Matrix:
    matrix = bench.score(run, (metric,)).metrics[metric]
    assert isinstance(matrix, Matrix)
    return matrix


def _matrix_table(name: str, matrix: Matrix) -> PageTable:
    """Rows are true tags, columns predicted ones; totals and scores of each tag as in the paper."""
    scores = matrix.scores()
    rows: list[Row] = []
    for row, counts, total in zip(
        matrix.row_names, matrix.counts, matrix.row_totals(), strict=True
    ):
        # O has no scores, since true negatives are not counted.
        ratios = (None, None, None) if row == "O" else scores.get(row, (None, None, None))
        rows.append((row, *counts, total, *map(shown, ratios)))
    head = ("true / predicted", *matrix.column_names, "total", "P", "R", "F1")
    return PageTable(name, head, tuple(rows))


def tags(bench: Bench, run: RecipeResult, metric: str = "hide") -> Score:
    """The micro score of a run by one of HIDE's metrics."""
    scores = bench.score(run, (metric,)).metrics[metric]
    assert isinstance(scores, Scores)
    return scores.micro


def _letters(groups: object) -> str:
    """The paper's name of a subset: "racd" without the groups that are left out."""
    assert isinstance(groups, tuple | list)
    return "".join(name[0] for name in GROUPS if name in groups)


def how_folded(bench: Bench, *, capped: bool = True) -> str:
    """What the studies of cross-validation did, for pages."""
    size, count = bench.size, min(bench.size.documents, len(bench.material.train))
    cap = ", to convergence"
    if capped:
        cap = f", at most {size.iterations} iterations of L-BFGS" if size.iterations else ""
    return (
        f"{size.folds}-fold cross-validation by document (10 folds in the paper) on {count}"
        f" documents of {bench.material.name}, training part{cap}; token tags without true"
        " negatives."
    )


STUDIES = (
    Study("hide-features", "All subsets of four feature groups", f"{PAPER}, Fig. 4", _features),
    Study(
        "hide-confusion", "Confusion of token tags", f"{PAPER}, Tables 3 and 4, §6.3", _confusion
    ),
)
