"""Azurite: Azure's Blob service on loopback, one process in Node.js, on disk."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .beam import free_port, started, wait_for_port
from .engines import NotInstalled
from .stores import place_of, unavailable

CONTAINER = "scrubline"
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
"""The account and key that the documentation of Azurite gives to everyone."""


@dataclasses.dataclass(frozen=True)
class AzureServer:
    """A server on loopback with one empty container, `CONTAINER`.

    Attributes:
        connection: what adlfs needs to find it.
        pid: of its process.
    """

    connection: str
    pid: int

    def environment(self) -> dict[str, str]:
        """Environment variables by which adlfs finds the server, in child processes too."""
        return {"AZURE_STORAGE_CONNECTION_STRING": self.connection}


@contextlib.contextmanager
def azure() -> Iterator[AzureServer]:
    """Runs a server on a free port.

    Raises:
        Unavailable: if it, or adlfs, is not installed.
    """
    if importlib.util.find_spec("adlfs") is None:
        raise unavailable("azure", "adlfs is not installed")
    try:
        program = place_of("azure")
    except NotInstalled as error:
        raise unavailable("azure", str(error)) from None
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="scrubline-azure-") as folder:
        # The client is often newer than the versions of the API that the server lists.
        command = ["node", str(program), "--silent", "--skipApiVersionCheck", "--disableTelemetry"]
        command += ["--blobHost=127.0.0.1", f"--blobPort={port}", f"--location={folder}/data"]
        with started(Path(folder) / "log", *command) as process:
            wait_for_port(process, port)
            connection = (
                f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={KEY};"
                f"BlobEndpoint=http://127.0.0.1:{port}/{ACCOUNT};"
            )
            _make_container(connection)
            yield AzureServer(connection, process.pid)


def _make_container(connection: str) -> None:
    from azure.storage.blob import ContainerClient

    with ContainerClient.from_connection_string(connection, CONTAINER) as client:
        client.create_container()
