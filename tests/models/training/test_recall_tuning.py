"""Recall tuning: the smallest change that reaches a recall, exact on the grid."""

from __future__ import annotations

import dataclasses
import itertools

import pytest
from scrubline.models.bundles.bundle import revise_bundle
from scrubline.models.core.errors import UsageError
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.crf.model_file import GRID
from scrubline.models.evaluation import compare
from scrubline.models.recipes import Recipe
from scrubline.models.scrubber import Scrubber
from scrubline.models.training import train
from scrubline.models.training.recall_tuning import (
    CURVE_POINTS,
    LEAST_PRECISION,
    RESOLUTION,
    BiasScorer,
    recall_curve,
    tune_recall,
)
from scrubline.models.training.settings import with_learner

from .notes import CORPUS, LISTS, RECIPE, note

SOFT = with_learner(RECIPE, "lbfgs", {"max_iterations": 12, "c2": 1.0})
HELD = [note(number) for number in range(24, 48)]


@pytest.fixture(scope="module")
def bundle():
    return train(SOFT, CORPUS[:5], dictionaries=LISTS, name="tiny")


def by_scrubber(bundle, biases, documents=HELD):
    """What a bundle with these biases finds by the long way, scored by the evaluation."""
    scrubber = Scrubber(revise_bundle(bundle, biases=biases), recognisers=(), native_labels=False)
    predicted = [
        dataclasses.replace(
            document,
            spans=tuple(Annotation(c.start, c.end, c.label) for c in found),
            meta={},
        )
        for document, found in zip(
            documents, scrubber.entities(*(d.text for d in documents)), strict=True
        )
    ]
    return compare(documents, predicted, resamples=0).metrics


TWO = Recipe(
    "two",
    (SOFT.taggers[0], dataclasses.replace(SOFT.taggers[0], layer="character", scheme="BIOES")),
)


@pytest.mark.parametrize("recipe", [SOFT, TWO, dataclasses.replace(TWO, vote="both")])
@pytest.mark.parametrize("biases", [{}, {"O": -1.5}, {"O": 0.5, "DOCTOR": 0.75}])
def test_the_scorer_measures_what_a_bundle_with_these_biases_finds(recipe, biases):
    bundle = train(recipe, CORPUS[:5], dictionaries=LISTS, name="tiny")
    scored, metrics = BiasScorer(bundle, HELD).score(biases), by_scrubber(bundle, biases)
    assert scored.strict == metrics["strict"].micro
    assert scored.characters == metrics["character"].micro
    assert scored.tokens == metrics["token_blind"].micro


@pytest.mark.parametrize("measure", ["character", "token"])
@pytest.mark.parametrize("wanted", [0.8, 0.9, 0.97])
def test_a_recall_is_reached_by_the_smallest_change(bundle, wanted, measure):
    tuned = tune_recall(bundle, HELD, recall=wanted, measure=measure)
    (goal,) = tuned.goals
    assert goal.reached and goal.before < wanted <= goal.after
    bias = tuned.biases["O"]
    assert bias < 0 and (bias * GRID).is_integer()
    metrics = by_scrubber(bundle, tuned.biases)
    metric = metrics["character" if measure == "character" else "token_blind"].micro
    assert metric.recall == goal.after
    less = by_scrubber(bundle, {"O": bias + RESOLUTION})
    assert less["character" if measure == "character" else "token_blind"].micro.recall < wanted


def test_what_is_reached_is_left_alone(bundle):
    tuned = tune_recall(bundle, HELD, recall=0.01, labels={"HOSPITAL": 0.01})
    assert tuned.reached and tuned.biases == {} and tuned.before == tuned.after


def test_a_label_is_tuned_by_its_own_bias(bundle):
    tuned = tune_recall(bundle, HELD, labels={"HOSPITAL": 0.95})
    assert tuned.reached and list(tuned.biases) == ["HOSPITAL"]
    assert tuned.biases["HOSPITAL"] > 0
    assert tuned.after.covered_share("HOSPITAL") >= 0.95
    assert tuned.before.covered_share("HOSPITAL") < 0.95


def test_labels_and_everything_together(bundle):
    tuned = tune_recall(bundle, HELD, recall=0.98, labels={"DOCTOR": 0.99, "HOSPITAL": 0.9})
    assert [goal.label for goal in tuned.goals] == ["DOCTOR", "HOSPITAL", "O"]
    assert tuned.reached
    assert tuned.after.characters.recall >= 0.98


