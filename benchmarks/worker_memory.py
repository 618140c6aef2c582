"""What workers hold in memory, and how much of it they share.

    python -m benchmarks.worker_memory notes.jsonl --column doc_id=id --column text=text --workers 8

Runs `scrubline scrub` on the notes with small units, reads /proc/PID/smaps_rollup of its workers
while they work, and prints one line of JSON. Of each kind the number is the median of the workers,
each at the moment at which it held most; in MB:

    rss      all that is mapped and present
    pss      the same, but what n processes share counts as an n-th in each
    shared   present, and mapped by another process too
    private  present, and this process's alone
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

KINDS = {
    "rss": ("Rss",),
    "pss": ("Pss",),
    "shared": ("Shared_Clean", "Shared_Dirty"),
    "private": ("Private_Clean", "Private_Dirty"),
}


def children_of(process: int) -> list[int]:
    """The processes that a process has started."""
    lists = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for one in lists for child in one.read_text().split()]


def memory_of(process: int) -> dict[str, float]:
    """MB of each kind; {} of a process that has ended."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()[1:]
    except (FileNotFoundError, ProcessLookupError):
        return {}
    sizes = {line.split(":")[0]: int(line.split()[1]) / 1000 for line in lines}
    return {kind: sum(sizes[name] for name in names) for kind, names in KINDS.items()}


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("input")
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--split-bytes", type=int, default=100_000)
    options, words = parser.parse_known_args()
    scrubline = [sys.executable, "-m", "scrubline"]
    with tempfile.TemporaryDirectory() as folder:
        key = f"{folder}/key"
        subprocess.run([*scrubline, "key", "new", "--output", key], check=True)
        command = [*scrubline, "scrub", "--input", options.input, "--output", f"{folder}/out"]
        command += ["--key-file", key, "--workers", str(options.workers)]
        command += ["--split-bytes", str(options.split_bytes), *words]
        run = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        most: dict[int, dict[str, float]] = {}
        while run.poll() is None:
            for child in children_of(run.pid):
                seen = memory_of(child)
                if seen and seen["private"] >= most.get(child, seen)["private"]:
                    most[child] = seen
            time.sleep(0.2)
        if run.returncode:
            sys.exit(run.returncode)
    medians = {kind: round(statistics.median(one[kind] for one in most.values())) for kind in KINDS}
    machine = f"{platform.machine()}, {os.cpu_count()} cores"
    print(json.dumps({"workers": len(most), "mb": medians, "machine": machine}))


if __name__ == "__main__":
    main()
