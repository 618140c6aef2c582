"""Studies of the choices of Liu et al. 2015: dictionaries, label schemes, settings of the CRFs."""

from __future__ import annotations

from collections.abc import Mapping

from ..evaluation.scores import Score
from ..plots.bars import bars
from ..recipes.hitsz import CHARACTER_LEARNER
from ..recipes.tagger import KINDS
from ..training.reporting import shown
from ..training.settings import with_learner
from .base import Bench
from .classifiers import CLASSIFIERS, classify, describe, join, score_found, score_strictly
from .findings import (
    ClaimCheck,
    Findings,
    PageTable,
    Plot,
    Row,
    Study,
    ratios,
)
from .hitsz_paper import DICTIONARIES_ADDED, PAPER

SETTINGS = ((0.0, 0.1), (0.0, 1.0), (0.1, 0.1), (1.0, 0.1))
"""c1 and c2 of the grid; the recipe has the third."""

TUNED_ON, TUNED_FOLDS = 60, 3
"""Documents and folds of the tuning: a character CRF takes minutes on so many."""

_PREFERRED = {"token": "BIO", "character": "BIOES"}


def _dictionaries(bench: Bench) -> Findings:
    scored: dict[str, dict[str, Score]] = {}
    for name, has_them in (("without", False), ("with", True)):
        gold, sources = classify(bench, dictionaries=has_them)
        found = join([sources[classifier] for classifier in CLASSIFIERS])
        scored[name] = {
            criterion: score_found(bench, gold, found, metric).micro
            for criterion, (metric, _, _) in DICTIONARIES_ADDED.items()
        }
    rows: list[Row] = []
    gains = {}
    for criterion, (_, before, after) in DICTIONARIES_ADDED.items():
        own, other = scored["without"][criterion], scored["with"][criterion]
        gains[criterion] = (other.f1 or 0.0) - (own.f1 or 0.0)
        rows.append(
            (criterion, *map(shown, ratios(own)), *map(shown, ratios(other)), before, after)
        )
    head = tuple(f"{name} {x}" for name in scored for x in ("P", "R", "F"))
    return Findings(
        describe(bench) + " Added are the lists of cities, countries and states of the language,"
        " and ZIP codes by their pattern. Labels are mapped to the native ones; those without one"
        " are left out.",
        (
            PageTable(
                "",
                ("criterion", *head, "paper, without F", "paper, with F"),
                tuple(rows),
            ),
        ),
        (
            Plot(
                "",
                "Micro F1 of the merged system without and with dictionaries",
                bars([(c, [(n, by[c].f1, None) for n, by in scored.items()]) for c in gains]),
            ),
        ),
        (
            ClaimCheck(
                "Dictionaries of places improve the submitted system, micro F by .19 (token), .33"
                " (strict) and .32 points (relaxed).",
                ", ".join(f"{name} {gain:+.4f}" for name, gain in gains.items()) + ".",
                all(gain > 0 for gain in gains.values()),
            ),
        ),
    )  # fmt: skip


def _schemes(bench: Bench) -> Findings:
    scored: dict[str, dict[str, Score]] = {}
    for kind, most in (("token", None), ("character", bench.size.characters)):
        recipes = [bench.hitsz(kind, scheme=scheme) for scheme in ("BIO", "BIOES")]
        runs = bench.held_out(recipes, most=most)
        scored[kind] = {
            scheme: score_strictly(bench, run).micro
            for scheme, run in zip(("BIO", "BIOES"), runs, strict=True)
        }
    rows: list[Row] = [
        (kind, scheme, *map(shown, ratios(score)))
        for kind, by_scheme in scored.items()
        for scheme, score in by_scheme.items()
    ]
    count = min(bench.size.characters, len(bench.material.train))
    return Findings(
        describe(bench) + f" The character CRF is trained on {count} of the documents.",
        (PageTable("", ("CRF", "scheme", "P", "R", "F"), tuple(rows)),),
        (
            Plot(
                "",
                "Strict F1 of each CRF with each scheme",
                bars([(kind, [(n, s.f1, None) for n, s in by.items()])
                      for kind, by in scored.items()]),
            ),
        ),
        tuple(_claim_of_scheme(kind, by) for kind, by in scored.items()),
    )  # fmt: skip


