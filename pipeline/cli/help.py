"""`scrubline help`: the help of a command."""

from __future__ import annotations

import argparse

from ..process.exit_codes import ExitCode
from ..process.stdout import show
from .parser import make_parser, parser_of


def run(parsed: argparse.Namespace) -> ExitCode:
    """Prints the help of a command, or the list of commands."""
    topic = parsed.topic
    parser = parser_of(topic) if topic else make_parser("none")
    show(parser.format_help().rstrip("\n"))
    return ExitCode.DONE
