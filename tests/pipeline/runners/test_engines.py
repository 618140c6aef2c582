"""What each runner stands for, what is refused before anything is read, and how long is waited."""

import http.server
import itertools
import json
import shlex
import socket
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from apache_beam.options.pipeline_options import PipelineOptions
from scrubline.models.core.errors import RunFailed, UsageError
from scrubline.pipeline.runners import beam as execute
from scrubline.pipeline.runners import engines
from scrubline.pipeline.runners.engine_jobs import end_jobs
from scrubline.pipeline.runners.engines import (
    PLACES,
    beam_options,
    check_places,
    check_runner,
    engines_folder,
    value_of,
)

from ...servers.beam import free_port
from ...waiting import GUARD_SECONDS

JARS = {"flink": "flink_job_server_jar", "spark": "spark_job_server_jar"}
MASTERS = {"flink": "flink_master", "spark": "spark_master_url"}


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A folder in which all engines seem to be."""
    monkeypatch.setenv(engines.FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setattr(engines.shutil, "which", lambda name: name)
    for place in PLACES.values():
        (tmp_path / place).parent.mkdir()
        (tmp_path / place).touch()
    return tmp_path


@pytest.mark.parametrize("name", ["prism", "PrismRunner", "PRISM"])
def test_a_runner_may_be_called_as_beam_calls_it(name):
    assert check_runner(name) == "prism"


@pytest.mark.parametrize(
    ("options", "value"),
    [
        ([], None),
        (["--flink_master=a:1"], "a:1"),
        (["--flink_master", "a:1"], "a:1"),
        (["--flink_master=a:1", "--flink_master=b:2"], "b:2"),
        (["--flink_master"], ""),
        (["--flink_master_x=a"], None),
        (["flink_master=a"], None),
        (["--job_name", "--flink_master=c:3"], "c:3"),
    ],
)
def test_the_last_value_of_an_option_holds(options, value):
    assert value_of(options, "flink_master") == value


@pytest.mark.parametrize("name", ["flink", "spark"])
def test_an_engine_in_java_runs_inside_of_its_job_server_unless_told(installed, name):
    options = beam_options(name, [])
    assert value_of(options, JARS[name]) == str(installed / PLACES[name])
    assert value_of(options, MASTERS[name]) in ("[local]", "local[2]")
    assert value_of(options, "environment_type") == "LOOPBACK"
    assert value_of(options, "runner") == f"{name.capitalize()}Runner"


def test_what_the_user_says_wins(installed):
    own = installed / "own.jar"
    own.touch()
    given = [f"--flink_job_server_jar={own}", "--environment_type=DOCKER", "--job_server_timeout=9"]
    options = beam_options("flink", given)
    assert value_of(options, "flink_job_server_jar") == str(own)
    assert value_of(options, "environment_type") == "DOCKER"
    assert value_of(options, "job_server_timeout") == "9"
    assert options[-3:] == tuple(given)
    assert "LOOPBACK" not in " ".join(options)


def test_beam_does_not_end_long_jobs(installed):
    for name, given in (("prism", []), ("portable", ["--job_endpoint=localhost:1"])):
        assert int(value_of(beam_options(name, given), "job_server_timeout")) > 10**7


@pytest.mark.parametrize(
    ("name", "given", "what"),
    [
        ("portable", [], "--job_endpoint"),
        ("prism", ["--runner=DaskRunner"], "before the `--`"),
        ("prism", ["--runner", "DirectRunner"], "before the `--`"),
        ("prism", ["--prism_location=nowhere"], "names no file.*make engines"),
        ("flink", ["--flink_job_server_jar=nowhere"], "names no file.*make engines"),
        ("flink", ["--flink_master=host:8081"], "where the Python workers run"),
        ("spark", ["--spark_master_url=spark://host:7077"], "where the Python workers run"),
        ("dataflow", [], "--project"),
        ("dataflow", ["--project=p", "--region=r"], "--temp_location"),
        ("dataflow", ["--project=p", "--region=r", "--temp_location=/tmp"], "gs://"),
        (
            "dataflow",
            ["--project=p", "--region=r", "--temp_location=gs://b/t"],
            "--sdk_container_image",
        ),
    ],
)
def test_what_is_missing_is_said(installed, name, given, what):
    with pytest.raises(UsageError, match=what):
        beam_options(name, given)


@pytest.mark.parametrize("name", PLACES)
def test_an_engine_that_is_not_installed_is_refused_at_once(tmp_path, monkeypatch, run, name):
    monkeypatch.setenv(engines.FOLDER_VARIABLE, str(tmp_path / "none"))
    with pytest.raises(UsageError, match=f"{name} is not installed.*make engines"):
        run(runner=name)
    assert not (tmp_path / "out").exists()


def test_java_is_looked_for(installed, monkeypatch):
    monkeypatch.setattr(engines.shutil, "which", lambda name: None)
    with pytest.raises(UsageError, match="needs Java"):
        beam_options("flink", [])
    beam_options("flink", ["--job_endpoint=localhost:1"])


def test_engines_are_in_the_users_cache(monkeypatch, tmp_path):
    monkeypatch.delenv(engines.FOLDER_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert engines_folder() == tmp_path / "scrubline/engines"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert engines_folder().parts[-3:] == (".cache", "scrubline", "engines")


def test_the_command_line_for_dataflow_has_options_that_beam_knows():
    page = (Path(__file__).parents[3] / "docs/engines.md").read_text(encoding="utf-8")
    shown = page.partition("## Dataflow")[2].split("```")[1].partition(" -- ")[2]
    words = shlex.split(shown.replace("\\\n", " "))
    assert value_of(words, "project") and value_of(words, "sdk_container_image")
    known = PipelineOptions(words).get_all_options(drop_default=True)
    assert len(known) == len(words)


REMOTE = ["gs://b/in/", "gs://b/out"]


@pytest.mark.parametrize(
    ("places", "key", "what"),
    [
        ([*REMOTE, "bundles/mine"], "gs://b/key", "a place of this machine"),
        (["file:///in", "gs://b/out"], "gs://b/key", "a place of this machine"),
        (REMOTE, "env:SCRUBLINE_KEY", "a variable that only this machine has"),
        (REMOTE, "key.txt", "must be a URL"),
    ],
)
def test_workers_of_dataflow_must_reach_all_there_is(places, key, what):
    with pytest.raises(UsageError, match=what):
        check_places("dataflow", places, key)
    check_places("dataflow", REMOTE, "gs://b/key")
    check_places("flink", places, key)


# -- servers that should be there


class Overview(http.server.BaseHTTPRequestHandler):
    answer = b""

    asked = []

    def do_GET(self):
        self.asked.append((self.command, self.path))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.answer)

    do_PATCH = do_GET

    def log_message(self, *_):
        pass


@pytest.fixture
def flink():
    with http.server.HTTPServer(("127.0.0.1", 0), Overview) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"--flink_master=127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (b'{"slots-total": 0}', "no task manager"),
        (b"<html>", "does not answer"),
        (b"[1]", "does not answer"),
        (b'{"slots-total": 2}', None),
    ],
)
def test_flink_is_asked_for_its_task_managers(flink, answer, what, monkeypatch):
    monkeypatch.setattr(Overview, "answer", answer)
    if what is None:
        execute.require_reached([flink])
        return
    with pytest.raises(RunFailed, match=what):
        execute.require_reached([flink])


def test_what_goes_on_in_a_flink_cluster_is_cancelled_by_name(flink, monkeypatch):
    of_two = {"jobs": [
        {"jid": "a1", "name": "scrubline-a", "state": "FAILED"},
        {"jid": "a2", "name": "scrubline-a", "state": "RUNNING"},
        {"jid": "b1", "name": "scrubline-b", "state": "RUNNING"},
    ]}  # fmt: skip
    monkeypatch.setattr(Overview, "answer", json.dumps(of_two).encode())
    monkeypatch.setattr(Overview, "asked", [])
    end_jobs((flink, "--job_name=scrubline-a"), wait_seconds=0.0)
    changes = [path for method, path in Overview.asked if method == "PATCH"]
    assert changes == ["/jobs/a2?mode=cancel"]
    end_jobs((flink, "--job_name=nightly"), wait_seconds=0.0)
    end_jobs(("--flink_master=[local]", "--job_name=scrubline-a"), wait_seconds=0.0)
    assert len(changes) == len([path for method, path in Overview.asked if method == "PATCH"])


@pytest.mark.parametrize("option", ["--flink_master", "--job_endpoint"])
@pytest.mark.parametrize("listens", [False, True])
def test_a_server_that_does_not_answer_is_not_waited_for(option, listens, monkeypatch):
    given, connect, ask = [], execute.ExternalJobServer, execute.flink.task_slots
    monkeypatch.setattr(execute, "CONNECT_SECONDS", 0.5)
    monkeypatch.setattr(
        execute, "ExternalJobServer", lambda at, wait: given.append(wait) or connect(at, wait)
    )
    monkeypatch.setattr(
        execute.flink, "task_slots", lambda at, wait: given.append(wait) or ask(at, wait)
    )
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        port = free_port()
        if listens:  # takes connections, and says nothing
            mute.listen()
            port = mute.getsockname()[1]
        with pytest.raises(RunFailed, match=f"does not answer where {option} says"):
            execute.require_reached([f"{option}=127.0.0.1:{port}"])
    assert given == [0.5]


# -- waiting for a job


@pytest.fixture
def clock(monkeypatch):
    """Ten seconds pass from one look at the clock to the next."""
    moments = itertools.count(0.0, 10.0)
    monkeypatch.setattr(execute, "time", SimpleNamespace(monotonic=lambda: next(moments)))


class Job:
    """A job on an engine that never ends by itself."""

    def __init__(self):
        self.ended = threading.Event()

    def wait_until_finish(self):
        assert self.ended.wait(GUARD_SECONDS)
        return "CANCELLED"

    def cancel(self):
        self.ended.set()


def test_a_job_that_does_nothing_is_cancelled(clock):
    job = Job()
    with pytest.raises(RunFailed, match="no unit was done for 25 s"):
        execute._wait(job, lambda: 7, 25.0)
    assert job.ended.is_set()


@pytest.mark.slow
def test_a_job_that_goes_on_is_waited_for(clock):
    job, done = Job(), iter(range(1000))

    def look():
        if (count := next(done)) == 10:
            job.ended.set()
        return count

    assert execute._wait(job, look, 25.0) == "CANCELLED"


def test_an_interrupted_wait_cancels_the_job():
    job = Job()

    def look():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        execute._wait(job, look, 60)
    assert job.ended.is_set()


def test_an_error_of_the_engine_is_told_by_its_class():
    class Broken(Job):
        def wait_until_finish(self):
            raise OSError(json.dumps({"text": "Jane Doe"}))

    with pytest.raises(RunFailed, match="the runner failed: OSError") as caught:
        execute._wait(Broken(), lambda: 0, 60)
    assert "Jane" not in str(caught.value)
