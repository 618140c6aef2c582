"""What `prune` removes, and all that it must leave."""

import dataclasses
import itertools
import json
import os
import time
from pathlib import Path

import pytest
from scrubline.models.core.errors import RunFailed, UsageError
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.commands.inspect import list_quarantined
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.outputs import publishing as publish
from scrubline.pipeline.outputs import state
from scrubline.pipeline.outputs.pruning import find, prune
from scrubline.pipeline.run import plan_and_freeze, resume, scrub

from ..conftest import write_corpus

PLACES = itertools.count()


@pytest.fixture(params=["local", "memory"])
def place(request, options, tmp_path):
    """Options of a run, on disk and in a store."""
    if request.param == "memory":
        return dataclasses.replace(
            options, output=f"memory://prune-{next(PLACES)}/out", keep_candidates=True
        )
    return dataclasses.replace(options, keep_candidates=True)


def change(options, note="x"):
    """Changes the inputs: the next run supersedes the last."""
    write_corpus(Path(options.inputs[0]), notes=30 + len(note), files=3)


def names(storage, options):
    return storage.list_names(options.output)


def runs_of(leftovers):
    return {one.run for one in leftovers}


@pytest.fixture
def nights(storage, place):
    """Three nights over changed inputs: ids of the runs, the last one is published."""
    found = []
    for night in range(3):
        change(place, "x" * night)
        found.append(scrub(storage, place)["run"])
    assert len(set(found)) == 3
    return found


@pytest.mark.slow
def test_superseded_runs_go_and_the_published_one_stays(storage, place, nights):
    before = names(storage, place)
    lines = list(prune(storage, place.output))
    assert names(storage, place) == before
    assert [line.split()[:3] for line in lines[:-1]] == [
        ["would", "go", run] for run in sorted(nights[:2], key=order_of(storage, place))
    ]
    assert "Nothing is removed without --yes" in lines[-1]

    found = find(storage, place.output, now=time.time())
    assert all(one.bytes > 1000 and one.files for one in found.going)
    *_, last = prune(storage, place.output, yes=True)
    assert last.startswith(f"removed 2 leftovers, {sum(len(o.files) for o in found.going)} files")
    after = names(storage, place)
    assert [n for n in before if n not in after and "LOCK" not in n] == sorted(
        f"{one.folder}/{name}" for one in found.going for name in one.files
    )
    assert {name.split("/")[1] for name in after if name.startswith("restricted/")} - {"LOCK"} == {
        nights[2],
        "catalogue.parquet",
        "units.parquet",
    }
    assert verify(storage, place.output, originals=True, key_source=None)[0] == []
    assert len(list(list_quarantined(storage, place.output, key_source=None))) == 5
    assert find(storage, place.output, now=time.time()).going == ()
    # And the next night goes on as ever.
    change(place, "another")
    scrub(storage, place)


def order_of(storage, place):
    times = {
        one.run: (one.modified, one.run) for one in find(storage, place.output, now=2e12).going
    }
    return times.__getitem__


@pytest.mark.slow
def test_the_last_superseded_ones_and_young_ones_may_be_kept(storage, place, nights):
    one = find(storage, place.output, keep_runs=1, now=2e12)
    assert runs_of(one.going) == {nights[0]} and runs_of(one.kept) == {nights[1]}
    assert find(storage, place.output, keep_runs=9, now=2e12).going == ()
    now = time.time()
    assert find(storage, place.output, older_than_days=1, now=now).going == ()
    later = find(storage, place.output, older_than_days=1, now=now + 2 * 86_400)
    assert runs_of(later.going) == set(nights[:2])


@pytest.mark.slow
def test_a_run_of_which_a_part_is_published_stays(storage, options, tmp_path):
    first = scrub(storage, options)["run"]
    other = dataclasses.replace(options, inputs=(str(write_corpus(tmp_path / "more", 80, 1)),))
    second = scrub(storage, other)["run"]
    found = find(storage, options.output, now=2e12)
    assert found.going == () and {first, second} == set(found.needed)


