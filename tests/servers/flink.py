"""A Flink session cluster on loopback: job manager, one task manager, and Beam's job server.

Flink's own scripts are in no package, so its processes are started as those do it.
"""

import contextlib
import json
import os
import time
import urllib.request

from .beam import SECONDS, free_port, started, wait_for_port
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
io.tmp.dirs: {folder}
"""


@contextlib.contextmanager
def flink(folder, slots=2):
    """Runs the cluster and the job server; gives options for `--runner flink`.

    Raises:
        NotInstalled: see `engines`.
    """
    jar = place_of("flink")
    rest, rpc, jobs = free_port(), free_port(), free_port()
    (folder / "conf").mkdir()
    (folder / "conf/flink-conf.yaml").write_text(
        CONFIGURATION.format(rest=rest, rpc=rpc, slots=slots, folder=folder)
    )
    # As on any cluster of Flink: Beam's classes come with the job, and must not be there twice.
    jars = [one for one in sorted(jar.parent.glob("lib/*.jar")) if not one.name.startswith("beam-")]
    java = (
        *("java", "-Xmx512m"),
        *(f"--add-opens={package}=ALL-UNNAMED" for package in OPENS),
        *("-cp", os.pathsep.join(map(str, jars))),
    )
    conf = ("--configDir", str(folder / "conf"))
    with (
        started(folder / "jobmanager.log", *java, ENTRY, *conf) as manager,
        started(folder / "taskmanager.log", *java, TASKS, *conf) as tasks,
        started(
            folder / "jobserver.log",
            *("java", "-Xmx512m", "-jar", str(jar), f"--flink-master=127.0.0.1:{rest}"),
            *(f"--job-port={jobs}", "--artifact-port=0", "--expansion-port=0"),
            f"--artifacts-dir={folder / 'artifacts'}",
        ) as server,
    ):
        wait_for_slots((manager, tasks), rest, slots)
        wait_for_port(server, jobs)
        # The job names the cluster again: without it the job server runs the job inside of itself,
        # whatever master it was started with.
        yield (
            f"--job_endpoint=localhost:{jobs}",
            f"--flink_master=127.0.0.1:{rest}",
            f"--parallelism={slots}",
        )


def finished_jobs(options):
    """How many jobs a cluster has finished, from the options that `flink` gave."""
    master = next(one for one in options if one.startswith("--flink_master=")).partition("=")[2]
    return overview(master)["jobs-finished"]


def overview(address):
    with urllib.request.urlopen(f"http://{address}/overview", timeout=5) as answer:
        return json.load(answer)


def wait_for_slots(processes, port, slots):
    """Waits until the task manager has told the job manager of itself."""
    end = time.monotonic() + SECONDS
    while True:
        assert all(process.poll() is None for process in processes), "Flink ended early"
        assert time.monotonic() < end, "Flink is not ready"
        with contextlib.suppress(OSError):
            if overview(f"127.0.0.1:{port}")["slots-total"] == slots:
                return
        time.sleep(0.2)
