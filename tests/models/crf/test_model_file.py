from __future__ import annotations

import dataclasses
import random
import struct

import numpy as np
import pycrfsuite
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import BundleError
from scrubline.models.crf.model_file import (
    CONSTANT,
    CrfModel,
    biased,
    label_of,
    read_model,
    snap,
    snap_bias,
    write_model,
)

from ...examples import examples

EMPTY = np.zeros(0, np.int64)


def model_of(
    tags: list[str], states: dict[tuple[str, str], float], transitions: dict[tuple[str, str], float]
) -> CrfModel:
    attributes = sorted({attribute for attribute, _ in states})
    state_rows = sorted((attributes.index(a), tags.index(t), w) for (a, t), w in states.items())
    rows = sorted((tags.index(a), tags.index(b), w) for (a, b), w in transitions.items())
    return CrfModel(
        tuple(tags),
        tuple(attributes),
        np.array([a for a, _, _ in state_rows], np.int64),
        np.array([t for _, t, _ in state_rows], np.int64),
        np.array([w for _, _, w in state_rows], np.float64),
        np.array([a for a, _, _ in rows], np.int64),
        np.array([t for _, t, _ in rows], np.int64),
        np.array([w for _, _, w in rows], np.float64),
    )


def random_model(
    seed: int, *, constant: bool = True, tags: int = 5, attributes: int = 30
) -> CrfModel:
    source = random.Random(seed)
    names = ["O"] + [f"{'BI'[i % 2]}-L{i // 2}" for i in range(tags - 1)]
    words = [f"w={i}" for i in range(attributes)] + ["é🙂", ""] + [CONSTANT] * constant
    draw = lambda: source.randint(-3 * 4096, 3 * 4096) / 4096  # noqa: E731
    return model_of(
        names,
        {(w, t): draw() for w in words for t in names if source.random() < 0.4 or (w == words[0])},
        {(a, b): draw() for a in names for b in names if source.random() < 0.6},
    )


def trained(tmp_path, algorithm: str = "averaged-perceptron") -> bytes:
    trainer = pycrfsuite.Trainer(algorithm=algorithm, verbose=False)
    trainer.set("max_iterations", 4)
    for row in range(30):
        words = [(row * 7 + column * 3) % 23 for column in range(6)]
        trainer.append(
            [[CONSTANT, f"w=é{w}" * (1 + w % 4)] for w in words], [f"B-{w % 3}" for w in words]
        )
    trainer.train(str(tmp_path / "model"))
    return (tmp_path / "model").read_bytes()


def decode(
    model: CrfModel, items: list[list[str]], biases: dict[str, float] | None = None
) -> list[str]:
    """An own Viterbi over the parsed weights, to check CRFsuite's reading of the file against."""
    ids = {attribute: index for index, attribute in enumerate(model.attributes)}
    scores = np.zeros((len(items), len(model.tags)))
    for position, item in enumerate(items):
        for attribute in item:
            mine = model.state_attributes == ids.get(attribute, -1)
            np.add.at(scores[position], model.state_tags[mine], model.state_weights[mine])
    scores += [(biases or {}).get(label_of(tag), 0.0) for tag in model.tags]
    transitions, back = model.transitions(), []
    best = scores[0]
    for row in scores[1:]:
        paths = best[:, None] + transitions
        back.append(paths.argmax(0))
        best = paths.max(0) + row
    path = [int(best.argmax())]
    for step in reversed(back):
        path.append(int(step[path[-1]]))
    return [model.tags[tag] for tag in reversed(path)]


def random_sequences(model: CrfModel, seed: int, count: int = 60) -> list[list[list[str]]]:
    source = random.Random(seed)
    pool = [a for a in model.attributes if a != CONSTANT] + ["unknown"]
    return [
        [
            [CONSTANT, *source.sample(pool, source.randint(0, 4))]
            for _ in range(source.randint(1, 9))
        ]
        for _ in range(count)
    ]


def crfsuite_decodes(data: bytes, sequences: list[list[list[str]]]) -> list[list[str]]:
    tagger = pycrfsuite.Tagger()
    tagger.open_inmemory(data)
    return [tagger.tag(pycrfsuite.ItemSequence(sequence)) for sequence in sequences]


