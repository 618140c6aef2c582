"""Heartbeats of this process, counted: a watcher sees whether the work goes on.

Storage, readers and the flow of a run call `record_heartbeat`; `pipeline.process.shutdown` looks at
`heartbeat_count`. Nothing that is written depends on either.
"""

from __future__ import annotations

_heartbeats = 0


def record_heartbeat() -> None:
    """Counts one sign of progress. Threads may lose some to each other: only change matters."""
    global _heartbeats
    _heartbeats += 1


def heartbeat_count() -> int:
    """How many heartbeats there were."""
    return _heartbeats
