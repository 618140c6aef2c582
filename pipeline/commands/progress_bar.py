"""The bar of commands that take long, on a terminal; elsewhere there is none."""

from __future__ import annotations

import sys
from typing import Any

from ..process.logs import is_terminal


class ProgressBar:
    """A bar on standard error, if that is a terminal; use it with `with`."""

    def __init__(self) -> None:
        """Shows nothing yet."""
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> ProgressBar:
        if is_terminal(sys.stderr):
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[rate]}"),
                TimeElapsedColumn(),
                TextColumn("{task.fields[left]}"),
                console=Console(stderr=True),
            )
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    @property
    def is_shown(self) -> bool:
        """Whether there is a bar, from the beginning of the block on."""
        return self._bar is not None

    def begin(self, what: str, total: int | None) -> None:
        """Shows a new bar in the place of the one before.

        Args:
            what: is done.
            total: at which it is done; None if that is not known.
        """
        if self._bar is not None:
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._task = self._bar.add_task(what, total=total, rate="", left="")

    def move(self, done: int, *, rate: str = "", left: str = "") -> None:
        """Moves the bar on, with words about the rate and the time that is left."""
        if self._bar is not None:
            self._bar.update(self._task, completed=done, rate=rate, left=left)

    def say(self, line: str) -> None:
        """Prints a line above the bar."""
        if self._bar is not None:
            self._bar.console.print(line, highlight=False)


def shown_time(seconds: float) -> str:
    """A time for people: "40 s", "12 min", "3.5 h"."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
