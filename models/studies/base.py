"""What a study is: a table or figure of a paper, made again on a corpus that is open.

A study asks its `Bench` for experiments, which may be those of other studies too, and makes tables
and plots of what came of them. All experiments are trials of `training.cross_validate`, kept in a
work folder: a study that was stopped goes on where it was.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from ...dictionaries import Dictionary
from ..corpora import AnnotatedDocument, Annotation
from ..evaluation import Report, Score, compare
from ..labels import LABELS
from ..parts import Part
from ..recipes import Learner, Recipe, hide, hitsz, wi_deid, with_lists
from ..recipes.languages import LANGUAGES
from ..training.crossvalidation import cross_validate
from ..training.folds import make_folds
from ..training.settings import Setting, with_learner


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Material:
    """What studies are run on.

    Attributes:
        name: of the corpus, for the pages.
        train, test: gold documents; a study trains on the first and is scored on the second, or
            cross-validates on some of the first.
        language: key of `LANGUAGES`: which lists take the place of the papers'.
        dictionaries: all lists that the recipes name.
        label_map: label of the corpus -> native label, or None; None as a whole for native labels.
        parts: the language parts that are there; features made from others are left out.
    """

    name: str
    train: Sequence[AnnotatedDocument]
    test: Sequence[AnnotatedDocument]
    language: str
    dictionaries: Mapping[str, Dictionary]
    label_map: Mapping[str, str | None] | None = None
    parts: Mapping[str, Part] = dataclasses.field(default_factory=dict)

    def native(self, label: str) -> str | None:
        """The native label of one of the corpus; None if it has none."""
        if self.label_map is None:
            return label if label in LABELS else None
        return self.label_map.get(label)


@dataclasses.dataclass(frozen=True, slots=True)
class Size:
    """How much a study does.

    Attributes:
        name: "full" or "quick".
        documents: most documents of a cross-validation.
        folds: of a cross-validation.
        held: most documents of the training and of the test part, for all else.
        characters: most training documents for the ablations of a character CRF.
        iterations: most of L-BFGS in a cross-validation; None leaves recipes as they are.
        learner: in place of every recipe's; None for theirs.
        few: whether long rows of settings are cut to three.
    """

    name: str
    documents: int
    folds: int
    held: int
    characters: int
    iterations: int | None
    learner: Learner | None = None
    few: bool = False

    def some(self, values: Sequence[float]) -> tuple[float, ...]:
        """All values of a row of settings, or the first, the middle and the last."""
        if not self.few or len(values) <= 3:
            return tuple(values)
        return (values[0], values[len(values) // 2], values[-1])


FULL = Size("full", documents=220, folds=10, held=100_000, characters=150, iterations=50)
"""220 documents in 10 folds are those of Gardner et al. 2010, §6."""

QUICK = Size(
    "quick",
    documents=16,
    folds=2,
    held=24,
    characters=24,
    iterations=None,
    learner=Learner.of("averaged-perceptron", max_iterations=6),
    few=True,
)
"""For a look at whether everything runs; its figures mean nothing."""

SIZES: Mapping[str, Size] = MappingProxyType({size.name: size for size in (FULL, QUICK)})


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Run:
    """What came of one recipe.

    Attributes:
        recipe: as it was trained.
        gold: the documents that were tagged.
        found: the entities of each, in the labels of the corpus.
        seconds: processor time of learning; the mean over folds.
        bytes: of the model files; the mean over folds.
    """

    recipe: Recipe
    gold: Sequence[AnnotatedDocument]
    found: Sequence[Sequence[Annotation]]
    seconds: float
    bytes: int

    def predicted(self) -> list[AnnotatedDocument]:
        """The documents with what was found in them."""
        return predicted(self.gold, self.found)


def predicted(
    gold: Sequence[AnnotatedDocument], found: Sequence[Sequence[Annotation]]
) -> list[AnnotatedDocument]:
    """The documents with other spans."""
    return [
        dataclasses.replace(document, spans=tuple(spans), meta={})
        for document, spans in zip(gold, found, strict=True)
    ]


@dataclasses.dataclass(frozen=True)
class Bench:
    """Where studies are run: material, size, and the folder of what is finished.

    Attributes:
        material: see there.
        size: see there.
        work: private folder of finished trials; None keeps nothing.
        jobs: processes; results do not depend on it, but for seconds.
        told: called with what is being done, a line for people.
    """

    material: Material
    size: Size
    work: Path | None = None
    jobs: int = 1
    told: Callable[[str], None] = lambda line: None

    # Recipes as the material allows them

    def hide(self, groups: Collection[str] = hide.GROUPS) -> Recipe:
        """The recipe `hide` with the lists of the language."""
        return hide.hide(groups, LANGUAGES[self.material.language].hide)

    def wi_deid(self, groups: Collection[str] = wi_deid.GROUPS, layer: str = "wi-deid") -> Recipe:
        """The recipe `wi-deid` with the lists of the language."""
        recipe = wi_deid.wi_deid(groups, layer)
        if recipe.extensions:
            recipe = with_lists(recipe, LANGUAGES[self.material.language].wi_deid)
        return self._without_missing(recipe)

    def hitsz(
        self, kind: str, *, without: Collection[str] = (), layer: str = hitsz.LAYER
    ) -> Recipe:
        """One tagger of the recipe `hitsz` with the lists of the language."""
        lists = LANGUAGES[self.material.language].hitsz
        recipe = hitsz.hitsz(
            taggers=(kind,), without=without, rules=False, dictionaries=lists, layer=layer
        )
        return self._without_missing(recipe)

    def _without_missing(self, recipe: Recipe) -> Recipe:
        return recipe.without(set(recipe.parts) - self.material.parts.keys())

    @property
    def missing_parts(self) -> tuple[str, ...]:
        """Language parts of the papers' systems that are not there."""
        return tuple(sorted(set(hitsz.RECIPE.parts) - self.material.parts.keys()))

    # Experiments

    def held_out(self, recipes: Sequence[Recipe], *, most: int | None = None) -> list[Run]:
        """Trains on the training part and tags the test part.

        Args:
            recipes: what to train.
            most: training documents at most, the first ones of a fixed random order.
        """
        train = self.some(self.material.train, min(most or self.size.held, self.size.held))
        test = list(self.material.test)[: self.size.held]
        documents = [*train, *test]
        held = tuple(range(len(train), len(documents)))
        return self._runs(recipes, documents, (tuple(range(len(train))), held), (1,))

    @property
    def how_held_out(self) -> str:
        """What `held_out` does, as pages say it; without a full stop."""
        material, most = self.material, self.size.held
        return (
            f"Trained on {min(most, len(material.train))} documents of {material.name}, training"
            f" part; scored on {min(most, len(material.test))} of its development part"
        )

    def folds(self, recipes: Sequence[Recipe]) -> list[Run]:
        """Cross-validates by document on some of the training part."""
        documents = self.some(self.material.train, self.size.documents)
        folds = make_folds(documents, self.size.folds)
        if self.size.iterations is not None:
            recipes = [_capped(recipe, self.size.iterations) for recipe in recipes]
        return self._runs(recipes, documents, folds, tuple(range(len(folds))))

    def score(
        self, run: Run, metrics: Collection[str], *, native: bool = False, resamples: int = 0
    ) -> Report:
        """Scores a run.

        Args:
            run: what was found.
            metrics: keys of `METRICS`.
            native: whether labels are mapped to native ones first; those without one are left out.
            resamples: for intervals.
        """
        return self.score_found(run.gold, run.found, metrics, native=native, resamples=resamples)

    def score_found(
        self,
        gold: Sequence[AnnotatedDocument],
        found: Sequence[Sequence[Annotation]],
        metrics: Collection[str],
        *,
        native: bool = False,
        resamples: int = 0,
    ) -> Report:
        """Scores what was found in any way; see `score`."""
        return compare(
            gold,
            predicted(gold, found),
            label_map=self.material.native if native else None,
            metrics=metrics,
            resamples=resamples,
        )

    @staticmethod
    def some(documents: Sequence[AnnotatedDocument], most: int) -> list[AnnotatedDocument]:
        """At most so many of the documents: the first fold of as many as that takes."""
        if len(documents) <= most:
            return list(documents)
        parts = -(-len(documents) // most)
        order = [d for fold in make_folds(documents, parts) for d in fold]
        return [documents[d] for d in sorted(order[:most])]

    def _runs(
        self,
        recipes: Sequence[Recipe],
        documents: Sequence[AnnotatedDocument],
        folds: tuple[tuple[int, ...], ...],
        only: tuple[int, ...],
    ) -> list[Run]:
        if (learner := self.size.learner) is not None:
            parameters = dict(learner.parameters)
            recipes = [with_learner(one, learner.algorithm, parameters) for one in recipes]
        outcomes = cross_validate(
            [Setting((), recipe) for recipe in recipes],
            documents,
            folds,
            only=only,
            dictionaries=self.material.dictionaries,
            label_map=self.material.label_map,
            parts=self.material.parts,
            jobs=self.jobs,
            work=self.work,
            finished=lambda s, f, trial, kept: self.told(
                f"{recipes[s].name}: part {f + 1} of {len(folds)}, {trial.seconds:.0f} s"
                + (" (kept from before)" if kept else "")
            ),
        )
        tagged = sorted(d for f in only for d in folds[f])
        gold = [documents[d] for d in tagged]
        return [
            Run(
                outcome.setting.recipe,
                gold,
                [outcome.found[d] for d in tagged],
                outcome.seconds,
                outcome.bytes,
            )
            for outcome in outcomes
        ]


def _capped(recipe: Recipe, iterations: int) -> Recipe:
    """The recipe with at most so many iterations of L-BFGS."""
    taggers = []
    for tagger in recipe.taggers:
        parameters = dict(tagger.learner.parameters)
        if tagger.learner.algorithm == "lbfgs":
            known = parameters.get("max_iterations", iterations)
            assert isinstance(known, int)
            parameters["max_iterations"] = min(iterations, known)
        learner = Learner(tagger.learner.algorithm, tuple(sorted(parameters.items())))
        taggers.append(dataclasses.replace(tagger, learner=learner))
    return dataclasses.replace(recipe, taggers=tuple(taggers))


# What comes of a study


Row = tuple[str | int | float | None, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Table:
    """A table of a page; a number is shown as it is, so round it first.

    Attributes:
        name: of its CSV file, after the study's; empty for the only one.
        head: names of the columns.
        rows: cells.
    """

    name: str
    head: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Plot:
    """A figure of a page.

    Attributes:
        name: of its SVG file, after the study's; empty for the only one.
        title: for people who do not see it.
        svg: drawn by `evaluation.plots`.
    """

    name: str
    title: str
    svg: str


@dataclasses.dataclass(frozen=True, slots=True)
class Verdict:
    """One claim of the paper beside what was found here.

    Attributes:
        claim: the paper's, with its figures.
        found: ours, with our figures.
        agrees: whether they say the same; None if this material cannot tell.
    """

    claim: str
    found: str
    agrees: bool | None


@dataclasses.dataclass(frozen=True, slots=True)
class Findings:
    """What came of a study.

    Attributes:
        how: what was run on what, in sentences.
        tables, plots, verdicts: in the order of the page.
    """

    how: str
    tables: tuple[Table, ...]
    plots: tuple[Plot, ...]
    verdicts: tuple[Verdict, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Study:
    """A table or figure of a paper.

    Attributes:
        name: key of `STUDIES`.
        title: what is studied.
        source: paper, table or figure.
        run: makes it again.
    """

    name: str
    title: str
    source: str
    run: Callable[[Bench], Findings]


def ratios(score: Score) -> tuple[float | None, float | None, float | None]:
    """Precision, recall and F1."""
    return score.precision, score.recall, score.f1
