"""The command that serves other programs: serve."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from ...options.command_line import add_named
from .shared import describe

_LIMITS: dict[str, tuple[Any, Any, str, str]] = {
    "--max-bytes": (int, 4_000_000, "N", "most bytes of a request"),
    "--max-texts": (int, 1_000, "N", "most texts of a request"),
    "--max-seconds": (float, 60.0, "S", "most seconds from connection to answer"),
    "--max-waiting": (int, 16, "N", "most requests that wait; more are answered with 503"),
    "--threads": (int, 1, "N", "requests that are scrubbed at once"),
}


def add_serve(parser: ArgumentParser) -> None:
    """Adds the options and the help of `serve`."""
    describe(
        parser,
        "--token-file FILE [OPTIONS]",
        'Needs pip install \'scrubline[serve]\'. POST /scrub takes {"text": TEXT} or {"texts": '
        "[TEXT, ...]} and gives the scrubbed text and its spans, without what they covered; GET "
        "/health says that the server is up. Every request needs the header Authorization: Bearer "
        "TOKEN. Web pages are refused. Nothing that is sent is logged. It listens on this machine "
        "alone; to be reached by others it needs --listen, --host-name and TLS. See "
        "docs/embedding.md.",
        "(umask 077; openssl rand -hex 32 > token)",
        "scrubline serve --token-file token",
        "scrubline serve --token-file token --listen 0.0.0.0 --host-name scrub.example \\\n"
        "           --tls-cert cert.pem --tls-key key.pem",
    )
    parser.add_argument(
        "--token-file", required=True, metavar="FILE", help="file with the token, of mode 0600"
    )
    parser.add_argument(
        "--port", type=int, default=8321, metavar="N", help="port (default: %(default)s)"
    )
    parser.add_argument(
        "--listen", metavar="ADDRESS", help="IP address, if not loopback: needs TLS"
    )
    parser.add_argument(
        "--host-name",
        dest="host_names",
        action="append",
        metavar="NAME",
        help="name by which clients call it with --listen, without port; repeatable",
    )
    parser.add_argument("--tls-cert", metavar="FILE", help="certificates, PEM")
    parser.add_argument("--tls-key", metavar="FILE", help="private key, PEM")
    add_named(parser, "serve", "model", "recogniser", "policy", "log-level", "log-format")
    for flag, (kind, default, metavar, help_text) in _LIMITS.items():
        parser.add_argument(
            flag,
            type=kind,
            default=default,
            metavar=metavar,
            help=f"{help_text} (default: %(default)s)",
        )
