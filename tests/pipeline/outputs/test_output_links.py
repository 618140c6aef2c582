"""Links inside an output: nothing is written, emptied or deleted through one."""

import dataclasses
import os
import subprocess
import threading
from pathlib import Path

import pytest
from scrubline.models.core.errors import RunFailed, StorageError, UsageError
from scrubline.models.storage.folders import LinkInOutputError
from scrubline.models.storage.lock_holder import Holder
from scrubline.models.storage.storage import Storage
from scrubline.pipeline import run as runs
from scrubline.pipeline.outputs import publishing as publish
from scrubline.pipeline.outputs.pruning import prune
from scrubline.pipeline.outputs.state import lock_file
from scrubline.pipeline.run import plan_and_freeze, resume, scrub

from ..conftest import write_corpus

pytestmark = pytest.mark.slow

FOLDERS = ("data", "audit", "documents", "quarantine", "restricted", "_staging")
MARKS = ["LOCK", "catalogue.parquet"]


def content_of(*folders):
    """Path -> bytes of all files in some folders, links not followed."""
    return {
        str(path): path.read_bytes()
        for folder in folders
        for path in Path(folder).rglob("*")
        if path.is_file() and not path.is_symlink()
    }


@pytest.fixture
def victim(tmp_path):
    folder = tmp_path / "victim"
    folder.mkdir()
    (folder / "precious.txt").write_text("precious")
    return folder


@pytest.mark.parametrize("dangling", [False, True], ids=["to a folder", "to nothing"])
@pytest.mark.parametrize("name", FOLDERS)
def test_an_output_with_a_link_for_a_folder_is_refused_before_anything_is_written(
    options, scrubline, tmp_path, victim, name, dangling
):
    Path(options.output).mkdir()
    (Path(options.output) / name).symlink_to(tmp_path / "nothing" if dangling else victim)
    before = content_of(tmp_path)
    code, _, err = scrubline(
        "scrub", "--input", options.inputs[0], "--output", options.output, "--model", "none",
        "--key-file", options.key_source, "--column", "note_id=id", "--column", "text=text",
    )  # fmt: skip
    assert code == 2 and "symbolic link in the place of one of its folders" in err
    assert str(tmp_path) not in err
    assert content_of(tmp_path) == before
    assert not (tmp_path / "nothing").exists()


@pytest.mark.parametrize("target", ["in", "data"])
def test_parts_are_not_published_into_the_input_nor_plans_under_data(options, target, tmp_path):
    """The two reproductions: `data -> ../in` and `restricted -> data`."""
    output = Path(options.output)
    (output / "data").mkdir(parents=True)
    if target == "in":
        (output / "data").rmdir()
        (output / "data").symlink_to("../in")
    else:
        (output / "restricted").symlink_to("data")
    before = content_of(tmp_path)
    for action in (scrub, plan_and_freeze):
        with pytest.raises(UsageError, match="symbolic link"):
            action(Storage(), options)
    assert content_of(tmp_path) == before


@pytest.mark.parametrize("where", ["data/deep", "data/k=1/deep", "restricted/0123456789abcdef"])
def test_links_deeper_in_an_output_are_refused_by_every_command_that_writes(options, victim, where):
    scrub(Storage(), options)
    link = Path(options.output) / where
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(victim)
    write_corpus(Path(options.inputs[0]), notes=66, broken=False)
    before = content_of(victim, options.output)
    for action in (
        lambda: scrub(Storage(), options),
        lambda: resume(Storage(), options),
        lambda: list(prune(Storage(), options.output, yes=True)),
    ):
        with pytest.raises(UsageError, match="symbolic link"):
            action()
    assert content_of(victim, options.output) == before


def test_a_link_to_a_part_is_replaced_and_the_output_itself_may_be_a_link(options, tmp_path):
    real = tmp_path / "real"
    real.mkdir()
    Path(options.output).symlink_to(real)
    manifest = scrub(Storage(), options)
    part = next(part["path"] for part in manifest["parts"] if part["table"] == "data")
    elsewhere = tmp_path / "elsewhere.jsonl"
    (real / part).rename(elsewhere)
    (real / part).symlink_to(elsewhere)
    kept = elsewhere.read_bytes()
    (real / "_SUCCESS").unlink()  # so that it is done again
    (real / "manifest.json").unlink()
    again = scrub(Storage(), options)
    assert again["content_digest"] == manifest["content_digest"]
    assert not (real / part).is_symlink() and (real / part).read_bytes() == kept
    assert elsewhere.read_bytes() == kept


# -- links that come while a run works


