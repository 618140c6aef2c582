from __future__ import annotations

import math

import numpy as np
import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.core.feature_rows import Features
from scrubline.models.crf.learning import attribute_table, item_sequences, learn
from scrubline.models.crf.model_file import CONSTANT, write_model
from scrubline.models.recipes.recipe import ALGORITHMS, Learner

OF_CRFS = [name for name, algorithm in ALGORITHMS.items() if algorithm.family == "crf"]


def features_of(sequences: list[list[list[str]]], documents: list[int] | None = None) -> Features:
    """Features of hand-written sequences of items of attributes; one document unless told."""
    items = [item for sequence in sequences for item in sequence]
    table = tuple(sorted({attribute for item in items for attribute in item}))
    ids = {attribute: index for index, attribute in enumerate(table)}
    lengths = [len(sequence) for sequence in sequences]
    return Features(
        attributes=table,
        attribute_ids=np.array([ids[a] for item in items for a in item], np.int64),
        item_offsets=np.cumsum([0, *map(len, items)]),
        starts=np.arange(len(items)) * 2,
        ends=np.arange(len(items)) * 2 + 1,
        sequence_offsets=np.cumsum([0, *lengths]),
        document_offsets=np.cumsum([0, *(documents or [len(sequences)])]),
    )


def toy_corpus() -> tuple[Features, list[list[str]]]:
    """Sequences in which a word of 6 or more is a name, unless the word before is the same."""
    sequences, tags = [], []
    for row in range(40):
        words = [(row * 7 + column * 3) % 11 for column in range(6)]
        sequences.append([[f"w={word}", f"odd={word % 2}"] for word in words])
        tags.append(
            ["B-PATIENT" if word >= 9 else "B-DATE" if word >= 6 else "O" for word in words]
        )
    return features_of(sequences), tags


def test_item_sequences_hold_the_attributes_and_the_constant():
    features = features_of([[["a", "b"], []], [], [["b"]]])
    plain = [sequence.items() for sequence in item_sequences(features)]
    assert plain == [
        [{"a": 1.0, "b": 1.0, CONSTANT: 1.0}, {CONSTANT: 1.0}],
        [],
        [{"b": 1.0, CONSTANT: 1.0}],
    ]


def test_item_sequences_leave_out_what_is_not_known():
    features = features_of([[["a", "b"], ["b\0", "\ud800"]], [["b"]]])
    known = [
        sequence.items()
        for sequence in item_sequences(features, attribute_table(features.attributes, {"a"}))
    ]
    assert known == [[{"a": 1.0, CONSTANT: 1.0}, {CONSTANT: 1.0}], [{CONSTANT: 1.0}]]


def test_item_sequences_of_nothing():
    assert list(item_sequences(features_of([]))) == []


@pytest.mark.parametrize("algorithm", OF_CRFS)
def test_learn_is_deterministic_and_on_the_grid(algorithm):
    features, tags = toy_corpus()
    parameters = {"max_iterations": 5}
    first, second = (
        learn(features, tags, Learner.of(algorithm, **parameters), seed=3) for _ in range(2)
    )
    assert write_model(first) == write_model(second)
    assert first.on_grid()
    assert set(first.tags) == {"O", "B-PATIENT", "B-DATE"}
    assert CONSTANT in first.attributes


def test_another_seed_is_another_order():
    features, tags = toy_corpus()
    models = {
        learn(
            features,
            tags,
            Learner.of("averaged-perceptron", max_iterations=2),
            seed=seed,
        )
        for seed in range(4)
    }
    assert len(models) > 1


@pytest.mark.parametrize("algorithm", OF_CRFS)
def test_progress_is_called_after_each_iteration(algorithm):
    features, tags = toy_corpus()
    calls: list[tuple[int, float]] = []
    learn(
        features,
        tags,
        Learner.of(algorithm, max_iterations=4),
        progress=lambda iteration, loss: calls.append((iteration, loss)),
    )
    assert [iteration for iteration, _ in calls] == [1, 2, 3, 4]
    assert all(math.isfinite(loss) and loss >= 0 for _, loss in calls)


def test_what_progress_raises_ends_the_training():
    class Enough(Exception):
        pass

    def progress(iteration: int, loss: float) -> None:
        if iteration == 2:
            raise Enough

    features, tags = toy_corpus()
    with pytest.raises(Enough):
        learn(features, tags, Learner.of("averaged-perceptron"), progress=progress)


@pytest.mark.parametrize(
    "parameters",
    [
        {"max_iterations": 1.5},
        {"max_iterations": 2**31},
        {"num_memories": 0.1},
        {"feature_possible_states": 2},
        {"feature_possible_transitions": 0.5},
    ],
)
def test_parameters_of_a_wrong_type_are_refused_by_name(parameters):
    features, tags = toy_corpus()
    (name,) = parameters
    with pytest.raises(UsageError, match=name.replace("feature_", "feature.")):
        learn(features, tags, Learner.of("lbfgs", **parameters))


@pytest.mark.parametrize(
    "parameters",
    [
        {"c1": 1, "c2": 0.5, "linesearch": "Backtracking"},
        {"feature_minfreq": 25},
        {"feature_possible_states": 1, "feature_possible_transitions": 1},
    ],
)
def test_right_parameters_are_taken(parameters):
    features, tags = toy_corpus()
    plain = learn(features, tags, Learner.of("lbfgs", max_iterations=2))
    other = learn(features, tags, Learner.of("lbfgs", max_iterations=2, **parameters))
    assert write_model(plain) != write_model(other)


@pytest.mark.parametrize(
    ("sequences", "tags"),
    [
        ([], []),
        ([[["a"]]], [["O"]]),
        ([[["a"]]], []),
        ([[["a"]]], [["B-X", "O"]]),
        ([[["a\0b"]]], [["B-X"]]),
        ([[["a\ud800"]]], [["B-X"]]),
        ([[["a"]]], [["B-\0"]]),
        ([[[CONSTANT]]], [["B-X"]]),
    ],
)
def test_what_cannot_be_learnt_is_refused(sequences, tags):
    with pytest.raises(UsageError) as caught:
        learn(features_of(sequences), tags, Learner.of("averaged-perceptron"))
    assert "a\0" not in str(caught.value)


def test_an_unwritable_directory_is_an_error(monkeypatch):
    monkeypatch.setattr("tempfile.TemporaryDirectory.__enter__", lambda _: "/nonexistent/folder")
    features, tags = toy_corpus()
    with pytest.raises(UsageError, match="wrote no model"):
        learn(features, tags, Learner.of("averaged-perceptron", max_iterations=1))
