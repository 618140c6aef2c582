"""Who may read what a run leaves on a local disk, whatever the umask."""

import dataclasses
import logging
import os
import stat
import threading
from pathlib import Path

import pytest
from scrubline.models.core.errors import RunFailed, RunOnHold
from scrubline.models.storage.folders import PRIVATE_FILE, PRIVATE_FOLDER, current_umask
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.commands.status import format_status, status
from scrubline.pipeline.run import plan_and_freeze, resume, scrub

from ..conftest import write_corpus

pytestmark = pytest.mark.slow

PRIVATE = ("restricted", "_staging")


@pytest.fixture(params=[0o000, 0o022, 0o027, 0o077], ids=lambda mask: f"{mask:03o}")
def umask(request):
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.lstat().st_mode)


def wrong_modes(output, umask):
    """Paths below an output whose mode is not what it should be, with that mode."""
    found = {}
    for path in Path(output).rglob("*"):
        below = path.relative_to(output)
        if below.parts[0] in PRIVATE:
            wanted = PRIVATE_FOLDER if path.is_dir() else PRIVATE_FILE
        else:
            wanted = (0o777 if path.is_dir() else 0o666) & ~umask
        if mode(path) != wanted:
            found[str(below)] = oct(mode(path))
    return found


@pytest.mark.parametrize("workers", [0, 1])
def test_what_is_private_is_closed_and_what_is_published_is_as_open_as_the_umask_says(
    options, umask, workers
):
    if workers and umask == 0o027:
        pytest.skip("two umasks are enough for workers")
    options = dataclasses.replace(options, keep_candidates=True, hold=True, split_bytes=4000)
    with pytest.raises(RunOnHold):
        scrub(Storage(), dataclasses.replace(options, workers=workers))
    staged = [path.name for path in Path(options.output, "_staging").rglob("*") if path.is_file()]
    assert {"RUN", "HELD"} < set(staged) and any(name.endswith(".jsonl") for name in staged)
    assert wrong_modes(options.output, umask) == {}
    manifest = resume(Storage(), dataclasses.replace(options, hold=False))
    assert wrong_modes(options.output, umask) == {}
    published = {part["table"] for part in manifest["parts"]}
    assert published == {"data", "audit", "documents", "quarantine"}
    assert list(Path(options.output).glob("restricted/*/candidates/*.parquet"))


def test_a_run_that_is_cut_off_while_it_publishes_leaves_the_same_modes(
    options, umask, monkeypatch
):
    plan_and_freeze(Storage(), options)
    moved, first = [], threading.Lock()
    real = Storage.move

    def move(self, source, target):
        with first:  # parts are moved by several threads
            if moved:
                raise RunFailed("stopped")
            moved.append(target)
        real(self, source, target)

    with monkeypatch.context() as patch:
        patch.setattr(Storage, "move", move)
        with pytest.raises(RunFailed):
            resume(Storage(), options)
    assert (Path(options.output) / "_staging").exists()
    assert wrong_modes(options.output, umask) == {}
    resume(Storage(), options)
    assert wrong_modes(options.output, umask) == {}


@pytest.mark.parametrize("folder", ["data", "restricted"])
def test_an_output_in_a_folder_of_such_a_name_is_as_open_as_any(options, tmp_path, umask, folder):
    options = dataclasses.replace(options, output=str(tmp_path / folder / ("a" * 16) / "out"))
    scrub(Storage(), options)
    assert wrong_modes(options.output, umask) == {}


def test_an_output_that_others_can_look_into_is_reported_with_the_remedy(
    options, scrubline, caplog
):
    expected = "can read restricted/ of this output"
    scrub(Storage(), options)
    restricted = Path(options.output) / "restricted"
    assert status(Storage(), options.output)["warning"] is None
    again = dataclasses.replace(options, max_gone=1.0)
    for number, open_mode in enumerate((0o700, 0o755)):  # the one that an earlier version left
        restricted.chmod(open_mode)
        write_corpus(Path(options.inputs[0]), notes=8 + number, files=1, broken=False)
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            scrub(Storage(), again)
        assert (expected in caplog.text) is (open_mode == 0o755)
        assert options.output not in caplog.text
    assert expected in "\n".join(format_status(status(Storage(), options.output)))
    code, out, _ = scrubline("verify", "--output", options.output)
    assert code == 0 and expected in out and "chmod -R go= OUTPUT/restricted" in out
    restricted.chmod(0o700)
    assert "WARNING" not in scrubline("verify", "--output", options.output)[1]


def test_the_umask_is_read_and_left(umask, monkeypatch):
    assert current_umask() == umask
    monkeypatch.setattr("builtins.open", lambda *args, **more: (_ for _ in ()).throw(OSError()))
    assert current_umask() == umask
    monkeypatch.undo()
    assert current_umask() == umask


def test_what_plans_is_given_no_root_and_closes_all_the_same(options):
    before = os.umask(0)
    try:
        plan_and_freeze(Storage(), options)
    finally:
        os.umask(before)
    assert wrong_modes(options.output, 0) == {}
