"""AdaBoostM1 by hand, and the way from texts to tags."""

from __future__ import annotations

import math
import types

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models import native
from scrubline.models.core.errors import UsageError
from scrubline.models.crf.codec import encode_batch
from scrubline.models.features import CharacterClass, Field, Gazetteer, Length, Word, at
from scrubline.models.features.attribute_index import AttributeIndex
from scrubline.models.features.featurizing import featurize
from scrubline.models.features.gazetteer import PhraseIndex, gazetteer_from_phrases
from scrubline.models.text.tokenizer import tokenize_documents
from scrubline.models.trees.declaration import RANK, CodedFeatures, Coding, TreesDeclaration
from scrubline.models.trees.decoding import (
    NativeTreesDecoder,
    ReferenceTreesDecoder,
    open_decoder,
)
from scrubline.models.trees.growing import (
    GrownTree,
    TreeParameters,
    grow_in_python,
    grow_natively,
    snapped,
)
from scrubline.models.trees.learning import (
    BoostingParameters,
    boost,
    learn,
    reweighted,
    votes_of,
)
from scrubline.models.trees.packed import pack, unpack

needs_extension = pytest.mark.skipif(
    native.extension() is None, reason="the native extension is not built here"
)
WAYS = [pytest.param(grow_natively, marks=needs_extension), grow_in_python]


def test_weights_and_votes_by_hand():
    # 8 items, 2 wrong: e = .25, b = 1/3. What is right weighs 1/3, together 6/3 + 2 = 4, so all is
    # doubled: 2/3 and 2, and both halves weigh 4. The tree has ln 3 votes, 1.098612 * 4096 = 4499.9
    # steps.
    right = np.array([True] * 6 + [False] * 2)
    weights = reweighted(np.ones(8), right, 0.25)
    assert weights == pytest.approx([2 / 3] * 6 + [2.0] * 2, abs=1e-12)
    assert votes_of(0.25) == 4500
    # Next 3 right ones are wrong, e = 2 / 8 again: b = 1/3. Right: 3 * 2/3 + 4 = 6, a third 2;
    # wrong 2: together 4, doubled. 2/3 / 3 * 2 = 4/9; 2/3 * 2 = 4/3; 2 / 3 * 2 = 4/3.
    second = np.array([False] * 3 + [True] * 5)
    weights = reweighted(weights, second, 0.25)
    assert weights == pytest.approx([4 / 3] * 3 + [4 / 9] * 3 + [4 / 3] * 2, abs=1e-12)


def test_votes_of_small_and_of_large_errors():
    assert votes_of(0.4999999) == 1
    assert votes_of(1e-12) == round(math.log((1 - 1e-12) / 1e-12) * 4096)


def test_weights_are_on_a_grid_of_exact_sums():
    chance = np.random.default_rng(3)
    weights = snapped(chance.random(5000) * 2)
    total = math.fsum(weights)
    for _ in range(20):
        assert float(np.cumsum(chance.permutation(weights))[-1]) == total


def scripted(*wrong: list[int]):
    """Trees that are wrong at these items, and the weights that each is given."""
    given_weights = []

    def grow(codes, classes, weights, n_classes, parameters):
        predicted = classes.copy()
        for item in wrong[len(given_weights)]:
            predicted[item] = (predicted[item] + 1) % n_classes
        given_weights.append(weights.tolist())
        leaf = np.array([65535], np.uint16), np.array([len(given_weights)], np.uint8)
        return GrownTree(*leaf, predicted)

    return grow, given_weights


def boosted(*wrong, rounds=10):
    grow, weights = scripted(*wrong)
    told = []
    classes = np.array([0, 1] * 4, np.uint8)
    trees, votes = boost(
        np.zeros((1, 8), np.uint8),
        classes,
        2,
        BoostingParameters.of(rounds=rounds),
        lambda number, error: told.append((number, error)),
        grow,
    )
    return [int(tree.values[0]) for tree in trees], votes.tolist(), told, weights


def test_rounds_end_where_they_should():
    trees, votes, told, weights = boosted([0, 1], [2], rounds=2)
    assert trees == [1, 2]
    assert weights[0] == [1.0] * 8
    # The second errs in an item of weight 2/3: e = 1/12, ln 11.
    assert told == [(1, 0.25), (2, pytest.approx(1 / 12))]
    assert votes == [4500, round(math.log(11) * 4096)]


