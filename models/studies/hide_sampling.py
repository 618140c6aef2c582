"""Studies of Gardner et al. 2010: sampling, on the corpus and on nursing notes, and its time."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence

from ..evaluation.scores import Score, Scores
from ..plots.curves import lines
from ..recipes import Recipe, Sampling
from ..training.reporting import shown
from ..training.settings import with_sampling
from .base import (
    Bench,
    RecipeResult,
)
from .findings import (
    ClaimCheck,
    Findings,
    PageTable,
    Plot,
    Study,
    ratios,
)
from .hide import PAPER, how_folded, tags
from .nursing import describe_nursing, nursing_notes
from .replaced import by_rules

_KEEP = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_WINDOWS = (1, 2, 3, 4, 5, 10, 15, 20, 30, 50)

_POOR = 0.9
"""Recall below this is called poor: one PHI token in ten is left."""


_MINIMAL = 0.01
"""A loss of precision below this is called minimal."""

_ALL = 0.99
"""Recall from here on is called all."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Curve:
    """Scores against one setting of sampling.

    Attributes:
        knob: its name.
        values: its values, rising.
        scores: at each.
        seconds: of learning at each.
    """

    knob: str
    values: tuple[float, ...]
    scores: Sequence[Score]
    seconds: Sequence[float]

    def at(self, place: int) -> tuple[float, float, float]:
        """Value, precision and recall."""
        score = self.scores[place]
        return self.values[place], score.precision or 0.0, score.recall or 0.0

    def ends(self) -> str:
        """Recall and precision at both ends, for people."""
        parts = [
            f"at {self.knob} = {value:g} recall {recall:.4f}, precision {precision:.4f}"
            for value, precision, recall in (self.at(0), self.at(-1))
        ]
        return "; ".join(parts) + "."

    def table(self, name: str) -> PageTable:
        """Scores and seconds at each value."""
        rows = zip(self.values, self.scores, self.seconds, strict=True)
        return PageTable(
            name,
            (self.knob, "P", "R", "F1", "seconds a fold"),
            tuple((v, *map(shown, ratios(score)), s) for v, score, s in rows),
        )

    def plot(self, name: str, title: str) -> Plot:
        """Precision, recall and F1 against the setting."""
        columns = zip(*map(ratios, self.scores), strict=True)
        series = {
            label: list(zip(self.values, column, strict=True))
            for label, column in zip(("P", "R", "F1"), columns, strict=True)
        }
        return Plot(name, title, lines(series, across=self.knob))


def _curve(
    bench: Bench, knob: str, values: tuple[float, ...], runs: Sequence[RecipeResult]
) -> _Curve:
    scores = [tags(bench, run) for run in runs]
    return _Curve(knob, values, scores, [run.seconds for run in runs])


def _random_of(recipe: Recipe, p: float) -> Recipe:
    return with_sampling(recipe, Sampling("random", p, history=4))


def _window_of(recipe: Recipe, k: float) -> Recipe:
    return with_sampling(recipe, Sampling("window", window=int(k)))


def _on_nursing(bench: Bench, recipes: Sequence[Recipe]) -> list[RecipeResult]:
    return bench.folds(recipes, nursing_notes(bench), to_convergence=True)


