"""A study of our own on the learner of Szarvas et al. 2006: rounds of boosting, and classes."""

from __future__ import annotations

from ..plots.curves import lines
from ..training.reporting import shown
from ..training.upper_bound import upper_bound
from .base import Bench
from .findings import ClaimCheck, Findings, PageTable, Plot, Study, ratios
from .szeged import PAPER, first_pass, phrases_of

_ROUNDS = (1, 5, 10, 20, 30, 60)
_SCHEMES = ("BIO", "IO")


def _rounds(bench: Bench) -> Findings:
    rounds = tuple(int(n) for n in bench.size.some(_ROUNDS))
    points = [(scheme, n) for scheme in _SCHEMES for n in rounds]
    recipes = [first_pass(bench, triggers=("token",), scheme=s, rounds=n) for s, n in points]
    most = min(bench.size.documents, bench.size.held, len(bench.material.train))
    runs = dict(zip(points, bench.held_out(recipes, most=most), strict=True))
    scores = {key: phrases_of(bench.score(run, ("conll",))).micro for key, run in runs.items()}
    perfect = {
        scheme: phrases_of(
            bench.score_found(
                run.gold,
                [d.spans for d in upper_bound(run.gold, run.recipe.taggers[0])],
                ("conll",),
            )
        ).micro.f1
        for scheme in _SCHEMES
        for run in [runs[scheme, rounds[0]]]
    }
    last, before = rounds[-1], rounds[-2]
    gained = (scores["BIO", last].f1 or 0.0) - (scores["BIO", before].f1 or 0.0)
    return Findings(
        f"Trained on {most} documents of {bench.material.name}, training part; scored on"
        f" {len(runs[points[0]].gold)} of its development part, CoNLL phrases. It is the first pass"
        " of one classifier, with token triggers: no vote, no"
        " trusted phrases, nothing standardised. This study is ours: the paper says what 30 rounds"
        " give, and does not name its classes. BIO has two classes a label, of which one begins a"
        " phrase; IO has one.",
        (
            PageTable(
                "",
                ("classes", "rounds", "P", "R", "F", "seconds", "bytes"),
                tuple(
                    (*key, *map(shown, ratios(scores[key])), run.seconds, run.bytes)
                    for key, run in runs.items()
                ),
            ),
        ),
        (
            Plot(
                "",
                "F of phrases against rounds of boosting",
                lines(
                    {s: [(float(n), scores[s, n].f1) for n in rounds] for s in _SCHEMES},
                    across="rounds",
                    up="F",
                ),
            ),
        ),
        (
            ClaimCheck(
                "After 30 rounds of boosting further ones give only slight improvement.",
                f"F is {shown(scores['BIO', before].f1)} after {before} rounds and"
                f" {shown(scores['BIO', last].f1)} after {last} (BIO).",
                abs(gained) < 0.005 if before == 30 else None,
            ),
            ClaimCheck(
                "A token has the class of its phrase; how neighbours of one class are told apart is"
                " not said.",
                f"After {before} rounds IO has {shown(scores['IO', before].f1)}, BIO"
                f" {shown(scores['BIO', before].f1)}. Without any error they would have"
                f" {shown(perfect['IO'])} and {shown(perfect['BIO'])}.",
                None,
            ),
        ),
    )


STUDIES = (
    Study(
        "szeged-rounds",
        "Rounds of boosting, and classes with and without a beginning",
        f'{PAPER}, "Classifiers"',
        _rounds,
    ),
)
