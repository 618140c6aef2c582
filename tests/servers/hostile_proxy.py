"""A proxy on loopback that spoils some of the requests to a store, as networks and stores do."""

from __future__ import annotations

import contextlib
import enum
import http.client
import random
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from ..waiting import GUARD_SECONDS

_HOPS = frozenset({"connection", "keep-alive", "transfer-encoding", "te", "upgrade", "expect"})
_SLOW_DOWN = b"<?xml version='1.0'?><Error><Code>SlowDown</Code><Message>slower</Message></Error>"


class Fault(enum.Enum):
    """What becomes of a request.

    THROTTLED: 503, and the store never sees it.
    FAILED: it is done, and the answer is 500.
    LOST: the connection is closed when half of what is sent was taken; the store never sees it.
    CUT: it is done, and the connection is closed after half of the answer's body.
    SHORT: a lie: half of a range is given as if it were all of it.
    STALLED: it is done, and the answer never comes: the client has to hang up.
    """

    THROTTLED = enum.auto()
    FAILED = enum.auto()
    LOST = enum.auto()
    CUT = enum.auto()
    SHORT = enum.auto()
    STALLED = enum.auto()


class HostileProxy:
    """A running proxy.

    Attributes:
        endpoint: URL to use in the place of the store's.
        faults: of which one is drawn for a request that is to be spoiled.
        share: of requests that are.
        spoiled: how often each fault was done.
    """

    def __init__(self, store: str, seed: int) -> None:
        self.endpoint = ""
        self.faults: tuple[Fault, ...] = ()
        self.share = 0.0
        self.spoiled: Counter[Fault] = Counter()
        self._store = urlsplit(store)
        self._chance = random.Random(seed)
        self._lock = threading.Lock()

    def draw(self, method: str, sent: int) -> Fault | None:
        """What is to become of a request."""
        with self._lock:
            if not self.faults or self._chance.random() >= self.share:
                return None
            fault = self._chance.choice(self.faults)
            self.spoiled[fault] += 1
            return fault

    def ask(
        self, method: str, path: str, headers: list[tuple[str, str]], body: bytes
    ) -> tuple[int, str, list[tuple[str, str]], bytes]:
        """The store's answer."""
        store = http.client.HTTPConnection(
            self._store.hostname or "", self._store.port, timeout=GUARD_SECONDS
        )
        with contextlib.closing(store):
            store.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in headers:
                store.putheader(name, value)
            store.endheaders(body or None)
            answer = store.getresponse()
            return answer.status, answer.reason, answer.getheaders(), answer.read()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    proxy: HostileProxy

    def _spoil(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        fault = self.proxy.draw(self.command, size)
        if fault is Fault.LOST:
            self.rfile.read(size // 2)
            self._hang_up()
            return
        body = self.rfile.read(size)
        if fault is Fault.THROTTLED:
            self._answer(503, "Slow Down", [("Content-Type", "application/xml")], _SLOW_DOWN)
            return
        sent = [(name, value) for name, value in self.headers.items() if name.lower() not in _HOPS]
        status, reason, headers, content = self.proxy.ask(self.command, self.path, sent, body)
        if fault is Fault.STALLED:
            self.connection.settimeout(GUARD_SECONDS)
            self.rfile.read(1)  # ends when the client has hung up
            self._hang_up()
        elif fault is Fault.FAILED:
            self._answer(500, "Internal Error", [], b"")
        elif fault is Fault.CUT and len(content) > 1:
            self._answer(status, reason, headers, content, give=len(content) // 2)
            self._hang_up()
        elif fault is Fault.SHORT and status == 206 and len(content) > 1:
            self._answer(status, reason, headers, content[: len(content) // 2])
        else:
            self._answer(status, reason, headers, content)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = _spoil

    def _answer(
        self,
        status: int,
        reason: str,
        headers: list[tuple[str, str]],
        content: bytes,
        give: int | None = None,
    ) -> None:
        self.send_response_only(status, reason)
        for name, value in headers:
            if name.lower() not in _HOPS and (name.lower() != "content-length"):
                self.send_header(name, value)
        told = dict((name.lower(), value) for name, value in headers)
        of_head = told.get("content-length", "0") if self.command == "HEAD" else None
        self.send_header("Content-Length", of_head or str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content[:give])

    def _hang_up(self) -> None:
        self.wfile.flush()
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@contextlib.contextmanager
def hostile_proxy(store: str, seed: int = 7) -> Iterator[HostileProxy]:
    """Runs a proxy before a store's endpoint; it spoils nothing until it is told to."""
    proxy = HostileProxy(store, seed)
    handler = type("Handler", (_Handler,), {"proxy": proxy})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    # A client that hangs up is no fault of ours.
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    proxy.endpoint = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
