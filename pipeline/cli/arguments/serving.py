"""The commands that serve, on this machine: programs (serve), and people (review)."""

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


def add_review(parser: ArgumentParser) -> None:
    """Adds the options and the help of `review`."""
    describe(
        parser,
        "[export|verify] OUT --key-file KEYFILE --reviewer NAME [OPTIONS]",
        "Needs pip install 'scrubline[review]'. It prints a link for the browser of this machine, "
        "which is good once; behind it, people read what was published and mark what is left, the "
        "worst first (find), or what was drawn, to state how much is left (measure). Marks and the "
        "record of who was shown what lie in OUT/restricted/review, for you alone. `export` writes "
        "what was corrected as a corpus for `scrubline train --add`: it holds the original texts. "
        "`verify` walks the record of accesses. See docs/review.md.",
        "scrubline review out/ --originals notes/ --key-file key.txt --reviewer ana",
        "scrubline review out/ --queue measure --campaign spring --key-file key.txt \\\n"
        "           --reviewer ben",
        "scrubline review export out/ --key-file key.txt --reviewer ana",
        "scrubline review verify out/",
    )
    parser.add_argument("words", nargs="+", metavar="OUT", help="output; before it what to do")
    parser.add_argument(
        "--queue",
        choices=("find", "measure"),
        default="find",
        help="find: worst first; measure: what a campaign drew (default: %(default)s)",
    )
    parser.add_argument("--campaign", metavar="NAME", help="of --queue measure")
    parser.add_argument(
        "--originals",
        action="append",
        metavar="URL",
        help="the inputs of the run, where it read them: originals may be shown, and trained on; "
        "repeatable",
    )
    parser.add_argument("--reviewer", metavar="NAME", help="who reads; part of file names")
    parser.add_argument("--adjudicate", action="store_true", help="decide where two readers differ")
    parser.add_argument(
        "--count", type=int, metavar="N", help="read this many of the find queue, at most"
    )
    parser.add_argument(
        "--no-uncertain",
        dest="uncertain",
        action="store_false",
        help="do not open the run's models, which tell words of the originals that may be PHI",
    )
    parser.add_argument(
        "--with-measure",
        action="store_true",
        help="export: also what was read in campaigns, which then certify nothing",
    )
    parser.add_argument(
        "--port", type=int, default=0, metavar="N", help="port (default: a free one)"
    )
    add_named(parser, "review", "key-file", "log-level", "log-format")
