"""A run in Prometheus' text format, for the textfile collector of node_exporter.

Source: Prometheus documentation, "Exposition formats", text-based format 0.0.4. All are gauges: a
textfile shows the last run, and sums over runs are for the database that reads it.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterable, Mapping

PREFIX = "scrubline_"
_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclasses.dataclass(frozen=True, slots=True)
class Gauge:
    """One gauge with its samples.

    Attributes:
        name: without the prefix.
        help: what it tells, and its unit.
        samples: labels, as pairs in order, and value; none leaves the gauge out.
    """

    name: str
    help: str
    samples: tuple[tuple[tuple[tuple[str, str], ...], float], ...]

    def __post_init__(self) -> None:
        names = (self.name, *(key for labels, _ in self.samples for key, _ in labels))
        if bad := [name for name in names if not _NAME.fullmatch(name)]:
            raise ValueError(f"no names of Prometheus: {bad}")


def gauge(name: str, help: str, value: float | None) -> Gauge:
    """A gauge without labels; None leaves it out."""
    return Gauge(name, help, () if value is None else (((), value),))


def labelled(name: str, help: str, label: str, values: Mapping[str, float]) -> Gauge:
    """A gauge with a sample for each value of one label, sorted."""
    return Gauge(name, help, tuple((((label, key),), n) for key, n in sorted(values.items())))


def rendered(gauges: Iterable[Gauge]) -> str:
    """The text of the file.

    Raises:
        ValueError: if a name comes twice.
    """
    lines: list[str] = []
    seen: set[str] = set()
    for one in gauges:
        if one.name in seen:
            raise ValueError(f"gauge {one.name} comes twice")
        seen.add(one.name)
        if not one.samples:
            continue
        name = PREFIX + one.name
        told = one.help.replace("\\", "\\\\").replace("\n", "\\n")
        lines += [f"# HELP {name} {told}", f"# TYPE {name} gauge"]
        for labels, value in one.samples:
            inner = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels)
            lines.append(
                f"{name}{{{inner}}} {_number(value)}" if inner else f"{name} {_number(value)}"
            )
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def _number(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return repr(value)


def value_in(text: str, name: str) -> float | None:
    """The value of a gauge without labels in a file that `rendered` wrote; None if it has none."""
    found = re.search(rf"^{PREFIX}{name} (\S+)$", text, re.MULTILINE)
    try:
        return float(found[1]) if found else None
    except ValueError:
        return None
