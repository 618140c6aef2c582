"""Signals that ask a command to end."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

from ..process.exit_codes import ExitCode
from ..process.shutdown import ended_by_signals


@contextlib.contextmanager
def interruptible(last_words: Callable[[], str]) -> Iterator[list[int]]:
    """For a `with` block: SIGTERM and SIGHUP interrupt it as Ctrl-C does.

    A signal that is ignored stays ignored (`nohup`), and one that has another handler keeps it.
    After the first signal others do nothing (some senders send several), but a second Ctrl-C ends
    the process at once, which is safe at any time. If the main thread does not react to the first,
    say because storage does not answer, the process is ended anyway.

    Args:
        last_words: gives what is printed in that case.

    Yields:
        The signals received so far.
    """
    received: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        received.append(number)
        if len(received) == 1:
            raise KeyboardInterrupt
        if number == signal.SIGINT:
            os._exit(ExitCode.FAILED)

    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                before[number] = signal.signal(number, stop)
    try:
        with ended_by_signals(before.keys(), lambda: bool(received), last_words):
            yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
