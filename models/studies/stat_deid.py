"""Studies of Tafvizi et al. 2010 and Uzuner et al. 2008: a machine that decides on single words.

The papers count tokens, PHI or not, and give precision and recall of both classes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..evaluation.matrices import Matrix
from ..evaluation.stat_deid import NON_PHI, PHI
from ..plots.bars import bars, differences_plot
from ..recipes.stat_deid import GROUPS
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
)
from .kernels import GAMMA, KERNELS, C, R, with_kernels
from .stat_deid_claims import claim_of_reach, claims_of_reasons

PAPER = "Tafvizi et al. 2010, an open re-implementation of Stat De-id"

_COUNTS = ((9013, 243), (625, 158_838))
"""Table 2: true PHI and non-PHI (rows) by predicted PHI and non-PHI."""

_TEXT = (0.9737, 0.9352, 0.9541, 0.9961, 0.9985, 0.9973)
"""P, R and F of PHI and of non-PHI in the text of §5.3."""

_ORIGINAL = (0.9846, 0.9524, 0.9682)
"""Stat De-id itself on the same notes, PHI (§5.3)."""

_PEOPLE_RECALL = 0.81
_CLOSE, _GOOD, _USELESS = 0.005, 0.8, 0.02
_CLASSES = tuple(name for name in GROUPS if name not in ("mesh", "dictionary"))
"""The feature classes of Fig. 2 to 5."""

_ALONE: Mapping[str, tuple[float, float, float, float]] = {
    "lexical bigrams": (0.8976, 0.6791, 0.9808, 0.9953),
}
"""§5.4.1: class -> P and R of PHI, P and R of non-PHI."""

_KERNELS: Mapping[str, tuple[float, float, float, float]] = {
    "linear": (0.891, 0.797, 0.988, 0.994),
    "quadratic": (0.987, 0.593, 0.976, 0.999),
    "gaussian": (0.950, 0.742, 0.985, 0.998),
}
"""Table 3: kernel -> P and R of PHI, P and R of non-PHI."""

HEAD = ("P", "R", "F", "non-PHI P", "non-PHI R", "non-PHI F")
_PAPERS = ("paper, P", "paper, R", "paper, non-PHI P", "paper, non-PHI R")
_NONE = (None, None, None, None)
_GROUPS_VARIED = (
    " The paper varies six classes; mesh and dictionary are ours besides. Where a column of the"
    " paper is empty it has a bar, but no figure."
)

Ratios = tuple[float | None, ...]
"""P, R and F of PHI, then of non-PHI."""


def _confusion(bench: Bench) -> Findings:
    (run,) = bench.held_out([bench.stat_deid()])
    matrix = matrix_of(bench, run)
    ours = ratios_of(matrix)
    table = _ratios_of_counts(_COUNTS)
    return Findings(
        how(bench)
        + " Words are fine tokens of our tokenizer; the paper took the words of its gold"
        " annotation, which flatters it. The paper contradicts itself: what its text calls"
        " precision is the recall of its own Table 2, and the other way round. Both are below.",
        (
            _counts_table("here", matrix.counts),
            _counts_table("paper", _COUNTS),
            PageTable(
                "ratios",
                ("whose", *HEAD),
                (
                    ("here", *map(shown, ours)),
                    ("paper, as its text says", *map(shown, _TEXT)),
                    ("paper, by its Table 2", *map(shown, table)),
                    ("Stat De-id, as the paper says", *map(shown, _ORIGINAL), None, None, None),
                ),
            ),
        ),
        (
            Plot(
                "",
                "P and R of PHI here, in the paper's text, and by its Table 2",
                bars([(name, [("P", one[0], None), ("R", one[1], None)])
                      for name, one in (("here", ours), ("text", _TEXT), ("Table 2", table))]),
            ),
        ),
        _claims_of_confusion(matrix),
    )  # fmt: skip


def _claims_of_confusion(matrix: Matrix) -> tuple[ClaimCheck, ...]:
    ours, table = ratios_of(matrix), _ratios_of_counts(_COUNTS)
    precision, recall = ours[0] or 0.0, ours[1] or 0.0
    return (
        ClaimCheck(
            "The text: PHI has a precision of .9737 and a recall of .9352 (F .9541).",
            f"P {shown(ours[0])}, R {shown(ours[1])}, F {shown(ours[2])}: precision is"
            f" {'above' if precision > recall else 'below'} recall.",
            precision > recall,
        ),
        ClaimCheck(
            "Table 2: 625 of 9,638 detected words are false, 243 of 9,256 are missed, which is"
            f" a precision of {shown(table[0])} and a recall of {shown(table[1])}.",
            f"{matrix.counts[1][0]:,} of {matrix.column_totals()[0]:,} are false,"
            f" {matrix.counts[0][1]:,} of {matrix.row_totals()[0]:,} are missed: recall is"
            f" {'above' if recall > precision else 'below'} precision.",
            recall > precision,
        ),
        ClaimCheck(
            "Non-PHI has P .9961, R .9985, F .9973: better than PHI on both counts (Table 2:"
            f" {shown(table[3])}, {shown(table[4])}).",
            f"P {shown(ours[3])}, R {shown(ours[4])}, F {shown(ours[5])}.",
            (ours[3] or 0.0) > precision and (ours[4] or 0.0) > recall,
        ),
        _claim_of_shares(matrix),
        ClaimCheck(
            "It finds more than people do, who have a recall of .81.",
            f"R {shown(ours[1])}; nobody was timed or scored on this corpus.",
            recall > _PEOPLE_RECALL,
        ),
        ClaimCheck(
            "Results compare favourably with Stat De-id: P .9846, R .9524, F .9682 on the same"
            " notes.",
            "The original cannot be had. By the paper's own figures P, R and F are below it,"
            " whichever way they are read.",
            None,
        ),
        ClaimCheck(
            "It processes one document a second, faster than people.",
            "Speed is not measured here: `python -m benchmarks.systems` does, and finds that"
            " labelling takes a small part of a second a document.",
            None,
        ),
    )


def _claim_of_shares(matrix: Matrix) -> ClaimCheck:
    """How many of the words of each predicted class are of the other."""
    phi, non_phi = matrix.column_totals()
    missed, false = matrix.counts[0][1], matrix.counts[1][0]
    return ClaimCheck(
        "Of the words called non-PHI .15 % are PHI (243 of 159,081), of those called PHI 6 % are"
        " not: what is called non-PHI is the more certain.",
        f"{missed / max(1, non_phi):.2%} of {non_phi:,}, and {false / max(1, phi):.2%} of {phi:,}.",
        missed / non_phi < false / phi if phi and non_phi else None,
    )


def _one_on(bench: Bench) -> Findings:
    there, missing = groups_of(bench)
    recipes = [bench.stat_deid(), *(bench.stat_deid((name,)) for name in there)]
    runs = bench.held_out(recipes)
    scores = {n: scored_of(bench, run) for n, run in zip(("all", *there), runs, strict=True)}
    papers = {"all": (_TEXT[0], _TEXT[1], _TEXT[3], _TEXT[4]), **_ALONE}
    papers["section"] = (0.0, 0.0, None, None)  # type: ignore[assignment]
    compared = [name for name in there if name in _CLASSES]
    best = max(compared, key=lambda name: scores[name][2] or 0.0)
    most = max(compared, key=lambda name: scores[name][1] or 0.0)
    return Findings(
        how(bench) + _GROUPS_VARIED,
        (_groups_table(scores, missing, papers),),
        tuple(_plots(scores, ("Fig. 2", "Fig. 3"), "with one feature class alone")),
        (
            ClaimCheck(
                "Lexical bigrams contribute most to precision and recall: P .8976, R .6791 of PHI,"
                " and .9808, .9953 of the rest.",
                f"Alone, F of PHI is highest with {best} ({shown(scores[best][2])}), recall with"
                f" {most} ({shown(scores[most][1])}); lexical bigrams have P"
                f" {shown(scores['lexical bigrams'][0])}, R {shown(scores['lexical bigrams'][1])}.",
                best == most == "lexical bigrams",
            ),
            _claim_of_links(bench, scores),
            _claim_of_bigrams(scores, compared),
            _claim_of_section(scores),
            *claims_of_reasons(bench),
        ),
    )


def _claim_of_links(bench: Bench, scores: Mapping[str, Ratios]) -> ClaimCheck:
    links, lexical = scores.get("syntactic bigrams"), scores["lexical bigrams"]
    claim = "Syntactic bigrams have good precision too, and slightly worse recall."
    if links is None:
        return ClaimCheck(claim, "There are no links here (see above).", None)
    found = f"P {shown(links[0])}, R {shown(links[1])}."
    if "links" not in bench.stat_deid().auxiliary:
        return ClaimCheck(claim, found + " Links without words are not the paper's bigrams.", None)
    agrees = (links[1] or 0.0) < (lexical[1] or 0.0) and (links[0] or 0.0) > _GOOD
    return ClaimCheck(claim, found, agrees)


def _claim_of_section(scores: Mapping[str, Ratios]) -> ClaimCheck:
    claim = "Section headings are not useful by themselves: P and R are 0."
    section = scores["section"]
    found = f"P {shown(section[0])}, R {shown(section[1])}."
    if useless := (section[1] or 0.0) < _USELESS:
        return ClaimCheck(claim, found, useless)
    more = " Here a heading is any field that opens a line, so that many stand before their PHI."
    return ClaimCheck(claim, found + more, useless)


def _claim_of_bigrams(scores: Mapping[str, Ratios], compared: Sequence[str]) -> ClaimCheck:
    """Whether both kinds of bigrams do best alone; links may be missing."""
    ranked = sorted(compared, key=lambda name: -(scores[name][2] or 0.0))
    bigrams = {"lexical bigrams", "syntactic bigrams"}
    return ClaimCheck(
        "Lexical and syntactic bigrams have the greatest impact (§6). (They have by Fig. 2 and 3;"
        " by Fig. 4 and 5 the word itself has.)",
        "Alone, F of PHI is "
        + ", ".join(f"{shown(scores[name][2])} ({name})" for name in ranked)
        + ".",
        set(ranked[:2]) == bigrams if bigrams <= set(compared) else None,
    )


def _one_off(bench: Bench) -> Findings:
    there, missing = groups_of(bench)
    recipes = [bench.stat_deid([n for n in GROUPS if n != name]) for name in there]
    runs = dict(zip(("all", *there), bench.held_out([bench.stat_deid(), *recipes]), strict=True))
    scores = {name: scored_of(bench, run) for name, run in runs.items()}
    every = scores["all"]
    lost = {
        name: tuple((b or 0.0) - (a or 0.0) for a, b in zip(every, scores[name], strict=True))
        for name in there
    }
    papers: dict[str, Ratios] = {"all": (_TEXT[0], _TEXT[1], _TEXT[3], _TEXT[4])}
    papers["word"] = (0.9302, 0.9014, None, None)
    papers["orthography"] = (None, 0.9014, None, None)
    compared = [name for name in there if name in _CLASSES]
    first = min(compared, key=lambda name: lost[name][0])
    two = sorted(compared, key=lambda name: lost[name][1])[:2]
    moved = max(abs(lost[name][place]) for name in compared for place in (3, 4))
    return Findings(
        how(bench) + _GROUPS_VARIED,
        (_groups_table(scores, missing, papers),),
        tuple(
            Plot(
                what,
                f"{what} without one feature class, against all ({figure})",
                differences_plot(
                    [
                        (f"{name}, {of}", lost[name][place + more], None)
                        for name in there
                        for of, more in ((PHI, 0), (NON_PHI, 3))
                    ]
                ),
            )
            for what, place, figure in (("precision", 0, "Fig. 4"), ("recall", 1, "Fig. 5"))
        ),
        (
            ClaimCheck(
                "Without the word itself precision of PHI falls most, from .9737 to .9302.",
                f"Precision moves by {_each(lost, 0)}.",
                first == "word" and lost[first][0] < 0,
            ),
            ClaimCheck(
                "Without the word itself, and without orthography, recall of PHI falls most, from"
                " .9352 to .9014.",
                f"Recall moves by {_each(lost, 1)}.",
                set(two) == {"word", "orthography"},
            ),
            ClaimCheck(
                "Precision and recall of non-PHI are not affected by any single class.",
                f"They move by {moved:.4f} at most.",
                moved < 0.005,
            ),
            claim_of_reach(bench, runs["all"], runs.get("syntactic bigrams")),
        ),
    )


def _kernels(bench: Bench) -> Findings:
    gold, trained, found = with_kernels(bench)
    scores = {
        name: ratios_of(
            matrix_of_metrics(bench.score_found(gold, spans, ("phi_confusion",)).metrics)
        )
        for name, spans in found.items()
    }
    return Findings(
        f"Trained on {trained} documents of {bench.material.name}, training part, drawn with seed"
        f" 0, and scored on the first {len(gold)} of its development part, about"
        f" {bench.size.kernel_tokens:,} fine tokens; the paper took its whole test part. Quadratic"
        " is (g x·y + r)^2, Gaussian exp(-g |x - y|^2). The paper gives none of the parameters:"
        f" here C is {C:g}, g {GAMMA:g} and r {R:g}, and none was tuned; another g moves these"
        " figures. Such machines are in no recipe and no bundle: they label some hundreds of words"
        " a second." + missing_text(groups_of(bench)[1]),
        (
            PageTable(
                "",
                ("kernel", *HEAD, *_PAPERS),
                tuple((n, *map(shown, scores[n]), *_KERNELS[n]) for n in KERNELS),
            ),
        ),
        (
            Plot(
                "",
                "P and R of PHI with three kernels",
                bars([(n, [("P", s[0], None), ("R", s[1], None)]) for n, s in scores.items()]),
            ),
        ),
        _claims_of_kernels(scores),
    )  # fmt: skip


def _claims_of_kernels(scores: Mapping[str, Ratios]) -> tuple[ClaimCheck, ...]:
    precision = {name: one[0] or 0.0 for name, one in scores.items()}
    recall = {name: one[1] or 0.0 for name, one in scores.items()}
    by_precision = sorted(scores, key=lambda name: precision[name])
    by_recall = sorted(scores, key=lambda name: -recall[name])
    # A few tokens decide between precisions that are so close.
    close = max(precision.values()) - min(precision.values()) < _CLOSE
    caveat = f" All precisions lie within {_CLOSE}, too close to tell." if close else ""
    kept = recall["gaussian"] / (recall["linear"] or 1.0)
    f1 = {name: one[2] or 0.0 for name, one in scores.items()}
    lost = max(f1["linear"] - value for value in f1.values())

    def told(by_recalls: bool, by_precisions: bool) -> bool | None:
        return False if not by_recalls else None if close else by_precisions

    return (
        ClaimCheck(
            "The linear kernel has the highest recall and the lowest precision: .797 and .891.",
            f"R falls from {' to '.join(by_recall)}; P rises from {' to '.join(by_precision)}."
            + caveat,
            told(by_recall[0] == "linear", by_precision[0] == "linear"),
        ),
        ClaimCheck(
            "The quadratic kernel has the highest precision (.987) and the lowest recall (.593).",
            f"P {shown(scores['quadratic'][0])}, R {shown(scores['quadratic'][1])}." + caveat,
            told(by_recall[-1] == "quadratic", by_precision[-1] == "quadratic"),
        ),
        ClaimCheck(
            "The Gaussian kernel outperforms the linear one in precision (.950 to .891) while"
            " sacrificing very little recall (.742 to .797, which is 93 % of it).",
            f"P {precision['gaussian']:.4f} to {precision['linear']:.4f}, R"
            f" {recall['gaussian']:.4f} to {recall['linear']:.4f}, {kept:.0%} of it." + caveat,
            told(kept >= 0.9, precision["gaussian"] > precision["linear"]),
        ),
        ClaimCheck(
            "Quadratic and Gaussian kernels work reasonably well, so that fears of overfitting are"
            " unwarranted: F falls by at most a tenth (.841, .741 and .833 by its P and R).",
            "F: " + ", ".join(f"{value:.4f} ({name})" for name, value in f1.items()) + ".",
            lost <= 0.1,
        ),
    )


def _each(lost: Mapping[str, Sequence[float]], place: int) -> str:
    ranked = sorted(lost, key=lambda name: lost[name][place])
    return ", ".join(f"{lost[name][place]:+.4f} ({name})" for name in ranked)


def _groups_table(
    scores: Mapping[str, Ratios], missing: Sequence[str], papers: Mapping[str, Ratios]
) -> PageTable:
    rows: list[Row] = [
        (name, *map(shown, one), *papers.get(name, _NONE)) for name, one in scores.items()
    ]
    rows += [(name, *("not there",) * 6, *papers.get(name, _NONE)) for name in missing]
    return PageTable("", ("feature class", *HEAD, *_PAPERS), tuple(rows))


def _plots(scores: Mapping[str, Ratios], figures: Sequence[str], what: str) -> list[Plot]:
    """Precision, then recall; the full system is one of the groups."""
    return [
        Plot(
            name,
            f"{name} {what} ({figure})",
            bars(
                [
                    (group, [(PHI, one[place], None), (NON_PHI, one[place + 3], None)])
                    for group, one in scores.items()
                ]
            ),
        )
        for name, place, figure in zip(("precision", "recall"), (0, 1), figures, strict=True)
    ]


def groups_of(bench: Bench) -> tuple[list[str], list[str]]:
    """The groups of features that this material allows, and those that are missing."""
    every = set(bench.stat_deid().taggers[0].features)
    there = [
        name
        for name in GROUPS
        if every - set(bench.stat_deid([n for n in GROUPS if n != name]).taggers[0].features)
    ]
    return there, [name for name in GROUPS if name not in there]


def how(bench: Bench) -> str:
    """What all studies of the paper did, for pages."""
    return (
        f"{bench.how_held_out}, PHI and non-PHI tokens, label-blind; C is 1, since the paper does"
        " not give it. The paper has 669 and 220 discharge summaries."
        + missing_text(groups_of(bench)[1])
        + _partly_missing(bench)
    )


def missing_text(missing: Sequence[str]) -> str:
    """What is left out, for pages; nothing if all is there."""
    if not missing:
        return ""
    return f" Left out, for want of auxiliary models: {', '.join(missing)}."


def _partly_missing(bench: Bench) -> str:
    """Whether links are learned ones, and which auxiliary models are missing of a group's."""
    used = bench.stat_deid().auxiliary
    if "links" in used:
        return " Links come from recorded parses."
    if {"linkleft", "linkright"} & set(used):
        return " Links are learned: the name of the nearest to each side, without the other word."
    return ""


