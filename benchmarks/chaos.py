"""What is left of a run whose processes are killed and whose storage fails: always the same rows.

    python -m benchmarks.chaos [--on workers] [--rounds 100] [--seed N]
    python -m benchmarks.chaos --memory --model en-default --notes 2000 [--rounds 100] [--seed N]
    python -m benchmarks.chaos --on flink [--rounds 30] [--seed N]

The same invented notes are scrubbed in each round, `scrubline scrub` as users run it, and three
things go wrong at once:

- one process gets SIGKILL at a random moment, or while the parts are being published. On two
  workers it is a worker or the launcher; on a Flink cluster with two slots, the launcher, a Python
  worker, the task manager, the job manager or the job server, and as on any cluster what was killed
  is started again;
- one in five reads and writes fails, in all processes;
- one note, in another place each time, kills whatever process works on it, ends it, or hangs.

With --memory it is the memory that is short, in place of the last two: each launcher, and with it
its workers, gets an address space (`ulimit -v`) of a size drawn at random, from too little to start
with to enough. A run that fell short is resumed with another size, at last without a limit.

A launcher that was killed, or ended with an error, is followed by `scrubline resume`, as a
scheduler would do. The claim: the content digest and the counts of a run that only had the note,
nothing published before all of it is, no worker left behind, and nothing that hangs. One JSON line;
exit code 1 if the claim fails. Linux only (/proc); --on flink needs `make engines`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import random
import resource
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

from tests.pipeline.hostile_worker import EXIT, HANG, KILL
from tests.servers.beam import worker_pool
from tests.servers.flink import flink_cluster

ROOT = Path(__file__).resolve().parent.parent
HOSTILE = ROOT / "tests/pipeline/hostile_worker.py"
FAULTS = 0.2
COLUMNS = ("note_id=id", "patient_id=patient", "text=text", "ward=pass")
FILES = 3
POISONS = {KILL: 0.4, EXIT: 0.4, HANG: 0.2}
"""What a poisoned note does -> how often."""
PUBLISHING = 0.2
"""Share of the kills that come while parts are being published."""
LINKING = 0.4
"""With --link-notes, share of the kills that come while notes are linked and what that tells is
handed to the units."""
BOUND_SECONDS = {"workers": 120.0, "flink": 600.0}
"""Until a process that does not end counts as hung."""
WATCHDOG_SECONDS = {"workers": 15, "flink": 15}
ORPHAN_SECONDS = 30.0
MEMORY_BOUND_SECONDS = 400.0
MEMORY_MB = (500, 3500)
"""Of the address space, with --memory: `en-default` starts in about 2,300."""
UNLIMITED = 0.25
"""Share of the starts with --memory that have no limit; from the fourth of a run on, all."""
RESUMES = 10
"""Until a run that cannot be finished counts as hung."""


class Hang(Exception):
    """Something did not end."""


def write_notes(folder: Path, notes: int, seed: int, poison: str, place: int) -> None:
    """Notes with PHI that the rules find, some broken lines and repeated ids, in three files.

    Args:
        poison: what the note more holds that harms.
        place: before which of the notes it stands.
    """
    chance = random.Random(seed)
    files: list[list[str]] = [[] for _ in range(FILES)]
    for number in range(notes):
        lines = files[number % FILES]
        if number == place:
            lines.append(
                json.dumps({"note_id": "poison", "patient_id": 1, "text": poison, "ward": "7B"})
            )
        text = "\n".join(
            f"Seen on {chance.randint(1, 12)}/{chance.randint(1, 28)}/2019. "
            f"MRN: {chance.randint(10**6, 10**7)}. Call 555-867-{chance.randint(1000, 9999)}."
            for _ in range(chance.randint(5, 40))
        )
        chart = 3_000_000 + number % 50
        text += f"\nMRN: {chart}" if chance.random() < 0.7 else f"\nas in {chart}, no change"
        record = {
            "note_id": number if chance.random() < 0.98 else 7,
            "patient_id": number % 50,
            "text": text,
            "ward": "7B",
        }
        line = json.dumps(record)
        lines.append(line if chance.random() < 0.99 else line[:40])
    folder.mkdir(parents=True, exist_ok=True)
    for number, lines in enumerate(files):
        (folder / f"part{number}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def living() -> Iterator[tuple[int, int]]:
    """Process id and parent of all processes that are not dead."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            if fields[0] != "Z":
                yield int(stat.parent.name), int(fields[1])


