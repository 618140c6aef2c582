"""What planning costs for very many documents: time and memory, and what each worker pays for it.

    python -m benchmarks.planning [--members N] [--files N] [--split-bytes N] [--only KIND]

One JSON line a kind of archive. Archives are drawn by a fixed seed into a temporary folder, which
is removed at the end; sizes are skewed: one member in a thousand is a hundred times as long, and
one is of 20 MB.

    zip, tar    one archive of N members
    texts       N text files in folders of a thousand

    plan        seconds to list, look at and split the input
    freeze      seconds to write the plan, and its bytes
    thaw        seconds to read it back, which every worker does
    first       seconds until the first batch of the last unit is read, and of all batches of it
    memory      greatest resident set after each step, less that of an empty process
    tail        how long the last worker works alone, of eight, in largest units: 1 is the best that
                units of this size allow

Each kind is measured in a process of its own.
"""

from __future__ import annotations

import argparse
import heapq
import io
import json
import multiprocessing
import platform
import random
import sys
import tarfile
import tempfile
import time
import zipfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

from scrubline.models.core.keys import new_key
from scrubline.models.formats import open_format
from scrubline.models.formats.column_roles import Columns
from scrubline.models.jobs.job import Job
from scrubline.models.jobs.plan import Plan
from scrubline.models.jobs.read_unit import read_unit
from scrubline.models.jobs.shifted_columns import DateColumns
from scrubline.models.storage.key_files import load_keys
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.metrics import peak_memory
from scrubline.pipeline.outputs.planning import freeze, inspect_inputs, make_plan
from scrubline.pipeline.runners.supervisor import largest_first

SEED = 0
SMALL, LONG, HUGE_BYTES = 3, 300, 20_000_000
"""Lines of a common and of a long document, bytes of the one huge document (over the budget)."""

LINE = "Seen on 3/4/2012 by Dr. Halvorsen, MRN 1234567. No complaints.\n"
COLUMNS = Columns.parse([("path", "id"), ("text", "text")])


def content(number: int, count: int, chance: random.Random) -> bytes:
    if number == count // 2:
        return (LINE * (HUGE_BYTES // len(LINE))).encode()
    return (LINE * (LONG if chance.random() < 0.001 else SMALL)).encode()


def make_zip(folder: Path, count: int) -> None:
    chance = random.Random(SEED)
    with zipfile.ZipFile(folder / "notes.zip", "w", zipfile.ZIP_STORED) as archive:
        for number in range(count):
            archive.writestr(f"ward-{number % 97}/{number:09d}.txt", content(number, count, chance))


def make_tar(folder: Path, count: int) -> None:
    chance = random.Random(SEED)
    with tarfile.open(folder / "notes.tar", "w", format=tarfile.USTAR_FORMAT) as archive:
        for number in range(count):
            data = content(number, count, chance)
            entry = tarfile.TarInfo(f"ward-{number % 97}/{number:09d}.txt")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
            archive.members.clear()


def make_texts(folder: Path, count: int) -> None:
    chance = random.Random(SEED)
    for number in range(count):
        if number % 1000 == 0:
            place = folder / f"{number // 1000:06d}"
            place.mkdir()
        (place / f"{number:09d}.txt").write_bytes(content(number, count, chance))


MAKERS = {"zip": make_zip, "tar": make_tar, "texts": make_texts}


def make(kind: str, folder: str, count: int) -> None:
    """In a process of its own: makes the input."""
    source = Path(folder) / "in"
    source.mkdir()
    MAKERS[kind](source, count)
    (Path(folder) / "key.txt").write_text(new_key() + "\n")


def measure(folder: str, split_bytes: int, sender: Any) -> None:
    """In a process of its own: plans and reads."""
    sender.send(_measured(Storage(), Path(folder), Path(folder) / "in", split_bytes))


def _measured(storage: Storage, folder: Path, source: Path, split_bytes: int) -> dict[str, Any]:
    keys = load_keys(str(folder / "key.txt"), storage.read_bytes)
    job = Job(
        run="",
        output=str(folder / "out"),
        columns=COLUMNS,
        models=(),
        model_hashes=(),
        recognisers=(),
        recogniser_hashes=(),
        policy="hipaa",
        policy_hash="",
        key_source="",
        key_check="",
        split_bytes=split_bytes,
    )
    empty, memory = peak_memory(), {}
    began = time.monotonic()
    seen = inspect_inputs(storage, [str(source)])
    job, plan = make_plan(storage, seen, job)
    seconds: dict[str, float] = {"plan": time.monotonic() - began}
    memory["plan"] = peak_memory() - empty
    began = time.monotonic()
    freeze(storage, job, plan, keys)
    seconds["freeze"] = time.monotonic() - began
    memory["freeze"] = peak_memory() - empty
    frozen = sum(path.stat().st_size for path in (folder / "out").rglob("*") if path.is_file())
    sizes = [plan.units[unit].bytes for unit in largest_first(plan, range(len(plan.units)))]
    units = len(plan.units)
    del plan, seen
    began = time.monotonic()
    plan = Plan.read(storage, job.restricted)
    seconds["load_plan"] = time.monotonic() - began
    memory["load_plan"] = peak_memory() - empty
    unit = plan.units[-1]
    began = time.monotonic()
    batches = read_unit(
        storage,
        open_format(unit.format, job.settings),
        unit,
        plan.files,
        job.columns,
        keys,
        job.limits,
        job.budgets,
        dates=DateColumns(keep=False),
    )
    rows = len(next(batches).rows)
    seconds["first"] = time.monotonic() - began
    rows += sum(len(batch.rows) for batch in batches)
    seconds["last_unit"] = time.monotonic() - began
    memory["read"] = peak_memory() - empty
    return {
        "units": units,
        "rows_of_last_unit": rows,
        "largest_unit_bytes": max(sizes),
        "frozen_bytes": frozen,
        "seconds": {name: round(value, 2) for name, value in seconds.items()},
        "memory_bytes": memory,
        "tail": round(tail(sizes, 8) / max(sizes), 2),
    }


def tail(sizes: list[int], workers: int) -> float:
    """How much longer the last worker works than the first that is idle, in bytes."""
    ends = [0] * workers
    for size in sizes:
        heapq.heappush(ends, heapq.heappop(ends) + size)
    return max(ends) - min(ends)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--members", type=int, default=1_000_000, metavar="N")
    parser.add_argument("--files", type=int, default=1_000_000, metavar="N")
    parser.add_argument("--split-bytes", type=int, default=32_000_000, metavar="N")
    parser.add_argument("--only", choices=sorted(MAKERS), help="one kind")
    given = parser.parse_args()
    fresh = multiprocessing.get_context("spawn")
    for kind in MAKERS:
        if given.only in (None, kind):
            count = given.files if kind == "texts" else given.members
            with tempfile.TemporaryDirectory(prefix="scrubline-planning-") as folder:
                maker = fresh.Process(target=make, args=(kind, folder, count))
                maker.start()
                maker.join()
                receiver, sender = fresh.Pipe(duplex=False)
                process = fresh.Process(target=measure, args=(folder, given.split_bytes, sender))
                process.start()
                sender.close()
                told = {"kind": kind, "documents": count, **receiver.recv()}
                process.join()
            machine = {"python": platform.python_version(), "pyarrow": version("pyarrow")}
            print(json.dumps(told | machine | {"seed": SEED}), flush=True)


if __name__ == "__main__":
    sys.exit(main())
