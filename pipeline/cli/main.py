"""The command line: parses it, runs the command, and ends with its exit code.

Heavy imports wait until a command needs them: `table` names the module of each.
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import logging
import os
import sys
from collections.abc import Sequence

from ..commands.advice import stopped_words
from ..process.cgroups import little_address_space, too_little_address_space
from ..process.core_dumps import WARNING as DUMPABLE
from ..process.core_dumps import dumps_are_allowed, forbid_dumps
from ..process.exit_codes import ExitCode
from ..process.logs import remember_typed, say, set_up_logs
from ..process.shutdown import end_soon
from ..process.stdout import StdoutError, flush_stdout
from .failures import report_failure, say_unwritable
from .parser import RUNS, parse
from .signals import interruptible
from .streams import fill_closed_streams
from .table import COMMANDS


def command() -> None:
    """What `scrubline` calls: `main`, without core dumps, and an end that no library can spoil.

    Threads of C++ libraries may still run while the interpreter ends, and bring down a process
    whose work is done and reported ("terminate called without an active exception").
    """
    codes: list[int] = []
    atexit.register(_end, codes)  # the first to be registered is the last to be called
    forbid_dumps()
    try:
        main()
    except SystemExit as ended:
        code = ExitCode.DONE if ended.code is None else ended.code
        codes.append(code if isinstance(code, int) else ExitCode.FAILED)
        end_soon(lambda: _end(codes))  # the interpreter first waits for threads of libraries
        raise


def _end(codes: list[int]) -> None:
    """Ends with the last exit code once all output is written; does nothing without a code."""
    if codes:
        logging.shutdown()  # was registered before this, and would come after it
        code = _flushed(codes[-1])
        with contextlib.suppress(AttributeError, OSError, ValueError):
            sys.stderr.flush()
        os._exit(code & 0xFF)


def main(argv: Sequence[str] | None = None) -> None:
    """Runs a command line and exits with one of `ExitCode`.

    Args:
        argv: the words after the program's name; None for those that this process was given.
    """
    fill_closed_streams()
    parsed = parse(sys.argv[1:] if argv is None else argv)
    set_up_logs(form="json" if getattr(parsed, "log_format", None) == "json" else "text")
    remember_typed({"--output": getattr(parsed, "output", None), "--key-file": _key_file(parsed)})
    if dumps_are_allowed():
        say(f"scrubline: {DUMPABLE}", "WARNING")
    if parsed.command in RUNS:
        if too_little := too_little_address_space():
            say(f"scrubline: {too_little}")
            sys.exit(ExitCode.FAILED)
        if little := little_address_space():
            say(f"scrubline: {little}", "WARNING")
    code: int
    with interruptible(lambda: stopped_words(parsed)) as parsed.stopped:
        try:
            code = COMMANDS[parsed.command].run(parsed)
        except SystemExit:
            raise
        except BaseException as error:
            code = report_failure(error, parsed, parsed.stopped)
    sys.exit(_flushed(code))


def _key_file(parsed: argparse.Namespace) -> str | None:
    return getattr(parsed, "key_source", None)


def _flushed(code: int) -> int:
    """The exit code once standard output is written out; FAILED if it cannot be."""
    try:
        flush_stdout()
    except StdoutError as error:
        say_unwritable(error)
        return ExitCode.FAILED
    return code


if __name__ == "__main__":
    command()