@pytest.mark.parametrize("algorithm", ["averaged-perceptron", "lbfgs"])
def test_a_trained_file_is_read_and_written_back(tmp_path, algorithm):
    data = trained(tmp_path, algorithm)
    model = read_model(data)
    assert write_model(model) == data
    tagger = pycrfsuite.Tagger()
    tagger.open_inmemory(data)
    info = tagger.info()
    assert list(model.tags) == sorted(info.labels, key=lambda tag: int(info.labels[tag]))
    assert set(model.attributes) == set(info.attributes)
    square = model.transitions()
    for (source, target), weight in info.transitions.items():
        given_weight = square[model.tags.index(source), model.tags.index(target)]
        assert given_weight == pytest.approx(weight, abs=1e-6)
    assert len(info.transitions) == len(model.transition_weights)
    assert len(info.state_features) == len(model.state_weights)


@pytest.mark.parametrize("seed", range(4))
def test_crfsuite_reads_what_is_written(seed):
    model = random_model(seed, constant=seed % 2 == 0)
    data = write_model(model)
    assert write_model(read_model(data)) == data
    sequences = random_sequences(model, seed)
    assert crfsuite_decodes(data, sequences) == [decode(model, sequence) for sequence in sequences]


def test_a_large_database_is_found_whole_by_crfsuite():
    # Long keys take more than one block of the hash; many keys collide in its tables.
    words = ["w" * (i % 60) + str(i) for i in range(3000)]
    model = model_of(["O", "B-X"], {(w, "B-X"): 1.0 for w in words} | {("no", "O"): 0.5}, {})
    data = write_model(model)
    assert crfsuite_decodes(data, [[[w]] for w in words]) == [["B-X"]] * len(words)
    assert crfsuite_decodes(data, [[["absent"]]]) == [["O"]]


def test_snap_rounds_every_weight_to_the_grid(tmp_path):
    before = read_model(trained(tmp_path, "lbfgs"))
    after = snap(before)
    assert not before.on_grid() and after.on_grid()
    assert (after.tags, after.attributes) == (before.tags, before.attributes)
    for name in ("state_weights", "transition_weights"):
        assert np.abs(getattr(before, name) - getattr(after, name)).max() <= 0.5 / 4096
    assert write_model(snap(after)) == write_model(after)


def test_snap_refuses_weights_too_large_for_exact_sums():
    with pytest.raises(BundleError, match="converge"):
        snap(model_of(["O"], {("a", "O"): 4096.0}, {}))


@pytest.mark.parametrize(
    ("bias", "expected"),
    [(0.5, 0.5), (-0.3, -1229 / 4096), (1e-9, 0.0), (4095.99, 4095.989990234375)],
)
def test_snap_bias(bias, expected):
    assert snap_bias(bias) == expected


@pytest.mark.parametrize("bias", [float("nan"), float("inf"), -4096.0, 1e300])
def test_snap_bias_refuses(bias):
    with pytest.raises(BundleError, match="bias"):
        snap_bias(bias)


@examples(40)
@given(
    seed=st.integers(0, 999),
    constant=st.booleans(),
    biases=st.dictionaries(st.sampled_from(["O", "L0", "L1"]), st.floats(-4, 4)),
)
def test_biases_are_added_exactly(seed, constant, biases):
    model = random_model(seed, constant=constant)
    changed = biased(model, biases)
    snapped = {label: snap_bias(bias) for label, bias in biases.items()}
    sequences = random_sequences(model, seed, count=25)
    expected = [decode(model, sequence, snapped) for sequence in sequences]
    assert crfsuite_decodes(write_model(changed), sequences) == expected
    assert changed.on_grid()
    back = biased(changed, {label: -bias for label, bias in snapped.items()})
    before, after = (crfsuite_decodes(write_model(one), sequences) for one in (model, back))
    assert after == before


def test_biases_of_nothing_change_nothing():
    model = random_model(1)
    assert biased(model, {}) is biased(model, {"O": 0.0}) is model


@pytest.mark.parametrize("label", ["X", "B-L0", "", "o"])
def test_biases_for_unknown_labels_are_refused(label):
    with pytest.raises(BundleError, match="no such labels"):
        biased(random_model(1), {label: 1.0})


