"""Cross-validation by document, of one setting or several: a search.

Each fold trains on the documents that it does not hold out, and tags the others. Features are
computed once for all folds and settings that share them. The exception are recipes that make
dictionaries from training spans: there each fold has its own (He et al. 2015, §2.2), or it would
know words of the held-out documents.
"""

from __future__ import annotations

import dataclasses
import json
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from ...dictionaries import Dictionary
from ..auxiliary import AuxiliaryModel
from ..bundles.bundle import make_bundle
from ..core.code_hash import code_hash
from ..core.errors import UsageError
from ..corpora import AnnotatedDocument, Annotation
from ..crf.learning import Progress
from ..families import FAMILIES
from ..recipes import Recipe
from ..storage.private_files import read_checked, write_checked
from .decoding import Decoders, Found, PassDecoder
from .folds import Folds, training_part
from .identity import corpus_hash, feature_key, hash_of, lists_hash
from .passes import fit_recipe, parts
from .preparing import Prepared, make_dictionaries, prepare
from .processes import OnIteration, run_tasks
from .scoring import Scored, Scorer, gold_for
from .settings import Setting

Prepare = Callable[
    [Recipe, Sequence[AnnotatedDocument], Mapping[str, Dictionary], Mapping[str, AuxiliaryModel]],
    tuple[Prepared, ...],
]


@dataclasses.dataclass(frozen=True, slots=True)
class Trial:
    """The result of one setting in one fold.

    Attributes:
        found: the entities of each held-out document, in the labels of the corpus.
        bytes: size of the model files.
        iterations: of the learner, for all taggers together.
        seconds: of processor time for learning; informational.
    """

    found: Found
    bytes: int
    iterations: int
    seconds: float


@dataclasses.dataclass(frozen=True, slots=True)
class SettingResult:
    """The result of one setting in all folds.

    Attributes:
        setting: that was tried.
        found: the entities of each document of the corpus, from the fold that held it out; empty
            for documents that were not held out.
        scored: scores over all held-out documents.
        by_fold: scores of each fold.
        bytes: mean size of the model files.
        seconds: mean processor time of learning.
    """

    setting: Setting
    found: Found
    scored: Scored
    by_fold: tuple[Scored, ...]
    bytes: int
    seconds: float

    def predicted(self, documents: Sequence[AnnotatedDocument]) -> list[AnnotatedDocument]:
        """The documents of the corpus with the entities found, for `evaluation.compare`."""
        return [
            dataclasses.replace(document, spans=spans, meta={})
            for document, spans in zip(documents, self.found, strict=True)
        ]

    @property
    def f1(self) -> float:
        """Mean strict F1 of the folds, to six digits, without folds that have no spans."""
        return round(statistics.fmean(self._defined()), 6)

    @property
    def spread(self) -> float:
        """Population standard deviation of the strict F1 of the folds."""
        return round(statistics.pstdev(self._defined()), 6)

    def _defined(self) -> list[float]:
        return [s.strict.f1 for s in self.by_fold if s.strict.f1 is not None] or [0.0]


