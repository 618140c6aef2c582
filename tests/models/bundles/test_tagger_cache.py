"""Compiled taggers: kept, mapped, checked; never trusted from others; never needed."""

import dataclasses
import hashlib
import os
import struct

import numpy as np
import pytest
from scrubline.models.bundles import tagger, tagger_cache
from scrubline.models.bundles.bundle import _opened, open_bundle
from scrubline.models.bundles.detector import BundleDetector
from scrubline.models.core import kept_files
from scrubline.models.families import FAMILIES
from scrubline.models.native import extension
from scrubline.models.text.tokenizer import tokenize_documents

X, Y, Z = (letter * 64 for letter in "abc")
VALUE = (
    ("O", "B-NAME"),
    np.arange(6, dtype=np.float64).reshape(2, 3),
    (np.array([], np.int32), None, -1, (np.array([7], np.uint16),), "text"),
)


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    folder = tmp_path / "cache"
    monkeypatch.setenv(kept_files.FOLDER, str(folder))
    monkeypatch.setattr(tagger_cache, "LEAST_BYTES", 0)
    kept_files.cache_folder.cache_clear()
    yield folder
    kept_files.cache_folder.cache_clear()


def same(one, other) -> bool:
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and (one == other).all()
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def test_what_is_written_is_read_and_cannot_be_changed(cache):
    assert tagger_cache.read(X) is None
    assert not tagger_cache.is_kept(X)
    tagger_cache.write(X, VALUE)
    assert tagger_cache.is_kept(X)
    found = tagger_cache.read(X)
    assert same(found, VALUE)
    assert all(array.ctypes.data % 64 == 0 for array in (found[1], found[2][3][0]))
    with pytest.raises(ValueError, match="read-only"):
        found[1][0, 0] = 9.0
    assert [path.suffix for path in cache.iterdir()] == [".tagger"]
    assert cache.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("place", [0, 9, 20, 60, 200, -1])
def test_a_file_that_was_changed_anywhere_is_not_used(cache, place, caplog):
    tagger_cache.write(X, VALUE)
    (path,) = cache.iterdir()
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)
    assert tagger_cache.read(X) is None
    assert "ignoring" in caplog.text


@pytest.mark.parametrize("size", [0, 5, 47, 48, 100])
def test_a_file_that_was_cut_is_not_used(cache, size):
    tagger_cache.write(X, VALUE)
    (path,) = cache.iterdir()
    path.write_bytes(path.read_bytes()[:size])
    assert tagger_cache.read(X) is None


@pytest.mark.parametrize(
    "header",
    [
        b"no JSON",
        b"{}",
        b'{"value": {"array": 3}, "arrays": []}',
        b'{"value": 1, "arrays": [["O", [1], 0]]}',
        b'{"value": 1, "arrays": [["i8", [1000000000000], 0]]}',
        b'{"value": 1, "arrays": [["i8", [1], -9999]]}',
        b'{"value": 1, "arrays": [["i8", [-5], 0]]}',
    ],
)
def test_a_header_that_says_what_is_not_so_is_not_used(cache, header):
    tagger_cache.write(X, VALUE)
    (path,) = cache.iterdir()
    body = header.ljust(64)
    head = struct.pack("<8sQ32s", b"SCRUBLN1", len(body), hashlib.sha256(body).digest())
    path.write_bytes(head + body)
    assert tagger_cache.read(X) is None


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="there are no such permissions here")
def test_what_others_can_write_is_not_used(cache):
    tagger_cache.write(X, VALUE)
    (path,) = cache.iterdir()
    path.chmod(0o666)
    assert tagger_cache.read(X) is None
    path.chmod(0o600)
    assert tagger_cache.read(X) is not None
    elsewhere = cache.parent / "elsewhere"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    assert tagger_cache.read(X) is None
    cache.chmod(0o777)
    kept_files.cache_folder.cache_clear()
    assert tagger_cache.read(X) is None
    assert not tagger_cache.is_kept(X)


def test_a_place_that_cannot_be_and_none_at_all(monkeypatch, cache):
    for chosen in (str(cache.parent / "file" / "below"), "0"):
        (cache.parent / "file").write_text("")
        monkeypatch.setenv(kept_files.FOLDER, chosen)
        kept_files.cache_folder.cache_clear()
        tagger_cache.write(X, VALUE)
        assert tagger_cache.read(X) is None


