"""What is scrubbed in each combination: a file of each of three formats, names planted all over."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

PLANTED = ("Quorvath", "Belzimarovic", "48219037", "555-867")
"""Of texts, ids and names of input files: in no message, and in no file but data and restricted."""


def _rows(first: int, count: int) -> list[dict[str, Any]]:
    return [
        {
            "note_id": f"{48219037 + number}",
            "patient_id": f"P{number % 3}",
            "text": f"Seen {number % 12 + 1}/{number % 28 + 1}/2019 by Dr. Quorvath Belzimarovic. "
            f"MRN: {48219037 + number}. Call 555-867-{1000 + number}.\nBP 120/80.\n",
            "ward": f"w{number % 2}",
        }
        for number in range(first, first + count)
    ]


def write_inputs(folder: Path) -> None:
    """A file of each of three formats, all named for a patient; a second night adds one."""
    first, later = folder / "in", folder / "later"
    first.mkdir(parents=True)
    later.mkdir()
    _jsonl(first / "Belzimarovic-a.jsonl", _rows(0, 8))
    with (first / "Belzimarovic-b.csv").open("w", newline="", encoding="utf-8") as stream:
        rows = _rows(8, 6)
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    pq.write_table(pa.Table.from_pylist(_rows(14, 6)), first / "Quorvath-c.parquet")
    for file in sorted(first.iterdir()):
        shutil.copy2(file, later)
    _jsonl(later / "Quorvath-d.jsonl", _rows(20, 5))
    _jsonl(later / "Belzimarovic-a.jsonl", _rows(1, 8))


def _jsonl(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
