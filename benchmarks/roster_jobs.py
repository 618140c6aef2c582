"""A roster in whole jobs, on records of generated patients: what is left, taken, and its cost.

    python -m benchmarks.roster_jobs [--patients N] [--seed N] [--workers N] [--alone]

Records and their roster are those of `scrubline synth --patients`. They are scrubbed twice, with
the roster and without. A word of a name counts as removed if all of its letters are; it is weak if
it is also a word. Needless are words that the roster alone removed and that are no PHI in the gold.
With `--alone` there is no model, and no rule but that of ages: what is found is the roster's.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from scrubline.models.core.keys import Keys, canonical_id, key_bytes
from scrubline.models.roster.names import NameClass, class_of

_WORD = re.compile(r"[^\W\d_]+")
_COLUMNS = ("doc_id=id", "text=text", "spans=drop", "meta.patient=patient", "meta.note_date=date")
_OTHERS = ("meta.type=pass", "meta.template=pass", "meta.people=drop")
_KINDS = ("patient", "relative", "contact")


def command(*words: str) -> str:
    """Runs a command; returns what it prints."""
    place = Path(sys.executable).with_name("scrubline")
    done = subprocess.run([str(place), *words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


def make(folder: Path, patients: int, seed: int) -> None:
    """Records, roster and key."""
    command(
        *("synth", "--patients", str(patients), "--seed", str(seed), "--notes-per-patient", "1:16"),
        *("--roster", str(folder / "people.csv"), "--output", str(folder / "records.jsonl")),
    )
    command("key", "new", "--output", str(folder / "key.txt"))
    table = str(folder / "people.csv")
    key = ("--key-file", str(folder / "key.txt"))
    command("roster", "build", "--input", table, *key, "--output", str(folder / "roster"))


def scrub(folder: Path, name: str, alone: bool, workers: int, *more: str) -> dict[str, Any]:
    """Scrubs the records; returns the manifest."""
    columns = [word for one in (*_COLUMNS, *_OTHERS) for word in ("--column", one)]
    command(
        *("scrub", "--input", str(folder / "records.jsonl"), "--output", str(folder / name)),
        *("--key-file", str(folder / "key.txt"), "--workers", str(workers)),
        *(("--model", "none", "--recogniser", "age") if alone else ()),
        *("--max-guard", "1", "--min-roster-share", "0", "--split-bytes", "8000000"),
        *("--no-progress", *columns, *more),
    )
    manifest: dict[str, Any] = json.loads((folder / name / "manifest.json").read_text())
    return manifest


def notes(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields doc_key and row of each note."""
    keys = Keys(key_bytes((folder / "key.txt").read_text()))
    with (folder / "records.jsonl").open(encoding="utf-8") as stream:
        for line in stream:
            row = json.loads(line)
            yield keys.doc_key(canonical_id(row["doc_id"]) or ""), row


def removed(folder: Path, name: str) -> dict[str, list[tuple[int, int, bool]]]:
    """doc_key -> start and end of what is removed, and whether the roster alone removed it."""
    names = ["doc_key", "start", "end", "action", "detectors"]
    table = pq.read_table(folder / name / "audit", columns=names)
    found: dict[str, list[tuple[int, int, bool]]] = {}
    for batch in table.to_batches():
        for row in batch.to_pylist():
            if row["action"] != "keep":
                alone = all(one.startswith("roster:") for one in row["detectors"])
                found.setdefault(row["doc_key"], []).append((row["start"], row["end"], alone))
    return found


def words_of_people(row: dict[str, Any]) -> Iterator[tuple[str, str, str, int, int]]:
    """Yields kind, way of writing, class, start and end of each word of a name of known people."""
    labels = {(s["start"], s["end"]): s["label"] for s in row["spans"]}
    for person in row["meta"]["people"]:
        kind = person["who"].partition(":")[0]
        if kind not in _KINDS or labels.get((person["start"], person["end"])) != "PATIENT":
            continue
        for match in _WORD.finditer(row["text"], person["start"], person["end"]):
            if len(match[0]) > 2:
                weak = class_of(match[0].lower()) is not NameClass.STRONG
                strength = "weak" if weak else "strong"
                yield kind, person["written"], strength, match.start(), match.end()


def score(folder: Path, name: str) -> tuple[Counter[Any], Counter[Any], Counter[str]]:
    """Words of names of known people, those that were removed, and needless removals."""
    gone = removed(folder, name)
    every: Counter[Any] = Counter()
    found: Counter[Any] = Counter()
    needless: Counter[str] = Counter()
    for doc_key, row in notes(folder):
        spans = gone.get(doc_key, [])
        gold = [(s["start"], s["end"]) for s in row["spans"]]
        for kind, written, strength, start, end in words_of_people(row):
            places = [("all", "all"), (kind, "all"), ("written", written)]
            whole = any(s <= start and end <= e for s, e, _ in spans)
            for place in places:
                for of in ("all", strength):
                    every[(*place, of)] += 1
                    found[(*place, of)] += whole
        for start, end, alone in spans:
            if alone and not any(start < e and s < end for s, e in gold):
                needless["words"] += len(_WORD.findall(row["text"], start, end)) or 1
        needless["notes"] += 1
    return every, found, needless


def share_of_steps(manifest: dict[str, Any]) -> dict[str, float]:
    """Step -> its share of the time that all steps took."""
    times = {
        step: values["batch_ms_sum"]
        for step, values in manifest["report"]["metrics"].items()
        if "batch_ms_sum" in values
    }
    total = sum(times.values()) or 1
    return {step: time / total for step, time in times.items()}


def report(folder: Path, alone: bool, workers: int) -> None:
    """Scrubs with the roster and without, and prints the figures."""
    runs = {
        "without": scrub(folder, "without", alone, workers),
        "with": scrub(folder, "with", alone, workers, "--roster", str(folder / "roster")),
    }
    for name, manifest in runs.items():
        counts, seconds = manifest["counts"], manifest["report"]["seconds"]
        print(f"{name} roster: {counts['rows_in']:,} notes, {counts['tokens']:,} tokens, ", end="")
        print(f"{seconds:,.0f} s, quarantined {manifest['errors']}")
    for step, share in share_of_steps(runs["with"]).items():
        print(f"  {step:<14}{share:7.2%}")
    every, before, _ = score(folder, "without")
    _, after, needless = score(folder, "with")
    print(f"needless words: {needless['words']} in {needless['notes']:,} notes")
    print("words of names of three letters or more        number   without      with    left")
    for key in sorted(every):
        shares = f"{before[key] / every[key]:10.4f}{after[key] / every[key]:10.4f}"
        left = every[key] - after[key]
        print(f"  {key[0]:<12}{key[1]:<16}{key[2]:<10}{every[key]:12,}{shares}{left:8,}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.roster_jobs")
    parser.add_argument("--patients", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--alone", action="store_true", help="without a model and rules")
    parser.add_argument("--keep", help="folder to work in, which stays")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(chosen.keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "roster").exists():
            make(folder, chosen.patients, chosen.seed)
        report(folder, chosen.alone, chosen.workers)


if __name__ == "__main__":
    main()
