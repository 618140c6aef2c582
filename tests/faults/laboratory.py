"""Where combinations are tried: inputs with planted names, a zygote, the command line, the oracle.

The oracle asks of a disturbed run: the digests of an undisturbed one; or a code that the
documentation has, nothing published, a message without a name and without a traceback, and then,
undisturbed, the same digests by the commands that the messages name. Each process has bounded time.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import logging
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest import mock

from ..forking.python import zygote
from ..servers.s3_moto import s3_moto
from .advice import Advice, following
from .corpus import PLANTED, write_inputs
from .outputs import Place, Published, foreign_lock, published, unclean
from .seam import counted
from .table import HELD, SAID, Combination, Fault, Scenario

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SECONDS = 240.0
"""Bound of a process that takes one to three seconds where nothing else runs."""

MOST_STEPS = 6
"""Commands, one as the message of the one before says, to the digest of an undisturbed run."""

_COLUMNS = ("note_id=id", "patient_id=patient", "text=text", "ward=pass")
_RULES = ("date", "phone", "medical_record", "titled_name")


def compiled(folder: Path) -> Path:
    """The shim, built by gcc.

    Raises:
        FileNotFoundError: if there is no gcc.
    """
    shim = folder / "shim.so"
    options = ("-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-ldl", "-lpthread")
    subprocess.run(["gcc", *options, "-o", shim, HERE / "shim.c"], check=True)
    return shim


@dataclasses.dataclass(frozen=True)
class Ended:
    """How a process ended."""

    code: int
    said: str
    seconds: float
    hung: bool = False


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What became of a combination.

    Attributes:
        asked: whether a fault of it was met at all.
        problem: what does not hold; empty if all does.
        said: by the disturbed process and those after it.
    """

    combination: Combination
    asked: bool
    code: int
    problem: str
    said: str
    seconds: float


