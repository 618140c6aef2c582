from __future__ import annotations

import os

import pytest
from scrubline.models.core.errors import RunFailed, UsageError
from scrubline.models.training import private
from scrubline.models.training.private import private_folder, read_private, write_private


@pytest.fixture
def folder(tmp_path):
    return private_folder(str(tmp_path / "deep/folder"), "--work")


@pytest.mark.parametrize("content", [b"", b"\n", b"abc\n\0", bytes(range(256)) * 50])
def test_what_is_written_is_read(folder, content):
    write_private(folder / "x", content)
    assert read_private(folder / "x") == content
    write_private(folder / "x", content + b"1")
    assert read_private(folder / "x") == content + b"1"
    assert [path.name for path in folder.iterdir()] == ["x"]


def test_nothing_is_read_where_nothing_is(folder):
    assert read_private(folder / "x") is None
    assert read_private(folder) is None


@pytest.mark.parametrize("place", [0, 30, 64, 65, -1])
def test_any_changed_byte_is_seen(folder, place):
    write_private(folder / "x", b"content")
    raw = bytearray((folder / "x").read_bytes())
    raw[place] ^= 1
    (folder / "x").write_bytes(raw)
    assert read_private(folder / "x") is None


@pytest.mark.parametrize("error", [OSError(28, "full", "smith.txt"), KeyboardInterrupt()])
def test_a_write_that_stops_leaves_nothing(folder, monkeypatch, error):
    write_private(folder / "x", b"old")

    def stop(*_):
        raise error

    monkeypatch.setattr(private.os, "replace", stop)
    with pytest.raises(RunFailed if isinstance(error, OSError) else KeyboardInterrupt) as caught:
        write_private(folder / "x", b"new")
    assert "smith" not in str(caught.value)
    assert [path.name for path in folder.iterdir()] == ["x"]
    assert read_private(folder / "x") == b"old"


def test_a_folder_of_another_user_is_refused(tmp_path, monkeypatch):
    private_folder(str(tmp_path / "mine"), "--work")
    owner = os.geteuid()
    monkeypatch.setattr(private.os, "geteuid", lambda: owner + 1)
    with pytest.raises(UsageError, match="--work: the folder belongs to another user") as caught:
        private_folder(str(tmp_path / "mine"), "--work")
    assert str(tmp_path) not in str(caught.value)
