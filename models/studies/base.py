"""A study: a table or figure of a paper, reproduced on an open corpus.

A study gets its experiments, which it may share with other studies, from its `Bench`, and turns the
results into tables and plots. All experiments are trials of `training.cross_validate`, kept in a
work folder, so an interrupted study resumes where it stopped.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ...dictionaries import Dictionary
from ..auxiliary import AuxiliaryModel
from ..core.labels import LABELS
from ..corpora import AnnotatedDocument, Annotation
from ..evaluation import Report, compare
from ..recipes import (
    RECIPES,
    Learner,
    Recipe,
    hide,
    hitsz,
    recipe_in,
    stat_deid,
    szeged,
    wi_deid,
    with_lists,
)
from ..training.crossvalidation import cross_validate
from ..training.folds import make_folds
from ..training.settings import Setting, with_learner


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Material:
    """The input of studies.

    Attributes:
        name: of the corpus, for the pages.
        train, test: gold documents; a study trains on the first and is scored on the second, or
            cross-validates on some of the first.
        language: one of `LANGUAGES`; its dictionaries replace the papers'.
        dictionaries: at least those of `lists_needed`.
        label_map: label of the corpus -> native label, or None; None as a whole for native labels.
        auxiliary: the available auxiliary models; features that need others are left out.
        nursing: English nursing notes, for the figures of HIDE on PhysioNet's; generated ones if
            there are none.
    """

    name: str
    train: Sequence[AnnotatedDocument]
    test: Sequence[AnnotatedDocument]
    language: str
    dictionaries: Mapping[str, Dictionary]
    label_map: Mapping[str, str | None] | None = None
    auxiliary: Mapping[str, AuxiliaryModel] = dataclasses.field(default_factory=dict)
    nursing: Sequence[AnnotatedDocument] = ()

    def native(self, label: str) -> str | None:
        """The native label of a label of the corpus; None if it has none."""
        if self.label_map is None:
            return label if label in LABELS else None
        return self.label_map.get(label)


def lists_needed(language: str) -> list[str]:
    """Names of the dictionaries that the papers' recipes need in a language, sorted.

    Those of `hide` in English are always among them: nursing notes are English.
    """
    papers = ("hide", "hitsz", "stat-deid", "szeged", "wi-deid")
    recipes = [*(recipe_in(paper, language) for paper in papers), recipe_in("hide", "en")]
    return sorted({name for recipe in recipes for name in recipe.lists})


@dataclasses.dataclass(frozen=True, slots=True)
class Size:
    """How much a study does.

    Attributes:
        name: "full" or "quick".
        documents: most documents of a cross-validation.
        folds: of a cross-validation.
        held: otherwise, most documents of the training and of the test part each.
        characters: most training documents for the ablations of a character CRF.
        iterations: most iterations of L-BFGS in a cross-validation; None for the recipe's.
        learner: replaces that of every CRF; None for theirs.
        few: whether long series of settings are cut to three.
        rounds: of boosting, where a study does not vary them; 30 in Szarvas et al. 2006.
        passes: most folds that are run of recipes with several passes, which train many models.
        kernel_documents, kernel_tokens: documents to train a machine with a kernel on, and about
            how many fine tokens it is scored on: such machines are slow.
    """

    name: str
    documents: int
    folds: int
    held: int
    characters: int
    iterations: int | None
    learner: Learner | None = None
    few: bool = False
    rounds: int = 10
    passes: int = 5
    kernel_documents: int = 50
    kernel_tokens: int = 15_000

    def some(self, values: Sequence[float]) -> tuple[float, ...]:
        """All values of a series, or the first, the middle and the last."""
        if not self.few or len(values) <= 3:
            return tuple(values)
        return (values[0], values[len(values) // 2], values[-1])


FULL = Size("full", documents=220, folds=5, held=100_000, characters=75, iterations=50)
"""220 documents, as in Gardner et al. 2010, §6, in half as many folds: each is held out once."""

QUICK = Size(
    "quick",
    documents=16,
    folds=2,
    held=24,
    characters=24,
    iterations=None,
    learner=Learner.of("averaged-perceptron", max_iterations=6),
    few=True,
    rounds=2,
    kernel_documents=6,
    kernel_tokens=500,
)
"""To check that everything runs; its figures mean nothing."""

SIZES: Mapping[str, Size] = MappingProxyType({size.name: size for size in (FULL, QUICK)})


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class RecipeResult:
    """The result of one recipe.

    Attributes:
        recipe: as trained.
        gold: the documents that were tagged.
        found: the entities of each, in the labels of the corpus.
        seconds: processor time of learning, mean over folds.
        bytes: size of the model files, mean over folds.
    """

    recipe: Recipe
    gold: Sequence[AnnotatedDocument]
    found: Sequence[Sequence[Annotation]]
    seconds: float
    bytes: int

    def predicted(self) -> list[AnnotatedDocument]:
        """The documents with the entities found."""
        return predicted(self.gold, self.found)


def predicted(
    gold: Sequence[AnnotatedDocument], found: Sequence[Sequence[Annotation]]
) -> list[AnnotatedDocument]:
    """The documents with their spans replaced."""
    return [
        dataclasses.replace(document, spans=tuple(spans), meta={})
        for document, spans in zip(gold, found, strict=True)
    ]


@dataclasses.dataclass(frozen=True)
class Bench:
    """Runs experiments for studies.

    Attributes:
        material: see `Material`.
        size: see `Size`.
        work: private folder of finished trials; None to keep nothing.
        jobs: processes; results do not depend on it, except seconds.
        report: called with a line for the user after each trial.
    """

    material: Material
    size: Size
    work: Path | None = None
    jobs: int = 1
    report: Callable[[str], None] = lambda line: None

    # Recipes for the material

    def hide(
        self,
        groups: Collection[str] = hide.GROUPS,
        *,
        layer: str = "fine",
        language: str | None = None,
    ) -> Recipe:
        """The recipe `hide` with the dictionaries of a language, by default the material's."""
        lists = hide.DICTIONARIES_IN[language or self.material.language]
        return hide.hide(groups, lists, layer=layer)

    def wi_deid(
        self,
        groups: Collection[str] = wi_deid.GROUPS,
        layer: str = "wi-deid",
        *,
        more_lists: bool = False,
    ) -> Recipe:
        """The recipe `wi-deid` with the dictionaries of the language.

        Args:
            groups: of features.
            layer: the segmentation.
            more_lists: whether to have those that the paper does not have.
        """
        lists = wi_deid.LISTS_IN if more_lists else wi_deid.PAPER_LISTS_IN
        recipe = wi_deid.wi_deid(groups, layer)
        if recipe.extensions:
            recipe = with_lists(recipe, lists[self.material.language])
        return self._without_missing(recipe)

    def hitsz(
        self,
        kind: str,
        *,
        without: Collection[str] = (),
        dictionaries: bool = False,
        layer: str = hitsz.LAYER,
        scheme: str | None = None,
    ) -> Recipe:
        """One tagger of the recipe `hitsz`, by default as submitted: without dictionaries.

        Args:
            kind: "token" or "character".
            without: groups of features that are left out.
            dictionaries: whether to have those of the language.
            layer: the segmentation of the token tagger.
            scheme: of its tags; None for the paper's.
        """
        recipe = hitsz.hitsz(
            taggers=(kind,),
            without=without if dictionaries else {*without, "dictionary"},
            rules=False,
            dictionaries=hitsz.LISTS_IN[self.material.language],
            layer=layer,
        )
        if scheme is not None:
            taggers = tuple(dataclasses.replace(t, scheme=scheme) for t in recipe.taggers)
            recipe = dataclasses.replace(recipe, name=f"{recipe.name}-{scheme}", taggers=taggers)
        return self._without_missing(recipe)

    def szeged(self, *, rounds: int | None = None, **options: Any) -> Recipe:
        """The recipe `szeged` with the dictionaries of the language.

        Args:
            rounds: of boosting; None for the size's.
            options: of `recipes.szeged.szeged`.
        """
        rounds = self.size.rounds if rounds is None else rounds
        return szeged.szeged(self.material.language, rounds=rounds, **options)

    def stat_deid(self, groups: Collection[str] = tuple(stat_deid.GROUPS)) -> Recipe:
        """The recipe `stat-deid` with the dictionaries of the language.

        Links are those of recorded parses, as in the paper, if there are such.
        """
        links = "recorded" if "links" in self.material.auxiliary else "learned"
        recipe = stat_deid.stat_deid(self.material.language, groups=groups, links=links)
        return self._without_missing(recipe)

    def _without_missing(self, recipe: Recipe) -> Recipe:
        return recipe.without(set(recipe.auxiliary) - self.material.auxiliary.keys())

    @property
    def missing_auxiliary(self) -> tuple[str, ...]:
        """The auxiliary models of the papers' systems that are not available."""
        return tuple(sorted(set(RECIPES["hitsz"].auxiliary) - self.material.auxiliary.keys()))

    # Experiments

    def held_out(self, recipes: Sequence[Recipe], *, most: int | None = None) -> list[RecipeResult]:
        """Trains on the training part and tags the test part.

        Args:
            recipes: what to train.
            most: most training documents, the first ones of a fixed random order.
        """
        train = self.some(self.material.train, min(most or self.size.held, self.size.held))
        test = list(self.material.test)[: self.size.held]
        documents = [*train, *test]
        held = tuple(range(len(train), len(documents)))
        return self._runs(recipes, documents, (tuple(range(len(train))), held), (1,))

    @property
    def how_held_out(self) -> str:
        """A description of `held_out` for pages, without a full stop."""
        material, most = self.material, self.size.held
        return (
            f"Trained on {min(most, len(material.train))} documents of {material.name}, training"
            f" part; scored on {min(most, len(material.test))} of its development part"
        )

    def folds(
        self,
        recipes: Sequence[Recipe],
        documents: Sequence[AnnotatedDocument] | None = None,
        *,
        folds: int | None = None,
        to_convergence: bool = False,
        most: int | None = None,
    ) -> list[RecipeResult]:
        """Cross-validates by document.

        Args:
            recipes: what to train.
            documents: on which; by default some of the training part.
            folds: how many; by default as many as the size has.
            to_convergence: whether L-BFGS runs as long as the recipe says.
            most: folds that are run, the first ones; None for all.
        """
        if documents is None:
            documents = self.some(self.material.train, self.size.documents)
        split = make_folds(documents, folds or self.size.folds)
        if self.size.iterations is not None and not to_convergence:
            recipes = [_capped(recipe, self.size.iterations) for recipe in recipes]
        return self._runs(recipes, documents, split, tuple(range(len(split)))[:most])

    def score(
        self,
        run: RecipeResult,
        metrics: Collection[str],
        *,
        native: bool = False,
        resamples: int = 0,
    ) -> Report:
        """Scores a run.

        Args:
            run: the result of a recipe.
            metrics: keys of `METRICS`.
            native: whether to map labels to native ones first; those without one are left out.
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
        """Scores entities from any source; see `score`."""
        return compare(
            gold,
            predicted(gold, found),
            label_map=self.material.native if native else None,
            metrics=metrics,
            resamples=resamples,
        )

    @staticmethod
    def some(documents: Sequence[AnnotatedDocument], most: int) -> list[AnnotatedDocument]:
        """At most `most` of the documents, drawn at random but reproducibly."""
        if len(documents) <= most:
            return list(documents)
        folds = make_folds(documents, -(-len(documents) // most))
        order = [d for fold in folds for d in fold]
        return [documents[d] for d in sorted(order[:most])]

    def _runs(
        self,
        recipes: Sequence[Recipe],
        documents: Sequence[AnnotatedDocument],
        folds: tuple[tuple[int, ...], ...],
        only: tuple[int, ...],
    ) -> list[RecipeResult]:
        if (learner := self.size.learner) is not None:
            parameters = dict(learner.parameters)
            recipes = [
                with_learner(recipe, learner.algorithm, parameters)
                if all(tagger.learner.family == "crf" for tagger in recipe.taggers)
                else recipe
                for recipe in recipes
            ]
        # With a size's learner, recipes that differ in theirs are one: it is trained once.
        distinct = list(dict.fromkeys(recipes))
        results = cross_validate(
            [Setting((), recipe) for recipe in distinct],
            documents,
            folds,
            only=only,
            dictionaries=self.material.dictionaries,
            label_map=self.material.label_map,
            auxiliary=self.material.auxiliary,
            jobs=self.jobs,
            work=self.work,
            on_trial=lambda s, f, trial, is_kept: self.report(
                f"{distinct[s].name}: fold {f + 1} of {len(folds)}, {trial.seconds:.0f} s"
                + (" (kept from before)" if is_kept else "")
            ),
        )
        tagged = sorted(d for f in only for d in folds[f])
        gold = [documents[d] for d in tagged]
        found = {
            result.setting.recipe: RecipeResult(
                result.setting.recipe,
                gold,
                [result.found[d] for d in tagged],
                result.seconds,
                result.bytes,
            )
            for result in results
        }
        return [found[recipe] for recipe in recipes]


def _capped(recipe: Recipe, iterations: int) -> Recipe:
    """The recipe with a limit on the iterations of L-BFGS."""
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
