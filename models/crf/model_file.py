"""CRFsuite's binary model as a value: read with every byte validated, written, snapped and biased.

CRFsuite trusts its files: python-crfsuite crashes on a damaged one and silently opens a truncated
one. So `read_model` validates every file first. Labels, attributes and weights determine all sizes,
offsets, hash tables and reference lists of a file. So `read_model` extracts the former, writes them
again with `write_model`, and requires the same bytes: a file passes if CRFsuite could have written
it.

Layout (CRFsuite 0.12, version 100, little-endian): header of 48 bytes; chunk FEAT (20 bytes a
feature: type, source, target, weight); two constant quark databases (string -> id and back) for
labels and attributes (see `quark`); chunks LFRF and AFRF (the features of each label and of each
attribute), each on a 4-byte boundary.
"""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats, Ints, require_equal_lengths
from ..core.errors import BundleError
from .quark import MAX_KEY_BYTES, joined_keys, read_names, words, write_names

GRID = 4096.0
"""Weights are multiples of 1 / GRID: sums are exact in any order; below 2^12, in float32 too."""

CONSTANT = "bias"
"""The attribute that every item has; its weights are the biases of the tags."""

MAX_LABELS = 1024
"""CRFsuite allocates a square of labels without a check; 28 labels in BIOES are 113 tags."""

MAX_WEIGHT = 4096.0
"""Weights must be smaller, or float32 sums on the grid would not be exact."""

