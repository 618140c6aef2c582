"""Prism on loopback: Beam's own engine, one process in Go."""

import contextlib

from .beam import free_port, started, wait_for_port
from .engines import place_of


@contextlib.contextmanager
def prism(folder):
    """Runs Prism; gives options for `--runner prism`.

    Raises:
        NotInstalled: see `engines`.
    """
    port = free_port()
    command = (str(place_of("prism")), f"--job_port={port}", "--serve_http=false")
    with started(folder / "prism.log", *command, "--log_kind=text") as process:
        wait_for_port(process, port)
        yield (f"--job_endpoint=localhost:{port}",)
