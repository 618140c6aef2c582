"""Two nights over many notes: speed, memory while words never stop being new, and what is touched.

    python -m benchmarks.nights --model en-default --notes 1000000 --workers 2

Invented notes of about 60 tokens, none like another: names, streets and numbers are made of the
number of the note, so that none ever comes again. `scrubline scrub --incremental --estimate` runs
over them as users run it; while it does, the resident set of each of its processes is looked at.
Then one note in a hundred is new (in files of their own), the files of one in a thousand change,
and a second night runs. One JSON line:

    flat          greatest resident set of a worker in the last tenth of the run, divided by that of
                  the second tenth
    worker_mb     greatest resident set of a worker: at any time, in the second and the last tenth
    launcher_mb   the same of the launcher, at any time
    tokens_a_second, notes_a_second   of the whole command, start included
    prediction    outcome of the first night divided by what `--estimate` had said, by quantity
    second        the second night: rows in and out of it, inputs by what became of them, seconds,
                  and whether the output holds each note once and verifies in counts

Exit code 1 if the second night touches more than what is new or changed. Linux only (/proc). Notes
lie under --folder (default: a temporary one) and are removed.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

SYLLABLES = [c + v for c in "bdfgklmnprstvz" for v in ("a", "e", "i", "o", "u", "ar", "en", "il")]
FILE_NOTES = 2_000
SPLIT_BYTES = 400_000
"""A file a unit: what is packed with a changed file is read again beside it."""
LOOK_SECONDS = 1.0
FORMS = (
    "{first} {last} was seen on {month}/{day}/20{year} in clinic. MRN: {number}. BP 12{d}/7{d},"
    " pulse 8{d}. Takes metformin {dose} mg twice daily. {last} lives at {house} {street} Street"
    " and can be reached at {phone}. Dr. {doctor} will call {first} in {d} weeks.",
    "PROGRESS NOTE\nPatient: {last}, {first}\nAcct: {number}\nSubjective: no chest pain for {d}"
    " days.\nPlan: continue lisinopril {dose} mg; follow up with Dr. {doctor} on"
    " {month}/{day}/{year}.",
    "Mrs. {last} called about her potassium of {d}.{d}. Message left at {phone} by {doctor}, RN."
    " Specimen {number} was sent; {first} understands and will stop ibuprofen {dose} mg.",
)


def word(number: int) -> str:
    """A word for a number, and no other number has it."""
    letters = ""
    number += len(SYLLABLES)
    while number:
        number, at = divmod(number, len(SYLLABLES))
        letters += SYLLABLES[at]
    return letters.capitalize()


def note(number: int, chance: random.Random) -> str:
    return chance.choice(FORMS).format(
        first=word(4 * number),
        last=word(4 * number + 1),
        street=word(4 * number + 2),
        doctor=word(4 * number + 3),
        number=10_000_000 + 7 * number,
        phone=f"{200 + number // 10_000_000:03}-{number // 10_000 % 1000:03}-{number % 10_000:04}",
        house=number + 1,
        month=chance.randint(1, 12),
        day=chance.randint(1, 28),
        year=chance.randint(10, 24),
        d=chance.randint(1, 9),
        dose=chance.choice((5, 10, 20, 250, 500)),
    )


def write_notes(folder: Path, first: int, notes: int, seed: int = 7) -> None:
    """So many notes from a number on, in files of `FILE_NOTES`."""
    folder.mkdir(parents=True, exist_ok=True)
    for low in range(first, first + notes, FILE_NOTES):
        chance = random.Random(seed + low)
        with (folder / f"{low:09}.jsonl").open("w") as stream:
            for number in range(low, min(low + FILE_NOTES, first + notes)):
                stream.write(json.dumps({"id": f"n{number}", "text": note(number, chance)}) + "\n")


def resident_mb(pid: int) -> float:
    """The resident set of a process now; 0 if it is gone."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 / 1e6
    except (OSError, IndexError):
        return 0.0


