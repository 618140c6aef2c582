"""What is left of a run whose processes are killed and whose storage fails: always the same bytes.

    python -m benchmarks.chaos [--runs N] [--fault-runs N] [--corpus demo] [--seed N]

One plan is run N times by a supervisor with two workers, as users run it (`scrubline scrub`). Each
time one process gets SIGKILL: a worker or the supervisor, at a random moment between its start and
the time that an undisturbed run takes, or while the parts are being published. A supervisor that
was killed must leave no worker behind, and the run is then resumed. In fault runs nobody is killed,
but one in five reads and writes of every process fails.

The claim: one content digest and one part digest, and nothing hangs: every kill ends in a finished
run or in an exit with an error within a minute. One JSON line; exit code 1 if the claim fails.

Without --corpus, notes are generated with the seed. Linux only (/proc).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from scrubline.pipeline.publish import part_digest

ROOT = Path(__file__).resolve().parent.parent
HOSTILE = ROOT / "tests/pipeline/hostile_worker.py"
BOUND_SECONDS = 60.0
ORPHAN_SECONDS = 20.0
FAULTS = 0.2
COLUMNS = ("note_id=id", "patient_id=patient", "text=text", "ward=pass")


class Hang(Exception):
    """Something did not end within `BOUND_SECONDS`."""


def generate(folder: Path, notes: int, seed: int) -> None:
    """Notes with PHI that the rules find, some broken lines and repeated ids, in three files."""
    chance = random.Random(seed)
    folder.mkdir(parents=True)
    for part in range(3):
        with (folder / f"part{part}.jsonl").open("w", encoding="utf-8") as stream:
            for number in range(part, notes, 3):
                lines = [
                    f"Seen on {chance.randint(1, 12)}/{chance.randint(1, 28)}/2019. "
                    f"MRN: {chance.randint(10**6, 10**7)}. "
                    f"Call 555-867-{chance.randint(1000, 9999)}."
                    for _ in range(chance.randint(5, 40))
                ]
                record = {
                    "note_id": number if chance.random() < 0.98 else 7,
                    "patient_id": number % 50,
                    "text": "\n".join(lines),
                    "ward": "7B",
                }
                line = json.dumps(record)
                stream.write((line if chance.random() < 0.99 else line[:40]) + "\n")


def arguments_for(corpus: str | None, folder: Path, notes: int, seed: int) -> list[str]:
    """Options of the command line that say what is scrubbed."""
    if corpus == "demo":
        more = ["--config", str(ROOT / "demo/scrubline.toml")]
        return [*more, "--input", str(ROOT / "demo/parquet"), "--split-bytes", "20000"]
    generate(folder / "in", notes, seed)
    roles = [word for one in COLUMNS for word in ("--column", one)]
    return ["--input", str(folder / "in"), *roles, "--split-bytes", "20000"]


def start(command: list[str], log: Path, **environment: str) -> subprocess.Popen[bytes]:
    with log.open("ab") as stream:
        return subprocess.Popen(
            command, stdout=stream, stderr=stream, env=os.environ | environment, cwd=ROOT
        )


def wait(process: subprocess.Popen[bytes], bound: float = BOUND_SECONDS) -> int:
    try:
        return process.wait(bound)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise Hang from None


def living() -> Iterator[tuple[int, int]]:
    """Process id and parent of all processes that are not dead."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            if fields[0] != "Z":
                yield int(stat.parent.name), int(fields[1])


def workers_of(pid: int) -> list[int]:
    return [child for child, parent in living() if parent == pid]


def wait_until(condition: Callable[[], bool], bound: float) -> bool:
    end = time.monotonic() + bound
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


