from __future__ import annotations

import lzma
import struct

import pytest
from scrubline.models.core.errors import BundleError
from scrubline.models.crf.model_file import write_model
from scrubline.models.crf.packed import pack, unpack

from .test_model_file import model_of, random_model


@pytest.mark.parametrize("seed", range(6))
def test_a_packed_model_is_unpacked_whole(seed):
    model = random_model(seed, constant=seed % 2 == 0, attributes=400)
    data = pack(model)
    assert write_model(unpack(data)) == write_model(model)
    assert pack(unpack(data)) == data
    assert len(data) < len(write_model(model)) / 2


@pytest.mark.parametrize(
    ("states", "transitions"),
    [({}, {}), ({("é🙂", "O"): -4095.75}, {}), ({("", "O"): 0.0}, {("O", "O"): 1 / 4096})],
)
def test_the_smallest_models(states, transitions):
    model = model_of(["O"], states, transitions)
    assert write_model(unpack(pack(model))) == write_model(model)


def test_weights_off_the_grid_are_not_packed():
    with pytest.raises(BundleError, match="grid"):
        pack(model_of(["O"], {("a", "O"): 0.1}, {}))


def body(model=None) -> bytearray:
    return bytearray(lzma.decompress(pack(model or random_model(1))))


def words(data: bytearray, **changes: int) -> bytes:
    """The body with words of its header changed."""
    names = ("version", "tags", "attributes", "states", "transitions", "tag_bytes", "name_bytes")
    for name, value in changes.items():
        struct.pack_into("<I", data, 8 + 4 * names.index(name), value)
    return lzma.compress(bytes(data))


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"", "truncated"),
        (b"\xfd7zXZ\0", "truncated"),
        (b"plain" * 9, "not a packed"),
        (pack(random_model(1))[:-3], "truncated"),
        (pack(random_model(1)) + b"x", "followed by other data"),
        (lzma.compress(b""), "too short"),
        (lzma.compress(b"SCRUBCRF" + bytes(20)), "too short"),
        (lzma.compress(bytes(body()).replace(b"SCRUBCRF", b"SCRUBCRG")), "wrong magic"),
        (words(body(), version=2), "wrong magic or version"),
        (words(body(), states=1), "size of the packed"),
        (words(body(), states=2**32 - 1, attributes=1 << 22), "size of the packed"),
        (words(body(), tags=4), "the number of tags"),
        (words(body(), tags=2000), "too many tags"),
        (words(body(), transitions=26), "too many tags, transitions"),
        (words(body(), attributes=1 << 24), "or attributes"),
        (lzma.compress(bytes(body()).replace("é".encode(), b"\xff\xff")), "attributes .* UTF-8"),
        (lzma.compress(bytes(body()).replace(b"w=11\0", b"w=12\0")), "unique"),
        (lzma.compress(bytes(body()[:-4]) + b"\xff\xff\xff\x7f"), "4096 or larger"),
    ],
)
def test_what_is_no_packed_model_is_refused(data, match):
    with pytest.raises(BundleError, match=match):
        unpack(data)


def test_counts_that_do_not_add_up_are_refused():
    model = model_of(["O"], {("a", "O"): 1.0, ("b", "O"): 2.0}, {})
    data = body(model)
    at = bytes(data).index(b"a\0b\0") + 4
    data[at : at + 2] = struct.pack("<H", 2)
    with pytest.raises(BundleError, match="do not match"):
        unpack(lzma.compress(bytes(data)))