_HEADER = struct.Struct("<4sI4s9I")
_CHUNK = struct.Struct("<4sII")
_FEATURE = np.dtype([("type", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])
_VERSION = 100
_MAX_FEATURES = 1 << 26


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class CrfModel:
    """The weights of a linear-chain CRF.

    A state weight counts if an item has the attribute and gets the tag; a transition weight if a
    tag follows another. All other weights are 0, also those of unseen transitions, which are not
    forbidden.

    Attributes:
        tags: in the order of their ids; among equally good paths CRFsuite prefers lower ids.
        attributes: unique, in the order of their ids.
        state_attributes, state_tags, state_weights: one row per state feature, ascending by
            (attribute, tag).
        transition_sources, transition_targets, transition_weights: one row per transition,
            ascending by (source, target).

    Raises:
        BundleError: if ids are out of range or not ascending, names repeat or cannot be stored, or
            a weight is not finite.
    """

    tags: tuple[str, ...]
    attributes: tuple[str, ...]
    state_attributes: Ints
    state_tags: Ints
    state_weights: Floats
    transition_sources: Ints
    transition_targets: Ints
    transition_weights: Floats

    def __post_init__(self) -> None:
        require_equal_lengths(
            "CrfModel states",
            attributes=self.state_attributes,
            tags=self.state_tags,
            weights=self.state_weights,
        )
        require_equal_lengths(
            "CrfModel transitions",
            sources=self.transition_sources,
            targets=self.transition_targets,
            weights=self.transition_weights,
        )
        tags, attributes = len(self.tags), len(self.attributes)
        if not 1 <= tags <= MAX_LABELS:
            raise BundleError(f"the model has {tags} tags; expected 1 to {MAX_LABELS}")
        _require_names("tags", self.tags)
        _require_names("attributes", self.attributes)
        _require_pairs("state", self.state_attributes, attributes, self.state_tags, tags)
        _require_pairs("transition", self.transition_sources, tags, self.transition_targets, tags)
        if not (
            np.isfinite(self.state_weights).all() and np.isfinite(self.transition_weights).all()
        ):
            raise BundleError("a weight is not a finite number")

    def transitions(self) -> Floats:
        """The transition weights as a square matrix, [source, target]."""
        square = np.zeros((len(self.tags), len(self.tags)))
        square[self.transition_sources, self.transition_targets] = self.transition_weights
        return square

    def on_grid(self) -> bool:
        """Whether all weights are multiples of 1 / GRID and smaller than MAX_WEIGHT."""
        weights = np.concatenate([self.state_weights, self.transition_weights])
        return bool(
            (np.rint(weights * GRID) == weights * GRID).all()
            and (np.abs(weights) < MAX_WEIGHT).all()
        )


def read_model(data: bytes) -> CrfModel:
    """Reads and fully validates a model file; linear in its size.

    Raises:
        BundleError: if it is not a complete file as CRFsuite writes it.
    """
    if len(data) < _HEADER.size:
        raise BundleError(
            f"not a CRFsuite model: it has {len(data)} bytes, and a header alone {_HEADER.size}"
        )
    magic, size, kind, version, _, n_tags, n_attributes, features_at, tags_at, attributes_at, *_ = (
        _HEADER.unpack_from(data)
    )
    if (magic, kind, version) != (b"lCRF", b"FOMC", _VERSION):
        raise BundleError("not a CRFsuite model: wrong magic, type or version")
    if size != len(data):
        raise BundleError(f"the CRFsuite model has {len(data)} bytes; its header says {size}")
    features = _read_features(data, features_at)
    tags = read_names(data, tags_at, n_tags, "tags")
    attributes = read_names(data, attributes_at, n_attributes, "attributes")
    if (
        features["type"].max(initial=0) > 1
        or (np.diff(features["type"].astype(np.int64)) < 0).any()
    ):
        raise BundleError("a feature is neither state nor transition, or features are not in order")
    split = int(np.count_nonzero(features["type"] == 0))
    state, transition = features[:split], features[split:]
    model = CrfModel(
        tags,
        attributes,
        state["source"].astype(np.int64),
        state["target"].astype(np.int64),
        state["weight"].astype(np.float64),
        transition["source"].astype(np.int64),
        transition["target"].astype(np.int64),
        transition["weight"].astype(np.float64),
    )
    expected = write_model(model)
    # CRFsuite does not initialise the flag word of a database and never reads it.
    actual = _without_flags(data, (tags_at, attributes_at))
    if actual != expected:
        raise BundleError(f"the CRFsuite model is damaged: {_first_difference(actual, expected)}")
    return model


def write_model(model: CrfModel) -> bytes:
    """The file of a model; the same model gives the same bytes.

    Raises:
        BundleError: if it would exceed the range of CRFsuite's offsets (2 GB).
    """
    state, transitions = len(model.state_weights), len(model.transition_weights)
    if state + transitions > _MAX_FEATURES:
        raise BundleError(
            f"the model has {state + transitions} features; the limit is {_MAX_FEATURES}"
        )
    features = np.zeros(state + transitions, _FEATURE)
    features["type"][state:] = 1
    features["source"] = np.concatenate([model.state_attributes, model.transition_sources])
    features["target"] = np.concatenate([model.state_tags, model.transition_targets])
    features["weight"] = np.concatenate([model.state_weights, model.transition_weights])

    body = features.tobytes()
    features_at = _HEADER.size
    chunks = [_CHUNK.pack(b"FEAT", _CHUNK.size + len(body), len(features)), body]
    tags_at = features_at + _CHUNK.size + len(body)
    chunks.append(write_names(model.tags))
    attributes_at = tags_at + len(chunks[-1])
    chunks.append(write_names(model.attributes))
    end = attributes_at + len(chunks[-1])
    chunks.append(bytes(-end % 4))
    tag_refs_at = end + len(chunks[-1])
    # Two empty slots for features at the begin and end of a sequence, which CRFsuite abandoned.
    chunks.append(
        _references(b"LFRF", tag_refs_at, model.transition_sources, len(model.tags), state, 2)
    )
    attribute_refs_at = tag_refs_at + len(chunks[-1])
    chunks.append(
        _references(b"AFRF", attribute_refs_at, model.state_attributes, len(model.attributes), 0, 0)
    )
    size = attribute_refs_at + len(chunks[-1])
    if size >= 1 << 31:
        raise BundleError(f"the CRFsuite model has {size} bytes; the limit is 2 GB")
    header = _HEADER.pack(
        b"lCRF",
        size,
        b"FOMC",
        _VERSION,
        0,  # number of features: CRFsuite leaves it 0
        len(model.tags),
        len(model.attributes),
        features_at,
        tags_at,
        attributes_at,
        tag_refs_at,
        attribute_refs_at,
    )
    return b"".join([header, *chunks])


def snap(model: CrfModel) -> CrfModel:
    """The model with every weight rounded to the nearest multiple of 1 / GRID.

    Raises:
        BundleError: if a weight is too large for exact sums.
    """
    snapped = dataclasses.replace(
        model,
        state_weights=np.rint(model.state_weights * GRID) / GRID,
        transition_weights=np.rint(model.transition_weights * GRID) / GRID,
    )
    if not snapped.on_grid():
        raise BundleError(f"a weight is {MAX_WEIGHT:g} or larger: the training did not converge")
    return snapped


def snap_bias(bias: float) -> float:
    """The nearest bias on the weights' grid.

    Raises:
        BundleError: if it is not a number smaller than MAX_WEIGHT.
    """
    if not abs(bias) < MAX_WEIGHT:  # also refuses NaN
        raise BundleError(f"a bias must be a number between -{MAX_WEIGHT:g} and {MAX_WEIGHT:g}")
    return float(np.rint(bias * GRID) / GRID)


def label_of(tag: str) -> str:
    """The label of a tag: "DATE" of "B-DATE", and "O" of "O"."""
    return tag if tag == "O" else tag.partition("-")[2]


def biases_by_tag(tags: Sequence[str], biases: Mapping[str, float]) -> Floats:
    """The value added to the score of each tag; labels without a tag have no effect.

    Raises:
        BundleError: if a bias is not finite or too large.
    """
    by_label = {label: snap_bias(bias) for label, bias in biases.items()}
    return np.array([by_label.get(label_of(tag), 0.0) for tag in tags])


def biased(model: CrfModel, biases: Mapping[str, float]) -> CrfModel:
    """The model with `biases[label]` added to the score of each tag of that label, for every item.

    Exact on the grid: the bias is added to the weights of `CONSTANT`, which every item has.

    Args:
        model: not changed.
        biases: by label (for all its tags, whatever the scheme) or "O"; rounded to the grid.

    Raises:
        BundleError: if the model has no tag of a label in `biases`, or a bias is not finite or too
            large.
    """
    by_tag = biases_by_tag(model.tags, biases)
    if unknown := sorted(biases.keys() - {label_of(tag) for tag in model.tags}):
        raise BundleError(f"a bias is set for {unknown}, but the model has no such labels")
    return _with_constant(model, by_tag) if by_tag.any() else model


def _with_constant(model: CrfModel, by_tag: Floats) -> CrfModel:
    """The model with `by_tag` added to the weights of `CONSTANT`, which is added if missing."""
    attributes = model.attributes if CONSTANT in model.attributes else (*model.attributes, CONSTANT)
    constant = attributes.index(CONSTANT)
    own = model.state_attributes == constant
    row = by_tag.copy()
    row[model.state_tags[own]] += model.state_weights[own]
    sources = np.concatenate([model.state_attributes[~own], np.full(len(row), constant, np.int64)])
    targets = np.concatenate([model.state_tags[~own], np.arange(len(row))])
    weights = np.concatenate([model.state_weights[~own], row])
    order = np.lexsort((targets, sources))
    return dataclasses.replace(
        model,
        attributes=attributes,
        state_attributes=sources[order],
        state_tags=targets[order],
        state_weights=weights[order],
    )


def _require_names(what: str, names: Sequence[str]) -> None:
    if len(set(names)) != len(names):
        raise BundleError(f"the {what} of a model must be unique")
    try:
        _, lengths = joined_keys(names)
    except UnicodeEncodeError:
        raise BundleError(f"one of the {what} contains a lone surrogate") from None
    if len(lengths) != len(names) or lengths.max(initial=0) > MAX_KEY_BYTES:
        raise BundleError(f"one of the {what} contains a NUL or exceeds {MAX_KEY_BYTES - 1} bytes")


def _require_pairs(what: str, sources: Ints, n_sources: int, targets: Ints, n_targets: int) -> None:
    for side, ids, count in (("source", sources, n_sources), ("target", targets, n_targets)):
        if len(ids) and not (ids.min() >= 0 and ids.max() < count):
            raise BundleError(f"the {side} of a {what} feature is not in [0, {count})")
    if (np.diff(sources * n_targets + targets) <= 0).any():
        raise BundleError(f"the {what} features are not in ascending order")


def _read_features(data: bytes, at: int) -> npt.NDArray[np.void]:
    if at + _CHUNK.size > len(data):
        raise BundleError("the features are outside the file")
    magic, size, count = _CHUNK.unpack_from(data, at)
    if magic != b"FEAT" or size != _CHUNK.size + count * _FEATURE.itemsize or at + size > len(data):
        raise BundleError("the chunk of features is damaged")
    return np.frombuffer(data, _FEATURE, count, at + _CHUNK.size)


def _references(
    magic: bytes, at: int, sources: Ints, count: int, first_feature: int, empty_slots: int
) -> bytes:
    """The chunk that lists the features of each source; features of one source are consecutive."""
    starts = np.searchsorted(sources, np.arange(count + 1))
    lengths = np.diff(starts)
    table = _CHUNK.size + 4 * (count + empty_slots)
    offsets = at + table + 4 * (np.arange(count) + starts[:-1])
    # A list is its length followed by the feature ids: insert the lengths at the starts.
    lists = np.insert(np.arange(len(sources)) + first_feature, starts[:-1], lengths)
    body = b"".join([words(offsets), bytes(4 * empty_slots), words(lists)])
    return _CHUNK.pack(magic, (_CHUNK.size + len(body)) % 2**32, count + empty_slots) + body


def _without_flags(data: bytes, databases: tuple[int, int]) -> bytes:
    flat = bytearray(data)
    for at in databases:
        flat[at + 8 : at + 12] = bytes(4)
    return bytes(flat)


def _first_difference(actual: bytes, expected: bytes) -> str:
    if len(actual) != len(expected):
        return f"it has {len(actual)} bytes, expected {len(expected)}"
    differing = np.flatnonzero(np.frombuffer(actual, np.uint8) != np.frombuffer(expected, np.uint8))
    return f"byte {int(differing[0])} does not match its content"
