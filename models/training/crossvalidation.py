"""Cross-validation by document, of one setting or of many: a search.

Each fold is trained on the documents that it does not hold out, and tags those that it does.
Features are made once for all folds and settings that see the same, except where a recipe extends
its dictionaries from training spans: then each fold has its own (He et al. 2015, §2.2), or words of
the documents held out would be known.
"""

from __future__ import annotations

import dataclasses
import json
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from ...dictionaries import Dictionary
from ..code import code_hash
from ..corpora import AnnotatedDocument, Annotation
from ..crf.packed import pack
from ..errors import UsageError
from ..parts import Part
from ..recipes import Recipe
from .decoding import Decoders, Found
from .folds import Folds, training_part
from .identity import corpus_hash, feature_key, hash_of, lists_hash
from .preparing import Prepared, fit, make_dictionaries, prepare
from .private import read_private, write_private
from .processes import Told, run_tasks
from .scoring import Scored, Scorer
from .settings import Setting

Prepare = Callable[
    [Recipe, Sequence[AnnotatedDocument], Mapping[str, Dictionary], Mapping[str, Part]],
    tuple[Prepared, ...],
]


@dataclasses.dataclass(frozen=True, slots=True)
class Trial:
    """What came of one setting in one fold.

    Attributes:
        found: the entities of each document held out, in the labels of the corpus.
        bytes: size of the model files.
        iterations: of the learner, all taggers together.
        seconds: of processor time, learning alone; decides nothing.
    """

    found: Found
    bytes: int
    iterations: int
    seconds: float


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one setting in all folds.

    Attributes:
        setting: what was tried.
        found: the entities of each document of the corpus, by the fold that held it out; none for
            one that was not held out.
        scored: all documents held out together.
        by_fold: those of each fold that was held out.
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
        """The documents of the corpus with what was found in them: for `evaluation.compare`."""
        return [
            dataclasses.replace(document, spans=spans, meta={})
            for document, spans in zip(documents, self.found, strict=True)
        ]

    @property
    def f1(self) -> float:
        """Mean strict F1 of the folds, to six digits; folds without any span do not count."""
        return round(statistics.fmean(self._defined()), 6)

    @property
    def spread(self) -> float:
        """Standard deviation of the strict F1 of the folds (of the population)."""
        return round(statistics.pstdev(self._defined()), 6)

    def _defined(self) -> list[float]:
        return [s.strict.f1 for s in self.by_fold if s.strict.f1 is not None] or [0.0]


def cross_validate(
    settings: Sequence[Setting],
    documents: Sequence[AnnotatedDocument],
    folds: Folds,
    *,
    dictionaries: Mapping[str, Dictionary],
    parts: Mapping[str, Part] = MappingProxyType({}),
    label_map: Mapping[str, str | None] | None = None,
    only: Sequence[int] | None = None,
    jobs: int = 1,
    work: Path | None = None,
    prepared_by: Prepare = prepare,
    told: Callable[[int, int, int, float], None] | None = None,
    finished: Callable[[int, int, Trial, bool], None] | None = None,
) -> tuple[Outcome, ...]:
    """Tries each setting in each fold.

    Args:
        settings: recipes; those that differ in nothing but the learner share their features.
        documents: gold, in memory with the features of all of them.
        folds: see `make_folds`.
        dictionaries: at least the `lists` of all recipes.
        parts: at least those of all recipes.
        label_map: of the corpus; recipes that extend dictionaries need it.
        only: the folds to hold out; all if None. One of two is a training and a test part.
        jobs: processes; the outcome does not depend on it, but for `seconds`.
        work: a private folder in which each finished trial is kept, and found again by the hash of
            all that decides it. It holds no text, but places and labels.
        prepared_by: makes features; a cache may stand in for `prepare`.
        told: called with setting, fold, iteration and loss; in this process.
        finished: called with setting, fold, the trial, and whether it was found in `work`.

    Raises:
        UsageError: if a fold has nothing to learn from, or a list is missing.
        RunFailed: if a process died; what is finished is kept in `work`.
    """
    keys = _trial_keys(settings, documents, folds, dictionaries, parts, label_map)
    chosen = range(len(folds)) if only is None else only
    tasks = [(s, f) for s in range(len(settings)) for f in chosen]
    trials: dict[tuple[int, int], Trial] = {}
    for task in tasks:
        held = [documents[d] for d in folds[task[1]]]
        if work and (kept := _read_trial(work / keys[task], held)):
            trials[task] = kept
            if finished:
                finished(*task, kept, True)

    def tell(number: int, iteration: int, loss: float) -> None:
        if told:
            told(*tasks[number], iteration, loss)

    for group in _sharing_features(settings):
        left = [n for n, task in enumerate(tasks) if task[0] in group and task not in trials]
        if not left:
            continue
        recipe = settings[group[0]].recipe
        # Read by the children that are forked below; a copy for each would not fit.
        shared = None
        if not recipe.extensions:
            made = make_dictionaries(recipe, documents, dictionaries, label_map)
            shared = prepared_by(recipe, documents, made, parts)

        def try_one(number: int, tell: Told, shared: tuple[Prepared, ...] | None = shared) -> Trial:
            setting, fold = tasks[number]
            recipe = settings[setting].recipe
            train = training_part(folds, fold)
            taggers = shared
            if taggers is None:
                part = [documents[d] for d in train]
                made = make_dictionaries(recipe, part, dictionaries, label_map)
                taggers = prepare(recipe, documents, made, parts)
            try:
                held = folds[fold]
                texts = [documents[d].text for d in held]
                return _try(recipe, taggers, train, held, texts, lambda i, x: tell(number, i, x))
            except UsageError as error:
                raise error.within(f"fold {fold + 1} of {len(folds)}") from None

        for number, trial in run_tasks(try_one, left, jobs=jobs, told=tell):
            task = tasks[number]
            trials[task] = trial
            if work:
                write_private(work / keys[task], _trial_to_json(trial))
            if finished:
                finished(*task, trial, False)
    held_out = [folds[f] for f in chosen]
    scorers = [Scorer([documents[d] for d in fold]) for fold in held_out]
    every = Scorer([documents[d] for d in sorted(d for fold in held_out for d in fold)])
    return tuple(
        _outcome(setting, [trials[s, f] for f in chosen], held_out, len(documents), scorers, every)
        for s, setting in enumerate(settings)
    )


