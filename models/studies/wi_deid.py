"""Studies of He et al. 2015 (WI-deId): splitting, feature groups, and kinds of errors."""

from __future__ import annotations

from collections.abc import Mapping

from ..evaluation.matrices import Matrix
from ..evaluation.plots import bars
from ..evaluation.portions import Shares
from ..evaluation.scores import Score, Scores
from ..evaluation.wi_deid import MISSING, SPURIOUS
from ..recipes.wi_deid import GROUPS
from ..training.reporting import shown
from .base import Bench, ClaimCheck, Findings, PageTable, Plot, RecipeResult, Row, Study, ratios

_PAPER = 'He et al. 2015, "CRFs based de-identification of medical records"'

_LEVELS: Mapping[str, tuple[str, float]] = {
    "i2b2 token": ("i2b2_2014_token", 0.9514),
    "i2b2 strict": ("strict", 0.9232),
    "i2b2 relaxed": ("i2b2_2014_relaxed", 0.9256),
    "HIPAA token": ("i2b2_2014_hipaa_token", 0.9695),
    "HIPAA strict": ("i2b2_2014_hipaa_strict", 0.9490),
    "HIPAA relaxed": ("i2b2_2014_hipaa_relaxed", 0.9519),
}
"""Table 3: level -> our metric, micro F of the paper's best system."""

_TYPES: Mapping[str, float] = {
    "PATIENT": 0.8890,
    "DOCTOR": 0.9057,
    "USERNAME": 0.9724,
    "PROFESSION": 0.5929,
    "HOSPITAL": 0.8350,
    "ORGANIZATION": 0.4038,
    "STREET": 0.9195,
    "CITY": 0.8433,
    "STATE": 0.8864,
    "COUNTRY": 0.6979,
    "ZIP": 0.9744,
    "LOCATION-OTHER": 0.0,
    "AGE": 0.9137,
    "DATE": 0.9746,
    "PHONE": 0.9439,
    "FAX": 0.0,
    "EMAIL": 0.0,
    "MEDICALRECORD": 0.9739,
    "DEVICE": 0.0,
    "IDNUM": 0.8162,
}
"""Table 4: label -> strict F of the paper."""

_UNSPLIT: Mapping[str, tuple[float, float]] = {
    "NAME": (0.8753, 0.9243),
    "PROFESSION": (0.4314, 0.5929),
    "LOCATION": (0.8255, 0.8689),
    "AGE": (0.6999, 0.9137),
    "DATE": (0.9140, 0.9746),
    "CONTACT": (0.9296, 0.9420),
    "ID": (0.9125, 0.9296),
    "total": (0.8638, 0.9232),
}
"""Table 5: category -> F of the paper without and with the splitting."""

_ERRORS: Mapping[str, float] = {
    "type": 0.1204,
    "extent": 0.1529,
    "missing": 0.6442,
    "spurious": 0.0825,
}
"""Table 6: error group -> share of all errors in the paper."""

_EXTENTS: Mapping[str, int] = {"short": 114, "long": 78, "short and long": 10}
"""Table 8: how many of the paper's 202 extent errors are of each kind."""

_NONE = Score(0, 0, 0)


def _levels(bench: Bench) -> Findings:
    run = _whole(bench)
    scored = {level: _scores(bench, run, metric).micro for level, (metric, _) in _LEVELS.items()}
    return Findings(
        _how(bench),
        (
            PageTable(
                "",
                ("level", "P", "R", "F", "paper, F"),
                tuple(
                    (level, *map(shown, ratios(score)), _LEVELS[level][1])
                    for level, score in scored.items()
                ),
            ),
        ),
        (
            Plot(
                "",
                "Micro P, R and F at six levels",
                bars([(n, [("P", s.precision, None), ("R", s.recall, None), ("F", s.f1, None)])
                      for n, s in scored.items()]),
            ),
        ),
        (
            ClaimCheck(
                "Results for the HIPAA categories are better than for all of i2b2's.",
                _each(scored),
                all(
                    (scored[f"HIPAA {x}"].f1 or 0) > (scored[f"i2b2 {x}"].f1 or 0)
                    for x in ("token", "strict", "relaxed")
                ),
            ),
            ClaimCheck(
                "Token level outcomes exceed those of whole entities.",
                _each(scored),
                all(
                    (scored[f"{x} token"].f1 or 0) > (scored[f"{x} strict"].f1 or 0)
                    for x in ("i2b2", "HIPAA")
                ),
            ),
        ),
    )  # fmt: skip


