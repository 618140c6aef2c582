"""A portable engine: Beam's own job server in Python, a process of its own, asked over gRPC.

Not an engine for work, but real Job and Fn APIs: what cannot be pickled or travels where it must
    not, fails here.
"""

import dataclasses
import threading

import pytest
from scrubline.models.core.errors import RunFailed, UsageError
from scrubline.models.storage.key_files import load_keys
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.outputs.publishing import part_digest
from scrubline.pipeline.run import plan_and_freeze, resume
from scrubline.pipeline.runners import beam

from ...servers.beam import beam_servers, free_port
from ...waiting import GUARD_SECONDS


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    with beam_servers(tmp_path_factory.mktemp("servers")) as started:
        yield started


def bounded(function, *arguments, **more):
    """Calls a function in a thread and gives up waiting for it after `GUARD_SECONDS`."""
    answer = []

    def call():
        try:
            answer.append((function(*arguments, **more), None))
        except BaseException as error:
            answer.append((None, error))

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(GUARD_SECONDS)
    assert answer, "the job does not end"
    result, error = answer[0]
    if error is not None:
        raise error
    return result


@pytest.fixture(autouse=True)
def _patience(monkeypatch):
    """A server that runs is given up by no clock: its port has been seen to listen."""
    monkeypatch.setattr(beam, "CONNECT_SECONDS", GUARD_SECONDS)


@pytest.fixture(params=["LOOPBACK", "EXTERNAL"])
def portable(request, servers, options):
    return dataclasses.replace(
        options, runner="portable", beam=servers[request.param], split_bytes=3000
    )


@pytest.mark.slow
def test_the_same_digests_as_the_direct_runner(run, portable, storage, tmp_path):
    direct = run(output=str(tmp_path / "direct"), split_bytes=portable.split_bytes)
    manifest = bounded(
        run, **{f.name: getattr(portable, f.name) for f in dataclasses.fields(portable)}
    )
    assert manifest["content_digest"] == direct["content_digest"]
    assert part_digest(manifest) == part_digest(direct)
    assert manifest["report"]["runner"] == "portable"
    assert (
        manifest["report"]["metrics"]["Write"]["documents"] == manifest["counts"]["documents"] - 5
    )
    assert verify(storage, portable.output, originals=True, key_source=None)[0] == []


@pytest.mark.slow
def test_a_failure_in_a_worker_is_told_without_phi_and_can_be_resumed(
    run, portable, servers, storage, tmp_path
):
    # A part cannot be written where a folder of its name stands.
    job, plan = plan_and_freeze(storage, portable)
    part = tmp_path / f"out/_staging/{job.run}/data/{plan.units[1].name}.jsonl"
    part.mkdir(parents=True)
    (part / "something").touch()
    with pytest.raises(RunFailed, match="Is.*irectory|EISDIR|storage refused") as caught:
        bounded(resume, storage, portable)
    assert plan.files[0].url not in str(caught.value)
    assert "/in/" not in str(caught.value)
    (part / "something").unlink()
    part.rmdir()
    manifest = bounded(resume, storage, portable)
    direct = run(output=str(tmp_path / "direct"), split_bytes=portable.split_bytes)
    assert manifest["content_digest"] == direct["content_digest"]
    for log in servers["folder"].glob("*.log"):
        text = log.read_text(errors="replace")
        assert "/in/part" not in text
        assert "555-867" not in text


def test_a_refusal_in_a_worker_is_a_refusal(portable, storage, tmp_path):
    plan_and_freeze(storage, portable)
    other = "scrubline-key-v1:" + "QUJE" * 10 + "QUI=\n"
    (tmp_path / "key.txt").write_text(other)
    assert load_keys(portable.key_source, storage.read_bytes)
    with pytest.raises(UsageError, match="wrong master key"):
        bounded(resume, storage, portable)


def test_a_job_server_that_is_not_there_fails_the_run_soon(run, options):
    there = (
        f"--job_endpoint=localhost:{free_port()}",
        "--environment_type=LOOPBACK",
        "--job_server_timeout=2",
    )
    with pytest.raises(RunFailed, match="the job server does not answer"):
        bounded(run, runner="portable", beam=there)
