"""Runs the application on uvicorn until a signal ends it."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ...models.core.errors import UsageError
from ...models.core.shortage import raise_shortage
from ...models.scrubber import Scrubber
from .app import make_app
from .settings import Settings
from .until_signal import serve_until_signal

_HEADER_BYTES = 16_384
_SPARE_CONNECTIONS = 16
"""Beside those that work or wait, so that one too many is told so."""
_GRACE_SECONDS = 10


def _protocol(seconds: float) -> type[H11Protocol]:
    """Uvicorn's, but a client that does not finish its headers in time is hung up on."""

    class PatientProtocol(H11Protocol):
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._patience = self.loop.call_later(seconds, self._hang_up)

        def connection_lost(self, exc: Exception | None) -> None:
            self._patience.cancel()
            super().connection_lost(exc)

        def _hang_up(self) -> None:
            if self.cycle is None:  # else the application sees to the time
                self.transport.close()

    return PatientProtocol


def serve(settings: Settings, scrubber: Scrubber, ready: Callable[[str], None]) -> None:
    """Serves until SIGTERM, SIGINT or SIGHUP; requests at work are answered first.

    Args:
        ready: called with the URL once connections are taken.

    Raises:
        UsageError: if the address or the TLS files cannot be used.
    """
    try:
        family = socket.AF_INET6 if ":" in settings.listen else socket.AF_INET
        listener = socket.create_server((settings.listen, settings.port), family=family)
    except OSError as error:
        raise UsageError(
            f"the server cannot listen there ({type(error).__name__}: errno {error.errno}): is the "
            "port in use? See --port and --listen"
        ) from None
    with listener:
        app = make_app(settings, scrubber)
        config = uvicorn.Config(
            app,
            http=_protocol(settings.max_seconds),
            loop="asyncio",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            limit_concurrency=settings.threads + settings.max_waiting + _SPARE_CONNECTIONS,
            h11_max_incomplete_event_size=_HEADER_BYTES,
            timeout_graceful_shutdown=_GRACE_SECONDS,
            ssl_certfile=settings.tls_cert or None,
            ssl_keyfile=settings.tls_key or None,
        )
        try:
            config.load()
        except OSError as error:
            raise_shortage(error)
            raise UsageError(
                f"--tls-cert or --tls-key cannot be used ({type(error).__name__})"
            ) from None
        kind = "https" if settings.tls_cert else "http"
        host = f"[{settings.listen}]" if ":" in settings.listen else settings.listen
        url = f"{kind}://{host}:{listener.getsockname()[1]}"
        serve_until_signal(config, listener, ready=lambda: ready(url))
        app.state.pool.close()
