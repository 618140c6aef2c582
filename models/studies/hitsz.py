"""Studies of Liu et al. 2015: two CRFs, rules, and their merge."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from ..evaluation.plots import bars
from ..evaluation.scores import Score, Scores
from ..recipes.hitsz import ABLATED
from ..training.reporting import shown
from ..training.upper_bound import upper_bound
from .base import Bench, ClaimCheck, Findings, PageTable, Plot, Row, Study, ratios
from .classifiers import (
    CLASSIFIERS,
    agreed,
    classify,
    describe,
    document_means,
    join,
    score_found,
    score_strictly,
)

_PAPER = (
    'Liu et al. 2015, "Automatic de-identification of electronic medical records using token-level'
    ' and character-level conditional random fields"'
)

_CRITERIA: Mapping[str, tuple[str, float, float]] = {
    "token": ("i2b2_2014_token", 94.61, 94.64),
    "strict": ("strict", 91.85, 91.24),
    "relaxed": ("i2b2_2014_relaxed", 92.15, 91.63),
    "HIPAA token": ("i2b2_2014_hipaa_token", 96.37, 96.62),
    "HIPAA strict": ("i2b2_2014_hipaa_strict", 94.31, 94.09),
    "HIPAA relaxed": ("i2b2_2014_hipaa_relaxed", 94.72, 94.55),
}
"""Table 3: criterion -> our metric, macro F and micro F of the paper."""

_COMBINATIONS: Mapping[str, tuple[tuple[str, ...], float]] = {
    "token": (("token",), 83.70),
    "character": (("character",), 90.51),
    "rule": (("rule",), 3.226),
    "token + character": (("token", "character"), 91.04),
    "token + rule": (("token", "rule"), 83.90),
    "character + rule": (("character", "rule"), 90.72),
    "merged": (CLASSIFIERS, 91.24),
}
"""Table 4: combination -> its classifiers, and strict micro F of the paper."""

_ABLATIONS: Mapping[str, tuple[float, float]] = {
    "all": (83.70, 90.51),
    "bag": (73.98, 86.93),
    "pos": (83.68, 90.50),
    "sentence": (83.67, 90.43),
    "section": (83.28, 90.30),
    "ner": (82.91, 90.07),
    "representation": (83.16, 90.05),
}
"""Table 5: group left out -> strict micro F of the token and of the character CRF of the paper."""

_CATEGORIES: Mapping[str, tuple[float, float, float]] = {
    "NAME": (76.18, 87.83, 88.07),
    "PROFESSION": (62.12, 56.92, 68.65),
    "LOCATION": (79.95, 77.06, 79.92),
    "AGE": (86.08, 92.86, 94.20),
    "DATE": (88.53, 97.36, 97.20),
    "CONTACT": (90.05, 86.33, 92.52),
    "ID": (90.59, 89.58, 91.12),
}
"""Table 6: category -> F of token CRF, character CRF and merged of the paper."""


def _criteria(bench: Bench) -> Findings:
    gold, sources = classify(bench)
    found = join([sources[name] for name in CLASSIFIERS])
    rows: list[Row] = []
    better = []
    for criterion, (metric, paper_macro, paper_micro) in _CRITERIA.items():
        scores = score_found(bench, gold, found, metric)
        micro = scores.micro
        rows.append(
            (
                criterion,
                *map(shown, document_means(scores)),
                *map(shown, ratios(micro)),
                paper_macro,
                paper_micro,
            )
        )
        better.append((criterion, micro))
    by_name = dict(better)
    hipaa = all(
        (by_name[f"HIPAA {name}"].f1 or 0) > (by_name[name].f1 or 0)
        for name in ("token", "strict", "relaxed")
    )
    return Findings(
        describe(bench) + " Labels are mapped to the native ones; those without one are left out.",
        (
            PageTable(
                "",
                ("criterion", "macro P", "macro R", "macro F", "micro P", "micro R", "micro F",
                 "paper, macro F", "paper, micro F"),
                tuple(rows),
            ),
        ),
        (
            Plot(
                "",
                "Micro P, R and F1 under six criteria",
                bars([(n, [("P", s.precision, None), ("R", s.recall, None), ("F1", s.f1, None)])
                      for n, s in better]),
            ),
        ),
        (
            ClaimCheck(
                "Scores on HIPAA categories are about two points higher than on all.",
                "; ".join(
                    f"{name}: {shown(by_name[f'HIPAA {name}'].f1)} against"
                    f" {shown(by_name[name].f1)}"
                    for name in ("token", "strict", "relaxed")
                )
                + ".",
                hipaa,
            ),
            ClaimCheck(
                "Recall is lower than precision under every criterion, by more than 1.5 points.",
                "; ".join(f"{n}: P {shown(s.precision)}, R {shown(s.recall)}" for n, s in better)
                + ".",
                all((s.precision or 0) > (s.recall or 0) for _, s in better),
            ),
        ),
    )  # fmt: skip


def _classifiers(bench: Bench) -> Findings:
    gold, sources = classify(bench)
    scored = {
        name: score_found(
            bench, gold, join([sources[source] for source in chosen]), "strict", native=False
        )
        for name, (chosen, _) in _COMBINATIONS.items()
    }
    vote = agreed(sources["token"], sources["character"])
    scored["agreed by both CRFs"] = score_found(bench, gold, vote, "strict", native=False)
    rows: list[Row] = []
    for name, scores in scored.items():
        micro = scores.micro
        rows.append(
            (
                name,
                *map(shown, document_means(scores)),
                *map(shown, ratios(micro)),
                _COMBINATIONS[name][1] if name in _COMBINATIONS else 86.42,
            )
        )
    return Findings(
        describe(bench),
        (
            PageTable(
                "",
                ("classifiers", "macro P", "macro R", "macro F", "micro P", "micro R", "micro F",
                 "paper, micro F"),
                tuple(rows),
            ),
        ),
        (
            Plot(
                "",
                "Strict P, R and F1 of each classifier and combination",
                bars([(n, [("P", s.micro.precision, None), ("R", s.micro.recall, None),
                           ("F1", s.micro.f1, None)]) for n, s in scored.items()]),
            ),
        ),
        _claims_of_classifiers(scored),
    )  # fmt: skip


def _claims_of_classifiers(scored: Mapping[str, Scores]) -> tuple[ClaimCheck, ...]:
    f1 = {name: scores.micro.f1 or 0.0 for name, scores in scored.items()}
    both = f1["token + character"]
    added = {
        "token": f1["token + rule"] - f1["token"],
        "character": f1["character + rule"] - f1["character"],
        "both": f1["merged"] - both,
    }
    best = max(f1, key=lambda name: f1[name])
    by_vote = scored["agreed by both CRFs"].micro
    return (
        ClaimCheck(
            "The character CRF is far better than the token CRF, 90.51 against 83.70.",
            f"Character {shown(f1['character'])}, token {shown(f1['token'])}.",
            f1["character"] > f1["token"],
        ),
        ClaimCheck(
            "Together the two CRFs are better than either, 91.04.",
            f"Together {shown(both)}.",
            both > max(f1["token"], f1["character"]),
        ),
        ClaimCheck(
            "The rules add about 0.2 points to anything; all three together are best, 91.24.",
            "They add " + ", ".join(f"{by:+.4f} to {to}" for to, by in added.items()) + "."
            f" Best: {best}, {shown(f1[best])}.",
            min(added.values()) > 0 and best == "merged",
        ),
        ClaimCheck(
            "Only what both CRFs find alike: P 97.77, R 77.42, F 86.42, much worse than the merge.",
            f"P {shown(by_vote.precision)}, R {shown(by_vote.recall)}, F {shown(by_vote.f1)}.",
            (by_vote.f1 or 0) < both
            and (by_vote.precision or 0) > (scored["token + character"].micro.precision or 0),
        ),
    )


def _features(bench: Bench) -> Findings:
    groups = ("", *ABLATED)
    scored: dict[str, dict[str, Score]] = {}
    for kind, most in (("token", None), ("character", bench.size.characters)):
        recipes = {g: bench.hitsz(kind, without=(g,) if g else ()) for g in groups}
        # Where the part of a group is missing, nothing is left to leave out.
        differing = {g: r for g, r in recipes.items() if not g or r.taggers != recipes[""].taggers}
        runs = bench.held_out(list(differing.values()), most=most)
        scored[kind] = {
            g: score_strictly(bench, run).micro for g, run in zip(differing, runs, strict=True)
        }
    drops = {
        kind: {g: (by[""].f1 or 0.0) - (score.f1 or 0.0) for g, score in by.items() if g}
        for kind, by in scored.items()
    }
    rows: list[Row] = []
    for group in groups:
        cells: list[str | float | None] = []
        for kind, figure in zip(scored, _ABLATIONS[group or "all"], strict=True):
            found = scored[kind].get(group)
            cells += map(shown, ratios(found)) if found else ["not there"] * 3
            cells.append(figure)
        rows.append((f"without {group}" if group else "all", *cells))
    count = min(bench.size.characters, len(bench.material.train))
    note = (
        f" The character CRF is trained on {count} of the training documents here, so its row"
        ' "all" is lower than in the study of the classifiers.'
    )
    return Findings(
        describe(bench) + note,
        (
            PageTable(
                "",
                ("features", *(f"{k} {x}" for k in scored for x in ("P", "R", "F", "F, paper"))),
                tuple(rows),
            ),
        ),
        (
            Plot(
                "",
                "Strict F1 lost when a group of features is left out",
                bars([(g, [(k, max(0.0, drops[k][g]), None) for k in scored if g in drops[k]])
                      for g in ABLATED if any(g in drops[k] for k in scored)]),
            ),
        ),
        _claims_of_features(drops, "pos" in bench.material.auxiliary),
    )  # fmt: skip


def _claims_of_features(
    drops: Mapping[str, Mapping[str, float]], has_pos: bool
) -> tuple[ClaimCheck, ...]:
    """What the paper says of the groups.

    Args:
        drops: kind of CRF -> group left out -> what F1 falls by.
        has_pos: whether there is a tagger for parts of speech.
    """
    worst = {kind: max(fall, key=lambda g: fall[g], default="") for kind, fall in drops.items()}
    least = {
        kind: min(fall, key=lambda g: abs(fall[g]), default="") for kind, fall in drops.items()
    }
    return (
        ClaimCheck(
            "The bag of words or characters matters most, to both CRFs.",
            "Most is lost without "
            + ", ".join(f"{g} ({k}: {drops[k][g]:+.4f})" for k, g in worst.items() if g)
            + ".",
            all(group == "bag" for group in worst.values()),
        ),
        ClaimCheck(
            "Part of speech matters least.",
            "Least changes without "
            + ", ".join(f"{g} ({k}: {drops[k][g]:+.4f})" for k, g in least.items() if g)
            + "."
            + ("" if has_pos else " There is no tagger for parts of speech here."),
            all(g == "pos" for g in least.values()) if has_pos else None,
        ),
        ClaimCheck(
            "Each group makes more or less of a contribution to both CRFs.",
            "; ".join(
                f"{k}: " + ", ".join(f"{g} {fall:+.4f}" for g, fall in drops[k].items())
                for k in drops
            )
            + ".",
            all(fall > 0 for by in drops.values() for fall in by.values()),
        ),
    )


def _categories(bench: Bench) -> Findings:
    gold, sources = classify(bench)
    chosen = {
        "token": sources["token"],
        "character": sources["character"],
        "merged": join([sources[name] for name in CLASSIFIERS]),
    }
    scored = {
        name: score_found(bench, gold, found, "i2b2_2014_category").by_label
        for name, found in chosen.items()
    }
    there = [name for name in _CATEGORIES if any(name in by_label for by_label in scored.values())]
    none = Score(0, 0, 0)
    rows: list[Row] = [
        (
            category,
            *(
                shown(ratio)
                for by_label in scored.values()
                for ratio in ratios(by_label.get(category, none))
            ),
            *_CATEGORIES[category],
        )
        for category in there
    ]
    f1 = {
        name: {c: by_label.get(c, none).f1 or 0.0 for c in there}
        for name, by_label in scored.items()
    }
    by_token = [c for c in there if f1["token"][c] > f1["character"][c]]
    merged_best = [c for c in there if f1["merged"][c] >= max(f1["token"][c], f1["character"][c])]
    return Findings(
        describe(bench) + " Labels are mapped to the native ones; those without one are left out.",
        (
            PageTable(
                "",
                ("category", *(f"{n} {x}" for n in chosen for x in ("P", "R", "F")),
                 *(f"paper, {n} F" for n in chosen)),
                tuple(rows),
            ),
        ),
        (
            Plot(
                "",
                "Strict F1 of each category",
                bars([(c, [(n, f1[n][c], None) for n in chosen]) for c in there]),
            ),
        ),
        (
            ClaimCheck(
                "The token CRF is better on PROFESSION, LOCATION, CONTACT and ID, the character CRF"
                " on NAME, AGE and DATE.",
                f"The token CRF is better on: {', '.join(by_token) or 'none'}.",
                set(by_token) == {"PROFESSION", "LOCATION", "CONTACT", "ID"} & set(there),
            ),
            ClaimCheck(
                "Merged is best or nearly so in every category.",
                f"Best in: {', '.join(merged_best) or 'none'}.",
                len(merged_best) * 2 >= len(there),
            ),
        ),
    )  # fmt: skip


_LAYERS = ("word", "coarse", "wi-deid", "fine")


def _upper_bound(bench: Bench) -> Findings:
    gold = list(bench.material.test)[: bench.size.held]
    word, character = (bench.hitsz(kind).taggers[0] for kind in ("token", "character"))
    taggers = {layer: dataclasses.replace(word, layer=layer) for layer in _LAYERS}
    taggers["character"] = character
    scored = {}
    for layer, tagger in taggers.items():
        found = [document.spans for document in upper_bound(gold, tagger)]
        scored[layer] = score_found(bench, gold, found, "strict", native=False).micro
    return Findings(
        f"Gold labels of {len(gold)} documents of {bench.material.name} given to the items of each"
        " layer, and read back as spans: what a perfect tagger of that layer would score.",
        (
            PageTable(
                "",
                ("layer", "P", "R", "F1"),
                tuple((layer, *map(shown, ratios(score))) for layer, score in scored.items()),
            ),
        ),
        (),
        (
            ClaimCheck(
                "The paper's tokenizer allows P 91.2, R 92.61 and F 91.9 at most.",
                "; ".join(f"{layer} {shown(score.f1)}" for layer, score in scored.items()) + ".",
                None,
            ),
            ClaimCheck(
                "A character CRF has no errors of boundaries that a tokenizer causes.",
                f"Characters: {shown(scored['character'].f1)}; what is missing are spans that"
                " overlap or go over line breaks.",
                (scored["character"].f1 or 0) >= max(s.f1 or 0 for s in scored.values()),
            ),
        ),
    )


STUDIES = (
    Study("hitsz-criteria", "Six criteria, micro and macro", f"{_PAPER}, Table 3", _criteria),
    Study(
        "hitsz-classifiers",
        "Each classifier, their combinations, and the vote of both CRFs",
        f"{_PAPER}, Table 4 and §5",
        _classifiers,
    ),
    Study("hitsz-features", "Leaving out a group of features", f"{_PAPER}, Table 5", _features),
    Study("hitsz-categories", "Both CRFs by category", f"{_PAPER}, Table 6", _categories),
    Study("hitsz-upper-bound", "The upper bound of tokenization", f"{_PAPER}, §5", _upper_bound),
)
