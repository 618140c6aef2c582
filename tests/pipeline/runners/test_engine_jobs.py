"""Jobs that fail, one after another, on a stand-in for an engine that does what it is told."""

import dataclasses
import threading
from pathlib import Path
from types import SimpleNamespace

import apache_beam as beam
import grpc
import pytest
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.portability.api import beam_job_api_pb2 as jobs
from apache_beam.portability.api import beam_job_api_pb2_grpc as job_services
from apache_beam.utils.thread_pool_executor import UnboundedThreadPoolExecutor
from scrubline.models.core.errors import InputChanged, RunFailed, UsageError
from scrubline.pipeline.observer import RunObserver
from scrubline.pipeline.run import plan_and_freeze
from scrubline.pipeline.runners import beam as execute
from scrubline.pipeline.runners import engine_jobs
from scrubline.pipeline.runners.beam import NothingDone, run_direct

from ...waiting import GUARD_SECONDS


@pytest.fixture
def frozen(storage, options):
    """A frozen run of several units."""
    return plan_and_freeze(storage, dataclasses.replace(options, split_bytes=1500))


class Engine(RunObserver):
    """Does of each job what it is told, in order: (units to begin, units to finish, its end)."""

    def __init__(self, monkeypatch, *jobs):
        self.jobs, self.sent, self.here, self.done, self.retries = list(jobs), [], [], [], []
        monkeypatch.setattr(engine_jobs, "run_engine", self.run)

    def run(self, job, units, options, *, report, look, patience_seconds):
        self.sent.append(list(units))
        begin, finish, end = self.jobs.pop(0)
        begin = units if begin is None else begin
        for unit in begin:
            report(unit, -1, 0)
            report(unit, 0, 5)
        run_direct(job, units if finish is None else finish)
        if end is not None:
            raise end
        return {"Write": {"documents": 3}}

    def go(self, storage, frozen, left=None):
        job, plan = frozen

        def run_here(units):
            self.here.append(list(units))
            run_direct(job, units)

        engine_jobs.run_jobs(
            storage,
            job,
            plan,
            [unit.index for unit in plan.units] if left is None else left,
            (),
            run_here,
            patience_seconds=1,
            observer=self,
        )

    def units_done(self, units, metrics):
        self.done.append((list(units), metrics))

    def retried(self, what):
        self.retries.append(what)


def units_of(frozen):
    return [unit.index for unit in frozen[1].units]


WELL = (None, None, None)


def test_a_job_that_ends_well_is_the_only_one(storage, frozen, monkeypatch):
    engine = Engine(monkeypatch, WELL)
    engine.go(storage, frozen)
    assert engine.sent == [units_of(frozen)]
    assert engine.here == engine.retries == []
    assert engine.done[-1] == ([], {"Write": {"documents": 3}})
    assert sorted(unit for units, _ in engine.done for unit in units) == units_of(frozen)


def test_what_a_failed_job_left_goes_to_the_engine_once_more(storage, frozen, monkeypatch):
    engine = Engine(monkeypatch, ([0, 1], [0], RunFailed("the runner failed: OSError")), WELL)
    engine.go(storage, frozen)
    assert engine.sent == [units_of(frozen), units_of(frozen)[1:]]
    assert engine.here == []
    assert engine.retries == ["job"]
    assert sorted(unit for units, _ in engine.done for unit in units) == units_of(frozen)


@pytest.mark.slow
def test_what_two_jobs_began_and_neither_finished_is_run_here(storage, frozen, monkeypatch):
    fails = RunFailed("the runner failed: RuntimeError")
    engine = Engine(monkeypatch, ([1, 2], [2], fails), ([1, 3], [], fails), WELL)
    engine.go(storage, frozen)
    rest = [unit for unit in units_of(frozen) if unit not in (1, 2)]
    assert engine.here == [[1]]
    assert engine.sent[2] == rest


