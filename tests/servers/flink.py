"""A Flink session cluster on loopback: job manager, one task manager, and Beam's job server.

Flink's own scripts are in no package, so its processes are started as those do it.
"""

import contextlib
import json
import os
import threading
import urllib.request

from ..waiting import GUARD_SECONDS, wait_until
from .beam import free_port, start, stop, wait_for_port
from .engines import OPENS, place_of

ENTRY = "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint"
TASKS = "org.apache.flink.runtime.taskexecutor.TaskManagerRunner"

# Sizes must be said, as no script reckons them. What waits for a slot does not wait for minutes.
CONFIGURATION = """
jobmanager.rpc.address: 127.0.0.1
jobmanager.rpc.port: {rpc}
jobmanager.bind-host: 127.0.0.1
jobmanager.memory.process.size: 900m
rest.address: 127.0.0.1
rest.bind-address: 127.0.0.1
rest.port: {rest}
rest.bind-port: {rest}
taskmanager.host: 127.0.0.1
taskmanager.bind-host: 127.0.0.1
taskmanager.rpc.port: 0
taskmanager.numberOfTaskSlots: {slots}
taskmanager.cpu.cores: {slots}
taskmanager.memory.task.heap.size: 256m
taskmanager.memory.task.off-heap.size: 0m
taskmanager.memory.managed.size: 128m
taskmanager.memory.network.min: 64m
taskmanager.memory.network.max: 64m
taskmanager.memory.framework.heap.size: 128m
taskmanager.memory.framework.off-heap.size: 128m
taskmanager.memory.jvm-metaspace.size: 256m
taskmanager.memory.jvm-overhead.min: 64m
taskmanager.memory.jvm-overhead.max: 64m
slot.request.timeout: 60000
task.cancellation.timeout: 20000
heartbeat.interval: 2000
heartbeat.timeout: 20000
io.tmp.dirs: {folder}
"""


class FlinkCluster:
    """Three processes on loopback, each of which may be killed and started again.

    Attributes:
        options: for `--runner flink`.
        processes: "job manager", "task manager" and "job server" -> what runs.
    """

    def __init__(self, folder, slots=2):
        """Starts nothing yet.

        Raises:
            NotInstalled: see `engines`.
        """
        jar = place_of("flink")
        self.slots, self.rest, self.port = slots, free_port(), free_port()
        (folder / "conf").mkdir()
        (folder / "conf/flink-conf.yaml").write_text(
            CONFIGURATION.format(rest=self.rest, rpc=free_port(), slots=slots, folder=folder)
        )
        # As on any cluster of Flink: Beam's classes come with the job, and must not be there twice.
        jars = [
            one for one in sorted(jar.parent.glob("lib/*.jar")) if not one.name.startswith("beam-")
        ]
        java = (
            *("java", "-Xmx512m"),
            *(f"--add-opens={package}=ALL-UNNAMED" for package in OPENS),
            *("-cp", os.pathsep.join(map(str, jars))),
        )
        conf = ("--configDir", str(folder / "conf"))
        self._folder, self._lock = folder, threading.Lock()
        self._commands = {
            "job manager": (*java, ENTRY, *conf),
            "task manager": (*java, TASKS, *conf),
            "job server": (
                *("java", "-Xmx512m", "-jar", str(jar), f"--flink-master=127.0.0.1:{self.rest}"),
                *(f"--job-port={self.port}", "--artifact-port=0", "--expansion-port=0"),
                f"--artifacts-dir={folder / 'artifacts'}",
            ),
        }
        self.processes = {}
        # The job names the cluster again: without it the job server runs the job inside of itself,
        # whatever master it was started with.
        self.options = (
            f"--job_endpoint=localhost:{self.port}",
            f"--flink_master=127.0.0.1:{self.rest}",
            f"--parallelism={slots}",
        )

    def start(self):
        """Starts what does not run, and waits until all of it can take a job."""
        self.revive()
        wait_for_slots(self.rest, self.slots)
        wait_for_port(self.processes["job server"], self.port)

    def revive(self):
        """Starts what does not run, as whoever runs a cluster does."""
        with self._lock:
            for name, command in self._commands.items():
                if name not in self.processes or self.processes[name].poll() is not None:
                    self.processes[name] = start(self._folder / f"{name}.log", *command)

    def stop(self):
        for process in reversed(self.processes.values()):
            stop(process)


@contextlib.contextmanager
def flink_cluster(folder, slots=2):
    """A running cluster, of which what ends is started again."""
    cluster, over = FlinkCluster(folder, slots), threading.Event()

    def keep():
        while not over.wait(1.0):
            cluster.revive()

    keeper = threading.Thread(target=keep, daemon=True)
    try:
        cluster.start()
        keeper.start()
        yield cluster
    finally:
        over.set()
        if keeper.is_alive():
            keeper.join()
        cluster.stop()


@contextlib.contextmanager
def flink(folder, slots=2):
    """Runs the cluster and the job server; gives options for `--runner flink`.

    Raises:
        NotInstalled: see `engines`.
    """
    with flink_cluster(folder, slots) as cluster:
        yield cluster.options


def finished_jobs(options):
    """How many jobs a cluster has finished, from the options that `flink` gave."""
    master = next(one for one in options if one.startswith("--flink_master=")).partition("=")[2]
    return overview(master)["jobs-finished"]


def overview(address):
    with urllib.request.urlopen(f"http://{address}/overview", timeout=GUARD_SECONDS) as answer:
        return json.load(answer)


def wait_for_slots(port, slots):
    """Waits until the task manager has told the job manager of itself."""

    def told():
        with contextlib.suppress(OSError):
            return overview(f"127.0.0.1:{port}")["slots-total"] == slots

    wait_until(told, "Flink is ready")
