"""A run in Prometheus' text format, for the textfile collector of node_exporter.

All are gauges: a textfile shows the last run, and sums over runs are up to the database that reads
it. The library is loaded when a file is written.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

PREFIX = "scrubline_"
_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclasses.dataclass(frozen=True, slots=True)
class Gauge:
    """One gauge with its samples.

    Attributes:
        name: without the prefix.
        help: what it shows, and its unit.
        samples: labels, as pairs of name and value, and number; without any the gauge is left out.
            All have the same names of labels.
    """

    name: str
    help: str
    samples: tuple[tuple[tuple[tuple[str, str], ...], float], ...]

    def __post_init__(self) -> None:
        names = (self.name, *(key for labels, _ in self.samples for key, _ in labels))
        if bad := [name for name in names if not _NAME.fullmatch(name)]:
            raise ValueError(f"not valid as names of Prometheus: {bad}")


def gauge(name: str, help: str, value: float | None) -> Gauge:
    """A gauge without labels; None leaves it out."""
    return Gauge(name, help, () if value is None else (((), value),))


def labelled(name: str, help: str, label: str, values: Mapping[str, float]) -> Gauge:
    """A gauge with a sample for each value of one label, sorted."""
    return Gauge(name, help, tuple((((label, key),), n) for key, n in sorted(values.items())))


def rendered(gauges: Iterable[Gauge]) -> str:
    """The text of the file.

    Raises:
        ValueError: if two gauges have one name.
    """
    from prometheus_client import generate_latest

    return generate_latest(_Collected(tuple(gauges))).decode()


class _Collected:
    """Gauges as `prometheus_client` takes them."""

    def __init__(self, gauges: Sequence[Gauge]) -> None:
        names = Counter(gauge.name for gauge in gauges)
        if repeated := [name for name, count in names.items() if count > 1]:
            raise ValueError(f"two gauges have one name: {repeated}")
        self._gauges = gauges

    def collect(self) -> Iterator[Any]:
        """Yields a family a gauge that has samples."""
        from prometheus_client.core import GaugeMetricFamily

        for gauge in self._gauges:
            if gauge.samples:
                names = [key for key, _ in gauge.samples[0][0]]
                family = GaugeMetricFamily(PREFIX + gauge.name, gauge.help, labels=names)
                for labels, value in gauge.samples:
                    family.add_metric([text for _, text in labels], value)
                yield family


def value_in(text: str, name: str) -> float | None:
    """The value of a gauge without labels in a file that `rendered` wrote; None if it has none."""
    found = re.search(rf"^{PREFIX}{name} (\S+)$", text, re.MULTILINE)
    try:
        return float(found[1]) if found else None
    except ValueError:
        return None
