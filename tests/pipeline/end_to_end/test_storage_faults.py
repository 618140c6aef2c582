"""Storage that fails: retried, or the run ends and is resumed: always to the same bytes."""

import dataclasses
import errno

import pytest
from scrubline.models.core.errors import RunFailed
from scrubline.models.jobs import opening
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.outputs import publishing
from scrubline.pipeline.outputs.publishing import part_digest
from scrubline.pipeline.run import scrub

from .. import hostile_worker
from ..conftest import write_corpus
from ..hostile_worker import FaultyOs, now_and_then

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forked")]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("corpus") / "in", notes=40, files=2)


@pytest.fixture
def options(options, corpus):
    return dataclasses.replace(options, inputs=(str(corpus),), split_bytes=3000)


@pytest.fixture
def whole(run, tmp_path):
    """The manifest of the same run on storage that does not fail."""
    return run(output=str(tmp_path / "whole"))


@pytest.fixture
def faulty(whole, monkeypatch):
    """Makes the storage of this process fail from now on; waits between tries are left out."""
    monkeypatch.setattr(Storage.__init__, "__defaults__", hostile_worker.without_waiting())

    def make(fails, tries=6):
        root, _, *rest = Storage.__init__.__defaults__
        monkeypatch.setattr(Storage.__init__, "__defaults__", (root, tries, *rest))
        monkeypatch.setattr(opening, "_opened", {})
        disk = FaultyOs(fails)
        hostile_worker.break_disk(disk, monkeypatch.setattr)
        return disk

    return make


def assert_same(manifest, whole):
    assert manifest["content_digest"] == whole["content_digest"]
    assert part_digest(manifest) == part_digest(whole)
    assert manifest["counts"] == whole["counts"]


def assert_names_nothing(error, options):
    for name in ("part0", "part1", options.inputs[0]):
        assert name not in str(error)


def test_one_fault_in_five_is_retried_to_the_same_bytes(faulty, whole, options, tmp_path):
    disk = faulty(now_and_then(0.2, seed=1))
    manifest = scrub(Storage(), options)
    assert disk.failed > 30
    assert_same(manifest, whole)
    assert not [path for path in (tmp_path / "out").rglob("*.tmp")]


def test_with_too_few_retries_the_run_fails_and_is_taken_up_again(faulty, whole, options):
    disk = faulty(now_and_then(0.2, seed=2), tries=3)
    failures = 0
    for _ in range(100):
        try:
            manifest = scrub(Storage(), options)
            break
        except RunFailed as error:
            assert_names_nothing(error, options)
            failures += 1
    assert failures > 3
    assert disk.failed > 30
    assert_same(manifest, whole)


def test_two_workers_on_a_shaky_disk(whole, run, options, monkeypatch, tmp_path):
    monkeypatch.setenv("HOSTILE_FAULTS", "0.2")
    hostile_worker.start_hostile_workers(monkeypatch.setattr)
    assert_same(run(workers=2), whole)


def after(count, number, operations):
    """Lets the first `count` of some operations through; all later ones fail with an errno."""
    seen = [0]

    def fails(operation):
        seen[0] += operation in operations
        return number if operation in operations and seen[0] > count else 0

    return fails, seen


@pytest.mark.parametrize(
    ("number", "operations", "places"),
    [
        (errno.ENOSPC, ("create", "pwrite"), 9),
        (errno.EIO, ("fsync",), 4),
        (errno.EIO, ("replace",), 5),
        (errno.EIO, ("pread",), 3),
        (errno.EACCES, ("open",), 2),
    ],
    ids=["full", "sync", "rename", "read", "refused"],
)
def test_a_disk_that_fails_for_good_stops_the_run_and_it_is_taken_up_again(
    faulty, whole, options, storage, tmp_path, monkeypatch, number, operations, places
):
    fails, seen = after(10**9, number, operations)
    faulty(fails)
    with monkeypatch.context() as counting:
        # A failure of the page and of the history is a warning.
        counting.setattr(publishing, "write_page_or_warn", lambda *others: None)
        counting.setattr(publishing, "write_history_or_warn", lambda *others: {})
        scrub(Storage(), dataclasses.replace(options, output=str(tmp_path / "count")))
    # From the first operation, while the plan is frozen, to the last of the promotion.
    for place in range(places):
        count = place * (seen[0] - 1) // (places - 1)
        one = dataclasses.replace(options, output=str(tmp_path / f"out{place}"))
        faulty(after(count, number, operations)[0])
        with pytest.raises(RunFailed, match=errno.errorcode[number]) as caught:
            scrub(Storage(), one)
        assert_names_nothing(caught.value, options)
        assert not (tmp_path / f"out{place}/_SUCCESS").exists()
        faulty(lambda operation: 0)
        assert_same(scrub(Storage(), one), whole)
        assert not [path for path in (tmp_path / f"out{place}").rglob("*.tmp")]
        assert verify(storage, one.output, originals=False, key_source=None)[0] == []