def matrix_of(bench: Bench, run: RecipeResult) -> Matrix:
    """Tokens by true and predicted class."""
    return matrix_of_metrics(bench.score(run, ("phi_confusion",)).metrics)


def matrix_of_metrics(metrics: Mapping[str, object]) -> Matrix:
    """The same of finished metrics."""
    matrix = metrics["phi_confusion"]
    assert isinstance(matrix, Matrix)
    return matrix


def ratios_of(matrix: Matrix) -> Ratios:
    """P, R and F of PHI, then of non-PHI."""
    scores = matrix.scores()
    return (*scores[PHI], *scores[NON_PHI])


def scored_of(bench: Bench, run: RecipeResult) -> Ratios:
    """Those of a run."""
    return ratios_of(matrix_of(bench, run))


def _ratios_of_counts(counts: tuple[tuple[int, int], tuple[int, int]]) -> Ratios:
    names = (PHI, NON_PHI)
    return ratios_of(Matrix("", names, names, counts, "true class", "predicted class"))


def _counts_table(name: str, counts: Sequence[Sequence[int]]) -> PageTable:
    rows = zip((PHI, NON_PHI), counts, strict=True)
    head = ("true / predicted", PHI, NON_PHI, "total")
    return PageTable(name, head, tuple((n, *row, sum(row)) for n, row in rows))


STUDIES = (
    Study(
        "stat-deid-confusion",
        "Confusion of PHI and non-PHI",
        f"{PAPER}, Table 2 and §5.3",
        _confusion,
    ),
    Study("stat-deid-one-on", "One feature class alone", f"{PAPER}, Fig. 2 and 3", _one_on),
    Study("stat-deid-one-off", "One feature class left out", f"{PAPER}, Fig. 4 and 5", _one_off),
    Study("stat-deid-kernels", "Kernels", f"{PAPER}, Table 3", _kernels),
)