class Laboratory:
    """Runs combinations; use `laboratory()`."""

    def __init__(self, folder: Path, stub: Path, environment: dict[str, str], zygote: int) -> None:
        self.folder, self._stub, self._environment = folder, stub, environment
        self._zygote = zygote
        self._numbers = itertools.count()
        self._lock = threading.RLock()
        self._wanted: dict[str, Published] = {}
        self._calls: dict[tuple[str, str, str], int] = {}

    # -- running

    def run(
        self, words: Sequence[str], place: Path, python: str | None = None, **environment: str
    ) -> Ended:
        """A command line in a process of its own, in a folder of its own.

        Args:
            python: starts it; by default the stub, so that it is forked by the zygote.
        """
        began = time.monotonic()
        log = place / "said.txt"
        with log.open("wb") as stream:
            process = subprocess.Popen(
                [python or self._stub, "-m", "scrubline.pipeline.cli.main", *words],
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
                cwd=place,
                env=self._environment | environment,
            )
            try:
                code, hung = process.wait(SECONDS), False
            except subprocess.TimeoutExpired:
                self._show_stacks(place)
                process.kill()
                code, hung = process.wait(), True
        hung = self._left_behind(place) or hung
        said = log.read_text(encoding="utf-8", errors="replace")
        return Ended(code, said, time.monotonic() - began, hung)

    def _show_stacks(self, place: Path) -> None:
        """Has processes that hang say where they are."""
        for pid in self._forked():
            if _folder_of(pid) == str(place):
                os.kill(pid, signal.SIGUSR1)
        time.sleep(1.0)

    def _left_behind(self, place: Path) -> bool:
        """Whether a process goes on there long after its launcher ended; it is ended then."""
        until = time.monotonic() + SECONDS
        while mine := [pid for pid in self._forked() if _folder_of(pid) == str(place)]:
            if time.monotonic() > until:
                for pid in mine:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                return True
            time.sleep(0.02)
        return False

    def _forked(self) -> list[int]:
        path = f"/proc/{self._zygote}/task/{self._zygote}/children"
        return [int(pid) for pid in Path(path).read_text().split()]

    def words(self, scenario: Scenario, output: Place) -> list[str]:
        """The command line of a scenario."""
        later = "later" if scenario.night else "in"
        source = f"s3://faults/{later}" if scenario.store == "s3" else str(self.folder / later)
        return [
            *("scrub", "--input", source, "--output", output.url),
            *("--key-file", str(self.folder / "key.txt"), "--model", "none"),
            *itertools.chain.from_iterable(("--column", one) for one in _COLUMNS),
            *itertools.chain.from_iterable(("--recogniser", one) for one in _RULES),
            *(("--workers", str(scenario.workers)) if scenario.workers else ()),
            *("--watchdog-seconds", "60"),
            *(("--incremental",) if scenario.night else ()),
        ]

    def new(self, scenario: Scenario) -> tuple[Path, Place]:
        """A folder for a combination, and the output of its job."""
        here = self.folder / f"{next(self._numbers)}"
        here.mkdir()
        return here, self._output(scenario, here)

    def _output(self, scenario: Scenario, here: Path) -> Place:
        import fsspec

        if scenario.store == "s3":
            path = f"faults/{here.name}/out"
            place = {"endpoint_url": self._environment["AWS_ENDPOINT_URL"]}
            fs = fsspec.filesystem("s3", use_listings_cache=False, **place)
            return Place(f"s3://{path}", fs, path)
        return Place(str(here / "out"), fsspec.filesystem("file"), str(here / "out"))

    # -- what is to be expected

    def wanted(self, scenario: Scenario) -> Published:
        """What an undisturbed run of a scenario publishes; also counts its calls."""
        with self._lock:
            if scenario.name not in self._wanted:
                here, output = self.new(scenario)
                self._prepare(scenario, output)
                faults = [
                    Fault(row, place, dataclasses.replace(row.answers[0], kind="none"), 1, 1, 0.0)
                    for row in scenario.rows
                    for place in row.places
                    if row.op != HELD
                ]
                rules = self.rules(scenario, here, faults)
                ended = self.run(self.words(scenario, output), here, **rules)
                assert ended.code == 0, ended.said
                for kind in ("shim", "seam"):
                    of_kind = [f for f in faults if ("." in f.row.op) == (kind == "seam")]
                    seen, _ = counted(here / kind)
                    for fault, count in zip(of_kind, seen, strict=False):
                        self._calls[scenario.name, fault.row.op, fault.place] = count
                self._wanted[scenario.name] = Published.of(output)
        return self._wanted[scenario.name]

    @functools.cached_property
    def _first_night(self) -> Place:
        """An output that holds what `in` has."""
        from .table import SCENARIOS

        here, output = self.new(SCENARIOS[0])
        ended = self.run(self.words(SCENARIOS[0], output), here)
        assert ended.code == 0, ended.said
        return output

    def _prepare(self, scenario: Scenario, output: Place) -> None:
        if scenario.night:
            with self._lock:
                output.copy_from(self._first_night)

    def calls(self, scenario: Scenario, fault: Fault) -> int:
        """How often an undisturbed run asks what the fault is about."""
        self.wanted(scenario)
        if fault.row.op == HELD:
            return 1
        return self._calls[scenario.name, fault.row.op, fault.place]

    def counts(self, scenario: Scenario) -> dict[tuple[str, str], int]:
        """(Operation, place) -> how often an undisturbed run of a scenario asks for it."""
        self.wanted(scenario)
        return {key[1:]: count for key, count in self._calls.items() if key[0] == scenario.name}

    def rules(self, scenario: Scenario, here: Path, faults: Sequence[Fault]) -> dict[str, str]:
        """The environment that makes processes meet faults."""
        lines: dict[str, list[str]] = {"shim": [], "seam": []}
        for fault in faults:
            if fault.row.op == HELD:
                continue
            kind = "seam" if "." in fault.row.op else "shim"
            count = 1 if fault.answer.kind == "none" else self.calls(scenario, fault)
            first = 1 + int(fault.draw * count)
            answer = fault.answer
            lines[kind].append(
                f"{fault.row.op},{answer.kind},{answer.value},{first},{fault.times},"
                f"{scenario.role},{self._path_of(scenario, here, fault.place)}"
            )
        return {
            variable: "\n".join([str(here / kind), *lines[kind]])
            for kind, variable in (("shim", "SCRUBLINE_FAULTS"), ("seam", "SCRUBLINE_SEAM"))
            if lines[kind]
        }

    def _path_of(self, scenario: Scenario, here: Path, place: str) -> str:
        if not place:
            return ""
        s3 = scenario.store == "s3"
        if place == "in":
            later = "later" if scenario.night else "in"
            return f"faults/{later}" if s3 else str(self.folder / later)
        return f"faults/{here.name}/{place}" if s3 else str(here / place)

    # -- the oracle

    def is_asked(self, combination: Combination) -> bool:
        """Whether a run of the scenario ever asks for what the faults are about."""
        scenario = combination.scenario
        return all(self.calls(scenario, fault) > 0 for fault in combination.faults)

    def tried(self, combination: Combination) -> Outcome:
        """Disturbs a run, and looks what comes of it."""
        scenario = combination.scenario
        wanted = self.wanted(scenario)
        here, output = self.new(scenario)
        self._prepare(scenario, output)
        before = Published.of(output) if scenario.night else None
        rules = self.rules(scenario, here, combination.faults)
        held = [fault.answer for fault in combination.faults if fault.row.op == HELD]
        for answer in held:
            output.write("restricted/LOCK", foreign_lock(answer))
        began = time.monotonic()
        ended = self.run(self.words(scenario, output), here, **rules)
        met = bool(held) or any(any(counted(here / kind)[1]) for kind in ("shim", "seam"))
        said = [ended.said]
        problem = self._judge(combination, ended, output, wanted, before)
        if not problem and ended.code != 0:
            whole = all(fault.place != SAID for fault in combination.faults)
            problem = self._finish(
                scenario, here, output, wanted, said, ended, held=bool(held), whole=whole
            )
        if not problem:
            problem = unclean(output)
        if not problem:
            output.clear()
            shutil.rmtree(here)
        seconds = time.monotonic() - began
        return Outcome(combination, met, ended.code, problem, "\n".join(said), seconds)

    def _judge(
        self,
        combination: Combination,
        ended: Ended,
        output: Place,
        wanted: Published,
        before: Published | None,
    ) -> str:
        """What is wrong with the end of a disturbed run; empty if nothing is."""
        if problem := unclear(ended):
            return problem
        if ended.code not in combination.codes:
            return f"ended with {ended.code}"
        files = output.files()
        whole = "_SUCCESS" in files
        if ended.code == 0 and not whole:
            return "ended with 0 and published nothing"
        if whole:
            found = published(output)
            if found == wanted:
                return ""
            if ended.code == 0 or found != before:
                return "published something else" if found else "published what is not whole"
            return ""
        begun = any(name.endswith("promotion.json") for name in files)
        if not begun and (before or any(name.startswith("data/") for name in files)):
            return "changed what is published without its journal"
        return ""

    def _finish(
        self,
        scenario: Scenario,
        here: Path,
        output: Place,
        wanted: Published,
        said: list[str],
        ended: Ended,
        *,
        held: bool,
        whole: bool,
    ) -> str:
        """Goes on without faults, by what each message says, nothing else; what is wrong then.

        Args:
            said: gets what is said.
            ended: how the disturbed run ended.
            held: whether the output is locked by a holder that never was.
            whole: whether all that the disturbed run said could be written.
        """
        commands = {
            Advice.RESUME: ["resume", "--output", output.url],
            Advice.DISCARD: ["resume", "--output", output.url, "--discard"],
            Advice.SCRUB: self.words(scenario, output),
            Advice.STATUS: ["status", "--output", output.url],
        }
        advice, words = Advice.SCRUB, commands[Advice.SCRUB]
        for _ in range(MOST_STEPS):
            frozen = frozen_run(output)
            advice = following(advice, ended.code, ended.said, frozen=frozen, whole=whole)
            whole = True
            if advice is Advice.NOTHING:
                break
            if advice is Advice.UNKNOWN:
                return "afterwards: a message does not say how to go on"
            if advice is Advice.WAIT and held:  # in time its silence would be long enough
                output.remove("restricted/LOCK")
                held = False
            words = commands.get(advice, words)
            ended = self.run(words, here)
            said.append(f"({advice.value})\n{ended.said}")
            if problem := unclear(ended):
                return f"afterwards: {problem}"
        else:
            return f"afterwards: what is said leads to nothing, at last {ended.code}"
        found = published(output)
        return "" if found == wanted else "afterwards: published something else"


