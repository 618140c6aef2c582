"""Does `verify` find each change to an output? Random ones, of every kind that can be made.

    python -m benchmarks.tampering --count 1000 --seed 1

A small output of two runs is made, with audit, quarantine and two formats. Then, again and again, a
copy of it is changed in one way that chance draws: bytes, rows, names and number of parts; files
added to each table and to the root; the history; keys of the manifest at every depth; rows of the
catalogue; jobs and plans; the seal; `_SUCCESS`; and whole forgeries, consistent in themselves short
of the seal. Each is verified with the key, without it, and as a reader who has only the published
folders. Prints a line a kind, then one JSON line:

    tried, found     changes, and those found with the key
    without_key      those found without it
    published_only   those found without restricted/ as well
    missed           number and kind of each that was not found with the key: make one again with
                     --only NUMBER and the same seed; the exit code is then 1
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import os
import random
import shutil
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from scrubline.models.core.digests import PARTS, Digest, content_digest
from scrubline.models.core.keys import new_key
from scrubline.models.formats.column_roles import Columns
from scrubline.models.jobs.output_rows import text_fields
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.options import Options
from scrubline.pipeline.run import scrub

from .json_values import NAME, at, other, places

COLUMNS = Columns.parse([("note_id", "id"), ("text", "text"), ("n", "pass")])
TABLES = ("data", "audit", "documents", "quarantine")

Change = Callable[[random.Random, Path], None]


class Unfit(Exception):
    """What was drawn cannot be done here: another draw is made."""


def make_output(folder: Path) -> tuple[Path, str]:
    """An output of two runs in a folder, and the place of its key."""
    options = make_options(folder)
    return Path(options.output), str(options.key_source)


def make_options(folder: Path) -> Options:
    """Makes an output of two runs in a folder; gives what the last one was run with."""
    source, key = folder / "in", folder / "key.txt"
    source.mkdir()
    key.write_text(new_key() + "\n")
    rows = [
        {
            "note_id": f"id-{n}",
            "text": f"Seen on {n % 12 + 1}/{n % 28 + 1}/2019. MRN: {7_000_000 + n}. Call 555-867-"
            f"{1000 + n} or mail p{n}@clinic.example."
            if n % 5
            else "No complaints.",
            "n": n,
        }
        for n in range(24)
    ]
    lines = [json.dumps(row) for row in rows]
    (source / "a.jsonl").write_text("\n".join([*lines[:8], '{"note_id": 1, "te']) + "\n")
    pq.write_table(pa.Table.from_pylist(rows[8:16]), source / "b.parquet")
    options = Options(
        inputs=(str(source),),
        output=str(folder / "out"),
        models=(),
        recognisers=("email", "phone", "date", "medical_record"),
        columns=COLUMNS,
        key_source=str(key),
        max_quarantined=0.5,
        split_bytes=600,
        incremental=True,
        progress=False,
    )
    scrub(Storage(), options)
    (source / "c.jsonl").write_text("\n".join(lines[16:]) + "\n")
    scrub(Storage(), options)
    return options


# -- parts


def parts(out: Path) -> list[Path]:
    return sorted(p for table in TABLES for p in (out / table).rglob("*") if p.is_file())


def a_part(rng: random.Random, out: Path) -> Path:
    return rng.choice(parts(out))


def flip(rng: random.Random, path: Path) -> None:
    data = bytearray(path.read_bytes())
    if not data:
        raise Unfit
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)


def cut(rng: random.Random, path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: rng.randrange(len(data))])


def append(rng: random.Random, path: Path) -> None:
    path.write_bytes(path.read_bytes() + rng.choice([b"\0", b"\n", b"{}\n", rng.randbytes(9)]))


def swap(rng: random.Random, out: Path) -> None:
    one, other = rng.sample(parts(out), 2)
    a, b = one.read_bytes(), other.read_bytes()
    one.write_bytes(b)
    other.write_bytes(a)


def rename(rng: random.Random, out: Path) -> None:
    part = a_part(rng, out)
    part.rename(part.with_name(rng.choice(["x-", ".", "9"]) + part.name))


def rows_changed(rng: random.Random, out: Path) -> None:
    """A valid file with a row less, a row twice, other rows or another encoding."""
    part = a_part(rng, out)
    if part.suffix == ".parquet":
        parquet_changed(rng, part)
        return
    lines = part.read_text().splitlines(keepends=True)
    at = rng.randrange(len(lines))
    lines[at : at + 1] = rng.choice([[], [lines[at]] * 2, [lines[at].replace("[", NAME + " [", 1)]])
    part.write_text("".join(lines))


def parquet_changed(rng: random.Random, path: Path) -> None:
    table = pq.read_table(path)
    if not table.num_rows:
        raise Unfit
    at, how = rng.randrange(table.num_rows), rng.randrange(3)
    if how == 0:
        table = pa.concat_tables([table[:at], table[at + 1 :]])
    elif how == 1:
        table = pa.concat_tables([table, table[at : at + 1]])
    pq.write_table(table, path, compression="none" if how == 2 else "zstd")


def link_to_elsewhere(rng: random.Random, out: Path) -> None:
    part = a_part(rng, out)
    part.unlink()
    part.symlink_to(out.parent / "nowhere")


# -- added


def add_to(folder: str) -> Change:
    def add(rng: random.Random, out: Path) -> None:
        place = out / folder
        how = rng.choice(["copy", "hidden", "text", "deeper", "empty folder", "link", "pipe"])
        name = f"{rng.randrange(10**6):06d}-x"
        new = place / name
        if how in ("copy", "hidden"):
            part = a_part(rng, out)
            new = place / f"{'.' if how == 'hidden' else ''}{name}{part.suffix}"
            new.write_bytes(part.read_bytes())
        elif how == "text":
            new.with_suffix(".txt").write_text(NAME)
        elif how == "deeper":
            (place / f"year={name}").mkdir()
            (place / f"year={name}" / "a.jsonl").write_text("{}\n")
        elif how == "empty folder":
            (place / f"name={NAME}" / name).mkdir(parents=True)
        elif how == "link":
            new.symlink_to(rng.choice([out.parent / "nowhere", a_part(rng, out), out / "audit"]))
        else:
            os.mkfifo(new)

    return add


# -- JSON


def json_changed(rng: random.Random, path: Path) -> None:
    value = json.loads(path.read_bytes())
    way = rng.choice(list(places(value)))
    owner = at(value, way[:-1])
    how = rng.choice(["change", "change", "kind", "remove", "add"])
    if how == "change":
        owner[way[-1]] = other(rng, owner[way[-1]])
    elif how == "kind":
        owner[way[-1]] = rng.choice([None, [], {}, "", -1, 1.5, True, [[]]])
    elif how == "remove":
        del owner[way[-1]]
    elif isinstance(owner, dict):
        owner[rng.choice(["x", "", NAME, "rows"])] = rng.choice([1, None, "x", {}])
    else:
        owner.insert(rng.randrange(len(owner) + 1), rng.choice(owner))
    path.write_text(json.dumps(value, indent=1))


def three_keys(rng: random.Random, path: Path) -> None:
    for _ in range(3):
        json_changed(rng, path)


def json_broken(rng: random.Random, path: Path) -> None:
    path.write_bytes(rng.choice([b"", b"{", b"null", b"[]", b'"x"', b"\xff", b"[" * 50_000]))


def manifest(change: Callable[[random.Random, Path], None]) -> Change:
    return lambda rng, out: change(rng, out / "manifest.json")


def seal(change: Callable[[random.Random, Path], None]) -> Change:
    return lambda rng, out: change(rng, out / "seal.json")


# -- restricted


def catalogue_changed(rng: random.Random, out: Path) -> None:
    path = out / "restricted" / rng.choice(["units.parquet", "catalogue.parquet"])
    table = pq.read_table(path)
    rows = table.to_pylist()
    row = rng.choice(rows)
    how = rng.choice(["value", "value", "value", "remove", "double", "receipt"])
    if how == "value":
        name = rng.choice(sorted(row))
        row[name] = other(rng, row[name])
    elif how == "remove":
        rows.remove(row)
    elif how == "double":
        rows.append(row)
    elif "receipt" in row:
        receipt = json.loads(row["receipt"])
        way = rng.choice(list(places(receipt)))
        at(receipt, way[:-1])[way[-1]] = other(rng, at(receipt, way))
        row["receipt"] = json.dumps(receipt, sort_keys=True, separators=(",", ":"))
    pq.write_table(pa.Table.from_pylist(rows, table.schema), path)


def of_catalogue(change: Callable[[random.Random, Path], None]) -> Change:
    names = ["units.parquet", "catalogue.parquet"]
    return lambda rng, out: change(rng, out / "restricted" / rng.choice(names))


def of_run(change: Callable[[random.Random, Path], None], *names: str) -> Change:
    def changed(rng: random.Random, out: Path) -> None:
        runs = sorted(p.parent for p in (out / "restricted").glob("*/job.json"))
        change(rng, rng.choice(runs) / rng.choice(names))

    return changed


def delete(rng: random.Random, path: Path) -> None:
    path.unlink()


# -- forged


def history(change: Change) -> Change:
    return lambda rng, out: change(rng, out / "history.parquet")


def forged_history(rng: random.Random, out: Path) -> None:
    """A night made better, and the hash of the file repaired."""
    path = out / "history.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    row = rng.choice(rows)
    name = rng.choice(["documents", "spans", "kept", "by_rules", "note_type", "run"])
    row[name] = NAME if row[name] is None else other(rng, row[name])
    pq.write_table(pa.Table.from_pylist(rows, table.schema), path)
    found = json.loads((out / "manifest.json").read_bytes())
    found["report"]["history"]["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    (out / "manifest.json").write_text(json.dumps(found, indent=1))


def forged(rng: random.Random, out: Path) -> None:
    """A name put back into a text, and all that follows from it repaired; with receipts, or not."""
    found = json.loads((out / "manifest.json").read_bytes())
    wanted = [p for p in found["parts"] if p["table"] == "data" and p["path"].endswith(".jsonl")]
    part = rng.choice(wanted)
    path = out / part["path"]
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    marked = [row for row in rows if row["text"] and "[" in row["text"]]
    if not marked:
        raise Unfit
    row = rng.choice(marked)
    before = row["text"]
    marker = before[before.index("[") : before.index("]") + 1]
    row["text"] = before.replace(marker, NAME[: len(marker)].ljust(len(marker)), 1)
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    digest = Digest.of_hex(found["digests"]["text"])
    old, new = Digest(), Digest()
    old.add(text_fields(row["doc_key"], "text", before))
    new.add(text_fields(row["doc_key"], "text", row["text"]))
    found["digests"]["text"] = found["text_digest"] = Digest(
        (digest.value - old.value + new.value) % (1 << 256)
    ).hex()
    found["content_digest"] = content_digest(
        {name: Digest.of_hex(found["digests"][name]) for name in PARTS}
    )
    content = path.read_bytes()
    part["bytes"], part["sha256"] = len(content), hashlib.sha256(content).hexdigest()
    (out / "manifest.json").write_text(json.dumps(found, indent=1))
    if rng.random() < 0.5:
        repair_receipt(out, part, old, new)


def repair_receipt(out: Path, part: dict[str, Any], old: Digest, new: Digest) -> None:
    path = out / "restricted/units.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    for row in rows:
        receipt = json.loads(row["receipt"])
        for one in receipt["parts"]:
            if one["path"] == part["path"]:
                one["bytes"], one["sha256"] = part["bytes"], part["sha256"]
                was = Digest.of_hex(receipt["digests"]["text"])
                receipt["digests"]["text"] = Digest(
                    (was.value - old.value + new.value) % (1 << 256)
                ).hex()
        row["receipt"] = json.dumps(receipt, sort_keys=True, separators=(",", ":"))
    pq.write_table(pa.Table.from_pylist(rows, table.schema), path, compression="zstd")


def forged_and_unsealed(rng: random.Random, out: Path) -> None:
    forged(rng, out)
    (out / "seal.json").unlink()


KINDS: dict[str, Change] = {
    "part: a bit flipped": lambda rng, out: flip(rng, a_part(rng, out)),
    "part: cut": lambda rng, out: cut(rng, a_part(rng, out)),
    "part: appended to": lambda rng, out: append(rng, a_part(rng, out)),
    "part: deleted": lambda rng, out: a_part(rng, out).unlink(),
    "part: two swapped": swap,
    "part: renamed": rename,
    "part: other rows in a valid file": rows_changed,
    "part: a link in its place": link_to_elsewhere,
    **{f"added: {table}": add_to(table) for table in TABLES},
    "added: root": add_to("."),
    "manifest: a key": manifest(json_changed),
    "manifest: three keys": manifest(three_keys),
    "manifest: broken": manifest(json_broken),
    "manifest: a bit flipped": manifest(flip),
    "manifest: cut": manifest(cut),
    "manifest: deleted": manifest(delete),
    "catalogue: a row": catalogue_changed,
    "catalogue: a bit flipped": of_catalogue(flip),
    "catalogue: deleted": of_catalogue(delete),
    "job: a key": of_run(json_changed, "job.json"),
    "job or plan: a bit flipped": of_run(flip, "job.json", "plan.parquet", "files.parquet"),
    "job or plan: deleted": of_run(delete, "job.json", "plan.parquet", "files.parquet"),
    "seal: a key": seal(json_changed),
    "seal: broken": seal(json_broken),
    "seal: a bit flipped": seal(flip),
    "seal: deleted": seal(delete),
    "history: a bit flipped": history(flip),
    "history: cut": history(cut),
    "history: other rows in a valid file": history(parquet_changed),
    "_SUCCESS: with content": lambda rng, out: append(rng, out / "_SUCCESS"),
    "_SUCCESS: deleted": lambda rng, out: (out / "_SUCCESS").unlink(),
    "forged: consistent, seal kept": forged,
    "forged: consistent, seal removed": forged_and_unsealed,
    "forged: a night of the history": forged_history,
}
"""What is done to an output, by kind."""

OFTEN = ("manifest: a key", "catalogue: a row", "part: other rows in a valid file", "seal: a key")
"""Kinds with more ways than others, drawn more often."""


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What became of one change.

    Attributes:
        found: whether `verify` named a fault, or refused, by how it was called.
        said: what it said with the key.
    """

    kind: str
    found: dict[str, bool]
    said: tuple[str, ...]