def _types(bench: Bench) -> Findings:
    scores = _scores(bench, _whole(bench), "strict")
    by_label = dict(scores.most_frequent_first())
    train: dict[str, int] = {}
    for document in bench.some(bench.material.train, bench.size.held):
        for span in document.spans:
            if (native := bench.material.native(span.label)) is not None:
                train[native] = train.get(native, 0) + 1
    rare = [label for label in by_label if train.get(label, 0) < 50]
    common = [label for label in by_label if train.get(label, 0) >= 500]
    mean = {
        name: sum(by_label[label].f1 or 0.0 for label in labels) / len(labels) if labels else None
        for name, labels in (("rare", rare), ("common", common))
    }
    return Findings(
        _how(bench),
        (
            PageTable(
                "",
                ("label", "train", "gold", "system", "agree", "P", "R", "F", "paper, F"),
                tuple(
                    (
                        label,
                        train.get(label, 0),
                        score.tp + score.fn,
                        score.tp + score.fp,
                        score.tp,
                        *map(shown, ratios(score)),
                        _TYPES.get(label),
                    )
                    for label, score in by_label.items()
                ),
            ),
        ),
        (
            Plot(
                "",
                "Strict F of each label",
                bars([(label, [("F", score.f1, None)]) for label, score in by_label.items()]),
            ),
        ),
        (
            ClaimCheck(
                "The lack of training instances is the fundamental reason for a type's low scores.",
                f"Mean F of labels with fewer than 50 training spans: {shown(mean['rare'])}; with"
                f" 500 or more: {shown(mean['common'])}.",
                mean["rare"] < mean["common"]
                if mean["rare"] is not None and mean["common"] is not None
                else None,
            ),
        ),
    )


def _splitting(bench: Bench) -> Findings:
    runs = bench.held_out([bench.wi_deid(layer="word"), bench.wi_deid()])
    without, whole = (_by_category(bench, run) for run in runs)
    there = [name for name in _UNSPLIT if name in whole or name in without]
    falls = {
        name: (whole.get(name, _NONE).f1 or 0.0) - (without.get(name, _NONE).f1 or 0.0)
        for name in there
    }
    worst = max(there, key=lambda name: falls[name]) if there else ""
    return Findings(
        _how(bench),
        (
            PageTable(
                "",
                ("category", "F without it", "F with it", "paper, without", "paper, with"),
                tuple(
                    (
                        name,
                        shown(without.get(name, _NONE).f1),
                        shown(whole.get(name, _NONE).f1),
                        *_UNSPLIT[name],
                    )
                    for name in there
                ),
            ),
        ),
        (
            Plot(
                "",
                "Strict F with and without the splitting",
                bars([(n, [("without", without.get(n, _NONE).f1, None),
                           ("with", whole.get(n, _NONE).f1, None)]) for n in there]),
            ),
        ),
        (
            ClaimCheck(
                "Without the preprocessing every F is lower, in all from .9232 to .8638.",
                f"In all {shown(without['total'].f1)} without, {shown(whole['total'].f1)} with.",
                falls["total"] > 0,
            ),
            ClaimCheck(
                "AGE falls most, by more than 20 points.",
                f"{worst} falls most, by {falls[worst]:.4f}; AGE by {falls.get('AGE', 0.0):.4f}.",
                worst == "AGE" and falls["AGE"] > 0.2,
            ),
        ),
    )  # fmt: skip


def _groups(bench: Bench) -> Findings:
    steps = [GROUPS[: n + 1] for n in range(len(GROUPS))]
    runs = bench.held_out([bench.wi_deid(groups) for groups in steps])
    names = ["Lex", "Lex+Ort", "Lex+Ort+Dic"]
    scored = {name: _by_category(bench, run) for name, run in zip(names, runs, strict=True)}
    there = [c for c in _UNSPLIT if any(c in by for by in scored.values())]
    f1 = {n: {c: by.get(c, _NONE).f1 or 0.0 for c in there} for n, by in scored.items()}
    gains = {c: f1["Lex+Ort"][c] - f1["Lex"][c] for c in there if c != "total"}
    lists = {c: f1["Lex+Ort+Dic"][c] - f1["Lex+Ort"][c] for c in there if c != "total"}
    most = max(lists, key=lambda c: lists[c], default="")
    return Findings(
        _how(bench),
        (
            PageTable(
                "",
                ("category", *names),
                tuple((c, *(shown(f1[n][c]) for n in names)) for c in there),
            ),
        ),
        (
            Plot(
                "",
                "Strict F as feature groups are added",
                bars([(c, [(n, f1[n][c], None) for n in names]) for c in there]),
            ),
        ),
        (
            ClaimCheck(
                "Each group improves the whole system.",
                ", ".join(f"{n} {shown(f1[n]['total'])}" for n in names) + ".",
                f1[names[0]]["total"] < f1[names[1]]["total"] < f1[names[2]]["total"],
            ),
            ClaimCheck(
                "Orthographic features help LOCATION, CONTACT and ID most, by 5, 8 and 4 points.",
                ", ".join(f"{c} {gain:+.4f}" for c, gain in gains.items()) + ".",
                all(gains.get(c, 0.0) > 0 for c in ("LOCATION", "CONTACT", "ID")),
            ),
            ClaimCheck(
                "What dictionaries add lies in LOCATION.",
                ", ".join(f"{c} {gain:+.4f}" for c, gain in lists.items()) + ".",
                most == "LOCATION",
            ),
        ),
    )


