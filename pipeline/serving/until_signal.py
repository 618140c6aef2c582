"""An application on uvicorn, served until a signal ends it."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable, Iterator

import uvicorn

from ...models.core.heartbeat import record_heartbeat


class SignalledServer(uvicorn.Server):
    """Uvicorn's, which leaves signals to `serve_until_signal`."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Captures none."""
        yield


def serve_until_signal(
    config: uvicorn.Config,
    listener: socket.socket,
    *,
    ready: Callable[[], None],
    tick: Callable[[], None] = lambda: None,
    tick_seconds: float = 5.0,
) -> None:
    """Serves until SIGTERM, SIGINT or SIGHUP; requests at work are answered first.

    Args:
        config: of the server.
        listener: bound already.
        ready: called once, when connections are taken.
        tick: called then, and every `tick_seconds`, with a heartbeat: waiting is a server's work.
    """
    asyncio.run(_serve(SignalledServer(config), listener, ready, tick, tick_seconds))


async def _serve(
    server: SignalledServer,
    listener: socket.socket,
    ready: Callable[[], None],
    tick: Callable[[], None],
    tick_seconds: float,
) -> None:
    loop = asyncio.get_running_loop()

    def stop() -> None:
        server.should_exit = True

    async def beat() -> None:
        while not server.started:
            await asyncio.sleep(0.01)
        ready()
        while True:
            record_heartbeat()
            tick()
            await asyncio.sleep(tick_seconds)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, stop)
    beats = asyncio.create_task(beat())
    await server.serve(sockets=[listener])
    beats.cancel()
