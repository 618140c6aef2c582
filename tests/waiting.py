"""Waiting for what another process or thread does: for the event, however long it takes.

No test decides by the clock. The one limit here only turns a hang into a failure; it is so long
that no machine is busy enough to reach it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

Found = TypeVar("Found")

GUARD_SECONDS = 1800.0
"""Until a test that hangs is ended: for every `timeout=`, `wait` and `join` of the tests."""

_POLL_SECONDS = 0.02


def wait_until(condition: Callable[[], Found], what: str) -> Found:
    """What the condition gives as soon as that is true.

    Raises:
        AssertionError: after `GUARD_SECONDS`, naming `what` was expected.
    """
    end = time.monotonic() + GUARD_SECONDS
    while not (found := condition()):
        assert time.monotonic() < end, f"waited in vain until {what}"
        time.sleep(_POLL_SECONDS)
    return found


def children_of(pid: int) -> list[int]:
    """Process ids of the living children of a process (Linux)."""
    return [child for child, (state, parent, _) in _processes() if parent == pid and state != "Z"]


def alive(pid: int) -> bool:
    """Whether a process is at work; one that has ended may wait long to be reaped (Linux)."""
    return any(found == pid and state != "Z" for found, (state, *_) in _processes())


def group_alive(group: int) -> bool:
    """Whether any process of a process group is at work (Linux)."""
    return any(owner == group and state != "Z" for _, (state, _, owner) in _processes())


def _processes() -> list[tuple[int, tuple[str, int, int]]]:
    """Process id -> state, parent and process group, of every process."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent, group = path.read_text().rpartition(")")[2].split()[:3]
        except OSError:  # it has ended since
            continue
        found.append((int(path.parent.name), (state, int(parent), int(group))))
    return found
