"""What `scrubline status` tells of an output."""

import dataclasses
import itertools
import json
import os

import pytest
from scrubline.models.core.errors import RunFailed, RunOnHold, UsageError
from scrubline.models.storage.lock_holder import Holder, this_machine
from scrubline.models.storage.storage import Storage
from scrubline.pipeline import run as runs
from scrubline.pipeline.commands.status import format_status, status
from scrubline.pipeline.outputs import publishing as publish
from scrubline.pipeline.outputs.state import lock_file, pending_runs
from scrubline.pipeline.run import plan_and_freeze, resume

PLACES = itertools.count()


@pytest.fixture(params=["local", "memory"])
def run(request, storage, options):
    """Runs a scrub on disk and in a store; its options are `run.options`."""
    if request.param == "memory":
        options = dataclasses.replace(options, output=f"memory://status-{next(PLACES)}/out")

    def run_it(**changes):
        return runs.scrub(storage, dataclasses.replace(options, **changes))

    run_it.options, run_it.output = options, options.output
    return run_it


def stages(found):
    return [(one["stage"], one["done"], one["units"]) for one in found["pending"]]


def failing(*given, **more):
    raise RunFailed("x")


def test_each_state_is_told_with_what_comes_next(run, storage, monkeypatch):
    with pytest.raises(UsageError, match="no such output"):
        status(storage, run.output)
    storage.write_bytes(f"{run.output}/_staging/{'a' * 16}/RUN", b"")
    assert stages(status(storage, run.output)) == [("planning", 0, None)]
    resume(storage, run.options, discard=True)
    job, plan = plan_and_freeze(storage, run.options)
    found = status(storage, run.output)
    assert stages(found) == [("unfinished", 0, len(plan.units))]
    assert found["published"] is None and "scrubline resume" in found["next"]
    with pytest.raises(RunOnHold):
        run(hold=True)
    found = status(storage, run.output)
    assert stages(found) == [("waits", len(plan.units), len(plan.units))]
    assert "scrubline diff" in found["next"]
    with monkeypatch.context() as patch:
        patch.setattr(publish, "make_manifest", failing)
        with pytest.raises(RunFailed):
            resume(storage, run.options)
    found = status(storage, run.output)
    assert stages(found)[0][0] == "publishing" and "finish it" in found["next"]
    manifest = resume(storage, run.options)
    found = status(storage, run.output)
    assert found["published"]["run"] == manifest["run"] == job.run
    assert found["published"]["when"] >= manifest["report"]["started"]
    assert found["pending"] == [] and "the next run can start" in found["next"]


def test_who_holds_the_lock_is_told(run, storage):
    run()
    assert status(storage, run.output)["lock"] is None
    with storage.locked(lock_file(run.output)):
        found = status(Storage(), run.output)
    assert found["lock"]["pid"] == os.getpid()
    assert found["lock"]["machine"] == this_machine().split()[0]
    assert found["lock"]["since"] <= found["lock"]["sign_of_life"]
    assert found["next"].startswith("wait") and any(
        "locked" in line for line in format_status(found)
    )
    assert status(storage, run.output)["lock"] is None


def test_the_command(scrubline, storage, options):
    manifest = runs.scrub(storage, options)
    plan_and_freeze(storage, dataclasses.replace(options, split_bytes=1000))
    code, out, _ = scrubline("status", "--output", options.output)
    assert code == 0
    first, second, last = out.splitlines()
    assert first.startswith(f"published  run {manifest['run']}, 2") and "60 rows" in first
    assert "unfinished, 0 of" in second and last.startswith("next       continue")
    code, out, _ = scrubline("status", "--output", options.output, "--json")
    assert json.loads(out)["published"]["run"] == manifest["run"]
    assert scrubline("status", "--output", options.output + "x")[0] == 2


@pytest.mark.parametrize("mark", ["HELD", "RUN"])
def test_a_publication_cut_off_while_it_clears_up_is_told_as_one(run, storage, monkeypatch, mark):
    with pytest.raises(RunOnHold):
        run(hold=True)
    real = Storage.delete

    def delete(self, url):
        real(self, url)
        if url.endswith(f"/{mark}"):
            raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Storage, "delete", delete)
        resume(storage, run.options)
    assert [stage for stage, *_ in stages(status(storage, run.output))] == ["publishing"]
    resume(storage, run.options)
    assert status(storage, run.output)["pending"] == []


def test_what_is_not_published_is_told_by_its_stage(run, storage, monkeypatch):
    def first():
        return next(format_status(status(storage, run.output)))

    plan_and_freeze(storage, run.options)
    assert first() == "published  nothing: there is no _SUCCESS"
    with monkeypatch.context() as patch:
        patch.setattr(publish, "make_manifest", failing)
        with pytest.raises(RunFailed):
            resume(storage, run.options)
    assert first().startswith("published  nothing until the publication is finished")
    resume(storage, run.options)
    assert first().startswith("published  run ")


@pytest.mark.parametrize("name", ["plan.parquet", "files.parquet"])
@pytest.mark.parametrize("content", [b"", b"PAR1 no table PAR1"])
def test_a_damaged_plan_is_told_with_what_to_do(run, storage, name, content):
    job, _ = plan_and_freeze(storage, run.options)
    storage.write_bytes(f"{job.restricted}/{name}", content)
    found = status(storage, run.output)
    (one,) = found["pending"]
    assert (one["run"], one["stage"], one["units"]) == (job.run, "unfinished", None)
    assert "the plan of this run cannot be read" in one["damaged"]
    assert "from a copy, or give the run up" in found["next"]
    assert any(job.run in line and one["damaged"] in line for line in format_status(found))
    json.dumps(found)
    resume(storage, run.options, discard=True)
    assert pending_runs(storage, run.output) == []


@pytest.mark.parametrize("command", ["status", "verify", "inspect"])
def test_what_is_not_there_is_no_output_to_any_command(scrubline, tmp_path, command):
    code, out, err = scrubline(command, "--output", tmp_path / "none")
    assert (code, out, err) == (2, "", "scrubline: there is no such output\n")
    (tmp_path / "empty").mkdir()
    code, _, err = scrubline(command, "--output", tmp_path / "empty")
    assert code == 2
    told_of = "no such output" if command == "status" else "nothing is published in this output"
    assert told_of in err


@pytest.mark.parametrize("moment", [float("nan"), float("inf"), -1e300, 1e300])
def test_a_lock_whose_times_are_none_is_told_all_the_same(storage, moment):
    output = f"memory://status-{next(PLACES)}/out"
    holder = Holder("f" * 32, "elsewhere", 7, moment, moment)
    storage.write_bytes(lock_file(output), holder.to_bytes())
    found = status(storage, output)
    assert found["lock"]["since"] == found["lock"]["sign_of_life"] == "?"
    assert "locked     by process 7 of elsewhere, since ?" in list(format_status(found))
    json.dumps(found, allow_nan=False)
