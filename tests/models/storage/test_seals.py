"""Seals: made by the holder of the key alone, and sensitive to every change."""

import json

import pytest
from scrubline.models.core.keys import Keys
from scrubline.models.storage.seals import Seal, SealDamaged, make_seal

KEYS, OTHERS = Keys(bytes(32)), Keys(bytes([1] * 32))
CONTENTS = {"manifest.json": b"{}", "restricted/units.parquet": b"PAR1"}
SEAL = make_seal(KEYS, "0" * 16, CONTENTS, carried={"restricted/a/job.json": "f" * 64}, adopted=())


def test_a_seal_comes_back_as_it_was_and_agrees():
    assert Seal.from_bytes(SEAL.to_bytes()) == SEAL
    assert SEAL.is_made_by(KEYS) and not SEAL.is_made_by(OTHERS)
    for path, content in CONTENTS.items():
        assert SEAL.agrees(KEYS, path, content)
        assert not SEAL.agrees(KEYS, path, content + b" ")
        assert not SEAL.agrees(OTHERS, path, content)
    assert not SEAL.agrees(KEYS, "restricted/units.parquet", b"{}")
    assert not SEAL.agrees(KEYS, "elsewhere", b"{}")
    assert SEAL.marks["restricted/a/job.json"] == "f" * 64


def test_the_mark_of_a_content_depends_on_its_name():
    assert len({KEYS.mark("ab", b"c"), KEYS.mark("a", b"bc"), KEYS.mark("", b"abc")}) == 3


@pytest.mark.parametrize("at", range(0, len(SEAL.to_bytes()), 7))
def test_every_changed_byte_is_found(at):
    data = bytearray(SEAL.to_bytes())
    data[at] ^= 1
    try:
        seal = Seal.from_bytes(bytes(data))
    except SealDamaged:
        return
    assert not seal.is_made_by(KEYS)


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"null", b"[]", b"\xff", b"[" * 100_000, SEAL.to_bytes() + b"\n"),
        json.dumps(json.loads(SEAL.to_bytes()) | {"more": 1}).encode(),
        json.dumps(json.loads(SEAL.to_bytes())).encode(),
        SEAL.to_bytes().replace(b'"version": 1', b'"version": 2'),
        SEAL.to_bytes().replace(b'"version": 1', b'"version": true'),
    ],
)
def test_anything_else_is_no_seal(data):
    with pytest.raises(SealDamaged):
        Seal.from_bytes(data)
