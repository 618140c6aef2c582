"""The supervisor: N child processes pull small groups of units; a dead child is replaced.

A unit in whose batches a child died twice is run in isolation, row by row. A row at which a child then died
twice more goes on the recorded skip-list and so to quarantine. Time decides nothing of this: the watchdog may
kill a silent child, which then counts as a death like any other.

No Beam is imported here: the supervisor must start fast and outlive what kills its children.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import os
import selectors
import subprocess
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..models import errors
from ..models.errors import RunFailed
from ..models.job import Job
from ..models.receipts import receipt_url
from ..models.rework import Rework
from ..models.storage import Storage
from ..models.units import Plan

_log = logging.getLogger(__name__)

DEATHS_UNTIL_ISOLATION = 2
DEATHS_UNTIL_SKIP = 2
TRIES_AFTER_ERRORS = 3
STARTS_WITHOUT_WORK = 3
GROUP_UNITS, GROUP_BYTES = 64, 8_000_000
"""A group is small, so that workers end together and little is repeated; not smaller, as a pipeline costs 0.2 s."""


@dataclasses.dataclass(slots=True)
class _Child:
    process: subprocess.Popen[bytes]
    units: list[int] = dataclasses.field(default_factory=list)
    isolate: bool = False
    at: tuple[int, int, int] | None = None
    heard: float = 0.0
    buffer: bytes = b""


class Supervisor:
    """Runs units of a plan in child processes until all have receipts.

    Attributes:
        metrics: called with the metrics of each finished group.
    """

    def __init__(
        self,
        storage: Storage,
        job: Job,
        plan: Plan,
        *,
        workers: int,
        watchdog_seconds: float = 900.0,
        log_level: str = "WARNING",
        on_rows: Callable[[int], None] = lambda rows: None,
        on_done: Callable[
            [Sequence[int], dict[str, dict[str, int]]], None
        ] = lambda units, metrics: None,
        command: Sequence[str] = (sys.executable, "-m", "scrubline.pipeline.worker"),
    ) -> None:
        """Starts nothing yet.

        Args:
            workers: number of child processes.
            watchdog_seconds: a child that says nothing for so long is killed.
            on_rows: called with the rows of each batch begun.
            on_done: called with each finished group.
            command: starts a child.
        """
        self._storage, self._job, self._plan = storage, job, plan
        self._workers, self._watchdog, self._level = workers, watchdog_seconds, log_level
        self._on_rows, self._on_done, self._command = on_rows, on_done, command
        self._waiting: deque[int] = deque()
        self._isolated: deque[int] = deque()
        self._deaths: Counter[int] = Counter()
        self._row_deaths: Counter[tuple[int, int]] = Counter()
        self._errors: Counter[int] = Counter()
        self._idle_deaths = 0
        self._children: list[_Child] = []
        self._selector = selectors.DefaultSelector()

    def run(self, units: Iterable[int]) -> None:
        """Runs the units; returns when each has its receipt.

        Raises:
            RunFailed: if a unit keeps failing for a reason that is not one of its documents.
            UsageError: if a worker refuses the job.
        """
        self._waiting.extend(units)
        try:
            for _ in range(min(self._workers, len(self._waiting))):
                self._start()
            while self._waiting or self._isolated or any(child.units for child in self._children):
                self._hand_out()
                self._listen()
        finally:
            self._stop()

    def _start(self) -> None:
        process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        child = _Child(process, heard=time.monotonic())
        self._children.append(child)
        assert process.stdout is not None
        self._selector.register(process.stdout, selectors.EVENT_READ, child)
        self._send(child, {"job": self._job.to_json(), "log_level": self._level})

    def _send(self, child: _Child, value: dict[str, Any]) -> None:
        assert child.process.stdin is not None
        try:
            child.process.stdin.write(json.dumps(value).encode() + b"\n")
        except OSError:
            _log.info(
                "a worker was dead before it got its work"
            )  # its pipe ends too: _listen sees to it

    def _hand_out(self) -> None:
        for child in self._children:
            if child.units:
                continue
            if self._isolated:
                child.units, child.isolate = [self._isolated.popleft()], True
            elif self._waiting:
                child.units, child.isolate = self._group(), False
            else:
                continue
            child.at, child.heard = None, time.monotonic()
            self._send(child, {"units": child.units, "isolate": child.isolate})

    def _group(self) -> list[int]:
        share = max(1, len(self._waiting) // (4 * self._workers))
        group, size = [self._waiting.popleft()], 0
        while self._waiting and len(group) < min(share, GROUP_UNITS) and size < GROUP_BYTES:
            size += self._plan.units[self._waiting[0]].bytes
            group.append(self._waiting.popleft())
        return group

    def _listen(self) -> None:
        for key, _ in self._selector.select(timeout=1.0):
            child: _Child = key.data
            data = os.read(key.fd, 1 << 16)
            if not data:
                self._bury(child)
                continue
            child.heard = time.monotonic()
            *lines, child.buffer = (child.buffer + data).split(b"\n")
            for line in lines:
                self._hear(child, json.loads(line))
        for child in self._children:
            if child.units and time.monotonic() - child.heard > self._watchdog:
                _log.warning("a worker was silent for %.0f s and is killed", self._watchdog)
                child.process.kill()
                child.heard = time.monotonic()

    def _hear(self, child: _Child, answer: dict[str, Any]) -> None:
        if at := answer.get("at"):
            child.at = (at[0], at[1], at[2])
            self._on_rows(at[2])
            return
        units, child.units = child.units, []
        self._idle_deaths = 0
        if "done" in answer:
            self._on_done(units, answer["metrics"])
            return
        error: type[Exception] = getattr(errors, answer["error"], RunFailed)
        culprit = child.at[0] if child.at else units[0]
        self._errors[culprit] += 1
        if issubclass(error, errors.UsageError) or self._errors[culprit] >= TRIES_AFTER_ERRORS:
            raise error(answer["message"])
        _log.warning("unit %d failed and is tried again: %s", culprit, answer["message"])
        self._waiting.extendleft(reversed(self._without_receipt(units)))

    def _bury(self, child: _Child) -> None:
        """A child died: its unit is blamed, its work given back, a new child started."""
        assert child.process.stdout is not None
        self._selector.unregister(child.process.stdout)
        code = child.process.wait()
        _close(child)
        self._children.remove(child)
        left = self._without_receipt(child.units)
        _log.warning("a worker ended (%d) with %d units unfinished", code, len(left))
        if not child.at:
            self._idle_deaths += 1
            if self._idle_deaths >= STARTS_WITHOUT_WORK * self._workers:
                raise RunFailed(f"workers end before they begin to work (exit code {code})")
        else:
            self._idle_deaths = 0
            unit, row, _ = child.at
            if unit in left:
                self._blame(child, unit, row)
                left.remove(unit)
        self._waiting.extendleft(reversed(left))
        self._start()

    def _blame(self, child: _Child, unit: int, row: int) -> None:
        self._deaths[unit] += 1
        if child.isolate and row >= 0:
            self._row_deaths[unit, row] += 1
            if self._row_deaths[unit, row] >= DEATHS_UNTIL_SKIP:
                _log.warning("unit %d, row %d kills workers: it goes on the skip-list", unit, row)
                rework = Rework.read(self._storage, self._job.restricted)
                rework.skipping(unit, row, "KillsWorker").write(self._storage, self._job.restricted)
        elif child.isolate and self._deaths[unit] > DEATHS_UNTIL_ISOLATION + DEATHS_UNTIL_SKIP:
            raise RunFailed(f"workers die while they read unit {unit}: no row of it can be blamed")
        if self._deaths[unit] >= DEATHS_UNTIL_ISOLATION:
            self._isolated.append(unit)
        else:
            self._waiting.appendleft(unit)

    def _without_receipt(self, units: Sequence[int]) -> list[int]:
        """A child may die between a receipt and its answer: what has its receipt is done."""
        return [
            unit
            for unit in units
            if not self._storage.exists(receipt_url(self._job.staging, self._plan.units[unit].name))
        ]

    def _stop(self) -> None:
        for child in self._children:
            child.process.kill()  # whatever it writes is invisible until whole; a receipt is the last of it
        for child in self._children:
            child.process.wait()
            _close(child)
        self._children.clear()
        self._selector.close()


def _close(child: _Child) -> None:
    for pipe in (child.process.stdin, child.process.stdout):
        if pipe is not None:
            try:
                pipe.close()
            except OSError:
                pass