def frozen_run(output: Place) -> bool:
    """Whether an output holds an unfinished run whose plan is whole."""
    files = output.files()
    runs = {name.split("/")[1] for name in files if name.startswith("_staging/")}
    return any(f"restricted/{run}/job.json" in files for run in runs)


def unclear(ended: Ended) -> str:
    """What is wrong with what a process said, or with how long it took."""
    if ended.hung:
        return "hung"
    if any(name in ended.said for name in PLANTED):
        return "said a planted name"
    if "Traceback (most recent call last)" in ended.said:
        return "said a traceback"
    if "Please report this line" in ended.said:
        return "said that something unexpected happened"
    return ""


def _folder_of(pid: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return ""


@contextlib.contextmanager
def laboratory(folder: Path) -> Iterator[Laboratory]:
    """A laboratory in an empty folder; its servers and processes are ended with it.

    Raises:
        FileNotFoundError: if there is no gcc.
        Unavailable: if moto is not installed.
    """
    shim = compiled(folder)
    write_inputs(folder)
    (folder / "key.txt").write_text("scrubline-key-v1:" + "QUJD" * 10 + "QUI=\n")
    (folder / "key.txt").chmod(0o600)
    with contextlib.ExitStack() as stack:
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        server = stack.enter_context(s3_moto())
        environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith(("AWS_", "SCRUBLINE_"))},
            **server.environment(),
            "SCRUBLINE_CACHE": str(folder / "cache"),
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONPATH": str(ROOT),
            "TMPDIR": str(folder),
        }
        import s3fs

        fs = s3fs.S3FileSystem(**server.storage_options())
        fs.mkdir("faults")
        for part in ("in", "later"):
            # A request costs both sides much: two files are enough there.
            for file in sorted((folder / part).glob("[QB]*[ac].*")):
                fs.pipe_file(f"faults/{part}/{file.name}", file.read_bytes())
        stack.enter_context(mock.patch.dict(os.environ, server.environment()))
        stub, pid = stack.enter_context(zygote(folder, environment | {"LD_PRELOAD": str(shim)}))
        yield Laboratory(folder, stub, environment, pid)
