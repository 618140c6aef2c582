"""Both ways of tagging against python-crfsuite itself, which is the oracle."""

from __future__ import annotations

import concurrent.futures
import itertools
import logging

import numpy as np
import pycrfsuite
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models import native
from scrubline.models.core.errors import BundleError
from scrubline.models.core.feature_rows import Features
from scrubline.models.crf.codec import decode_batch, decode_ids
from scrubline.models.crf.decoding import NativeDecoder, ReferenceDecoder, open_decoder
from scrubline.models.crf.learning import item_sequences
from scrubline.models.crf.model_file import GRID, CrfModel, biased, write_model

from ...examples import examples

needs_extension = pytest.mark.skipif(
    native.extension() is None, reason="the native extension is not built here"
)
WAYS = [pytest.param(NativeDecoder, marks=needs_extension), ReferenceDecoder]
ATTRIBUTES = ("bias", *(f"a{n}" for n in range(12)))
"""The model has some of them, "bias" among them or not."""


def ints(values) -> np.ndarray:
    return np.array(values, np.int64)


def offsets(lengths) -> np.ndarray:
    return ints([0, *np.cumsum(lengths)])


@st.composite
def models(draw, most: float = 3.0) -> CrfModel:
    tags = ("O", "B-X", "I-X", "B-Y", "I-Y", "S-Z", "E-X")[: draw(st.integers(1, 7))]
    if draw(st.booleans()):
        tags = tags[::-1]
    attributes = draw(st.lists(st.sampled_from(ATTRIBUTES), unique=True, max_size=10))
    # Few values, so that paths often tie.
    coarse = st.integers(-2, 2).map(float)
    fine = st.integers(int(-most * GRID), int(most * GRID)).map(lambda n: n / GRID)
    weights = coarse if draw(st.booleans()) else fine

    def table(rows: int, columns: int) -> tuple[list[int], list[int], list[float]]:
        cells = [(i, j) for i in range(rows) for j in range(columns)]
        chosen = sorted(draw(st.sets(st.sampled_from(cells), max_size=30))) if cells else []
        found = [draw(weights) for _ in chosen]
        return [i for i, _ in chosen], [j for _, j in chosen], found

    states, moves = table(len(attributes), len(tags)), table(len(tags), len(tags))
    # Where moves differ by more than 700 no way has a number for what lies between.
    held = [max(-340.0, min(340.0, weight)) for weight in moves[2]]
    return CrfModel(
        tags,
        tuple(attributes),
        ints(states[0]),
        ints(states[1]),
        np.array(states[2], np.float64),
        ints(moves[0]),
        ints(moves[1]),
        np.array(held, np.float64),
    )


@st.composite
def batches(draw) -> Features:
    """Items of attributes that the model may not have, in sequences, in documents."""
    names = ATTRIBUTES[1:]
    documents = draw(
        st.lists(
            st.lists(
                st.lists(
                    st.lists(st.integers(0, len(names) - 1), max_size=4), min_size=1, max_size=8
                ),
                max_size=3,
            ),
            max_size=3,
        )
    )
    sequences = [sequence for document in documents for sequence in document]
    items = [item for sequence in sequences for item in sequence]
    places = np.arange(len(items))
    return Features(
        names,
        ints([number for item in items for number in item]),
        offsets([len(item) for item in items]),
        places * 3,
        places * 3 + 2,
        offsets([len(sequence) for sequence in sequences]),
        offsets([len(document) for document in documents]),
    )


def by_crfsuite(model: CrfModel, features: Features) -> tuple[list[str], list[float]]:
    crf = pycrfsuite.Tagger()
    weights = write_model(model)
    crf.open_inmemory(weights)
    tags: list[str] = []
    scores: list[float] = []
    for items in item_sequences(features):
        found = crf.tag(items)
        tags += found
        scores += [
            1.0 if tag == "O" else crf.marginal(tag, place) for place, tag in enumerate(found)
        ]
    return tags, scores


def by(decoder, features: Features, **more) -> tuple[list[str], np.ndarray]:
    tags, scores = decoder.decode(decoder.ready(features), **more)
    return [decoder.tags[tag] for tag in tags], scores


@pytest.mark.parametrize("way", WAYS)
@examples(300)
@given(
    model=models(),
    features=batches(),
    biases=st.dictionaries(st.sampled_from("OXYQ"), st.floats(-2, 2)),
)
@pytest.mark.slow
def test_tags_and_scores_are_those_of_crfsuite(way, model, features, biases):
    own = {tag if tag == "O" else tag[2:] for tag in model.tags}
    oracle = biased(model, {label: bias for label, bias in biases.items() if label in own})
    tags, scores = by_crfsuite(oracle, features)
    decoder = way(model)
    for _ in range(2):
        found, probable = by(decoder, features, biases=biases)
        assert found == tags
        assert np.allclose(probable, scores, atol=1e-9)
    found, probable = by(decoder, features, biases=biases, scored=False)
    assert found == tags
    assert (probable == 1.0).all()