def children(pid: int) -> list[int]:
    try:
        return [int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


class Watched:
    """A command, and what its processes had in memory: (seconds, launcher, worker) in MB."""

    def __init__(self, command: list[str]) -> None:
        began = time.monotonic()
        self.looks: list[tuple[float, float, float]] = []
        with tempfile.TemporaryFile() as shown:
            process = subprocess.Popen(command, stdout=shown)
            while process.poll() is None:
                workers = [resident_mb(pid) for pid in children(process.pid)]
                own = resident_mb(process.pid)
                self.looks.append((time.monotonic() - began, own, max(workers, default=0.0)))
                time.sleep(LOOK_SECONDS)
            self.seconds = time.monotonic() - began
            shown.seek(0)
            self.shown = shown.read()
        if process.returncode:
            sys.exit(f"nights.py: the job ended with exit code {process.returncode}")

    def worker_mb(self, low: float, high: float) -> float:
        """The greatest of a worker between two shares of the time in which there were any."""
        working = [(at, mb) for at, _, mb in self.looks if mb]
        working = working or [(at, own) for at, own, _ in self.looks]
        first, last = working[0][0], working[-1][0]
        return max(mb for at, mb in working if low <= (at - first) / (last - first) <= high)


def scrub(folder: Path, options: argparse.Namespace, *words: str) -> tuple[Watched, dict[str, Any]]:
    """A night as users run it, and its manifest."""
    ran = Watched(
        [
            *(
                sys.executable,
                "-m",
                "scrubline.pipeline.cli.main",
                "scrub",
                "--incremental",
                "--json",
            ),
            *("--input", str(folder / "notes"), "--output", str(folder / "out")),
            *("--model", options.model, "--workers", str(options.workers)),
            *("--key-file", str(folder / "key.txt"), "--column", "id=id", "--column", "text=text"),
            *("--split-bytes", str(SPLIT_BYTES), *words),
        ]
    )
    return ran, json.loads(ran.shown)


def second_night(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    new, changed = options.notes // 100, max(1, options.notes // 1000 // FILE_NOTES)
    write_notes(folder / "notes", options.notes, new)
    for low in range(0, changed * FILE_NOTES, FILE_NOTES):
        write_notes(folder / "notes", low, FILE_NOTES, seed=8)
    report = folder / "second.json"
    ran, manifest = scrub(folder, options, "--report", str(report))
    told = json.loads(report.read_text())
    there = pq.read_table(folder / "out/documents", columns=["doc_key"])["doc_key"]
    return {
        "new": new,
        "changed": changed * FILE_NOTES,
        "rows_in": told["counts"]["rows_in"],
        "touched_only_those": told["counts"]["rows_in"] == new + changed * FILE_NOTES,
        "each_once": len(there) == len(there.unique()) == options.notes + new,
        "counts_agree": manifest["counts"]["rows_out"] == options.notes + new,
        "rows_published": manifest["counts"]["rows_out"],
        "seconds": round(ran.seconds, 1),
    }


def measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    write_notes(folder / "notes", 0, options.notes)
    command = [sys.executable, "-m", "scrubline.pipeline.cli.main", "key", "new"]
    subprocess.run([*command, "--output", str(folder / "key.txt")], check=True)
    ran, manifest = scrub(folder, options, "--estimate")
    counts = manifest["counts"]
    if counts["rows_out"] != options.notes:
        sys.exit(f"nights.py: {counts['rows_out']} of {options.notes} notes came out")
    early, last = ran.worker_mb(0.1, 0.2), ran.worker_mb(0.9, 1.0)
    return {
        "flat": round(last / early, 3),
        "worker_mb": {
            "most": round(ran.worker_mb(0.0, 1.0)),
            "second tenth": round(early),
            "last tenth": round(last),
        },
        "launcher_mb": round(max(own for _, own, _ in ran.looks)),
        "tokens_a_second": round(counts["tokens"] / ran.seconds),
        "notes_a_second": round(options.notes / ran.seconds),
        "seconds": round(ran.seconds, 1),
        "prediction": {row["quantity"]: row["ratio"] for row in manifest["report"]["prediction"]},
        "second": second_night(folder, options),
        "notes": options.notes,
        "tokens": counts["tokens"],
        "spans": counts["spans"],
        "model": options.model,
        "workers": options.workers,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="en-default", help="bundle; none for rules alone")
    parser.add_argument("--notes", type=int, default=100_000)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where there is room")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        found = measure(options, Path(folder))
    print(json.dumps(found))
    second = found["second"]
    holds = second["touched_only_those"] and second["each_once"] and second["counts_agree"]
    sys.exit(0 if holds else 1)


if __name__ == "__main__":
    main()