def test_half_wrong_ends_without_the_tree():
    # The same items again, which weigh half by now, and one of the others, a twelfth.
    trees, votes, told, _ = boosted([0, 1], [0, 1, 2])
    assert (trees, votes) == ([1], [4500])
    assert told == [(1, 0.25), (2, pytest.approx(7 / 12))]


def test_a_first_tree_that_is_half_wrong_stays_alone():
    trees, votes, _, _ = boosted([0, 1, 2, 3, 4])
    assert (trees, votes) == ([1], [4096])


def test_no_error_ends_with_the_tree():
    # As if half an item of 8 were wrong: e = 1/16, ln 15.
    trees, votes, told, _ = boosted([0, 1], [])
    assert trees == [1, 2]
    assert votes == [4500, round(math.log(15) * 4096)]
    assert told[-1] == (2, 0.0)


@pytest.mark.parametrize(
    "wrong", [{"rounds": 0}, {"rounds": 1001}, {"rounds": True}, {"rounds": 2.0}]
)
def test_rounds_out_of_range_are_refused(wrong):
    with pytest.raises(UsageError, match="rounds"):
        BoostingParameters.of(**wrong)


@needs_extension
def test_both_ways_boost_alike():
    chance = np.random.default_rng(8)
    classes = chance.integers(0, 4, 600).astype(np.uint8)
    noise = chance.integers(0, 4, (9, 600))
    codes = np.where(chance.random((9, 600)) < 0.35, classes, noise).astype(np.uint8)
    found = [
        boost(codes, classes, 4, BoostingParameters.of(rounds=6), None, grow)
        for grow in (grow_natively, grow_in_python)
    ]
    assert len(found[0][0]) == 6
    assert found[0][1].tolist() == found[1][1].tolist()
    for one, other in zip(*(trees for trees, _ in found), strict=True):
        assert one.columns.tolist() == other.columns.tolist()
        assert one.values.tolist() == other.values.tolist()


# -- from texts to tags

FOLDED = Word(fold=True)
DECLARED = TreesDeclaration(
    (
        CodedFeatures(at(Length(12), -1, 0, 1), RANK),
        CodedFeatures(at(CharacterClass(("INITCAPS",), "unicode"), -1, 0, 1), Coding("flag")),
        CodedFeatures(at(Gazetteer("names"), -1, 0), Coding("flag")),
        CodedFeatures(at(Field("last"), 0), Coding("flag", frequency=3, most=9, by_document=True)),
        CodedFeatures(at(FOLDED, -1, 1), Coding("class", frequency=3, most=50, where="tagged")),
        CodedFeatures(
            at(FOLDED, -1, 0, 1), Coding("class", frequency=3, share=30, where="last", of="value")
        ),
    ),
    history=2,
)
RECIPE = types.SimpleNamespace(
    kind="token", layer="fine", sequence="line", max_sequence=500, features=DECLARED.features
)
NAMES = ("Ann", "Bo", "Cy", "Dee", "Eve", "Fay", "Gus", "Hal")
LISTS = {"names": (NAMES[:4], None)}
PHRASES = {"names": gazetteer_from_phrases(NAMES[:4], "fine")}


def notes(count: int, seed: int = 0) -> tuple[list[str], list[list[tuple[int, int, str]]]]:
    """Notes with names behind "Dr" and in the field "Name", and places that end in "Hospital"."""
    chance = np.random.default_rng(seed)
    texts, spans = [], []
    for _ in range(count):
        text, own = "", []
        for _ in range(int(chance.integers(2, 6))):
            name = " ".join(chance.choice(NAMES, chance.integers(1, 3)))
            kind = int(chance.integers(4))
            head = ("Seen by Dr ", "Name: ", "Moved to ", "The wound of Tuesday is ")[kind]
            said = (name, name, f"{name} Hospital", "dry")[kind]
            if kind < 3:
                start = len(text) + len(head)
                own.append((start, start + len(said), ("DOCTOR", "PATIENT", "HOSPITAL")[kind]))
            text += f"{head}{said} today.\n"
        texts.append(text)
        spans.append(own)
    return texts, spans


def features_of(texts):
    return featurize(texts, tokenize_documents(texts), RECIPE, PHRASES)


def trained(count: int = 60, **parameters):
    texts, spans = notes(count)
    features = features_of(texts)
    tags = encode_batch(spans, features, "BIO")
    return learn(features, tags, DECLARED, BoostingParameters.of(**{"rounds": 4, **parameters}))


