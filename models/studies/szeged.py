"""Studies of Szarvas et al. 2006: trigger sets, passes and classes, by cross-validation.

The paper counts phrases as the CoNLL tasks do, and in Table 2 tokens besides.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.label_maps import load_map
from ..corpora import AnnotatedDocument, Annotation
from ..evaluation import compare, differences
from ..evaluation.i2b2_2006 import MAP
from ..evaluation.report import Report
from ..evaluation.scores import Score, Scores
from ..features import CharacterClass, Field, Kind, Length, Prefix, Shape, Tag, Tree, at
from ..plots.bars import bars
from ..recipes import Recipe
from ..recipes.szeged import GROUPS, NARROW, TRIGGERS
from ..training.reporting import shown
from ..trees.declaration import RANK, CodedFeatures, Coding, TreesDeclaration
from .base import (
    Bench,
    RecipeResult,
    predicted,
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
from .standardised import standardised
from .szeged_claims import (
    HEADINGS,
    OUTSIDE_HELP,
    claim_of_parts,
    claim_of_single_tokens,
    claim_of_structure,
    claim_of_time,
    claims_of_features,
    claims_of_vote,
)

PAPER = (
    'Szarvas et al. 2006, "An Iterative Method for the De-identification of Structured Medical'
    ' Text"'
)
_SETS = tuple(TRIGGERS)
_BASELINES = ("C4.5", "trusted features")

_FIRST: Mapping[str, tuple[float, float, float]] = {
    "token": (97.48, 95.74, 96.60),
    "phrase": (97.17, 95.78, 96.47),
    "trigram": (97.56, 95.89, 96.72),
    "vote": (98.02, 95.82, 96.91),
    "C4.5": (95.73, 94.38, 95.05),
    "trusted features": (81.03, 79.42, 80.15),
}
"""Table 1: classifier -> P, R and F of the paper, of phrases."""

_PHASES: Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "first": ((98.0, 95.8, 96.9), (99.5, 98.5, 99.0)),
    "trusted": ((97.8, 96.4, 97.1), (99.5, 98.7, 99.1)),
    "standardised": ((98.1, 96.7, 97.4), (99.5, 99.0, 99.3)),
}
"""Table 2: phase -> P, R and F of the paper, of phrases and of tokens."""

_CLASSES: Mapping[str, tuple[float, float, float, int]] = {
    "ID": (99.5, 99.2, 99.33, 3678),
    "AGE": (100.0, 91.7, 95.00, 13),
    "DATE": (99.3, 99.3, 99.25, 5193),
    "PHONE": (100.0, 97.3, 98.61, 175),
    "DOCTOR": (96.9, 94.9, 95.88, 2690),
    "PATIENT": (96.6, 95.9, 96.21, 685),
    "HOSPITAL": (95.5, 90.1, 92.69, 1736),
    "LOCATION": (75.8, 57.1, 63.79, 144),
}
"""Table 3: class -> P, R, F and gold phrases of the paper."""

_ALL = (98.1, 96.7, 97.41, 14314)
_WELL_FORMED = ("ID", "AGE", "DATE", "PHONE")
_RESAMPLES = 1000
_PAPERS = ("paper, P", "paper, R", "paper, F")

_Predicted = tuple[Sequence[AnnotatedDocument], Sequence[Sequence[Annotation]]]
"""Gold documents, and the entities found in each."""


def first_pass(bench: Bench, **options: Any) -> Recipe:
    """The recipe without trust and standardising; see `Bench.szeged`."""
    return bench.szeged(trust=None, standardise="none", **options)


def _few_features(bench: Bench) -> Recipe:
    """The paper's "trusted features": it names the triggers, initial letter and class before.

    The other four are ours: length, shape, kind of token, and the expressions for AGE, PHONE and
    ID.
    """
    recipe = first_pass(bench, triggers=("token",))
    few = CodedFeatures(
        (
            *at(Prefix(1), 0),
            *at(Length(most=30), 0),
            *at(Shape(collapsed=True), 0),
            *at(Kind(), 0),
            *at(CharacterClass(("AGE-LIKE", "ID-LIKE", "PHONE-LIKE")), 0),
        ),
        RANK,
    )
    coding = TreesDeclaration((few, *TRIGGERS["token"]), history=1)
    tagger = dataclasses.replace(recipe.taggers[0], features=coding.features, coding=coding)
    return dataclasses.replace(recipe, taggers=(tagger,), counts=())


def _other_features(bench: Bench) -> dict[str, Recipe]:
    """The token set without each group and without headings, and with what it does without."""
    recipes = {
        f"without {name}": first_pass(
            bench, triggers=("token",), groups=[group for group in GROUPS if group != name]
        )
        for name in GROUPS
    }
    whole = first_pass(bench, triggers=("token",))
    (tagger,) = whole.taggers
    bare = tagger.with_features(
        lambda features: tuple(f for f in features if not isinstance(f.parts[0][0], Field))
    )
    recipes[HEADINGS] = dataclasses.replace(whole, taggers=(bare,))
    more = {
        "pos": CodedFeatures(at(Tag("pos"), *NARROW), RANK),
        "mesh": CodedFeatures(at(Tree("mesh", 1), 0), Coding("flag", frequency=20, most=100)),
    }
    if own := [coded for name, coded in more.items() if name in bench.material.auxiliary]:
        assert tagger.coding is not None
        coding = TreesDeclaration((*tagger.coding.groups, *own), tagger.coding.history)
        helped = dataclasses.replace(tagger, features=coding.features, coding=coding)
        recipes[OUTSIDE_HELP] = dataclasses.replace(whole, taggers=(helped,))
    return recipes


def _triggers(bench: Bench) -> Findings:
    recipes = {name: first_pass(bench, triggers=(name,)) for name in _SETS}
    recipes["vote"] = first_pass(bench)
    recipes["C4.5"] = first_pass(bench, triggers=("token",), rounds=1)
    recipes["trusted features"] = _few_features(bench)
    runs = dict(zip(recipes, bench.folds(list(recipes.values())), strict=True))
    others = _other_features(bench)
    varied = dict(zip(others, bench.folds(list(others.values())), strict=True))
    without = {name: phrases_of(bench.score(run, ("conll",))).micro for name, run in varied.items()}
    bare = bench.score(varied[HEADINGS], ("conll",), resamples=_RESAMPLES)
    (crf,) = bench.folds([bench.hide()], to_convergence=True)
    seconds = {name: run.seconds for name, run in runs.items()}
    reports = {
        name: bench.score(run, ("conll",), resamples=_RESAMPLES) for name, run in runs.items()
    }
    scores = {name: phrases_of(report) for name, report in reports.items()}
    micro = {name: one.micro for name, one in scores.items()}
    rows: list[Row] = [
        (name, *map(shown, ratios(micro[name])), *_FIRST[name], runs[name].seconds)
        for name in recipes
    ]
    return Findings(
        _how(bench)
        + " C4.5 is one tree on the token triggers. The paper names three of the trusted features;"
        " the others are length, shape, kind of token, and the expressions for AGE, PHONE and ID."
        " Significance is that of paired resamples of documents.",
        (
            PageTable(
                "",
                ("classifier", "P", "R", "F", *_PAPERS, "seconds a fold"),
                tuple(rows),
            ),
            _overlaps({name: runs[name] for name in _SETS}),
            PageTable(
                "features",
                ("token set", "P", "R", "F", "seconds a fold"),
                tuple(
                    (name, *map(shown, ratios(score)), second)
                    for name, score, second in (
                        ("all", micro["token"], seconds["token"]),
                        *((n, score, varied[n].seconds) for n, score in without.items()),
                    )
                ),
            ),
        ),
        (
            Plot(
                "",
                "F of phrases of six classifiers, with 95 % intervals",
                bars([(n, [("F", s.micro.f1, s.intervals.f1)]) for n, s in scores.items()]),
            ),
        ),
        (
            *_claims_of_sets(runs, reports),
            *_claims_of_first(micro),
            *claims_of_vote(micro, runs, _SETS),
            claim_of_time(seconds, crf.seconds),
            *claims_of_features(micro["token"], without, crf.gold, tuple(bench.material.auxiliary)),
            claim_of_structure(
                next(d for d in differences(bare, reports["token"]) if d.score == "f1")
            ),
        ),
    )


def _claims_of_sets(
    runs: Mapping[str, RecipeResult], reports: Mapping[str, Report]
) -> tuple[ClaimCheck, ...]:
    """Whether the sets are better than the baselines, and err in different places."""
    gains, certain = [], True
    for baseline in _BASELINES:
        for name in _SETS:
            found = next(
                d for d in differences(reports[baseline], reports[name]) if d.score == "f1"
            )
            low = found.interval.low if found.interval else None
            certain = certain and low is not None and low > 0
            low_shown = "-" if low is None else f"{low:+.4f}"
            gains.append(f"{name} {_signed(found.difference)} (at least {low_shown}) to {baseline}")
    wrong = [_wrong(runs[name]) for name in _SETS]
    shared = len(set.intersection(*wrong)) / max(1, len(set.union(*wrong)))
    values = [phrases_of(reports[name]).micro.f1 or 0.0 for name in _SETS]
    spread = max(values) - min(values)
    return (
        ClaimCheck(
            "All of the three models outperform both baselines significantly.",
            "F: " + "; ".join(gains) + "; the lower end of the 95 % interval in brackets.",
            certain,
        ),
        ClaimCheck(
            "The three sets have similar results, but their predictions are far from identical.",
            f"F differs by {spread:.4f} at most; of the phrases that any of the three gets wrong,"
            f" all three get {shared:.0%} wrong alike.",
            spread < 0.02 and shared < 0.5,
        ),
    )


def _claims_of_first(micro: Mapping[str, Score]) -> tuple[ClaimCheck, ...]:
    best = max(_SETS, key=lambda name: micro[name].f1 or 0.0)
    return (
        ClaimCheck(
            "Voting is better than each of the three: F 96.91, where the best has 96.72.",
            f"Vote {shown(micro['vote'].f1)}, best of the three {shown(micro[best].f1)} ({best}).",
            (micro["vote"].f1 or 0.0) > (micro[best].f1 or 0.0),
        ),
        ClaimCheck(
            "Every model is significantly better on precision than on recall.",
            "; ".join(f"{n} P {shown(s.precision)}, R {shown(s.recall)}" for n, s in micro.items())
            + ".",
            all((s.precision or 0.0) > (s.recall or 0.0) for s in micro.values()),
        ),
        ClaimCheck(
            "Boosting improves on a single tree with equal features: F 96.60 for 95.05.",
            f"{shown(micro['token'].f1)} for {shown(micro['C4.5'].f1)}.",
            (micro["token"].f1 or 0.0) > (micro["C4.5"].f1 or 0.0),
        ),
        ClaimCheck(
            "Boosted trees on few features have F 80.15, far below a single tree on all (95.05).",
            f"On few features {shown(micro['trusted features'].f1)}, a single tree on all"
            f" {shown(micro['C4.5'].f1)}. Four of the few are ours, and among them the kind of"
            " token, which tells dates and numbers.",
            (micro["trusted features"].f1 or 0.0) < (micro["C4.5"].f1 or 0.0),
        ),
    )


def _overlaps(runs: Mapping[str, RecipeResult]) -> PageTable:
    """How many phrases each pair gets wrong."""
    wrong = {name: _wrong(run) for name, run in runs.items()}
    pairs = [(a, b) for n, a in enumerate(wrong) for b in list(wrong)[n + 1 :]]
    return PageTable(
        "errors",
        ("classifiers", "wrong by the first", "by the second", "by both"),
        tuple(
            (f"{a} and {b}", len(wrong[a]), len(wrong[b]), len(wrong[a] & wrong[b]))
            for a, b in pairs
        ),
    )


def _wrong(run: RecipeResult) -> set[tuple[int, Annotation]]:
    """Gold spans that were not found, and what was found and is not gold, by document."""
    return {
        (number, span)
        for number, (document, found) in enumerate(zip(run.gold, run.found, strict=True))
        for span in set(document.spans) ^ set(found)
    }


def _phases(bench: Bench) -> Findings:
    found = _found_in_phases(bench)
    gold, _ = found["first"]
    scored = {
        name: bench.score_found(gold, spans, ("conll", "hide"))
        for name, (_, spans) in found.items()
    }
    phrases = {name: phrases_of(report).micro for name, report in scored.items()}
    (sequences,) = bench.folds([bench.hide()], most=bench.size.passes)
    crf = phrases_of(bench.score(sequences, ("conll",))).micro
    tokens = {name: _tokens(report) for name, report in scored.items()}
    rows = tuple(
        (name, *map(shown, ratios(phrases[name])), *map(shown, ratios(tokens[name])),
         *(_PHASES[name][0] if name in _PHASES else (None,) * 3),
         *(_PHASES[name][1] if name in _PHASES else (None,) * 3))
        for name in found
    )  # fmt: skip
    head = ("P", "R", "F", "token P", "token R", "token F")
    return Findings(
        _how(bench)
        + _how_many(bench, len(gold))
        + " Each phase is the vote of three classifiers. A phrase is standardised within its own"
        " document, as the recipe does, and all phrases are, as in the paper; beside it across all"
        " documents that were held out, and within a document but telling phrases alone, which is"
        " what the recipe does. Across documents a number or a small word that was found in one is"
        " found in all. Tokens are counted by their whole tag, B or I.",
        (PageTable("", ("phase", *head, *(f"paper, {name}" for name in head)), rows),),
        (
            Plot(
                "",
                "P, R and F of phrases after each phase",
                bars([(n, [("P", s.precision, None), ("R", s.recall, None), ("F", s.f1, None)])
                      for n, s in phrases.items()]),
            ),
        ),
        (
            *_claims_of_phases(phrases, tokens),
            claim_of_single_tokens(phrases["standardised"], crf),
            claim_of_parts(found["trusted"][0], found["trusted"][1], found["standardised"][1]),
        ),
    )  # fmt: skip


def _found_in_phases(bench: Bench) -> dict[str, _Predicted]:
    """Phase -> gold and what is found."""
    recipes = [first_pass(bench), bench.szeged(standardise="none")]
    first, trusted = bench.folds(recipes, most=bench.size.passes)
    found: dict[str, _Predicted] = {
        "first": (first.gold, first.found),
        "trusted": (trusted.gold, trusted.found),
    }
    for name, which, scope in (
        ("standardised", "all", "document"),
        ("standardised, across documents", "all", "corpus"),
        ("standardised, telling phrases", "telling", "document"),
    ):
        spans = standardised(trusted.gold, trusted.found, which=which, scope=scope)
        found[name] = (trusted.gold, spans)
    return found


def _claims_of_phases(
    phrases: Mapping[str, Score], tokens: Mapping[str, Score]
) -> tuple[ClaimCheck, ...]:
    first, second, last = (phrases[name] for name in _PHASES)
    across = phrases["standardised, across documents"]

    def moved(before: Score, after: Score) -> str:
        pairs = zip("PRF", ratios(before), ratios(after), strict=True)
        return ", ".join(f"{n} {_signed((b or 0.0) - (a or 0.0))}" for n, a, b in pairs)

    return (
        ClaimCheck(
            "Trusted phrases raise recall (95.8 to 96.4) and cost precision (98.0 to 97.8).",
            f"{moved(first, second)}.",
            (second.recall or 0.0) > (first.recall or 0.0)
            and (second.precision or 0.0) < (first.precision or 0.0),
        ),
        ClaimCheck(
            "Standardising raises both precision (97.8 to 98.1) and recall (96.4 to 96.7).",
            f"Within a document {moved(second, last)}; across documents {moved(second, across)}.",
            (last.recall or 0.0) > (second.recall or 0.0)
            and (last.precision or 0.0) > (second.precision or 0.0),
        ),
        ClaimCheck(
            "All phases together raise F of phrases from 96.9 to 97.4, of tokens from 99.0 to"
            " 99.3.",
            f"Phrases {shown(first.f1)} to {shown(last.f1)}, tokens {shown(tokens['first'].f1)} to"
            f" {shown(tokens['standardised'].f1)}.",
            (last.f1 or 0.0) > (first.f1 or 0.0)
            and (tokens["standardised"].f1 or 0.0) > (tokens["first"].f1 or 0.0),
        ),
    )


def _types(bench: Bench) -> Findings:
    gold, found = _found_in_phases(bench)["standardised"]
    class_of = load_map(MAP, "from_native").table
    material = bench.material

    def to_class(label: str) -> str | None:
        native = material.native(label)
        return None if native is None else class_of.get(native)

    report = compare(
        gold, predicted(gold, found), label_map=to_class, metrics=("conll",), resamples=0
    )
    scores = phrases_of(report)
    by_class = {name: scores.by_label.get(name, Score(0, 0, 0)) for name in _CLASSES}
    named = {**by_class, "all": scores.micro}
    papers = {**_CLASSES, "all": _ALL}
    there = {name: s for name, s in by_class.items() if s.tp + s.fn}
    well = [s.f1 or 0.0 for name, s in there.items() if name in _WELL_FORMED]
    others = [s.f1 or 0.0 for name, s in there.items() if name not in _WELL_FORMED]
    each = ", ".join(f"{name} {shown(s.f1)}" for name, s in there.items()) + "."
    location = there.get("LOCATION")
    worst = min(there, key=lambda name: there[name].f1 or 0.0, default="none")
    return Findings(
        _how(bench)
        + _how_many(bench, len(gold))
        + " After all three phases, standardised within each document. Labels are mapped to the"
        " classes of i2b2 2006; those without such a class are left out.",
        (
            PageTable(
                "",
                ("class", "P", "R", "F", "predicted", "gold", *_PAPERS, "paper, gold"),
                tuple(
                    (name, *map(shown, ratios(s)), s.tp + s.fp, s.tp + s.fn, *papers[name])
                    for name, s in named.items()
                ),
            ),
        ),
        (
            Plot(
                "",
                "F of each class, here and in the paper",
                bars([(n, [("here", s.f1, None), ("paper", papers[n][2] / 100, None)])
                      for n, s in named.items()]),
            ),
        ),
        (
            ClaimCheck(
                "The well-formed classes (ID, AGE, DATE, PHONE) are the most accurate, with F"
                " above 98.5 but for AGE.",
                each,
                min(well) > max(others) if well and others else None,
            ),
            ClaimCheck(
                "LOCATION is by far the worst, F 63.79, with less than 200 examples.",
                f"LOCATION {shown(location.f1 if location else None)}, worst is {worst}. There are"
                f" {location.tp + location.fn if location else 0:,} locations here, and streets,"
                " towns and countries among them.",
                worst == "LOCATION" if location else None,
            ),
        ),
    )  # fmt: skip


def phrases_of(report: Report) -> Scores:
    """CoNLL phrases."""
    scores = report.metrics["conll"]
    assert isinstance(scores, Scores)
    return scores


def _tokens(report: Report) -> Score:
    scores = report.metrics["hide"]
    assert isinstance(scores, Scores)
    return scores.micro


def _signed(value: float | None) -> str:
    return "-" if value is None else f"{value:+.4f}"


def _how(bench: Bench) -> str:
    size, count = bench.size, min(bench.size.documents, len(bench.material.train))
    return (
        f"{size.folds}-fold cross-validation by document on {count} documents of"
        f" {bench.material.name}, training part, where the paper has ten folds of 671; CoNLL"
        f" phrases over all folds. Classes are BIO's, and at most {size.rounds} trees are boosted"
        " where the paper has 30 (see the study szeged-rounds). Word frequencies are those of the"
        " training folds, not of a corpus from the Internet."
    )


def _how_many(bench: Bench, scored: int) -> str:
    if bench.size.passes >= bench.size.folds:
        return ""
    return (
        f" Two passes train 21 models a fold, so {bench.size.passes} of the folds are run:"
        f" {scored} documents are scored."
    )


STUDIES = (
    Study("szeged-triggers", "Trigger sets, vote and baselines", f"{PAPER}, Table 1", _triggers),
    Study("szeged-phases", "Phases of the iteration", f"{PAPER}, Table 2", _phases),
    Study("szeged-types", "Classes after all phases", f"{PAPER}, Table 3", _types),
)
