"""`scrubline serve`: scrubs texts that other programs send over HTTP, on this machine."""

from __future__ import annotations

import argparse
import importlib.util

from ...models.core.errors import UsageError
from ...models.scrubber import Scrubber
from ..options import load_config, options_from, said
from ..process.exit_codes import ExitCode
from ..process.logs import say, set_up_logs
from ..serving.settings import LOOPBACK, Settings, read_token


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command until a signal ends it.

    Raises:
        UsageError: if an option, the token or the address cannot be used, or the extra is missing.
    """
    for package in ("starlette", "uvicorn"):
        if importlib.util.find_spec(package) is None:
            raise UsageError("the server is not installed: pip install 'scrubline[serve]'")
    from ..serving.server import serve

    settings = Settings(
        token=read_token(parsed.token_file),
        listen=parsed.listen or LOOPBACK,
        port=parsed.port,
        hosts=frozenset(name.lower() for name in parsed.host_names or ()),
        tls_cert=parsed.tls_cert or "",
        tls_key=parsed.tls_key or "",
        max_bytes=parsed.max_bytes,
        max_texts=parsed.max_texts,
        max_seconds=parsed.max_seconds,
        threads=parsed.threads,
        max_waiting=parsed.max_waiting,
    )
    options = options_from(load_config(None), said(parsed), command="serve")
    set_up_logs(options.log_level, options.log_format)
    scrubber = Scrubber(
        models=options.models, policy=options.policy, recognisers=options.recognisers
    )
    scrubber.scrub("")  # what is loaded at the first text is loaded before the first request
    serve(settings, scrubber, lambda url: say(f"scrubline: serving on {url}", "INFO"))
    say("scrubline: the server has ended", "INFO")
    return ExitCode.DONE
