"""A CRF model as bundles and auxiliary models store it: column by column, compressed by xz.

CRFsuite's own file stores most facts three times (ids, hash tables, reference lists) and takes 20
bytes for each weight; a packed model takes a twentieth of that. `write_model` makes CRFsuite's file
when the model is opened.

Layout inside the xz stream, little-endian: eight bytes "SCRUBCRF" and the version; the numbers of
tags, attributes, state and transition weights, and the sizes of the two lists of names in bytes
(6 x u32); tags and attributes in UTF-8, each name followed by a NUL; the number of state weights of
each attribute (u16); of the state weights the tags (u16), then the weights in steps of 1 / GRID
(i32); of the transitions the sources (u16), the targets (u16) and the weights (i32).
"""

from __future__ import annotations

import struct

import numpy as np

from ..core.arrays import Floats, Ints
from ..core.errors import BundleError
from ..core.packing import compressed, decompressed, joined_names, split_names
from .model_file import GRID, MAX_LABELS, MAX_WEIGHT, CrfModel

_MAGIC = b"SCRUBCRF"
_VERSION = 1
_HEADER = struct.Struct("<8s7I")
_WHAT = "packed CRF model"
_MOST_BYTES = 1 << 28
_MOST_ATTRIBUTES = 1 << 23
"""Limits of the unpacked model; more is refused unread, so a small hostile file cannot fill the
memory: every name takes at least sixty bytes."""


def pack(model: CrfModel) -> bytes:
    """The packed form; the same model and version of liblzma give the same bytes.

    Raises:
        BundleError: if weights are not on the grid.
    """
    if not model.on_grid():
        raise BundleError("the weights are not on the grid")
    tags, attributes = joined_names(model.tags), joined_names(model.attributes)
    header = _HEADER.pack(
        _MAGIC,
        _VERSION,
        len(model.tags),
        len(model.attributes),
        len(model.state_weights),
        len(model.transition_weights),
        len(tags),
        len(attributes),
    )
    counts = np.bincount(model.state_attributes, minlength=len(model.attributes))
    columns = [
        counts.astype("<u2"),
        model.state_tags.astype("<u2"),
        _steps(model.state_weights),
        model.transition_sources.astype("<u2"),
        model.transition_targets.astype("<u2"),
        _steps(model.transition_weights),
    ]
    return compressed(
        b"".join([header, tags, attributes, *(column.tobytes() for column in columns)])
    )


def unpack(data: bytes) -> CrfModel:
    """The model of a packed form.

    Raises:
        BundleError: if it is not a valid model in this layout.
    """
    body = decompressed(data, _WHAT, _MOST_BYTES)
    if len(body) < _HEADER.size:
        raise BundleError("not a packed CRF model: too short")
    magic, version, n_tags, n_attributes, n_states, n_transitions, *name_bytes = (
        _HEADER.unpack_from(body)
    )
    if (magic, version) != (_MAGIC, _VERSION):
        raise BundleError("not a packed CRF model: wrong magic or version")
    if n_tags > MAX_LABELS or n_transitions > n_tags**2 or n_attributes > _MOST_ATTRIBUTES:
        raise BundleError("the packed CRF model has too many tags, transitions or attributes")
    columns = [
        ("<u2", n_attributes),
        ("<u2", n_states),
        ("<i4", n_states),
        ("<u2", n_transitions),
        ("<u2", n_transitions),
        ("<i4", n_transitions),
    ]
    sizes = [*name_bytes, *(count * np.dtype(kind).itemsize for kind, count in columns)]
    if _HEADER.size + sum(sizes) != len(body):
        raise BundleError("the size of the packed CRF model does not match its header")
    offset = _HEADER.size
    tags = split_names(body[offset : offset + name_bytes[0]], n_tags, "tags", _WHAT)
    offset += name_bytes[0]
    attributes = split_names(
        body[offset : offset + name_bytes[1]], n_attributes, "attributes", _WHAT
    )
    offset += name_bytes[1]
    read: list[Ints] = []
    for kind, count in columns:
        read.append(np.frombuffer(body, kind, count, offset).astype(np.int64))
        offset += count * np.dtype(kind).itemsize
    counts, state_tags, state_steps, sources, targets, steps = read
    if int(counts.sum()) != n_states:
        raise BundleError("the weights of the packed CRF model do not match its attributes")
    model = CrfModel(
        tags,
        attributes,
        np.repeat(np.arange(n_attributes), counts),
        state_tags,
        state_steps / GRID,
        sources,
        targets,
        steps / GRID,
    )
    if not model.on_grid():
        raise BundleError(f"a weight is {MAX_WEIGHT:g} or larger")
    return model


def _steps(weights: Floats) -> np.ndarray:
    return np.rint(weights * GRID).astype("<i4")
