"""fake-gcs-server: Google Cloud Storage's JSON API on loopback, one process in Go, in memory."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import json
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from ..waiting import GUARD_SECONDS
from .beam import free_port, started, wait_for_port
from .engines import NotInstalled
from .stores import place_of, unavailable

BUCKET = "scrubline"


@dataclasses.dataclass(frozen=True)
class GoogleServer:
    """A server on loopback with one empty bucket, `BUCKET`.

    Attributes:
        endpoint: URL.
        pid: of its process.
    """

    endpoint: str
    pid: int

    def environment(self) -> dict[str, str]:
        """Environment variables by which gcsfs finds the server, in child processes too."""
        return {
            "STORAGE_EMULATOR_HOST": self.endpoint,
            "FSSPEC_GS_TOKEN": "anon",
            "FSSPEC_GCS_TOKEN": "anon",
            "NO_GCE_CHECK": "true",
            # It asks for the kind of a bucket by gRPC, which the server does not speak.
            "GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT": "false",
        }


@contextlib.contextmanager
def gcs() -> Iterator[GoogleServer]:
    """Runs a server on a free port.

    Raises:
        Unavailable: if it, or gcsfs, is not installed.
    """
    if importlib.util.find_spec("gcsfs") is None:
        raise unavailable("gcs", "gcsfs is not installed")
    try:
        program = place_of("gcs")
    except NotInstalled as error:
        raise unavailable("gcs", str(error)) from None
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="scrubline-gcs-") as folder:
        command = [str(program), "-backend=memory", "-scheme=http", "-host=127.0.0.1"]
        command += [f"-port={port}", f"-public-host=127.0.0.1:{port}", "-log-level=warn"]
        with started(Path(folder) / "log", *command) as process:
            wait_for_port(process, port)
            endpoint = f"http://127.0.0.1:{port}"
            make = urllib.request.Request(
                f"{endpoint}/storage/v1/b?project=test",
                json.dumps({"name": BUCKET}).encode(),
                {"Content-Type": "application/json"},
            )
            with urllib.request.urlopen(make, timeout=GUARD_SECONDS):
                yield GoogleServer(endpoint, process.pid)