class Study:
    """The runs of one plan, and what came of them."""

    def __init__(self, folder: Path, what: list[str], seed: int) -> None:
        self.folder, self.what, self.chance = folder, what, random.Random(seed)
        key = ["scrubline", "key", "new", "--output", str(folder / "key.txt")]
        subprocess.run([sys.executable, "-m", "scrubline.pipeline.cli", *key[1:]], check=True)
        self.digests: set[tuple[str, str]] = set()
        self.counts: Counter[str] = Counter()
        self.recoveries: list[float] = []

    def command(self, output: Path) -> list[str]:
        """Arguments of a run into `output`."""
        return [
            *("scrub", "--output", str(output), "--key-file", str(self.folder / "key.txt")),
            *("--model", "none", "--max-quarantined", "1", "--workers", "2", *self.what),
        ]

    def finish(self, output: Path) -> None:
        """Notes the digests of a published output and removes it."""
        manifest = json.loads((output / "manifest.json").read_text())
        if not (output / "_SUCCESS").exists() or (output / "_staging").exists():
            self.counts["unclean ends"] += 1
        self.digests.add((manifest["content_digest"], part_digest(manifest)))
        self.counts["units"] = manifest["report"]["units"]
        self.counts["rows"] = manifest["counts"]["rows_in"]
        self.counts["skipped rows"] += manifest["errors"].get("skip-list: KillsWorker", 0)
        shutil.rmtree(output)

    def undisturbed(self) -> float:
        """Seconds of a run that nobody disturbs."""
        output = self.folder / "whole"
        began = time.monotonic()
        if wait(start(self.cli(self.command(output)), self.folder / "log"), 10 * BOUND_SECONDS):
            sys.exit("chaos.py: the undisturbed run fails: " + (self.folder / "log").read_text())
        seconds = time.monotonic() - began
        self.finish(output)
        return seconds

    def cli(self, arguments: list[str]) -> list[str]:
        """A command line."""
        return [sys.executable, "-m", "scrubline.pipeline.cli", *arguments]

    def killed(self, number: int, seconds: float) -> None:
        """One run with one kill, then resumed until it is published."""
        output, log = self.folder / f"killed{number}", self.folder / "log"
        victim = self.chance.choice(["worker", "supervisor"])
        publishing = self.chance.random() < 0.2
        moment = self.chance.random()
        process = start(self.cli(self.command(output)), log)
        if publishing:
            victim = "supervisor"  # workers have nothing to do by then
            wait_until(
                lambda: any(output.glob("_staging/*/promotion.json")) or process.poll() is not None,
                BOUND_SECONDS,
            )
            time.sleep(moment * 0.05)
        else:
            time.sleep(moment * seconds)
        workers = workers_of(process.pid)
        if victim == "worker" and workers:
            pid = self.chance.choice(workers)
        else:
            victim, pid = "supervisor", process.pid
        if process.poll() is not None:
            self.counts["done before the kill"] += 1
        else:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            self.counts[f"{victim}s killed"] += 1
            self.counts["killed while publishing"] += publishing
        began = time.monotonic()
        code = wait(process)
        if victim == "supervisor" and not wait_until(
            lambda: not set(workers) & {pid for pid, _ in living()}, ORPHAN_SECONDS
        ):
            self.counts["workers left behind"] += 1
        if code:
            self.counts["resumes"] += 1
            self.resume(output, log)
        self.recoveries.append(time.monotonic() - began)
        self.finish(output)

    def resume(self, output: Path, log: Path) -> None:
        """Goes on with a run as its user would; at most three times."""
        for _ in range(3):
            resume = ["resume", "--output", str(output), "--workers", "2", "--max-quarantined", "1"]
            code = wait(start(self.cli(resume), log))
            if code == 2:  # killed before its plan was frozen, or after it was published
                code = wait(start(self.cli(self.command(output)), log))
            if code == 0:
                return
            self.counts["resumes that failed"] += 1
        raise Hang

    def faulty(self, number: int) -> None:
        """One run on storage that fails now and then, repeated while it can be resumed."""
        output = self.folder / f"faulty{number}"
        lines = json.dumps([self.command(output)])
        for _ in range(10):
            with tempfile.TemporaryFile() as stream, tempfile.TemporaryFile() as answer:
                stream.write(lines.encode())
                stream.seek(0)
                process = subprocess.Popen(
                    [sys.executable, str(HOSTILE), "command-lines"],
                    stdin=stream,
                    stdout=answer,
                    stderr=subprocess.DEVNULL,
                    env=os.environ | {"HOSTILE_FAULTS": str(FAULTS)},
                )
                wait(process)
                answer.seek(0)
                code = json.loads(answer.read().splitlines()[-1])[0]
            if code == 0:
                self.finish(output)
                self.counts["fault runs"] += 1
                return
            self.counts["fault runs resumed"] += 1
        raise Hang


def main() -> None:
    """Runs the study."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--fault-runs", type=int, default=10)
    parser.add_argument("--corpus", choices=["demo"], help="default: generated notes")
    parser.add_argument("--notes", type=int, default=240, help="of the generated corpus")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="scrubline-chaos-"))
    try:
        what = arguments_for(options.corpus, folder, options.notes, options.seed)
        study = Study(folder, what, options.seed)
        seconds = study.undisturbed()
        hangs = 0
        for number in range(options.runs):
            try:
                study.killed(number, seconds)
            except Hang:
                hangs += 1
            progress(f"kill {number + 1} of {options.runs}", study, hangs)
        for number in range(options.fault_runs):
            try:
                study.faulty(number)
            except Hang:
                hangs += 1
            progress(f"fault run {number + 1} of {options.fault_runs}", study, hangs)
        found = result(options, study, seconds, hangs)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps(found))
    sys.exit(0 if found["holds"] else 1)


def progress(what: str, study: Study, hangs: int) -> None:
    print(f"{what}: {len(study.digests)} digests, {hangs} hangs", file=sys.stderr)


def result(options: argparse.Namespace, study: Study, seconds: float, hangs: int) -> dict[str, Any]:
    """The JSON line."""
    counts = study.counts
    content, parts = ({one[i] for one in study.digests} for i in (0, 1))
    bad = ("unclean ends", "workers left behind", "resumes that failed", "skipped rows")
    return {
        "what": "runs of one plan, each with a process killed at a random moment, or with faults",
        "holds": len(content) == len(parts) == 1 and not hangs and not any(counts[b] for b in bad),
        "runs": options.runs,
        "fault_runs": options.fault_runs,
        "content_digests": len(content),
        "part_digests": len(parts),
        "hangs": hangs,
        "counts": dict(sorted(counts.items())),
        "recovery_seconds": {
            "median": round(statistics.median(study.recoveries or [0]), 1),
            "max": round(max(study.recoveries, default=0), 1),
        },
        "undisturbed_seconds": round(seconds, 1),
        "corpus": options.corpus or f"generated, {options.notes} notes",
        "seed": options.seed,
        "share_of_faults": FAULTS,
        "python": platform.python_version(),
        "apache_beam": version("apache-beam"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
    }


if __name__ == "__main__":
    main()
