"""What monitoring reads of a run: a report (JSON) and a file of metrics (Prometheus).

Both hold counts, classes, hashes and times; no text, no id, no name or URL of an input.
"""

from __future__ import annotations

import contextlib
import datetime
import importlib.metadata
import json
import logging
import os
import platform
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...models.core.errors import (
    OutputBusy,
    ScrublineError,
    StorageError,
    UsageError,
    error_class,
)
from ...models.jobs.job import CODE_VERSION, Job
from ...models.jobs.output_rows import Tally
from ...models.jobs.plan import Plan
from ...models.jobs.receipts import Receipt
from ...models.storage.places import is_inside, is_same, local_path
from ...models.storage.storage import Storage
from ..metrics import Metrics, add_metrics, peak_memory
from ..observer import RunObserver
from ..outputs.predictions import MEMORY
from ..outputs.publishing import part_digest
from ..process.exit_codes import STATES, ExitCode, exit_code_of
from ..process.logs import about_run
from .gauges import gauges_of
from .prometheus import rendered, value_in

_log = logging.getLogger(__name__)

SCHEMA = 1
"""Raised when a field of the report changes its meaning or goes; fields may be added."""

REPORT_BEGINS = (b'{\n "schema": ',)
METRICS_BEGIN = (b"# HELP scrubline_", b"scrubline_")
"""How the two files begin: over others nothing is written."""

REFRESH_SECONDS = 15.0
"""As often as Prometheus usually asks."""

MOST_WARNINGS = 50
"""Different ones whose text is kept."""

_LIBRARIES = ("scrubline", "apache-beam", "pyarrow", "numpy", "fsspec")


def require_apart(
    storage: Storage, report: str | None, metrics_file: str | None, places: Sequence[str]
) -> None:
    """Refuses to write report or metrics over something else.

    Args:
        places: inputs and output; in none of them may a file be made. A file that is there
            already, wherever it is, has to be an earlier report, or earlier metrics.

    Raises:
        UsageError: naming the option.
    """
    named = {"--report": report, "--metrics-file": metrics_file}
    targets = {option: target for option, target in named.items() if target}
    if report and metrics_file and is_same(report, metrics_file):
        raise UsageError("--report and --metrics-file are one file: give each its own")
    for option, target in targets.items():
        if any(is_inside(target, place) for place in places):
            raise UsageError(f"{option} lies in an input or in the output: give it another place")
        path = local_path(target)
        if path is not None and os.path.exists(path) and not os.path.isfile(path):
            raise UsageError(f"{option} is no file")
        ours = METRICS_BEGIN if option == "--metrics-file" else REPORT_BEGINS
        head = _head(storage, target)
        if head and not head.startswith(ours):
            raise UsageError(f"{option} is a file of something else: give it another place")


def _head(storage: Storage, target: str) -> bytes:
    """How a file begins; empty where there is none."""
    try:
        return storage.read_range(target, 0, 32)
    except (FileNotFoundError, StorageError):  # whether it can be written is seen later
        return b""


