"""Files and folders of their owner alone, with a checksum and without."""

from __future__ import annotations

import os

import pytest
from scrubline.models.core.errors import RunFailed, Shortage, UsageError
from scrubline.models.storage.private_files import (
    make_private_folder,
    named_private_folder,
    read_checked,
    read_private,
    write_checked,
    write_private,
)

PLACE = "restricted/review"


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "draw.jsonl")


def test_a_folder_is_made_for_its_owner_or_looked_at(tmp_path):
    folder = str(tmp_path / "review")
    for _ in range(2):
        make_private_folder(folder, PLACE)
        assert os.stat(folder).st_mode & 0o777 == 0o700
    os.chmod(folder, 0o750)
    with pytest.raises(UsageError, match="0700"):
        make_private_folder(folder, PLACE)
    with pytest.raises(UsageError, match="FileNotFoundError"):
        make_private_folder(str(tmp_path / "none/review"), PLACE)


@pytest.mark.parametrize(
    "make", [lambda path: open(path, "x").close(), lambda p: os.symlink("/", p)]
)
def test_what_is_no_folder_is_refused(tmp_path, make):
    make(tmp_path / "review")
    with pytest.raises(UsageError, match="another kind"):
        make_private_folder(str(tmp_path / "review"), PLACE)


def test_a_file_is_written_once_unless_it_is_replaced(path):
    assert read_private(path, PLACE) is None
    assert write_private(path, [b"a\n", b"b\n"]) == 2
    with pytest.raises(FileExistsError):
        write_private(path, [b"c\n"])
    assert read_private(path, PLACE) == b"a\nb\n"
    assert write_private(path, [], replace=True) == 0
    assert read_private(path, PLACE) == b"" and os.stat(path).st_mode & 0o777 == 0o600
    assert os.listdir(os.path.dirname(path)) == ["draw.jsonl"]


@pytest.mark.parametrize("replace", [False, True])
def test_what_fails_leaves_nothing(path, replace, monkeypatch):
    def pieces():
        yield b"half"
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="space"):
        write_private(path, pieces(), replace=replace)
    assert os.listdir(os.path.dirname(path)) == []


def test_what_others_can_read_or_is_a_link_is_not_read(path):
    write_private(path, [b"x"])
    os.chmod(path, 0o604)
    with pytest.raises(UsageError, match="0600"):
        read_private(path, PLACE)
    os.rename(path, f"{path}.kept")
    os.symlink(f"{path}.kept", path)
    with pytest.raises(UsageError, match="cannot be read"):
        read_private(path, PLACE)


def test_a_folder_in_place_of_a_file_is_not_read(path):
    os.mkdir(path, 0o700)
    with pytest.raises(UsageError, match="cannot be read"):
        read_private(path, PLACE)


def test_two_who_write_one_file_do_not_mix(path):
    def pieces():
        yield b"first, "
        write_private(path, [b"second"], replace=True)
        yield b"whole"

    write_private(path, pieces(), replace=True)
    assert read_private(path, PLACE) == b"first, whole"
    assert os.listdir(os.path.dirname(path)) == ["draw.jsonl"]


def test_a_shortage_is_told_as_such(path, monkeypatch):
    def short(*arguments, **more):
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(os, "open", short)
    with pytest.raises(Shortage):
        read_private(path, PLACE)


# -- with a checksum


@pytest.fixture
def folder(tmp_path):
    return named_private_folder(str(tmp_path / "deep/folder"), "--work")


@pytest.mark.parametrize("content", [b"", b"\n", b"abc\n\0", bytes(range(256)) * 50])
def test_what_is_written_is_read(folder, content):
    write_checked(folder / "x", content)
    assert read_checked(folder / "x") == content
    write_checked(folder / "x", content + b"1")
    assert read_checked(folder / "x") == content + b"1"
    assert [path.name for path in folder.iterdir()] == ["x"]


def test_nothing_is_read_where_nothing_is(folder):
    assert read_checked(folder / "x") is None
    assert read_checked(folder) is None


@pytest.mark.parametrize("place", [0, 30, 64, 65, -1])
def test_any_changed_byte_is_seen(folder, place):
    write_checked(folder / "x", b"content")
    raw = bytearray((folder / "x").read_bytes())
    raw[place] ^= 1
    (folder / "x").write_bytes(raw)
    assert read_checked(folder / "x") is None


@pytest.mark.parametrize("error", [OSError(28, "full", "smith.txt"), KeyboardInterrupt()])
def test_a_write_that_stops_leaves_nothing(folder, monkeypatch, error):
    write_checked(folder / "x", b"old")

    def stop(*_):
        raise error

    monkeypatch.setattr(os, "replace", stop)
    with pytest.raises(RunFailed if isinstance(error, OSError) else KeyboardInterrupt) as caught:
        write_checked(folder / "x", b"new")
    assert "smith" not in str(caught.value)
    assert [path.name for path in folder.iterdir()] == ["x"]
    assert read_checked(folder / "x") == b"old"


def test_a_folder_of_another_user_is_refused(tmp_path, monkeypatch):
    named_private_folder(str(tmp_path / "mine"), "--work")
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.raises(UsageError, match="--work must belong to you") as caught:
        named_private_folder(str(tmp_path / "mine"), "--work")
    assert str(tmp_path) not in str(caught.value)
