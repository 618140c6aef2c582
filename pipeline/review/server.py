"""Runs the review on uvicorn, on loopback alone, until a signal ends it."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn

from ...models.core.errors import UsageError
from ...models.core.shortage import raise_shortage
from ..serving.until_signal import serve_until_signal
from .app import make_review_app
from .panel import ReviewPanel
from .sessions import Sessions

LOOPBACK = "127.0.0.1"
_TICK_SECONDS = 1.0
_GRACE_SECONDS = 5
_MOST_CONNECTIONS = 32


def serve_review(panel: ReviewPanel, port: int, say_link: Callable[[str], None]) -> None:
    """Serves until SIGTERM, SIGINT or SIGHUP.

    Args:
        port: 0 lets the system choose.
        say_link: called with each link: once connections are taken, and where a session has ended.

    Raises:
        UsageError: if the port cannot be used.
    """
    try:
        listener = socket.create_server((LOOPBACK, port))
    except (OSError, OverflowError) as error:
        raise_shortage(error)
        raise UsageError(
            f"the review cannot listen there ({type(error).__name__}): is the port in use? See "
            "--port"
        ) from None
    with listener:
        bound = listener.getsockname()[1]
        sessions = Sessions(
            lambda token: say_link(f"http://{LOOPBACK}:{bound}/#{token}"), panel.desk.output.forget
        )
        config = uvicorn.Config(
            make_review_app(panel, sessions, bound),
            loop="asyncio",
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            limit_concurrency=_MOST_CONNECTIONS,
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
        serve_until_signal(
            config,
            listener,
            ready=sessions.new_link,
            tick=sessions.end_if_idle,
            tick_seconds=_TICK_SECONDS,
        )
