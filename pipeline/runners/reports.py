"""Reports of where the work is, for `ReadUnits`: Beam pickles them, so they hold numbers alone."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
from collections.abc import Callable, Iterator
from typing import Any

Listener = Callable[[int, int, int], None]
"""Is called with unit, first row and rows of a batch; see `ReadUnits.report`."""


class PipeReport:
    """A report that writes lines into a pipe of this process: {"at": [unit, first row, rows]}."""

    def __init__(self, descriptor: int) -> None:
        """Takes the number of a file that stays open as long as this process lives."""
        self._descriptor = descriptor

    def __call__(self, unit: int, row: int, rows: int) -> None:
        """Writes down which batch is being worked on."""
        write_line(self._descriptor, {"at": [unit, row, rows]})


def write_line(descriptor: int, value: dict[str, Any]) -> None:
    """Writes a JSON object and a line break."""
    line = memoryview(json.dumps(value).encode() + b"\n")
    while line:
        line = line[os.write(descriptor, line) :]


class LocalReport:
    """A report that calls a listener of this process, as long as `reporting_to` is open."""

    def __init__(self, number: int) -> None:
        self._number = number

    def __call__(self, unit: int, row: int, rows: int) -> None:
        """Calls the listener."""
        # Threads of a pipeline that was given up may go on for a while: none listens to them.
        if (listener := _listeners.get(self._number)) is not None:
            listener(unit, row, rows)


_numbers = itertools.count()
_listeners: dict[int, Listener] = {}


@contextlib.contextmanager
def reporting_to(listener: Listener) -> Iterator[LocalReport]:
    """Gives a report that calls `listener`, from any thread of this process."""
    number = next(_numbers)
    _listeners[number] = listener
    try:
        yield LocalReport(number)
    finally:
        del _listeners[number]
