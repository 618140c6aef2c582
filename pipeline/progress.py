"""Progress on a terminal: documents, documents a second, estimated end. Quiet elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from ..models.heartbeat import beat
from ..models.units import Plan
from .logs import is_terminal
from .metrics import Metrics
from .watching import NOBODY, Watch


class Progress:
    """A bar over the bytes of the input, with rows counted beside it."""

    def __init__(self, plan: Plan, *, show: bool | None = None, watch: Watch = NOBODY) -> None:
        """Shows nothing yet.

        Args:
            show: None to show on a terminal only.
            watch: is told the same.
        """
        self._plan = plan
        self._watch = watch
        self._rows = 0
        self._began = time.monotonic()
        self._bar: Any = None
        if is_terminal(sys.stderr) if show is None else show:
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                TextColumn,
                TimeElapsedColumn,
                TimeRemainingColumn,
            )
            from rich.progress import (
                Progress as Bar,
            )

            self._bar = Bar(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f} %  {task.fields[rate]}"),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
            )
            self._task = self._bar.add_task(
                "scrubbing", total=self._weight(range(len(plan.units))), rate=""
            )

    def __enter__(self) -> Progress:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def left(self, units: Sequence[int]) -> None:
        """Says what is still to be done."""
        self._watch.began(units)
        if self._bar is not None:
            all_units = self._weight(range(len(self._plan.units)))
            self._bar.update(self._task, completed=all_units - self._weight(units))

    def rows(self, rows: int) -> None:
        """Says that a batch is being worked on."""
        beat()
        self._rows += rows
        self._watch.rows(rows)
        if self._bar is not None:
            seconds = max(time.monotonic() - self._began, 1e-3)
            self._bar.update(
                self._task, rate=f"{self._rows:,} documents, {self._rows / seconds:,.0f}/s"
            )

    def done(self, units: Sequence[int], metrics: Metrics) -> None:
        """Says that units are finished, and what was measured until now."""
        self._watch.done(units, metrics)
        if self._bar is not None:
            self._bar.advance(self._task, self._weight(units))

    def retried(self, what: str) -> None:
        """Says that a worker died, or a unit or job failed, and its work is done again."""
        self._watch.retried(what)

    def promoting(self, parts: int) -> None:
        """Begins the bar of the promotion."""
        self._watch.publishing(parts)
        if self._bar is not None:
            self._task = self._bar.add_task("publishing", total=parts, rate=f"{parts:,} files")

    def moved(self) -> None:
        """Says that one file is published."""
        self._watch.moved()
        if self._bar is not None:
            self._bar.advance(self._task)

    def _weight(self, units: Sequence[int]) -> int:
        # An empty unit still has to be done: it weighs something.
        return sum(self._plan.units[unit].bytes + 1 for unit in units)
