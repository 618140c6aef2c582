"""moto's S3 server: a mock in a thread of the test's process, in memory. For most tests."""

from __future__ import annotations

import contextlib
import urllib.request
from collections.abc import Iterator

from ..waiting import GUARD_SECONDS
from .s3_server import S3Server, Unavailable


@contextlib.contextmanager
def s3_moto() -> Iterator[S3Server]:
    """Runs an empty server on a free port.

    All servers of one process share their buckets (moto keeps them in globals), and a new one
    empties them: do not nest them.

    Raises:
        Unavailable: if moto[server] is not installed.
    """
    try:
        from moto.server import ThreadedMotoServer
    except ImportError as error:
        raise Unavailable(f"moto[server] is not installed ({error.name})") from None
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        endpoint = f"http://{host}:{port}"
        reset = urllib.request.Request(f"{endpoint}/moto-api/reset", method="POST")
        with urllib.request.urlopen(reset, timeout=GUARD_SECONDS):
            yield S3Server(endpoint, "testing", "testing")
    finally:
        server.stop()