@pytest.mark.slow
def test_pending_runs_stay_frozen_stopped_or_half_published(storage, options, monkeypatch):
    job, _ = plan_and_freeze(storage, options)
    assert find(storage, options.output, now=2e12).needed == (job.run,)
    list(prune(storage, options.output, yes=True))

    def fail(*given, **more):
        raise RunFailed("power cut")

    with monkeypatch.context() as patched:
        patched.setattr(publish, "make_manifest", fail)
        with pytest.raises(RunFailed):
            resume(storage, options)
    *_, last = prune(storage, options.output, yes=True)
    assert last.startswith("removed 0 leftovers")
    manifest = resume(storage, options)
    assert manifest["run"] == job.run


def test_given_up_staging_goes_and_so_does_what_a_discard_left(storage, options):
    run = scrub(storage, options)["run"]
    stopped, discarded = "a" * 16, "b" * 16
    storage.write_bytes(f"{options.output}/_staging/{stopped}/RUN", b"x")
    storage.write_bytes(f"{options.output}/_staging/{stopped}/data/0.jsonl", b"12345")
    storage.write_bytes(f"{options.output}/restricted/{discarded}/plan.parquet", b"123")
    found = find(storage, options.output, now=2e12)
    assert {(o.run, o.what, o.bytes) for o in found.going} == {
        (stopped, "given up", 6),
        (discarded, "superseded", 3),
    }
    list(prune(storage, options.output, yes=True))
    assert storage.list_names(f"{options.output}/_staging") == []
    assert verify(storage, options.output, originals=False, key_source=None)[0] == []
    assert find(storage, options.output, now=2e12).needed == (run,)


def test_what_no_run_writes_is_left_alone(storage, options):
    scrub(storage, options)
    mine = "c" * 16
    for name in (
        *("roster.csv", "notes/key.txt", f"{mine}/job.json", f"{mine}/my-notes.txt"),
        "DEADBEEFDEADBEEF/job.json",
    ):
        storage.write_bytes(f"{options.output}/restricted/{name}", b"mine")
    before = names(storage, options)
    found = find(storage, options.output, now=2e12)
    assert found.going == () and found.foreign == (mine,)
    *_, last = prune(storage, options.output, yes=True)
    assert last.startswith("removed 0 leftovers")
    assert [n for n in names(storage, options) if "LOCK" not in n] == [
        n for n in before if "LOCK" not in n
    ]


def test_a_damaged_catalogue_is_no_empty_one(storage, options):
    scrub(storage, options)
    storage.write_bytes(f"{options.output}/restricted/units.parquet", b"PAR1")
    with pytest.raises(UsageError, match="catalogue"):
        list(prune(storage, options.output, yes=True))
    storage.delete(f"{options.output}/restricted/units.parquet")
    with pytest.raises(UsageError, match="catalogue is missing"):
        list(prune(storage, options.output, yes=True))


def test_nobody_prunes_while_somebody_works(storage, options):
    scrub(storage, options)
    with (
        storage.locked(state.lock_file(options.output)),
        pytest.raises(UsageError, match="another process"),
    ):
        list(prune(Storage(), options.output, yes=True))


def test_the_command(scrubline, storage, options, tmp_path):
    change(options)
    scrub(storage, options)
    change(options, "changed")
    scrub(storage, options)
    code, out, _ = scrubline("prune", "--output", options.output)
    assert code == 0 and out.startswith("would go") and "superseded" in out
    code, out, _ = scrubline("prune", "--output", options.output, "--yes")
    assert code == 0 and out.startswith("removed ")
    for words in (("--keep-runs", "-1"), ("--older-than", "nan"), ("--older-than", "-3")):
        assert scrubline("prune", "--output", options.output, *words)[0] == 2
    code, _, err = scrubline("prune", "--output", tmp_path / "nowhere")
    assert code == 2 and "no such output" in err and not (tmp_path / "nowhere").exists()


def test_times_and_sizes_of_files(storage, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b.txt").write_bytes(b"123")
    os.utime(tmp_path / "a/b.txt", (5, 1234.5))
    (found,) = storage.list_found(str(tmp_path))
    assert (found.name, found.size, found.modified) == ("a/b.txt", 3, 1234.5)
    assert storage.list_found(str(tmp_path / "none")) == []
    storage.write_bytes("memory://found-here/x", b"1")
    (found,) = storage.list_found("memory://found-here")
    assert abs(found.modified - time.time()) < 3600
    assert json.dumps(found.modified)
