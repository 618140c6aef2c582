"""A server that waits for a signal: it says that it is up, beats, and ends."""

import os
import signal
import socket

import pytest

pytest.importorskip("uvicorn", reason="the extra serve is not installed")

import uvicorn
from scrubline.pipeline.serving.until_signal import serve_until_signal


async def hello(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"hello"})


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_once_it_is_up(number):
    said = []

    def tick():
        said.append("tick")
        if said.count("tick") == 3:
            os.kill(os.getpid(), number)

    config = uvicorn.Config(hello, lifespan="off", log_config=None)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        serve_until_signal(
            config, listener, ready=lambda: said.append("ready"), tick=tick, tick_seconds=0.01
        )
    assert said[:4] == ["ready", "tick", "tick", "tick"]
