"""Progress on a terminal: documents, documents a second, estimated end. Quiet elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from ...models.jobs.plan import Plan
from ..metrics import Metrics
from ..observer import RunObserver
from ..process.logs import is_terminal


class Progress(RunObserver):
    """A bar over the bytes of the input, with rows counted beside it; shown inside of `with`."""

    def __init__(self, plan: Plan, *, show: bool | None = None) -> None:
        """Shows nothing yet.

        Args:
            show: None to show on a terminal only.
        """
        self._plan = plan
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

    def work_began(self, units: Sequence[int]) -> None:
        """Shows how much is done already."""
        if self._bar is not None:
            all_units = self._weight(range(len(self._plan.units)))
            self._bar.update(self._task, completed=all_units - self._weight(units))

    def batch_began(self, rows: int) -> None:
        """Counts the rows, and shows how many there are a second."""
        self._rows += rows
        if self._bar is not None:
            seconds = max(time.monotonic() - self._began, 1e-3)
            self._bar.update(
                self._task, rate=f"{self._rows:,} documents, {self._rows / seconds:,.0f}/s"
            )

    def units_done(self, units: Sequence[int], metrics: Metrics) -> None:
        """Moves the bar on."""
        if self._bar is not None:
            self._bar.advance(self._task, self._weight(units))

    def publishing(self, parts: int) -> None:
        """Begins the bar of the publication."""
        if self._bar is not None:
            self._task = self._bar.add_task("publishing", total=parts, rate=f"{parts:,} files")

    def part_moved(self) -> None:
        """Moves the bar on."""
        if self._bar is not None:
            self._bar.advance(self._task)

    def _weight(self, units: Sequence[int]) -> int:
        # An empty unit still has to be done: it weighs something.
        return sum(self._plan.units[unit].bytes + 1 for unit in units)