@needs_extension
@examples(100)
@given(model=models(most=4000.0), features=batches())
def test_beyond_what_exp_can_hold_both_ways_know_the_scores(model, features):
    """CRFsuite has no number for them: exp(710) is beyond its range."""
    one, other = (by(way(model), features) for way in (NativeDecoder, ReferenceDecoder))
    assert one[0] == other[0] == by_crfsuite(model, features)[0]
    assert np.allclose(one[1], other[1], atol=1e-9)


def by_every_path(model: CrfModel, features: Features, temperature: float) -> list[float]:
    """One less the probability of O at each item, by adding up all paths."""
    numbers = {name: number for number, name in enumerate(model.attributes)}
    moves, risks = model.transitions(), []
    ids, offsets_of_items = features.attribute_ids, features.item_offsets
    for first, end in itertools.pairwise(features.sequence_offsets.tolist()):
        states = np.zeros((end - first, len(model.tags)))
        for at in range(end - first):
            low, high = offsets_of_items[first + at : first + at + 2]
            # An item may have an attribute twice; every item has the constant.
            for name in ("bias", *(features.attributes[n] for n in ids[low:high])):
                own = model.state_attributes == numbers.get(name, -1)
                np.add.at(states[at], model.state_tags[own], model.state_weights[own])
        paths = list(itertools.product(range(len(model.tags)), repeat=len(states)))
        scores = np.array(
            [
                sum(states[at, tag] for at, tag in enumerate(path))
                + sum(moves[one, other] for one, other in itertools.pairwise(path))
                for path in paths
            ]
        )
        masses = np.exp((scores - scores.max()) / temperature)
        outside = np.array(paths) == model.tags.index("O")
        risks += (masses @ ~outside / masses.sum()).tolist()
    return risks


@pytest.mark.parametrize("way", WAYS)
@examples(40)
@given(model=models(), features=batches(), temperature=st.sampled_from([0.5, 1.0, 3.0, 16.0]))
def test_risks_are_what_all_paths_say_whatever_the_biases(way, model, features, temperature):
    if "O" not in model.tags or len(model.tags) > 4:
        return
    bounds = features.sequence_offsets
    if len(bounds) > 1 and np.diff(bounds).max(initial=0) > 5:
        return
    decoder = way(model)
    ready = decoder.ready(features)
    expected = by_every_path(model, features, temperature)
    for biases in ({}, {"O": 2.0}, {"X": 1.0, "O": -1.0}):
        tags, scores, risks = decoder.decode_risks(ready, biases, temperature=temperature)
        assert np.allclose(risks, expected, atol=1e-12)
        plain = decoder.decode(ready, biases)
        assert (tags == plain[0]).all() and (scores == plain[1]).all()


@needs_extension
@examples(100)
@given(model=models(most=4000.0), features=batches(), temperature=st.sampled_from([1.0, 7.0, 16.0]))
def test_both_ways_know_the_risks_beyond_what_exp_can_hold(model, features, temperature):
    one, other = (
        decoder.decode_risks(decoder.ready(features), temperature=temperature)[2]
        for decoder in (NativeDecoder(model), ReferenceDecoder(model))
    )
    assert np.allclose(one, other, rtol=1e-9, atol=1e-12)
    assert ((one >= 0) & (one <= 1)).all()


@needs_extension
def test_risks_of_a_long_line_on_both_ways():
    model, features = long_line(2_000)
    for temperature in (1.0, 16.0):
        one, other = (
            decoder.decode_risks(decoder.ready(features), {"O": -1.0}, temperature=temperature)[2]
            for decoder in (NativeDecoder(model), ReferenceDecoder(model))
        )
        assert np.allclose(one, other, rtol=1e-9)


@pytest.mark.parametrize("way", WAYS)
def test_without_a_tag_of_what_is_no_entity_all_is_at_risk(way):
    model = CrfModel(
        ("B-X", "B-Y"), (), ints([]), ints([]), np.zeros(0), ints([]), ints([]), np.zeros(0)
    )
    features = Features(
        ("a0",), ints([0]), ints([0, 1]), ints([0]), ints([2]), ints([0, 1]), ints([0, 1])
    )
    decoder = way(model)
    assert decoder.decode_risks(decoder.ready(features), temperature=1.0)[2].tolist() == [1.0]
    with pytest.raises(ValueError, match="temperature is out of range"):
        decoder.decode_risks(decoder.ready(features), temperature=0.0)


