"""The application: what is checked of a request before anything of it is read, and what answers.

In this order: Host, Origin, token, path and method, kind and size of the body. It logs its own
words only: neither texts nor paths, which a client may have filled with anything.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from ...models.core.errors import error_class
from ...models.core.version import VERSION
from ...models.scrubber import Scrubber
from .messages import Refused, answer, read_request
from .pool import Busy, ScrubberPool
from .settings import Settings

_log = logging.getLogger(__name__)

_HEADERS = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'",
    # One request a connection: no client holds one that it does not use.
    "connection": "close",
}


def make_app(settings: Settings, scrubber: Scrubber) -> Starlette:
    """The application.

    Args:
        settings: limits, names and the token.
        scrubber: opened; others of it are made for more threads.
    """
    pool = ScrubberPool(scrubber, settings.threads, settings.max_waiting)
    about = {
        "status": "ok",
        "version": VERSION,
        "policy": scrubber.policy.name,
        "models": {detector.name: detector.hash for detector in scrubber.detectors},
    }

    async def scrub(request: Request) -> tuple[int, dict[str, Any]]:
        asked = read_request(await _body(request, settings), settings.max_texts)
        try:
            found = await pool.scrub(asked.texts, asked.note_types, asked.markup)
        except Busy:
            raise Refused(503, "Busy", "too many requests wait: try again later") from None
        return answer(asked, found)

    async def health(request: Request) -> tuple[int, dict[str, Any]]:
        return 200, about

    answers = {("/scrub", "POST"): scrub, ("/health", "GET"): health}

    async def handle(request: Request) -> Response:
        began = time.monotonic()
        path, method = request.url.path, request.method
        try:
            async with asyncio.timeout(settings.max_seconds):
                _admit(request, settings)
                if path not in {known for known, _ in answers}:
                    raise Refused(404, "NotFound", "there are POST /scrub and GET /health")
                if (path, method) not in answers:
                    raise Refused(405, "BadMethod", "there are POST /scrub and GET /health")
                status, body = await answers[path, method](request)
        except Refused as refused:
            status, body = refused.status, refused.as_json()
        except TimeoutError:
            status, body = 503, {"error": "TimeOut", "message": "the request took too long"}
        except ClientDisconnect:
            return Response(status_code=400)
        except Exception as error:  # fail closed: no text leaves, and no traceback
            status, body = 500, {"error": "Failed", "message": "see the log of the server"}
            _log.error("a request failed: %s", error_class(error))
        _log.info("answered %d after %d ms", status, 1000 * (time.monotonic() - began))
        content = json.dumps(body, ensure_ascii=False).encode()
        return Response(content, status, _HEADERS, media_type="application/json")

    methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]
    app = Starlette(routes=[Route("/{path:path}", handle, methods=methods)])
    app.router.redirect_slashes = False
    app.state.pool = pool
    return app


def _admit(request: Request, settings: Settings) -> None:
    """Refuses whoever is not meant: by a name that is not ours, out of a browser, without token."""
    host = request.headers.get("host", "").lower()
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    if len(request.headers.getlist("host")) != 1 or name not in settings.names:
        raise Refused(421, "BadHost", "the server is not called by this name: see --host-name")
    # No page of a browser may use it: there is no CORS, and what a page sends all the same is not
    # looked at. Programs send no Origin.
    if "origin" in request.headers or request.headers.get("sec-fetch-site", "none") != "none":
        raise Refused(403, "BadOrigin", "requests of web pages are refused")
    kind, _, given = request.headers.get("authorization", "").partition(" ")
    token = given.strip().encode("utf-8", "surrogateescape")
    if kind.lower() != "bearer" or not settings.is_token(token):
        raise Refused(401, "BadToken", "send the header Authorization: Bearer TOKEN")


async def _body(request: Request, settings: Settings) -> bytes:
    """The body, read no further than it may be long."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(415, "BadType", "send Content-Type: application/json")
    too_long = Refused(413, "TooLong", f"at most {settings.max_bytes} bytes in a request")
    said = request.headers.get("content-length", "0")
    if not said.isdecimal() or int(said) > settings.max_bytes:
        raise too_long
    pieces, size = [], 0
    async for piece in request.stream():
        size += len(piece)
        if size > settings.max_bytes:
            raise too_long
        pieces.append(piece)
    return b"".join(pieces)