VIEWS = ("with the key", "without the key", "published only")


def tamper(number: int, seed: int, output: Path, key: str, folder: Path) -> Outcome:
    """Makes one change to a copy of an output and verifies it; the same number, the same change."""
    rng = random.Random(f"{seed} {number}")
    place = folder / "copy"
    while True:
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(output, place)
        kind = rng.choice([*KINDS, *OFTEN * 3])
        try:
            KINDS[kind](rng, place)
        except Unfit:
            continue
        if tree(place) != tree(output):
            break
    found, said = {}, ()
    for view in VIEWS:
        if view == VIEWS[2]:
            shutil.rmtree(place / "restricted")
        source = key if view == VIEWS[0] else None
        try:
            faults, _ = verify(Storage(tries=1), str(place), originals=False, key_source=source)
        except Exception as error:  # a refusal tells less than a fault, and a crash nothing
            faults = []
            said = said or (f"{type(error).__name__}: {error}",)
        found[view] = bool(faults)
        said = said or tuple(faults)
    return Outcome(kind, found, said)


def tree(folder: Path) -> dict[str, object]:
    """Path -> content of all that is in a folder."""
    return {
        str(path.relative_to(folder)): path.readlink()
        if path.is_symlink()
        else path.read_bytes()
        if path.is_file()
        else path.stat().st_mode
        for path in sorted(folder.rglob("*"))
    }


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, metavar="NUMBER", help="make this change and keep it")
    asked = parser.parse_args()
    tried: Counter[str] = Counter()
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    missed = []
    folder = Path(tempfile.mkdtemp(prefix="tampering-"))
    output, key = make_output(folder)
    if faults := verify(Storage(), str(output), originals=True, key_source=key)[0]:
        raise SystemExit(f"the output is not good before it is changed: {faults}")
    numbers = range(asked.count) if asked.only is None else [asked.only]
    for number in numbers:
        one = tamper(number, asked.seed, output, key, folder)
        tried[one.kind] += 1
        for view, seen in one.found.items():
            found[view][one.kind] += seen
        if not one.found[VIEWS[0]]:
            missed.append({"number": number, "kind": one.kind, "said": one.said})
        if asked.only is not None:
            print(one, folder / "copy", file=sys.stderr)
    if asked.only is None:
        shutil.rmtree(folder)
    print(f"{'kind':<36}{'tried':>6}" + "".join(f"{view:>18}" for view in VIEWS))
    for kind in sorted(tried):
        counts = "".join(f"{found[view][kind]:>18}" for view in VIEWS)
        print(f"{kind:<36}{tried[kind]:>6}{counts}")
    total = {view: sum(found[view].values()) for view in VIEWS}
    print(
        json.dumps(
            {
                "tried": sum(tried.values()),
                "found": total[VIEWS[0]],
                "without_key": total[VIEWS[1]],
                "published_only": total[VIEWS[2]],
                "missed": missed,
                "seed": asked.seed,
            }
        )
    )
    raise SystemExit(1 if missed else 0)


if __name__ == "__main__":
    main()