@pytest.mark.parametrize("way", WAYS)
def test_sums_that_overflow_have_a_score_all_the_same(way):
    weights = np.array([900.0, 900.0 - 1.0])
    model = CrfModel(
        ("B-X", "O"), ("a0",), ints([0, 0]), ints([0, 1]), weights, ints([]), ints([]), np.zeros(0)
    )
    features = Features(
        ("a0",), ints([0]), ints([0, 1]), ints([0]), ints([2]), ints([0, 1]), ints([0, 1])
    )
    tags, (score,) = by(way(model), features)
    assert tags == ["B-X"]
    assert score == pytest.approx(1 / (1 + np.exp(-1)))


@needs_extension
@pytest.mark.parametrize("most", [1.0, 4095.0])
@pytest.mark.parametrize("tags", [2, 9, 30])
def test_many_heavy_weights_that_sums_of_32_bits_could_not_hold(most, tags):
    rng = np.random.default_rng(7)
    attributes, items = 60, 200
    weights = np.round(rng.uniform(-most, most, attributes * tags) * 4096) / 4096
    pairs = np.array([(k, j) for k in range(tags) for j in range(tags)])
    moves = np.round(rng.uniform(-most, most, len(pairs)) * 4096) / 4096
    model = CrfModel(
        ("O", *(f"B-{n}" for n in range(1, tags))),
        tuple(f"a{n}" for n in range(attributes)),
        np.repeat(np.arange(attributes), tags),
        np.tile(np.arange(tags), attributes),
        weights,
        pairs[:, 0],
        pairs[:, 1],
        moves,
    )
    features = Features(
        model.attributes,
        rng.integers(0, attributes, items * 40),
        offsets([40] * items),
        np.arange(items),
        np.arange(items) + 1,
        ints([0, items // 2, items]),
        ints([0, 2]),
    )
    found, _ = by(NativeDecoder(model), features)
    assert found == by_crfsuite_tags(model, features)


@needs_extension
@examples(100)
@given(model=models(), features=batches())
def test_spans_of_ids_are_those_of_tags(model, features):
    decoder = NativeDecoder(model)
    tags, _ = decoder.decode(decoder.ready(features))
    written = [decoder.tags[tag] for tag in tags]
    bounds = features.sequence_offsets.tolist()
    by_sequence = [written[a:b] for a, b in zip(bounds, bounds[1:], strict=False)]
    assert decode_ids(tags, decoder.tags, features) == decode_batch(by_sequence, features)


def long_line(items: int) -> tuple[CrfModel, Features]:
    rng = np.random.default_rng(3)
    tags = ("O", *(f"{place}-L{n}" for n in range(30) for place in "BI"))
    names = tuple(f"a{n}" for n in range(50))
    cells = [(i, j) for i in range(50) for j in range(len(tags)) if rng.random() < 0.3]
    moves = [(i, j) for i in range(len(tags)) for j in range(len(tags)) if rng.random() < 0.2]
    grid = lambda count: np.rint(rng.normal(size=count) * GRID) / GRID  # noqa: E731
    model = CrfModel(
        tags,
        names,
        *(ints(column) for column in zip(*cells, strict=True)),
        grid(len(cells)),
        *(ints(column) for column in zip(*moves, strict=True)),
        grid(len(moves)),
    )
    places = np.arange(items)
    return model, Features(
        names,
        rng.integers(0, 50, items * 3),
        np.arange(items + 1) * 3,
        places * 2,
        places * 2 + 1,
        ints([0, items]),
        ints([0, 1]),
    )


@needs_extension
def test_a_line_of_a_hundred_thousand_tokens():
    model, features = long_line(100_000)
    tags, scores = by(NativeDecoder(model), features)
    assert tags == by_crfsuite_tags(model, features)
    assert ((scores >= 0) & (scores <= 1)).all()


def by_crfsuite_tags(model: CrfModel, features: Features) -> list[str]:
    decoder = ReferenceDecoder(model)
    return by(decoder, features, scored=False)[0]


@needs_extension
def test_one_decoder_serves_many_threads():
    model, features = long_line(2_000)
    decoder = NativeDecoder(model)
    alone = by(decoder, features)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for tags, scores in pool.map(lambda _: by(decoder, features), range(16)):
            assert tags == alone[0]
            assert (scores == alone[1]).all()


def test_a_bias_that_is_no_small_number_is_refused():
    model, features = long_line(3)
    for way in (ReferenceDecoder, *([NativeDecoder] if native.extension() else [])):
        for bias in (float("nan"), 5000.0):
            with pytest.raises(BundleError, match="between -4096"):
                by(way(model), features, biases={"O": bias})


ARRAYS = {
    "rows": np.array([0, 1, 2], np.int64),
    "row_labels": np.array([0, 1], np.uint16),
    "row_weights": np.array([1.0, 2.0], np.float32),
    "moves": np.zeros((2, 2)),
    "outside": 0,
}


@needs_extension
@pytest.mark.parametrize(
    "changes",
    [
        {"rows": np.array([0, 1, 3], np.int64)},
        {"rows": np.array([0, 2, 1], np.int64)},
        {"rows": np.array([1, 1, 2], np.int64)},
        {"rows": np.array([], np.int64)},
        {"rows": b"1234567"},
        {"row_labels": np.array([0, 2], np.uint16)},
        {"row_labels": np.array([0], np.uint16)},
        {"row_weights": np.array([1.0, np.nan], np.float32)},
        {"row_weights": np.array([1.0, 4096.0], np.float32)},
        {"moves": np.zeros(3)},
        {"moves": np.zeros(0)},
        {"moves": np.full((2, 2), np.inf)},
        {"moves": np.zeros(1025**2)},
        {"outside": 2},
        {"outside": -2},
    ],
)
def test_what_is_no_model_is_refused(changes):
    extension = native.extension()
    assert extension.open_model(*ARRAYS.values())
    with pytest.raises(ValueError, match="open_model|rows"):
        extension.open_model(*{**ARRAYS, **changes}.values())


BATCH = {
    "base": np.zeros(2),
    "ids": np.array([0, 1, -1], np.int32),
    "item_offsets": np.array([0, 2, 3], np.int64),
    "sequence_offsets": np.array([0, 2], np.int64),
    "tags": np.zeros(2, np.uint16),
    "scores": np.ones(2),
    "risks": np.ones(2),
    "risk_base": np.zeros(2),
    "temperature": 16.0,
}


@needs_extension
@pytest.mark.parametrize(
    "changes",
    [
        {"base": np.zeros(3)},
        {"base": np.array([0.0, np.nan])},
        {"base": np.full(2, -np.inf)},
        {"ids": np.array([0, 1, 2], np.int32)},
        {"ids": np.array([0, 1, -2], np.int32)},
        {"ids": np.array([0, 1], np.int32)},
        {"item_offsets": np.array([0, 4, 3], np.int64)},
        {"item_offsets": np.array([0, 3], np.int64)},
        {"sequence_offsets": np.array([0, 1], np.int64)},
        {"sequence_offsets": np.array([0, 3], np.int64)},
        {"sequence_offsets": np.array([], np.int64)},
        {"sequence_offsets": np.array([0, 2, 1, 2], np.int64)},
        {"tags": np.zeros(3, np.uint16)},
        {"scores": np.ones(1)},
        {"scores": b"12345678" * 2},
        {"risks": np.ones(1)},
        {"risks": np.ones(3)},
        {"risks": b"12345678" * 2},
        {"risks": BATCH["scores"]},
        {"risk_base": np.zeros(1)},
        {"risk_base": np.array([0.0, np.inf])},
        {"temperature": 0.0},
        {"temperature": -1.0},
        {"temperature": float("nan")},
        {"temperature": float("inf")},
        {"ids": "text"},
    ],
)
def test_what_is_no_batch_is_refused(changes):
    extension = native.extension()
    model = extension.open_model(*ARRAYS.values())
    assert extension.decode(model, *BATCH.values()) is None
    with pytest.raises((ValueError, TypeError, BufferError)):
        extension.decode(model, *{**BATCH, **changes}.values())
    with pytest.raises(ValueError, match="Capsule"):
        extension.decode(object(), *BATCH.values())


@needs_extension
def test_what_is_written_must_lie_apart_from_what_is_read():
    extension = native.extension()
    model = extension.open_model(*ARRAYS.values())
    shared = np.zeros(2)
    with pytest.raises(ValueError, match="do not fit"):
        extension.decode(model, *{**BATCH, "base": shared, "scores": shared}.values())


@needs_extension
def test_an_extension_of_another_version_is_not_used(monkeypatch, caplog):
    monkeypatch.setattr(native, "VERSION", native.VERSION + 1)
    for cached in (native.extension, native.warn_if_absent):
        cached.cache_clear()
    with caplog.at_level(logging.WARNING):
        assert native.extension() is None
        native.warn_if_absent()
    assert "another version: build it anew" in caplog.text
    monkeypatch.undo()
    for cached in (native.extension, native.warn_if_absent):
        cached.cache_clear()


def test_without_the_extension_the_reference_runs_and_says_so_once(monkeypatch, caplog):
    native.extension.cache_clear()
    native.warn_if_absent.cache_clear()
    monkeypatch.setenv(native.SWITCH, "0")
    model, _ = long_line(1)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert isinstance(open_decoder(model), ReferenceDecoder)
    assert [record.getMessage() for record in caplog.records] == [
        "the native extension is turned off by SCRUBLINE_NATIVE=0: "
        "labels are the same, and take many times longer"
    ]
    monkeypatch.undo()
    native.extension.cache_clear()
    native.warn_if_absent.cache_clear()
