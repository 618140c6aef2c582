"""The supervisor: N child processes pull small groups of units; a dead child is replaced.

A unit in whose batches a child died twice is run in isolation, row by row. A row at which a child
then died twice more goes on the recorded skip-list and so to quarantine. Time decides nothing of
this: the watchdog may kill a silent child, which then counts as a death like any other.

No Beam is imported here: the supervisor must start fast and outlive what kills its children.
"""

from __future__ import annotations

import contextlib
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
from ..models.errors import RunFailed, ScrublineError
from ..models.faults import failure_class
from ..models.job import Job
from ..models.receipts import receipt_url
from ..models.rework import Rework
from ..models.storage import Storage
from ..models.units import Plan

_log = logging.getLogger(__name__)

DEATHS_UNTIL_ISOLATION = 2
DEATHS_UNTIL_SKIP = 2
DEATHS_WHILE_READING = 3
"""In isolation, before any row is worked on: no row can be blamed, so the run ends."""
TRIES_AFTER_ERRORS = 3
STARTS_WITHOUT_WORK = 3
"""Deaths of children that did nothing, a worker, in a row: it is not the documents then."""
START_SECONDS = 120.0
"""The least patience with a child that imports or opens its models: it can show nothing then."""
GROUP_UNITS, GROUP_BYTES = 64, 8_000_000
"""Small, so that workers end together and little is repeated; but a pipeline costs 0.2 s."""
COMMAND = (sys.executable, "-m", "scrubline.pipeline.worker")


@dataclasses.dataclass(slots=True)
class _Child:
    """A child process.

    Attributes:
        units: what it was given and has not answered for; empty if it is idle.
        isolate: whether it was asked to go row by row.
        at: unit, first row and rows that it works on; None until it begins with a group.
        heard: when it last said something or was given work, by the monotonic clock.
        buffer: the beginning of a line that has not ended yet.
    """

    process: subprocess.Popen[bytes]
    units: list[int] = dataclasses.field(default_factory=list)
    isolate: bool = False
    at: tuple[int, int, int] | None = None
    heard: float = 0.0
    buffer: bytes = b""


def largest_first(plan: Plan, units: Iterable[int]) -> list[int]:
    """Units in the order in which they are begun.

    A huge one that is begun last keeps one worker busy while the others have nothing to do: with
    the largest first, the end is at most a third later than the best (Graham 1969, "Bounds on
    multiprocessing timing anomalies").
    """
    return sorted(units, key=lambda unit: (-plan.units[unit].bytes, unit))