def _random_o(bench: Bench) -> Findings:
    values = bench.size.some(_KEEP)
    whole, nursing = bench.hide(), bench.hide(language="en")
    corpus = _curve(bench, "p", values, bench.folds([_random_of(whole, p) for p in values]))
    runs = _on_nursing(bench, [_random_of(nursing, p) for p in values])
    notes = _curve(bench, "p", values, runs)
    crossed = [v for v, s in zip(values, notes.scores, strict=True)
               if (s.precision or 0.0) >= (s.recall or 0.0)]  # fmt: skip
    return Findings(
        how=how_folded(bench)
        + " Items without a label are kept with probability p, and the four before each labelled"
        " one always." + describe_nursing(bench),
        tables=(corpus.table(""), notes.table("nursing")),
        plots=(
            corpus.plot("", "Precision, recall and F1 against p"),
            notes.plot("nursing", "The same on nursing notes"),
        ),
        verdicts=(
            _biased(
                corpus,
                "When the selection probability is small the system is biased toward recall;"
                " precision and recall converge as it grows (Fig. 5).",
            ),
            _poor(
                notes,
                "On nursing notes recall is poor without a very small selection probability"
                " (Fig. 7).",
            ),
            ClaimCheck(
                "On nursing notes precision and recall meet near p = .2 (Fig. 7).",
                f"Precision is first the higher one at p = {crossed[0]:g}."
                if crossed
                else "Recall is the higher one at every p.",
                bool(crossed) and crossed[0] <= 0.3,
            ),
        ),
    )


def _window(bench: Bench) -> Findings:
    values = bench.size.some(_WINDOWS)
    corpus = _curve(bench, "k", values, _windows(bench, values))
    nursing = bench.hide(language="en")
    runs = _on_nursing(bench, [_window_of(nursing, k) for k in values])
    (whole,) = bench.folds([bench.hide()], to_convergence=True)
    notes = _curve(bench, "k", values, runs)
    place = min(range(len(values)), key=lambda n: abs(values[n] - 4))
    k, precision, recall = notes.at(place)
    return Findings(
        how=how_folded(bench, capped=False)
        + " The k items on either side of each labelled one are kept."
        + describe_nursing(bench),
        tables=(corpus.table(""), notes.table("nursing")),
        plots=(
            corpus.plot("", "Precision, recall and F1 against k"),
            notes.plot("nursing", "The same on nursing notes"),
        ),
        verdicts=(
            _biased(
                corpus,
                "A small window biases the system toward recall, at a cost in precision that falls"
                " as the window grows (Fig. 6).",
            ),
            _poor(notes, "On nursing notes recall is poor without a small window (Fig. 8)."),
            ClaimCheck(
                "On nursing notes recall is .972 at a precision of .255 with a history of 4"
                " (Fig. 8): recall is bought with most of the precision.",
                f"At k = {k:g} recall is {recall:.4f} and precision {precision:.4f}.",
                recall > 0.95 and precision < 0.5,
            ),
            _little_cost(corpus, tags(bench, whole)),
            *_small_window(bench, notes, runs[0]),
        ),
    )


def _windows(bench: Bench, values: Sequence[float]) -> list[RecipeResult]:
    """Runs that two studies share."""
    return bench.folds([_window_of(bench.hide(), k) for k in values], to_convergence=True)


def _biased(curve: _Curve, claim: str) -> ClaimCheck:
    (_, first_p, first_r), (_, last_p, last_r) = curve.at(0), curve.at(-1)
    agrees = first_r > last_r and first_r - first_p > last_r - last_p
    return ClaimCheck(claim, curve.ends().capitalize(), agrees)


def _poor(curve: _Curve, claim: str) -> ClaimCheck:
    (_, _, first), (_, _, last) = curve.at(0), curve.at(-1)
    return ClaimCheck(claim, curve.ends().capitalize(), last < _POOR and first > last)


def _little_cost(curve: _Curve, whole: Score) -> ClaimCheck:
    """Whether some window has more recall, and hardly less precision, than no sampling."""
    least = (whole.precision or 0.0) - _MINIMAL
    points = [curve.at(place) for place in range(len(curve.values))]
    cheap = [point for point in points if point[1] >= least]
    best = max(cheap, key=lambda point: (point[2], point[1]), default=None)
    found = (
        f"at k = {best[0]:g} {best[1]:.4f} and {best[2]:.4f}" if best else "with no window so much"
    )
    return ClaimCheck(
        "Window sampling increases recall with minimal impact on precision, less than a point here"
        " (abstract).",
        f"Precision and recall are {shown(whole.precision)} and {shown(whole.recall)} without"
        f" sampling; {found}.",
        best is not None and best[2] > (whole.recall or 0.0),
    )