def _claim_of_scheme(kind: str, scored: Mapping[str, Score]) -> ClaimCheck:
    better = _PREFERRED[kind]
    (other,) = scored.keys() - {better}
    gain = (scored[better].f1 or 0.0) - (scored[other].f1 or 0.0)
    return ClaimCheck(
        f"{better} performs better than {other} in the {kind} CRF (§3.2.1, without figures).",
        f"{better} {shown(scored[better].f1)}, {other} {shown(scored[other].f1)}: {gain:+.4f}.",
        gain > 0,
    )


def _tuning(bench: Bench) -> Findings:
    documents = bench.some(bench.material.train, min(TUNED_ON, bench.size.documents))
    folds = min(TUNED_FOLDS, bench.size.folds)
    scored: dict[str, dict[tuple[float, float], Score]] = {}
    for kind in KINDS:
        recipe = bench.hitsz(kind)
        algorithm = recipe.taggers[0].learner.algorithm
        kept = dict(recipe.taggers[0].learner.parameters)
        recipes = [
            with_learner(recipe, algorithm, {**kept, "c1": c1, "c2": c2}) for c1, c2 in SETTINGS
        ]
        runs = bench.folds(recipes, documents, folds=folds)
        scored[kind] = {
            setting: score_strictly(bench, run).micro
            for setting, run in zip(SETTINGS, runs, strict=True)
        }
    rows: list[Row] = [
        (kind, c1, c2, *map(shown, ratios(score)))
        for kind, by_setting in scored.items()
        for (c1, c2), score in by_setting.items()
    ]
    best = {kind: max(by, key=lambda one: by[one].f1 or 0.0) for kind, by in scored.items()}
    used = dict(CHARACTER_LEARNER.parameters)
    own = (float(used["c1"]), float(used["c2"]))
    return Findings(
        f"{folds}-fold cross-validation by document on {len(documents)} documents of"
        f" {bench.material.name}, training part, strict spans; the paper's has ten folds and all of"
        " its training set. The grid is of c1 and c2, L1 and L2 of CRFsuite, whose L-BFGS has"
        f" {bench.size.iterations or 'any number of'} iterations at most.",
        (PageTable("", ("CRF", "c1", "c2", "P", "R", "F"), tuple(rows)),),
        (
            Plot(
                "",
                "Strict F1 of each CRF with each setting",
                bars([(f"{c1:g}, {c2:g}", [(k, scored[k][c1, c2].f1, None) for k in scored])
                      for c1, c2 in SETTINGS]),
            ),
        ),
        (
            ClaimCheck(
                "Parameters of both CRFs are optimised by 10-fold cross-validation (§3.2); which,"
                " and to what, is not printed.",
                "; ".join(
                    f"{kind}: best {best[kind][0]:g} and {best[kind][1]:g},"
                    f" {shown(by[best[kind]].f1)}; the recipe's {own[0]:g} and {own[1]:g}"
                    f" {shown(by[own].f1)}"
                    for kind, by in scored.items()
                )
                + ".",
                None,
            ),
        ),
    )  # fmt: skip


STUDIES = (
    Study(
        "hitsz-dictionaries",
        "The submitted system, and dictionaries added to it",
        f"{PAPER}, §5 and §6",
        _dictionaries,
    ),
    Study("hitsz-schemes", "BIO against BIOES", f"{PAPER}, §3.2.1", _schemes),
    Study("hitsz-tuning", "Tuning by cross-validation", f"{PAPER}, §3.2", _tuning),
)
