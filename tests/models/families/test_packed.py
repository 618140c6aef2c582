"""Damaged model files of every family, under the compression too: a hostile writer writes its sums.

What is refused by name, of each format, is beside the formats: `crf/test_packed.py`,
`trees/test_packed.py`.
"""

from __future__ import annotations

import dataclasses
import lzma
import struct
import tracemalloc
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import BundleError
from scrubline.models.core.feature_rows import Features
from scrubline.models.crf import packed as crf_packed
from scrubline.models.families import FAMILIES
from scrubline.models.trees import packed as trees_packed

from ...examples import examples
from ..crf import test_model_file as crf
from ..trees import making as trees


@dataclasses.dataclass(frozen=True)
class Packed:
    """A family's files: a small model from a seed, its format, and the words of its header."""

    model: Callable[[int], Any]
    format: ModuleType
    magic: bytes
    words: int


def weights(seed: int) -> Any:
    """As a linear classifier has them: without transitions."""
    model = crf.random_model(seed, attributes=4, tags=2)
    nothing = np.zeros(0, np.int64)
    return dataclasses.replace(
        model,
        transition_sources=nothing,
        transition_targets=nothing,
        transition_weights=np.zeros(0),
    )


FILES = {
    "crf": Packed(lambda s: crf.random_model(s, attributes=4, tags=3), crf_packed, b"SCRUBCRF", 7),
    "margin": Packed(weights, crf_packed, b"SCRUBCRF", 7),
    "trees": Packed(trees.random_model, trees_packed, b"SCRUBTRE", 10),
}


@pytest.fixture(params=FILES)
def family(request) -> str:
    return request.param


def body_of(family: str, seed: int) -> bytearray:
    return bytearray(lzma.decompress(FAMILIES[family].pack(FILES[family].model(seed))))


def batch() -> Features:
    """A sequence of items that have attributes of all models."""
    names = (*trees.NAMES, "w=0", "w=1", "é🙂", "")
    items = len(names) // 2
    ids = np.concatenate([(np.arange(3) * 5 + item * 2) % len(names) for item in range(items)])
    starts = np.arange(items)
    offsets = np.arange(items + 1) * 3
    one = np.array([0, 1])
    return Features(names, ids, offsets, starts, starts + 1, one * items, one)


def require_sound(family: str, data: bytes) -> None:
    """That content is refused; or is a model, which is packed to just these bytes and can tag."""
    functions = FAMILIES[family]
    try:
        model = functions.unpack(lzma.compress(data, preset=0))
    except BundleError:
        return
    assert lzma.decompress(functions.pack(model)) == data
    features = batch()
    tagged = []
    for opened in (functions.open_decoder, functions.open_reference):
        decoder = opened(model)
        tagged.append(decoder.decode(decoder.ready(features))[0].tolist())
    assert tagged[0] == tagged[1]


def test_every_family_is_here():
    assert FILES.keys() == FAMILIES.keys()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 4])
def test_no_byte_of_the_content_can_be_changed_unsoundly(family, seed):
    """Every byte, so every field: by one, by its sign, and all of it."""
    data = body_of(family, seed)
    for place in range(len(data)):
        for flip in (0x01, 0x80, 0xFF):
            changed = data.copy()
            changed[place] ^= flip
            require_sound(family, bytes(changed))


@examples(150)
@given(place=st.integers(0, 10_000), flip=st.integers(1, 255), seed=st.integers(0, 8))
@pytest.mark.parametrize("name", FILES)
def test_no_changed_byte_gets_through_unsound(name, place, flip, seed):
    data = body_of(name, seed)
    data[place % len(data)] ^= flip
    require_sound(name, bytes(data))


@pytest.mark.parametrize("value", [0, 1, 255, 1 << 16, (1 << 31) - 1, 1 << 31, (1 << 32) - 1])
def test_no_word_of_the_header_can_be_changed_unsoundly(family, value):
    data = body_of(family, 4)
    for word in range(FILES[family].words):
        changed = data.copy()
        struct.pack_into("<I", changed, 8 + 4 * word, value)
        require_sound(family, bytes(changed))


def test_no_content_that_ends_early_or_goes_on_is_a_model(family):
    data = bytes(body_of(family, 4))
    for size in range(len(data)):
        with pytest.raises(BundleError):
            FAMILIES[family].unpack(lzma.compress(data[:size], preset=0))
    with pytest.raises(BundleError):
        FAMILIES[family].unpack(lzma.compress(data + b"\0", preset=0))


def test_each_byte_of_a_file_matters(family):
    """Of the file as it is, compressed: no change of one byte is overlooked."""
    data = FAMILIES[family].pack(FILES[family].model(2))
    for place in range(len(data)):
        damaged = bytearray(data)
        damaged[place] ^= 0x41
        with pytest.raises(BundleError):
            FAMILIES[family].unpack(bytes(damaged))


def test_a_small_file_of_very_many_names_is_refused_before_they_are_made(family):
    count = 30_000_000
    words = [0] * FILES[family].words
    # Version and tags first; bytes of the names of tags next to last.
    words[0], words[1], words[-2] = 1, count, count
    data = lzma.compress(
        FILES[family].magic + struct.pack(f"<{len(words)}I", *words) + bytes(count)
    )
    tracemalloc.start()
    with pytest.raises(BundleError, match="too many tags|number of tags"):
        FAMILIES[family].unpack(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 * count


def test_a_small_file_of_a_large_content_is_refused(family, monkeypatch):
    monkeypatch.setattr(FILES[family].format, "_MOST_BYTES", 1 << 16)
    with pytest.raises(BundleError, match="too large"):
        FAMILIES[family].unpack(lzma.compress(bytes(1 << 20)))
