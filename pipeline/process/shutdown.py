"""Ending this process from wherever it is: when it is asked to, or when there is no more progress.

Python's own handlers of signals run in the main thread between two of its steps: one that waits in
a library, for a lock or for storage that does not answer, never comes to them. So a thread of our
own learns of the signal too, and of the lack of progress. All of an output may be left at any time
as it is: `resume` goes on from there.
"""

from __future__ import annotations

import _thread
import contextlib
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator
from types import FrameType
from typing import TYPE_CHECKING, NoReturn
from weakref import WeakSet

from ...models.core.heartbeat import heartbeat_count
from .exit_codes import ExitCode
from .logs import say

if TYPE_CHECKING:
    import subprocess

_log = logging.getLogger(__name__)

HEED_SECONDS = 5.0
"""Until the main thread must have begun to end after a signal."""
UNWIND_SECONDS = 25.0
"""Until it must have ended: jobs on engines are cancelled meanwhile."""
FINAL_SECONDS = 15.0
"""Until the interpreter must be down: it joins threads of libraries, which may hang."""
SAY_SECONDS = 2.0
"""Until standard error must have taken the last line; it may be a pipe that no one reads."""

WATCHDOG_SECONDS = 900.0
"""The patience of commands that have no --watchdog-seconds."""
PATIENCE = 4
"""Times of --watchdog-seconds without a sign of progress after which the launcher ends itself: it
comes after the watchdog of workers and after that of engines."""
LEAST_PATIENCE_SECONDS = 600.0
TICK_SECONDS = 1.0

CHILDREN: WeakSet[subprocess.Popen[bytes]] = WeakSet()
"""Processes that must not outlive this one."""


def end_now(last_words: str, code: int = ExitCode.FAILED) -> NoReturn:
    """Ends this process and its children, whatever its other threads do."""
    for child in tuple(CHILDREN):
        with contextlib.suppress(OSError):
            child.kill()
    said = threading.Event()

    def speak() -> None:
        with contextlib.suppress(Exception):
            say(last_words, "WARNING")
        said.set()

    if _started(speak):
        said.wait(SAY_SECONDS)
    os._exit(code)


@contextlib.contextmanager
def ended_by_signals(
    numbers: Collection[int], is_heeded: Callable[[], bool], last_words: Callable[[], str]
) -> Iterator[None]:
    """For a `with` block in the main thread: ends the process if a signal does not end the block.

    Args:
        numbers: of the signals; Python has a handler for each.
        is_heeded: whether the handler was called.
        last_words: what is said at the end.
    """
    if not numbers:
        yield
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    left = threading.Event()

    def watch() -> None:
        with open(reader, "rb", buffering=0) as stream:
            while not left.is_set() and set(numbers).isdisjoint(stream.read(64)):
                pass
            if not left.wait(HEED_SECONDS) and (not is_heeded() or not left.wait(UNWIND_SECONDS)):
                end_now(last_words())

    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    watched = _started(watch)
    try:
        yield
    finally:
        left.set()
        signal.set_wakeup_fd(before)
        os.close(writer)  # wakes the thread
        if not watched:
            os.close(reader)


@contextlib.contextmanager
def ended_without_progress(
    watchdog_seconds: float, advice: Callable[[], str] = str
) -> Iterator[None]:
    """For a `with` block: ends the process if for long there is no sign of progress.

    It decides no content: what is done is kept, as after `kill -9`.

    Args:
        watchdog_seconds: the patience with a worker; this process gets `PATIENCE` times that.
        advice: gives what the message ends with: what is kept, and what to do.
    """
    watched, left = threading.get_ident(), threading.Event()

    def watch() -> None:
        seen, idle, looked = heartbeat_count(), 0.0, time.monotonic()
        while not left.wait(TICK_SECONDS):
            now = time.monotonic()
            # Of the time that the whole process was stopped little counts.
            idle += min(now - looked, 2 * TICK_SECONDS)
            looked = now
            if heartbeat_count() != seen:
                seen, idle = heartbeat_count(), 0.0
            if idle >= max(PATIENCE * watchdog_seconds, LEAST_PATIENCE_SECONDS):
                end_now(
                    f"scrubline: no sign of progress for {idle:.0f} s, so this process "
                    f"ends itself. It was in: {_place(watched)}. {advice()}".rstrip()
                )

    if not _started(watch):
        _log.warning("no watchdog for the launcher: no thread can be started")
    try:
        yield
    finally:
        left.set()


def end_soon(end: Callable[[], None]) -> None:
    """Calls `end`, which ends the process, if the interpreter takes too long to do so."""

    def wait() -> None:
        time.sleep(FINAL_SECONDS)
        end()

    if not _started(wait):
        end()


def _started(call: Callable[[], None]) -> bool:
    """Whether a thread was started that never holds the process."""
    try:
        # Not `threading.Thread`, whose start waits for the thread, forever if it dies.
        _thread.start_new_thread(call, ())
    except (RuntimeError, MemoryError):
        return False
    return True


def _place(thread: int) -> str:
    """The functions that a thread is in, the innermost first; names alone."""
    frame: FrameType | None = sys._current_frames().get(thread)
    names = []
    while frame is not None:
        names.append(frame.f_code.co_name)
        frame = frame.f_back
    return " < ".join(names[:20])
