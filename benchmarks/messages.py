"""Whether messages come back byte for byte where nothing is replaced, and what they cost.

    python -m benchmarks.messages fuzz [--format NAME] [--records N] [--seed N]
    python -m benchmarks.messages scale [--messages N ...] [--lines N] [--workers N]

`fuzz` changes records (those of the demo and of the tests) at random, as transport, people and
other programs may: characters, fields, escapes, whole parts. Each that is still a record has some
of its values replaced or left out. All that lies outside of them must be as it was, and what is
left must have the same structure for a parser of others, where one is installed (hl7 for HL7 v2,
the standard library for JSON and XML). It says how many records were changed beyond reading.

`scale` writes HL7 v2 messages, each another patient's, runs whole jobs over them without a model,
and says time and memory of each.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import resource
import runpy
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pyarrow as pa
from scrubline.models.core.errors import DocumentError
from scrubline.models.formats import FORMATS
from scrubline.models.formats.column_roles import Columns
from scrubline.models.formats.message_columns import MessageColumn
from scrubline.models.messages.hl7_escapes import Escapes, delimiters_of
from scrubline.models.messages.table import GRAMMARS

ROOT = Path(__file__).resolve().parent.parent
SIGNS = "|^~\\&\r\n \"'<>{}[],:/.aZ9éñ\u0085\U0001f600"
_ESCAPES = Escapes(delimiters_of("MSH|^~\\&|"))
MASTER_KEY = "scrubline-key-v1:" + "QUJD" * 10 + "QUI="


def records(name: str) -> list[str]:
    """Records to begin with: those of the demo, and the examples of the tests."""
    folder = ROOT / "tests" / "models" / "messages" / name
    found = [p.read_bytes().decode("utf-8", "replace") for p in sorted(folder.rglob("*.*"))]
    if name == "hl7":
        found = [p.read_bytes().decode() for p in sorted((ROOT / "demo" / "hl7").glob("*.hl7"))]
        found += [p.read_bytes().decode("latin-1") for p in sorted(folder.glob("*.hl7"))]
        found = [f"MSH{one}" for text in found for one in text.split("MSH")[1:]]
        return [one.strip("\r\n\x0b\x1c") for one in found]
    if name == "fhir":
        examples = runpy.run_path(str(folder.parent / "fhir_examples.py"))
        return [json.dumps(one, ensure_ascii=False) for one in examples["EXAMPLES"].values()]
    kept = [one for one in found if one.lstrip("\ufeff \r\n").startswith(("{", "<"))]
    return kept or sys.exit(f"no records of {name} to begin with")


def changed(record: str, others: list[str], draw: random.Random) -> str:
    """A record with a few changes."""
    for _ in range(draw.randrange(1, 6)):
        at = draw.randrange(len(record) + 1)
        end = min(len(record), at + draw.choice((0, 0, 1, 1, 3, 20)))
        what = draw.randrange(4)
        if what == 0:
            piece = "".join(draw.choice(SIGNS) for _ in range(draw.randrange(1, 6)))
        elif what == 1:
            other = draw.choice(others)
            start = draw.randrange(len(other))
            piece = other[start : start + draw.choice((5, 30, 200))]
        elif what == 2:
            piece = record[at : at + draw.choice((1, 10, 100))] * 2
        else:
            piece = ""
        record = record[:at] + piece + record[end:]
    return record


def structure_of_hl7(record: str) -> object:
    """Segments and the number of their fields, by the package `hl7`; None where it cannot tell.

    Of MSH it counts an empty last field only now and then.
    """
    try:
        import hl7
    except ImportError:
        return None
    try:
        parsed = hl7.parse(record.replace("\r\n", "\r").replace("\n", "\r"))
    except Exception:
        return None
    return [(str(one[0]), len(one) if str(one[0]) != "MSH" else 0) for one in parsed]


def structure_of_json(record: str) -> object:
    """Whether it is JSON: what is left out may be any member."""
    try:
        json.loads(record)
    except ValueError:
        return None
    return "json"


def structure_of_xml(record: str) -> object:
    """The names of all elements, in order."""
    try:
        return [element.tag for element in ElementTree.fromstring(record.encode()).iter()]
    except (ElementTree.ParseError, UnicodeEncodeError):
        return None


STRUCTURE: dict[str, Callable[[str], object]] = {
    "hl7": structure_of_hl7,
    "fhir": structure_of_json,
    "ccda": structure_of_xml,
}


def check(name: str, record: str, columns: Columns, draw: random.Random) -> str:
    """What became of a changed record: a word for the count.

    Raises:
        AssertionError: if something is not as it was.
    """
    nesting = FORMATS[name].nesting
    assert nesting is not None
    column = nesting.open(pa.array([record]), name, columns.nested[name])
    assert isinstance(column, MessageColumn)
    if column.errors:
        return column.errors[0]
    values = column._values[0]
    position = 0
    for value in values:
        assert position <= value.start <= value.end <= len(record), "values overlap"
        position = value.end
    kept = {leaf: own.cells for leaf, own in column.leaves.items()}
    assert column.closed(kept).to_pylist() == [record], "a record was changed without need"
    others = [leaf for leaf in kept if leaf not in column._texts]  # no run leaves a text out
    gone = {leaf for leaf in others if draw.random() < 0.3}
    cells = {leaf: own for leaf, own in kept.items() if leaf not in gone}
    new = {leaf for leaf in others if leaf not in gone and draw.random() < 0.3}
    for leaf in new:
        cells[leaf] = pa.array(['a|b^c&d~e\\f"<g>'] * len(cells[leaf]), pa.string())
    try:
        (out,) = column.closed(cells).to_pylist()
    except DocumentError as error:
        return error.code
    # In FHIR an extension goes with its value.
    untouched = [v for v in values if v.name not in gone | new and v.name != "Extension.url"]
    at = 0
    for value in untouched:
        piece = record[value.start : value.end]
        at = out.find(piece, at)
        assert at >= 0, "a value that stays is gone"
        at += len(piece)
    before, after = STRUCTURE[name](record), STRUCTURE[name](out)
    if before is not None:
        assert after == before or name == "fhir" and after, "the structure is another one"
    return "read"


def fuzz(options: argparse.Namespace) -> None:
    """Prints a JSON line a format."""
    for name in [options.format] if options.format else list(GRAMMARS):
        draw = random.Random(options.seed)
        begin = records(name)
        columns = Columns.of_record(name, [("ZPD", "drop")] if name == "hl7" else []).resolved(
            [name]
        )
        counts: Counter[str] = Counter()
        for number in range(options.records):
            record = changed(draw.choice(begin), begin, draw)
            try:
                counts[check(name, record, columns, draw)] += 1
            except AssertionError as error:
                sys.exit(f"{name}, seed {options.seed}, record {number}: {error}")
        print(
            json.dumps(
                {"format": name, "records": options.records, "became": dict(counts.most_common(9))}
            )
        )


def messages(count: int, most_lines: int = 25) -> Iterator[str]:
    """Messages with a report of up to that many lines, each of another patient."""
    draw = random.Random(1)
    names = ["QUIMBY", "OSTRANDER", "VOSS", "ACHEBE", "LINDQVIST", "MARSH", "TAMMINEN"]
    lines = [line for line in (ROOT / "demo" / "text").glob("*.txt")][:7]
    bodies = [
        path.read_text(encoding="utf-8-sig").splitlines()[:most_lines] for path in sorted(lines)
    ]
    for number in range(count):
        family, given = draw.choice(names), f"Zelda{number % 977}"
        segments = [
            f"MSH|^~\\&|LAB|SITE|EHR|SITE|20240312101500||ORU^R01|M{number}|P|2.5.1",
            f"PID|1||{number:08d}^^^SITE^MR||{family}^{given}||19610203|F|||12 Elm St^^Oakham^IL",
            f"PV1|1|I|4W||||77{number % 991:04d}^Fotheringay^Ignatz",
            f"OBR|1|ORD{number}||71020^CHEST XRAY^L|||20240312093000",
            f"OBX|1|TX|71020^XRAY^L||{given} {family.title()} was seen by Dr. Fotheringay.||||||F",
        ]
        segments += [
            f"OBX|{at}|TX|71020^CHEST XRAY^L||{_ESCAPES.written(line)}||||||F"
            for at, line in enumerate(bodies[number % len(bodies)], 2)
        ]
        yield "\r".join(segments) + "\r"


def scale(options: argparse.Namespace) -> None:
    """Prints a JSON line a size: seconds and processor seconds, memory of the largest process."""
    for count in options.messages:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            (folder / "in").mkdir()
            drawn = messages(count, options.lines)
            for part in range(0, count, 50_000):
                text = "".join(itertools.islice(drawn, 50_000))
                (folder / "in" / f"{part:09d}.hl7").write_bytes(text.encode())
            (folder / "key.txt").write_text(MASTER_KEY + "\n")
            print(json.dumps(_job(folder, count, options.workers)), flush=True)


def _job(folder: Path, count: int, workers: int) -> dict[str, Any]:
    command = [str(Path(sys.executable).with_name("scrubline")), "scrub", "--model", "none"]
    command += ["--input", f"{folder}/in/", "--output", f"{folder}/out", "--workers", str(workers)]
    command += ["--key-file", f"{folder}/key.txt"]
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = sum(getattr(after, n) - getattr(before, n) for n in ("ru_utime", "ru_stime"))
    return {
        "messages": count,
        "workers": workers,
        "seconds": round(time.monotonic() - begun, 1),
        "processor_ms_a_message": round(1000 * used / count, 3),
        "largest_process_mb": round(after.ru_maxrss / 1024),
        "bytes_a_message": sum(p.stat().st_size for p in (folder / "in").iterdir()) // count,
    }


def main() -> None:
    """Runs what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    kinds = parser.add_subparsers(dest="kind", required=True)
    of_fuzz = kinds.add_parser("fuzz", help="changed records")
    of_fuzz.add_argument("--format", choices=sorted(GRAMMARS))
    of_fuzz.add_argument("--records", type=int, default=100_000)
    of_fuzz.add_argument("--seed", type=int, default=1)
    of_scale = kinds.add_parser("scale", help="whole jobs over HL7 v2 messages")
    of_scale.add_argument("--messages", type=int, nargs="+", default=[10_000, 100_000])
    of_scale.add_argument("--lines", type=int, default=25, help="of a report, at most")
    of_scale.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    {"fuzz": fuzz, "scale": scale}[options.kind](options)


if __name__ == "__main__":
    main()
