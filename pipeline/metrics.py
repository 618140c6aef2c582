"""Metrics of a run: plain numbers, without Beam, so that the supervisor can add them up."""

from __future__ import annotations

import contextlib
import resource
import sys
from collections import Counter

Metrics = dict[str, dict[str, int]]
"""Step -> counter (or distribution's sum, count, max) -> value."""


def add_metrics(total: Metrics, more: Metrics) -> None:
    """Adds `more` to `total` in place; maxima stay maxima."""
    for step, values in more.items():
        known = Counter(total.setdefault(step, {}))
        for name, value in values.items():
            known[name] = max(known[name], value) if name.endswith("_max") else known[name] + value
        total[step] = dict(known)


def peak_memory() -> int:
    """Most bytes that this process ever held resident."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        # What `getrusage` says begins with the memory of the process that started this one.
        with open("/proc/self/status", encoding="ascii") as stream:
            (line,) = (line for line in stream if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
