"""Compares what two versions of Scrubline write of the same input, column by column.

    python -m benchmarks.same_output --before ../earlier/.venv/bin/scrubline
    python -m benchmarks.same_output --before ... --input notes.jsonl --model meddocan-default
    python -m benchmarks.same_output --outputs BEFORE AFTER

Runs the earlier version's command and this one's over each input, under one key, and compares the
data byte for byte and every column of `audit`, `documents` and `quarantine`. Without `--input` it
takes the demo corpus, the three sets of `benchmarks/notes` and, where a folder of corpora is given,
its English and Spanish clinical texts. Columns that hold the run's id or a hash of code may differ
(`MAY_DIFFER`); a difference in any other ends the command with 1. Prints counts, never text.
"""

import argparse
import dataclasses
import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parent.parent
TABLES = ("audit", "documents", "quarantine")
MAY_DIFFER = {"audit": {"run", "source_hash"}, "documents": {"run"}, "quarantine": {"run"}}
"""Table -> columns that name the run, or the code that found a span."""
NAMES_WITH_HASHES = "detectors"
"""The column of `documents` with `name@hash` of every detector: the names are compared."""


@dataclasses.dataclass(frozen=True)
class Case:
    """One input, and the options that both versions scrub it with."""

    name: str
    options: tuple[str, ...]


def cases(corpora: Path | None) -> Iterator[Case]:
    """The demo corpus, the notes of `benchmarks/notes`, and the corpora of a folder."""
    # By options, for the file of options may be one that an earlier version cannot read.
    with (ROOT / "demo/scrubline.toml").open("rb") as file:
        roles = tomllib.load(file)["column"]
    declared = [f"--column={name}={role}" for name, role in roles.items()]
    yield Case("demo", ("--input", str(ROOT / "demo/parquet"), *declared))
    for name in ("development", "review", "practice"):
        yield of_file(ROOT / f"benchmarks/notes/{name}.jsonl", "en-default")
    if corpora is None:
        return
    english = ("aci_bench", "mts_dialog", "primock57", "asq_phi", "english_clinical_sample")
    for name, model in (
        *((name, "en-default") for name in english),
        ("meddocan", "meddocan-default"),
    ):
        for file in sorted((corpora / name).glob("*.jsonl")):
            yield of_file(file, model)


def of_file(file: Path, model: str) -> Case:
    """A file of JSON Lines with `doc_id` and `text`; whatever else it has is dropped."""
    with file.open(encoding="utf-8") as lines:
        columns = {key for line in lines for key in json.loads(line)}
    roles = {"doc_id": "id", "text": "text"}
    declared = [f"--column={name}={roles.get(name, 'drop')}" for name in sorted(columns)]
    return Case(
        f"{file.parent.name}/{file.stem}", ("--input", str(file), "--model", model, *declared)
    )


def scrub(command: str, case: Case, key: Path, output: Path) -> None:
    """Runs one version over one input.

    Raises:
        SystemExit: if the command fails, with its last words.
    """
    done = subprocess.run(
        [command, "scrub", *case.options, "--key-file", str(key), "--output", str(output)],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    if done.returncode:
        sys.exit(f"{case.name}: {command} ended with {done.returncode}\n{done.stderr[-2000:]}")


def differences(before: Path, after: Path) -> Iterator[tuple[str, int]]:
    """Yields (what, rows that differ) for each table and column that is not equal."""
    old, new = data_of(before), data_of(after)
    if old != new:
        yield "data", sum(a != b for a, b in zip(old, new, strict=False)) or 1
    for table in TABLES:
        yield from table_differences(table, rows_of(before / table), rows_of(after / table))


def data_of(output: Path) -> list[object]:
    """The published rows: lines as bytes, or Parquet rows, whatever part they are in."""
    rows: list[object] = []
    for path in sorted(output.glob("data/**/*")):
        if path.suffix == ".parquet":
            rows += [repr(sorted(row.items())) for row in pq.read_table(path).to_pylist()]
        elif path.is_file():
            rows += path.read_bytes().splitlines(keepends=True)
    return sorted(rows, key=repr)


def rows_of(folder: Path) -> list[dict[str, object]]:
    """All rows of a table in one order that no run's id or hash decides."""
    files = sorted(folder.glob("**/*.parquet"))
    tables = [pq.ParquetFile(file).read() for file in files]
    rows = pa.concat_tables(tables).to_pylist() if tables else []
    for row in rows:
        if isinstance(row.get(NAMES_WITH_HASHES), str):
            named = row[NAMES_WITH_HASHES].split()
            row[NAMES_WITH_HASHES] = [name.partition("@")[0] for name in named]
    kept = MAY_DIFFER.get(folder.name, set())
    return sorted(rows, key=lambda row: repr([row[name] for name in row if name not in kept]))


def table_differences(
    table: str, before: list[dict[str, object]], after: list[dict[str, object]]
) -> Iterator[tuple[str, int]]:
    """Yields (table.column, rows that differ) of the columns that have to be equal."""
    if len(before) != len(after):
        yield f"{table}: rows", abs(len(before) - len(after))
    names = {name for rows in (before, after) for row in rows for name in row}
    for name in sorted(names - MAY_DIFFER[table]):
        missing = object()
        count = sum(
            old.get(name, missing) != new.get(name, missing)
            for old, new in zip(before, after, strict=False)
        )
        if count:
            yield f"{table}.{name}", count


def compare(name: str, before: Path, after: Path) -> bool:
    """Prints one line of two outputs; whether they are equal."""
    found = list(differences(before, after))
    spans, documents = (len(rows_of(after / table)) for table in ("audit", "documents"))
    said = ", ".join(f"{what} ({rows} rows)" for what, rows in found) or "equal"
    print(f"{name:40} {documents:>7,} documents {spans:>8,} audit rows  {said}", flush=True)
    return not found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--before", metavar="COMMAND", help="`scrubline` of the earlier version")
    parser.add_argument("--after", metavar="COMMAND", help="default: the one of this environment")
    parser.add_argument("--outputs", nargs=2, type=Path, metavar=("BEFORE", "AFTER"))
    parser.add_argument("--corpora", type=Path, metavar="FOLDER", help="a folder of corpora")
    parser.add_argument("--input", type=Path, action="append", metavar="FILE.jsonl")
    parser.add_argument("--model", default="en-default", help="for --input")
    asked = parser.parse_args()
    if bool(asked.outputs) == bool(asked.before):
        parser.error("give --before, or --outputs")
    if asked.outputs:
        sys.exit(not compare("outputs", *asked.outputs))
    current = asked.after or str(Path(sys.executable).parent / "scrubline")
    chosen = [of_file(file, asked.model) for file in asked.input or ()] or cases(asked.corpora)
    equal = []
    with tempfile.TemporaryDirectory() as folder:
        key = Path(folder) / "key"
        subprocess.run([current, "key", "new", "--output", str(key)], check=True)
        for number, case in enumerate(chosen):
            places = [Path(folder) / f"{number}-{version}" for version in ("before", "after")]
            for command, place in zip((asked.before, current), places, strict=True):
                scrub(command, case, key, place)
            equal.append(compare(case.name, *places))
    print(f"{sum(equal)} of {len(equal)} inputs equal")
    sys.exit(not all(equal))


if __name__ == "__main__":
    main()
