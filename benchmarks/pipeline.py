"""What the pipeline itself costs: all of a job but detection; its memory; how fast it starts.

    python -m benchmarks.pipeline [--model NAME] [--corpus FILE] [--documents N] [--repeats N]

Jobs run as users run them, `scrubline scrub` in a child process, files to files with audit. One
JSON line; the ratio comes first:

    share         own cost / whole job, the start of the program left out of both
    own           wall time of the job, less its start, less what its steps Tokenize, Featurize,
                  Label and Recognise say they took; per document and per MB of text
    cross_check   own cost of a job whose one rule finds nothing: no candidate, no span, no audit
                  row. What is between the two is what spans cost downstream of detection
    steps_ms      what each step says, per 1,000 documents; "between" is Beam, and what no step has
    memory        greatest resident set at N / 2 and at 5 N documents (rules alone), and their ratio
    start         wall seconds: `scrubline --help`, one document from file to file

How fast the whole job is, and what its start takes of the processor, `benchmarks.speed` says.

Times are medians over the repeats, with the least and the most; a job of N and a job of 1 document
give, by their difference, what the start costs. Without --corpus, texts are lines drawn from the
demonstration notes with a fixed seed, so that no two documents are alike. A corpus is JSON Lines
with the field `text`; its documents are repeated under new ids up to N.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DETECTION = ("Tokenize", "Featurize", "Label", "Recognise")
SEED, LINES = 0, 40
QUIET_RULE = "ip_address"
COLUMNS = {"note_id": "id", "patient_id": "patient", "kind": "type", "text": "text", "ward": "pass"}


def texts_of(corpus: Path | None, documents: int) -> list[str]:
    if corpus is not None:
        with corpus.open(encoding="utf-8") as lines:
            texts = [json.loads(line)["text"] for line in lines]
        return [texts[i % len(texts)] for i in range(documents)]
    notes = sorted((ROOT / "demo/notes").glob("*.txt"))
    lines = [line for note in notes for line in note.read_text("utf-8").split("\n") if line]
    if not lines:
        sys.exit("pipeline.py: there are no demonstration notes; name a corpus")
    chance = random.Random(SEED)
    return ["\n".join(chance.choices(lines, k=LINES)) for _ in range(documents)]


def write_corpus(folder: Path, texts: list[str]) -> Path:
    folder.mkdir()
    with (folder / "notes.jsonl").open("w", encoding="utf-8") as stream:
        for number, text in enumerate(texts):
            record = {"note_id": number, "patient_id": f"p{number % 500}", "kind": "progress"}
            stream.write(json.dumps({**record, "text": text, "ward": "A"}) + "\n")
    return folder


class Ran:
    """A child that ended well: seconds, greatest resident set, what it printed.

    `seconds` are of the wall clock, `user` and `processor` with all of its own children.
    """

    def __init__(self, *words: object) -> None:
        command = [sys.executable, "-m", "scrubline.pipeline.cli.main", *map(str, words)]
        began = time.monotonic()
        with tempfile.TemporaryFile() as shown:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=shown)
            # Not `wait`: the resources of this one child are wanted, workers and all.
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.seconds = time.monotonic() - began
            shown.seek(0)
            self.shown = shown.read()
        if process.returncode:
            sys.exit(f"pipeline.py: a job ended with exit code {process.returncode}")
        unit = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss, in bytes
        self.peak_mb = used.ru_maxrss * unit / 1e6
        self.user, self.processor = used.ru_utime, used.ru_utime + used.ru_stime


def job(folder: Path, source: Path, *words: str) -> tuple[Ran, dict[str, Any]]:
    """A scrub of `source` into a new folder, and its manifest."""
    output = Path(tempfile.mkdtemp(dir=folder)) / "out"
    columns = [w for name, role in COLUMNS.items() for w in ("--column", f"{name}={role}")]
    ran = Ran(
        *("scrub", "--input", source, "--output", output, "--key-file", folder / "key.txt"),
        *(*columns, "--max-quarantined", "1", "--json", *words),
    )
    return ran, json.loads(ran.shown)


def spread(values: list[float], digits: int = 3) -> dict[str, float]:
    return {
        "median": round(statistics.median(values), digits),
        "least": round(min(values), digits),
        "most": round(max(values), digits),
    }


def detection_seconds(manifest: dict[str, Any]) -> float:
    metrics = manifest["report"]["metrics"]
    return sum(metrics[step]["batch_ms_sum"] for step in DETECTION) / 1000


def own_seconds(
    folder: Path, source: Path, repeats: int, start: float, *words: str
) -> tuple[list[float], list[float], list[dict[str, Any]]]:
    """Own cost and whole cost without the start, and manifest of some runs."""
    own, whole, manifests = [], [], []
    for _ in range(repeats):
        ran, manifest = job(folder, source, *words)
        whole.append(ran.seconds - start)
        own.append(whole[-1] - detection_seconds(manifest))
        manifests.append(manifest)
    if len({manifest["content_digest"] for manifest in manifests}) != 1:
        sys.exit("pipeline.py: repeats of one job differ in their content")
    return own, whole, manifests


def steps_ms(manifest: dict[str, Any], whole: float, documents: int) -> dict[str, float]:
    """Milliseconds of each step per 1,000 documents."""
    metrics = manifest["report"]["metrics"]
    found = {step: float(metrics[step]["batch_ms_sum"]) for step in metrics}
    found["between"] = 1000 * whole - sum(found.values())
    return {step: round(ms * 1000 / documents, 1) for step, ms in found.items()}


def measure(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    texts = texts_of(options.corpus, options.documents)
    size = sum(len(text.encode()) for text in texts)
    many = write_corpus(folder / "many", texts)
    one = write_corpus(folder / "one", texts[:1])
    Ran("key", "new", "--output", folder / "key.txt")
    model = ("--model", options.model)

    start = statistics.median(job(folder, one, *model)[0].seconds for _ in range(3))
    quiet = ("--model", "none", "--recogniser", QUIET_RULE)
    quiet_start = statistics.median(job(folder, one, *quiet)[0].seconds for _ in range(3))
    own, whole, manifests = own_seconds(folder, many, options.repeats, start, *model)
    check, _, quiet_runs = own_seconds(folder, many, options.repeats, quiet_start, *quiet)

    counts = manifests[0]["counts"]
    megabytes, documents = size / 1e6, len(texts)
    middle = sorted(range(len(whole)), key=whole.__getitem__)[len(whole) // 2]
    return {
        "share": spread([o / w for o, w in zip(own, whole, strict=True)]),
        "own": {
            "us_per_document": spread([1e6 * o / documents for o in own], 1),
            "ms_per_mb": spread([1e3 * o / megabytes for o in own], 1),
        },
        "cross_check": {
            "us_per_document": spread([1e6 * o / documents for o in check], 1),
            "spans": quiet_runs[0]["counts"]["spans"],
        },
        "steps_ms": steps_ms(manifests[middle], whole[middle], documents),
        "memory": memory(folder, options),
        "start": {
            "help": spread([Ran("--help").seconds for _ in range(5)]),
            "one_document": round(start, 3),
        },
        "documents": documents,
        "megabytes": round(megabytes, 2),
        "tokens": counts["tokens"],
        "spans": counts["spans"],
    }


def memory(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Greatest resident sets over N / 2 and 5 N documents, by rules alone."""
    peaks = []
    for times in (1, 10):
        texts = texts_of(options.corpus, options.documents // 2 * times)
        source = write_corpus(folder / f"memory{times}", texts)
        peaks.append(job(folder, source, "--model", "none")[0].peak_mb)
    return {
        "ratio": round(peaks[1] / peaks[0], 3),
        "mb": [round(peak, 1) for peak in peaks],
        "documents": [options.documents // 2 * times for times in (1, 10)],
    }


def about(options: argparse.Namespace) -> dict[str, Any]:
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    corpus = "lines of demo/notes, drawn with the seed"
    if options.corpus:
        digest = hashlib.sha256(options.corpus.read_bytes()).hexdigest()[:16]
        corpus = f"{options.corpus.name} {digest}"
    return {
        "model": options.model,
        "corpus": corpus,
        "repeats": options.repeats,
        "seed": SEED,
        "commit": commit.stdout.strip() if commit.returncode == 0 else None,
        "beam": version("apache-beam"),
        "pyarrow": version("pyarrow"),
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="none", help="bundle; default none, rules alone")
    parser.add_argument("--corpus", type=Path, help="JSON Lines with the field text")
    parser.add_argument("--documents", type=int, default=3000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = measure(Path(folder), options)
    print(json.dumps({"question": "own cost of the pipeline", **result, **about(options)}))


if __name__ == "__main__":
    main()
