"""Many nights: what their history and their page take.

    python -m benchmarks.history --nights 1000 --types 6

Invented runs, with 15 labels in each type of note. Their `history.parquet` is made, a night is
added to it, and the page is made of it. One JSON line:

    history_bytes, page_bytes    of the two files
    append_seconds               processor time to read it, add a run and make it anew
    page_seconds                 processor time to read the file and make the page
    same                         whether the page made again has the same bytes

Exit code 1 if the page has a megabyte or more, takes two seconds or longer, or is not the same.
"""

from __future__ import annotations

import argparse
import datetime
import json
import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.outputs.history import history_bytes, read_history
from scrubline.pipeline.outputs.history_rows import SCHEMA, night_rows
from scrubline.pipeline.outputs.night_counts import NightCounts, TypeCounts
from scrubline.pipeline.outputs.output_page import page
from scrubline.pipeline.outputs.page_nights import Nights
from scrubline.pipeline.outputs.removal_counts import RemovalCounts

LABELS = (
    *("ACCOUNT", "AGE", "CITY", "DATE", "DOCTOR", "EMAIL", "HOSPITAL", "IDNUM", "MEDICALRECORD"),
    *("PATIENT", "PHONE", "PROFESSION", "STATE", "STREET", "ZIP"),
)
STEPS = ("Featurize", "Label", "Merge", "ReadUnits", "Recognise", "Scrub", "Tokenize", "Write")


def night(number: int, types: Sequence[str | None] = ("progress",)) -> tuple[Any, NightCounts]:
    """An invented run: its manifest and its counts."""
    draw = random.Random(number)
    counts = NightCounts()
    for name in types:
        found = TypeCounts(documents=draw.randint(50, 2000))
        found.tokens = found.documents * draw.randint(300, 500)
        for label in LABELS:
            spans = draw.randint(5, found.documents)
            by_rules, by_taggers = draw.randint(0, spans // 9), draw.randint(0, spans // 3)
            rest = spans - by_rules - by_taggers
            each = (spans, spans // 40, spans // 50, by_rules, by_taggers, rest)
            found.labels[label] = np.array(each)
            found.texts_with[label] = spans
        for _ in range(found.documents):
            found.lengths[round(draw.lognormvariate(5.8, 0.7))] += 1
            found.densities[round(draw.gammavariate(4.0, 12.0))] += 1
            found.risks[round(draw.gauss(-2.0, 7.0))] += 1
        counts.types[name] = found
    counts.quarantined["read: BadEncoding"] = number % 3
    at = datetime.datetime(2024, 1, 1, 3, tzinfo=datetime.UTC) + datetime.timedelta(days=number)
    manifest = {
        "run": f"{draw.getrandbits(64):016x}",
        "fingerprint": f"{number // 100:064x}",
        "code_version": "9.9",
        "content_digest": "d" * 64,
        "policy": {"name": "mine"},
        "counts": {"rows_in": 1000 + number},
        "errors": {},
        "parts": [],
        "report": {
            "published": at.isoformat(),
            "counts": {"rows_in": 1000 + number},
            "seconds": draw.random() * 1000,
            "metrics": {step: {"batch_ms_sum": draw.randint(1, 10**6)} for step in STEPS},
        },
    }
    return manifest, counts


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--nights", type=int, default=1000)
    parser.add_argument("--types", type=int, default=6)
    asked = parser.parse_args()
    types = [f"type {number}" for number in range(asked.types)] or [None]
    before = [night_rows(*night(number, types)) for number in range(asked.nights - 1)]
    manifest, counts = night(asked.nights - 1, types)
    last = night_rows(manifest, counts)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "history.parquet"
        rows = pa.Table.from_pylist([row for one in before for row in one], SCHEMA)
        place.write_bytes(history_bytes(rows, before[-1])[0])
        began = time.process_time()
        content, _ = history_bytes(read_history(Storage(), folder, None).table, last)
        appended = time.process_time() - began
        place.write_bytes(content)
        pages, seconds = [], []
        for _ in range(2):
            began = time.process_time()
            nights = Nights(read_history(Storage(), folder, None).table)
            pages.append(page(manifest, RemovalCounts(), nights))
            seconds.append(time.process_time() - began)
    found = {
        "nights": asked.nights,
        "types": asked.types,
        "history_bytes": len(content),
        "append_seconds": round(appended, 2),
        "page_bytes": len(pages[0]),
        "page_seconds": round(seconds[0], 2),
        "same": pages[0] == pages[1],
    }
    print(json.dumps(found))
    good = found["same"] and len(pages[0]) < 1_000_000 and seconds[0] < 2
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