@pytest.mark.slow
def test_jobs_are_told_apart_whatever_they_begin(storage, frozen, monkeypatch):
    # The third job begins unit 2 for the second time, though no unit was begun by all three.
    fails = RunFailed("the runner failed: RuntimeError")
    jobs = [([1], [1], fails), ([2], [], fails), ([2], [], fails), WELL]
    engine = Engine(monkeypatch, *jobs)
    engine.go(storage, frozen)
    assert engine.here == [[2]]


def test_what_is_under_way_when_nothing_goes_on_is_run_here_at_once(storage, frozen, monkeypatch):
    engine = Engine(monkeypatch, ([0, 1], [0], NothingDone("no unit was done for 1 s")), WELL)
    engine.go(storage, frozen)
    assert engine.here == [[1]]


def test_all_may_be_done_by_then(storage, frozen, monkeypatch):
    units = units_of(frozen)
    engine = Engine(monkeypatch, (units, units[1:], NothingDone("no unit was done for 1 s")))
    engine.go(storage, frozen)
    assert engine.here == [[0]]
    assert len(engine.sent) == 1


@pytest.mark.slow
def test_a_launcher_that_was_killed_twice_knows_what_was_begun(storage, frozen, monkeypatch):
    for _ in range(2):
        killed = Engine(monkeypatch, ([1], [], KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            killed.go(storage, frozen)
        assert killed.here == []
    engine = Engine(monkeypatch, WELL)
    engine.go(storage, frozen)
    assert engine.here == [[1]]
    assert engine.sent == [[unit for unit in units_of(frozen) if unit != 1]]


def test_what_a_killed_worker_left_among_the_notes_does_no_harm(storage, frozen, monkeypatch):
    engine = Engine(monkeypatch, ([0, 1], [0], RunFailed("the runner failed: OSError")), WELL)
    begun = Path(frozen[0].staging) / "begun"
    begun.mkdir(parents=True)
    (begun / ".scrubline-0123.tmp").touch()
    engine.go(storage, frozen)
    assert engine.here == []
    assert not begun.exists()


@pytest.mark.parametrize(
    "end",
    [
        (([], [], RunFailed("Flink has no task manager"))),
        (([1], [], InputChanged("an input file is another one"))),
        (([1], [], UsageError("another master key"))),
    ],
)
def test_what_another_job_would_not_mend_ends_the_run(storage, frozen, monkeypatch, end):
    engine = Engine(monkeypatch, end)
    with pytest.raises(type(end[2]), match=str(end[2])):
        engine.go(storage, frozen)
    assert engine.here == engine.retries == []


def test_an_engine_that_lost_a_part_is_waited_for(storage, frozen, monkeypatch):
    monkeypatch.setattr(engine_jobs.time, "sleep", lambda seconds: None)
    lost = ([0, 1], [0], RunFailed("the runner failed: RuntimeError"))
    away = ([], [], RunFailed("Flink has no task manager"))
    engine = Engine(monkeypatch, lost, away, away, WELL)
    engine.go(storage, frozen)
    assert [len(units) for units in engine.sent] == [
        len(units_of(frozen)) - n for n in (0, 1, 1, 1)
    ]
    assert engine.here == []
    assert engine.retries == ["job"]


def test_an_engine_that_does_not_come_back_ends_the_run(storage, frozen, monkeypatch):
    monkeypatch.setattr(engine_jobs, "BACK_SECONDS", 0.0)
    lost = ([0, 1], [0], RunFailed("the runner failed: RuntimeError"))
    engine = Engine(monkeypatch, lost, ([], [], RunFailed("Flink has no task manager")))
    with pytest.raises(RunFailed, match="no task manager"):
        engine.go(storage, frozen)


class _JobServer(job_services.JobServiceServicer):
    """Has jobs, ends those that are cancelled, and may not know how to tell of them."""

    def __init__(self, states, *, tells=True):
        self.states, self.tells, self.cancelled = dict(states), tells, []

    def GetJobs(self, request, context):
        if not self.tells:
            context.abort(grpc.StatusCode.UNIMPLEMENTED, "")
        infos = [
            jobs.JobInfo(job_id=f"{name}_{state}", job_name=name, state=state)
            for name, state in self.states.items()
        ]
        return jobs.GetJobsResponse(job_info=infos)

    def Cancel(self, request, context):
        name = request.job_id.rpartition("_")[0]
        self.cancelled.append(name)
        self.states[name] = jobs.JobState.CANCELLED
        return jobs.CancelJobResponse(state=jobs.JobState.CANCELLED)


@pytest.fixture
def serve():
    """Serves a job server; gives its endpoint."""
    servers = []

    def start(servicer):
        server = grpc.server(UnboundedThreadPoolExecutor())
        job_services.add_JobServiceServicer_to_server(servicer, server)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        servers.append(server)
        return f"127.0.0.1:{port}"

    yield start
    for server in servers:
        server.stop(None).wait()


RUNNING, FAILED = jobs.JobState.RUNNING, jobs.JobState.FAILED


@pytest.mark.parametrize(
    ("states", "name", "cancelled"),
    [
        ({"scrubline-a": RUNNING, "scrubline-b": RUNNING}, "scrubline-a", ["scrubline-a"]),
        ({"scrubline-a": FAILED}, "scrubline-a", []),
        # A name of the user's own may be that of another run.
        ({"nightly": RUNNING}, "nightly", []),
    ],
)
def test_jobs_of_the_same_run_are_ended(serve, states, name, cancelled):
    server = _JobServer(states)
    engine_jobs.end_jobs((f"--job_endpoint={serve(server)}", f"--job_name={name}"))
    assert server.cancelled == cancelled


def test_a_server_that_cannot_tell_is_left_in_peace(serve, monkeypatch):
    server = _JobServer({"scrubline-a": RUNNING}, tells=False)
    engine_jobs.end_jobs((f"--job_endpoint={serve(server)}", "--job_name=scrubline-a"))
    monkeypatch.setattr(engine_jobs, "_ASK_SECONDS", 0.2)
    engine_jobs.end_jobs(("--job_endpoint=127.0.0.1:1", "--job_name=scrubline-a"))
    engine_jobs.end_jobs(())
    assert server.cancelled == []


def test_a_job_server_that_takes_a_job_and_does_not_answer_is_not_waited_for(serve, monkeypatch):
    class Silent(job_services.JobServiceServicer):
        asked, over = threading.Event(), threading.Event()

        def DescribePipelineOptions(self, request, context):
            return jobs.DescribePipelineOptionsResponse()

        def Prepare(self, request, context):
            self.asked.set()
            self.over.wait(GUARD_SECONDS)

    server = Silent()
    # A minute has passed as soon as the server was asked.
    clock = SimpleNamespace(monotonic=lambda: 60.0 * server.asked.is_set())
    monkeypatch.setattr(execute, "time", clock)
    options = ("--runner=PortableRunner", f"--job_endpoint={serve(server)}")
    pipeline = beam.Pipeline(options=PipelineOptions(list(options)))
    pipeline | beam.Create([1])
    try:
        with pytest.raises(execute.NothingDone, match="no unit was done for 2 s"):
            execute._sent(pipeline, options, 2.0)
    finally:
        server.over.set()


def test_one_run_into_two_outputs_is_two_jobs(frozen):
    job, options = frozen[0], ("--flink_master=here:8081",)
    names = {
        engine_jobs._named(dataclasses.replace(job, output=output), options)
        for output in ("/one", "/two", "/one")
    }
    assert len(names) == 2
    assert all(name[0].startswith(f"--job_name=scrubline-{job.run}-") for name in names)


def test_an_input_that_changed_is_told_as_such_by_an_engine():
    wrapped = "Traceback\nscrubline.models.core.errors.InputChanged: an input is another one\n"
    assert type(execute._ours(RuntimeError(wrapped))) is InputChanged