class Recorder(RunObserver):
    """Hears of a run and writes down what became of it."""

    def __init__(
        self,
        command: str,
        storage: Storage,
        *,
        report: str | None = None,
        metrics_file: str | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Writes nothing yet.

        Args:
            command: `scrub` or `resume`.
            report, metrics_file: URLs, or None for none.
            clock: seconds since 1970.
        """
        self._storage, self._clock = storage, clock
        self._report, self._metrics_file = report, metrics_file
        self._began = self._phase_began = self._refreshed = clock()
        self._phase = "planning"
        self._phases: defaultdict[str, float] = defaultdict(float)
        self._last_success: float | None = None
        self._was_read = False
        self._warnings = _Warnings()
        self._told: dict[str, Any] = {"command": command, "workers": None, "runner": None}
        self._before_work: Callable[[Storage, Job, Plan], None] | None = None
        self._retries: Counter[str] = Counter(worker=0, unit=0, job=0)
        self._forget()
        self._state, self._idle = "running", False
        self._error: dict[str, str | None] | None = None

    def _forget(self) -> None:
        """Knows of no run yet."""
        self._is_earlier = False
        self._job: Job | None = None
        self._plan: Plan | None = None
        self._night: Mapping[str, int] | None = None
        self._manifest: Mapping[str, Any] | None = None
        self._tally: Tally | None = None
        self._metrics: Metrics = {}
        self._rows = self._units_done = self._bytes_done = 0
        self._units_left: int | None = None

    # -- what is asked for

    def opened(
        self,
        *,
        report: str | None,
        metrics_file: str | None,
        places: Sequence[str] = (),
        workers: int,
        runner: str,
        before_work: Callable[[Storage, Job, Plan], None] | None = None,
    ) -> None:
        """Says where to write, once `locked` comes; and how it runs.

        Args:
            before_work: called with each plan that is frozen or read back, while its phase is still
                planning: an estimate belongs there.

        Raises:
            UsageError: see `require_apart`; then nothing is written.
        """
        report, metrics_file = self._report or report, self._metrics_file or metrics_file
        self._report = self._metrics_file = None
        require_apart(self._storage, report, metrics_file, places)
        self._report, self._metrics_file = report, metrics_file
        self._told |= {"workers": workers, "runner": runner}
        self._before_work = before_work

    def locked(self) -> None:
        """Writes for the first time.

        Raises:
            UsageError: if nothing can be written there: now, and not after hours of work.
        """
        problem = ""
        try:
            self._write()
        except ScrublineError as error:
            problem = str(error)
        if problem:
            self._report = self._metrics_file = None
            raise UsageError(f"--report or --metrics-file cannot be written: {problem}")

    @contextlib.contextmanager
    def recording(self, stopped: Sequence[int] = ()) -> Iterator[Recorder]:
        """Writes what became of the run when the block ends, however that is.

        But not where another process works on the output: its report and gauges may be the same
        files, and are of a run under way.

        Args:
            stopped: signals that came, seen at the end.
        """
        logger = logging.getLogger("scrubline")
        logger.addHandler(self._warnings)
        try:
            yield self
        except OutputBusy:
            raise
        except BaseException as error:
            self._end(_state_of(error, bool(stopped)), error)
            raise
        else:
            quiet = "idle" if self._idle else "discarded"
            self._end("published" if self._manifest else quiet, None)
        finally:
            logger.removeHandler(self._warnings)

    # -- what is heard

    def planning(self) -> None:
        """What is told from now on is of tonight's run; of an earlier one if tonight is idle."""
        self._is_earlier = True
        self._enter("planning")

    def frozen(self, storage: Storage, job: Job, plan: Plan) -> None:
        """Planning is over."""
        if self._before_work is not None:
            self._before_work(storage, job, plan)
        self._forget()
        self._job, self._plan = job, plan
        self._night = plan.increment.counts if plan.increment else None
        about_run(job.run)
        self._enter("working")

    def work_began(self, units: Sequence[int]) -> None:
        """Of several rounds, the first counts: the others only number ids."""
        if self._units_left is None:
            self._units_left = len(units)
        self._enter("working")

    def batch_began(self, rows: int) -> None:
        """Refreshes the metrics now and then."""
        self._rows += rows
        self._refresh()

    def units_done(self, units: Sequence[int], metrics: Metrics) -> None:
        """Refreshes the metrics now and then."""
        assert self._plan is not None
        self._units_done += len(units)
        self._bytes_done += sum(self._plan.units[unit].bytes for unit in units)
        add_metrics(self._metrics, metrics)
        self._refresh()

    def retried(self, what: str) -> None:
        """Counts it."""
        self._retries[what] += 1

    def tallied(self, tally: Tally, receipts: Mapping[int, Receipt]) -> None:
        """The work is over."""
        self._tally = tally
        self._enter("finishing")

    def checked(self) -> None:
        """Refreshes the metrics now and then."""
        self._refresh()

    def publishing(self, parts: int) -> None:
        """Gates are passed."""
        self._enter("publishing")

    def part_moved(self) -> None:
        """Refreshes the metrics now and then."""
        self._refresh()

    def nothing_to_do(self, counts: Mapping[str, int]) -> None:
        """What was published before is as it should be."""
        self._idle, self._last_success = True, self._clock()
        if self._manifest is None:  # an earlier run was given up
            self._forget()
        self._night = counts

    def published(self, manifest: Mapping[str, Any]) -> None:
        """Keeps what the manifest says."""
        self._manifest, self._last_success = manifest, self._clock()

    def _enter(self, phase: str) -> None:
        now = self._clock()
        self._phases[self._phase] += now - self._phase_began
        self._phase, self._phase_began = phase, now
        if phase != "ended":
            self._refresh()

    # -- what is told

    def report(self) -> dict[str, Any]:
        """The report as of now; the fields are those of docs/tables.md."""
        now, job, manifest = self._clock(), self._job, self._manifest or {}
        phases = self._phases.copy()
        if self._state == "running":
            phases[self._phase] += now - self._phase_began
        counts = self._counts()
        working = phases["working"]
        seen = self._rows_seen()
        told = manifest.get("report", {})
        canaries = told.get("canaries")
        return {
            "schema": SCHEMA,
            **self._told,
            "run": job.run if job else manifest.get("run"),
            "state": self._state,
            "exit_code": int(STATES[self._state]) if self._state in STATES else None,
            "nothing_to_do": self._idle or "nothing_to_do" in manifest,
            "error": self._error,
            "started": _iso(self._began),
            "updated": _iso(now),
            "seconds": round(now - self._began, 2),
            "phases": {name: round(seconds, 2) for name, seconds in phases.items()},
            "steps": {
                step: {
                    "seconds": values["batch_ms_sum"] / 1000,
                    "batches": values.get("batch_ms_count", 0),
                    "documents": values.get("documents", 0),
                    "documents_failed": values.get("documents_failed", 0),
                }
                for step, values in self._metrics.items()
                if "batch_ms_sum" in values
            },
            "inputs": len(self._plan.files) if self._plan else None,
            "input_bytes": self._planned_bytes(),
            "units": {
                "planned": len(self._plan.units) if self._plan else None,
                "left_at_start": self._units_left,
                "done": self._units_done,
            },
            **counts,
            "incremental": dict(self._night) if self._night is not None else None,
            "repeated_ids": told.get("repeated_ids"),
            "canaries": {name: canaries[name] for name in ("all", "in_this_run")}
            if canaries
            else None,
            "throughput": {
                "rows_per_second": round(seen / working, 2) if working else None,
                "input_bytes_per_second": round(self._bytes_done / working) if working else None,
            },
            "memory": {
                "worker_peak_bytes": self._metrics.get(MEMORY[0], {}).get(MEMORY[1]),
                "launcher_peak_bytes": peak_memory(),
            },
            "retries": dict(self._retries),
            "warnings": {
                "count": self._warnings.count,
                "messages": [
                    {"message": text, "count": n} for text, n in self._warnings.texts.items()
                ],
            },
            "versions": {
                "code": CODE_VERSION,
                "python": platform.python_version(),
                **{name: _version(name) for name in _LIBRARIES},
            },
            "hashes": _hashes(job, manifest),
            "prediction": told.get("prediction"),
        }

    def _counts(self) -> dict[str, Any]:
        """Counts, labels and classes of the run, or of the output if it was published before."""
        if self._tally is not None:
            told = self._tally.to_json()
        elif self._manifest is not None:
            told = dict(self._manifest)
        else:
            told = {"counts": None, "labels": None, "errors": None}
        return {name: told[name] for name in ("counts", "labels", "errors")}

    def _planned_bytes(self) -> int | None:
        return sum(unit.bytes for unit in self._plan.units) if self._plan else None

    def _rows_seen(self) -> int:
        """Rows that workers went through; a portable engine tells its own at the end."""
        return self._rows or self._metrics.get("ReadUnits", {}).get("documents", 0)

    def metrics(self) -> str:
        """The file of metrics as of now."""
        return rendered(gauges_of(self.report(), self._progress(), self._last_success))

    def _progress(self) -> float | None:
        """Share of the planned bytes that are done, in this process or before."""
        if self._plan is None or self._units_left is None:
            return None
        if self._state == "published":
            return 1.0
        units = len(self._plan.units)
        if not units:
            return 1.0
        return min(1.0, (units - self._units_left + self._units_done) / units)

    def _refresh(self) -> None:
        now = self._clock()
        if self._metrics_file and now - self._refreshed >= REFRESH_SECONDS:
            self._refreshed = now
            self._attempt(self._write_metrics)

    def _end(self, state: str, error: BaseException | None) -> None:
        self._enter("ended")
        self._state = state
        if error is not None:
            if self._is_earlier:
                self._forget()
            # Of a foreign error the message may hold PHI.
            ours = isinstance(error, ScrublineError)
            self._error = {"class": error_class(error), "message": str(error) if ours else None}
        self._attempt(self._write_metrics)
        self._attempt(self._write_report)

    def _attempt(self, write: Callable[[], None]) -> None:
        """What is told of a run must not end it; nor must it go unsaid that it was not told."""
        try:
            write()
        except Exception as error:
            said = str(error) if isinstance(error, ScrublineError) else error_class(error)
            _log.warning("the report or the metrics of this run cannot be written: %s", said)

    def _write(self) -> None:
        self._write_metrics()
        self._write_report()

    def _write_metrics(self) -> None:
        if self._metrics_file:
            self._remember(self._metrics_file)
            self._storage.write_bytes(self._metrics_file, self.metrics().encode())

    def _remember(self, place: str) -> None:
        """Takes over what the file of the last run says of the last success."""
        if not self._was_read:
            self._was_read = True
            with contextlib.suppress(ScrublineError, ValueError, FileNotFoundError):
                text = self._storage.read_bytes(place).decode()
                before = value_in(text, "last_success_time_seconds")
                self._last_success = self._last_success or before

    def _write_report(self) -> None:
        if self._report:
            text = json.dumps(self.report(), indent=1, allow_nan=False)
            self._storage.write_bytes(self._report, text.encode() + b"\n")


class _Warnings(logging.Handler):
    """Counts our own warnings of this process; by rule they hold no PHI."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.count = 0
        self.texts: dict[str, int] = {}

    def emit(self, record: logging.LogRecord) -> None:
        self.count += 1
        text = record.getMessage()
        if text in self.texts or len(self.texts) < MOST_WARNINGS:
            self.texts[text] = self.texts.get(text, 0) + 1


def _state_of(error: BaseException, stopped: bool) -> str:
    code = exit_code_of(error)
    if code is ExitCode.FAILED:
        return "stopped" if stopped or isinstance(error, KeyboardInterrupt) else "failed"
    return next(state for state, of_state in STATES.items() if of_state is code)


def _iso(seconds: float) -> str:
    moment = datetime.datetime.fromtimestamp(seconds, datetime.UTC)
    return moment.isoformat(timespec="seconds")


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _hashes(job: Job | None, manifest: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "fingerprint": job.fingerprint if job else manifest.get("fingerprint"),
        "models": dict(zip(job.models, job.model_hashes, strict=True)) if job else None,
        "recognisers": dict(zip(job.recognisers, job.recogniser_hashes, strict=True))
        if job
        else None,
        "policy": job.policy_hash if job else None,
        "key_check": job.key_check if job else None,
        "content_digest": manifest.get("content_digest"),
        "part_digest": part_digest(manifest) if manifest else None,
    }
