"""Calls made a few at a time by threads that can never hold the process.

`concurrent.futures` joins its threads at the end of its `with` block, and again at the end of the
process: one read that never returns, or one thread that died for lack of memory, is waited for
forever, and a signal does not end the wait. Here the caller waits with a timeout, so that a signal
takes effect; threads are not joined; what no thread does the caller does itself; and an outcome is
stored without taking memory, so that a thread cannot end without the caller seeing it.
"""

from __future__ import annotations

import _thread
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from .errors import RunFailed
from .heartbeat import record_heartbeat

A = TypeVar("A")
T = TypeVar("T")

_log = logging.getLogger(__name__)

AT_ONCE = 16
"""Threads; they wait for storage most of the time."""

POLL_SECONDS = 0.2
"""How long the caller waits before it looks itself whether something is left undone."""

PARTING_SECONDS = 3.0
"""How long the caller waits at the end for calls that have begun and that it does not need."""

_LOST: tuple[bool, Any] = (False, None)
"""The outcome of a call whose thread had no memory even for that; made before it is needed."""

_UNDONE: tuple[bool, Any] = (False, "undone")
"""Stands in the place of an outcome where a thread was lost before it made its call."""


def map_in_threads(
    call: Callable[[A], T], items: Sequence[A], *, at_once: int = AT_ONCE, ahead: int = 0
) -> Iterator[T]:
    """Yields what `call` gives for each item, in the order of the items.

    Calls are made by threads, or by the caller where no thread can be started. What a call raises
    is raised here; calls that have begun by then may still go on for a while.

    Args:
        at_once: calls that run at the same time.
        ahead: calls begun before the first result is taken, which bounds memory; 0 for `at_once`.
    """
    if len(items) < 2:
        for item in items:
            yield call(item)
        return
    work = _CallQueue(call, items, max(ahead, at_once))
    try:
        work.start(min(at_once, len(items)))
        for index in range(len(items)):
            yield work.outcome(index)
            record_heartbeat()
    finally:
        work.end()


class _CallQueue(Generic[A, T]):
    """The calls of one `map_in_threads`.

    Attributes of note:
        _slots: outcomes that are not yet taken, that of call i at i modulo their number.
        _next: the first call that nothing has begun.
        _wanted: the call whose outcome the caller takes next.
    """

    def __init__(self, call: Callable[[A], T], items: Sequence[A], ahead: int) -> None:
        self._call, self._items, self._ahead = call, items, ahead
        self._slots: list[tuple[bool, Any] | None] = [None] * ahead
        self._next = self._wanted = self._running = self._threads = 0
        self._ended = False
        self._changed = threading.Condition()

    def start(self, threads: int) -> None:
        """Starts threads: this many, or as many as the system allows."""
        for _ in range(threads):
            try:
                # Not `threading.Thread`, whose start waits for the thread, forever if it dies.
                _thread.start_new_thread(self._serve, ([-1],))
            except (RuntimeError, MemoryError):
                _log.info("only %d of %d threads can be started", self._threads, threads)
                return
            self._threads += 1

    def outcome(self, index: int) -> T:
        """The result of one call, which must be the one after the last that was taken.

        Raises:
            RunFailed: if its thread was lost.
        """
        slot = index % self._ahead
        mine = [slot]
        while self._slots[slot] is None or self._slots[slot] is _UNDONE:
            if self._slots[slot] is _UNDONE:
                self._do(index, mine)
                break
            if self._threads:
                with self._changed:
                    if self._slots[slot] is None:
                        self._changed.wait(POLL_SECONDS)
            # Calls are begun in order: if nothing has begun this one, no thread is there to do it.
            is_left = self._slots[slot] is None and self._next == index
            if is_left and self._take(mine, only=index) == index:
                self._do(index, mine)
        found = self._slots[slot]
        assert found is not None
        with self._changed:
            self._slots[slot] = None
            self._wanted += 1
            self._changed.notify_all()
        done, value = found
        if not done:
            raise value or RunFailed(
                "a thread of this process died for lack of memory: allow more memory (ulimit -v, "
                "the limit of the container), or use fewer --workers"
            )
        return value  # type: ignore[no-any-return]

    def end(self) -> None:
        """Lets no further call begin, and waits a little for those that run."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._running, PARTING_SECONDS)

    def _serve(self, mine: list[int]) -> None:
        """What a thread does.

        Args:
            mine: one number: the slot of the call that the thread has begun but not yet made, or
                -1. Numbers of it are made before they are needed, as its memory is.
        """
        try:
            while True:
                with self._changed:
                    while not self._ended and self._is_full():
                        self._changed.wait(POLL_SECONDS)
                if (index := self._take(mine)) >= 0:
                    self._do(index, mine)
                elif self._ended or self._next >= len(self._items):
                    return
        except BaseException:  # no memory; others do the work, the caller what this one has begun
            if mine[0] >= 0:
                self._slots[mine[0]] = _UNDONE

    def _is_full(self) -> bool:
        return self._wanted + self._ahead <= self._next < len(self._items)

    def _take(self, mine: list[int], only: int | None = None) -> int:
        """Begins the next call, or only the given one; -1 if no call may begin.

        Args:
            mine: gets the slot of its outcome.
        """
        with self._changed:
            if self._ended or self._is_full() or self._next >= len(self._items):
                return -1
            if only not in (None, self._next):
                return -1
            index, slot = self._next, self._next % self._ahead
            following, running = index + 1, self._running + 1
            # From here on nothing takes memory: a call is begun, and then known as ours, or not.
            self._next, self._running, mine[0] = following, running, slot
            return index

    def _do(self, index: int, mine: list[int]) -> None:
        """Makes a call that `_take` began."""
        slot, outcome = mine[0], _LOST
        try:
            mine[0] = -1
            outcome = (True, self._call(self._items[index]))
        except BaseException as error:
            outcome = (False, error)
        finally:
            self._slots[slot] = outcome
            with self._changed:
                self._running -= 1
                self._changed.notify_all()
