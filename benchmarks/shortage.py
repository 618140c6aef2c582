"""A job with too little memory: the same rows out, or nothing published and the remedy named.

    python -m benchmarks.shortage [--model en-default] [--notes 400] [--workers 2]
    python -m benchmarks.shortage --only cgroup

The same invented notes are scrubbed, `scrubline scrub` as users run it, at ten sizes of `ulimit -v`
and of a control group's memory limit (version 1 or 2; skipped, with the reason, where no group can
be made). What did not end with 0 is resumed with all the memory there is. The claims:

- a run ends with 0 and the content digest and counts of a run with memory; or with 1, nothing
  published, and a message that names what is short and a remedy;
- resumed with memory it has that digest: no row was blamed for the machine;
- nothing hangs.

One JSON line; exit code 1 if a claim fails. Linux only.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from scrubline.models.core import shortage
from scrubline.models.core.shortage import Resource
from scrubline.pipeline.process.cgroups import LEAST_ADDRESS_SPACE

from .chaos import COLUMNS, write_notes

SIZES_MB = {
    "ulimit": (400, 700, 1000, 1200, 1400, 1600, 1800, 2000, 2300, 3000),
    "cgroup": (60, 120, 180, 240, 300, 400, 500, 600, 800, 1200),
}
BOUND_SECONDS = 240.0
"""Until a command that does not end counts as hung."""
REMEDIES = (
    *(one.remedy for one in vars(shortage).values() if isinstance(one, Resource)),
    f"than {LEAST_ADDRESS_SPACE >> 20} MB: allow more",
)
GROUP = "scrubline-shortage"

Limit = Callable[[int], contextlib.AbstractContextManager[Callable[[], None]]]
"""Megabytes -> what a child calls before it becomes the command."""


@contextlib.contextmanager
def address_space(megabytes: int) -> Iterator[Callable[[], None]]:
    """As `ulimit -v`: of each process."""
    size = megabytes << 20
    yield lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))


@contextlib.contextmanager
def control_group(megabytes: int) -> Iterator[Callable[[], None]]:
    """As a container's limit: of launcher and workers together.

    Raises:
        OSError: if no group can be made here.
    """
    one, two = Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup")
    is_first = (one / "memory.limit_in_bytes").exists()
    folder = (one if is_first else two) / f"{GROUP}-{os.getpid()}-{megabytes}"
    folder.mkdir()
    try:
        limit = "memory.limit_in_bytes" if is_first else "memory.max"
        (folder / limit).write_text(str(megabytes << 20))
        if not is_first:
            with contextlib.suppress(OSError):
                (folder / "memory.swap.max").write_text("0")
        procs = str(folder / "cgroup.procs")

        def enter() -> None:
            with open(procs, "w") as stream:
                stream.write("0")

        yield enter
    finally:
        for _ in range(100):  # the kernel needs a moment after the last process
            with contextlib.suppress(OSError):
                folder.rmdir()
                break
            time.sleep(0.05)


LIMITS: dict[str, Limit] = {"ulimit": address_space, "cgroup": control_group}


class Study:
    """The runs, and what came of them."""

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        self.folder, self.options = folder, options
        write_notes(folder / "in", options.notes, options.seed, "A plain note.", 0)
        self.key = folder / "key.txt"
        self.call(["key", "new", "--output", str(self.key)])

    def call(
        self, words: list[str], before: Callable[[], None] | None = None
    ) -> tuple[int | None, str]:
        """Exit code and standard error of a command; None for one that hangs."""
        with (self.folder / "err").open("w+b") as err:
            process = subprocess.Popen(
                [sys.executable, "-m", "scrubline.pipeline.cli.main", *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=err,
                preexec_fn=before,
                start_new_session=True,
            )
            try:
                code: int | None = process.wait(BOUND_SECONDS)
            except subprocess.TimeoutExpired:
                code = None
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process.pid, signal.SIGKILL)  # its workers end by themselves
                process.wait()
            err.seek(0)
            return code, err.read().decode(errors="replace")

    def scrub(self, output: Path, before: Callable[[], None] | None = None) -> tuple[Any, str]:
        """`scrub` of the notes."""
        words = ["scrub", "--input", str(self.folder / "in"), "--output", str(output)]
        words += ["--key-file", str(self.key), "--max-quarantined", "1"]
        words += ["--model", self.options.model, "--workers", str(self.options.workers)]
        words += ["--split-bytes", "60000", "--watchdog-seconds", "60"]
        words += [word for one in COLUMNS for word in ("--column", one)]
        return self.call(words, before)

    def outcome(self, output: Path) -> str:
        """Digest and counts of what is published; "" for nothing."""
        if not (output / "_SUCCESS").exists():
            return ""
        manifest = json.loads((output / "manifest.json").read_text())
        kinds = (manifest["content_digest"], manifest["counts"], manifest["errors"])
        return json.dumps(kinds, sort_keys=True)

    def one(self, kind: str, megabytes: int, whole: str) -> dict[str, Any]:
        """One size of one limit."""
        output = self.folder / f"{kind}-{megabytes}"
        began = time.monotonic()
        with LIMITS[kind](megabytes) as before:
            code, err = self.scrub(output, before)
        seconds = round(time.monotonic() - began, 1)
        found = {"kind": kind, "mb": megabytes, "code": code, "seconds": seconds}
        published, said = self.outcome(output), [line for line in err.splitlines() if line.strip()]
        if code == 0:
            return found | {"holds": published == whole}
        named = any(remedy in err for remedy in REMEDIES)
        # Where Python itself, or a library at its start, gets no memory, no line of ours runs.
        began_at_all = "scrubline: " in err
        # A publication that is under way is resumable, and has no _SUCCESS yet.
        under_way = any(output.glob("_staging/*/promotion.json"))
        early = (output / "data").exists() and not under_way
        again = ["resume", "--output", str(output), "--max-quarantined", "1"]
        frozen = any(output.glob("_staging/*/receipts")) or any(output.glob("restricted/*/plan*"))
        resumed = self.call(again)[0] if frozen else self.scrub(output)[0]
        same = self.outcome(output) == whole
        return found | {
            "names_a_remedy": named,
            "said": next((line for line in said if line.startswith("scrubline: ")), said[-1:]),
            "resumed": resumed,
            "same_rows": same,
            "holds": code is not None
            and not published
            and not early
            and same
            and (named or not began_at_all)
            and code != 2,
        }

    def run(self) -> dict[str, Any]:
        """All sizes of all limits."""
        began = time.monotonic()
        self.scrub(self.folder / "whole")
        whole = self.outcome(self.folder / "whole")
        if not whole:
            sys.exit(
                "shortage.py: the run with all memory fails: " + (self.folder / "err").read_text()
            )
        seconds = time.monotonic() - began
        rows, skipped = [], {}
        for kind in self.options.only or LIMITS:
            for megabytes in self.options.mb or SIZES_MB[kind]:
                try:
                    rows.append(self.one(kind, megabytes, whole))
                except OSError as error:
                    skipped[kind] = f"no limit can be set: {type(error).__name__} {error.errno}"
                    break
                print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
                shutil.rmtree(self.folder / f"{kind}-{megabytes}", ignore_errors=True)
        return {
            "what": "runs with limits of memory",
            "holds": all(row["holds"] for row in rows),
            "runs": len(rows),
            "published": sum(row["code"] == 0 for row in rows),
            "ended_with_1": sum(row["code"] == 1 for row in rows),
            "hung": sum(row["code"] is None for row in rows),
            "skipped": skipped,
            "seconds_with_memory": round(seconds, 1),
            "rows": rows,
            "notes": self.options.notes,
            "model": self.options.model,
            "workers": self.options.workers,
            "seed": self.options.seed,
            "python": platform.python_version(),
            "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        }


def main() -> None:
    """Runs the study."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", action="append", choices=sorted(LIMITS))
    parser.add_argument("--mb", action="append", type=int, help="sizes; default: ten of each limit")
    parser.add_argument("--model", default="en-default")
    parser.add_argument("--notes", type=int, default=400)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="scrubline-shortage-"))
    try:
        found = Study(folder, options).run()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps(found))
    sys.exit(0 if found["holds"] else 1)


if __name__ == "__main__":
    main()
