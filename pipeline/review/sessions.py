"""Who is admitted: whoever brings the link that was printed, once; then the session that it opened.

No cookie is set: cookies are not told apart by port (RFC 6265, section 8.5), and a browser sends
nothing unasked, so that no other page can act in the reader's name.
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable, Mapping

from .refusals import DeskRefusal

IDLE_SECONDS = 15 * 60

HEADERS: Mapping[str, str] = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
"""Of every answer."""

_LOOPBACK = ("127.0.0.1", "::1")


class Sessions:
    """The one session of a server, and the link that opens the next one.

    Attributes:
        on_link: called with the token of each link.
        on_lock: called where a session ends.
    """

    def __init__(
        self,
        on_link: Callable[[str], None] = lambda token: None,
        on_lock: Callable[[], None] = lambda: None,
        *,
        idle_seconds: float = IDLE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._idle_seconds, self._clock = idle_seconds, clock
        self._session: str | None = None
        self._link: str | None = None
        self._used = 0.0
        self.on_link, self.on_lock = on_link, on_lock

    def new_link(self) -> str:
        """Makes a link that opens one session; the one before is void."""
        self._link = secrets.token_urlsafe(32)
        self.on_link(self._link)
        return self._link

    def begin(self, link: str) -> str:
        """The session that a link opens.

        Raises:
            DeskRefusal: if it is not the link, or was used.
        """
        if self._link is None or not _equal(link, self._link):
            raise DeskRefusal(403, "BadLink", "the link is another one, or was used: ask for a new")
        self._link = None
        self._session = secrets.token_urlsafe(32)
        self._used = self._clock()
        return self._session

    def admit(self, session: str) -> None:
        """Lets a request of the session pass, and takes the reader to be there.

        Raises:
            DeskRefusal: if it is none, or has ended.
        """
        self.end_if_idle()
        if self._session is None or not _equal(session, self._session):
            raise DeskRefusal(401, "Locked", "there is no such session: ask for a new link")
        self._used = self._clock()

    def end_if_idle(self) -> None:
        """Ends the session of a reader who has gone."""
        if self._session is not None and self._clock() - self._used >= self._idle_seconds:
            self.lock()

    def lock(self) -> None:
        """Ends the session and makes another link."""
        self._session = None
        self.on_lock()
        self.new_link()


def _equal(given: str, known: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), known.encode())


def check_origin(
    headers: Mapping[str, str], hosts: list[str], port: int, client: str | None, *, is_api: bool
) -> None:
    """Refuses what does not come from the page itself.

    Args:
        headers: of the request, names in lower case.
        hosts: all values of the header Host.
        port: of the server.
        client: address of the other side; None if it is not known.
        is_api: whether data is asked for, not the page.

    Raises:
        DeskRefusal: 400 for another name (DNS rebinding), 403 for another origin or machine.
    """
    if client is not None and client not in _LOOPBACK:
        raise DeskRefusal(403, "NotHere", "the review is read on this machine alone")
    names = {f"127.0.0.1:{port}", f"localhost:{port}"}
    if len(hosts) != 1 or hosts[0].lower() not in names:
        raise DeskRefusal(400, "BadHost", "the server is not called by this name")
    origin = headers.get("origin")
    if origin is not None and origin != f"http://{hosts[0].lower()}":
        raise DeskRefusal(403, "BadOrigin", "requests of other pages are refused")
    site = headers.get("sec-fetch-site", "same-origin")
    if site != "same-origin" and (is_api or site != "none"):
        raise DeskRefusal(403, "BadOrigin", "requests of other pages are refused")


def bearer(headers: Mapping[str, str]) -> str:
    """The session that a request brings; "" if it brings none."""
    kind, _, given = headers.get("authorization", "").partition(" ")
    return given.strip() if kind.lower() == "bearer" else ""