def test_tuning_starts_at_the_bundles_own_biases(bundle):
    own = revise_bundle(bundle, biases={"O": -0.5, "DOCTOR": 0.25})
    tuned = tune_recall(own, HELD, recall=0.97)
    assert tuned.before == BiasScorer(bundle, HELD).score({"O": -0.5, "DOCTOR": 0.25})
    assert tuned.biases["DOCTOR"] == 0.25 and tuned.biases["O"] < -0.5


UNSEEN = [*HELD, AnnotatedDocument("x", "a\n \n b", (Annotation(1, 4, "DOCTOR"),))]
"""A span of nothing but blanks and line breaks: no token can ever cover it."""


def test_what_cannot_be_reached_is_told(bundle):
    tuned = tune_recall(bundle, UNSEEN, recall=1.0, labels={"HOSPITAL": 0.9})
    hospital, everything = tuned.goals
    assert hospital.reached and not everything.reached and not tuned.reached
    assert everything.after < 1.0
    # As far as it helps and no farther.
    less = BiasScorer(bundle, UNSEEN).score({**tuned.biases, "O": tuned.biases["O"] + 1.0})
    assert tuned.after.characters.recall >= less.characters.recall


def rescaled(bundle, factor):
    """The same model with all weights so many times as large, as another learner's are."""
    models = {
        key: dataclasses.replace(
            model,
            state_weights=model.state_weights * factor,
            transition_weights=model.transition_weights * factor,
        )
        for key, model in bundle.models.items()
    }
    return dataclasses.replace(bundle, models=models)


@pytest.mark.parametrize("own", [{}, {"O": -0.5, "DOCTOR": 0.25}])
@pytest.mark.parametrize("factor", [1, 256])
def test_a_curve_goes_from_precise_to_complete_whatever_the_scale_of_weights(bundle, own, factor):
    biases = {label: bias * factor for label, bias in own.items()}
    scaled = rescaled(revise_bundle(bundle, biases=own), factor)
    points = recall_curve(dataclasses.replace(scaled, biases=biases), HELD)
    assert len(points) == CURVE_POINTS
    assert biases.get("O", 0.0) in [point.bias for point in points]
    assert [p.bias for p in points] == sorted({p.bias for p in points}, reverse=True)
    recalls = [point.scored.characters.recall for point in points]
    assert recalls[0] < 0.9 and recalls[-1] >= 0.99
    assert sum(b < a for a, b in itertools.pairwise(recalls)) <= 1
    assert max(b - a for a, b in itertools.pairwise(recalls)) < 0.5
    assert all(point.scored.characters.precision > LEAST_PRECISION for point in points[:-1])


def test_a_curve_of_given_biases_has_those(bundle):
    assert [point.bias for point in recall_curve(bundle, HELD, [0.0, 1e-9, -0.1])] == [
        0.0,
        round(-0.1 * GRID) / GRID,
    ]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "missing the wanted recall"),
        ({"recall": 0.0}, "above 0 and at most 1"),
        ({"recall": 1.5}, "above 0 and at most 1"),
        ({"recall": float("nan")}, "above 0 and at most 1"),
        ({"labels": {"DATE": 0.9}}, r"no labels \['DATE'\]"),
        ({"labels": {"DOCTOR": -1}}, "above 0 and at most 1"),
        ({"recall": 0.9, "measure": "word"}, "character or token"),
    ],
)
def test_what_cannot_be_asked_for(bundle, options, words):
    with pytest.raises(UsageError, match=words):
        tune_recall(bundle, HELD, **options)


def test_held_back_documents_must_have_what_is_measured(bundle):
    bare = [dataclasses.replace(document, spans=()) for document in HELD]
    with pytest.raises(UsageError, match="none of the held-back documents has a span"):
        tune_recall(bundle, bare, recall=0.9)
    doctors = [dataclasses.replace(d, spans=d.spans[:1]) for d in HELD]
    with pytest.raises(UsageError, match=r"no held-back document has a span of \['HOSPITAL'\]"):
        tune_recall(bundle, doctors, labels={"HOSPITAL": 0.9})


def test_gold_labels_that_the_bundle_lacks_count_as_phi(bundle):
    other = [
        dataclasses.replace(d, spans=tuple(Annotation(s.start, s.end, "OTHER") for s in d.spans))
        for d in HELD
    ]
    before, after = BiasScorer(bundle, HELD).score({}), BiasScorer(bundle, other).score({})
    assert after.characters == before.characters and after.strict.tp == 0
    assert not {d.doc_id for d in other} & set(str(after))
