"""Claims of Liu et al. 2015 that runs of its studies decide besides those of its tables."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from ..core.labels import CATEGORIES
from ..corpora import AnnotatedDocument
from ..evaluation.matrices import Matrix
from ..evaluation.scores import Score
from ..evaluation.wi_deid import MISSING, SPURIOUS
from ..recognisers.liu_2015 import LABELS
from ..training.reporting import shown
from .base import Bench
from .classifiers import Found, of_native
from .findings import ClaimCheck

_WORST = ("NAME", "PROFESSION", "LOCATION")
_SETS = ("", "HIPAA ")


def claims_of_criteria(scored: Mapping[str, Score]) -> tuple[ClaimCheck, ...]:
    """How far apart the criteria are.

    Args:
        scored: criterion of Table 3 -> micro score.
    """
    f1 = {name: score.f1 or 0.0 for name, score in scored.items()}

    def gaps(first: str, second: str) -> str:
        return "; ".join(
            f"{of or 'all '}{first} over {second}: {f1[of + first] - f1[of + second]:+.4f}"
            for of in _SETS
        )

    return (
        ClaimCheck(
            "Strict and relaxed F differ by around .4 points, of all PHI and of HIPAA's. They"
            " differ by less than one.",
            f"{gaps('relaxed', 'strict')}.",
            all(abs(f1[f"{of}relaxed"] - f1[f"{of}strict"]) < 0.01 for of in _SETS),
        ),
        ClaimCheck(
            "Token F exceeds strict F by more than 2.5 points, and relaxed F by around two (HIPAA's"
            " PHI; for all PHI Table 3 has 3.40 and 3.01). Token F is over relaxed F.",
            f"{gaps('token', 'strict')}; {gaps('token', 'relaxed')}.",
            all(f1[f"{of}token"] > f1[f"{of}relaxed"] for of in _SETS),
        ),
    )


def claims_of_pairs(
    bench: Bench,
    gold: Sequence[AnnotatedDocument],
    sources: Mapping[str, Found],
    f1: Mapping[str, float],
) -> tuple[ClaimCheck, ...]:
    """What the rules are worth, alone and beside each CRF.

    Args:
        bench: for the labels.
        gold: the documents.
        sources: classifier -> what it finds.
        f1: classifier or pair, as in Table 4 -> strict F.
    """
    spans = [document.spans for document in gold]
    total = sum(map(len, spans))
    ruled = sum(map(len, of_native(bench, spans, LABELS)))
    pairs = {
        f"{one} + {other}": (one, other)
        for one, other in itertools.combinations(("token", "character", "rule"), 2)
    }
    right = found_alone(spans, sources)
    by_rules, by_crfs, alike = look_alikes(spans, sources)
    return (
        ClaimCheck(
            "Both CRFs are far better than the rules (F 3.23), which find five of 25 labels, 5.58 %"
            " of the PHI.",
            f"Token {shown(f1['token'])}, character {shown(f1['character'])}, rules"
            f" {shown(f1['rule'])}; {ruled:,} of {total:,} spans have the five labels,"
            f" {ruled / max(1, total):.2%}.",
            min(f1["token"], f1["character"]) > f1["rule"],
        ),
        ClaimCheck(
            "Any two classifiers are better than either of them alone.",
            "; ".join(
                f"{pair} {shown(f1[pair])} for {shown(f1[one])} and {shown(f1[other])}"
                for pair, (one, other) in pairs.items()
            )
            + ".",
            all(f1[pair] > max(f1[one], f1[other]) for pair, (one, other) in pairs.items()),
        ),
        ClaimCheck(
            "Rules find PHI that neither CRF finds, such as some telephone numbers.",
            f"So it is with {right[0]:,} of {right[1]:,} spans that rules find rightly.",
            right[0] > 0 if right[1] else None,
        ),
        ClaimCheck(
            "Rules part look-alikes that the CRFs confuse, such as record and telephone numbers"
            " (§5): where they disagree on a label, rules are right more often.",
            f"A CRF has another label on {alike:,} of the spans that rules find; {by_rules:,} times"
            f" the rule is right, {by_crfs:,} times a CRF.",
            by_rules > by_crfs if by_rules + by_crfs else None,
        ),
    )


def found_alone(gold: Found, sources: Mapping[str, Found]) -> tuple[int, int]:
    """How many spans rules alone find rightly, and how many they find rightly."""
    alone = right = 0
    for spans, token, character, rule in zip(
        gold, *(sources[name] for name in ("token", "character", "rule")), strict=True
    ):
        by_rule = set(spans) & set(rule)
        right += len(by_rule)
        alone += len(by_rule - {*token, *character})
    return alone, right


def look_alikes(gold: Found, sources: Mapping[str, Found]) -> tuple[int, int, int]:
    """How often rules and CRFs have other labels on the same characters, and who is right.

    Returns:
        Spans of rules that are gold, those of which a CRF's is instead, and all, where a CRF has
        another label on some of their characters.
    """
    by_rules = by_crfs = total = 0
    for spans, token, character, rule in zip(
        gold, *(sources[name] for name in ("token", "character", "rule")), strict=True
    ):
        for own in rule:
            others = {
                other
                for other in (*token, *character)
                if other.label != own.label and other.start < own.end and own.start < other.end
            }
            if others:
                total += 1
                by_rules += own in spans
                by_crfs += bool(others & set(spans))
    return by_rules, by_crfs, total


def claim_of_order(drops: Mapping[str, Mapping[str, float]]) -> ClaimCheck:
    """Whether groups of features matter alike to both CRFs.

    Args:
        drops: kind of CRF -> group left out -> what F1 falls by.
    """
    shared = set.intersection(*(set(fall) for fall in drops.values()))
    orders = {kind: sorted(shared, key=lambda g: (-fall[g], g)) for kind, fall in drops.items()}
    first, *others = orders.values()
    return ClaimCheck(
        "What groups contribute to the two CRFs may be inconsistent (Table 5: the third most to"
        " tokens is the word representation, to characters the section).",
        "; ".join(f"{kind}: {', '.join(order)}" for kind, order in orders.items())
        + ", most first.",
        any(order != first for order in others) if len(shared) > 1 else None,
    )


def claims_of_categories(
    bench: Bench,
    f1: Mapping[str, Mapping[str, float]],
    gold: Sequence[AnnotatedDocument],
    merged: Found,
) -> tuple[ClaimCheck, ...]:
    """Which categories are worst, and whether names are confused.

    Args:
        bench: for the training part and the labels.
        f1: classifier -> category -> strict F.
        gold: the documents.
        merged: what all classifiers find together.
    """
    there = f1["merged"]
    train = bench.some(bench.material.train, bench.size.held)
    labels = [bench.material.native(span.label) for d in train for span in d.spans]
    counts = {name: sum(label in CATEGORIES[name] for label in labels) for name in there}
    lowest = sorted(there, key=lambda name: (there[name], name))[: len(_WORST)]
    matrix = bench.score_found(gold, merged, ("error_labels",), native=True).metrics["error_labels"]
    assert isinstance(matrix, Matrix)
    names, every = confused_names(matrix)
    return (
        ClaimCheck(
            "NAME, PROFESSION and LOCATION are the worst categories (F 88.07, 68.65 and 79.92),"
            " since some are not formulaic and rare, others easily confused.",
            "Worst are "
            + ", ".join(f"{n} {shown(there[n])} ({counts[n]:,} in training)" for n in lowest)
            + ".",
            set(lowest) == set(_WORST) if set(_WORST) < there.keys() else None,
        ),
        ClaimCheck(
            "The labels of NAME are easily confused with each other. They are most of all"
            " confusions of labels.",
            f"{names:,} of {every:,} spans with a wrong label are names taken for other names.",
            names * 2 > every if every else None,
        ),
    )


def confused_names(matrix: Matrix) -> tuple[int, int]:
    """Names taken for names of another label, and all spans with a wrong label."""
    cells = [
        (row, column, matrix.count(row, column))
        for row in matrix.row_names
        for column in matrix.column_names
        if row not in (column, SPURIOUS) and column != MISSING
    ]
    names = CATEGORIES["NAME"]
    return (
        sum(count for row, column, count in cells if row in names and column in names),
        sum(count for *_, count in cells),
    )
