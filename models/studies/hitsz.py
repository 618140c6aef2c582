"""Studies of Liu et al. 2015: two CRFs, rules, and their merge."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from ..corpora import AnnotatedDocument
from ..evaluation.scores import Score, Scores
from ..plots.bars import bars
from ..recipes.hitsz import ABLATED
from ..recognisers.liu_2015 import LABELS
from ..training.reporting import shown
from ..training.upper_bound import upper_bound
from .base import (
    Bench,
    predicted,
)
from .classifiers import (
    CLASSIFIERS,
    Found,
    agreed,
    classify,
    describe,
    document_means,
    join,
    of_native,
    score_found,
    score_strictly,
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
from .hitsz_claims import claim_of_order, claims_of_categories, claims_of_criteria, claims_of_pairs
from .hitsz_paper import ABLATIONS, AGREED, CATEGORIES, COMBINATIONS, CRITERIA, PAPER, RULED


def _criteria(bench: Bench) -> Findings:
    gold, sources = classify(bench)
    found = join([sources[name] for name in CLASSIFIERS])
    rows: list[Row] = []
    better = []
    for criterion, (metric, paper_macro, paper_micro) in CRITERIA.items():
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
            *claims_of_criteria(by_name),
        ),
    )  # fmt: skip


def _classifiers(bench: Bench) -> Findings:
    gold, sources = classify(bench)
    scored = {
        name: score_found(
            bench, gold, join([sources[source] for source in chosen]), "strict", native=False
        )
        for name, (chosen, _) in COMBINATIONS.items()
    }
    vote = agreed(sources["token"], sources["character"])
    ruled = _on_ruled_labels(bench, gold, sources)
    scored["agreed by both CRFs"] = score_found(bench, gold, vote, "strict", native=False)
    rows: list[Row] = []
    for name, scores in scored.items():
        micro = scores.micro
        rows.append(
            (
                name,
                *map(shown, document_means(scores)),
                *map(shown, ratios(micro)),
                COMBINATIONS[name][1] if name in COMBINATIONS else 86.42,
            )
        )
    return Findings(
        describe(bench) + " The paper's tokens allow a strict F of .919 at most; where ours"
        " allow more (see hitsz-upper-bound), characters gain less.",
        (
            PageTable(
                "",
                ("classifiers", "macro P", "macro R", "macro F", "micro P", "micro R", "micro F",
                 "paper, micro F"),
                tuple(rows),
            ),
            _agreed_table(bench, gold, vote),
            _ruled_table(ruled),
        ),
        (
            Plot(
                "",
                "Strict P, R and F1 of each classifier and combination",
                bars([(n, [("P", s.micro.precision, None), ("R", s.micro.recall, None),
                           ("F1", s.micro.f1, None)]) for n, s in scored.items()]),
            ),
        ),
        (*_claims_of_classifiers(scored), _claim_of_rules(ruled),
         *claims_of_pairs(bench, gold, sources, {n: s.micro.f1 or 0.0 for n, s in scored.items()})),
    )  # fmt: skip


def _agreed_table(bench: Bench, gold: Sequence[AnnotatedDocument], vote: Found) -> PageTable:
    """What both CRFs find alike, by category, and how much of it is right."""
    scores = score_found(bench, gold, vote, "i2b2_2014_category")
    by_category = {**scores.by_label, "all": scores.micro}
    rows: list[Row] = [
        (name, score.tp + score.fp, score.tp, *AGREED.get(name, (None, None)))
        for name, score in by_category.items()
    ]
    return PageTable("agreed", ("category", "found", "right", "paper, found", "paper, right"),
                     tuple(rows))  # fmt: skip


def _on_ruled_labels(
    bench: Bench, gold: Sequence[AnnotatedDocument], sources: Mapping[str, Found]
) -> dict[str, Score]:
    """The strict scores of each classifier on the labels that the rules find."""
    spans = of_native(bench, [document.spans for document in gold], LABELS)
    narrow = predicted(gold, spans)
    return {
        name: score_found(
            bench, narrow, of_native(bench, found, LABELS), "strict", native=False
        ).micro
        for name, found in sources.items()
    }


def _ruled_table(ruled: Mapping[str, Score]) -> PageTable:
    rows: list[Row] = [
        (name, *map(shown, ratios(score)), RULED[name]) for name, score in ruled.items()
    ]
    return PageTable("rules", ("classifier", "P", "R", "F", "paper, P"), tuple(rows))


def _claim_of_rules(ruled: Mapping[str, Score]) -> ClaimCheck:
    precision = {name: score.precision or 0.0 for name, score in ruled.items()}
    return ClaimCheck(
        "On the five labels that rules find they have the highest precision, 97.92 for 95.73"
        " (token) and 91.96 (character), and a much lower recall.",
        "; ".join(f"{n} P {shown(s.precision)}, R {shown(s.recall)}" for n, s in ruled.items())
        + ".",
        precision["rule"] > max(precision["token"], precision["character"])
        and all((ruled["rule"].recall or 0.0) < (ruled[n].recall or 0.0) for n in ruled
                if n != "rule"),
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
        for kind, figure in zip(scored, ABLATIONS[group or "all"], strict=True):
            found = scored[kind].get(group)
            cells += map(shown, ratios(found)) if found else ["not there"] * 3
            cells.append(figure)
        rows.append((f"without {group}" if group else "all", *cells))
    (whole,) = bench.held_out([bench.hitsz("character")])
    comparable = map(shown, ratios(score_strictly(bench, whole).micro))
    rows.append(("all, on all documents", *rows[0][1:4], None, *comparable, None))
    count = min(bench.size.characters, len(bench.material.train))
    note = (
        f" The character CRF is trained on {count} of the training documents, since it is slow; the"
        " last row has that of hitsz-classifiers, which is trained on all of them."
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
        (*_claims_of_features(drops, "pos" in bench.material.auxiliary), claim_of_order(drops)),
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
    there = [name for name in CATEGORIES if any(name in by_label for by_label in scored.values())]
    none = Score(0, 0, 0)
    rows: list[Row] = [
        (
            category,
            *(
                shown(ratio)
                for by_label in scored.values()
                for ratio in ratios(by_label.get(category, none))
            ),
            *CATEGORIES[category],
        )
        for category in there
    ]
    f1 = {
        name: {c: by_label.get(c, none).f1 or 0.0 for c in there}
        for name, by_label in scored.items()
    }
    by_token = [c for c in there if f1["token"][c] > f1["character"][c]]
    merged_best = [c for c in there if f1["merged"][c] > max(f1["token"][c], f1["character"][c])]
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
                "Merged is better than either CRF in all categories but DATE and LOCATION.",
                f"Better in: {', '.join(merged_best) or 'none'}.",
                set(merged_best) == set(there) - {"DATE", "LOCATION"},
            ),
            *claims_of_categories(bench, f1, gold, chosen["merged"]),
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
    Study("hitsz-criteria", "Six criteria, micro and macro", f"{PAPER}, Table 3", _criteria),
    Study(
        "hitsz-classifiers",
        "Each classifier, their combinations, and the vote of both CRFs",
        f"{PAPER}, Table 4 and §5",
        _classifiers,
    ),
    Study("hitsz-features", "Leaving out a group of features", f"{PAPER}, Table 5", _features),
    Study("hitsz-categories", "Both CRFs by category", f"{PAPER}, Table 6", _categories),
    Study("hitsz-upper-bound", "The upper bound of tokenization", f"{PAPER}, §5", _upper_bound),
)
