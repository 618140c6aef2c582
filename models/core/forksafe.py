"""Locks that survive a fork.

A child process has only the thread that forked. A lock that another thread held at that moment
stays locked in the child, and nothing there will ever release it.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable


class ForkSafeLock:
    """A lock for `with` that is free in the child of a fork, even if it was held in the parent."""

    def __init__(self, after_fork: Callable[[], None] | None = None) -> None:
        """Makes a free lock.

        Args:
            after_fork: called in the child when the lock is renewed, to reset what the lock
                protects: the thread that held it may have been changing it.
        """
        self._lock = threading.Lock()
        self._after_fork = after_fork
        _LOCKS.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def renew(self) -> None:
        """Replaces the lock by a free one, then calls `after_fork`."""
        self._lock = threading.Lock()
        if self._after_fork is not None:
            self._after_fork()


_LOCKS: weakref.WeakSet[ForkSafeLock] = weakref.WeakSet()


def _renew_all() -> None:
    for lock in list(_LOCKS):
        lock.renew()


os.register_at_fork(after_in_child=_renew_all)
