"""What a server is told, and what it must not be told."""

from __future__ import annotations

import dataclasses
import hmac
import ipaddress
import os
import stat

from ...models.core.errors import UsageError
from ...models.core.shortage import raise_shortage

LOOPBACK = "127.0.0.1"
LEAST_TOKEN, _MOST_TOKEN = 32, 4096


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Settings:
    """How a server listens, and its limits.

    Attributes:
        token: that every request has to bring.
        listen: address; another one than loopback only with TLS.
        port: 0 lets the system choose.
        hosts: names in the header Host that are answered, lower case, without port.
        tls_cert, tls_key: PEM files; "" for none.
        max_bytes: of the body of a request.
        max_texts: of a request.
        max_seconds: of a request, from its connection to its answer.
        threads: texts that are scrubbed at once, each by a Scrubber of its own.
        max_waiting: requests that wait for one; more are turned away.

    Raises:
        UsageError: for an address without TLS, and for limits that cannot be.
    """

    token: bytes
    listen: str = LOOPBACK
    port: int = 8321
    hosts: frozenset[str] = frozenset()
    tls_cert: str = ""
    tls_key: str = ""
    max_bytes: int = 4_000_000
    max_texts: int = 1_000
    max_seconds: float = 60.0
    threads: int = 1
    max_waiting: int = 16

    def __post_init__(self) -> None:
        if bool(self.tls_cert) != bool(self.tls_key):
            raise UsageError("give both --tls-cert and --tls-key, or neither")
        try:
            address = ipaddress.ip_address(self.listen)
        except ValueError:
            raise UsageError("--listen takes an IP address, for example 0.0.0.0 or ::") from None
        if not address.is_loopback and not self.tls_cert:
            raise UsageError(
                "--listen with an address that others can reach needs --tls-cert and --tls-key: "
                "notes must not go over a network in the clear"
            )
        if not address.is_loopback and not self.hosts:
            raise UsageError("--listen: say by which names clients call it, with --host-name NAME")
        if not 0 <= self.port <= 65_535:
            raise UsageError("--port must be from 0 to 65535")
        for name in ("max_bytes", "max_texts", "threads", "max_waiting"):
            if getattr(self, name) < 1:
                raise UsageError(f"--{name.replace('_', '-')} must be at least 1")
        if not self.max_seconds > 0:
            raise UsageError("--max-seconds must be greater than 0")

    @property
    def names(self) -> frozenset[str]:
        """The hosts that are answered: those that were named, and on loopback those of loopback."""
        own = {"localhost", "127.0.0.1", "[::1]"} if not self.tls_cert or not self.hosts else set()
        return self.hosts | own

    def is_token(self, given: bytes) -> bool:
        """Whether this is the token; compared in constant time."""
        return hmac.compare_digest(given, self.token)


def read_token(path: str) -> bytes:
    """The token in a file that no one else can read.

    Raises:
        UsageError: if there is none, others may read or change it, or it is too short to be secret.
            The message never shows it.
    """
    how = "make one with `(umask 077; openssl rand -hex 32 > TOKENFILE)`"
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise_shortage(error)
        raise UsageError(f"--token-file cannot be read ({type(error).__name__}); {how}") from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise UsageError(f"--token-file is no regular file; {how}")
        if stat.S_IMODE(status.st_mode) & 0o077 or status.st_uid != os.geteuid():
            raise UsageError(
                "--token-file is open to others: it must belong to the user of the server and have "
                f"mode 0600; whoever may have read it needs a new one: {how}"
            )
        token = os.read(descriptor, _MOST_TOKEN + 1).strip()
    finally:
        os.close(descriptor)
    is_plain = (
        token.isascii() and token.decode("ascii", "replace").isprintable() and b" " not in token
    )
    if not LEAST_TOKEN <= len(token) <= _MOST_TOKEN or not is_plain:
        raise UsageError(
            f"--token-file must hold one word of {LEAST_TOKEN} printable characters or more; {how}"
        )
    return token
