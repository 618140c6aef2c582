"""The bars of speed, as one table: each row as multiples of a plain search for words.

    SCRUBLINE_CORPORA=corpora python -m benchmarks.speed
    python -m benchmarks.speed --rows dense start --repeats 3
    python -m benchmarks.speed --texts notes.jsonl --model meddocan-hide --no-rules

Rows of detection: each repeat is a process of its own, which goes over all texts once ("cold": the
process has seen no text, no word and no match before; only the compiled bundle lies in the user's
cache, and the rules' lists are open) and once more ("warm"). Before, between and behind stands the
yardstick: `re.findall` of words, digits and signs over the same texts. Corpora take turns. Rows of
jobs run the whole command, beside the yardstick in this process. Figures are user time of one core;
the start is processor time, two workers go by the wall clock.

Of each row the table has the median and the best of the repeats as multiples of the yardstick, then
what the median is here, and what it would be where the yardstick takes 0.22 us a token, as on a
quiet machine. Above a load of 2 measure again. `--steps` adds the steps of detection.

The corpora are not in this tree: ACI-Bench, MTS-Dialog, PriMock57 and MEDDOCAN are looked for in
the folder that SCRUBLINE_CORPORA or --corpora names; rows whose corpus is not there are left out.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .jobs import TIMES, jobs_over
from .table import ALL, CRF, RULES, Bar, cells, markdown, turns_of, unmeasured
from .yardstick import load, read_texts, warn_of_load

ROOT = Path(__file__).resolve().parent.parent.parent
SHORT = ("mts_dialog/raw.jsonl", "primock57/raw.jsonl")


@dataclasses.dataclass(frozen=True)
class Corpus:
    """Texts that a process goes over, and the rows that come of it.

    Attributes:
        name: as the steps are headed.
        model: bundle.
        rules: whether they run.
        files: in the folder of corpora, or of this tree.
        bars: with the steps that count for each.
    """

    name: str
    model: str
    rules: bool
    files: tuple[str, ...]
    bars: tuple[tuple[Bar, tuple[str, ...]], ...]

    @property
    def keys(self) -> list[str]:
        """Names of the rows."""
        return [bar.key for bar, _ in self.bars]

    def paths(self, corpora: Path | None) -> list[Path]:
        """Where the files lie; none if one is missing."""
        in_tree = self.files[0].startswith("benchmarks/")
        folder = ROOT if in_tree or Path(self.files[0]).is_absolute() else corpora
        paths = [folder / file for file in self.files] if folder else []
        return paths if all(path.is_file() for path in paths) else []


CORPORA = (
    Corpus(
        *("ACI-Bench", "en-default", True, ("aci_bench/raw.jsonl",)),
        (
            (Bar("long", "ACI-Bench, `en-default`, all rules, cold", 500_000), ALL),
            (Bar("crf", "the same, CRF alone, cold", 1_000_000), CRF),
        ),
    ),
    Corpus(
        *("short notes", "en-default", True, SHORT),
        (
            (Bar("short", "MTS-Dialog and PriMock57, all rules, cold", 200_000), ALL),
            (Bar("note", "the same, rules a note of {tokens} tokens, cold", 0.2, True), RULES),
        ),
    ),
    Corpus(
        *("dense notes", "en-default", True),
        # Not those whose texts may not be looked at.
        ("benchmarks/notes/practice.jsonl", "benchmarks/notes/review.jsonl"),
        ((Bar("dense", "notes dense in PHI, all rules, cold", 150_000), ALL),),
    ),
    Corpus(
        *("MEDDOCAN", "meddocan-hide", False, ("meddocan/dev.jsonl",)),
        ((Bar("hide", "MEDDOCAN, `meddocan-hide`, cold", 2_000_000), CRF),),
    ),
)
WHOLE = Bar("whole", "whole job, raw notes of all three, without the start", 350_000)
RAW = ("aci_bench/raw.jsonl", *SHORT)
JOB_ROWS = ("whole", "start", "workers")
ROWS = (*(key for corpus in CORPORA for key in corpus.keys), *JOB_ROWS)
STEPS = ("times the yardstick", *ALL, "yardstick, a token", "opening", "memory")


def own_corpus(options: argparse.Namespace) -> Corpus:
    """The files that the user names."""
    bars = [(Bar("all", "all steps, cold"), ALL), (Bar("crf", "CRF alone, cold"), CRF)]
    bars += [(Bar("note", "rules a note of {tokens} tokens, cold", None, True), RULES)]
    return Corpus(
        "own texts",
        options.model,
        not options.no_rules,
        tuple(str(path.resolve()) for path in options.texts),
        tuple(bars if not options.no_rules else bars[1:2]),
    )


def process(corpus: Corpus, paths: Sequence[Path]) -> dict[str, Any]:
    """What one process says."""
    words = ["--model", corpus.model, *([] if corpus.rules else ["--no-rules"]), *map(str, paths)]
    command = [sys.executable, "-m", "benchmarks.speed.detection", *words]
    shown = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=ROOT).stdout
    return json.loads(shown)


def detection(chosen: dict[Corpus, list[Path]], repeats: int) -> dict[Corpus, list[dict[str, Any]]]:
    """The runs of each corpus; corpora take turns, so that none has all of a busy minute."""
    for corpus in chosen:
        # Not counted: the first process of a machine compiles the bundle.
        process(corpus, chosen[corpus])
    runs: dict[Corpus, list[dict[str, Any]]] = {corpus: [] for corpus in chosen}
    for _ in range(repeats):
        for corpus, paths in chosen.items():
            runs[corpus].append(process(corpus, paths))
    return runs


def rows_of(corpus: Corpus, runs: Sequence[dict[str, Any]], keys: Sequence[str]) -> list[Any]:
    """The cells of a corpus's rows."""
    a_note = runs[0]["tokens"] / runs[0]["documents"]
    return [
        cells(bar, turns_of(runs, steps, temperature="cold", per_note=bar.per_note), a_note)
        for bar, steps in corpus.bars
        if bar.key in keys
    ]


