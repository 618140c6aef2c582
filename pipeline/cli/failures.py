"""From an error to a message on standard error and an exit code."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

from ...models.core.errors import (
    InputChanged,
    ScrublineError,
    error_class,
)
from ...models.core.shortage import shortage_of
from ..commands.advice import KEPT, REFUSED_BUT_KEPT, is_resumable, stopped_words
from ..process.exit_codes import ExitCode, exit_code_of
from ..process.logs import say, say_error
from ..process.stdout import StdoutError


def report_failure(
    error: BaseException, parsed: argparse.Namespace, stopped: Sequence[int]
) -> ExitCode:
    """Says what ended a command, and what to do; gives the exit code.

    Args:
        stopped: signals received: then the error is what they became on their way, for Beam makes
            one of its own of an interrupt.
    """
    code = exit_code_of(error)
    if isinstance(error, ScrublineError) and code is not ExitCode.FAILED:
        say_error(error)
        if code is ExitCode.REFUSED and parsed.frozen:
            say(REFUSED_BUT_KEPT, "WARNING")
    elif stopped or isinstance(error, KeyboardInterrupt):
        say(stopped_words(parsed), "WARNING")
    elif isinstance(error, ScrublineError):
        say_error(error)
        _say_kept(error, parsed)
    elif isinstance(error, StdoutError):
        say_unwritable(error)
    elif (lack := shortage_of(error)) is not None:
        # Wherever in the launcher or in a library it came up: no line of ours is at fault.
        say(f"scrubline: {lack}")
        _say_kept(error, parsed)
    elif isinstance(error, FileNotFoundError) and not _has_working_folder():
        say("scrubline: the working folder was removed: change to one that is there")
    else:
        # A foreign message may hold PHI or a file name; --log-level DEBUG does not change that.
        say(
            f"scrubline: unexpected {error_class(error)} at {_place_of(error)}. "
            "Please report this line: it holds no PHI"
        )
    return code


def _has_working_folder() -> bool:
    try:
        os.getcwd()
    except OSError:
        return False
    return True


def say_unwritable(error: StdoutError) -> None:
    """Says that standard output cannot be written, unless its reader has closed it."""
    if not error.is_abandoned:
        say(f"scrubline: {error}")


def _say_kept(error: BaseException, parsed: argparse.Namespace) -> None:
    if is_resumable(parsed) and not isinstance(error, InputChanged):
        say(KEPT, "WARNING")


def _place_of(error: BaseException) -> str:
    """Module and line of our own code in which a foreign error came up."""
    trace, place = error.__traceback__, "?"
    while trace is not None:
        name = trace.tb_frame.f_globals.get("__name__", "")
        if name.partition(".")[0] == "scrubline":
            place = f"{name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
