"""Studies of Gardner et al. 2010: feature groups and sampling, by cross-validation.

The paper counts token tags without true negatives (§6, "Metrics").
"""

from __future__ import annotations

import itertools

from ..evaluation.matrices import Matrix
from ..evaluation.plots import bars, lines
from ..evaluation.scores import Score, Scores
from ..recipes import Sampling
from ..recipes.hide import GROUPS
from ..training.reporting import shown
from ..training.settings import with_sampling
from .base import Bench, ClaimCheck, Findings, PageTable, Plot, RecipeResult, Row, Study, ratios

_PAPER = 'Gardner et al. 2010, "An Evaluation of Feature Sets and Sampling Techniques"'
_KEEP = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_WINDOWS = (1, 2, 3, 4, 5, 10, 15, 20, 30, 50)


def _features(bench: Bench) -> Findings:
    subsets = [g for n in range(1, 5) for g in itertools.combinations(GROUPS, n)]
    runs = bench.folds([bench.hide(groups) for groups in subsets])
    scores = {
        _letters(groups): _tags(bench, run) for groups, run in zip(subsets, runs, strict=True)
    }
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
    return Findings(
        how=_how(bench)
        + " r: regular expressions, a: affixes, c: context, d: dictionaries; the token itself is a"
        " feature of every subset.",
        tables=(
            PageTable(
                "",
                ("groups", "P", "R", "F1", "seconds a fold"),
                tuple(
                    (name, *map(shown, ratios(scores[name])), run.seconds)
                    for name, run in zip(scores, runs, strict=True)
                ),
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
                "Dictionary, affix, regular expression and context features matter in this order,"
                " context most (by leaving each out).",
                "Left out, F1 falls by "
                + ", ".join(f"{drops[name]:+.4f} ({name})" for name in ranking)
                + ".",
                ranking[-1] == "context" and ranking[0] == "dictionary",
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
        ),
    )


def _random_o(bench: Bench) -> Findings:
    values = bench.size.some(_KEEP)
    recipe = bench.hide()
    runs = bench.folds([with_sampling(recipe, Sampling("random", p, history=4)) for p in values])
    return _sampling(
        bench,
        "p",
        values,
        runs,
        " Items without a label are kept with probability p, and the four before each labelled one"
        " always.",
        (
            "When the selection probability is small the system is biased toward recall; precision"
            " and recall converge as it grows."
        ),
    )


def _window(bench: Bench) -> Findings:
    values = bench.size.some(_WINDOWS)
    recipe = bench.hide()
    runs = bench.folds([with_sampling(recipe, Sampling("window", window=int(k))) for k in values])
    return _sampling(
        bench,
        "k",
        values,
        runs,
        " The k items on either side of each labelled one are kept.",
        (
            "A small window biases the system toward recall, at a cost in precision that falls as"
            " the window grows."
        ),
    )


def _sampling(
    bench: Bench,
    knob: str,
    values: tuple[float, ...],
    runs: list[RecipeResult],
    how: str,
    claim: str,
) -> Findings:
    scores = [_tags(bench, run) for run in runs]
    rows = list(zip(values, scores, strict=True))
    first, last = scores[0], scores[-1]
    gap = [(s.recall or 0.0) - (s.precision or 0.0) for s in (first, last)]
    return Findings(
        how=_how(bench) + how,
        tables=(
            PageTable(
                "",
                (knob, "P", "R", "F1", "seconds a fold"),
                tuple(
                    (value, *map(shown, ratios(score)), run.seconds)
                    for (value, score), run in zip(rows, runs, strict=True)
                ),
            ),
        ),
        plots=(
            Plot(
                "",
                f"Precision, recall and F1 against {knob}",
                lines(
                    {
                        name: [(value, ratio) for value, ratio in zip(values, column, strict=True)]
                        for name, column in zip(
                            ("P", "R", "F1"), zip(*map(ratios, scores), strict=True), strict=True
                        )
                    },
                    across=knob,
                ),
            ),
        ),
        verdicts=(
            ClaimCheck(
                claim,
                f"At {knob} = {values[0]:g} recall is {shown(first.recall)} and precision"
                f" {shown(first.precision)}; at {values[-1]:g} {shown(last.recall)} and"
                f" {shown(last.precision)}.",
                (first.recall or 0.0) > (last.recall or 0.0) and gap[0] > gap[1],
            ),
        ),
    )


def _time(bench: Bench) -> Findings:
    values = bench.size.some(_WINDOWS)
    recipe = bench.hide()
    runs = bench.folds(
        [*(with_sampling(recipe, Sampling("window", window=int(k))) for k in values), recipe]
    )
    seconds = [run.seconds for run in runs]
    rising = sum(b >= a for a, b in itertools.pairwise(seconds[:-1]))
    return Findings(
        how=_how(bench) + " Processor time of learning, the mean over the folds, on a machine that"
        " was doing other work too; features are computed once for all.",
        tables=(
            PageTable(
                "",
                ("k", "seconds a fold"),
                (
                    *((f"{k:g}", s) for k, s in zip(values, seconds, strict=False)),
                    ("all items", seconds[-1]),
                ),
            ),
        ),
        plots=(
            Plot(
                "",
                "Seconds of learning against the window",
                lines({"seconds": list(zip(values, seconds, strict=False))}, across="k", up="s"),
            ),
        ),
        verdicts=(
            ClaimCheck(
                "Training time increases with the window; ten models on the cross-validation sets"
                " took 744 s without sampling.",
                f"It grows in {rising} of {len(values) - 1} steps, from {seconds[0]:.1f} s at k ="
                f" {values[0]:g} to {seconds[-2]:.1f} s at {values[-1]:g};"
                f" {seconds[-1]:.1f} s without sampling.",
                seconds[0] < seconds[-2] <= seconds[-1] * 1.1,
            ),
        ),
    )


def _confusion(bench: Bench) -> Findings:
    (folded,) = bench.folds([bench.hide()])
    (held,) = bench.held_out([bench.hide()])
    tables, verdicts = [], []
    for name, run in (("folds", folded), ("held-out", held)):
        matrix = bench.score(run, ("hide_confusion",)).metrics["hide_confusion"]
        assert isinstance(matrix, Matrix)
        tables.append(_matrix_table(name, matrix))
        score = _tags(bench, run)
        errors = {
            (row, column): matrix.count(row, column)
            for row in matrix.row_names
            for column in matrix.column_names
            if row != column
        }
        with_o = sum(n for (row, column), n in errors.items() if "O" in (row, column))
        total = sum(errors.values())
        paper = (
            "Large values lie along the diagonal, and most errors are tokens taken for O or the"
            " other way round (Table 3)."
            if name == "folds"
            else "Trained on 669 reports and tested on 220: P .967, R .986, F .977 (§6.3, Table 4)."
        )
        verdicts.append(
            ClaimCheck(
                paper,
                f"P {shown(score.precision)}, R {shown(score.recall)}, F {shown(score.f1)}; of"
                f" {total:,} errors {with_o:,} have O on one side.",
                with_o * 2 > total if name == "folds" else None,
            )
        )
    how = (
        f" Held out: trained on {min(len(bench.material.train), bench.size.held)} documents of the"
        f" training part, scored on {len(held.gold)} of the development part."
    )
    return Findings(_how(bench) + how, tuple(tables), (), tuple(verdicts))


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


def _tags(bench: Bench, run: RecipeResult) -> Score:
    scores = bench.score(run, ("hide",)).metrics["hide"]
    assert isinstance(scores, Scores)
    return scores.micro


def _letters(groups: object) -> str:
    """The paper's name of a subset: "racd" without the groups that are left out."""
    assert isinstance(groups, tuple | list)
    return "".join(name[0] for name in GROUPS if name in groups)


def _how(bench: Bench) -> str:
    size, count = bench.size, min(bench.size.documents, len(bench.material.train))
    cap = f", at most {size.iterations} iterations of L-BFGS" if size.iterations else ""
    return (
        f"{size.folds}-fold cross-validation by document on {count} documents of"
        f" {bench.material.name}, training part{cap}; token tags without true negatives."
    )


STUDIES = (
    Study("hide-features", "All subsets of four feature groups", f"{_PAPER}, Fig. 4", _features),
    Study("hide-random-o", "Random O-sampling", f"{_PAPER}, Fig. 5 and 7", _random_o),
    Study("hide-window", "Window sampling", f"{_PAPER}, Fig. 6 and 8", _window),
    Study("hide-time", "Training time against the window", f"{_PAPER}, Fig. 9", _time),
    Study("hide-confusion", "Confusion of token tags", f"{_PAPER}, Tables 3 and 4", _confusion),
)
