"""Labelling: a slow third way as the oracle of both, history, ties, biases."""

from __future__ import annotations

import concurrent.futures
import dataclasses

import numpy as np
import pytest
from scrubline.models import native
from scrubline.models.core.errors import BundleError
from scrubline.models.core.feature_rows import Features, Indexed
from scrubline.models.trees.decoding import (
    NativeTreesDecoder,
    ReferenceTreesDecoder,
    indexed,
    model_arrays,
    open_decoder,
)
from scrubline.models.trees.growing import LEAF
from scrubline.models.trees.model import CodingTable, TreesModel

from ...examples import examples
from .making import NOTHING, ints, offsets, random_batch, random_model

needs_extension = pytest.mark.skipif(
    native.extension() is None, reason="the native extension is not built here"
)
WAYS = [pytest.param(NativeTreesDecoder, marks=needs_extension), ReferenceTreesDecoder]
TOP = 254


def slowly(model: TreesModel, features: Features, biases) -> tuple[list[int], list[float]]:
    """Item by item, tree by tree, by the words of `TreesModel`."""
    coding = model.coding
    bounds = coding.cells.tolist()
    tags: list[int] = []
    scores: list[float] = []
    for first, end in zip(
        features.sequence_offsets[:-1], features.sequence_offsets[1:], strict=True
    ):
        before = [0] * model.history
        for item in range(first, end):
            row = [0] * coding.columns + before
            for number in features.attribute_ids[
                features.item_offsets[item] : features.item_offsets[item + 1]
            ]:
                name = features.attributes[number]
                if name in model.attributes:
                    place = model.attributes.index(name)
                    for cell in range(bounds[place], bounds[place + 1]):
                        column, code = coding.cell_columns[cell], coding.cell_codes[cell]
                        row[column] = max(row[column], code)
            won = [0] * len(model.tags)
            nodes = iter(zip(model.node_columns.tolist(), model.node_values.tolist(), strict=True))
            for votes in model.votes.tolist():
                won[class_of(nodes, row)] += votes
            sums = [
                w + round(biases.get("O" if tag == "O" else tag[2:], 0.0) * 4096)
                for w, tag in zip(won, model.tags, strict=True)
            ]
            best = sums.index(max(sums))
            tags.append(best)
            share = won[best] / int(model.votes.sum())
            scores.append(1.0 if model.tags[best] == "O" else share)
            before = [best + 1, *before][: model.history]
    return tags, scores


def class_of(nodes, row) -> int | None:
    """Reads one tree in pre-order to its end, and gives the class of a row."""

    def visit(here: bool) -> int | None:
        column, value = next(nodes)
        if column == LEAF:
            return value if here else None
        left = visit(here and row[column] <= value)
        right = visit(here and row[column] > value)
        return right if left is None else left

    return visit(True)


@pytest.mark.parametrize("way", WAYS)
def test_classes_and_shares_are_those_of_the_slow_way(way):
    several = 0
    for seed in range(examples(600).max_examples):
        model, features = random_model(seed), random_batch(seed)
        biases = [{}, {"O": -1.0, "X": 0.5}, {"é": 0.3, "none such": 9.0}][seed % 3]
        expected, shares = slowly(model, features, biases)
        decoder = way(model)
        prepared = decoder.ready(features)
        for _ in range(2):
            tags, scores = decoder.decode(prepared, biases)
            assert tags.tolist() == expected, seed
            assert np.abs(scores - shares).max(initial=0.0) <= 0.00005000001, seed
            assert scores.tolist() == [round(score, 4) for score in scores.tolist()]
        tags, scores = decoder.decode(prepared, biases, scored=False)
        assert tags.tolist() == expected
        assert (scores == 1.0).all()
        several += len(set(expected)) > 1
    assert several > 20


@needs_extension
def test_both_ways_give_the_same():
    for seed in range(examples(600).max_examples):
        model, features = random_model(seed), random_batch(seed + 10_000)
        answers = []
        for way in (NativeTreesDecoder, ReferenceTreesDecoder):
            decoder = way(model)
            answers.append(decoder.decode(decoder.ready(features), {"X": 0.1}))
        for found, expected in zip(*answers, strict=True):
            assert found.dtype == expected.dtype
            assert np.array_equal(found, expected), seed


def alternating() -> TreesModel:
    """Each item is B-X if the one before it is not, and O else; without any attribute."""
    nodes = [(0, 1), (LEAF, 1), (LEAF, 0)]
    return TreesModel(
        ("O", "B-X"),
        NOTHING,
        1,
        ints([4096]),
        ints([column for column, _ in nodes]),
        ints([value for _, value in nodes]),
    )


def without_attributes(*lengths: int) -> Features:
    count = sum(lengths)
    places = np.arange(count)
    return Features(
        ("a",),
        ints([]),
        np.zeros(count + 1, np.int64),
        places,
        places + 1,
        offsets(lengths),
        ints([0, len(lengths)]),
    )


@pytest.mark.parametrize("way", WAYS)
def test_history_is_of_the_own_sequence_and_of_the_own_output(way):
    decoder = way(alternating())
    tags, scores = decoder.decode(decoder.ready(without_attributes(5, 0, 1, 2)))
    assert tags.tolist() == [1, 0, 1, 0, 1] + [1] + [1, 0]
    assert (scores == 1.0).all()
    # What is not labelled is not seen.
    tags, _ = decoder.decode(decoder.ready(without_attributes(3)), {"X": -2.0})
    assert tags.tolist() == [0, 0, 0]


