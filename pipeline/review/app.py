"""The application: what is checked of a request before anything of it is read, and what answers.

In this order: client, Host, Origin, session, kind and size of the body. It logs nothing but the
class of an error that nobody expected.
"""

from __future__ import annotations

import asyncio
import importlib.resources
import json
import logging
import threading
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from ...models.core.errors import error_class
from .panel import ReviewPanel
from .refusals import DeskRefusal
from .sessions import HEADERS, Sessions, bearer, check_origin

_log = logging.getLogger(__name__)

MOST_BYTES = 4_000_000
_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
}
"""Ending of a static file -> its media type; no other file is given."""

Handler = Callable[[Request], Awaitable[Response]]


def make_review_app(panel: ReviewPanel, sessions: Sessions, port: int) -> Starlette:
    """The application.

    Args:
        panel: what answers.
        sessions: who is admitted.
        port: by which it is called.
    """
    lock = threading.Lock()

    def guarded(answer: Handler, *, is_api: bool) -> Handler:
        async def handle(request: Request) -> Response:
            try:
                host = request.client.host if request.client else None
                hosts = request.headers.getlist("host")
                check_origin(dict(request.headers), hosts, port, host, is_api=is_api)
                return await answer(request)
            except DeskRefusal as refused:
                return _json(refused.as_json(), refused.status)
            except ClientDisconnect:
                return Response(status_code=400)
            except Exception as error:  # fail closed: no text leaves, and no traceback
                _log.error("a request failed: %s", error_class(error))
                return _json({"error": "Failed", "message": "see the log of the server"}, 500)

        return handle

    async def begin(request: Request) -> Response:
        said = await _body(request)
        session = sessions.begin(str(said.get("token", "")))
        return _json({"session": session, **panel.about()})

    async def lock_now(request: Request) -> Response:
        sessions.admit(bearer(request.headers))
        sessions.lock()
        return _json({})

    def asked(method: str) -> Handler:
        async def answer(request: Request) -> Response:
            sessions.admit(bearer(request.headers))
            said = {} if request.method == "GET" else await _body(request)
            path, query = dict(request.path_params), dict(request.query_params)
            match = request.headers.get("if-match", "")

            def work() -> Any:
                with lock:
                    return panel.answer(request.method, method, path, query, said, match)

            status, found = await run_in_threadpool(work)
            return _json(found, status)

        return answer

    routes = [
        Route("/", guarded(_page, is_api=False), methods=["GET"]),
        Route("/static/{name}", guarded(_static, is_api=False), methods=["GET"]),
        Route("/api/session", guarded(begin, is_api=True), methods=["POST"]),
        Route("/api/lock", guarded(lock_now, is_api=True), methods=["POST"]),
        *(
            Route(f"/api/{path}", guarded(asked(name), is_api=True), methods=methods)
            for path, name, methods in panel.ROUTES
        ),
        Route("/{path:path}", guarded(_unknown, is_api=True), methods=_METHODS),
    ]
    app = Starlette(routes=routes)
    app.router.redirect_slashes = False
    return app


_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


async def _unknown(request: Request) -> Response:
    raise DeskRefusal(404, "NotFound", "there is no such address")


async def _page(request: Request) -> Response:
    return _file("index.html")


async def _static(request: Request) -> Response:
    return _file(request.path_params["name"])


def _file(name: str) -> Response:
    kind = _KINDS.get(name[name.rfind(".") :]) if "." in name else None
    found = importlib.resources.files(__package__).joinpath("static", name)
    if kind is None or "/" in name or name.startswith(".") or len(name) > 64 or not found.is_file():
        raise DeskRefusal(404, "NotFound", "there is no such file")
    return Response(found.read_bytes(), 200, HEADERS, media_type=kind)


def _json(value: Any, status: int = 200) -> Response:
    # In ASCII: half of a pair, as of an emoji that was cut in a comment, has no UTF-8.
    content = json.dumps(value, allow_nan=False).encode()
    return Response(content, status, HEADERS, media_type="application/json")


async def _body(request: Request) -> dict[str, Any]:
    """The object in a body, read no further than it may be long; nothing for none.

    Raises:
        DeskRefusal: if it is something else.
    """
    pieces, size = [], 0
    try:
        async with asyncio.timeout(30):
            async for piece in request.stream():
                size += len(piece)
                if size > MOST_BYTES:
                    raise DeskRefusal(413, "TooLong", f"at most {MOST_BYTES} bytes in a request")
                pieces.append(piece)
    except TimeoutError:
        raise DeskRefusal(408, "TooSlow", "the body of the request did not come") from None
    content = b"".join(pieces)
    if not content:
        return {}
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise DeskRefusal(415, "BadType", "send Content-Type: application/json")
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise DeskRefusal(400, "BadJson", "the body is no object of JSON")
    return found