def best_of(outcomes: Sequence[Outcome]) -> int:
    """The setting with the highest mean strict F1; of equals the smallest model, then the first."""
    return min(range(len(outcomes)), key=lambda n: (-outcomes[n].f1, outcomes[n].bytes, n))


def _try(
    recipe: Recipe,
    taggers: Sequence[Prepared],
    train: Sequence[int],
    held: Sequence[int],
    texts: Sequence[str],
    told: Callable[[int, float], None],
) -> Trial:
    began = time.process_time()
    models, iterations = {}, 0

    def count(iteration: int, loss: float) -> None:
        nonlocal iterations
        iterations += 1
        told(iteration, loss)

    for prepared, tagger in zip(taggers, recipe.taggers, strict=True):
        part = dataclasses.replace(prepared.of_documents(train), recipe=tagger)
        models[tagger.kind] = fit(part, seed=recipe.seed, progress=count)
        del part
    seconds = time.process_time() - began
    sizes = sum(len(pack(model)) for model in models.values())
    features = {p.recipe.kind: p.of_documents(held).features for p in taggers}
    found = Decoders(models, features, recipe, texts).entities()
    return Trial(found, sizes, iterations, round(seconds, 2))


def _sharing_features(settings: Sequence[Setting]) -> list[list[int]]:
    groups: dict[str, list[int]] = {}
    for number, setting in enumerate(settings):
        groups.setdefault(feature_key(setting.recipe), []).append(number)
    return list(groups.values())


def _outcome(
    setting: Setting,
    trials: Sequence[Trial],
    folds: Sequence[Sequence[int]],
    documents: int,
    scorers: Sequence[Scorer],
    every: Scorer,
) -> Outcome:
    found: list[tuple[Annotation, ...]] = [()] * documents
    for fold, trial in zip(folds, trials, strict=True):
        for document, spans in zip(fold, trial.found, strict=True):
            found[document] = spans
    return Outcome(
        setting,
        tuple(found),
        every.score([found[d] for d in sorted(d for fold in folds for d in fold)]),
        tuple(s.score(trial.found) for s, trial in zip(scorers, trials, strict=True)),
        round(statistics.fmean(trial.bytes for trial in trials)),
        round(statistics.fmean(trial.seconds for trial in trials), 2),
    )


# What is kept of a trial


def _trial_keys(
    settings: Sequence[Setting],
    documents: Sequence[AnnotatedDocument],
    folds: Folds,
    dictionaries: Mapping[str, Dictionary],
    parts: Mapping[str, Part],
    label_map: Mapping[str, str | None] | None,
) -> dict[tuple[int, int], str]:
    corpus, code = corpus_hash(documents), code_hash()
    keys = {}
    for s, setting in enumerate(settings):
        lists = lists_hash(setting.recipe, dictionaries)
        mapping = dict(label_map) if label_map and setting.recipe.extensions else None
        recipe = setting.recipe.as_json()
        seen_through = {name: parts[name].hash for name in setting.recipe.parts if name in parts}
        for f in range(len(folds)):
            held = list(folds[f])
            key = hash_of([code, corpus, recipe, lists, seen_through, mapping, held])
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
    """The trial of an earlier run; None if there is none, or what is there is not sound."""
    content = read_private(path)
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
