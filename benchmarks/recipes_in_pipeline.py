r"""Whether bundles of all recipes give one answer in the pipeline, however it is run.

    python -m benchmarks.recipes_in_pipeline --corpora corpora build/systems/*/
    python -m benchmarks.recipes_in_pipeline --input notes.jsonl --output build/proofs BUNDLE ...

Each bundle scrubs the development part of MEDDOCAN and the raw notes of ACI-Bench, mts_dialog and
primock57 of a folder of corpora (or the files of `--input`): in this process, by one worker, by
two, and on Prism (`make engines`). Checked of each run: as many rows are published or quarantined
as were read, and as many are read as there are notes; `verify --originals` has no fault; all runs
of a bundle have one content digest. Prints a line a run, and ends with 1 if anything is otherwise.
`--output` keeps what is finished, and a second call goes on from there; an edit of the code needs
another folder.
"""

import argparse
import contextlib
import dataclasses
import json
import logging
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from scrubline.models.bundles.bundle import open_bundle
from scrubline.models.core.keys import new_key
from scrubline.models.formats.column_roles import Columns
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.options import options_from
from scrubline.pipeline.run import scrub

from tests.servers.beam import logs_shown
from tests.servers.engines import NotInstalled
from tests.servers.prism import prism

PARTS = ("meddocan/dev", "aci_bench/raw", "mts_dialog/raw", "primock57/raw")
SPLIT_BYTES = 300_000
"""Small, so that both workers have units."""

WAYS: dict[str, dict[str, Any]] = {
    "one process": {},
    "one worker": {"workers": 1},
    "two workers": {"workers": 2},
    "Prism": {"runner": "prism"},
}
"""How a job is run -> the options that say so."""


def gathered(files: Sequence[Path], folder: Path) -> int:
    """Writes ids and texts of the files of JSON Lines into a folder; gives how many there are."""
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for number, file in enumerate(files):
        rows = []
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.strip():
                rows.append(
                    json.dumps({"id": f"{number}-{len(rows)}", "text": json.loads(line)["text"]})
                )
        (folder / f"{number}.jsonl").write_text("".join(f"{row}\n" for row in rows), "utf-8")
        count += len(rows)
    return count


@contextlib.contextmanager
def started(way: str, folder: Path) -> Iterator[dict[str, Any]]:
    """The options of a way to run, while what it needs is running."""
    if way != "Prism":
        yield WAYS[way]
        return
    with logs_shown(folder), prism(folder) as options:
        yield WAYS[way] | {"beam": (*options, "--environment_type=LOOPBACK")}


def ran(base: Any, way: str, output: Path) -> dict[str, Any]:
    """Scrubs, and verifies what was published; what is reported of it."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, started(way, Path(folder)) as options:
        manifest = scrub(Storage(), dataclasses.replace(base, output=str(output), **options))
    faults, _ = verify(Storage(), str(output), originals=True, key_source=base.key_source)
    return {
        "content_digest": manifest["content_digest"],
        "counts": manifest["counts"],
        "faults": len(faults),
        "seconds": round(time.monotonic() - began, 1),
    }


def is_right(row: dict[str, Any], notes: int) -> bool:
    """Whether no note was lost, and nothing is wrong with what was published."""
    counts = row["counts"]
    seen = counts["rows_out"] + counts["rows_quarantined"]
    return counts["rows_in"] == seen == notes and not row["faults"]


def proved(bundle: Path, base: Any, notes: int, output: Path) -> bool:
    """Runs one bundle in all ways and prints a line each; whether all agree."""
    digests, right, done = set(), True, 0
    kept_in = output / f"{bundle.name}-{open_bundle(str(bundle)).hash[:12]}"
    for way in WAYS:
        place = kept_in / way.replace(" ", "-").lower()
        kept = place.with_suffix(".json")
        if kept.exists():
            row = json.loads(kept.read_bytes())
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            try:
                row = ran(dataclasses.replace(base, models=(str(bundle),)), way, place)
            except NotInstalled as error:
                print(f"{bundle.name:<12} {way:<12} not installed: {error}", flush=True)
                continue
            kept.write_text(json.dumps(row) + "\n", encoding="utf-8")
        counts = row["counts"]
        print(
            f"{bundle.name:<12} {way:<12} {row['content_digest'][:24]} {counts['rows_in']:>6,} in"
            f" {counts['rows_out']:>6,} out {counts['rows_quarantined']:>3} quarantined"
            f" {counts['spans']:>7,} spans {row['faults']} faults {row['seconds']:>7.1f} s",
            flush=True,
        )
        digests.add(row["content_digest"])
        done += 1
        right &= is_right(row, notes)
    ways = f"{done} of {len(WAYS)} ways"
    print(f"{bundle.name:<12} run in {ways}, {len(digests)} digests", flush=True)
    return right and len(digests) == 1


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bundles", nargs="+", type=Path, metavar="BUNDLE", help="a folder")
    parser.add_argument("--corpora", type=Path, metavar="FOLDER")
    parser.add_argument("--input", type=Path, action="append", metavar="FILE.jsonl")
    parser.add_argument("--output", type=Path, help="keeps finished runs here")
    asked = parser.parse_args()
    if bool(asked.corpora) == bool(asked.input):
        parser.error("give --corpora, or --input")
    if absent := [str(bundle) for bundle in asked.bundles if not bundle.is_dir()]:
        parser.error(f"no folder: {', '.join(absent)}")
    files = asked.input or [asked.corpora / f"{part}.jsonl" for part in PARTS]
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as temporary:
        output = (asked.output or Path(temporary)).resolve()
        notes = gathered(files, output / "notes")
        key = output / "key"
        if not key.exists():
            key.write_text(new_key() + "\n")
        base = options_from(
            {},
            {
                "inputs": (str(output / "notes"),),
                "output": str(output),
                "key_source": str(key),
                "columns": Columns.parse([("id", "id"), ("text", "text")]),
                "split_bytes": SPLIT_BYTES,
                "progress": False,
            },
        )
        results = [proved(bundle.resolve(), base, notes, output) for bundle in asked.bundles]
    print(f"{sum(results)} of {len(results)} bundles agree in all ways that are installed")
    sys.exit(not results or not all(results))


if __name__ == "__main__":
    main()