def cross_validate(
    settings: Sequence[Setting],
    documents: Sequence[AnnotatedDocument],
    folds: Folds,
    *,
    dictionaries: Mapping[str, Dictionary],
    auxiliary: Mapping[str, AuxiliaryModel] = MappingProxyType({}),
    label_map: Mapping[str, str | None] | None = None,
    only: Sequence[int] | None = None,
    jobs: int = 1,
    work: Path | None = None,
    prepared_by: Prepare = prepare,
    on_iteration: Callable[[int, int, int, float], None] | None = None,
    on_trial: Callable[[int, int, Trial, bool], None] | None = None,
) -> tuple[SettingResult, ...]:
    """Tries each setting in each fold.

    Args:
        settings: recipes; those that differ only in the learner share their features.
        documents: gold, in memory together with all their features.
        folds: see `make_folds`.
        dictionaries: at least the `lists` of all recipes.
        auxiliary: at least the models that the recipes need.
        label_map: of the corpus, for recipes that make dictionaries.
        only: the folds to hold out; None for all. One of two folds makes a training and test split.
        jobs: processes; results do not depend on it, except `seconds`.
        work: a private folder that keeps each finished trial under the hash of everything that
            determines it. It holds no text, but offsets and labels.
        prepared_by: computes features; a cache may replace `prepare`.
        on_iteration: called in this process with setting, fold, iteration and loss.
        on_trial: called with setting, fold, the trial, and whether it was found in `work`.

    Raises:
        UsageError: if a fold has nothing to learn from, or a dictionary is missing.
        RunFailed: if a process died; finished trials are kept in `work`.
    """
    keys = _trial_keys(settings, documents, folds, dictionaries, auxiliary, label_map)
    chosen = range(len(folds)) if only is None else only
    tasks = [(s, f) for s in range(len(settings)) for f in chosen]
    trials: dict[tuple[int, int], Trial] = {}
    for task in tasks:
        held = [documents[d] for d in folds[task[1]]]
        if work and (kept := _read_trial(work / keys[task], held)):
            trials[task] = kept
            if on_trial:
                on_trial(*task, kept, True)

    resources = _Resources(documents, folds, dictionaries, auxiliary, label_map)
    left = [task for task in tasks if task not in trials]
    for task, trial in _tried(settings, left, resources, jobs, prepared_by, on_iteration):
        trials[task] = trial
        if work:
            write_checked(work / keys[task], _trial_to_json(trial))
        if on_trial:
            on_trial(*task, trial, False)
    held_out = [folds[f] for f in chosen]
    scorers = {s.recipe.classes: _scorers(s.recipe, documents, held_out) for s in settings}
    return tuple(
        _result(
            setting,
            [trials[s, f] for f in chosen],
            held_out,
            len(documents),
            *scorers[setting.recipe.classes],
        )
        for s, setting in enumerate(settings)
    )


def _scorers(
    recipe: Recipe, documents: Sequence[AnnotatedDocument], folds: Sequence[Sequence[int]]
) -> tuple[list[Scorer], Scorer]:
    """That of each fold, and that of all documents held out, in order."""
    gold = gold_for(recipe, documents)
    every = Scorer([gold[d] for d in sorted(d for fold in folds for d in fold)])
    return [Scorer([gold[d] for d in fold]) for fold in folds], every


def best_of(results: Sequence[SettingResult]) -> int:
    """The setting with the highest mean strict F1; of equals the smallest model, then the first."""
    return min(range(len(results)), key=lambda n: (-results[n].f1, results[n].bytes, n))


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Resources:
    """The arguments of `cross_validate` that a trial needs, whatever its setting and fold."""

    documents: Sequence[AnnotatedDocument]
    folds: Folds
    dictionaries: Mapping[str, Dictionary]
    auxiliary: Mapping[str, AuxiliaryModel]
    label_map: Mapping[str, str | None] | None


def _tried(
    settings: Sequence[Setting],
    tasks: Sequence[tuple[int, int]],
    resources: _Resources,
    jobs: int,
    prepared_by: Prepare,
    on_iteration: Callable[[int, int, int, float], None] | None,
) -> Iterator[tuple[tuple[int, int], Trial]]:
    """Yields each task, a setting and a fold, with its trial, as they end."""

    def report(number: int, iteration: int, loss: float) -> None:
        if on_iteration:
            on_iteration(*tasks[number], iteration, loss)

    for group in _sharing_features(settings):
        left = [number for number, task in enumerate(tasks) if task[0] in group]
        if not left:
            continue
        recipe = settings[group[0]].recipe
        # The children forked below share it; a copy for each would not fit into memory.
        shared = None
        if not recipe.extensions and not recipe.counts:
            made = make_dictionaries(
                recipe, resources.documents, resources.dictionaries, resources.label_map
            )
            shared = prepared_by(recipe, resources.documents, made, resources.auxiliary)

        def try_task(
            number: int, report: OnIteration, shared: tuple[Prepared, ...] | None = shared
        ) -> Trial:
            setting, fold = tasks[number]
            return _try(
                settings[setting].recipe,
                fold,
                resources,
                shared,
                lambda iteration, loss: report(number, iteration, loss),
            )

        for number, trial in run_tasks(try_task, left, jobs=jobs, on_iteration=report):
            yield tasks[number], trial