def swapped_for_a_link(folder, target):
    folder.parent.mkdir(parents=True, exist_ok=True)
    if folder.exists():
        folder.rename(folder.with_name("moved-away"))
    folder.symlink_to(target)


@pytest.mark.parametrize("name", FOLDERS[:-1])
def test_a_link_that_comes_before_publication_stops_it(options, victim, monkeypatch, name):
    real = runs.promote

    def promote(*given, **more):
        swapped_for_a_link(Path(options.output) / name, victim)
        return real(*given, **more)

    with monkeypatch.context() as patch:
        patch.setattr(runs, "promote", promote)
        # Without its restricted/ the run's own plan is gone too.
        with pytest.raises((UsageError, RunFailed), match="symbolic link|moved or removed"):
            scrub(Storage(), options)
    assert os.listdir(victim) == ["precious.txt"]
    assert not (Path(options.output) / "_SUCCESS").exists()
    (Path(options.output) / name).unlink()
    if (moved := Path(options.output) / "moved-away").exists():
        moved.rename(moved.with_name(name))
    assert resume(Storage(), options)["counts"]["rows_in"] > 0


def test_a_link_that_comes_in_the_middle_of_publication_is_not_followed(
    options, victim, monkeypatch
):
    """After the check nothing but the descriptors stands in the way."""
    monkeypatch.setattr(publish, "require_no_links", lambda *_: None)
    moved, first = [], threading.Lock()
    real = Storage.move

    def move(self, source, target):
        with first:  # parts are moved by several threads
            if not moved:
                swapped_for_a_link(Path(options.output) / "data", victim)
            moved.append(target)
        real(self, source, target)

    with monkeypatch.context() as patch:
        patch.setattr(Storage, "move", move)
        with pytest.raises(LinkInOutputError, match="nothing is written through links"):
            scrub(Storage(), options)
    assert os.listdir(victim) == ["precious.txt"]
    assert not (Path(options.output) / "_SUCCESS").exists()


def operations(storage, root):
    """What writes or deletes below an output, of which a folder is a link."""
    storage.write_bytes(f"{root}/_staging/x", b"x")
    yield lambda: storage.write_bytes(f"{root}/data/k=1/new", b"new")
    yield lambda: storage.move(f"{root}/_staging/x", f"{root}/data/k=1/x")
    yield lambda: storage.move(f"{root}/data/precious.txt", f"{root}/audit/x")
    yield lambda: storage.delete(f"{root}/data/precious.txt")
    yield lambda: storage.delete_folder(f"{root}/data/inner")


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_no_operation_of_storage_goes_through_a_link(tmp_path, victim, scheme):
    (victim / "inner").mkdir()
    (victim / "k=1").mkdir()
    root = f"{scheme}{tmp_path}/out"
    storage = Storage(root=root, sleep=lambda seconds: pytest.fail("waited"))
    storage.write_bytes(f"{root}/manifest.json", b"{}")
    os.symlink(victim, tmp_path / "out/data")
    before = content_of(victim)
    for operation in operations(storage, root):
        with pytest.raises(StorageError, match="there is a symbolic link in the place of"):
            operation()
    assert content_of(victim) == before
    assert sorted(os.listdir(victim)) == ["inner", "k=1", "precious.txt"]
    assert not list((tmp_path / "out").rglob("*.tmp"))


def test_a_folder_with_links_in_it_is_deleted_and_not_what_they_lead_to(tmp_path, victim):
    storage = Storage(root=f"{tmp_path}/out")
    storage.write_bytes(f"{tmp_path}/out/_staging/a/x", b"x")
    os.symlink(victim, tmp_path / "out/_staging/a/link")
    storage.delete_folder(f"{tmp_path}/out/_staging/a")
    assert not (tmp_path / "out/_staging/a").exists()
    assert (victim / "precious.txt").read_text() == "precious"


@pytest.mark.parametrize("name", ["../x", "a/../../x", "data/..", "data/.", ".."])
def test_no_name_leads_out_of_an_output(tmp_path, name):
    storage = Storage(root=f"{tmp_path}/out")
    with pytest.raises((StorageError, UsageError)):
        storage.write_bytes(f"{tmp_path}/out/data/../../out/{name}", b"x")
    (tmp_path / "x").write_text("precious")
    (tmp_path / "out").mkdir(exist_ok=True)
    for act in (storage.delete, storage.delete_folder):  # as a forged journal would have it
        with pytest.raises(StorageError):
            act(f"{tmp_path}/out/../x")
    assert (tmp_path / "x").read_text() == "precious"
    (tmp_path / "x").unlink()
    with pytest.raises(StorageError):
        storage.write_bytes(f"{tmp_path}/out/_staging/\0/x", b"x")
    assert not (tmp_path / "x").exists()