@pytest.fixture(scope="module")
def model():
    return trained()


def test_a_tiny_corpus_is_learned(model):
    texts, spans = notes(40, seed=1)
    features = features_of(texts)
    gold = [tag for tags in encode_batch(spans, features, "BIO") for tag in tags]
    decoder = open_decoder(model)
    tags, scores = decoder.decode(decoder.ready(features))
    found = [decoder.tags[tag] for tag in tags.tolist()]
    assert np.mean([one == other for one, other in zip(found, gold, strict=True)]) > 0.98
    assert model.tags[0] == "O"
    assert set(model.tags) == set(gold)
    assert ((scores > 0) & (scores <= 1)).all()


def test_equal_input_gives_equal_bytes(model):
    assert pack(trained()) == pack(model)
    assert pack(trained(rounds=3)) != pack(model)


@needs_extension
def test_both_ways_learn_the_same_model(model):
    texts, spans = notes(60)
    features = features_of(texts)
    tags = encode_batch(spans, features, "BIO")
    parameters = BoostingParameters.of(rounds=4)
    other = learn(features, tags, DECLARED, parameters, grow=grow_in_python)
    assert pack(other) == pack(model)


def test_progress_is_told_and_may_stop(model):
    texts, spans = notes(20)
    features = features_of(texts)
    tags = encode_batch(spans, features, "BIO")
    told = []

    def progress(number, error):
        told.append((number, error))
        if number == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn(features, tags, DECLARED, BoostingParameters.of(rounds=5), progress=progress)
    assert [number for number, _ in told] == [1, 2]
    assert 0 <= told[0][1] < 0.5


def test_what_cannot_be_learned_is_refused():
    texts, spans = notes(3)
    features = features_of(texts)
    tags = encode_batch(spans, features, "BIO")
    parameters = BoostingParameters()
    with pytest.raises(UsageError, match="one tag for each item"):
        learn(features, tags[1:], DECLARED, parameters)
    with pytest.raises(UsageError, match="nothing to learn"):
        learn(features, [["O"] * len(t) for t in tags], DECLARED, parameters)
    numbers = iter(range(10_000))
    many = [[f"B-{next(numbers)}" for _ in t] for t in encode_batch(*_of(notes(60)), "BIO")]
    with pytest.raises(UsageError, match="at most 254"):
        learn(features_of(notes(60)[0]), many, DECLARED, parameters)
    with pytest.raises(UsageError, match="confidence"):
        TreeParameters(5, 2.0)


def _of(made):
    texts, spans = made
    return spans, features_of(texts)


def test_biases_move_what_is_found(model):
    texts, _ = notes(20, seed=2)
    decoder = open_decoder(model)
    prepared = decoder.ready(features_of(texts))
    counts = [
        int(np.count_nonzero(decoder.decode(prepared, {"O": bias})[0]))
        for bias in (-50.0, 0.0, 50.0)
    ]
    assert counts[0] > counts[1] > counts[2] == 0


HOSTILE = st.text(
    alphabet=st.one_of(
        st.sampled_from(
            "Dr.Ann Bo:\n\r\t |\\=[]0\0\u2028\u0130\ud800\udc00\U0001f642Name Hospital"
        ),
        st.characters(),
    ),
    max_size=200,
)


@needs_extension
@given(st.lists(st.one_of(HOSTILE, st.none()), max_size=4))
def test_any_text_is_labelled_alike_by_all_ways(model, texts):
    tokens = tokenize_documents(texts)
    index = AttributeIndex(
        RECIPE,
        model.attributes,
        native.extension(),
        phrases=PhraseIndex(LISTS, "fine", native.extension()),
        clusters={},
    )
    strings = featurize(texts, tokens, RECIPE, PHRASES)
    fast, slow = NativeTreesDecoder(unpack(pack(model))), ReferenceTreesDecoder(model)
    expected = slow.decode(slow.ready(strings))
    for rows in (index.featurize(texts, tokens, {}), strings):
        for found, wanted in zip(fast.decode(fast.ready(rows)), expected, strict=True):
            assert np.array_equal(found, wanted)
    for found, wanted in zip(
        slow.decode(slow.ready(index.featurize(texts, tokens, {}))), expected, strict=True
    ):
        assert np.array_equal(found, wanted)
