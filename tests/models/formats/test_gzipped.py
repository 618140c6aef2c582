"""Gzip around a format: damage, bombs, several members."""

import gzip
import hashlib
import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.formats import FORMATS, Limits, gzipped
from scrubline.models.formats.gzipped import gunzip
from scrubline.models.formats.options import UNKNOWN_SIZE
from scrubline.models.formats.protocol import Unreadable
from scrubline.models.storage.storage import Storage

from ...examples import examples, rest

STORAGE = Storage(sleep=lambda seconds: None)
LINES = [json.dumps({"id": i, "text": f"note {i} \u00e9"}) + "\n" for i in range(500)]


def put(name, data):
    url = f"memory://{hashlib.sha256(data).hexdigest()[:16]}/{name}"
    STORAGE.write_bytes(url, data)
    return STORAGE.list_files([url])[0]


def rows(name, data, limits=None):
    """The texts of a file; for a row in error, its code."""
    form, file = FORMATS[name], put("x" + FORMATS[name].suffixes[0], data)
    limits = limits or Limits()
    found = []
    (locator,) = form.plan(STORAGE, 0, file, 10, limits)
    for chunk in form.read(STORAGE, file, locator, ("id", "text"), limits):
        texts = form.decode(chunk.columns.column("text"))
        found += [chunk.errors.get(row, text) for row, text in enumerate(texts)]
    return found


def packed(text, **options):
    return gzip.compress(text.encode(), mtime=0, **options)


def test_lines_are_read_as_without_gzip():
    assert rows("jsonl.gz", packed("".join(LINES))) == [f"note {i} \u00e9" for i in range(500)]


def test_members_follow_each_other_and_zeros_may_follow_the_last():
    data = packed(LINES[0]) + packed("") + packed("".join(LINES[1:3])) + b"\0" * 1024
    assert rows("jsonl.gz", data) == ["note 0 \u00e9", "note 1 \u00e9", "note 2 \u00e9"]


@pytest.mark.parametrize("keep", [0.2, 0.5, 0.9, 0.999])
def test_a_truncated_file_gives_what_is_whole_and_one_error_row(keep):
    data = packed("".join(LINES))
    found = rows("jsonl.gz", data[: int(len(data) * keep)])
    assert found[-1] == "DamagedArchive"
    assert found[:-1] == [f"note {i} \u00e9" for i in range(len(found) - 1)]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-8] + b"\0\0\0\0" + data[-4:],
        lambda data: data + b"tail",
        lambda data: b"no gzip at all",
        lambda data: data[:5],
    ],
    ids=["checksum", "tail", "none", "head"],
)
@pytest.mark.parametrize("name", ["jsonl.gz", "text.gz"])
def test_damage_is_an_error_row(name, damage):
    assert rows(name, damage(packed("".join(LINES))))[-1] == "DamagedArchive"


def test_columns_of_a_damaged_file_are_none():
    file = put("x.jsonl.gz", b"no gzip at all")
    assert FORMATS["jsonl.gz"].columns(STORAGE, file) == ()


def test_an_empty_file_has_no_lines_and_is_an_empty_text():
    assert rows("jsonl.gz", packed("")) == []
    assert rows("text.gz", packed("")) == [""]


@pytest.mark.parametrize("sign", [b"\n", b" "], ids=["lines", "one"])
@pytest.mark.slow
def test_a_bomb_ends_with_an_error_row(sign, monkeypatch):
    monkeypatch.setattr(gzipped, "UNPACKED_FREE_BYTES", 1_000_000)
    bomb = zlib.compress(sign * 20_000_000, 9, 31)
    assert len(bomb) < 40_000
    assert rows("jsonl.gz", bomb) in (["OverBudget:unpacked"], ["OverBudget:line"])
    assert rows("text.gz", bomb) == ["OverBudget:unpacked"]
    assert rows("text.gz", bomb, Limits(document_bytes=1000)) == ["OverBudget:bytes"]


def test_the_ratio_is_a_budget(monkeypatch):
    monkeypatch.setattr(gzipped, "UNPACKED_FREE_BYTES", 100_000)
    bomb = zlib.compress(b"\n" * 1_000_000, 9, 31)
    assert rows("jsonl.gz", bomb) == ["OverBudget:unpacked"]
    assert rows("jsonl.gz", bomb, Limits(unpacked_ratio=UNKNOWN_SIZE)) == []


@given(st.binary(max_size=200), st.integers(0, 400), st.integers(0, 255))
@examples(200)
def test_any_damage_is_told_or_harmless(content, place, byte):
    data = bytearray(gzip.compress(content, mtime=0))
    data[place % len(data)] = byte
    file = put("x.gz", bytes(data))
    try:
        found = b"".join(gunzip(STORAGE, file, Limits()))
    except Unreadable as error:
        assert error.code == "DamagedArchive"
    else:
        assert found == content


class Blocks:
    """A storage that gives one file in blocks of a size."""

    def __init__(self, data, size):
        self.data, self.size = data, size

    def read_blocks(self, url, start, end, block_bytes=0):
        for at in range(start, end, self.size):
            yield self.data[at : min(end, at + self.size)]


@pytest.mark.parametrize("place", [0, rest(12), rest(40), 1_000, rest(70_000), 200_000, -9])
@pytest.mark.slow
def test_what_is_read_before_damage_does_not_depend_on_the_blocks_of_a_storage(place):
    # Stored, not packed: every byte of the file is a byte of the content.
    data = bytearray(packed("".join(LINES) * 40, compresslevel=0) + packed(LINES[0]))
    data[place] ^= 0xFF
    file = put("x.jsonl.gz", bytes(data))
    found = []
    for size in (1, 1000, 1 << 16, 100_000, 8 << 20):
        blocks = gunzip(Blocks(bytes(data), size), file, Limits())
        content = b""
        with pytest.raises(Unreadable, match="DamagedArchive"):
            for block in blocks:
                content += block
        found.append(content)
    assert found == found[:1] * len(found)