# -- the lock


@pytest.mark.parametrize("kind", ["link", "hard link", "dangling", "pipe", "folder", "socket"])
def test_a_lock_that_is_not_ours_is_refused_and_left_as_it_is(options, scrubline, victim, kind):
    precious = victim / "precious.txt"
    lock = Path(lock_file(options.output))
    lock.parent.mkdir(parents=True, mode=0o700)
    if kind == "link":
        lock.symlink_to(precious)
    elif kind == "hard link":
        os.link(precious, lock)
    elif kind == "dangling":
        lock.symlink_to(victim / "new")
    elif kind == "pipe":
        os.mkfifo(lock)
    elif kind == "folder":
        lock.mkdir()
    else:
        import socket

        here = os.getcwd()
        os.chdir(lock.parent)  # names of sockets are short
        with socket.socket(socket.AF_UNIX) as one:
            one.bind("LOCK")
        os.chdir(here)
    for action in (scrub, plan_and_freeze):
        with pytest.raises(UsageError, match="restricted/LOCK of the output|symbolic link"):
            action(Storage(), options)
    assert scrubline("status", "--output", options.output)[0] in (0, 2)  # and it does not hang
    assert precious.read_text() == "precious"
    assert os.listdir(victim) == ["precious.txt"]


@pytest.mark.parametrize("content", [b"precious", b"{}", b'{"owner": 1}', b"\xff\xfe", b"[]"])
def test_foreign_content_in_the_place_of_the_lock_is_never_truncated(tmp_path, content):
    url = f"{tmp_path}/out/restricted/LOCK"
    lock = Path(url)
    lock.parent.mkdir(parents=True)
    lock.write_bytes(content)
    with pytest.raises(UsageError, match="was not written by a run"), Storage().locked(url):
        pass
    assert lock.read_bytes() == content


@pytest.mark.parametrize("part", [0.0, 0.2, 0.7, 1.0])
@pytest.mark.parametrize("zeros", [0, 40])
def test_a_lock_that_a_power_cut_left_is_taken(tmp_path, part, zeros):
    url = f"{tmp_path}/out/restricted/LOCK"
    Path(url).parent.mkdir(parents=True)
    whole = Holder.this_process(1.0).to_bytes()
    Path(url).write_bytes(whole[: int(part * len(whole))] + bytes(zeros))
    with Storage().locked(url):
        assert Holder.from_bytes(Path(url).read_bytes()) is not None


def test_files_that_other_commands_write_take_the_place_of_a_link(
    options, scrubline, victim, tmp_path
):
    """A report is written beside its target and renamed: a link to another file is not followed."""
    precious = victim / "precious.txt"
    report = tmp_path / "report.json"
    words = (
        "scrub", "--input", options.inputs[0], "--output", options.output, "--model", "none",
        "--key-file", options.key_source, "--recogniser", "email", "--max-quarantined", "1",
        *("--column", "note_id=id", "--column", "patient_id=patient", "--column", "kind=type"),
        *("--column", "text=text", "--column", "n=pass"),
    )  # fmt: skip
    report.symlink_to(precious)
    code, _, err = scrubline(*words, "--report", report)
    assert code == 2 and "--report" in err
    assert precious.read_text() == "precious"
    earlier = victim / "earlier.json"
    earlier.write_text('{\n "schema": 1}')
    report.unlink()
    report.symlink_to(earlier)
    assert scrubline(*words, "--report", report)[0] == 0
    assert not report.is_symlink() and "published" in report.read_text()
    assert earlier.read_text() == '{\n "schema": 1}'


def test_a_new_key_is_not_written_through_a_link(scrubline, victim, tmp_path):
    (tmp_path / "key").symlink_to(victim / "new")
    code, _, err = scrubline("key", "new", "--output", tmp_path / "key")
    assert code == 2 and "symbolic link" in err
    assert os.listdir(victim) == ["precious.txt"]


def test_find_shows_the_link_as_the_message_says(options, victim):
    (Path(options.output) / "data/k=1").mkdir(parents=True)
    (Path(options.output) / "data/k=1/deep").symlink_to(victim)
    found = subprocess.run(
        ["find", options.output, "-type", "l"], capture_output=True, text=True, check=True
    )
    assert found.stdout == f"{options.output}/data/k=1/deep\n"
    with pytest.raises(UsageError):
        scrub(Storage(), dataclasses.replace(options, output=f"file://{options.output}"))