class Supervisor:
    """Runs units of a plan in child processes until all have receipts. Good for one `run`."""

    def __init__(
        self,
        storage: Storage,
        job: Job,
        plan: Plan,
        *,
        workers: int,
        watchdog_seconds: float = 900.0,
        log_level: str = "WARNING",
        log_format: str = "text",
        on_rows: Callable[[int], None] = lambda rows: None,
        on_done: Callable[
            [Sequence[int], dict[str, dict[str, int]]], None
        ] = lambda units, metrics: None,
        on_retry: Callable[[str], None] = lambda what: None,
        command: Sequence[str] = COMMAND,
    ) -> None:
        """Starts nothing yet.

        Args:
            storage: where receipts and the skip-list are.
            job: must be frozen, with its plan: children read it.
            plan: all units of the run.
            workers: number of child processes.
            watchdog_seconds: a child that says nothing for so long over one batch is killed.
            log_level, log_format: of the children.
            on_rows: called with the rows of each batch begun.
            on_done: called with each finished group and its metrics.
            on_retry: called with "worker" when one died, with "unit" when one is tried again.
            command: starts a child.
        """
        self._storage, self._job, self._plan = storage, job, plan
        self._workers, self._watchdog, self._level = workers, watchdog_seconds, log_level
        self._log_format, self._started = log_format, 0
        self._on_rows, self._on_done, self._command = on_rows, on_done, command
        self._on_retry = on_retry
        self._waiting: deque[int] = deque()
        self._isolated: deque[int] = deque()
        self._deaths: Counter[int] = Counter()
        self._row_deaths: Counter[tuple[int, int]] = Counter()
        self._errors: Counter[int] = Counter()
        self._idle_deaths = 0
        self._children: list[_Child] = []
        self._selector = selectors.DefaultSelector()

    def run(self, units: Iterable[int]) -> None:
        """Runs the units, the largest first; returns when each has its receipt.

        Raises:
            RunFailed: if a unit keeps failing for a reason that is not one of its documents, or no
                child can work.
            UsageError: if a worker refuses the job.
        """
        self._waiting.extend(largest_first(self._plan, units))
        try:
            while self._waiting or self._isolated or any(child.units for child in self._children):
                self._hand_out()
                self._listen()
                self._watch()
        finally:
            self._stop()

    def _hand_out(self) -> None:
        """Gives work to idle children, and starts children while there is more work than they."""
        while self._waiting or self._isolated:
            child = next((child for child in self._children if not child.units), None)
            if child is None:
                if len(self._children) >= self._workers:
                    return
                child = self._start()
            child.isolate = bool(self._isolated)
            child.units = [self._isolated.popleft()] if child.isolate else self._group()
            child.at, child.heard = None, time.monotonic()
            self._send(child, {"units": child.units, "isolate": child.isolate})

    def _start(self) -> _Child:
        problem = ""
        try:
            # A group of its own: Ctrl-C is for the supervisor, which then stops its children.
            process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                process_group=0,
            )
        except OSError as error:
            problem = failure_class(error)
        if problem:
            raise RunFailed(f"a worker cannot be started: {problem}")
        child = _Child(process, heard=time.monotonic())
        self._children.append(child)
        assert process.stdout is not None
        self._selector.register(process.stdout, selectors.EVENT_READ, child)
        self._started += 1
        hello = {"log_format": self._log_format, "worker": self._started}
        self._send(child, {"job": self._job.to_json(), "log_level": self._level, **hello})
        return child

    def _send(self, child: _Child, value: dict[str, Any]) -> None:
        assert child.process.stdin is not None
        try:
            child.process.stdin.write(json.dumps(value).encode() + b"\n")
        except OSError:
            # Its output has ended too: _listen sees to it.
            _log.info("a worker was dead before it got its work")

    def _group(self) -> list[int]:
        share = max(1, len(self._waiting) // (4 * self._workers))
        group = [self._waiting.popleft()]
        size = self._plan.units[group[0]].bytes
        while self._waiting and len(group) < min(share, GROUP_UNITS) and size < GROUP_BYTES:
            size += self._plan.units[self._waiting[0]].bytes
            group.append(self._waiting.popleft())
        return group

    def _listen(self) -> None:
        """Waits up to a second for answers, and buries the dead."""
        events = self._selector.select(timeout=min(1.0, self._watchdog / 4))
        for key, _ in events:
            child: _Child = key.data
            data = os.read(key.fd, 1 << 16)
            if not data:
                self._bury(child)
                continue
            child.heard = time.monotonic()
            *lines, child.buffer = (child.buffer + data).split(b"\n")
            try:
                answers = [json.loads(line) for line in lines]
            except ValueError:
                _log.warning("a worker says what is no answer and is killed")
                child.process.kill()
                self._bury(child)
                continue
            for answer in answers:
                self._hear(child, answer)
        if not events:
            # A pipe stays open after its child died if a process that the child started holds it.
            for child in [one for one in self._children if one.process.poll() is not None]:
                self._bury(child)

    def _watch(self) -> None:
        now = time.monotonic()
        for child in [one for one in self._children if one.units]:
            patience = self._watchdog if child.at else max(self._watchdog, START_SECONDS)
            if now - child.heard > patience:
                _log.warning("a worker was silent for %.0f s and is killed", patience)
                child.process.kill()
                self._bury(child)

    def _hear(self, child: _Child, answer: dict[str, Any]) -> None:
        self._idle_deaths = 0
        if at := answer.get("at"):
            child.at = (at[0], at[1], at[2])
            self._on_rows(at[2])
            return
        units, child.units = child.units, []
        if "done" in answer:
            self._on_done(units, answer["metrics"])
            return
        error = _error_named(answer["error"])
        culprit = child.at[0] if child.at else units[0]
        self._errors[culprit] += 1
        if issubclass(error, errors.UsageError) or self._errors[culprit] >= TRIES_AFTER_ERRORS:
            raise error(answer["message"])
        _log.warning("unit %d failed and is tried again: %s", culprit, answer["message"])
        self._on_retry("unit")
        self._waiting.extendleft(reversed(self._without_receipt(units)))

    def _bury(self, child: _Child) -> None:
        """A child died: the unit it was at is blamed, the others are given back."""
        assert child.process.stdout is not None
        self._selector.unregister(child.process.stdout)
        code = child.process.wait()
        _close(child)
        self._children.remove(child)
        if not child.units:
            _log.info("an idle worker ended (%d)", code)
            return
        left = self._without_receipt(child.units)
        _log.warning("a worker ended (%d) with %d units unfinished", code, len(left))
        self._on_retry("worker")
        if child.at is None:
            self._idle_deaths += 1
            if self._idle_deaths >= STARTS_WITHOUT_WORK * self._workers:
                raise RunFailed(
                    f"workers end before they begin to work (exit code {code}; "
                    "-9 is often a lack of memory: try fewer --workers)"
                )
            if child.isolate:
                self._isolated.extend(left)
                return
        elif child.at[0] in left:
            left.remove(child.at[0])
            self._blame(child, *child.at[:2])
        self._waiting.extendleft(reversed(left))

    def _blame(self, child: _Child, unit: int, row: int) -> None:
        self._deaths[unit] += 1
        if child.isolate:
            self._row_deaths[unit, row] += 1
            deaths = self._row_deaths[unit, row]
            if row < 0 and deaths >= DEATHS_WHILE_READING:
                raise RunFailed(
                    f"workers die while they read unit {unit}, and no row of it can be blamed; "
                    "plan.parquet and files.parquet under restricted/ name its inputs"
                )
            if row >= 0 and deaths >= DEATHS_UNTIL_SKIP:
                _log.warning("unit %d, row %d kills workers: it goes on the skip-list", unit, row)
                rework = Rework.read(self._storage, self._job.restricted)
                rework.skipping(unit, row, "KillsWorker").write(self._storage, self._job.restricted)
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
            # Whatever it is writing is invisible until whole, and a receipt is the last of it.
            child.process.kill()
        for child in self._children:
            child.process.wait()
            _close(child)
        self._children.clear()
        self._selector.close()


def _error_named(name: str) -> type[ScrublineError]:
    """Our error of that name; RunFailed for those that other modules define."""
    found = getattr(errors, name, RunFailed)
    ours = isinstance(found, type) and issubclass(found, ScrublineError)
    return found if ours else RunFailed


def _close(child: _Child) -> None:
    for pipe in (child.process.stdin, child.process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
