"""The supervisor: N child processes pull small groups of units; a dead child is replaced.

A unit in whose batches a child died twice is run in isolation, row by row. A row at which a child
then died twice more goes on the recorded skip-list and so to quarantine. Time decides nothing of
this: the watchdog may kill a silent child, which then counts as a death like any other.

Short memory is no property of a document. A child that says that the machine falls short
(`Shortage`), or that was killed by a SIGKILL which was not sent from here, blames no row: its unit
is run with smaller batches, then row by row by one child alone, then the run ends and names unit
and row. Only an operator can leave that row out (`resume --skip`).

No Beam is imported here: the supervisor must start fast and outlive what kills its children.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
import logging
import os
import selectors
import signal
import subprocess
import sys
import time
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from typing import Any

from ...models.core import errors
from ...models.core.errors import RunFailed, ScrublineError, Shortage
from ...models.core.heartbeat import record_heartbeat
from ...models.core.shortage import MEMORY, THREADS, Pace, named_shortage, shortage_of
from ...models.jobs.amendments import RunAmendments
from ...models.jobs.job import Job
from ...models.jobs.plan import Plan
from ...models.jobs.receipts import receipt_url
from ...models.storage.retries import failure_class
from ...models.storage.storage import Storage
from ..observer import NULL_OBSERVER, RunObserver
from ..process.cgroups import address_space_is_limited, oom_kills
from ..process.shutdown import CHILDREN
from ..unit_groups import group_length
from .worker import SHORT

_log = logging.getLogger(__name__)

DEATHS_UNTIL_ISOLATION = 2
DEATHS_UNTIL_SKIP = 2
DEATHS_WHILE_READING = 3
"""In isolation, before any row is worked on: no row can be blamed, so the run ends."""
TRIES_AFTER_ERRORS = 3
TRIES_ALONE = 2
"""Of a unit for which there is too little memory row by row, in one child alone."""
STARTS_WITHOUT_WORK = 3
"""Deaths of children that did nothing, a worker, in a row: it is not the documents then."""
START_SECONDS = 120.0
"""The least patience with a child that imports or opens its models: it can show nothing then."""
# -P: else modules are looked for in the current folder first, and whoever can write there can run
# code beside notes and key.
COMMAND = (sys.executable, "-P", "-m", "scrubline.pipeline.runners.worker")


@dataclasses.dataclass(slots=True)
class _Child:
    """A child process.

    Attributes:
        units: what it was given and has not answered for; empty if it is idle.
        pace: how large its batches are.
        alone: whether no other child may run beside it.
        dismissed: whether it was killed from here, and not for being silent.
        at: unit, first row and rows that it works on; None until it begins with a group.
        heard: when it last said something or was given work, by the monotonic clock.
        buffer: the beginning of a line that has not ended yet.
    """

    process: subprocess.Popen[bytes]
    units: list[int] = dataclasses.field(default_factory=list)
    pace: Pace = Pace.FULL
    alone: bool = False
    dismissed: bool = False
    at: tuple[int, int, int] | None = None
    heard: float = 0.0
    buffer: bytes = b""


@dataclasses.dataclass(frozen=True, slots=True)
class WorkerSettings:
    """How the children of a supervisor are run.

    Attributes:
        workers: number of child processes.
        watchdog_seconds: a child that reports nothing for so long over one batch is killed.
        log_level, log_format: of the children.
        command: starts a child.
    """

    workers: int
    watchdog_seconds: float = 900.0
    log_level: str = "WARNING"
    log_format: str = "text"
    command: Sequence[str] = COMMAND


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
        settings: WorkerSettings,
        observer: RunObserver = NULL_OBSERVER,
    ) -> None:
        """Starts nothing yet.

        Args:
            storage: where receipts and the skip-list are.
            job: must be frozen, with its plan: children read it.
            plan: all units of the run.
            settings: how many children, and how they are started.
            observer: is called with batches, finished groups and retries.
        """
        self._storage, self._job, self._plan = storage, job, plan
        self._settings, self._observer = settings, observer
        self._workers = settings.workers  # fewer, once the machine falls short
        self._started = 0
        self._waiting: deque[int] = deque()
        self._isolated: deque[int] = deque()
        self._alone: deque[int] = deque()
        self._small: set[int] = set()
        self._short_alone: Counter[int] = Counter()
        self._oom_kills = oom_kills()
        self._limited = address_space_is_limited()
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
            Shortage: if the machine lacks what a row needs even alone, or a child to start.
            UsageError: if a worker refuses the job.
        """
        self._waiting.extend(largest_first(self._plan, units))
        try:
            while self._left_over() or any(child.units for child in self._children):
                self._assign()
                self._listen()
                self._watch()
        finally:
            self._stop()

    def _left_over(self) -> bool:
        return bool(self._waiting or self._isolated or self._alone)

    def _assign(self) -> None:
        """Gives work to idle children, and starts children while there is more work than they."""
        while self._waiting or self._isolated:
            child = next((child for child in self._children if not child.units), None)
            if child is None and len(self._children) < self._workers:
                child = self._start()
            if child is None:
                return
            if self._isolated:
                self._give(child, [self._isolated.popleft()], Pace.SINGLE)
            else:
                self._give(child, *self._group())
        if self._alone and not any(child.units for child in self._children):
            # Idle ones hold their models in memory, and this one what it fell short with.
            self._dismiss(*self._children)
            if (child := self._start()) is not None:
                child.alone = True
                self._give(child, [self._alone.popleft()], Pace.SINGLE)

    def _give(self, child: _Child, units: list[int], pace: Pace) -> None:
        child.units, child.pace = units, pace
        child.at, child.heard = None, time.monotonic()
        self._send(child, {"units": units, "pace": pace})

    def _start(self) -> _Child | None:
        """A new child; None if there cannot be one more, and others go on.

        Raises:
            Shortage: if there is no child, and there cannot be one.
            RunFailed: if it cannot be started for another reason.
        """
        problem, lack = "", None
        try:
            # A group of its own: Ctrl-C is for the supervisor, which then stops its children.
            process = subprocess.Popen(
                self._settings.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                process_group=0,
            )
        except OSError as error:
            problem, lack = failure_class(error), shortage_of(error)
        if lack is not None:
            if not self._children:
                raise Shortage(f"a worker cannot be started ({problem}): {lack}")
            self._workers = len(self._children)
            _log.warning("only %d workers can be started: %s", self._workers, lack)
            return None
        if problem:
            raise RunFailed(f"a worker cannot be started: {problem}")
        CHILDREN.add(process)
        child = _Child(process, heard=time.monotonic())
        self._children.append(child)
        assert process.stdout is not None
        self._selector.register(process.stdout, selectors.EVENT_READ, child)
        self._started += 1
        hello = {"log_format": self._settings.log_format, "worker": self._started}
        self._send(
            child, {"job": self._job.to_json(), "log_level": self._settings.log_level, **hello}
        )
        return child

    def _send(self, child: _Child, value: dict[str, Any]) -> None:
        assert child.process.stdin is not None
        try:
            child.process.stdin.write(json.dumps(value).encode() + b"\n")
        except OSError:
            # Its output has ended too: _listen sees to it.
            _log.info("a worker died before it was given work")

    def _group(self) -> tuple[list[int], Pace]:
        if self._waiting[0] in self._small:
            return [self._waiting.popleft()], Pace.SMALL
        share = max(1, len(self._waiting) // (4 * self._workers))
        full = itertools.takewhile(lambda unit: unit not in self._small, self._waiting)
        count = group_length((self._plan.units[unit].bytes for unit in full), share)
        return [self._waiting.popleft() for _ in range(count)], Pace.FULL

    def _listen(self) -> None:
        """Waits up to a second for answers, and reaps workers that have ended."""
        events = self._selector.select(timeout=min(1.0, self._settings.watchdog_seconds / 4))
        for key, _ in events:
            child: _Child = key.data
            data = os.read(key.fd, 1 << 16)
            if not data:
                self._reap(child)
                continue
            child.heard = time.monotonic()
            record_heartbeat()
            *lines, child.buffer = (child.buffer + data).split(b"\n")
            try:
                answers = [json.loads(line) for line in lines]
            except ValueError:
                _log.warning("killing a worker: it sent a malformed message")
                child.dismissed = True
                child.process.kill()
                self._reap(child)
                continue
            for answer in answers:
                if not child.dismissed:
                    self._on_message(child, answer)
        if not events:
            # A pipe stays open after its child died if a process that the child started holds it.
            for child in [one for one in self._children if one.process.poll() is not None]:
                self._reap(child)

    def _watch(self) -> None:
        now = time.monotonic()
        for child in [one for one in self._children if one.units]:
            patience = (
                self._settings.watchdog_seconds
                if child.at
                else max(self._settings.watchdog_seconds, START_SECONDS)
            )
            if now - child.heard > patience:
                _log.warning("killing a worker: it sent nothing for %.0f s", patience)
                child.dismissed = True
                child.process.kill()
                self._reap(child)

    def _on_message(self, child: _Child, answer: dict[str, Any]) -> None:
        if "error" not in answer:
            self._idle_deaths = 0
        if at := answer.get("at"):
            child.at = (at[0], at[1], at[2])
            self._observer.batch_began(at[2])
            return
        units, child.units = child.units, []
        if "done" in answer:
            self._observer.units_done(units, answer["metrics"])
            if len(self._children) > self._workers:
                self._dismiss(child)
            return
        error = _error_named(answer["error"])
        if issubclass(error, Shortage):
            # What it holds, and may have lost, the next one need not have.
            self._dismiss(child)
            self._fall_short(child, units, answer["message"])
            return
        culprit = child.at[0] if child.at else units[0]
        self._errors[culprit] += 1
        if issubclass(error, errors.UsageError) or self._errors[culprit] >= TRIES_AFTER_ERRORS:
            raise error(answer["message"])
        _log.warning("unit %d failed and is tried again: %s", culprit, answer["message"])
        self._observer.retried("unit")
        self._waiting.extendleft(reversed(self._without_receipt(units)))

    def _reap(self, child: _Child) -> None:
        """A child died: the unit it was at is blamed, the others are given back."""
        code = self._end(child)
        if not child.units:
            _log.info("an idle worker ended (%d)", code)
            return
        if (lack := self._lack_at(child, code)) is not None:
            self._fall_short(child, child.units, lack)
            return
        left = self._without_receipt(child.units)
        _log.warning("a worker ended (%d) with %d units unfinished", code, len(left))
        self._observer.retried("worker")
        if child.at is None:
            self._idle_deaths += 1
            if self._idle_deaths >= STARTS_WITHOUT_WORK * self._workers:
                raise RunFailed(
                    f"workers exit before they start to work (exit code {code}); if memory is "
                    "short, use fewer --workers"
                )
            if child.pace is Pace.SINGLE:
                (self._alone if child.alone else self._isolated).extend(left)
                return
        elif child.at[0] in left:
            left.remove(child.at[0])
            self._attribute_crash(child, *child.at[:2])
        self._waiting.extendleft(reversed(left))

    def _attribute_crash(self, child: _Child, unit: int, row: int) -> None:
        self._deaths[unit] += 1
        if child.pace is Pace.SINGLE:
            self._row_deaths[unit, row] += 1
            deaths = self._row_deaths[unit, row]
            if row < 0 and deaths >= DEATHS_WHILE_READING:
                raise RunFailed(
                    f"workers die while reading unit {unit}, and no single row is to blame; "
                    "plan.parquet and files.parquet under restricted/ name its inputs"
                )
            if row >= 0 and deaths >= DEATHS_UNTIL_SKIP:
                _log.warning("unit %d, row %d kills workers: it goes on the skip-list", unit, row)
                rework = RunAmendments.read(self._storage, self._job.restricted)
                rework.skipping(unit, row, "KillsWorker").write(self._storage, self._job.restricted)
        if child.alone:
            self._alone.append(unit)
        elif self._deaths[unit] >= DEATHS_UNTIL_ISOLATION:
            self._isolated.append(unit)
        else:
            self._waiting.appendleft(unit)

    def _lack_at(self, child: _Child, code: int) -> str | None:
        """What the machine lacked, if a child's end must be put down to that and not to a row."""
        before, self._oom_kills = self._oom_kills, max(self._oom_kills, oom_kills())
        if code == -signal.SIGKILL and not child.dismissed:
            if self._oom_kills > before:
                return f"the kernel killed a worker because {MEMORY}"
            return (
                "a worker was killed from outside (SIGKILL), as happens where memory is short: "
                f"{MEMORY.remedy}"
            )
        if code == SHORT:
            return str(MEMORY)
        # A library that gets no memory crashes, or waits for a thread that could not be started.
        if self._limited and (code in _CRASHES or code == -signal.SIGKILL):
            return (
                f"a worker ended ({code}) where ulimit -v or -d limits memory, so no row is to "
                f"blame: {MEMORY.remedy}"
            )
        return None

    def _fall_short(self, child: _Child, units: Sequence[int], lack: str) -> None:
        """A child had too little of something: the unit it was at goes one step down."""
        self._observer.retried("worker")
        left = self._without_receipt(units)
        _log.warning("a worker ran out of resources with %d units unfinished: %s", len(left), lack)
        if self._workers > 1 and (child.at is None or any(sign in lack for sign in _EASED)):
            self._workers -= 1
            _log.warning("the run goes on with at most %d workers", self._workers)
        if child.at is None:
            self._idle_deaths += 1
            if self._idle_deaths >= STARTS_WITHOUT_WORK * self._workers:
                raise Shortage(f"workers cannot start to work: {lack}")
        elif child.at[0] in left:
            left.remove(child.at[0])
            self._step_down(child, *child.at[:2], lack)
        if child.pace is Pace.SINGLE:
            (self._alone if child.alone else self._isolated).extend(left)
        else:
            self._waiting.extendleft(reversed(left))

    def _step_down(self, child: _Child, unit: int, row: int, lack: str) -> None:
        if child.alone:
            self._short_alone[unit] += 1
            if self._short_alone[unit] >= TRIES_ALONE:
                raise Shortage(named_shortage(unit, row, lack))
        if child.pace is Pace.FULL and unit not in self._small:
            self._small.add(unit)
            self._waiting.appendleft(unit)
        else:
            self._alone.append(unit)

    def _dismiss(self, *children: _Child) -> None:
        """Ends children that have nothing to do."""
        for child in children:
            child.dismissed = True
            child.process.kill()
            self._end(child)

    def _end(self, child: _Child) -> int:
        """Waits for the end of a child; gives its exit code."""
        assert child.process.stdout is not None
        self._selector.unregister(child.process.stdout)
        code = child.process.wait()
        _close(child)
        self._children.remove(child)
        return code

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


_NO_THREAD_DATA = 127
"""Exit code with which the dynamic loader ends a process for lack of memory."""
_CRASHES = (-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS, _NO_THREAD_DATA)
_EASED = (MEMORY.lack, THREADS.lack)
"""What is said of a shortage that fewer workers may ease."""


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
