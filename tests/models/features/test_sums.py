"""What attributes are worth, added up where they are found: the sums of the ids that are found."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.feature_rows import Indexed, Summed
from scrubline.models.crf.decoding import NativeDecoder
from scrubline.models.features import Word, at, together
from scrubline.models.features.attribute_index import AttributeIndex
from scrubline.models.features.featurizing import featurize
from scrubline.models.features.gazetteer import PhraseIndex, gazetteer_from_phrases
from scrubline.models.native import extension
from scrubline.models.text.segmentations import SEGMENTATIONS
from scrubline.models.text.tokenizer import tokenize_documents

from ...examples import examples
from .test_attribute_index import EVERY_WAY, PHRASES, TEXTS, WORDS, tagger

NATIVE = extension()
pytestmark = [
    pytest.mark.skipif(NATIVE is None, reason="the native extension is not built here"),
    pytest.mark.usefixtures("piece"),
]

UNITS = 4096


def weights_of(attributes, tags, chance, most):
    """What `open_model` takes, and the units of each attribute and tag.

    Attributes have no weight, one, a few, or many: each lies elsewhere.
    """
    units = np.zeros((attributes, tags), np.int64)
    for row in units:
        count = min(tags, chance.choice([0, 1, 1, 1, 2, 5, 10, 11, tags]))
        own = chance.choice(tags, count, replace=False)
        row[own] = chance.integers(1, most * UNITS, count) * chance.choice([-1, 1], count)
    owners, cells = np.nonzero(units)
    return (
        np.searchsorted(owners, np.arange(attributes + 1)).astype(np.int64),
        cells.astype(np.uint16),
        (units[owners, cells] / UNITS).astype(np.float32),
        chance.integers(-9, 9, (tags, tags)).astype(np.float64),
        0,
    ), units


def decoder_of(arrays):
    tags = ("O", *(f"B-{number}" for number in range(len(arrays[3]) - 1)))
    return NativeDecoder((tags, np.zeros(len(tags)), arrays))


def both(recipe, texts, seed, *, tags=7, most=3):
    """The rows of texts by ids and as sums, the weights, and the decoder."""
    tokens = tokenize_documents(texts)
    lists = dict(zip(("places", "people"), PHRASES.values(), strict=False))
    lists = {name: lists[name] for name in sorted(recipe.needs("gazetteer"))}
    tries = {
        name: gazetteer_from_phrases(phrases, recipe.layer, weights)
        for name, (phrases, weights) in lists.items()
    }
    strings = featurize(texts, tokens, recipe, tries, {})
    chance = np.random.default_rng(seed)
    known = [name for name in strings.attributes if chance.random() < 0.8] or ["bias"]
    arrays, units = weights_of(len(known), tags, chance, most)
    decoder = decoder_of(arrays)
    phrases = PhraseIndex(lists, recipe.layer, NATIVE)
    index = AttributeIndex(recipe, known, NATIVE, phrases=phrases, clusters={})
    ids = index.featurize(texts, tokens, {})
    index.weigh(decoder.weights)
    return ids, index.featurize(texts, tokens, {}), units, decoder


def require_sums(ids, sums, units):
    assert isinstance(ids, Indexed)
    assert isinstance(sums, Summed)
    wanted = [
        units[ids.attribute_ids[low:high]].sum(axis=0)
        for low, high in itertools.pairwise(ids.item_offsets.tolist())
    ]
    assert sums.states.shape == (len(wanted), -(-units.shape[1] // 8) * 8)
    for found, own in zip(sums.states, wanted, strict=True):
        assert found.tolist() == own.tolist() + [0] * (len(found) - len(own))
    for name in ("starts", "ends", "sequence_offsets", "document_offsets"):
        assert (getattr(ids, name) == getattr(sums, name)).all()


def require_same_answers(ids, sums, decoder):
    biases = {"O": -1.5, "2": 0.75}
    one, other = (decoder.decode_risks(rows, biases, temperature=2.0) for rows in (ids, sums))
    assert all((a == b).all() for a, b in zip(one, other, strict=True))
    for document in range(len(ids.document_offsets) - 1):
        one, other = (decoder.decode(rows.of_document(document)) for rows in (ids, sums))
        assert all((a == b).all() for a, b in zip(one, other, strict=True))


@examples(100)
@given(
    texts=st.lists(st.one_of(st.none(), st.lists(WORDS, max_size=12).map(" ".join)), max_size=4),
    layer=st.sampled_from(list(SEGMENTATIONS)),
    tags=st.sampled_from([1, 7, 8, 60, 130]),
    seed=st.integers(0, 5),
)
def test_sums_of_any_text_are_those_of_its_ids(texts, layer, tags, seed):
    """Each text three times: words are met once, again, and from then on have a row."""
    ids, sums, units, decoder = both(tagger(EVERY_WAY, layer), texts * 3, seed, tags=tags)
    require_sums(ids, sums, units)
    require_same_answers(ids, sums, decoder)


@pytest.mark.parametrize("layer", list(SEGMENTATIONS))
def test_weights_of_any_size_are_added_or_left_to_the_ids(layer):
    """The largest that an item can have of them is beyond 32 bits."""
    recipe = tagger(at(Word(), *range(-9, 10)), layer)
    ids, rows, units, decoder = both(recipe, TEXTS, 1, most=40)
    require_sums(ids, rows, units)
    ids, rows, units, decoder = both(recipe, TEXTS, 1, most=4090)
    require_sums(ids, rows, units)
    require_same_answers(ids, rows, decoder)
    recipe = tagger(at(Word(), *range(-32, 33)), layer)
    ids, rows, _, decoder = both(recipe, TEXTS, 1, most=4090)
    assert isinstance(rows, Indexed)
    require_same_answers(ids, rows, decoder)


def test_an_item_with_too_many_values_leaves_the_batch_to_the_ids():
    """How many values of several an item has is known when it is met."""
    index = NATIVE.open_index(*BY_HAND["index"])
    weighing, width = NATIVE.weigh(index, decoder_of(BY_HAND["model"]).weights)
    assert width == 8
    few, many = (np.full(count, 0, np.int32) for count in (3, 100))
    for values, is_held in ((few, True), (many, False)):
        rows = ((values, np.array([0, len(values)]), -1),)
        sums = NATIVE.sum_states(weighing, *BY_HAND["batch"], rows)
        assert (sums is not None) is is_held
        if sums is not None:
            assert np.frombuffer(sums, np.int32).tolist() == [3 * 4095 * UNITS] + [0] * 7


BY_HAND = {
    # One feature, of several values of an item: the first is the attribute 0.
    "index": (
        np.array([[2, 0, 0, 2]], np.int32),
        np.array([[0, 1, 0, 1]], np.int64),
        np.zeros(1, np.int32),
        np.zeros(0, np.uint64),
        np.zeros(0, np.int32),
        *[np.zeros(0, np.int32)] * 4,
        *[np.full(1, -1, np.int32)] * 2,
    ),
    "model": (
        np.array([0, 1]),
        np.zeros(1, np.uint16),
        np.full(1, 4095, np.float32),
        np.zeros((2, 2)),
        -1,
    ),
    "batch": (
        np.zeros(0, np.int32),
        0,
        np.zeros(0, np.int32),
        np.zeros(1, np.int64),
        np.array([0, 1]),
    ),
}


def test_an_index_is_weighed_once_and_by_its_own_model():
    recipe = tagger((*at(Word(), 0), together((Word(), 0), (Word(), 1))), "fine")
    tokens = tokenize_documents(["Ada Ada Bea"])
    known = featurize(["Ada Ada Bea"], tokens, recipe, {}).attributes
    phrases = PhraseIndex({}, "fine", NATIVE)
    index = AttributeIndex(recipe, known, NATIVE, phrases=phrases, clusters={})
    chance = np.random.default_rng(1)
    models = [weights_of(count, 3, chance, 3)[0] for count in (1, len(known) - 1, len(known))]
    for arrays in models[:2]:
        with pytest.raises(ValueError, match="not one of this model's attributes"):
            index.weigh(NATIVE.open_model(*arrays))
    index.weigh(NATIVE.open_model(*models[2]))
    with pytest.raises(ValueError, match="not one of this model's attributes"):
        index.weigh(NATIVE.open_model(*models[2]))
    assert isinstance(index.featurize(["Ada"], tokenize_documents(["Ada"]), {}), Summed)


def test_states_of_another_shape_are_refused():
    (ids, sums, _, decoder) = both(tagger(EVERY_WAY, "fine"), TEXTS, 2)
    with pytest.raises(ValueError, match="states of shape"):
        Summed(sums.states[1:], ids.starts, ids.ends, ids.sequence_offsets, ids.document_offsets)
    narrow = Summed(
        sums.states[:, :4].copy(),
        ids.starts,
        ids.ends,
        ids.sequence_offsets,
        ids.document_offsets,
    )
    with pytest.raises(ValueError, match="decode: the arrays"):
        decoder.decode(narrow)