def children_of(pid: int) -> list[int]:
    return [child for child, parent in living() if parent == pid]


def wait_until(condition: Callable[[], bool], bound: float) -> bool:
    end = time.monotonic() + bound
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


class Workers:
    """Rounds on two local workers: who can be killed, and how a run is begun."""

    engine: tuple[str, ...] = ()

    def __init__(self, workers: int) -> None:
        self.words = ("--workers", str(workers))

    def victims(self, launcher: int) -> dict[str, list[int]]:
        """Kinds of processes that can be killed now -> their ids."""
        return {"launcher": [launcher], "worker": children_of(launcher)}

    def mend(self) -> None:
        """Waits until what was killed and is not the run's own is there again."""


class Flink:
    """Rounds on a Flink cluster with a pool of hostile Python workers."""

    words = ("--runner", "flink")

    def __init__(self, cluster: Any, pool: tuple[str, ...], pool_pid: int) -> None:
        self.cluster, self._pool_pid = cluster, pool_pid
        self.engine = ("--", *cluster.options, *pool)

    def victims(self, launcher: int) -> dict[str, list[int]]:
        """Kinds of processes that can be killed now -> their ids."""
        engine = {name: [one.pid] for name, one in self.cluster.processes.items()}
        return {"launcher": [launcher], "worker": children_of(self._pool_pid), **engine}

    def mend(self) -> None:
        """Waits until what was killed and is not the run's own is there again."""
        self.cluster.start()


