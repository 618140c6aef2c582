"""Logs: one line an event, on standard error, never with text, ids or names of inputs."""

from __future__ import annotations

import logging
import sys


def set_up_logs(level: str = "WARNING") -> None:
    """Sends all logs to standard error.

    Args:
        level: of our own loggers; Beam's tell errors only, and theirs are sanitised by `failing_safely`.
    """
    # Importing Beam logs on the root logger, which would make a plain basicConfig do nothing.
    logging.basicConfig(
        stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s", force=True
    )
    logging.getLogger("scrubline").setLevel(level)
    logging.getLogger("apache_beam").setLevel(logging.CRITICAL)