def two_trees(votes) -> TreesModel:
    leaves = ints([LEAF, LEAF])
    return TreesModel(("O", "B-X", "I-X"), NOTHING, 0, ints(votes), leaves, ints([2, 1]))


@pytest.mark.parametrize("way", WAYS)
def test_ties_biases_and_shares(way):
    one = without_attributes(1)

    def said(votes, biases):
        decoder = way(two_trees(votes))
        tags, scores = decoder.decode(decoder.ready(one), biases)
        return tags.tolist(), scores.tolist()

    assert said([4096, 4096], {}) == ([1], [0.5])
    assert said([4097, 4096], {}) == ([2], [0.5001])
    # Both tags of a label move alike; O is overtaken at more votes than it has as a bias.
    assert said([4096, 4096], {"O": 1.0}) == ([0], [1.0])
    assert said([4096, 4096], {"O": 1.0, "X": 1 / 4096}) == ([1], [0.5])
    assert said([3, 1], {}) == ([2], [0.75])
    assert said([2, 1], {}) == ([2], [0.6667])
    for bias in (float("nan"), float("inf"), 5000.0):
        with pytest.raises(BundleError, match="bias"):
            said([1, 1], {"X": bias})


@pytest.mark.parametrize("way", WAYS)
def test_parts_of_a_batch_are_labelled_as_in_the_whole(way):
    model, features = random_model(4), random_batch(2)
    decoder = way(model)
    assert len(features.document_offsets) > 3
    whole, _ = decoder.decode(decoder.ready(features))
    parts = [
        decoder.decode(decoder.ready(features.of_document(document)))[0]
        for document in range(len(features.document_offsets) - 1)
    ]
    assert np.concatenate(parts).tolist() == whole.tolist()


@needs_extension
def test_arrays_open_without_the_model():
    model, features = random_model(3), random_batch(12)
    decoder, from_arrays = NativeTreesDecoder(model), NativeTreesDecoder(model_arrays(model))
    prepared = decoder.ready(features)
    assert isinstance(prepared, Indexed)
    for found, expected in zip(from_arrays.decode(prepared), decoder.decode(prepared), strict=True):
        assert np.array_equal(found, expected)
    opened = list(model_arrays(model).opened)
    opened[3] = opened[3][:-1]
    with pytest.raises(BundleError, match="fit together"):
        NativeTreesDecoder(model_arrays(model)._replace(opened=tuple(opened)))


@pytest.mark.parametrize("way", WAYS)
def test_ids_of_another_model_are_refused(way):
    decoder = way(alternating())
    prepared = decoder.ready(without_attributes(2))
    wrong = dataclasses.replace(
        prepared, attribute_ids=np.zeros(2, np.int32), item_offsets=ints([0, 1, 2])
    )
    with pytest.raises(ValueError, match="out of range"):
        decoder.decode(wrong)


def test_without_the_extension_the_reference_runs(monkeypatch):
    monkeypatch.setattr("scrubline.models.trees.decoding.extension", lambda: None)
    monkeypatch.setattr("scrubline.models.trees.decoding.warn_if_absent", lambda: None)
    assert isinstance(open_decoder(alternating()), ReferenceTreesDecoder)
    with pytest.raises(BundleError, match="no native extension"):
        NativeTreesDecoder(alternating())


@pytest.mark.parametrize("way", WAYS)
def test_threads_share_a_decoder(way):
    decoder, batches = way(random_model(4)), [random_batch(seed) for seed in range(40)]
    alone = [decoder.decode(decoder.ready(batch))[0].tolist() for batch in batches]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        found = pool.map(lambda b: decoder.decode(decoder.ready(b))[0].tolist(), batches)
    assert list(found) == alone


@pytest.mark.parametrize("way", WAYS)
def test_the_deepest_tree_is_walked(way):
    # Item i has a[i]; each level parts one code off.
    levels = 63
    nodes = [node for level in range(levels) for node in ((0, level), (LEAF, level % 2))]
    names = tuple(f"c{code}" for code in range(1, TOP + 1))
    model = TreesModel(
        ("O", "B-X"),
        CodingTable(
            names, np.ones(TOP, np.int64), np.zeros(TOP, np.int64), np.arange(1, TOP + 1), 1
        ),
        0,
        ints([1]),
        ints([*(column for column, _ in nodes), LEAF]),
        ints([*(value for _, value in nodes), 1]),
    )
    places = np.arange(TOP)
    features = Features(
        names, places, np.arange(TOP + 1), places, places + 1, ints([0, TOP]), ints([0, 1])
    )
    decoder = way(model)
    tags, _ = decoder.decode(decoder.ready(features))
    assert tags.tolist() == [code % 2 if code < levels else 1 for code in range(1, TOP + 1)]


@needs_extension
def test_ids_may_be_those_of_a_larger_list():
    for seed in range(examples(60).max_examples):
        model, features = random_model(seed), random_batch(seed)
        known = NativeTreesDecoder(model)
        expected = known.decode(known.ready(features))
        several = tuple(dict.fromkeys(("none such", *features.attributes, *model.attributes[::-1])))
        ids = np.array([several.index(a) for a in features.attributes], np.int32)
        decoder = NativeTreesDecoder(model_arrays(model, several))
        found = decoder.decode(decoder.ready(indexed(features, ids)))
        assert found[0].tolist() == expected[0].tolist()
        assert found[1].tolist() == expected[1].tolist()
