"""What a command that ended early leaves behind, and what to do next."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator

from ..process.shutdown import WATCHDOG_SECONDS, ended_without_progress

KEPT = "finished work is kept: continue with `scrubline resume --output ...`"
REFUSED_BUT_KEPT = (
    "finished work is kept: fix the problem and continue with `scrubline resume --output ...`, or "
    "give the run up with `scrubline resume --output ... --discard`"
)


def is_resumable(parsed: argparse.Namespace) -> bool:
    """Whether `resume` can continue: before its plan is frozen, nothing of a run exists."""
    return parsed.command == "resume" or bool(parsed.frozen)


def stopped_words(parsed: argparse.Namespace) -> str:
    """What to say once a signal has stopped the command."""
    hint = ""
    if is_resumable(parsed):
        hint = " Finished work is kept: continue with `scrubline resume --output ...`"
    if getattr(parsed, "work", None):
        hint = " Finished folds are kept: the same command continues"
    return f"\nstopped.{hint}"


@contextlib.contextmanager
def watched(parsed: argparse.Namespace, watchdog_seconds: float | None = None) -> Iterator[None]:
    """For a `with` block: ends the process if it shows no progress for long, and says what to do.

    Args:
        watchdog_seconds: see `ended_without_progress`; None for commands without the option.
    """
    patience = WATCHDOG_SECONDS if watchdog_seconds is None else watchdog_seconds
    with ended_without_progress(patience, lambda: _after_no_progress(parsed)):
        yield


def _after_no_progress(parsed: argparse.Namespace) -> str:
    if parsed.command not in ("scrub", "resume"):  # these alone have --watchdog-seconds
        return "Check whether storage answers, then run the same command again"
    kept = "No run was started: run the same command again"
    if is_resumable(parsed):
        kept = "Finished work is kept: continue with `scrubline resume --output ...`"
    return f"{kept}. If storage is only slow, raise --watchdog-seconds"