def _errors(bench: Bench) -> Findings:
    run = _whole(bench)
    report = bench.score(run, ("error_groups", "error_labels", "error_extents"), native=True)
    groups, labels, extents = (
        report.metrics[n] for n in ("error_groups", "error_labels", "error_extents")
    )
    assert isinstance(groups, Shares)
    assert isinstance(labels, Matrix)
    assert isinstance(extents, Matrix)
    shares = {name: groups.shares[name] for name in _ERRORS}
    gold = [name for name in labels.row_names if name != SPURIOUS]
    confused = {
        (row, column): labels.count(row, column) for row in gold for column in gold if row != column
    }
    most = max(confused, key=lambda pair: confused[pair], default=("", ""))
    kinds = {kind: groups.shares[f"extent: {kind}"].count for kind in _EXTENTS}
    return Findings(
        _how(bench),
        (
            PageTable(
                "groups",
                ("error", "count", "share", "paper, share"),
                tuple(
                    (name, share.count, shown(share.rate), _ERRORS[name])
                    for name, share in shares.items()
                ),
            ),
            _matrix_table("labels", "gold / predicted", labels),
            _matrix_table("extents", "extent", extents),
        ),
        (
            Plot(
                "",
                "Share of each group of errors",
                bars([(n, [("here", s.rate, None), ("paper", _ERRORS[n], None)])
                      for n, s in shares.items()]),
            ),
        ),
        (
            ClaimCheck(
                "Missing errors are most, 64 %, and the most serious.",
                ", ".join(f"{n} {shown(s.rate)}" for n, s in shares.items()) + ".",
                max(shares, key=lambda n: shares[n].count) == "missing",
            ),
            ClaimCheck(
                "Among extent errors short ones are more than half: 114 short, 78 long, 10 both.",
                ", ".join(f"{kind} {count}" for kind, count in kinds.items()) + ".",
                kinds["short"] * 2 > sum(kinds.values()) if sum(kinds.values()) else None,
            ),
            ClaimCheck(
                "PATIENT and DOCTOR are confused most often: 44 and 14 times.",
                f"Most often: {most[0]} as {most[1]}, {confused.get(most, 0)} times; PATIENT as"
                f" DOCTOR {confused.get(('PATIENT', 'DOCTOR'), 0)}, DOCTOR as PATIENT"
                f" {confused.get(('DOCTOR', 'PATIENT'), 0)}; missing: {_missing(labels)} spans.",
                set(most) == {"PATIENT", "DOCTOR"},
            ),
        ),
    )  # fmt: skip


def _matrix_table(name: str, corner: str, matrix: Matrix) -> PageTable:
    counted = zip(matrix.row_names, matrix.counts, matrix.row_totals(), strict=True)
    rows: tuple[Row, ...] = tuple((row, *counts, total) for row, counts, total in counted)
    return PageTable(name, (corner, *matrix.column_names, "total"), rows)


def _missing(labels: Matrix) -> int:
    return sum(labels.count(row, MISSING) for row in labels.row_names)


def _whole(bench: Bench) -> RecipeResult:
    (run,) = bench.held_out([bench.wi_deid()])
    return run


def _scores(bench: Bench, run: RecipeResult, metric: str) -> Scores:
    scores = bench.score(run, (metric,), native=True).metrics[metric]
    assert isinstance(scores, Scores)
    return scores


def _by_category(bench: Bench, run: RecipeResult) -> dict[str, Score]:
    scores = _scores(bench, run, "i2b2_2014_category")
    return {**scores.by_label, "total": scores.micro}


def _each(scored: Mapping[str, Score]) -> str:
    return ", ".join(f"{name} {shown(score.f1)}" for name, score in scored.items()) + "."


def _how(bench: Bench) -> str:
    has_tagger = "pos" in bench.material.auxiliary
    tagger = "" if has_tagger else " Without parts of speech: no tagger is available here."
    return (
        f"{bench.how_held_out}. Labels are mapped to the native ones; those without one are left"
        f" out.{tagger}"
    )


STUDIES = (
    Study("wi-deid-levels", "Six levels of evaluation", f"{_PAPER}, Table 3", _levels),
    Study("wi-deid-types", "Each type of PHI", f"{_PAPER}, Table 4", _types),
    Study("wi-deid-splitting", "Without the splitting patterns", f"{_PAPER}, Table 5", _splitting),
    Study("wi-deid-groups", "Feature groups added one by one", f"{_PAPER}, Fig. 2 and 3", _groups),
    Study("wi-deid-errors", "Groups of errors", f"{_PAPER}, Tables 6, 7 and 8", _errors),
)