def _small_window(bench: Bench, curve: _Curve, run: RecipeResult) -> tuple[ClaimCheck, ...]:
    """What the smallest window finds in nursing notes, also beside rules."""
    k, precision, recall = curve.at(0)
    rules = [by_rules(document) for document in run.gold]
    scores = [
        bench.score_found(run.gold, found, ("token_blind",)).metrics["token_blind"]
        for found in (run.found, rules)
    ]
    own, ruled = (score.micro for score in scores if isinstance(score, Scores))
    return (
        ClaimCheck(
            "With a smaller window all PHI of the nursing notes can be detected (§6.2): recall is"
            " .99 or more.",
            f"At k = {k:g} recall is {recall:.4f}, precision {precision:.4f}.",
            recall >= _ALL,
        ),
        ClaimCheck(
            "On nursing notes window sampling reaches the recall of rules tailored by hand (§6.2)."
            " Here these are the default rules, without dictionaries; tokens are label-blind.",
            f"At k = {k:g} P {shown(own.precision)}, R {shown(own.recall)}; rules P"
            f" {shown(ruled.precision)}, R {shown(ruled.recall)}.",
            (own.recall or 0.0) >= (ruled.recall or 0.0),
        ),
    )


def _time(bench: Bench) -> Findings:
    values = bench.size.some(_WINDOWS)
    runs = _windows(bench, values)
    (whole,) = bench.folds([bench.hide()], to_convergence=True)
    (nursing,) = _on_nursing(bench, [bench.hide(language="en")])
    seconds = [run.seconds for run in runs]
    rising = sum(b >= a for a, b in itertools.pairwise(seconds))
    folds = bench.size.folds
    return Findings(
        how=how_folded(bench, capped=False) + " Processor time of learning, the mean over the"
        " folds, on a machine that was doing other work too; features are computed once for all."
        + describe_nursing(bench),
        tables=(
            PageTable(
                "",
                ("k", "seconds a fold"),
                (
                    *((f"{k:g}", s) for k, s in zip(values, seconds, strict=True)),
                    ("all items", whole.seconds),
                    ("all items, nursing notes", nursing.seconds),
                ),
            ),
        ),
        plots=(
            Plot(
                "",
                "Seconds of learning against the window",
                lines({"seconds": list(zip(values, seconds, strict=True))}, across="k", up="s"),
            ),
        ),
        verdicts=(
            ClaimCheck(
                "Training time increases with the window; ten models on the cross-validation sets"
                " took 744 s without sampling.",
                f"It grows in {rising} of {len(values) - 1} steps, from {seconds[0]:.1f} s at k ="
                f" {values[0]:g} to {seconds[-1]:.1f} s at {values[-1]:g};"
                f" {whole.seconds:.1f} s without sampling, {whole.seconds * folds:.0f} s for"
                f" {folds} models.",
                seconds[0] < seconds[-1] <= whole.seconds * 1.1,
            ),
            ClaimCheck(
                "Ten models of the nursing notes took 24 s, a thirtieth of that.",
                f"{nursing.seconds * folds:.1f} s for {folds} models,"
                f" {nursing.seconds / whole.seconds if whole.seconds else 0.0:.3f} of that.",
                nursing.seconds < whole.seconds / 5,
            ),
        ),
    )


STUDIES = (
    Study(
        "hide-random-o",
        "Random O-sampling, also of nursing notes",
        f"{PAPER}, Fig. 5 and 7",
        _random_o,
    ),
    Study(
        "hide-window",
        "Window sampling, also of nursing notes",
        f"{PAPER}, Fig. 6 and 8",
        _window,
    ),
    Study("hide-time", "Training time against the window", f"{PAPER}, Fig. 9 and §6.4", _time),
)