def test_small_ones_are_not_kept(monkeypatch, cache):
    monkeypatch.setattr(tagger_cache, "LEAST_BYTES", 1_000)
    tagger_cache.write(X, VALUE)
    assert not list(cache.glob("*"))


def test_only_the_last_used_are_kept(monkeypatch, cache):
    monkeypatch.setattr(tagger_cache, "MOST_FILES", 2)
    cache.mkdir(mode=0o700)
    (cache / "english.tagger").write_text("somebody else's")
    os.utime(cache / "english.tagger", (0, 0))
    for number, name in enumerate((X, Y, Z)):
        tagger_cache.write(name, VALUE)
        os.utime(cache / f"{name}.tagger", (number, number))
        if name == Y:
            tagger_cache.read(X)
    assert sorted(path.stem for path in cache.iterdir()) == [X, Z, "english"]


def test_a_file_in_the_place_of_another_is_not_used(cache, caplog):
    tagger_cache.write(X, VALUE)
    (cache / f"{X}.tagger").rename(cache / f"{Y}.tagger")
    assert tagger_cache.read(Y) is None
    assert "ignoring a file in the cache" in caplog.text


def test_what_is_no_file_is_not_waited_for(cache):
    cache.mkdir(mode=0o700)
    os.mkfifo(cache / f"{X}.tagger", 0o600)
    assert tagger_cache.read(X) is None


needs_extension = pytest.mark.skipif(
    extension() is None, reason="the native extension is not built here"
)
TEXT = "Paciente: Luis Moyano García\nNacido el 3 de mayo de 1961 en Vitoria-Gasteiz."


def found_afresh() -> list:
    tagger._opened.cache_clear()
    _opened.clear()
    system = BundleDetector(open_bundle("meddocan-default"))
    tokens = tokenize_documents([TEXT])
    return system.label(system.featurize([TEXT], tokens), [TEXT], tokens).rows()


def test_what_killed_writers_left_goes_after_a_day(cache):
    tagger_cache.write(X, VALUE)
    old, young, other = (cache / f"{name}.part" for name in ("scrubline-1", "scrubline-2", "other"))
    for path in (old, young, other):
        path.write_bytes(b"0")
    for path in (old, other):
        os.utime(path, (0, 0))
    tagger_cache.write(Y, VALUE)
    assert not old.exists()
    assert len(list(cache.iterdir())) == 4


@needs_extension
def test_a_bundle_opens_from_what_was_kept_and_finds_the_same(monkeypatch, cache):
    wanted = found_afresh()
    assert wanted
    assert len(list(cache.iterdir())) == 1

    def never(*_):
        raise AssertionError("it was compiled before")

    with monkeypatch.context() as patched:
        family = dataclasses.replace(FAMILIES["crf"], unpack=never)
        patched.setitem(FAMILIES, "crf", family)
        patched.setattr(tagger, "PhraseIndex", never)
        assert found_afresh() == wanted


@needs_extension
def test_a_kept_file_that_is_no_tagger_is_made_anew(cache):
    wanted = found_afresh()
    (path,) = cache.iterdir()
    tagger_cache.write(path.stem, VALUE)
    assert found_afresh() == wanted
    tags, base, arrays = tagger_cache.read(path.stem)[0]
    hostile = (tags, base, (arrays[0] * 1000, *arrays[1:]))
    tagger_cache.write(path.stem, (hostile, tagger_cache.read(path.stem)[1]))
    assert found_afresh() == wanted


@needs_extension
def test_another_extension_or_other_code_has_another_name(monkeypatch):
    name = tagger_cache.name_of("0" * 64, "token")
    assert name == tagger_cache.name_of("0" * 64, "token")
    assert name != tagger_cache.name_of("1" * 64, "token")
    assert name != tagger_cache.name_of("0" * 64, "character")
    for decisive in ("code_hash", "_library_hash"):
        with monkeypatch.context() as patched:
            patched.setattr(tagger_cache, decisive, lambda: "other")
            assert name != tagger_cache.name_of("0" * 64, "token")
    assert name == tagger_cache.name_of("0" * 64, "token")
