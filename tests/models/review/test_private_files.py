"""Files and folders of their owner alone, and chains of rows."""

import dataclasses
import os

import pytest
from scrubline.models.core.errors import Shortage, UsageError
from scrubline.models.review.appended import FIRST, append_line, hash_of_row, walk_chain
from scrubline.models.review.private_files import make_private_folder, read_private, write_private
from scrubline.models.risk.rows import json_line


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "draw.jsonl")


def test_a_folder_is_made_for_its_owner_or_looked_at(tmp_path):
    folder = str(tmp_path / "review")
    for _ in range(2):
        make_private_folder(folder)
        assert os.stat(folder).st_mode & 0o777 == 0o700
    os.chmod(folder, 0o750)
    with pytest.raises(UsageError, match="0700"):
        make_private_folder(folder)
    with pytest.raises(UsageError, match="FileNotFoundError"):
        make_private_folder(str(tmp_path / "none/review"))


@pytest.mark.parametrize(
    "make", [lambda path: open(path, "x").close(), lambda p: os.symlink("/", p)]
)
def test_what_is_no_folder_is_refused(tmp_path, make):
    make(tmp_path / "review")
    with pytest.raises(UsageError, match="another kind"):
        make_private_folder(str(tmp_path / "review"))


def test_a_file_is_written_once_unless_it_is_replaced(path):
    assert read_private(path) is None
    assert write_private(path, [b"a\n", b"b\n"]) == 2
    with pytest.raises(FileExistsError):
        write_private(path, [b"c\n"])
    assert read_private(path) == b"a\nb\n"
    assert write_private(path, [], replace=True) == 0
    assert read_private(path) == b"" and os.stat(path).st_mode & 0o777 == 0o600
    assert os.listdir(os.path.dirname(path)) == ["draw.jsonl"]


@pytest.mark.parametrize("replace", [False, True])
def test_what_fails_leaves_nothing(path, replace, monkeypatch):
    def pieces():
        yield b"half"
        raise OSError(28, "No space left on device")

    open(f"{path}.new", "x").close()  # of a killed process
    with pytest.raises(OSError, match="space"):
        write_private(path, pieces(), replace=replace)
    assert os.listdir(os.path.dirname(path)) == []


def test_what_others_can_read_or_is_a_link_is_not_read(path):
    write_private(path, [b"x"])
    os.chmod(path, 0o604)
    with pytest.raises(UsageError, match="0600"):
        read_private(path)
    os.rename(path, f"{path}.kept")
    os.symlink(f"{path}.kept", path)
    with pytest.raises(UsageError, match="cannot be read"):
        read_private(path)


def test_a_shortage_is_told_as_such(path, monkeypatch):
    def short(*arguments, **more):
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(os, "open", short)
    with pytest.raises(Shortage):
        read_private(path)


@dataclasses.dataclass(frozen=True)
class NumberedRow:
    seq: int
    prev: str


def test_a_chain_is_walked_past_what_does_not_follow(path):
    for number in (1, 2, 3):
        append_line(
            path,
            lambda last, n=number: json_line(dataclasses.asdict(NumberedRow(n, hash_of_row(last)))),
        )
    assert append_line(path, lambda last: b"") == b""
    content = read_private(path)
    lines = content.splitlines(keepends=True)
    walked = list(walk_chain(content + b"torn", NumberedRow))
    assert [(row.seq, follows) for row, follows in walked] == [(1, True), (2, True), (3, True)]
    assert walked[0][0].prev == FIRST == hash_of_row(None)
    changed = b"".join([lines[0], b"{}\n", lines[2]])
    assert [follows for _, follows in walk_chain(changed, NumberedRow)] == [True, False, False]