def _try(
    recipe: Recipe,
    fold: int,
    given: _Resources,
    shared: tuple[Prepared, ...] | None,
    progress: Progress,
) -> Trial:
    """Trains without a fold and tags it; `shared` is None if the fold needs features of its own."""
    documents, held = given.documents, given.folds[fold]
    train = training_part(given.folds, fold)
    training = [documents[d] for d in train]
    made = given.dictionaries
    if recipe.made:
        made = make_dictionaries(recipe, training, given.dictionaries, given.label_map)
    taggers = shared
    if taggers is None:
        taggers = prepare(recipe, documents, made, given.auxiliary)
    iterations = 0

    def count(iteration: int, loss: float) -> None:
        nonlocal iterations
        iterations += 1
        progress(iteration, loss)

    began = time.process_time()
    own = [
        dataclasses.replace(prepared, recipe=recipe.tagger_of[key])
        for key, prepared in zip(recipe.keys_of_passes[0], taggers, strict=True)
    ]
    try:
        models = fit_recipe(
            recipe,
            parts(own, train),
            training,
            made,
            given.auxiliary,
            progress=lambda key: count,
            fold_progress=lambda key: count,
        )
    except UsageError as error:
        raise error.within(f"fold {fold + 1} of {len(given.folds)}") from None
    seconds = time.process_time() - began
    size = sum(
        len(FAMILIES[tagger.learner.family].pack(models[key]))
        for key, tagger in recipe.tagger_of.items()
    )
    texts = [documents[d].text for d in held]
    if recipe.passes:
        bundle = make_bundle(
            "fold", recipe=recipe, models=models, dictionaries=made, auxiliary=given.auxiliary
        )
        found = PassDecoder(bundle, texts).entities()
    else:
        held_out = (prepared.of_documents(held).features for prepared in taggers)
        features = dict(zip(recipe.keys, held_out, strict=True))
        found = Decoders(models, features, recipe, texts).entities()
    return Trial(found, size, iterations, round(seconds, 2))


def _sharing_features(settings: Sequence[Setting]) -> list[list[int]]:
    groups: dict[str, list[int]] = {}
    for number, setting in enumerate(settings):
        groups.setdefault(feature_key(setting.recipe), []).append(number)
    return list(groups.values())


def _result(
    setting: Setting,
    trials: Sequence[Trial],
    folds: Sequence[Sequence[int]],
    documents: int,
    scorers: Sequence[Scorer],
    every: Scorer,
) -> SettingResult:
    found: list[tuple[Annotation, ...]] = [()] * documents
    for fold, trial in zip(folds, trials, strict=True):
        for document, spans in zip(fold, trial.found, strict=True):
            found[document] = spans
    return SettingResult(
        setting,
        tuple(found),
        every.score([found[d] for d in sorted(d for fold in folds for d in fold)]),
        tuple(s.score(trial.found) for s, trial in zip(scorers, trials, strict=True)),
        round(statistics.fmean(trial.bytes for trial in trials)),
        round(statistics.fmean(trial.seconds for trial in trials), 2),
    )


# Keeping trials


def _trial_keys(
    settings: Sequence[Setting],
    documents: Sequence[AnnotatedDocument],
    folds: Folds,
    dictionaries: Mapping[str, Dictionary],
    auxiliary: Mapping[str, AuxiliaryModel],
    label_map: Mapping[str, str | None] | None,
) -> dict[tuple[int, int], str]:
    corpus, code = corpus_hash(documents), code_hash()
    keys = {}
    for s, setting in enumerate(settings):
        lists = lists_hash(setting.recipe, dictionaries)
        mapping = dict(label_map) if label_map and setting.recipe.extensions else None
        recipe = setting.recipe.as_json()
        auxiliary_hashes = {
            name: auxiliary[name].hash for name in setting.recipe.auxiliary if name in auxiliary
        }
        for f in range(len(folds)):
            held = list(folds[f])
            key = hash_of([code, corpus, recipe, lists, auxiliary_hashes, mapping, held])
            keys[s, f] = f"trial-{key}"
    return keys


def _trial_to_json(trial: Trial) -> bytes:
    values = {
        "found": [[[s.start, s.end, s.label] for s in spans] for spans in trial.found],
        "bytes": trial.bytes,
        "iterations": trial.iterations,
        "seconds": trial.seconds,
    }
    return json.dumps(values).encode()


def _read_trial(path: Path, held: Sequence[AnnotatedDocument]) -> Trial | None:
    """The trial of an earlier run; None if there is none, or it is damaged."""
    content = read_checked(path)
    if content is None:
        return None
    try:
        values = json.loads(content)
        found = tuple(tuple(Annotation(s, e, label) for s, e, label in r) for r in values["found"])
        sound = len(found) == len(held) and all(
            span.end <= len(document.text)
            for document, spans in zip(held, found, strict=True)
            for span in spans
        )
        if not sound:
            return None
        return Trial(
            found, int(values["bytes"]), int(values["iterations"]), float(values["seconds"])
        )
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
