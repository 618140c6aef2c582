"""CRFsuite's binary model as a value: read with every byte checked, written, snapped and biased.

CRFsuite trusts its files: python-crfsuite crashes on a damaged one and opens a shortened one
silently. So it opens nothing here before `read_model` agreed. A file holds little besides what it
means: labels, attributes and weights; all sizes, offsets, hash tables and reference lists follow
from these. `read_model` takes out what it means, writes that anew with `write_model`, and demands
the same bytes. What passes is thus a file that CRFsuite itself could have written.

Layout (CRFsuite 0.12, version 100, little-endian): header of 48 bytes; chunk FEAT (20 bytes a
feature: type, source, target, weight); two constant quark databases (string -> id and back) for
labels and attributes; chunks LFRF and AFRF (the features of each label and of each attribute), each
on a 4-byte boundary.
"""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ..columns import Flags, Floats, Ints, require_equal_lengths
from ..errors import BundleError

GRID = 4096.0
"""Weights are multiples of 1 / GRID: sums are exact in any order, in float32 too below 2^12."""

CONSTANT = "bias"
"""The attribute that every item has: its weights are the tags' biases."""

MAX_LABELS = 1024
"""CRFsuite allocates a square of labels, unchecked; 28 labels in BIOES are 113 tags."""

MAX_WEIGHT = 4096.0
"""A weight's size beyond which float32 sums on the grid would no longer be exact."""