class Study:
    """The rounds, and what came of them."""

    def __init__(self, folder: Path, place: Workers | Flink, options: argparse.Namespace) -> None:
        self.folder, self.place, self.options = folder, place, options
        self.chance = random.Random(options.seed)
        self.bound = MEMORY_BOUND_SECONDS if options.memory else BOUND_SECONDS[options.on]
        self.faults = 0.0 if options.memory else FAULTS
        self.starts = 0
        self.log = folder / "log"
        key = ["key", "new", "--output", str(folder / "key.txt")]
        subprocess.run([sys.executable, "-m", "scrubline.pipeline.cli.main", *key], check=True)
        self.outcomes: Counter[tuple[str, str]] = Counter()
        self.counts: Counter[str] = Counter()
        self.recoveries: list[float] = []
        self.seconds: list[float] = []

    def start(
        self, command: str, output: Path, faults: float, *, limited: bool = True
    ) -> subprocess.Popen[bytes]:
        """Starts `scrub` or `resume`."""
        words = [command, "--output", str(output), "--max-quarantined", "1", *self.place.words]
        patience = 60 if self.options.memory else WATCHDOG_SECONDS[self.options.on]
        words += ["--watchdog-seconds", str(patience)]
        if command == "scrub":
            split = max(20_000, self.options.notes * 50)
            words += ["--input", str(self.folder / "in"), "--split-bytes", str(split)]
            words += ["--model", self.options.model, "--policy", self.options.policy]
            words += ["--key-file", str(self.folder / "key.txt")]
            words += ["--link-notes"] if self.options.link_notes else []
            words += [word for one in COLUMNS for word in ("--column", one)]
        with self.log.open("ab") as stream:
            return subprocess.Popen(
                [sys.executable, str(HOSTILE), "run", *words, *self.place.engine],
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
                env=os.environ | {"HOSTILE_FAULTS": str(faults)},
                cwd=ROOT,
                preexec_fn=self.limit() if limited else None,
            )

    def limit(self) -> Callable[[], None] | None:
        """Draws what bounds the memory of the next launcher and its workers; None for nothing."""
        self.starts += 1
        size = self.chance.randint(*MEMORY_MB) << 20
        if not self.options.memory or self.starts > 3 or self.chance.random() < UNLIMITED:
            return None
        self.counts["starts with short memory"] += 1
        return lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))

    def wait(self, process: subprocess.Popen[bytes]) -> int:
        """The exit code of a process that must end."""
        try:
            return process.wait(self.bound)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise Hang from None

    def poison(self) -> str:
        """Writes the notes anew with another poisoned one; gives what that does."""
        (what,) = self.chance.choices(list(POISONS), list(POISONS.values()))
        if self.options.memory:
            # Where memory is short, no death is put down to a row: it would end the run.
            what = "harmless"
        place = self.chance.randrange(self.options.notes)
        write_notes(self.folder / "in", self.options.notes, self.options.seed, what, place)
        return what

    def undisturbed(self) -> float:
        """Seconds of a run that has the note, and to which nothing else happens."""
        what = "harmless" if self.options.memory else KILL
        write_notes(self.folder / "in", self.options.notes, self.options.seed, what, 5)
        output = self.folder / "whole"
        began = time.monotonic()
        if self.wait(self.start("scrub", output, faults=0.0, limited=False)):
            sys.exit("chaos.py: the undisturbed run fails: " + self.log.read_text())
        seconds = time.monotonic() - began
        self.finish(output)
        return seconds

    def round(self, number: int, seconds: float) -> None:
        """One run with all that goes wrong, resumed until it is published."""
        self.counts[f"notes: {self.poison()}"] += 1
        output = self.folder / f"round{number}"
        self.starts = 0
        process = self.start("scrub", output, self.faults)
        self.kill(process, output, seconds)
        began = time.monotonic()
        command = "scrub"
        for _ in range(RESUMES):
            code = self.wait(process)
            self.look(output)
            if code == 0:
                break
            self.counts[f"ended with {code}"] += 1
            self.place.mend()
            # Killed before its plan was frozen, or after it was published: begun again.
            command = "scrub" if code == 2 else "resume"
            process = self.start(command, output, self.faults)
        else:
            process.kill()
            process.wait()
            raise Hang
        self.recoveries.append(time.monotonic() - began)
        self.finish(output)

    def kill(self, process: subprocess.Popen[bytes], output: Path, seconds: float) -> None:
        """Kills one process of the run, and sees that no worker outlives its launcher."""
        linking = False
        drawn = self.chance.random()
        if publishing := drawn < PUBLISHING:
            journals = lambda: any(output.glob("_staging/*/promotion.json"))  # noqa: E731
            wait_until(lambda: journals() or process.poll() is not None, self.bound)
            time.sleep(self.chance.random() * 0.05)
        elif linking := self.options.link_notes and drawn < PUBLISHING + LINKING:
            links = lambda: any(output.glob("_staging/*/links/*"))  # noqa: E731
            wait_until(lambda: links() or process.poll() is not None, self.bound)
            time.sleep(self.chance.random() * 0.5)
        else:
            time.sleep(self.chance.random() * seconds)
        if process.poll() is not None:
            self.counts["done before the kill"] += 1
            return
        victims = {name: pids for name, pids in self.place.victims(process.pid).items() if pids}
        name = "launcher" if publishing or linking else self.chance.choice(list(victims))
        own = children_of(process.pid)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.chance.choice(victims[name]), signal.SIGKILL)
        self.counts[f"killed: {name}"] += 1
        self.counts["killed while publishing"] += publishing
        self.counts["killed while linking"] += linking
        if name == "launcher" and not wait_until(
            lambda: not set(own) & {pid for pid, _ in living()}, ORPHAN_SECONDS
        ):
            self.counts["workers left behind"] += 1
        self.place.mend()

    def look(self, output: Path) -> None:
        """Sees whether something is published that should not be yet."""
        begun = any(output.glob("_staging/*/promotion.json"))
        whole = (output / "_SUCCESS").exists() and (output / "manifest.json").exists()
        if (output / "data").exists() and not begun and not whole:
            self.counts["published early"] += 1

    def finish(self, output: Path) -> None:
        """Notes what was published, and removes it."""
        manifest = json.loads((output / "manifest.json").read_text())
        counts = manifest["counts"]
        if not (output / "_SUCCESS").exists() or (output / "_staging").exists():
            self.counts["unclean ends"] += 1
        if counts["rows_in"] != counts["rows_out"] + counts["rows_quarantined"]:
            self.counts["counts that differ"] += 1
        kinds = {"counts": counts, "errors": manifest["errors"]}
        self.outcomes[manifest["content_digest"], json.dumps(kinds, sort_keys=True)] += 1
        shutil.rmtree(output)

    def result(self, seconds: float, hangs: int) -> dict[str, Any]:
        """The JSON line."""
        bad = (
            "unclean ends",
            "workers left behind",
            "published early",
            "counts that differ",
        )
        counts = self.counts
        return {
            "what": "rounds with a process killed, storage that fails and a note that kills",
            "holds": len(self.outcomes) == 1 and not hangs and not any(counts[one] for one in bad),
            "on": self.options.on,
            "rounds": self.options.rounds,
            "content_digests": len({digest for digest, _ in self.outcomes}),
            "counts_of_rows": len({rows for _, rows in self.outcomes}),
            "hangs": hangs,
            **{one.replace(" ", "_"): counts[one] for one in bad},
            "what_happened": {name: n for name, n in sorted(counts.items()) if name not in bad},
            "recovery_seconds": {
                "median": round(statistics.median(self.recoveries or [0]), 1),
                "max": round(max(self.recoveries, default=0), 1),
            },
            "undisturbed_seconds": round(seconds, 1),
            "notes": self.options.notes,
            "model": self.options.model,
            "policy": self.options.policy,
            "link_notes": self.options.link_notes,
            "memory": self.options.memory,
            "seconds_a_round": round(statistics.median(self.seconds or [0]), 1),
            "rows": [json.loads(rows) for _, rows in self.outcomes],
            "seed": self.options.seed,
            "share_of_faults": self.faults,
            "python": platform.python_version(),
            "apache_beam": version("apache-beam"),
            "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        }


@contextlib.contextmanager
def place_for(on: str, folder: Path, workers: int) -> Iterator[Workers | Flink]:
    """Where the rounds run."""
    if on == "workers":
        yield Workers(workers)
        return
    site = str(HOSTILE.parent / "hostile_site")
    path = os.pathsep.join(filter(None, (site, os.environ.get("PYTHONPATH"))))
    before = set(children_of(os.getpid()))
    with worker_pool(folder, PYTHONPATH=path, HOSTILE_FAULTS=str(FAULTS)) as pool:
        (pool_pid,) = set(children_of(os.getpid())) - before
        with flink_cluster(folder) as cluster:
            yield Flink(cluster, pool, pool_pid)


def main() -> None:
    """Runs the study."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--on", choices=["workers", "flink"], default="workers")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--notes", type=int, default=240)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--model", default="none")
    parser.add_argument("--policy", default="hipaa")
    parser.add_argument("--link-notes", action="store_true", help="notes of a patient are linked")
    parser.add_argument("--memory", action="store_true", help="on workers: memory is short too")
    options = parser.parse_args()
    if options.memory and options.on != "workers":
        parser.error("--memory goes with --on workers")
    folder = Path(tempfile.mkdtemp(prefix="scrubline-chaos-"))
    hangs = 0
    try:
        with place_for(options.on, folder, options.workers) as place:
            study = Study(folder, place, options)
            seconds = study.undisturbed()
            for number in range(options.rounds):
                began = time.monotonic()
                try:
                    study.round(number, seconds)
                except Hang:
                    hangs += 1
                study.seconds.append(time.monotonic() - began)
                print(
                    f"round {number + 1} of {options.rounds}: {len(study.outcomes)} outcomes, "
                    f"{hangs} hangs, {dict(study.counts)}",
                    file=sys.stderr,
                )
            found = study.result(seconds, hangs)
        if not found["holds"]:
            print(study.log.read_text(errors="replace")[-20_000:], file=sys.stderr)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps(found))
    sys.exit(0 if found["holds"] else 1)


if __name__ == "__main__":
    main()
