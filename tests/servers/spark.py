"""Beam's Spark job server on loopback, with a Spark of two threads inside."""

import contextlib

from .beam import free_port, started, wait_for_port
from .engines import place_of


@contextlib.contextmanager
def spark(folder):
    """Runs the job server; gives options for `--runner spark`.

    Raises:
        NotInstalled: see `engines`.
    """
    port = free_port()
    command = (
        # By this variable alone Spark listens nowhere else.
        *(
            "env",
            "SPARK_LOCAL_IP=127.0.0.1",
            "java",
            "-Xmx1g",
            "-Dspark.ui.enabled=false",
            "-Dspark.driver.bindAddress=127.0.0.1",
        ),
        *("-Dspark.driver.host=127.0.0.1", f"-Dspark.local.dir={folder}"),
        *("-jar", str(place_of("spark")), "--spark-master-url=local[2]", f"--job-port={port}"),
        *("--artifact-port=0", "--expansion-port=0", f"--artifacts-dir={folder / 'artifacts'}"),
    )
    with started(folder / "spark.log", *command) as process:
        wait_for_port(process, port)
        yield (f"--job_endpoint=localhost:{port}",)
