"""Beam's own job server and worker pool in Python, on loopback: real Job and Fn APIs."""

import contextlib
import os
import socket
import subprocess
import sys
from pathlib import Path

from ..waiting import wait_until


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for_port(process, port):
    def listens():
        assert process.poll() is None, "the server ended before it listened"
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return True

    wait_until(listens, "the server listens")


def start(log, *command, **environment):
    """Starts a server as a child process; all that it says goes to the end of the file `log`."""
    # The worker pool starts its workers as a bare `python`.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    with log.open("ab") as stream:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            env=os.environ | {"PATH": path} | environment,
        )


def stop(process):
    """Ends a server."""
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextlib.contextmanager
def started(log, *command, **environment):
    """A server while it is needed; see `start`."""
    process = start(log, *command, **environment)
    try:
        yield process
    finally:
        stop(process)


def server(log, module, *arguments, **environment):
    """A Beam server in Python."""
    return started(log, sys.executable, "-m", module, *arguments, **environment)


@contextlib.contextmanager
def logs_shown(folder):
    """Prints the ends of all logs in a folder if what is done meanwhile fails."""
    try:
        yield
    except BaseException:
        for log in sorted(folder.glob("*.log")):
            print(f"-- the end of {log.name}:\n{log.read_text(errors='replace')[-4000:]}")
        raise


@contextlib.contextmanager
def worker_pool(folder, **environment):
    """Beam's pool of Python workers; gives the options that send a job's work there.

    Args:
        environment: variables that the pool and its workers have beside those of this process.
    """
    port = free_port()
    with server(
        folder / "pool.log",
        "apache_beam.runners.worker.worker_pool_main",
        f"--service_port={port}",
        **environment,
    ) as process:
        wait_for_port(process, port)
        yield "--environment_type=EXTERNAL", f"--environment_config=localhost:{port}"


@contextlib.contextmanager
def beam_servers(folder):
    """Job server and worker pool, started together: each imports Beam for seconds."""
    jobs, pool = free_port(), free_port()
    with (
        server(
            folder / "jobs.log",
            "apache_beam.runners.portability.local_job_service_main",
            f"--port={jobs}",
            f"--staging_dir={folder / 'staging'}",
        ) as first,
        server(
            folder / "pool.log",
            "apache_beam.runners.worker.worker_pool_main",
            f"--service_port={pool}",
        ) as second,
    ):
        wait_for_port(first, jobs)
        wait_for_port(second, pool)
        yield {
            "folder": folder,
            "LOOPBACK": (f"--job_endpoint=localhost:{jobs}", "--environment_type=LOOPBACK"),
            "EXTERNAL": (
                f"--job_endpoint=localhost:{jobs}",
                "--environment_type=EXTERNAL",
                f"--environment_config=localhost:{pool}",
            ),
        }