@pytest.mark.parametrize(
    ("tag", "label"),
    [("O", "O"), ("B-DATE", "DATE"), ("I-LOCATION-OTHER", "LOCATION-OTHER"), ("B-O", "O")],
)
def test_label_of(tag, label):
    assert label_of(tag) == label


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"tags": ()}, "expected 1 to 1024"),
        ({"tags": tuple(map(str, range(1025)))}, "expected 1 to 1024"),
        ({"tags": ("O", "O", "A", "B", "C")}, "unique"),
        ({"tags": ("O", "N\0", "A", "B", "C")}, "NUL"),
        ({"tags": ("O", "\ud800", "A", "B", "C")}, "surrogate"),
        ({"transition_weights": np.array([float("nan")])}, "finite"),
        ({"state_tags": np.array([5]), "state_attributes": np.array([0])}, "is not in"),
        ({"state_tags": np.array([0]), "state_attributes": np.array([-1])}, "is not in"),
    ],
)
def test_models_that_cannot_be_are_refused(change, words):
    model = model_of(["O", "A", "B", "C", "D"], {("a", "O"): 1.0}, {("O", "A"): 1.0})
    with pytest.raises(BundleError, match=words):
        dataclasses.replace(model, **change)


def small_file() -> bytes:
    return write_model(random_model(7, tags=3, attributes=6))


def test_every_prefix_is_refused():
    data = small_file()
    for size in range(len(data)):
        with pytest.raises(BundleError):
            read_model(data[:size])
        if size >= 48:  # also where the header claims that this is all
            with pytest.raises(BundleError):
                read_model(data[:4] + struct.pack("<I", size) + data[8:size])


@pytest.mark.parametrize("extra", [b"\0", b"lCRF", bytes(4096)])
def test_what_follows_the_model_is_refused(extra):
    data = small_file() + extra
    with pytest.raises(BundleError):
        read_model(data)
    with pytest.raises(BundleError):
        read_model(data[:4] + struct.pack("<I", len(data)) + data[8:])


def test_a_flipped_bit_is_refused_or_changes_one_weight():
    data = small_file()
    model = read_model(data)
    features = len(model.state_weights) + len(model.transition_weights)
    weights = {60 + 20 * row + 12 + byte for row in range(features) for byte in range(8)}
    # The number of features in the header and the flags of the two databases mean nothing to
    # CRFsuite.
    tags_at, attributes_at = struct.unpack_from("<2I", data, 32)
    flags = {at + 8 + byte for at in (tags_at, attributes_at) for byte in range(4)}
    source = random.Random(5)
    positions = set(source.sample(range(len(data)), 400)) | set(range(150)) | weights | flags
    for position in positions:
        flipped = bytearray(data)
        flipped[position] ^= 1 << source.randrange(8)
        try:
            read_model(bytes(flipped))
        except BundleError:
            assert position not in flags
        else:
            assert position in weights | flags
            crfsuite_decodes(bytes(flipped), [[["w=1", CONSTANT]] * 2])


@pytest.mark.parametrize("position", range(4, 48, 4))
@pytest.mark.parametrize("value", [0, 1, 47, 0x7FFFFFFF, 0xFFFFFFFF])
def test_lying_headers_are_refused(position, value):
    data = small_file()
    if struct.unpack_from("<I", data, position)[0] == value:
        return
    with pytest.raises(BundleError):
        read_model(data[:position] + struct.pack("<I", value) + data[position + 4 :])


@examples(150)
@given(noise=st.binary(max_size=6000), magic=st.booleans(), header=st.booleans())
def test_garbage_is_refused(noise, magic, header):
    data = small_file()[: 48 if header else 4] if magic else b""
    with pytest.raises(BundleError):
        read_model(data + noise)


def test_swapped_stretches_are_refused():
    data, source = small_file(), random.Random(11)
    for _ in range(300):
        a, b = source.randrange(len(data)), source.randrange(len(data))
        size = source.randint(1, 200)
        changed = data[:a] + data[b : b + size] + data[a + size :]
        changed = changed[: len(data)]
        if changed == data:
            continue
        try:
            model = read_model(changed)
        except BundleError:
            continue
        assert write_model(model) == changed  # only weights were copied over weights


def test_a_file_of_a_hundred_thousand_attributes_is_read_quickly():
    count = 100_000
    rows = np.arange(count)
    model = CrfModel(
        ("O", "B-X"),
        tuple(f"w={i}" for i in range(count)),
        rows,
        rows % 2,
        np.ones(count),
        EMPTY,
        EMPTY,
        np.zeros(0),
    )
    assert len(read_model(write_model(model)).attributes) == count
