"""Logs: one line an event, on standard error, never with text, ids or names of inputs.

Our own messages are safe by rule. Those of libraries may quote what they were given, so only their
logger and place are logged; of an uncaught exception, class and place.

As JSON, a line is an object: time (UTC), level, run, worker, logger, message.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import datetime
import json
import logging
import re
import shlex
import sys
import threading
from collections.abc import Mapping
from types import TracebackType
from typing import Any, TextIO

from ...models.core.errors import ScrublineError, error_class

_OURS = "scrubline"

FORMATS = ("text", "json")
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


@dataclasses.dataclass(slots=True)
class _Said:
    """Who is speaking, for lines of JSON; there is one a process.

    Attributes:
        form: one of `FORMATS`.
        worker: "launcher", or "worker-1" and so on.
        run: id, once it is known.
    """

    form: str = "text"
    worker: str = "launcher"
    run: str | None = None


_said = _Said()

_typed: dict[str, str] = {}
"""Option -> the place that the user gave it; for the user's own terminal alone."""

_GAP = re.compile(r"(--input|--output|--key-file|--model) (?:\.{3}|OUT\b|KEY\b)")
"""Where a message leaves out what the user typed."""


def remember_typed(places: Mapping[str, str | None]) -> None:
    """Notes the places that a command was given, so that commands in messages can be pasted.

    Args:
        places: option -> its value; None for one that was not given. Earlier ones are forgotten.
    """
    _typed.clear()
    _typed.update({option: place for option, place in places.items() if place})


def as_typed(message: str, stream: TextIO) -> str:
    """A message as its reader can use it: on a terminal with the places that they typed.

    Elsewhere it stays as it is: what is no terminal may be kept, and a place may be PHI.
    """
    if _said.form == "json" or not is_terminal(stream):
        return message
    return _GAP.sub(_filled, message)


def _filled(gap: re.Match[str]) -> str:
    place = _typed.get(gap[1])
    return gap[0] if place is None else f"{gap[1]} {shlex.quote(place)}"


def set_up_logs(
    level: str = "WARNING", form: str = "text", *, worker: str = "launcher", run: str | None = None
) -> None:
    """Sends logs, warnings and uncaught exceptions to standard error, without PHI.

    Args:
        level: of our own loggers. Libraries tell warnings and errors only, Beam nothing: its errors
            come to us as exceptions too.
        form: one of `FORMATS`.
        worker: who this process is.
        run: id of the run, if it is known; see `about_run`.
    """
    _said.form, _said.worker, _said.run = form, worker, run
    handler = _StandardError()
    handler.setFormatter(_SafeFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    # Beam's import warns on the root logger about clients that are not needed.
    handler.addFilter(lambda record: record.name != "root" or record.levelno >= logging.ERROR)
    # Importing Beam logs on the root logger, which would make a plain basicConfig do nothing.
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.captureWarnings(True)
    # A handler that fails would print the message as it was given, and the stack above it.
    logging.raiseExceptions = False
    logging.getLogger(_OURS).setLevel(level)
    logging.getLogger("apache_beam").setLevel(logging.CRITICAL)
    sys.excepthook = _tell
    threading.excepthook = lambda args: _tell(args.exc_type, args.exc_value, args.exc_traceback)
    sys.unraisablehook = lambda args: _tell(args.exc_type, args.exc_value, args.exc_traceback)


def about_run(run: str) -> None:
    """From now on, lines of JSON name this run."""
    _said.run = run


def say(message: str, level: str = "ERROR", *, on_terminal: str | None = None) -> None:
    """Writes a message for the user to standard error, in the form of the logs.

    Args:
        on_terminal: the message with names that were typed or come from a file; see `say_error`.
    """
    if on_terminal is not None and _said.form != "json" and is_terminal(sys.stderr):
        message = on_terminal
    said = as_typed(message, sys.stderr)
    text = _line(level, "scrubline", message) if _said.form == "json" else said
    print(text, file=sys.stderr, flush=True)


def say_error(error: Exception) -> None:
    """Reports an error of ours; names that were typed or come from a file go to a terminal only.

    Such names may be values of the input, and a stream that is not a terminal may be kept.
    """
    on_terminal = error.on_terminal if isinstance(error, ScrublineError) else str(error)
    say(f"scrubline: {error}", on_terminal=f"scrubline: {on_terminal}")


def is_terminal(stream: Any) -> bool:
    """Whether a stream is there and is a terminal."""
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):  # it is missing or closed
        return False


def _line(level: str, logger: str, message: str, created: float | None = None) -> str:
    moment = datetime.datetime.now(datetime.UTC)
    if created is not None:
        moment = datetime.datetime.fromtimestamp(created, datetime.UTC)
    value = {
        "time": moment.isoformat(timespec="milliseconds"),
        "level": level,
        "run": _said.run,
        "worker": _said.worker,
        "logger": logger,
        "message": message.strip("\n"),
    }
    return json.dumps(value)


class _StandardError(logging.Handler):
    """Writes to what standard error is at the time, not to what it was when logs were set up."""

    def emit(self, record: logging.LogRecord) -> None:
        with contextlib.suppress(OSError):  # a full disk under the log must not end the work
            print(self.format(record), file=sys.stderr, flush=True)


class _SafeFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        safe = copy.copy(record)
        safe.exc_info = safe.exc_text = safe.stack_info = None
        if record.name.partition(".")[0] != _OURS:
            safe.msg, safe.args = f"message withheld, {record.module}:{record.lineno}", None
        elif record.exc_info and record.exc_info[1] is not None:
            safe.msg, safe.args = f"{record.getMessage()} ({error_class(record.exc_info[1])})", None
        if _said.form == "json":
            return _line(safe.levelname, safe.name, safe.getMessage(), safe.created)
        return super().format(safe)


def _tell(
    kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
) -> None:
    """One line about an uncaught exception."""
    if isinstance(error, ScrublineError):
        say(f"scrubline: {error}")
        return
    place = "?"
    while trace is not None:
        place = f"{trace.tb_frame.f_globals.get('__name__', '?')}:{trace.tb_lineno}"
        trace = trace.tb_next
    say(f"scrubline: unexpected {kind.__qualname__} at {place}")
