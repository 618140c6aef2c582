"""Metrics of a run: plain numbers, without Beam, so that the supervisor can add them up."""

from __future__ import annotations

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