def steps_of(corpus: Corpus, runs: Sequence[dict[str, Any]]) -> list[tuple[str, ...]]:
    """Multiples of the yardstick by step, cold and warm; opening and memory."""
    rows = []
    for temperature in ("cold", "warm"):
        multiples = [
            statistics.median(
                turn.multiple
                for turn in turns_of(runs, (step,), temperature=temperature, per_note=False)
            )
            for step in ALL
        ]
        beside = statistics.median(seconds for run in runs for seconds in run["yardstick"]) / (
            runs[0]["tokens"] / 1e6
        )
        rows.append(
            (
                f"{corpus.name}, {temperature}",
                *(f"{multiple:.2f}" for multiple in multiples),
                f"{beside:.2f} us",
                f"{statistics.median(run['opening'] for run in runs):.2f} s",
                f"{max(run['memory_mb'] for run in runs):.0f} MB",
            )
        )
    return rows


def job_rows(keys: Sequence[str], raw: Sequence[Path], repeats: int) -> list[Any]:
    """The cells of the rows of jobs; without the raw notes, only the start."""
    texts = read_texts(raw or [ROOT / "benchmarks/notes/review.jsonl"])
    rows: list[Any] = []
    with jobs_over(texts) as jobs:
        if "whole" in keys and raw:
            rows.append(cells(WHOLE, jobs.whole(repeats), 1.0))
        if "start" in keys:
            what, seconds = "start to first scrubbed note, processor time", jobs.start(repeats)
            rows.append(unmeasured(what, statistics.median(seconds), min(seconds), "s", 1.5))
        if "workers" in keys and raw:
            what, gained = (
                f"two workers, {TIMES} times these notes, wall time",
                jobs.workers(repeats),
            )
            rows.append(unmeasured(what, statistics.median(gained), max(gained), "times", 1.9))
    return rows


def commit_here() -> str:
    """Of this tree, when it is measured."""
    words = ["git", "rev-parse", "--short", "HEAD"]
    found = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    return found.stdout.strip() or "unknown"


def about(repeats: int, loads: Sequence[float], commit: str) -> str:
    """Below the table: with what it was measured."""
    return (
        f"{repeats} processes a row, words cold, compiled bundle cached; load {min(loads):.1f} to"
        f" {max(loads):.1f}; commit {commit}, Python {platform.python_version()},"
        f" {platform.machine()}, {os.cpu_count()} cores."
    )


def chosen_of(options: argparse.Namespace) -> dict[Corpus, list[Path]]:
    """The corpora that are measured; those that are not there are named on standard error."""
    named = os.environ.get("SCRUBLINE_CORPORA")
    options.corpora = options.corpora or (Path(named) if named else None)
    corpora = (own_corpus(options),) if options.texts else CORPORA
    keys = {key: corpus for corpus in corpora for key in corpus.keys}
    wanted = dict.fromkeys(keys[key] for key in options.rows or keys if key in keys)
    found = {corpus: corpus.paths(options.corpora) for corpus in wanted}
    if absent := [corpus.name for corpus, paths in found.items() if not paths]:
        print(f"not there: {', '.join(absent)} (SCRUBLINE_CORPORA)", file=sys.stderr)
    return {corpus: paths for corpus, paths in found.items() if paths}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    known = ", ".join(ROWS)
    parser.add_argument("--rows", nargs="+", choices=(*ROWS, "all"), metavar="ROW", help=known)
    parser.add_argument("--corpora", type=Path, metavar="FOLDER")
    parser.add_argument("--texts", nargs="+", type=Path, help="own JSON Lines with `text`, instead")
    parser.add_argument("--model", default="en-default", help="for --texts")
    parser.add_argument("--no-rules", action="store_true", help="for --texts")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--steps", action="store_true", help="the steps of detection as well")
    options = parser.parse_args()
    if options.repeats < 1:
        parser.error("--repeats must be at least 1")
    loads, commit = [load()], commit_here()
    chosen = chosen_of(options)
    runs = detection(chosen, options.repeats)
    keys = options.rows or [key for corpus in chosen for key in corpus.keys] + [*JOB_ROWS]
    rows = [row for corpus in chosen for row in rows_of(corpus, runs[corpus], keys)]
    if not options.texts and set(keys) & set(JOB_ROWS):
        raw = [options.corpora / file for file in RAW] if options.corpora else []
        there = all(path.is_file() for path in raw)
        rows += job_rows(keys, raw if there else (), options.repeats)
    loads += [load(), *(one for found in runs.values() for run in found for one in run["load"])]
    print(markdown(rows))
    if options.steps:
        steps = [row for corpus in chosen for row in steps_of(corpus, runs[corpus])]
        print(f"\n{markdown(steps, STEPS)}")
    print(f"\n{about(options.repeats, loads, commit)}")
    warn_of_load(loads)


if __name__ == "__main__":
    main()
