"""Signs of progress of this process, counted: what watches it sees whether the work goes on.

Storage, readers and the flow of a run call `beat`; `pipeline.ending` looks at `beats`. Nothing that
is written depends on either.
"""

from __future__ import annotations

_beats = 0


def beat() -> None:
    """Counts one sign of progress. Threads may lose some to each other: only change matters."""
    global _beats
    _beats += 1


def beats() -> int:
    """How many signs of progress there were."""
    return _beats
