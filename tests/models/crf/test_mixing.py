"""Means of models, and learning by parts."""

from __future__ import annotations

import numpy as np
import pytest
from scrubline.models.core.errors import BundleError, UsageError
from scrubline.models.crf import learning
from scrubline.models.crf.learning import item_sequences, learn
from scrubline.models.crf.mixing import mix
from scrubline.models.crf.model_file import MAX_WEIGHT, CrfModel, write_model
from scrubline.models.learners import Learner

from .test_learning import features_of, toy_corpus


def model(tags, states, transitions=()):
    """A model of (attribute, tag, weight) and (tag, tag, weight)."""
    tags = tuple(tags)
    names = tuple(dict.fromkeys(name for name, _, _ in states))
    rows = sorted((names.index(name), tags.index(tag), weight) for name, tag, weight in states)
    pairs = sorted((tags.index(a), tags.index(b), weight) for a, b, weight in transitions)
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    linked = [np.array(c) for c in zip(*pairs, strict=True)] or [np.zeros(0, np.int64)] * 3
    return CrfModel(tags, names, *columns, linked[0], linked[1], linked[2].astype(float))


def as_table(mixed):
    states = {
        (mixed.attributes[a], mixed.tags[t]): w
        for a, t, w in zip(
            mixed.state_attributes, mixed.state_tags, mixed.state_weights, strict=True
        )
    }
    square = mixed.transitions()
    return states, {
        (mixed.tags[a], mixed.tags[b]): square[a, b] for a, b in np.argwhere(square).tolist()
    }


def test_weights_are_means_whatever_the_order_of_names():
    one = model("OA", [("x", "O", 1.0), ("y", "A", 3.0)], [("O", "A", 2.0)])
    other = model("AOB", [("y", "A", 1.0), ("z", "B", 4.0), ("x", "O", -1.0)], [("A", "O", 1.0)])
    states, transitions = as_table(mix([one, other]))
    assert states == {("x", "O"): 0.0, ("y", "A"): 2.0, ("z", "B"): 2.0}
    assert transitions == {("O", "A"): 1.0, ("A", "O"): 0.5}


def test_one_model_is_itself_and_equal_ones_are_as_one():
    one = model("OA", [("x", "O", 1.25), ("y", "A", 3.0)], [("O", "A", 2.0)])
    assert mix([one]) is one
    assert as_table(mix([one, one, one])) == as_table(one)


def test_means_are_on_the_grid():
    one = model("OA", [("x", "O", 2**-12)])
    mixed = mix([one, model("OA", [("x", "A", 1.0)]), one])
    assert mixed.on_grid()
    write_model(mixed)


def test_weights_that_are_too_large_are_refused():
    one = model("OA", [("x", "O", MAX_WEIGHT)])
    with pytest.raises(BundleError, match="did not converge"):
        mix([one, one])


def by_documents():
    """The toy corpus, as documents of two sequences."""
    features, tags = toy_corpus()
    sequences = [
        [[name for name in item if name != "__constant__"] for item in sequence.items()]
        for sequence in item_sequences(features)
    ]
    sequences = [[[n for n in item if n in features.attributes] for item in s] for s in sequences]
    return sequences, tags, features_of(sequences, [2] * (len(sequences) // 2))


@pytest.mark.parametrize("algorithm", ["averaged-perceptron", "lbfgs"])
@pytest.mark.parametrize("parts", [1, 2, 3])
def test_parts_are_every_so_manyth_document(parts, algorithm):
    sequences, tags, features = by_documents()
    learner = Learner.of(algorithm, max_iterations=3)
    own = []
    for part in range(parts):
        rows = [row for row in range(len(sequences)) if row // 2 % parts == part]
        chosen = features_of([sequences[row] for row in rows], [2] * (len(rows) // 2))
        own.append(learn(chosen, [tags[row] for row in rows], learner, seed=7 + part))
    calls = []
    mixed = learn(
        features,
        tags,
        Learner.of(algorithm, max_iterations=3, parts=parts),
        seed=7,
        progress=lambda iteration, loss: calls.append(iteration),
    )
    assert as_table(mixed) == as_table(mix(own))
    assert calls == list(range(1, 3 * parts + 1))


def test_strings_are_made_for_some_items_at_a_time(monkeypatch):
    features, _ = toy_corpus()
    whole = [sequence.items() for sequence in item_sequences(features)]
    for most in (1, 6, 13):
        monkeypatch.setattr(learning, "ITEMS_AT_ONCE", most)
        assert [sequence.items() for sequence in item_sequences(features)] == whole


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (0, "parts must be above 0"),
        (1.5, "parts must be a whole number"),
        (21, "parts must be at most the number of documents, 20; got 21"),
    ],
)
def test_parts_that_cannot_be(parts, words):
    _, tags, features = by_documents()
    with pytest.raises(UsageError, match=words):
        learn(features, tags, Learner.of("averaged-perceptron", parts=parts))


def test_a_part_without_a_label_is_refused():
    features = features_of([[["a"]], [["b"]]], [1, 1])
    with pytest.raises(UsageError, match="a part has no label: allow fewer parts than 2"):
        learn(features, [["B-DATE"], ["O"]], Learner.of("averaged-perceptron", parts=2))


def test_other_learners_have_no_parts():
    with pytest.raises(UsageError, match="parameter must be one of"):
        Learner.of("linear-svm", parts=2)