_HEADER = struct.Struct("<4sI4s9I")
_CHUNK = struct.Struct("<4sII")
_DATABASE = struct.Struct("<4s5I")
_RECORD = struct.Struct("<II")
_FEATURE = np.dtype([("type", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])
_VERSION = 100
_BYTE_ORDER = 0x62445371
_TABLES = 256
_RECORDS = _DATABASE.size + 8 * _TABLES
_MAX_KEY_BYTES = 1 << 16
_MAX_FEATURES = 1 << 26


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class CrfModel:
    """The weights of a linear-chain CRF.

    A state weight counts when an item has the attribute and gets the tag; a transition weight when
    a tag follows another. What is not listed weighs 0, unseen transitions too: they are not
    forbidden.

    Attributes:
        tags: in the order of their ids; of equally good paths CRFsuite takes the one with lower
            ids.
        attributes: distinct, in the order of their ids.
        state_attributes, state_tags, state_weights: one row a state feature, ascending by
            (attribute, tag).
        transition_sources, transition_targets, transition_weights: one row a transition, ascending
            by (source, target).

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
            raise BundleError(f"a model has 1 to {MAX_LABELS} tags, this one {tags}")
        _require_names("tags", self.tags)
        _require_names("attributes", self.attributes)
        _require_pairs("state", self.state_attributes, attributes, self.state_tags, tags)
        _require_pairs("transition", self.transition_sources, tags, self.transition_targets, tags)
        if not (
            np.isfinite(self.state_weights).all() and np.isfinite(self.transition_weights).all()
        ):
            raise BundleError("a weight is not a finite number")

    def transitions(self) -> Floats:
        """The transition weights as a square, [source, target]."""
        square = np.zeros((len(self.tags), len(self.tags)))
        square[self.transition_sources, self.transition_targets] = self.transition_weights
        return square

    def on_grid(self) -> bool:
        """Whether all weights are multiples of 1 / GRID and below MAX_WEIGHT in size."""
        weights = np.concatenate([self.state_weights, self.transition_weights])
        return bool(
            (np.rint(weights * GRID) == weights * GRID).all()
            and (np.abs(weights) < MAX_WEIGHT).all()
        )


def read_model(data: bytes) -> CrfModel:
    """Reads a model file, checking all of it; linear in its size.

    Raises:
        BundleError: if it is anything but a whole file as CRFsuite writes it.
    """
    if len(data) < _HEADER.size:
        raise BundleError(
            f"not a CRFsuite model: {len(data)} bytes, a header alone has {_HEADER.size}"
        )
    magic, size, kind, version, _, n_tags, n_attributes, features_at, tags_at, attributes_at, *_ = (
        _HEADER.unpack_from(data)
    )
    if (magic, kind, version) != (b"lCRF", b"FOMC", _VERSION):
        raise BundleError("not a CRFsuite model: wrong magic, type or version")
    if size != len(data):
        raise BundleError(f"the CRFsuite model is {len(data)} bytes long, its header says {size}")
    features = _read_features(data, features_at)
    tags = _read_names(data, tags_at, n_tags, "tags")
    attributes = _read_names(data, attributes_at, n_attributes, "attributes")
    if (
        features["type"].max(initial=0) > 1
        or (np.diff(features["type"].astype(np.int64)) < 0).any()
    ):
        raise BundleError("a feature is neither state nor transition, or they are not in order")
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
    # CRFsuite leaves the flag word of a database as it found the stack, and never reads it.
    given = _without_flags(data, (tags_at, attributes_at))
    if given != expected:
        raise BundleError(f"the CRFsuite model is damaged: {_first_difference(given, expected)}")
    return model


def write_model(model: CrfModel) -> bytes:
    """The file of a model, the same bytes for the same model.

    Raises:
        BundleError: if it would be larger than CRFsuite's offsets reach (2 GB).
    """
    state, transitions = len(model.state_weights), len(model.transition_weights)
    if state + transitions > _MAX_FEATURES:
        raise BundleError(
            f"a model of {state + transitions} features is too large: the limit is {_MAX_FEATURES}"
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
    chunks.append(_database(model.tags))
    attributes_at = tags_at + len(chunks[-1])
    chunks.append(_database(model.attributes))
    end = attributes_at + len(chunks[-1])
    chunks.append(bytes(-end % 4))
    tag_refs_at = end + len(chunks[-1])
    # The two empty slots are of features for begin and end of a sequence, which CRFsuite gave up.
    chunks.append(
        _references(b"LFRF", tag_refs_at, model.transition_sources, len(model.tags), state, 2)
    )
    attribute_refs_at = tag_refs_at + len(chunks[-1])
    chunks.append(
        _references(b"AFRF", attribute_refs_at, model.state_attributes, len(model.attributes), 0, 0)
    )
    size = attribute_refs_at + len(chunks[-1])
    if size >= 1 << 31:
        raise BundleError(f"a CRFsuite model of {size} bytes is too large: the limit is 2 GB")
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
        raise BundleError(
            f"a weight is not below {MAX_WEIGHT:g} in size: the training did not converge"
        )
    return snapped


def snap_bias(bias: float) -> float:
    """The nearest bias on the weights' grid.

    Raises:
        BundleError: if it is not a finite number below MAX_WEIGHT in size.
    """
    if not abs(bias) < MAX_WEIGHT:  # also refuses NaN
        raise BundleError(f"a bias must be a number below {MAX_WEIGHT:g} in size")
    return float(np.rint(bias * GRID) / GRID)


def label_of(tag: str) -> str:
    """The label of a tag: "DATE" of "B-DATE", and "O" of "O"."""
    return tag if tag == "O" else tag.partition("-")[2]


def biases_by_tag(tags: Sequence[str], biases: Mapping[str, float]) -> Floats:
    """What each tag scores more; labels without a tag do nothing.

    Raises:
        BundleError: if a bias is not a small number.
    """
    by_label = {label: snap_bias(bias) for label, bias in biases.items()}
    return np.array([by_label.get(label_of(tag), 0.0) for tag in tags])


def biased(model: CrfModel, biases: Mapping[str, float]) -> CrfModel:
    """The model in which every item scores `biases[label]` more for each tag of that label.

    Exact on the grid: the bias joins the weights of `CONSTANT`, the attribute that every item has.

    Args:
        model: is not changed.
        biases: by label (all its tags, whatever the scheme), or "O"; rounded to the grid.

    Raises:
        BundleError: if the model has no tag of a label in `biases`, or a bias is not a small
            number.
    """
    by_tag = biases_by_tag(model.tags, biases)
    if unknown := sorted(biases.keys() - {label_of(tag) for tag in model.tags}):
        raise BundleError(f"biases for labels that the model does not have: {unknown}")
    return _with_constant(model, by_tag) if by_tag.any() else model


def _with_constant(model: CrfModel, by_tag: Floats) -> CrfModel:
    """The model with `by_tag` added to the weights of `CONSTANT`, which it has afterwards."""
    attributes = model.attributes if CONSTANT in model.attributes else (*model.attributes, CONSTANT)
    constant = attributes.index(CONSTANT)
    mine = model.state_attributes == constant
    row = by_tag.copy()
    row[model.state_tags[mine]] += model.state_weights[mine]
    sources = np.concatenate([model.state_attributes[~mine], np.full(len(row), constant, np.int64)])
    targets = np.concatenate([model.state_tags[~mine], np.arange(len(row))])
    weights = np.concatenate([model.state_weights[~mine], row])
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
        raise BundleError(f"the {what} of a model must be distinct")
    try:
        _, lengths = _keys(names)
    except UnicodeEncodeError:
        raise BundleError(f"one of the {what} of a model holds a lone surrogate") from None
    if len(lengths) != len(names) or lengths.max(initial=0) > _MAX_KEY_BYTES:
        raise BundleError(f"one of the {what} holds a NUL or has {_MAX_KEY_BYTES} bytes or more")


def _require_pairs(what: str, sources: Ints, n_sources: int, targets: Ints, n_targets: int) -> None:
    for side, ids, count in (("source", sources, n_sources), ("target", targets, n_targets)):
        if len(ids) and not (ids.min() >= 0 and ids.max() < count):
            raise BundleError(f"the {side} of a {what} feature is out of range: there are {count}")
    if (np.diff(sources * n_targets + targets) <= 0).any():
        raise BundleError(f"the {what} features are not in ascending order")


def _read_features(data: bytes, at: int) -> npt.NDArray[np.void]:
    if at + _CHUNK.size > len(data):
        raise BundleError("the features lie outside of the file")
    magic, size, count = _CHUNK.unpack_from(data, at)
    if magic != b"FEAT" or size != _CHUNK.size + count * _FEATURE.itemsize or at + size > len(data):
        raise BundleError("the chunk of features is damaged")
    return np.frombuffer(data, _FEATURE, count, at + _CHUNK.size)


def _read_names(data: bytes, at: int, count: int, what: str) -> tuple[str, ...]:
    """The strings of a database in the order of their ids, which is the order of its records."""
    if at + _RECORDS > len(data) or data[at : at + 4] != b"CQDB":
        raise BundleError(f"the database of {what} is damaged or lies outside of the file")
    names = []
    position = at + _RECORDS
    for index in range(count):
        if position + _RECORD.size > len(data):
            raise BundleError(f"the database of {what} ends after {index} of {count} records")
        number, size = _RECORD.unpack_from(data, position)
        position += _RECORD.size
        if number != index or not 1 <= size <= min(len(data) - position, _MAX_KEY_BYTES):
            raise BundleError(f"record {index} of the database of {what} is damaged")
        try:
            names.append(data[position : position + size - 1].decode())
        except UnicodeDecodeError:
            raise BundleError(f"record {index} of the database of {what} is not UTF-8") from None
        position += size
    return tuple(names)


def _database(names: Sequence[str]) -> bytes:
    """A constant quark database of these strings, whose ids are their positions."""
    keys, lengths = _keys(names)
    numbers = np.arange(len(names))
    # A record is its number, the length of its key, the key.
    heads = np.cumsum(lengths + _RECORD.size) - (lengths + _RECORD.size)
    records = np.zeros(len(keys) + _RECORD.size * len(names), np.uint8)
    for at, values in ((0, numbers), (4, lengths)):
        places = heads[:, None] + np.arange(at, at + 4)
        records[places] = values.astype("<u4").view(np.uint8).reshape(-1, 4)
    records[~_alternating(np.full(len(names), _RECORD.size), lengths)] = keys
    offsets = _RECORDS + heads
    hashes = _hashes(keys, lengths).astype(np.int64)
    slots = 2 * np.bincount(hashes % _TABLES, minlength=_TABLES)
    firsts = np.cumsum(slots) - slots
    begin = _RECORDS + len(records)
    references = np.stack([np.where(slots > 0, begin + 8 * firsts, 0), slots], axis=1)
    owners = _hash_slots(hashes, slots, firsts)
    filled = owners < len(names)
    buckets = np.zeros((len(owners), 2), np.int64)
    buckets[filled, 0] = hashes[owners[filled]]
    buckets[filled, 1] = offsets[owners[filled]]
    position = begin + 8 * len(owners)
    size = position + 4 * len(names)
    header = _DATABASE.pack(
        b"CQDB", size % 2**32, 0, _BYTE_ORDER, len(names), position % 2**32 if names else 0
    )
    return b"".join(
        [header, _words(references), records.tobytes(), _words(buckets), _words(offsets)]
    )


def _hash_slots(hashes: Ints, slots: Ints, firsts: Ints) -> Ints:
    """Which key each slot of the hash tables holds; the number of keys stands for none.

    The tables are filled key by key with linear probing. The same comes out if all keys ask for
    their slot at once, each slot takes the earliest key that ever asks, and who is sent away asks
    for the next: a slot prefers the earlier key whenever it comes.
    """
    none = len(hashes)
    owners = np.full(int(slots.sum()), none, np.int64)
    tables = hashes % _TABLES
    places = np.where(slots[tables] > 0, (hashes >> 8) % np.maximum(slots[tables], 1), 0)
    asking = np.arange(none)
    while len(asking):
        wanted = firsts[tables[asking]] + places[asking]
        before = owners[wanted]
        np.minimum.at(owners, wanted, asking)
        ousted = np.unique(before[(before != none) & (owners[wanted] != before)])
        asking = np.concatenate([asking[owners[wanted] != asking], ousted])
        places[asking] = (places[asking] + 1) % slots[tables[asking]]
    return owners


def _references(
    magic: bytes, at: int, sources: Ints, count: int, first_feature: int, empty_slots: int
) -> bytes:
    """The chunk that lists the features of each source; features of one source are consecutive."""
    starts = np.searchsorted(sources, np.arange(count + 1))
    lengths = np.diff(starts)
    table = _CHUNK.size + 4 * (count + empty_slots)
    offsets = at + table + 4 * (np.arange(count) + starts[:-1])
    # A list is its length and then the feature ids: put the lengths where the lists begin.
    lists = np.insert(np.arange(len(sources)) + first_feature, starts[:-1], lengths)
    body = b"".join([_words(offsets), bytes(4 * empty_slots), _words(lists)])
    return _CHUNK.pack(magic, (_CHUNK.size + len(body)) % 2**32, count + empty_slots) + body


def _words(values: Iterable[int] | Ints) -> bytes:
    return np.asarray(values, np.int64).astype("<u4").tobytes()


def _keys(names: Sequence[str]) -> tuple[npt.NDArray[np.uint8], Ints]:
    """The names in UTF-8, each with a NUL behind it, end to end; and the length of each."""
    joined = np.frombuffer("\0".join([*names, ""]).encode(), np.uint8)
    ends = np.flatnonzero(joined == 0) + 1
    return joined, np.diff(ends, prepend=0)


def _alternating(first: Ints, second: Ints) -> Flags:
    """Runs of true and false in turn: `first[0]` times true, `second[0]` times false, and so on."""
    runs = np.stack([first, second], axis=1).ravel()
    return np.repeat(np.tile(np.array([True, False]), len(first)), runs)


def _hashes(keys: npt.NDArray[np.uint8], lengths: Ints) -> npt.NDArray[np.uint32]:
    """The `hashlittle` of each key, none empty (Jenkins 2006, lookup3.c, public domain).

    Column-wise: step k mixes the k-th block of 12 bytes of all keys that are longer than that.
    """
    blocks = (lengths + 11) // 12
    padded = np.zeros(12 * int(blocks.sum()), np.uint8)
    padded[_alternating(lengths, 12 * blocks - lengths)] = keys
    words = padded.view("<u4").reshape(-1, 3).astype(np.uint32)
    # Longest first, so that the keys still to mix are always a prefix.
    order = np.argsort(-blocks, kind="stable")
    firsts = (np.cumsum(blocks) - blocks)[order]
    ascending = np.sort(blocks)
    state = np.repeat((lengths[order].astype(np.uint32) + np.uint32(0xDEADBEEF))[None], 3, axis=0)
    result = np.zeros(len(lengths), np.uint32)
    active = len(lengths)
    for step in range(int(blocks.max(initial=0))):
        a, b, c = state[:, :active] + words[firsts[:active] + step].T
        still = len(lengths) - int(np.searchsorted(ascending, step + 1, side="right"))
        result[order[still:active]] = _final(a[still:], b[still:], c[still:])
        state = np.stack(_mix(a[:still], b[:still], c[:still]))
        active = still
    return result


_Words = npt.NDArray[np.uint32]


def _mix(a: _Words, b: _Words, c: _Words) -> tuple[_Words, _Words, _Words]:
    for shift in (4, 6, 8, 16, 19, 4):
        a = (a - c) ^ _rotate(c, shift)
        c = c + b
        a, b, c = b, c, a
    return a, b, c


def _final(a: _Words, b: _Words, c: _Words) -> _Words:
    for shift in (14, 11, 25, 16, 4, 14, 24):
        c = (c ^ b) - _rotate(b, shift)
        a, b, c = b, c, a
    return b


def _rotate(words: _Words, shift: int) -> _Words:
    return (words << np.uint32(shift)) | (words >> np.uint32(32 - shift))


def _without_flags(data: bytes, databases: tuple[int, int]) -> bytes:
    flat = bytearray(data)
    for at in databases:
        flat[at + 8 : at + 12] = bytes(4)
    return bytes(flat)


def _first_difference(given: bytes, expected: bytes) -> str:
    if len(given) != len(expected):
        return f"{len(given)} bytes where {len(expected)} were expected"
    differing = np.flatnonzero(np.frombuffer(given, np.uint8) != np.frombuffer(expected, np.uint8))
    return f"byte {int(differing[0])} is not what its content asks for"
